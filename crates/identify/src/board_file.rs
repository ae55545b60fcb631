//! Board files: a whole `/proc` and `/sys` as one plain text, parsed and looked up.
//!
//! A line that begins with `== ` starts an entry. All lines up to the next entry are its content.
//!
//! ```text
//! # Comments precede the first entry.
//! == /proc/loadavg
//! 0.00 0.01 0.05 1/80 123
//! == /sys/class/thermal/thermal_zone0 -> ../../devices/virtual/thermal/thermal_zone0
//! == /sys/class/thermal/thermal_zone1/temp ! EINVAL
//! ```
//!
//! In content, `\\` is a backslash, `\0` a NUL, `\xNN` any byte, and `\=` an equals sign at the beginning of a line. A
//! last content line of a single `\` means that the file does not end with a newline.

use crate::Tree;
use crate::errno::{EINVAL, EISDIR, ELOOP, ERRORS, missing_errno};
use crate::order::natural_key;
use record::{Missing, Reading, StableSort};
use std::collections::BTreeMap;

/// Maximum number of links followed in a board file; the kernel has the same limit (ELOOP at 40).
const LINKS_MAX: usize = 40;

/// Entry of a board file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Content of a file.
    Content(Vec<u8>),
    /// Target of a symbolic link.
    Link(String),
    /// errno that every read returns.
    Error(i32),
}

/// Files of a machine in memory.
#[derive(Debug, Clone, Default)]
pub struct BoardFile {
    entries: BTreeMap<String, Entry>,
    /// Reason why other files are missing, if the machine itself may have them.
    others: Option<String>,
}

impl BoardFile {
    /// Parses the text of a board file.
    ///
    /// # Errors
    /// Number and text of the first invalid line.
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        Ok(Self { entries: parse_board(text)?, others: None })
    }

    /// Returns the board with `content` as the content of one file.
    pub fn with_file(mut self, path: &str, content: &[u8]) -> Self {
        self.insert(path, Entry::Content(content.to_vec()));
        self
    }

    /// Returns the board with a reason for all missing files, because the machine itself may have them.
    pub fn with_others(self, reason: &str) -> Self {
        Self { others: Some(reason.to_owned()), ..self }
    }

    /// True if the text looks like a board file: its first line that is neither empty nor a comment starts an entry.
    pub fn is_one(text: &str) -> bool {
        let first = text.lines().find(|line| !line.is_empty() && !line.starts_with('#'));
        first.is_some_and(|line| line.starts_with("== /"))
    }

    /// Follows all links and returns the resolved path and its entry.
    ///
    /// # Errors
    /// The path does not exist, or its links form a loop.
    pub fn entry(&self, path: &str) -> Reading<(String, &Entry)> {
        let resolved = resolve(&self.entries, path, true)?;
        match self.entries.get(&resolved) {
            Some(entry) => Ok((resolved, entry)),
            None => Err(self.missing(path)),
        }
    }

    /// All entries, ordered by path.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// Inserts an entry; links in the path are not followed.
    pub fn insert(&mut self, path: &str, entry: Entry) {
        self.entries.insert(normal(path), entry);
    }

    fn missing(&self, path: &str) -> Missing {
        match &self.others {
            Some(reason) => Missing::unsupported(path, reason),
            None => Missing::absent(path),
        }
    }
}

impl Tree for BoardFile {
    fn read_bytes(&self, path: &str) -> Reading<Vec<u8>> {
        match self.entry(path)?.1 {
            Entry::Content(bytes) => Ok(bytes.clone()),
            Entry::Error(errno) => Err(missing_errno(path, *errno)),
            Entry::Link(_) => Err(missing_errno(path, EISDIR)),
        }
    }

    fn list(&self, path: &str) -> Reading<Vec<String>> {
        let mut prefix = resolve(&self.entries, path, true)?;
        if let Some(Entry::Error(errno)) = self.entries.get(&prefix) {
            return Err(missing_errno(path, *errno));
        }
        if !prefix.ends_with('/') {
            prefix.push('/');
        }
        let below = self.entries.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix));
        let mut names: Vec<String> =
            below.filter_map(|(key, _)| key[prefix.len()..].split('/').next().map(str::to_owned)).collect();
        if names.is_empty() {
            return Err(self.missing(path));
        }
        names.stable_sort_by_key(|name| natural_key(name));
        names.dedup();
        Ok(names)
    }

    fn link(&self, path: &str) -> Reading<String> {
        match self.entries.get(&resolve(&self.entries, path, false)?) {
            Some(Entry::Link(target)) => Ok(target.clone()),
            Some(_) => Err(missing_errno(path, EINVAL)),
            None => Err(self.missing(path)),
        }
    }
}

