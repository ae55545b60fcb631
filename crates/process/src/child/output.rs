//! Output of a program, with a limit: the beginning and the end are kept, the middle is dropped.

use std::collections::VecDeque;

/// Number of bytes kept of the beginning and of the end. Real benchmarks print a few kB.
pub const KEPT_BYTES: usize = 512 << 10;

/// Text with its middle dropped.
#[derive(Debug, Default)]
pub(super) struct HeadTail {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
}

impl HeadTail {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let to_head = bytes.len().min(KEPT_BYTES - self.head.len());
        self.head.extend_from_slice(&bytes[..to_head]);
        self.tail.extend(&bytes[to_head..]);
        let excess = self.tail.len().saturating_sub(KEPT_BYTES);
        self.tail.drain(..excess);
        self.dropped += excess as u64;
    }

    /// Text with invalid UTF-8 replaced and the gap marked.
    pub(super) fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.dropped > 0 {
            text.push_str(&format!("\n[{} bytes omitted]\n", self.dropped));
        }
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        text.push_str(&String::from_utf8_lossy(&tail));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_is_kept_whole() {
        let mut kept = HeadTail::default();
        kept.push(b"one\n");
        kept.push(b"two\n");
        assert_eq!(kept.text(), "one\ntwo\n");
    }

    #[test]
    fn long_output_keeps_head_and_tail() {
        let mut kept = HeadTail::default();
        kept.push(b"first");
        for _ in 0..40 {
            kept.push(&[b'x'; 64 << 10]);
        }
        kept.push(b"last");
        let text = kept.text();
        assert!(text.starts_with("firstxxx") && text.ends_with("xxxlast"));
        assert!(text.contains(&format!("[{} bytes omitted]", 40 * (64 << 10) + 9 - 2 * KEPT_BYTES)));
        assert!(text.len() < 2 * KEPT_BYTES + 64);
    }
}
