//! Removes decoration of each line: quotation marks, line numbers, and any frame that all lines have.

use super::posts;

/// The text without one kind of prefix; `None` for text without prefixes.
pub(super) fn without(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let filled: Vec<&str> = lines.iter().copied().filter(|line| !line.trim_ascii_start().is_empty()).collect();
    without_quotation(text, &filled).or_else(|| without_frame(text, &filled)).or_else(|| without_numbers(text, &lines))
}

/// The text without quotation marks, which some lines may lack: no line of a log begins with one.
fn without_quotation(text: &str, lines: &[&str]) -> Option<String> {
    let with = || lines.iter().filter_map(|line| Some(&line[quotation(line)?..]));
    let count = with().count();
    let is_used = count > 0 && (count * 2 >= lines.len() || with().any(posts::is_mark));
    is_used.then(|| map_lines(text, |line| &line[quotation(line).unwrap_or(0)..]))
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

/// Frame around each line: `Apr 30 12:17:29 host sbc-bench[1234]: `, `log.txt:12:`, `+`, `│ `, or `"` on both
/// sides. Digits stand for any number.
struct Frame<'t> {
    begin: &'t str,
    has_blank: bool,
    end: Option<char>,
}

/// The text without its frame. Nearly every line must have it.
fn without_frame(text: &str, lines: &[&str]) -> Option<String> {
    // Rows of the results list end with a bar as well.
    const ENDS: [(&str, char); 3] = [("\"", '"'), ("|", '|'), ("", '$')];
    let are_most = |count: usize| count > 1 && count * 10 >= lines.len() * 9;
    let begin = begin_of_most(lines, &are_most).unwrap_or_default();
    let is_end = |end: char| are_most(lines.iter().filter(|line| line.ends_with(end)).count());
    let end = ENDS.iter().find(|(of, end)| *of == begin && is_end(*end)).map(|(_, end)| *end);
    if begin.is_empty() && end.is_none() {
        return None;
    }
    let mut texts = lines.iter().filter_map(|line| Some(&line[framed(begin, line)?..])).filter(|text| !text.is_empty());
    let frame = Frame { begin, has_blank: !begin.is_empty() && texts.all(|text| text.starts_with(' ')), end };
    let plain = map_lines(text, |line| frame.inner(line));
    // `cat -A` also shows tabs.
    Some(if end == Some('$') { plain.replace("^I", "\t") } else { plain })
}

/// Prefix of the lines of a log, if nearly every line has it.
fn begin_of_most<'t>(lines: &[&'t str], are_most: &dyn Fn(usize) -> bool) -> Option<&'t str> {
    const LINES_WITH_MARKS: usize = 3;
    // Nearly no text passes this: one look at each line. A single line has no frame that it could share.
    let mut counts = [0_usize; 256];
    for line in lines {
        let first = line.as_bytes()[0];
        counts[usize::from(if first.is_ascii_digit() { b'0' } else { first })] += 1;
    }
    let (first, count) = counts.into_iter().enumerate().max_by_key(|(_, count)| *count)?;
    if !are_most(count) || first == usize::from(b' ') || first == usize::from(b'\t') {
        return None;
    }
    let begins = lines.iter().filter_map(|line| Some(line[..posts::mark_within(line)?].trim_ascii_end()));
    let mut begins = begins.filter(|begin| !begin.is_empty()).take(LINES_WITH_MARKS);
    begins.find(|begin| are_most(lines.iter().filter(|line| framed(begin, line).is_some()).count()))
}

/// Length of the beginning at the start of a line, with other numbers and other blanks.
fn framed(begin: &str, line: &str) -> Option<usize> {
    let (mut begin, mut rest) = (begin, line);
    while let Some(first) = begin.chars().next() {
        let is_alike = |c: char| if first == ' ' { c == ' ' } else { c.is_ascii_digit() };
        if first == ' ' || first.is_ascii_digit() {
            let after = rest.trim_start_matches(is_alike);
            if after.len() == rest.len() {
                return None;
            }
            (begin, rest) = (begin.trim_start_matches(is_alike), after);
        } else {
            (begin, rest) = (&begin[first.len_utf8()..], rest.strip_prefix(first)?);
        }
    }
    Some(line.len() - rest.len())
}

impl Frame<'_> {
    fn inner<'t>(&self, line: &'t str) -> &'t str {
        let Some(length) = framed(self.begin, line) else { return line };
        let text = &line[length..];
        let text = text.strip_prefix(' ').filter(|_| self.has_blank).unwrap_or(text);
        self.end.and_then(|end| text.strip_suffix(end)).unwrap_or(text)
    }
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
