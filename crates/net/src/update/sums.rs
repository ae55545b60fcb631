//! Parses `SHA256SUMS` of a release, in the format of sha256sum.

use std::fmt;

/// Version such as 1.0.0; later versions are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version([u32; 3]);

impl Version {
    /// Parses three numbers separated by dots.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(|number| {
            let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
            is_plain.then(|| number.parse().ok()).flatten()
        });
        let version = [numbers.next()??, numbers.next()??, numbers.next()??];
        numbers.next().is_none().then_some(Self(version))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

/// A packed program of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) version: Version,
    pub(super) name: String,
    pub(super) sha256: [u8; 32],
}

/// Newest program for an architecture; other lines are ignored.
pub(super) fn newest(text: &str, arch: &str) -> Option<Entry> {
    text.lines().filter_map(|line| entry(line, arch)).max_by_key(|entry| entry.version)
}

/// Day of a release such as 2026-11-27, from the first line, a comment for sha256sum.
pub(super) fn day(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("# date: ")).map(str::trim)
}

fn entry(line: &str, arch: &str) -> Option<Entry> {
    let (sum, name) = line.split_once("  ")?;
    let version = name.strip_prefix("sbc-bench-")?.strip_suffix(".gz")?.strip_suffix(arch)?.strip_suffix('-')?;
    Some(Entry { version: Version::parse(version)?, name: name.to_owned(), sha256: sha256(sum)? })
}

fn sha256(text: &str) -> Option<[u8; 32]> {
    let mut sum = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, at) in sum.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SUMS: &str = "\
        00000000000000000000000000000000000000000000000000000000000000ff  sbc-bench-1.9.0-x86_64.gz\n\
        0000000000000000000000000000000000000000000000000000000000000010  sbc-bench-1.10.0-x86_64.gz\n\
        0000000000000000000000000000000000000000000000000000000000000011  sbc-bench-2.0.0-aarch64.gz\n\
        0000000000000000000000000000000000000000000000000000000000000012  sbc-bench-2.0.0-x86_64.tar.gz\n\
        0000000000000000000000000000000000000000000000000000000000000013  sbc-bench-2.0-x86_64.gz\n\
        13  sbc-bench-2.0.0-x86_64.gz\n\
        0000000000000000000000000000000000000000000000000000000000000014  sbc-bench-../../2.0.0-x86_64.gz\n";

    fn check(arch: &str, expected: Option<&str>) {
        assert_eq!(newest(SUMS, arch).map(|entry| entry.version.to_string()).as_deref(), expected, "{arch}");
    }

    #[test]
    fn newest_program_of_an_architecture_is_found() {
        check("x86_64", Some("1.10.0"));
        check("aarch64", Some("2.0.0"));
        check("riscv64", None);
        assert_eq!(newest(SUMS, "x86_64").unwrap().sha256[31], 0x10);
    }

    #[test]
    fn day_of_a_release_is_its_first_date() {
        assert_eq!(day(SUMS), None);
        assert_eq!(day(&format!("# date: 2026-11-27\n{SUMS}# date: 2027-01-01\n")), Some("2026-11-27"));
    }

    proptest! {
        #[test]
        fn newest_never_panics(text in "(?s).{0,200}", arch in "[a-z0-9_]{0,8}") {
            newest(&text, &arch);
            newest(&format!("{}  sbc-bench-{text}-{arch}.gz", "é".repeat(32)), &arch);
        }
    }
}
