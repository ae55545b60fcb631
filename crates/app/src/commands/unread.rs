//! Files that are skipped because they cannot be read.

use console::read::NoResults;
use console::{output, status};

/// Skipped files of one command. Other texts of a directory are counted and noted once at the end.
#[derive(Default)]
pub(super) struct Unread {
    /// Names of texts without results.
    others: Vec<String>,
    is_failure: bool,
}

impl Unread {
    /// Skips a file. Notes the error of a file that the user names or that is damaged.
    pub(super) fn add(&mut self, name: &str, is_named: bool, error: &anyhow::Error) {
        if !is_named && error.is::<NoResults>() {
            self.others.push(name.to_owned());
            return;
        }
        self.is_failure = true;
        output::note(&format!("Skipped: {error:#}"));
    }

    /// Notes the texts without results. Returns 0, or failure if another file could not be read.
    pub(super) fn end(self) -> u8 {
        if let [first, rest @ ..] = &self.others[..] {
            let and = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            output::note(&format!("Skipped: {first}{and}: no results in it."));
        }
        if self.is_failure { status::FAILURE } else { 0 }
    }
}
