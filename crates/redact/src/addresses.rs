//! Addresses and identifiers by shape: MAC (EUI-48), UUID (RFC 9562), partitions of an MBR, IPv4, IPv6, and hexadecimal
//! numbers of 128 bits and more (machine-id(5), ids of containers).

use super::{Kind, Redactor};

/// Digits of 128 bits.
const LONG_HEX: usize = 32;
/// Digits of a commit hash, by which kernels and firmware are identified.
pub(super) const COMMIT_DIGITS: usize = 40;
/// Text before a version or a commit.
pub(super) const BEFORE_VERSIONS: [&str; 6] = ["ersion ", "ersion: ", "ThreadX: ", "rbuild ", "hash is ", "commit "];
/// Maximum number of groups of an address (IPv6).
const GROUPS_MAX: usize = 8;
/// Prefixes of interface names that contain an address (systemd.net-naming-scheme(7)).
const BY_MAC: [&str; 3] = ["enx", "wlx", "wwx"];
/// Length of such names.
const BY_MAC_BYTES: usize = 15;

impl Redactor {
    /// Redacts all addresses and identifiers.
    pub fn addresses(&mut self, text: &str) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '.' | '_');
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_part) {
            out.push_str(&rest[..start]);
            let word = &rest[start..];
            let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
            let word_out = self.word(&word[..end], &out);
            out.push_str(word_out.as_deref().unwrap_or(&word[..end]));
            rest = &word[end..];
        }
        out + rest
    }

    /// Redacts addresses within a word (`hid-aa:bb:cc:dd:ee:ff-battery`). The search continues after each match, so
    /// that the cost is linear.
    fn word(&mut self, word: &str, before: &str) -> Option<String> {
        let is_compound = || word.bytes().any(|byte| matches!(byte, b':' | b'-' | b'.'));
        if word.len() < 3 || word.len() < BY_MAC_BYTES && !is_compound() {
            return None;
        }
        if let Some(found) = self.by_mac(word) {
            return Some(found);
        }
        let mut is_version = BEFORE_VERSIONS.iter().any(|text| before.ends_with(text));
        let groups = groups(word);
        let last_end = groups.last().map_or(0, |group| group.end);
        let ends_plain = word[last_end..].trim_end_matches(['.', ':', '-']).is_empty();
        let mut out = String::with_capacity(word.len());
        let (mut done, mut from) = (0, 0);
        while from < groups.len() {
            let near = &groups[from..groups.len().min(from + GROUPS_MAX)];
            // Every address consists of hexadecimal groups alone.
            let hex = near.iter().take_while(|group| group.is_hex).count();
            let found = (1..=hex).rev().find_map(|length| {
                let window = &near[..length];
                let (start, end) = (window[0].start, window[length - 1].end);
                let is_whole = (start == 0 || word[..start].ends_with(':'))
                    && (word[end..].starts_with(':') || end == last_end && ends_plain);
                Some((length, start, end, kind_of(word, window, is_whole, is_version)?))
            });
            let Some((length, start, end, shape)) = found else {
                from += 1;
                continue;
            };
            let text = &word[start..end];
            out.push_str(&word[done..start]);
            match shape {
                Shape::Digits(kind) => out.push_str(&self.digits(kind, text)),
                Shape::IPv4 => out.push_str(&format!("0.0.0.{}", self.number(Kind::Address, text).min(255))),
            }
            (done, from, is_version) = (end, from + length, false);
        }
        out.push_str(&word[done..]);
        Some(out)
    }

    fn by_mac(&mut self, word: &str) -> Option<String> {
        let prefix = BY_MAC.into_iter().find(|prefix| word.starts_with(prefix))?;
        let digits = word.get(3..BY_MAC_BYTES)?;
        let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        is_hex.then(|| format!("{prefix}{}{}", self.digits(Kind::Address, digits), &word[BY_MAC_BYTES..]))
    }
}

enum Shape {
    Digits(Kind),
    IPv4,
}

/// Letters and digits in a row.
struct Group {
    start: usize,
    end: usize,
    is_hex: bool,
}

impl Group {
    fn len(&self) -> usize {
        self.end - self.start
    }
}

/// The groups of a word.
fn groups(word: &str) -> Vec<Group> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in word.bytes().enumerate().chain([(word.len(), b'.')]) {
        match (c.is_ascii_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(start_at)) => {
                let is_hex = word.as_bytes()[start_at..at].iter().all(u8::is_ascii_hexdigit);
                found.push(Group { start: start_at, end: at, is_hex });
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Meaning of consecutive hexadecimal groups of a word.
fn kind_of(word: &str, groups: &[Group], is_whole: bool, is_version: bool) -> Option<Shape> {
    let are_between = |fits: fn(&str) -> bool| groups.windows(2).all(|pair| fits(&word[pair[0].end..pair[1].start]));
    let are_of = |lengths: &[usize]| groups.iter().map(Group::len).eq(lengths.iter().copied());
    let is_mac = groups.len() >= 6 && groups.iter().all(|group| group.len() == 2);
    let identifier = Some(Shape::Digits(Kind::Identifier));
    let address = Some(Shape::Digits(Kind::Address));
    if let [only] = groups {
        // Tables of clocks contain longer numbers.
        let is_one = word[only.start..only.end].bytes().any(|byte| byte.is_ascii_alphabetic());
        let is_commit = is_version && only.len() == COMMIT_DIGITS;
        return identifier.filter(|_| only.len() >= LONG_HEX && is_one && !is_commit);
    }
    if are_between(|text| text == "-") {
        if are_of(&[8, 4, 4, 4, 12]) || is_whole && are_of(&[8, 2]) {
            return identifier;
        }
        return address.filter(|_| is_mac);
    }
    if is_mac && are_between(|text| text == ":") {
        return address;
    }
    if !is_whole {
        return None;
    }
    let is_ipv6 = || {
        let text = &word[groups[0].start..groups[groups.len() - 1].end];
        groups.iter().all(|group| group.len() <= 4)
            && groups.iter().any(|group| group.len() >= 3)
            && (text.contains("::") || text.bytes().filter(|byte| *byte == b':').count() == 7)
            && are_between(|text| text.bytes().all(|byte| byte == b':'))
    };
    if is_ipv6() {
        return address;
    }
    let is_byte = |group: &Group| {
        let text = &word[group.start..group.end];
        text.parse::<u8>().is_ok_and(|number| text.len() == 1 || !text.starts_with('0') && number > 0)
    };
    let is_ipv4 = groups.len() == 4 && !is_version && are_between(|text| text == ".") && groups.iter().all(is_byte)
        // Loopback, unspecified addresses and masks identify nobody.
        && !["127", "0", "255"].contains(&&word[groups[0].start..groups[0].end]);
    is_ipv4.then_some(Shape::IPv4)
}
