//! Removes what stands before each line: quotation marks, bars, timestamps, marks of a patch, line numbers.

use super::posts;

/// Prefix of a line: its length in bytes.
type Prefix = fn(&str) -> Option<usize>;

/// Prefixes, and whether nearly every line must have one. Quotation marks may be missing, as no line of a log begins with one.
const PREFIXES: [(Prefix, bool); 4] = [(quotation, false), (bar, true), (moment, true), (addition, true)];

/// The text without one kind of prefix; `None` for text without prefixes.
pub(super) fn without(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    without_prefixes(text, &lines).or_else(|| without_numbers(text, &lines))
}

/// The text without quotation marks, bars, timestamps or marks of a patch.
fn without_prefixes(text: &str, lines: &[&str]) -> Option<String> {
    let lines: Vec<&str> = lines.iter().copied().filter(|line| !line.trim_ascii_start().is_empty()).collect();
    PREFIXES.iter().find_map(|(prefix, is_everywhere)| {
        let with = || lines.iter().filter_map(|line| Some(&line[prefix(line)?..]));
        let count = with().count();
        let is_used = count > 0
            && if *is_everywhere {
                count * 10 >= lines.len() * 9
            } else {
                count * 2 >= lines.len() || with().any(posts::is_mark)
            };
        is_used.then(|| map_lines(text, |line| &line[prefix(line).unwrap_or(0)..]))
    })
}

fn map_lines<'t>(text: &'t str, mut of: impl FnMut(&'t str) -> &'t str) -> String {
    let mut mapped = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let end = line.trim_end_matches(['\n', '\r']).len();
        mapped.push_str(of(&line[..end]));
        mapped.push_str(&line[end..]);
    }
    mapped
}

/// `> `, `>> `, and the marks of chat programs that quote.
fn quotation(line: &str) -> Option<usize> {
    let rest = line.trim_ascii_start().strip_prefix('>')?;
    Some(line.len() - rest.strip_prefix(' ').unwrap_or(rest).len())
}

/// `│ `, `┃ `: a box of a chat program or terminal. A plain `|` also begins rows of tables.
fn bar(line: &str) -> Option<usize> {
    let rest = line.trim_ascii_start().strip_prefix(['│', '┃', '▌', '║'])?;
    Some(line.len() - rest.strip_prefix(' ').unwrap_or(rest).len())
}

/// `2026-04-30T12:17:29.1234567Z ` of a CI system.
fn moment(line: &str) -> Option<usize> {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00";
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let fits = |(byte, shape): (&u8, &u8)| if *shape == b'0' { is_digit(byte) } else { byte == shape };
    let bytes = line.as_bytes();
    let is_moment = bytes.len() >= SHAPE.len() && bytes.iter().zip(SHAPE).all(fits);
    let end = is_moment.then(|| line.find([' ', '\t']).unwrap_or(line.len()))?;
    Some((end + 1).min(line.len()))
}

/// `+` of a patch.
fn addition(line: &str) -> Option<usize> {
    (line.starts_with('+') && !line.starts_with("+++ ")).then_some(1)
}

/// Maximum number of blanks between a line number and the text.
const NUMBER_BLANKS_MAX: usize = 2;
/// Minimum number of consecutive numbers that are line numbers. 7-zip numbers four rows.
const NUMBERS_MIN: usize = 6;

/// The text without line numbers; `None` for text without them. Numbers that are line numbers rise by one from line to
/// line, and one of these lines is of a log. The table of CPUs is numbered as well, but no such line is in it.
fn without_numbers(text: &str, lines: &[&str]) -> Option<String> {
    let mut lengths = vec![0; lines.len()];
    let mut start = 0;
    while start < lines.len() {
        let Some((first, _)) = number(lines[start]) else {
            start += 1;
            continue;
        };
        let mut run: Vec<(usize, usize)> = Vec::new();
        let mut expected = first;
        for (index, line) in lines.iter().enumerate().skip(start) {
            match number(line) {
                Some((number, length)) if number == expected => {
                    run.push((index, length));
                    expected = expected.saturating_add(1);
                }
                // `nl` does not number blank lines.
                _ if line.trim_ascii_start().is_empty() => {}
                _ => break,
            }
        }
        let end = run.last().map_or(start, |(index, _)| *index) + 1;
        if run.len() >= NUMBERS_MIN {
            without_separators(lines, &mut run);
            if run.iter().any(|(index, length)| posts::is_mark(&lines[*index][*length..])) {
                run.iter().for_each(|(index, length)| lengths[*index] = *length);
            }
        }
        start = end;
    }
    lengths.iter().any(|length| *length > 0).then(|| {
        let mut next = lengths.iter();
        map_lines(text, |line| &line[next.next().copied().unwrap_or(0)..])
    })
}

/// Characters between a line number and the text.
const SEPARATORS: [char; 6] = [':', '|', '│', '.', ')', ']'];

/// Number at the start of a line and the length up to its end: `12: text`, `  12\ttext`, `12 | text`.
fn number(line: &str) -> Option<(u32, usize)> {
    let digits = line.trim_ascii_start();
    let end = digits.bytes().take_while(u8::is_ascii_digit).count();
    let number = digits[..end].parse().ok()?;
    let rest = &digits[end..];
    let ends = rest.is_empty() || rest.starts_with([' ', '\t']) || rest.starts_with(SEPARATORS);
    ends.then_some((number, line.len() - rest.len()))
}

/// Adds to the lengths of line numbers the separator and the blanks that all of them have.
fn without_separators(lines: &[&str], run: &mut [(usize, usize)]) {
    let rest = |(index, length): &(usize, usize)| &lines[*index][*length..];
    let separator = SEPARATORS.into_iter().find(|separator| {
        run.iter()
            .map(rest)
            .all(|rest| rest.trim().is_empty() || rest.trim_start_matches([' ', '\t']).starts_with(*separator))
    });
    for (index, length) in run.iter_mut() {
        let rest = &lines[*index][*length..];
        if let Some(at) = separator.and_then(|separator| Some(rest.find(separator)? + separator.len_utf8())) {
            *length += at;
        }
    }
    let rest = |(index, length): &(usize, usize)| &lines[*index][*length..];
    let texts = run.iter().map(rest).filter(|text| !text.trim().is_empty());
    let blanks = texts.map(|text| text.len() - text.trim_start_matches([' ', '\t']).len()).min();
    let blanks = blanks.unwrap_or(0).min(NUMBER_BLANKS_MAX);
    for (index, length) in run.iter_mut() {
        *length = (*length + blanks).min(lines[*index].len());
    }
}
