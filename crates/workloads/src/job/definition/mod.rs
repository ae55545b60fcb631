//! Definitions of workloads: a command, how to run it, and where to find its score. They come from the command line or from
//! TOML files ([`file`]).

mod file;

pub(crate) use file::built_in;
pub use file::{DefinitionFile, parse_definitions};

use crate::job::pinning::CpuSelection;
use crate::job::score::ScoreRule;
use machine::{Caller, Root, Trust};
use process::search_path::search_path;
use process::tools::{ToolKind, version_numbers};
use record::{Reading, Variant};
use regex_lite::Regex;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A command to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Name in the Record; scores with the same name and command are compared.
    pub name: String,
    /// Variant; of a plain command its arguments, to tell commands of the same name apart.
    pub variant: Variant,
    /// One sentence: its work and the meaning of its figures.
    pub about: String,
    /// Link to its documentation.
    pub link: String,
    /// Program and arguments, with placeholders ([`Definition::arguments`]).
    pub command: Vec<String>,
    /// Rule for its program and version; `None` for the first word of the command.
    pub program: Option<ProgramRule>,
    /// CPUs.
    pub pinning: CpuSelection,
    /// Whether other CPUs are switched off while it runs, because it starts a thread for each online CPU regardless of
    /// affinity.
    pub others_off: bool,
    /// Repetitions.
    pub repeat: Repeat,
    /// Rule that finds its score.
    pub score: ScoreRule,
    /// Factor that the score is multiplied by.
    pub scale: f64,
    /// Unit of the score.
    pub unit: String,
    /// True if a higher score is better.
    pub higher_is_better: bool,
    /// Limit of one run.
    pub time_limit: Duration,
    /// Expected duration of one run, in seconds, if it is known.
    pub seconds: Option<u64>,
    /// Required memory in MiB.
    pub memory_mib: u64,
    /// Meaning of its score, for the Record.
    pub detail: String,
    /// Message for output without a score; a sentence without its stop.
    pub no_score: Option<String>,
    /// Why its scores cannot be compared.
    pub not_comparable: Option<String>,
    /// File of the definition, if any.
    pub file: Option<PathBuf>,
}

/// Rule that finds a program and its version.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramRule {
    /// Common name.
    pub name: String,
    /// Names of the program in order of preference.
    pub names: Vec<String>,
    /// Regular expression for the version in the output of `--version`. With a group, the version is the name and the
    /// group.
    pub version: String,
    /// Oldest usable version.
    pub oldest: Vec<u32>,
    /// Number of digits of each part of the version in the method, for programs whose scores change with the version.
    pub method_digits: Option<u32>,
    /// True if it needs root.
    pub as_root: bool,
}

/// Number of repetitions of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// A fixed number.
    Times(u32),
    /// Until the median is known within 1 %, within bounds of number and time.
    UntilSteady,
}

/// Method of programs whose scores do not change with their version. Rises when scoring changes.
pub(crate) const METHOD: u32 = 1;
/// Default limit of one run.
const TIME_LIMIT: Duration = Duration::from_secs(3600);

impl Definition {
    /// Definition of a plain command: scored by its run time, on all CPUs, until its median is steady.
    pub fn of_command(command: Vec<String>) -> Self {
        let program = command.first().map_or("", String::as_str);
        let name = program.rsplit('/').next().unwrap_or_default();
        let arguments = command.iter().skip(1).map(|word| quoted(word)).collect::<Vec<_>>();
        Self {
            name: kebab(name),
            variant: arguments.join(" ").into(),
            about: String::new(),
            link: String::new(),
            command,
            program: None,
            pinning: CpuSelection::All,
            others_off: false,
            repeat: Repeat::UntilSteady,
            score: ScoreRule::Time,
            scale: 1.0,
            unit: "s".into(),
            higher_is_better: false,
            time_limit: TIME_LIMIT,
            seconds: None,
            memory_mib: 0,
            detail: String::new(),
            no_score: None,
            not_comparable: None,
            file: None,
        }
    }

    /// Name for `--workload`: `NAME` or `NAME:VARIANT`; the name alone means its first variant.
    pub fn spelling(&self) -> String {
        if self.variant.is_only() { self.name.clone() } else { format!("{}:{}", self.name, self.variant) }
    }

    /// Arguments of its command. `{threads}` is the number of CPUs that it may use, `{half_memory_kib}` half of the
    /// available memory in KiB divided by that number.
    ///
    /// # Errors
    /// The command contains `{half_memory_kib}`, and the available memory is unknown.
    pub fn arguments(&self, threads: u32, available_kib: &Reading<u64>) -> Reading<Vec<String>> {
        const HALF: &str = "{half_memory_kib}";
        let threads = threads.max(1);
        let filled = |word: &String| {
            let word = word.replace("{threads}", &threads.to_string());
            if !word.contains(HALF) {
                return Ok(word);
            }
            let half_kib = available_kib.as_ref().map_err(Clone::clone)? / 2 / u64::from(threads);
            Ok(word.replace(HALF, &half_kib.to_string()))
        };
        self.command.iter().skip(1).map(filled).collect()
    }

    /// Why its program cannot be found for this user, or for this process.
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

    /// Why it must not be run: users other than root and its user can write its file.
    pub fn distrusted(&self, user: Option<&Caller>) -> Option<String> {
        let file = self.file.as_deref().filter(|_| machine::is_root())?;
        let trust = Trust::new(&Root::system(), user.map(|user| user.uid));
        let why = trust.objection(file)?;
        let name = &self.name;
        Some(format!("Root does not run {name} from {} because {why}.", file.display()))
    }

    /// The command line in shell syntax.
    pub fn command_line(&self) -> String {
        command_line(&self.command)
    }
}

impl ProgramRule {
    /// Kind of program; lives as long as the process.
    pub fn kind(&self, is_users: bool) -> &'static ToolKind {
        let words = |words: &[String]| -> &'static [&'static str] {
            words.iter().map(|word| &*word.clone().leak()).collect::<Vec<_>>().leak()
        };
        let (name, version): (&'static str, _) = (self.name.clone().leak(), self.version.clone());
        Box::leak(Box::new(ToolKind {
            name,
            programs: words(&self.names),
            recognise: Box::leak(Box::new(move |text: &str| recognised(name, &version, text))),
            oldest: self.oldest.clone().leak(),
            is_users,
            needs_no_rights: !self.as_root,
            ..ToolKind::PLAIN
        }))
    }

    /// Number that changes when scores stop being comparable: 1506 for version 0.15.6 with two digits for each part.
    pub fn method(&self, version: &str) -> u32 {
        let Some(digits) = self.method_digits else { return METHOD };
        let (base, numbers) = (10_u32.pow(digits), version_numbers(version));
        let part = |index: usize| numbers.get(index).copied().unwrap_or(0).min(base - 1);
        (part(0) * base + part(1)) * base + part(2)
    }
}

/// Version in the output of a program: the name and the first group of a regular expression, or its whole match.
pub(crate) fn recognised(name: &str, version: &str, text: &str) -> Option<String> {
    let found = Regex::new(&format!("(?m){version}")).ok()?.captures(text)?;
    Some(match found.get(1) {
        Some(group) => format!("{name} {}", group.as_str()),
        None => found[0].trim().to_owned(),
    })
}

/// Words of a command in shell syntax.
pub fn command_line(words: &[String]) -> String {
    let quoted = words.iter().map(|word| quoted(word));
    quoted.collect::<Vec<_>>().join(" ")
}

/// A word in shell syntax.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A name as one word of letters, digits, dots and dashes.
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
/// One sentence about its allowed values.
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
