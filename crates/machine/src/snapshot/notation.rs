//! Writer of the board file format. `root` describes and reads it.

use std::fmt::Write;

/// Name of an error in a board file. Others are omitted, which reads as absent.
pub(super) fn error_name(errno: i32) -> Option<&'static str> {
    identify::ERRORS.iter().find(|(_, known)| *known == errno).map(|(name, _)| *name)
}

/// Escapes content for a board file (see `root`).
pub(super) fn escape(bytes: &[u8], out: &mut String) {
    if bytes.is_empty() {
        return;
    }
    let ended = bytes.last() == Some(&b'\n');
    let lines = bytes[..bytes.len() - usize::from(ended)].split(|byte| *byte == b'\n');
    for line in lines {
        let start = out.len();
        for chunk in line.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\\' => out.push_str("\\\\"),
                    '\0' => out.push_str("\\0"),
                    // A leading equals sign could look like the next entry.
                    '=' if out.len() == start => out.push_str("\\="),
                    '\t' => out.push('\t'),
                    c if c.is_ascii_control() => {
                        let _ = write!(out, "\\x{:02x}", u32::from(c));
                    }
                    c => out.push(c),
                }
            }
            for byte in chunk.invalid() {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
        out.push('\n');
    }
    if !ended {
        out.push_str("\\\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Root;

    proptest::proptest! {
        #[test]
        fn content_round_trip(bytes: Vec<u8>) {
            let mut text = "== /x\n".to_owned();
            escape(&bytes, &mut text);
            let root = Root::from_board(&text).unwrap();
            proptest::prop_assert_eq!(root.read_bytes("/x").unwrap(), bytes);
        }

        #[test]
        fn text_round_trip(text in "([=\\\\\r\n\t x]|\\PC){0,40}") {
            let mut board = "== /x\n".to_owned();
            escape(text.as_bytes(), &mut board);
            let root = Root::from_board(&board).unwrap();
            proptest::prop_assert_eq!(root.read("/x").unwrap(), text);
        }
    }
}
