//! Reads a Record from the bytes of any supported file: a result file, a stream, a recording, a log of any version.

use crate::{ForeignFile, TextResult};
use record::{Missing, Record, is_stream, read_stream_within};
use std::borrow::Cow;
use std::fmt;

/// Maximum size of an untrusted file after decompression, in bytes.
pub const FOREIGN_BYTES_MAX: usize = 16 << 20;
/// Maximum size of an untrusted log, in bytes. Logs of the longest runs have a few hundred KiB; text takes longer to
/// parse than JSON.
pub const FOREIGN_LOG_BYTES_MAX: usize = 2 << 20;

/// Reason why a file contains no Record.
#[derive(Debug)]
pub enum UnreadableReason {
    /// The file begins as a stream, but has no complete event.
    Stream(Missing),
    /// The file is a recording without samples.
    NoSamples,
    /// The file is not text, but of a known kind.
    Foreign(&'static ForeignFile),
    /// The file is a log whose lines were joined.
    LostLines,
    /// The file is a log that was read from a picture; contains a number with letters.
    Misread(String),
    /// The file is JSON of another kind.
    Json(serde_json::Error),
    /// The file is a part of a log without a result; contains the board that it names.
    LogPart(Option<String>),
    /// The file is a comparison by this program; contains the names of the files compared.
    Comparison(Vec<String>),
    /// The file is text without results; contains that text.
    NoResults(String),
}

impl fmt::Display for UnreadableReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream(missing) => write!(f, "{missing}"),
            Self::NoSamples => f.write_str("a recording without samples"),
            Self::Foreign(kind) => write!(f, "{}; {}", kind.what, kind.way),
            Self::LostLines => f.write_str("an sbc-bench log that has lost its line ends; pass the original file"),
            Self::Misread(number) => {
                write!(f, "an sbc-bench log with letters in its numbers, such as {number}; ")?;
                f.write_str("pass its text instead of one that was read from a picture")
            }
            Self::Json(error) => write!(f, "JSON but not an sbc-bench result file: {error}"),
            Self::LogPart(board) => {
                let of = board.as_ref().map_or(String::new(), |board| format!(" of {board}"));
                write!(f, "a part of an sbc-bench log{of} that was cut before its first result")
            }
            Self::Comparison(files) => {
                write!(f, "a comparison, which has no results of its own; read the files that it compares: ")?;
                f.write_str(&files.join(", "))
            }
            Self::NoResults(_) => f.write_str("no results: neither an sbc-bench log nor a result file"),
        }
    }
}

/// Decodes the text of a file: UTF-8, or UTF-16, as some shells redirect output, with or without a byte order mark.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    let utf16 = |bytes: &[u8], of: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]])).collect();
        Cow::Owned(String::from_utf16_lossy(&units))
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        _ => match zeros(bytes) {
            (0, 0) => String::from_utf8_lossy(bytes),
            (even, odd) if odd > 4 * even => utf16(bytes, u16::from_le_bytes),
            (even, odd) if even > 4 * odd => utf16(bytes, u16::from_be_bytes),
            _ => String::from_utf8_lossy(bytes),
        },
    }
}

/// Number of zero bytes at even and at odd offsets near the start; none where they are too few for UTF-16.
fn zeros(bytes: &[u8]) -> (usize, usize) {
    const BYTES: usize = 512;
    let start = &bytes[..bytes.len().min(BYTES)];
    let zeros = |from: usize| start.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    if (even + odd) * 4 > start.len() { (even, odd) } else { (0, 0) }
}

/// Reads the Record of a file; of several results the last. A recording gives at most `values_max` sample values.
///
/// # Errors
/// The file contains no Record.
pub fn read(bytes: Vec<u8>, values_max: usize) -> Result<Record, UnreadableReason> {
    let mut results = read_all(bytes, values_max)?;
    results.pop().map(|result| result.record).ok_or_else(|| UnreadableReason::NoResults(String::new()))
}

/// Reads every result of a file, at least one.
///
/// # Errors
/// The file contains no Record.
pub fn read_all(bytes: Vec<u8>, values_max: usize) -> Result<Vec<TextResult>, UnreadableReason> {
    let whole = |record: Record| vec![TextResult { line: 1, record }];
    if is_stream(&bytes) {
        let record = read_stream_within(&bytes, values_max).map_err(UnreadableReason::Stream)?;
        let is_empty = record.run.is_monitoring() && record.samples.at_ms.is_empty();
        return if is_empty { Err(UnreadableReason::NoSamples) } else { Ok(whole(record)) };
    }
    if let Some(kind) = ForeignFile::of_bytes(&bytes) {
        return Err(UnreadableReason::Foreign(kind));
    }
    // Nearly every file is valid UTF-8 without zeros, and validating the whole text at once is much faster.
    let text = match (zeros(&bytes), String::from_utf8(bytes)) {
        ((0, 0), Ok(text)) => text,
        (_, Ok(text)) => self::text(text.as_bytes()).into_owned(),
        (_, Err(broken)) => self::text(broken.as_bytes()).into_owned(),
    };
    if text.trim_start().starts_with('{') {
        match record::from_json(&text) {
            // A result file of another version is not a file of messages.
            Err(_) if !text.contains("\"schema\"") && crate::transfer::strings_of_json(&text).is_some() => {}
            read => return read.map(whole).map_err(UnreadableReason::Json),
        }
    }
    let mut results = crate::read_all(&text);
    if let Some(number) = misread(&results) {
        return Err(UnreadableReason::Misread(number));
    }
    let board = results.first().and_then(|result| result.record.machine.board.known().cloned());
    let is_log = !results.is_empty();
    results.retain(|result| !result.record.steps.is_empty() || !result.record.samples.at_ms.is_empty());
    if results.is_empty() {
        let inner = crate::cleanup::clean(&text);
        return match json_within(&inner).map(record::from_json) {
            Some(record) => record.map(whole).map_err(UnreadableReason::Json),
            None if is_log && has_lost_lines(&text) => Err(UnreadableReason::LostLines),
            None if is_log => Err(UnreadableReason::LogPart(board)),
            None if inner.lines().any(|line| line.trim_end() == COMPARISON_SETTINGS) => {
                Err(UnreadableReason::Comparison(compared(&inner)))
            }
            None => Err(UnreadableReason::NoResults(text)),
        };
    }
    Ok(results)
}

