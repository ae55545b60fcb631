//! Modification times of a machine's files.

use super::tree::{Root, Tree};
use std::os::unix::fs::MetadataExt;

impl Root {
    /// Modification time of a file in UTC milliseconds since 1970; `None` for a board file, which does not contain it.
    pub fn written_utc_ms(&self, path: &str) -> Option<i64> {
        let Tree::Directory(_) = &*self.tree else { return None };
        let meta = std::fs::symlink_metadata(self.real(path)).ok()?;
        Some(meta.mtime().saturating_mul(1000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_has_a_time_and_a_board_has_none() {
        let written = Root::system().written_utc_ms("/proc/self/stat");
        assert!(written.is_some_and(|ms| ms > 0));
        assert_eq!(Root::system().written_utc_ms("/none"), None);
        let board = Root::from_board("== /proc/self/stat\nx\n").unwrap();
        assert_eq!(board.written_utc_ms("/proc/self/stat"), None);
    }
}
