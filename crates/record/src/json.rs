//! JSON as one of our types. Each input type of `serde_json` (text, bytes, files, values) instantiates the deserialiser
//! of all types of a Record again, so all JSON is read as text.

use serde::de::{DeserializeOwned, Error};
use serde_json::Value;

/// Parses the bytes of a file.
///
/// # Errors
/// The bytes are not UTF-8, not JSON, or of another type.
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_str(std::str::from_utf8(bytes).map_err(Error::custom)?)
}

/// Converts a part of parsed JSON.
///
/// # Errors
/// The value is of another type.
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