/// True for a text that is much longer than its first lines could be.
fn has_lost_lines(text: &str) -> bool {
    const LINE_BYTES_MAX: usize = 1000;
    text.trim().lines().all(|line| line.len() > LINE_BYTES_MAX)
}

/// An example of the numbers with letters in lines that no reader understood, if they are many: a program that reads
/// pictures takes 0 for O and 1 for l. What such a log has in other lines cannot be trusted either.
fn misread(results: &[TextResult]) -> Option<String> {
    const NUMBERS_MIN: usize = 8;
    let unread = results.iter().filter_map(|result| match &result.record.source {
        record::Source::Log(log) => Some(&log.unread),
        record::Source::Run { .. } => None,
    });
    let is_misread = |word: &&str| {
        let (digits, letters) = word.bytes().fold((0, 0), |(digits, letters), byte| match byte {
            b'0'..=b'9' => (digits + 1, letters),
            b'O' | b'o' | b'l' | b'I' => (digits, letters + 1),
            _ => (digits, usize::from(u16::MAX)),
        });
        digits > 1 && (1..=digits).contains(&letters)
    };
    let words = unread.flatten().flat_map(|line| line.text.split(|c: char| !c.is_ascii_alphanumeric()));
    let misread: Vec<&str> = words.filter(is_misread).take(NUMBERS_MIN).collect();
    (misread.len() == NUMBERS_MIN).then(|| misread[0].to_owned())
}

/// First line of the settings in a comparison.
const COMPARISON_SETTINGS: &str = "Settings that differ:";

/// Files named in the first lines of a comparison: `A  runs/first.json (Board, valid)`.
fn compared(text: &str) -> Vec<String> {
    let lines = text.lines().take_while(|line| line.trim_end() != COMPARISON_SETTINGS);
    let file = |line: &str| {
        let (letter, rest) = line.split_once("  ")?;
        let is_letter = letter.len() == 1 && letter.bytes().all(|letter| letter.is_ascii_uppercase());
        let (file, _) = rest.split_once(" (").filter(|_| is_letter)?;
        Some(file.trim().to_owned())
    };
    lines.filter_map(file).collect()
}

/// Texts of the results in a file and the numbers of their first lines; `None` for a file with at most one result, and
/// for files other than text.
pub fn split(bytes: &[u8]) -> Option<Vec<(u32, String)>> {
    let text = text(bytes);
    if is_stream(bytes) || text.trim_start().starts_with('{') {
        return None;
    }
    let texts = crate::split(&text);
    (texts.len() > 1).then_some(texts)
}

/// The first JSON object of a result file in a text, as in a fenced block.
fn json_within(text: &str) -> Option<&str> {
    let key = text.find("\"schema\"")?;
    let start = text[..key].rfind('{')?;
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<&serde_json::value::RawValue>();
    values.next()?.ok()?;
    Some(&text[start..start + values.byte_offset()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_every_encoding() {
        let expected = "Linux 6.1 (pi)\n20.5°C";
        let units: Vec<u16> = expected.encode_utf16().collect();
        let of = |mark: &[u8], rest: Vec<u8>| [mark, &rest].concat();
        for bytes in [
            expected.into(),
            of(b"\xef\xbb\xbf", expected.into()),
            of(b"\xff\xfe", units.iter().flat_map(|unit| unit.to_le_bytes()).collect()),
            of(b"\xfe\xff", units.iter().flat_map(|unit| unit.to_be_bytes()).collect()),
            of(b"", units.iter().flat_map(|unit| unit.to_le_bytes()).collect()),
            of(b"", units.iter().flat_map(|unit| unit.to_be_bytes()).collect()),
        ] {
            assert_eq!(text(&bytes), expected, "{bytes:?}");
        }
        assert_eq!(text(b"\xff\xfea"), "");
    }

    #[test]
    fn comparison_names_its_files() {
        let text =
            "A  runs/one.json (Board (x), valid)\nB  two.txt (Other, valid)\n\nSettings that differ:\n   board\n";
        let error = read_all(text.into(), 100).unwrap_err();
        assert!(error.to_string().ends_with(": runs/one.json, two.txt"), "{error}");
    }
}
