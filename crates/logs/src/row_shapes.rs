//! Shapes of rows that begin a line of a log; other lines may continue a wrapped one.

use super::posts::is_mark;
use super::sections;

/// True for a text that begins a line of a log, so that it does not continue the line above.
pub(crate) fn begins_a_line(text: &str) -> bool {
    let trimmed = text.trim_start();
    let has_label = trimmed.split_once(':').is_some_and(|(label, rest)| {
        let is_label =
            label.len() < 30 && !label.starts_with(|c: char| c.is_lowercase()) && !label.contains([',', ';']);
        is_label && (rest.is_empty() || rest.starts_with([' ', '\t']))
    });
    trimmed.starts_with(['*', '|', '#']) || has_label || is_row(text) || is_column_row(trimmed)
}

/// True for a row of a table with a name in its first column: `aes-128-cbc     140890.64k   436009.94k`.
fn is_column_row(text: &str) -> bool {
    let is_name = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains(' ');
    text.split_once("   ")
        .is_some_and(|(name, columns)| is_name(name) && columns.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

/// True for a row of `ramlat` (`4k: 1.081 1.083`) or of the CPU topology (`0        0        4`), without its indentation.
fn is_numbered_row(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_size = rest.strip_prefix(['k', 'M']).is_some_and(|rest| rest.starts_with(": "));
    let is_column = text.len() - rest.len() < 5
        && rest.starts_with("   ")
        && rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && (is_size || is_column)
}

/// True for a line of `dmesg`: `[ 3857.470845] scsi host1`.
fn is_kernel_message(text: &str) -> bool {
    let time = text.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map(|(time, _)| time.trim_start());
    time.and_then(|time| time.split_once('.')).is_some_and(|(seconds, fraction)| {
        fraction.len() == 6 && seconds.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit())
    })
}

/// True for a heading or a row of a table, which continues no line wherever it was wrapped.
pub(crate) fn is_row(text: &str) -> bool {
    const LABELS: [&str; 16] = [
        "---",
        "==",
        "[19",
        "[20",
        "type ",
        "aes-",
        "OpenSSL ",
        "Avr:",
        "Tot:",
        "Dict ",
        "Speed ",
        "KiB/s",
        "Mem:",
        "Swap:",
        "RAM size:",
        "RAM usage:",
    ];
    let blanks = text.len() - text.trim_start().len();
    let text = text.trim_start();
    let is_number = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.splitn(4, ':');
    let numbers = parts.by_ref().take_while(|part| is_number(part)).count();
    // A row of 7-zip, and one of monitoring.
    numbers == 1 && text.get(2..).is_some_and(|rest| rest.starts_with(": "))
        || numbers == 3 && text.as_bytes().get(8) == Some(&b':')
        || text.contains(" : ")
        || blanks > 0 && is_numbered_row(text)
        || text.starts_with("* ")
        || is_kernel_message(text)
        || LABELS.iter().any(|label| text.starts_with(label))
        || sections::is_heading(text)
        || sections::is_separator(text)
        || is_mark(text)
}
