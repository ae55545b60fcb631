//! Blanks private data in texts: names of hosts or users, addresses, serial numbers, identifiers of disks or
//! installations, labels, keys, words of users' own commands. Only values are replaced, by values of the same shape, so that all
//! other text keeps its place.
//!
//! Equal values stay equal: the last digits distinguish the second address of a text from the first. Texts are
//! parameters; this crate reads no files.

#![forbid(unsafe_code)]

mod addresses;
mod entry;
mod kernel;
mod known;
mod learn;
mod message;
mod named;
mod names;
mod owned;
mod pairs;
mod shapes;
#[cfg(test)]
mod tests;
mod words;

pub use learn::{names_a_board, names_a_model};
use pairs::Pairs;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// Replacement for values without a shape to keep.
pub const BLANK: &str = "redacted";

/// Kind of redacted value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Network addresses: MAC, IPv4, IPv6.
    Address,
    /// UUIDs and long hexadecimal numbers: of file systems, partitions, installations, containers, boots.
    Identifier,
    /// Serial numbers.
    Serial,
    /// Names of this host, and of build hosts.
    HostName,
    /// Names of users.
    UserName,
    /// Names that people gave to disks and directories.
    Label,
    /// Values of unknown kernel and firmware options.
    Option,
    /// Passwords and licence keys.
    Key,
    /// Words and output of a user's own command.
    Command,
    /// Unknown words of messages.
    Word,
}

impl Kind {
    /// Plural in words.
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
            Kind::Word => "words of messages",
        }
    }
}

/// Redacts texts and remembers private values.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    counts: BTreeMap<Kind, u32>,
    /// Numbered values in lower case, with their numbers.
    met: BTreeMap<String, usize>,
    /// Words that are redacted everywhere.
    known: BTreeMap<String, Kind>,
    /// Phrases that are redacted everywhere.
    phrases: Vec<(String, Kind)>,
    /// Names of this kind of machine, in lower case.
    makers: String,
    /// Redacted lines with their counts, valid for the known names.
    done: HashMap<String, (String, BTreeMap<Kind, u32>)>,
    /// True while numbers of names can still change.
    is_learning: bool,
}

/// Maximum length and number of remembered lines: a text may have millions.
const DONE_BYTES_MAX: usize = 256;
const DONE_LINES_MAX: usize = 8_192;
/// Minimum length of private words, in bytes.
const PRIVATE_BYTES_MIN: usize = 3;

/// A pass over a line.
type Pass = fn(&mut Redactor, &str, &Pairs) -> String;
/// All passes in order, with the strings that make them necessary; an empty list means every line.
const PASSES: &[(Pass, &[&str])] = &[
    (|redactor, line, _| redactor.credentials(line), &["://"]),
    (|redactor, line, _| redactor.serials(line), &["serial"]),
    (Redactor::named, &[]),
    (|redactor, line, _| redactor.places_of_people(line), names::FOLDERS),
    (|redactor, line, _| redactor.accounts(line), &["@"]),
    (|redactor, line, _| redactor.disks(line), &["by-", "/dev/", "LABEL="]),
    (|redactor, line, _| redactor.pools(line), &["zfs"]),
    (|redactor, line, _| redactor.hosts_of_addresses(line), &["://"]),
    (|redactor, line, _| redactor.owned_things(line), &["'s ", "\u{2019}s "]),
    (|redactor, line, _| redactor.positions(line), owned::POSITIONS),
    (|redactor, line, _| redactor.armoured(line), &["-----"]),
    (|redactor, line, _| redactor.known_names(line), &[]),
    (|redactor, line, _| redactor.shapes(line), &[]),
    (|redactor, line, _| redactor.addresses(line), &[]),
];

/// Section of a text.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Any,
    /// Messages of the kernel, up to a line of `#`, as the bash program prints them.
    Messages,
    /// A key or certificate in PEM (RFC 7468).
    Key,
}

impl Redactor {
    /// Number of redacted values by kind.
    pub fn counts(&self) -> &BTreeMap<Kind, u32> {
        &self.counts
    }

