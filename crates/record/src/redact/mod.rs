//! Blanks what belongs to a person and not to a kind of machine: host and user names, addresses, serial
//! numbers, identifiers of disks and installations, labels, keys and the words of users' own commands. Only the value
//! goes, the shape stays, so that everything else stays in its place.
//!
//! What is the same stays the same: the second address of a text is told from the first by its last digit. Pure text
//! in, text out; where the texts come from is the caller's affair.

mod addresses;
mod entry;
mod kernel;
mod known;
mod learn;
mod named;
mod names;
mod shapes;
#[cfg(test)]
mod tests;
mod words;

use crate::Total;
use std::collections::{BTreeMap, HashSet};

/// Stands for everything that has no shape to keep.
pub const BLANK: &str = "redacted";

/// What kind of thing was blanked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Addresses of networks: MAC, IPv4, IPv6.
    Address,
    /// UUIDs and long hexadecimal numbers: of file systems, partitions, installations, containers, boots.
    Identifier,
    /// Serial numbers.
    Serial,
    /// Names of the host, and of hosts on which something was built.
    HostName,
    /// Names of users.
    UserName,
    /// Names that people gave to disks and folders.
    Label,
    /// Values of the kernel's and the firmware's options that nobody reads.
    Option,
    /// Passwords and keys of licences.
    Key,
    /// Words of a command of the user's own, and what it printed.
    Command,
}

impl Kind {
    /// In words: several of them.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Address => "addresses",
            Kind::Identifier => "identifiers",
            Kind::Serial => "serial numbers",
            Kind::HostName => "host names",
            Kind::UserName => "user names",
            Kind::Label => "labels and directories",
            Kind::Option => "option values",
            Kind::Key => "passwords and keys",
            Kind::Command => "commands and their output",
        }
    }
}

/// Blanks texts, and remembers what it has met.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    counts: BTreeMap<Kind, u32>,
    /// What was met, in small letters, with its number.
    met: BTreeMap<String, usize>,
    /// Words that are blanked wherever they stand.
    known: BTreeMap<String, Kind>,
    /// The same of several words.
    phrases: Vec<(String, Kind)>,
    /// Names of the machine's kind, in small letters.
    makers: String,
    /// Lines that hold nothing private by what is known now.
    plain: HashSet<String>,
}

/// Longer lines are not remembered as plain, nor more of them: a text may have millions.
const PLAIN_BYTES_MAX: usize = 256;
const PLAIN_LINES_MAX: usize = 8_192;

impl Redactor {
    /// What was blanked, and how often.
    pub fn counts(&self) -> &BTreeMap<Kind, u32> {
        &self.counts
    }

    /// Any text: names that stand anywhere in it are learnt first, then everything is blanked line by line.
    pub fn text(&mut self, text: &str) -> String {
        self.learn_by_place(text);
        let (known, before) = (self.known_count(), (self.counts.clone(), self.met.clone()));
        let out = self.lines(text);
        if self.known_count() == known {
            return out;
        }
        // What was learnt on the way stands in earlier lines, too.
        (self.counts, self.met) = before;
        self.lines(text)
    }

    fn lines(&mut self, text: &str) -> String {
        let lines: Vec<String> = text.split('\n').map(|line| self.line(line)).collect();
        lines.join("\n")
    }

    fn known_count(&self) -> usize {
        self.known.len() + self.phrases.len()
    }

    /// Blanks something for another reason than its shape.
    pub fn blank(&mut self, kind: Kind) -> String {
        self.count(kind);
        BLANK.to_owned()
    }

    /// One line, with the names that are known already. Most are the same as others, and are learnt from before they are blanked:
    /// a line that is left as it is needs one look until more is known.
    pub fn line(&mut self, line: &str) -> String {
        if self.plain.contains(line) {
            return line.to_owned();
        }
        let counted = |redactor: &Self| redactor.counts.values().total::<u32>();
        let before = counted(self);
        let out = self.blanked(line);
        let is_plain = out == line && counted(self) == before;
        if is_plain && line.len() <= PLAIN_BYTES_MAX && self.plain.len() < PLAIN_LINES_MAX {
            self.plain.insert(out.clone());
        }
        out
    }

    fn blanked(&mut self, line: &str) -> String {
        // A review quotes it between backticks.
        const QUOTED: &str = "/proc/cmdline: ";
        if let Some((head, rest)) = line.split_once(QUOTED) {
            let (words, tail) = match rest.split_once('`') {
                Some((words, _)) => (words, "`"),
                None => (rest, ""),
            };
            return format!("{}{QUOTED}{}{tail}", self.line(head), self.cmdline(words));
        }
        let line = self.credentials(line);
        let line = self.serials(&line);
        let line = self.named(&line);
        let line = self.places_of_people(&line);
        let line = self.accounts(&line);
        let line = self.disks(&line);
        let line = self.pools(&line);
        let line = self.known_names(&line);
        let line = self.shapes(&line);
        self.addresses(&line)
    }

    /// Takes a word that is blanked from now on wherever it stands.
    fn add(&mut self, name: &str, kind: Kind) {
        if !self.known.contains_key(name) {
            self.known.insert(name.to_owned(), kind);
            self.plain.clear();
        }
    }

    fn count(&mut self, kind: Kind) {
        *self.counts.entry(kind).or_default() += 1;
    }

    /// The number of something, in the order in which things were met.
    fn number(&mut self, kind: Kind, what: &str) -> usize {
        self.count(kind);
        let next = self.met.len();
        *self.met.entry(what.to_lowercase()).or_insert(next)
    }

    /// The same shape with zeros; the last digits tell one from the other.
    pub fn digits(&mut self, kind: Kind, what: &str) -> String {
        if what.chars().all(|c| !c.is_ascii_alphanumeric() || c == '0' || c == 'f' || c == 'F') {
            return what.to_owned();
        }
        let mut number = self.number(kind, what);
        let mut out: Vec<char> = what.chars().map(|c| if c.is_ascii_alphanumeric() { '0' } else { c }).collect();
        for place in out.iter_mut().rev().filter(|c| **c == '0').take(4) {
            *place = char::from_digit((number % 16) as u32, 16).unwrap_or('0');
            number /= 16;
        }
        out.into_iter().collect()
    }
}
