//! Decodes texts that programs have encoded as a whole: mail, JSON, addresses, UTF-8 that was read as Windows-1252.
//!
//! Mail and addresses are tried only where a reading lacks something, because plain text may look encoded in places.

use super::posts;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine, alphabet};
use serde_json::{Deserializer, Value};

/// Maximum size of an encoded text, in bytes. Logs have up to a few hundred KiB.
const BYTES_MAX: usize = 4 << 20;
/// Minimum length of lines of base64 in bytes, except for the last one.
const BASE64_LINE_BYTES: usize = 60;

/// The decoded text; `None` if it is not encoded in a known way.
pub(super) fn decoded(text: &str) -> Option<String> {
    if text.len() > BYTES_MAX {
        return None;
    }
    [quoted_printable, base64, percent].iter().find_map(|decode| decode(text))
}

/// Replaces each escape character with its two hexadecimal digits by the byte that they stand for.
fn unescaped(text: &str, escape: u8) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = after.get(..2).filter(|_| *first == escape).and_then(hex);
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

fn hex(digits: &[u8]) -> Option<u8> {
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    u8::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| is_hex)?, 16).ok()
}

/// Quoted-printable (RFC 2045, 6.7): nearly every `=` stands for an escape or ends a wrapped line.
fn quoted_printable(text: &str) -> Option<String> {
    let escapes = || text.match_indices('=').map(|(at, _)| &text.as_bytes()[at + 1..]);
    let is_used =
        |rest: &&[u8]| rest.starts_with(b"\n") || rest.starts_with(b"\r\n") || rest.get(..2).and_then(hex).is_some();
    let count = escapes().filter(is_used).count();
    (count > 2 && count * 10 > escapes().count() * 8)
        .then(|| unescaped(&text.replace("=\r\n", "").replace("=\n", ""), b'='))?
}

/// Base64 (RFC 2045, 6.8) of a text, alone or below the headers of a mail.
fn base64(text: &str) -> Option<String> {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let is_encoded = |line: &&str| line.bytes().all(|byte| is_digit(&byte));
    let mut lines =
        text.lines().map(str::trim_ascii).skip_while(|line| line.len() < BASE64_LINE_BYTES || !is_encoded(line));
    let digits: String = lines.by_ref().take_while(|line| !line.is_empty() && is_encoded(line)).collect();
    let digits = digits.split('=').next()?;
    // A text that was cut ends anywhere in its last group of four digits; a single digit is not a byte.
    let whole = digits.len() - usize::from(digits.len() % 4 == 1);
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true);
    let bytes = GeneralPurpose::new(&alphabet::STANDARD, config).decode(&digits[..whole]).ok()?;
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
}

/// Percent-encoding (RFC 3986, 2.1), which has no blanks and line ends of its own.
fn percent(text: &str) -> Option<String> {
    (text.trim().lines().count() == 1 && text.matches("%0A").count() > 2).then(|| unescaped(text, b'%'))?
}

/// Texts in JSON values, one a line, such as messages of a container or a page of a pastebin; `None` if no line is of a log.
pub(super) fn strings_of_json(text: &str) -> Option<String> {
    const KEYS: [&str; 7] = ["body", "content", "line", "log", "message", "MESSAGE", "text"];
    if text.len() > BYTES_MAX || !text.trim_start().starts_with(['{', '[', '"']) {
        return None;
    }
    let mut found = String::new();
    for value in Deserializer::from_str(text).into_iter::<Value>() {
        let mut waiting = match value {
            Ok(value) => vec![value],
            Err(error) if error.is_eof() => break,
            // Lines in quotation marks.
            Err(_) => return None,
        };
        while let Some(value) = waiting.pop() {
            match value {
                Value::String(string) => {
                    found.push_str(&string);
                    found.push_str(if string.ends_with('\n') { "" } else { "\n" });
                }
                Value::Array(values) => waiting.extend(values.into_iter().rev()),
                Value::Object(fields) => {
                    let is_text = |(key, value): &(String, Value)| !value.is_string() || KEYS.contains(&key.as_str());
                    waiting.extend(fields.into_iter().filter(is_text).rev().map(|(_, value)| value));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }
    found.lines().any(posts::is_mark).then_some(found)
}

/// UTF-8 whose bytes were taken for characters of Windows-1252: `Â°` for `°`.
pub(super) fn windows_1252(text: &str) -> Option<String> {
    /// Characters 0x80 to 0x9f; those without one keep their number.
    const HIGH: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
    if !text.contains('Â') {
        return None;
    }
    let byte = |character: char| {
        let of_high = || HIGH.chars().zip(0x80..).find(|(high, _)| *high == character).map(|(_, byte)| byte);
        u8::try_from(character).ok().or_else(of_high)
    };
    let bytes: Option<Vec<u8>> = text.chars().map(byte).collect();
    String::from_utf8(bytes?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_is_undone() {
        for (encoded, expected) in [
            ("a=3Db=C2=\n=B0C=\r\nd", Some("a=b°Cd")),
            ("a = b, c =3D d", None),
            ("%31%0A2%0A3%0A%C2%B0", Some("1\n2\n3\n°")),
            (
                "To: a\n\nYWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5\nemFiwrBD\n\n--",
                Some("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzab°C"),
            ),
            (
                "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5\nemFiY",
                Some("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzab"),
            ),
        ] {
            assert_eq!(decoded(encoded).as_deref(), expected, "{encoded}");
        }
        for (encoded, expected) in [
            ("{\"log\":\"7-zip total scores\\n\",\"time\":\"1\"}\n{\"log\":\"a\"}", Some("7-zip total scores\na\n")),
            ("\"Distributor ID: a\\nb\"", Some("Distributor ID: a\nb\n")),
            ("[\"text\", 1]", None),
            ("\"Distributor ID: a\"\n\"\tb\"", None),
        ] {
            assert_eq!(strings_of_json(encoded).as_deref(), expected, "{encoded}");
        }
        assert_eq!(windows_1252("20Â°C â€¦").as_deref(), Some("20°C …"));
        assert_eq!((windows_1252("20°C"), windows_1252("Â ° 中")), (None, None));
    }

    proptest::proptest! {
        #[test]
        fn decoded_never_panics(text in "([={\\[\"%][0-9A-F]{0,3}|[A-Za-z+/]{60}|=\n|Â|â€|\\PC|\n){0,40}") {
            let _ = (decoded(&text), strings_of_json(&text), windows_1252(&text));
        }
    }
}
