//! Reads a Record from the bytes of any supported file: a result file, a stream, a recording, a log of any version.

use record::{Missing, Record, is_stream, read_stream_within, without_colours};
use std::borrow::Cow;
use std::fmt;

/// Maximum size of an untrusted file after decompression, in bytes.
pub const FOREIGN_BYTES_MAX: usize = 16 << 20;
/// Maximum size of an untrusted log, in bytes. Logs of the longest runs have a few hundred KiB; text takes longer to
/// parse than JSON.
pub const FOREIGN_LOG_BYTES_MAX: usize = 2 << 20;

/// Reason why a file contains no Record.
#[derive(Debug)]
pub enum Unreadable {
    /// The file is compressed by this program.
    Packed(&'static str),
    /// The file begins as a stream, but has no complete event.
    Stream(Missing),
    /// The file is a recording without samples.
    NoSamples,
    /// The file is JSON of another kind.
    Json(serde_json::Error),
    /// The file is text without results; contains that text.
    NoResults(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packed(packer) => write!(f, "compressed by {packer}"),
            Self::Stream(missing) => write!(f, "{missing}"),
            Self::NoSamples => f.write_str("a recording without samples"),
            Self::Json(error) => write!(f, "JSON but not an sbc-bench result file: {error}"),
            Self::NoResults(_) => f.write_str("no results: neither an sbc-bench log nor a result file"),
        }
    }
}

/// Magic bytes of compressed files.
const PACKED: [(&[u8], &str); 3] = [(b"\x1f\x8b", "gzip"), (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd")];

/// Name of the program that compressed these bytes, if known.
pub fn packer(bytes: &[u8]) -> Option<&'static str> {
    PACKED.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, packer)| *packer)
}

/// Decodes the text of a file: UTF-8, or UTF-16 with a byte order mark, as some shells redirect output.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    let units = |of: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| of([pair[0], pair[1]])).collect();
        Cow::Owned(String::from_utf16_lossy(&units))
    };
    match bytes {
        [0xff, 0xfe, ..] => units(u16::from_le_bytes),
        [0xfe, 0xff, ..] => units(u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        _ => String::from_utf8_lossy(bytes),
    }
}

/// Reads the Record of a file. A recording gives at most `values_max` sample values.
///
/// # Errors
/// The file contains no Record.
pub fn read(bytes: Vec<u8>, values_max: usize) -> Result<Record, Unreadable> {
    if let Some(packer) = packer(&bytes) {
        return Err(Unreadable::Packed(packer));
    }
    if is_stream(&bytes) {
        let record = read_stream_within(&bytes, values_max).map_err(Unreadable::Stream)?;
        let is_empty = record.run.is_monitoring() && record.samples.at_ms.is_empty();
        return if is_empty { Err(Unreadable::NoSamples) } else { Ok(record) };
    }
    // Nearly every file is valid UTF-8, and validating the whole text at once is much faster.
    let text = String::from_utf8(bytes).unwrap_or_else(|broken| text(broken.as_bytes()).into_owned());
    let text = copied(text);
    if text.trim_start().starts_with('{') {
        return record::from_json(&text).map_err(Unreadable::Json);
    }
    let record = crate::read(&text);
    let is_empty = record.steps.is_empty() && record.samples.at_ms.is_empty();
    if is_empty { Err(Unreadable::NoResults(text)) } else { Ok(record) }
}

/// Maximum depth of quotation.
const QUOTATIONS_MAX: usize = 4;

/// Restores the text as the program wrote it: removes terminal colours (`ESC [ ... m`) and the `>` of a quotation,
/// which begins each non-empty line.
fn copied(text: String) -> String {
    let plain = match without_colours(&text) {
        Cow::Owned(plain) => Some(plain),
        Cow::Borrowed(_) => None,
    };
    let mut text = plain.unwrap_or(text);
    for _ in 0..QUOTATIONS_MAX {
        if !text.starts_with('>') {
            break;
        }
        let unquoted: Option<Vec<&str>> = text
            .lines()
            .map(|line| match line.strip_prefix('>') {
                Some(rest) => Some(rest.strip_prefix(' ').unwrap_or(rest)),
                None => line.trim().is_empty().then_some(line),
            })
            .collect();
        let Some(lines) = unquoted else { break };
        text = lines.join("\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_quotation_marks_are_no_part_of_a_text() {
        for (shown, written) in [
            ("> a\n>\n\n> > b\n", "a\n\n\n> b"),
            (">> a\n>> b", "a\nb"),
            ("> a\nb", "> a\nb"),
            ("\u{1b}[1;31ma\u{1b}[0m b\u{1b}[K\u{1b}", "a b"),
            ("\u{1b}[5n\u{1b}[", "[5n["),
        ] {
            assert_eq!(copied(shown.to_owned()), written, "{shown:?}");
        }
    }

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
        ] {
            assert_eq!(text(&bytes), expected, "{bytes:?}");
        }
        assert_eq!(text(b"\xff\xfea"), "");
    }
}
