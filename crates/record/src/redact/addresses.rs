//! Addresses and identifiers, by their shape alone: MAC (EUI-48), UUID (RFC 9562), partitions of an MBR, IPv4, IPv6,
//! and hexadecimal numbers of 128 bits and more (machine-id(5), ids of containers).

use super::{Kind, Redactor};

/// Digits of 128 bits.
const LONG_HEX: usize = 32;
/// Names of network interfaces by their address (systemd.net-naming-scheme(7)).
const BY_MAC: [&str; 3] = ["enx", "wlx", "wwx"];

impl Redactor {
    /// Text with every address and identifier blanked.
    pub fn addresses(&mut self, text: &str) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '.' | '_');
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_part) {
            out.push_str(&rest[..start]);
            let word = &rest[start..];
            let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
            let before = out.as_str();
            let is_version = before.ends_with("ersion ") || before.ends_with("ersion: ");
            let word_out = self.word(&word[..end], is_version);
            out.push_str(&word_out);
            rest = &word[end..];
        }
        out + rest
    }

    /// A word may hold addresses between other parts (`hid-aa:bb:cc:dd:ee:ff-battery`). One pass: a match is replaced and
    /// the search goes on behind it, so that the cost grows with the length of the word.
    fn word(&mut self, word: &str, mut is_version: bool) -> String {
        if word.len() < 3 {
            return word.to_owned();
        }
        if let Some(found) = self.by_mac(word) {
            return found;
        }
        let groups = groups(word);
        let last_end = groups.last().map_or(0, |group| group.1);
        let ends_plain = word[last_end..].trim_end_matches(['.', ':', '-']).is_empty();
        let mut out = String::with_capacity(word.len());
        let (mut done, mut from) = (0, 0);
        while from < groups.len() {
            let found = (1..=8.min(groups.len() - from)).rev().find_map(|length| {
                let (start, end) = (groups[from].0, groups[from + length - 1].1);
                let is_whole = (start == 0 || word[..start].ends_with(':'))
                    && (word[end..].starts_with(':') || end == last_end && ends_plain);
                let shape = kind_of(&word[start..end], length, is_whole, is_version)?;
                Some((length, start, end, shape))
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
        out
    }

    fn by_mac(&mut self, word: &str) -> Option<String> {
        let prefix = BY_MAC.into_iter().find(|prefix| word.starts_with(prefix))?;
        let digits = word.get(3..15)?;
        let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        is_hex.then(|| format!("{prefix}{}{}", self.digits(Kind::Address, digits), &word[15..]))
    }
}

enum Shape {
    Digits(Kind),
    IPv4,
}

/// Places of the groups of letters and digits.
fn groups(word: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in word.char_indices().chain([(word.len(), '.')]) {
        match (c.is_ascii_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn kind_of(text: &str, groups: usize, is_whole: bool, is_version: bool) -> Option<Shape> {
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
    let lengths = |separator: char| -> Option<Vec<usize>> {
        let parts: Vec<&str> = text.split(separator).collect();
        (parts.len() == groups && parts.iter().all(|part| is_hex(part)))
            .then(|| parts.iter().map(|part| part.len()).collect())
    };
    let identifier = Some(Shape::Digits(Kind::Identifier));
    if groups == 1 {
        return identifier.filter(|_| text.len() >= LONG_HEX && is_hex(text));
    }
    if let Some(lengths) = lengths('-') {
        if lengths == [8, 4, 4, 4, 12] || (is_whole && lengths == [8, 2]) {
            return identifier;
        }
        if lengths.len() >= 6 && lengths.iter().all(|length| *length == 2) {
            return Some(Shape::Digits(Kind::Address));
        }
    }
    if let Some(lengths) = lengths(':')
        && lengths.len() >= 6
        && lengths.iter().all(|length| *length == 2)
    {
        return Some(Shape::Digits(Kind::Address));
    }
    let parts: Vec<&str> = text.split(':').collect();
    let is_ipv6 = is_whole
        && parts.iter().all(|part| part.len() <= 4 && part.bytes().all(|b| b.is_ascii_hexdigit()))
        && (parts.len() == 8 || text.contains("::"))
        && parts.iter().any(|part| part.len() >= 3);
    if is_ipv6 {
        return Some(Shape::Digits(Kind::Address));
    }
    let is_ipv4 = is_whole && groups == 4 && !is_version && text.split('.').count() == 4
        && text.split('.').all(|part| part.parse::<u8>().is_ok_and(|n| n.to_string() == part))
        // This machine, any machine, and masks name nobody.
        && !["127.", "0.", "255."].iter().any(|own| text.starts_with(own));
    is_ipv4.then_some(Shape::IPv4)
}