    /// Redacts a text: learns the names in it first, then redacts line by line.
    pub fn text(&mut self, text: &str) -> String {
        self.learn_by_place(text);
        let known = self.known_count();
        let out = self.lines(text);
        if self.known_count() == known {
            return out;
        }
        // Names that were learnt meanwhile may also be in earlier lines.
        self.known_names(&out)
    }

    /// Redacts lines with the names known so far.
    pub fn lines(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut section = Section::Any;
        for line in text.split_inclusive('\n') {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            section = match section {
                Section::Messages if line.starts_with("####") => Section::Any,
                Section::Key if line.trim().contains([' ', '\t']) || line.is_empty() => Section::Any,
                section => section,
            };
            if line.len() < PRIVATE_BYTES_MIN {
                out.push_str(line);
            } else {
                let line = match section {
                    Section::Messages if message::begin(line).is_none() => self.message(line),
                    Section::Key => self.blank(Kind::Key),
                    _ => self.line(line),
                };
                out.push_str(&line);
            }
            if section == Section::Any && line.starts_with("dmesg output while") {
                section = Section::Messages;
            } else if line.contains("-----BEGIN ") && !line.contains("-----END ") {
                section = Section::Key;
            }
            out.push_str(end);
        }
        out
    }

    fn known_count(&self) -> usize {
        self.known.len() + self.phrases.len()
    }

    /// Replaces a value that was recognised by other means than its shape.
    pub fn blank(&mut self, kind: Kind) -> String {
        self.count(kind);
        BLANK.to_owned()
    }

    /// Redacts one line with the names known so far. Most lines repeat: the result for a line from which nothing is
    /// learnt is kept until more names are known.
    pub fn line(&mut self, line: &str) -> String {
        if let Some((out, counts)) = self.done.get(line) {
            counts.iter().for_each(|(kind, count)| *self.counts.entry(*kind).or_default() += count);
            return out.clone();
        }
        let (known, before) = (self.known_count(), std::mem::take(&mut self.counts));
        let mut out = self.shaped(line);
        if let Some(at) = message::begin(&out) {
            let message = self.words_of_kernel(&out[at..]);
            out.replace_range(at.., &message);
        }
        let counts = std::mem::replace(&mut self.counts, before);
        counts.iter().for_each(|(kind, count)| *self.counts.entry(*kind).or_default() += count);
        let is_final = self.known_count() == known && (counts.is_empty() || !self.is_learning);
        if is_final && line.len() <= DONE_BYTES_MAX && self.done.len() < DONE_LINES_MAX {
            self.done.insert(line.to_owned(), (out.clone(), counts));
        }
        out
    }

    /// A line without words that are private by their shape, place or name.
    fn shaped(&mut self, line: &str) -> String {
        // A review quotes the file between backticks.
        const QUOTED: &str = "/proc/cmdline: ";
        if let Some((head, rest)) = line.split_once(QUOTED) {
            let (words, tail) = match rest.split_once('`') {
                Some((words, _)) => (words, "`"),
                None => (rest, ""),
            };
            return format!("{}{QUOTED}{}{tail}", self.passed(head), self.cmdline(words));
        }
        self.passed(line)
    }

    fn passed(&mut self, line: &str) -> String {
        // Replacements contain no keyword, so the pairs of the original line are sufficient.
        let pairs = Pairs::of(line);
        let mut line = Cow::Borrowed(line);
        for (pass, needed) in PASSES {
            if needed.is_empty() || needed.iter().any(|part| pairs.may_hold(part)) {
                line = Cow::Owned(pass(self, &line, &pairs));
            }
        }
        line.into_owned()
    }

    /// Adds a word that is redacted everywhere from now on.
    fn add(&mut self, name: &str, kind: Kind) {
        if !self.known.contains_key(name) {
            self.known.insert(name.to_owned(), kind);
            self.done.clear();
        }
    }

    fn count(&mut self, kind: Kind) {
        *self.counts.entry(kind).or_default() += 1;
    }

    /// Number of a value, in order of occurrence.
    fn number(&mut self, kind: Kind, what: &str) -> usize {
        self.count(kind);
        let next = self.met.len();
        *self.met.entry(what.to_lowercase()).or_insert(next)
    }

    /// Replaces digits and letters by zeros; the last digits contain the number of the value.
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
