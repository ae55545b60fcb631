//! Runs every command line of the bash program's documents, and those of the README that change a board, in a shell
//! and checks the documented effect.
//!
//! A row says how its line is shortened: by Ctrl-C, by flags before its words (`--force`, because the machine that
//! runs tests is busy), or by stand-ins for programs that take minutes.

mod monitor;
mod questions;
mod review;
mod stage;
mod standard;

use crate::rig::{Concurrency, board};
use stage::{LineOutcome, play};

/// A line and what must come of it.
#[derive(Clone, Copy)]
struct Row {
    /// As it is printed.
    line: &'static str,
    /// The virtual board.
    board: &'static str,
    /// Boards that may run in parallel.
    company: Concurrency,
    /// Before the words of the program.
    flags: &'static str,
    /// `itself`, seconds until Ctrl-C, or the note after which Ctrl-C comes.
    end: &'static str,
    /// A program that is not installed.
    without: &'static str,
    /// Texts that the output must contain.
    says: &'static [&'static str],
    /// Texts that the output must not contain.
    never: &'static [&'static str],
    /// Exit statuses that are right. On a busy machine the results of a run may be valid or not.
    status: &'static [i32],
}

/// A line that ends by itself on a board without trouble.
const ROW: Row = Row {
    line: "",
    board: "quick",
    company: Concurrency::Others,
    flags: "--force --quiet",
    end: "itself",
    without: "",
    says: &[],
    never: &["panicked", "was not restored"],
    status: &[0],
};

/// A line that ends by itself and measures nothing.
const LOOK: Row = Row { flags: "--quiet", ..ROW };

/// A line that measures.
const RUN: Row = Row { status: &[0, 2, 3], ..ROW };

/// Plays rows, several at a time, and checks each.
fn check(rows: &[Row]) {
    if board(rows[0].board).is_none() {
        return testkit::was_skipped();
    }
    std::thread::scope(|scope| {
        for row in rows {
            scope.spawn(|| checked(row));
        }
    });
}

/// Runs and checks a row. Returns its outcome; `None` where no board can run.
fn checked(row: &Row) -> Option<LineOutcome> {
    let left = play(row)?;
    let (line, all) = (row.line, left.all());
    let is_expected = row.status.contains(&left.status);
    assert!(is_expected, "{line} ended with {}\n{all}", left.status);
    for words in row.says {
        assert!(all.contains(words), "{line} does not say {words:?}\n{all}");
    }
    for words in row.never.iter().chain(ROW.never) {
        assert!(!all.contains(words), "{line} says {words:?}\n{all}");
    }
    left.check_left(line);
    Some(left)
}