fn parse_board(text: &str) -> Result<BTreeMap<String, Entry>, (usize, String)> {
    let mut entries = BTreeMap::new();
    let mut open: Option<(String, Vec<u8>)> = None;
    for (index, line) in text.lines().enumerate() {
        let bad = || (index + 1, line.to_owned());
        if let Some(heading) = line.strip_prefix("== ") {
            if let Some((path, bytes)) = open.take() {
                entries.insert(path, Entry::Content(bytes));
            }
            if let Some((path, target)) = heading.split_once(" -> ") {
                entries.insert(normal(path), Entry::Link(target.to_owned()));
            } else if let Some((path, name)) = heading.split_once(" ! ") {
                let errno = ERRORS.iter().find(|(known, _)| *known == name).ok_or_else(bad)?.1;
                entries.insert(normal(path), Entry::Error(errno));
            } else if heading.starts_with('/') {
                open = Some((normal(heading), Vec::new()));
            } else {
                return Err(bad());
            }
        } else if let Some((_, bytes)) = &mut open {
            if line == "\\" {
                bytes.pop();
            } else {
                unescape(line, bytes).ok_or_else(bad)?;
                bytes.push(b'\n');
            }
        } else if !line.is_empty() && !line.starts_with('#') {
            return Err(bad());
        }
    }
    if let Some((path, bytes)) = open {
        entries.insert(path, Entry::Content(bytes));
    }
    Ok(entries)
}

fn unescape(line: &str, bytes: &mut Vec<u8>) -> Option<()> {
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at + 1..];
        let (byte, length) = match escape.as_bytes().first()? {
            b'0' => (0, 1),
            b'\\' => (b'\\', 1),
            b'=' => (b'=', 1),
            b'x' => (u8::from_str_radix(escape.get(1..3)?, 16).ok()?, 3),
            _ => return None,
        };
        bytes.push(byte);
        rest = &escape[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(())
}

/// Normalizes a path: `/a/./b/../c/` becomes `/a/c`.
pub fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Follows links in every directory of the path, and in its last component if `last` is set.
fn resolve(entries: &BTreeMap<String, Entry>, path: &str, last: bool) -> Reading<String> {
    let mut path = normal(path);
    for _ in 0..LINKS_MAX {
        let Some((link, target, rest)) = first_link(entries, &path, last) else { return Ok(path) };
        let parent = link.rsplit_once('/').map_or("", |(parent, _)| parent);
        let absolute = target.starts_with('/');
        path = normal(&if absolute { format!("{target}/{rest}") } else { format!("{parent}/{target}/{rest}") });
    }
    Err(missing_errno(&path, ELOOP))
}

/// First component of the path that is a link: `(path of the link, target, rest of the path)`.
fn first_link<'a>(entries: &'a BTreeMap<String, Entry>, path: &str, last: bool) -> Option<(String, &'a str, String)> {
    let ends = path.match_indices('/').map(|(at, _)| at).skip(1).chain([path.len()]);
    for end in ends {
        if end == path.len() && !last {
            return None;
        }
        if let Some(Entry::Link(target)) = entries.get(&path[..end]) {
            let rest = path[end..].trim_start_matches('/').to_owned();
            return Some((path[..end].to_owned(), target, rest));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn board_files_are_recognised() {
        for (text, expected) in [
            ("# A comment.\n\n== /proc/loadavg\n0\n", true),
            ("== /a -> b\n", true),
            ("", false),
            ("== heading of a review ==\n", false),
            ("sbc-bench v0.9\n== /a\n", false),
        ] {
            assert_eq!(BoardFile::is_one(text), expected, "{text}");
        }
    }

    #[test]
    fn absent_files_are_missing_for_their_reason() {
        let board = BoardFile::default().with_file("/proc/cpuinfo", b"x");
        let reason = |board: &BoardFile, path: &str| board.read_bytes(path).unwrap_err().to_string();
        assert_eq!(reason(&board, "/proc/x"), "/proc/x does not exist");
        let board = board.with_others("only this was given");
        assert_eq!(reason(&board, "/proc/x"), "only this was given");
        assert_eq!(board.list("/sys").unwrap_err().to_string(), "only this was given");
        assert_eq!(board.list("/proc").unwrap(), ["cpuinfo"]);
    }

    proptest::proptest! {
        #[test]
        fn parse_board_never_panics(text in "(== /[a-c/.]{0,5}( -> [a-c/.]{0,5}| ! E[A-Z]{2,6})?\n|[a-c\\\\x0=]{0,6}\n|\\PC){0,12}") {
            if let Ok(board) = BoardFile::parse(&text) {
                for path in ["/", "/a", "/a/b", "/b/../c"] {
                    let _ = (board.read_bytes(path), board.list(path), board.link(path));
                }
            }
        }
    }
}
