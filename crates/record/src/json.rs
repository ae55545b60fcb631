//! JSON as one of our types. Every way over which `serde_json` reads (text, bytes, files, values) compiles the reader of
//! every type of a Record once more, so that all JSON is read as text.

use serde::de::{DeserializeOwned, Error};
use serde_json::Value;

/// Reads the bytes of a file.
///
/// # Errors
/// They are no UTF-8, no JSON, or something else.
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_str(std::str::from_utf8(bytes).map_err(Error::custom)?)
}

/// Reads a part of a file that was read before.
///
/// # Errors
/// It is something else.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    serde_json::from_str(&value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert_eq!(from_bytes::<String>(b"\"\xc3\xa9\"").unwrap(), "\u{e9}");
        assert!(from_bytes::<String>(b"\"\xc3\"").is_err());
        assert_eq!(from_value::<Vec<u32>>(&serde_json::json!([1, 2])).unwrap(), [1, 2]);
    }
}
