//! Workloads that users define: one command, how to run it, and where its score stands. From the
//! command line or from TOML files ([`file`]); both end in the same [`Definition`]. Nothing is run here.

mod file;

pub use file::{DefinitionFile, parse_definitions};

use crate::job::pinning::CpuSelection;
use crate::job::score::ScoreRule;
use machine::{Caller, Root, Trust};
use process::search_path::search_path;
use record::Variant;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A program that is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its name in the Record; scores of equal name and command are compared.
    pub name: String,
    /// Arguments of a plain command, which distinguish it from others with the same name.
    pub variant: Variant,
    /// Program and arguments.
    pub command: Vec<String>,
    /// CPUs.
    pub pinning: CpuSelection,
    /// All other CPUs are switched off while it runs: it starts a thread for each CPU that is online,
    /// wherever it is pinned to.
    pub others_off: bool,
    /// Repetitions.
    pub repeat: Repeat,
    /// Rule that finds its score.
    pub score: ScoreRule,
    /// Unit of the score.
    pub unit: String,
    /// True if a higher score is better.
    pub higher_is_better: bool,
    /// It is killed when one run takes longer.
    pub time_limit: Duration,
    /// The file that it was read from, if it was.
    pub file: Option<PathBuf>,
}

/// Number of repetitions of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// A fixed number.
    Times(u32),
    /// Until the median is known within 1 %, within bounds of number and time.
    UntilSteady,
}

/// Limit of one run where none is given.
const TIME_LIMIT: Duration = Duration::from_secs(3600);

impl Definition {
    /// A command that is scored by its time, run on all CPUs until its median is steady.
    pub fn of_command(command: Vec<String>) -> Self {
        let program = command.first().map_or("", String::as_str);
        let name = program.rsplit('/').next().unwrap_or_default();
        let arguments = command.iter().skip(1).map(|word| quoted(word)).collect::<Vec<_>>();
        Self {
            name: kebab(name),
            variant: arguments.join(" ").into(),
            command,
            pinning: CpuSelection::All,
            others_off: false,
            repeat: Repeat::UntilSteady,
            score: ScoreRule::Time,
            unit: "s".into(),
            higher_is_better: false,
            time_limit: TIME_LIMIT,
            file: None,
        }
    }

    /// Why its program cannot be run with the rights of this user, or those of this process, as far as that
    /// shows without running it.
    pub fn missing_program(&self, user: Option<&Caller>) -> Option<String> {
        let program = self.command.first().map_or("", String::as_str);
        let on_path = || match (user, std::env::var_os("PATH")) {
            (Some(_), Some(path)) => std::env::split_paths(&path).any(|d| d.join(program).is_file()),
            (Some(_), None) => false,
            (None, _) => search_path().program(program).is_some(),
        };
        let is_there = if program.contains('/') { Path::new(program).is_file() } else { on_path() };
        (!is_there).then(|| match search_path().why_ignored(program) {
            Some(why) if user.is_none() => format!("Program {program} not found: {why}."),
            _ => format!("Program {program} not found."),
        })
    }

    /// Why it must not be run: others than root, and than the user whose rights it gets, can write its file.
    pub fn distrusted(&self, user: Option<&Caller>) -> Option<String> {
        let file = self.file.as_deref().filter(|_| machine::is_root())?;
        let trust = Trust::new(&Root::system(), user.map(|user| user.uid));
        let why = trust.objection(file)?;
        let name = &self.name;
        Some(format!("Root does not run {name} from {} because {why}.", file.display()))
    }

    /// The command line as one would type it.
    pub fn command_line(&self) -> String {
        command_line(&self.command)
    }
}

/// Words of a command as one would type them.
pub fn command_line(words: &[String]) -> String {
    let quoted = words.iter().map(|word| quoted(word));
    quoted.collect::<Vec<_>>().join(" ")
}

/// A word as the shell would take it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Names are one word in every table: letters, digits, dots and dashes.
fn kebab(name: &str) -> String {
    let keep = |c: char| if c.is_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = name.chars().map(keep).collect();
    match name.trim_matches('-') {
        "" => "command".into(),
        name => name.to_owned(),
    }
}

/// `auto` or a number from 1 to 10000.
///
/// # Errors
/// One sentence about what it may be.
pub fn parse_repeat(text: &str) -> Result<Repeat, String> {
    match (text, text.parse()) {
        ("auto", _) => Ok(Repeat::UntilSteady),
        (_, Ok(times @ 1..=10_000)) => Ok(Repeat::Times(times)),
        _ => Err(format!("repeat must be auto or 1 to 10000, not {text:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_lookup() {
        for (program, is_there) in [("sh", true), ("/bin/sh", true), ("/bin", false), ("./sh", false), ("", false)] {
            let lacks = Definition::of_command(vec![program.to_owned()]).missing_program(None);
            assert_eq!(lacks.is_none(), is_there, "{program}: {lacks:?}");
        }
    }

    #[test]
    fn command_has_a_name_and_a_line() {
        for (words, name, line) in [
            (&["/usr/bin/make", "-j4"][..], "make", "/usr/bin/make -j4"),
            (&["./a b", "it's", ""], "a-b", r"'./a b' 'it'\''s' ''"),
            (&["//"], "command", "//"),
        ] {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            let definition = Definition::of_command(words);
            assert_eq!((definition.name.as_str(), definition.command_line().as_str()), (name, line));
        }
    }
}
