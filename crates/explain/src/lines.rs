//! Lines that several reports print alike: breaks at 80 columns, durations.

/// Breaks a line at 80 columns; following lines are indented.
pub(crate) fn wrapped(line: &str, indent: usize) -> String {
    let mut text = String::new();
    let mut column = 0;
    let lead = line.len() - line.trim_start().len();
    text.push_str(&line[..lead]);
    column += lead;
    for (index, word) in line.split_whitespace().enumerate() {
        let width = word.chars().count();
        if index > 0 && column + 1 + width > 80 {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            column = indent;
        } else if index > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += width;
    }
    text
}

/// `2 h 5 min`, `1 min 30 s`, `7.5 s`.
pub fn duration(ms: i64) -> String {
    let seconds = ms / 1000;
    match seconds {
        3600.. => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        60.. => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{}.{} s", seconds, ms % 1000 / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_at_80_columns() {
        let line = format!(" ! {}", "word ".repeat(40));
        let text = wrapped(&line, 3);
        assert!(text.lines().all(|line| line.chars().count() <= 80));
        assert!(text.lines().skip(1).all(|line| line.starts_with("   word")));
        assert_eq!(text.split_whitespace().count(), 41);
    }

    #[test]
    fn durations() {
        for (ms, text) in [(7_500, "7.5 s"), (90_000, "1 min 30 s"), (7_500_000, "2 h 5 min")] {
            assert_eq!(duration(ms), text);
        }
    }
}
