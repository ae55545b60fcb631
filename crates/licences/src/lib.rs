//! Notices of everything that is linked into or embedded in what is handed out: crates, fonts, reference data, C library.
//! `cargo xtask licences` makes the text, and `tidy` refuses one that lacks a linked crate.

#![forbid(unsafe_code)]

use flate2::read::DeflateDecoder;
use std::io::Read;

/// The text as RFC 1951 packs it.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/third-party.deflate"));

/// Licences of sbc-bench, and notices of its contents.
pub fn text() -> String {
    let mut text = String::new();
    // The build packed it, and reading from memory cannot fail.
    let _ = DeflateDecoder::new(PACKED).read_to_string(&mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_what_is_embedded_and_is_small() {
        let text = text();
        for needed in ["Bitstream, Inc.", "Thomas Kaiser", "Rich Felker", "The Rust Project", "LESSER GENERAL PUBLIC"] {
            assert!(text.contains(needed), "{needed}");
        }
        assert!(PACKED.len() < 60_000, "{} bytes", PACKED.len());
    }
}
