//! Versions of the kernel as numbers: 6.18 comes after 6.9.

use serde::Serialize;

/// A version, in order of age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct KernelVersion {
    /// 6 of 6.1.55.
    pub major: u32,
    /// 1 of 6.1.55.
    pub minor: u32,
    /// 55 of 6.1.55; `None` if a distribution uses its own number and reports no other.
    pub revision: Option<u32>,
    /// 3 of 6.9-rc3.
    pub candidate: Option<u32>,
}

impl KernelVersion {
    /// Version of a running kernel. Debian and Ubuntu name every revision `6.1.0-13`; Debian has the revision in the
    /// build line, Ubuntu in `/proc/version_signature`.
    pub fn of(release: &str, build: &str, upstream: &str) -> Option<Self> {
        let own = Self::parse(release)?;
        // `Ubuntu 5.15.0-75.82-generic 5.15.99`
        let signature = upstream.rsplit(' ').next().and_then(Self::parse);
        // `#1 SMP Debian 6.1.55-1 (2023-09-29)`, `#1 SMP PREEMPT Debian 1:6.6.31-1+rpt1 (2024-05-29)`
        let debian = build.rsplit_once(" Debian ").and_then(|(_, rest)| {
            let version = rest.split(' ').next()?;
            Self::parse(version.split_once(':').map_or(version, |(_, rest)| rest))
        });
        let told = [signature, debian].into_iter().flatten().find(|told| told.series() == own.series());
        if let Some(told) = told {
            return Some(told);
        }
        // `6.1.0-13-amd64`, `5.15.0-75-generic`, `4.18.0-553.el8`: the 0 is not a revision.
        let counts_packages = own.revision == Some(0)
            && release.split_once('-').is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()));
        Some(Self { revision: own.revision.filter(|_| !counts_packages), ..own })
    }

    /// Parses `6.1.55`, `6.18`, `6.9-rc3`, `5.10.110-33-rockchip`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (numbers, rest) = match text.find(|c: char| !c.is_ascii_digit() && c != '.') {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let mut numbers = numbers.trim_end_matches('.').split('.');
        let mut next = || numbers.next()?.parse::<u32>().ok();
        let (major, minor, revision) = (next()?, next()?, next());
        let candidate = rest.strip_prefix("-rc").and_then(|rest| {
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse().ok()
        });
        Some(Self { major, minor, revision: revision.or((!text.contains('-')).then_some(0)), candidate })
    }

    /// `(6, 1)` of 6.1.55.
    pub fn series(&self) -> (u32, u32) {
        (self.major, self.minor)
    }

    /// `6.1` of 6.1.55.
    pub fn series_name(&self) -> String {
        format!("{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(release: &str, build: &str, upstream: &str, expected: Option<(u32, u32, Option<u32>)>) {
        let found = KernelVersion::of(release, build, upstream);
        let found = found.map(|version| (version.major, version.minor, version.revision));
        assert_eq!(found, expected, "{release} {build} {upstream}");
    }

    #[test]
    fn revisions_are_found_where_they_stand() {
        check("6.18.44-fc-v669", "", "", Some((6, 18, Some(44))));
        check("5.10.110-33-rockchip", "", "", Some((5, 10, Some(110))));
        check(
            "6.1.0-13-arm64",
            "Linux version 6.1.0-13-arm64 (debian-kernel@lists.debian.org) #1 SMP Debian 6.1.55-1 (2023-09-29)",
            "",
            Some((6, 1, Some(55))),
        );
        check("6.6.31+rpt-rpi-v8", "#1 SMP PREEMPT Debian 1:6.6.31-1+rpt1 (2024-05-29)", "", Some((6, 6, Some(31))));
        check("5.15.0-75-generic", "", "Ubuntu 5.15.0-75.82-generic 5.15.99", Some((5, 15, Some(99))));
        check("5.15.0-75-generic", "", "", Some((5, 15, None)));
        check("4.18.0-553.el8.x86_64", "", "", Some((4, 18, None)));
        check("6.1.0-rpi4-rpi-2712", "", "", Some((6, 1, Some(0))));
        check("5.10.0", "", "", Some((5, 10, Some(0))));
        check("", "", "", None);
        check("linux", "", "", None);
    }

    #[test]
    fn versions_are_in_order_of_age() {
        let version = |text| KernelVersion::parse(text).unwrap();
        let ordered = ["4.4.302", "5.15.1", "5.15.100", "6.1.7", "6.9.1", "6.10.1", "6.18.2"];
        assert!(ordered.windows(2).all(|pair| version(pair[0]) < version(pair[1])));
        assert_eq!(version("6.19-rc3").candidate, Some(3));
    }

    proptest::proptest! {
        #[test]
        fn parse_never_panics(text in "([0-9.]{0,12}|-rc|\\PC){0,4}", build in "( Debian |[0-9.:-]|\\PC){0,20}") {
            KernelVersion::of(&text, &build, &build);
        }
    }
}
