//! Names of trees and cgroups of boards.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// Prefix of all trees and cgroups, followed by the process id and a number, because a process can have several boards.
const PREFIX: &str = "board-of-test-";

/// Unique name for a board.
pub(super) fn name() -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    format!("{PREFIX}{}-{number}", std::process::id())
}

/// True for the name of a board whose process has ended.
pub(super) fn is_left_over(name: &str) -> bool {
    let process = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next());
    process.is_some_and(|process| !Path::new("/proc").join(process).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_of_one_process_have_their_own_names() {
        let names = [name(), name()];
        assert_ne!(names[0], names[1]);
        for (name, expected) in [
            (names[0].as_str(), false),
            ("board-of-test-4000000-0", true),
            ("board-of-test-4000000", true),
            ("another", false),
        ] {
            assert_eq!(is_left_over(name), expected, "{name}");
        }
    }
}
