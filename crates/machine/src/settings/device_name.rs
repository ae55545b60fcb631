//! Name of a device in a class of sysfs, validated so that a path with it cannot lead elsewhere.

use std::fmt;

/// Maximum length in bytes; sysfs names are shorter.
const BYTES_MAX: usize = 64;

/// Device name; `Copy`, so that nodes are as well.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DeviceName {
    bytes: [u8; BYTES_MAX],
    length: usize,
}

impl DeviceName {
    /// Validates a name: printable ASCII without a slash, not beginning with a dot.
    pub fn new(name: &str) -> Option<Self> {
        let is_name = |byte: u8| byte.is_ascii_graphic() && byte != b'/';
        let fits = (1..=BYTES_MAX).contains(&name.len()) && name.bytes().all(is_name);
        if !fits || name.starts_with('.') {
            return None;
        }
        let mut bytes = [0; BYTES_MAX];
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        Some(Self { bytes, length: name.len() })
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        // The bytes are ASCII.
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

impl fmt::Debug for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_escape_directory() {
        for name in ["dmc", "fb000000.gpu", "soc:bus_wcore", "memory-controller-0"] {
            assert_eq!(DeviceName::new(name).unwrap().as_str(), name);
        }
        let long = "x".repeat(65);
        for name in ["", ".", "..", "../x", "a/b", "a b", "ä", "\u{1b}", long.as_str()] {
            assert!(DeviceName::new(name).is_none(), "{name:?}");
        }
    }
}
