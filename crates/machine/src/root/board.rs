//! Board files: a whole `/proc` and `/sys` as one plain text, parsed and looked up.
//!
//! Format of a board file: lines that begin with `== ` start an entry, everything up to the next
//! one is its content.
//!
//! ```text
//! # Comments stand before the first entry.
//! == /proc/loadavg
//! 0.00 0.01 0.05 1/80 123
//! == /sys/class/thermal/thermal_zone0 -> ../../devices/virtual/thermal/thermal_zone0
//! == /sys/class/thermal/thermal_zone1/temp ! EINVAL
//! ```
//!
//! In content, `\\` is a backslash, `\0` a NUL, `\xNN` any byte, and `\=` an equals sign at the
//! beginning of a line. A content line `\` alone at the end says: no newline at the end of file.

use super::missing::missing_errno;
use record::{Missing, Reading};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Links of a board file are followed at most so many times, as the kernel does (ELOOP at 40).
const LINKS_MAX: usize = 40;

/// What stands under one path of a board file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    Content(Vec<u8>),
    Link(String),
    Error(i32),
}

/// Errors that a board file can hold, by name.
const ERRORS: &[(&str, i32)] = &[
    ("EACCES", libc::EACCES),
    ("EAGAIN", libc::EAGAIN),
    ("EBUSY", libc::EBUSY),
    ("EINVAL", libc::EINVAL),
    ("EIO", libc::EIO),
    ("ENODATA", libc::ENODATA),
    ("ENODEV", libc::ENODEV),
    ("ENOENT", libc::ENOENT),
    ("ENXIO", libc::ENXIO),
    ("EOPNOTSUPP", libc::EOPNOTSUPP),
    ("EPERM", libc::EPERM),
    ("ESRCH", libc::ESRCH),
    ("ETIMEDOUT", libc::ETIMEDOUT),
];

pub(super) fn parse_board(text: &str) -> Result<BTreeMap<String, Entry>, (usize, String)> {
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

/// `/a/./b/../c/` becomes `/a/c`.
pub(super) fn normal(path: &str) -> String {
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

/// Follows links in every directory of the path, and in its last part if `last` is set.
pub(super) fn resolve(entries: &BTreeMap<String, Entry>, path: &str, last: bool) -> Reading<String> {
    let mut path = normal(path);
    for _ in 0..LINKS_MAX {
        let Some((link, target, rest)) = first_link(entries, &path, last) else {
            return Ok(path);
        };
        let parent = link.rsplit_once('/').map_or("", |(parent, _)| parent);
        let absolute = target.starts_with('/');
        path = normal(&if absolute { format!("{target}/{rest}") } else { format!("{parent}/{target}/{rest}") });
    }
    Err(missing_errno(&path, libc::ELOOP))
}

/// The first part of the path that is a link: `(path of the link, target, rest of the path)`.
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

/// The error of a directory that cannot be listed.
pub(super) fn board_error(entries: &Mutex<BTreeMap<String, Entry>>, path: &str) -> Option<i32> {
    let entries = entries.lock().unwrap_or_else(|e| e.into_inner());
    let path = resolve(&entries, path, true).ok()?;
    match entries.get(&path) {
        Some(Entry::Error(errno)) => Some(*errno),
        _ => None,
    }
}

pub(super) fn board_children(entries: &Mutex<BTreeMap<String, Entry>>, path: &str) -> Reading<Vec<String>> {
    let entries = entries.lock().unwrap_or_else(|e| e.into_inner());
    let mut prefix = resolve(&entries, path, true)?;
    if !prefix.ends_with('/') {
        prefix.push('/');
    }
    let names: Vec<String> = entries
        .range(prefix.clone()..)
        .take_while(|(key, _)| key.starts_with(&prefix))
        .filter_map(|(key, _)| key[prefix.len()..].split('/').next().map(str::to_owned))
        .collect();
    if names.is_empty() { Err(Missing::absent(path)) } else { Ok(names) }
}
