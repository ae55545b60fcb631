//! Matches the cores of a machine with those of a SoC: types, steppings and counts, in any order.
//!
//! Numbers of CPUs, clusters and policies do not count, because they change with the kernel. Cores that are offline or
//! hidden never exclude a SoC.

use super::spelling::squash;
use record::Total;
use record::table::{Table, word_list};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Cores of one type and stepping.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CoreGroup {
    /// Name of the type in the Record.
    pub(super) core_type: String,
    /// Stepping, if the kernel reports it.
    pub(super) stepping: Option<String>,
}

/// Visible cores.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cores {
    /// Number of cores of each type.
    pub(super) seen: BTreeMap<CoreGroup, usize>,
    /// Number of all CPUs, including those of unknown type and offline ones.
    pub(super) total: usize,
    /// True if the kernel describes one CPU for all.
    pub(super) one_for_all: bool,
}

/// Cores of one SoC in one of the forms that kernels show: a cell of `socs.tsv` between two ` or `.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    clusters: Vec<ShapeCluster>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ShapeCluster {
    min: usize,
    max: usize,
    /// The plain name of the type.
    core_type: String,
    /// Known steppings; empty if undocumented.
    steppings: Vec<&'static str>,
}

/// Types with several names, in squashed spelling: names of older logs, and families whose members have equal
/// registers.
static SAME: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let table = Table::of(include_str!("../../../../data/core_aliases.tsv"));
    table.rows().map(|row| (row.get("name"), row.get("core"))).collect()
});

/// Name of a family, and prefix of the names of its members.
const FAMILIES: &[(&str, &str)] = &[("xuantiec9xx", "xuantiec9"), ("ingenicxburst", "ingenicxburst")];

fn plain(name: &str) -> String {
    let name = squash(name);
    SAME.get(name.as_str()).map_or_else(|| name.clone(), |core| (*core).to_owned())
}

/// True if two canonical names mean one type, or a family and its member.
fn same_type(seen: &str, row: &str) -> bool {
    let of_family = |(family, beginning): &(&str, &str)| seen == *family && row.starts_with(beginning);
    seen == row || FAMILIES.iter().any(of_family)
}

/// Cores with canonical names of their types, computed once for the whole table.
#[derive(Debug)]
pub(super) struct Plain<'a> {
    types: Vec<(String, usize)>,
    steppings: Vec<(String, &'a str)>,
    total: usize,
    one_for_all: bool,
}

impl<'a> Plain<'a> {
    pub(super) fn of(cores: &'a Cores) -> Self {
        let mut types: BTreeMap<String, usize> = BTreeMap::new();
        for (seen, count) in &cores.seen {
            *types.entry(plain(&seen.core_type)).or_default() += count;
        }
        let steppings = cores.seen.keys().filter_map(|seen| {
            let stepping = seen.stepping.as_deref()?;
            Some((plain(&seen.core_type), stepping))
        });
        let types = types.into_iter().collect();
        Self { types, steppings: steppings.collect(), total: cores.total, one_for_all: cores.one_for_all }
    }
}

impl Shape {
    /// `4x Cortex-A53 r0p4 + 1-2x Cortex-A72 r0p1/r0p2`.
    pub(super) fn parse(text: &'static str) -> Option<Self> {
        let clusters: Option<Vec<ShapeCluster>> = text.split(" + ").map(cluster).collect();
        clusters.map(|clusters| Self { clusters })
    }

    fn count_min(&self) -> usize {
        self.clusters.iter().map(|cluster| cluster.min).total()
    }

    pub(super) fn count_max(&self) -> usize {
        self.clusters.iter().map(|cluster| cluster.max).total()
    }

    /// True if no core of it runs programs of 64 bits.
    pub(super) fn is_32_bit(&self) -> bool {
        static BEGINNINGS: LazyLock<Vec<&str>> = LazyLock::new(|| word_list("32-bit-cores"));
        self.clusters.iter().all(|cluster| {
            let name = cluster.core_type.as_str();
            BEGINNINGS.iter().any(|known| match known.strip_prefix("cortexa") {
                // `cortexa5` is not `cortexa53`.
                Some(_) => name == *known,
                None => name.starts_with(known),
            })
        })
    }

    /// Could these cores be all or some of this SoC's, by their types? CPUs of unknown type are switched off or not shown.
    pub(super) fn fits_types(&self, cores: &Plain<'_>) -> bool {
        let seen: usize = cores.types.iter().map(|(_, count)| *count).total();
        seen <= self.count_max()
            && cores.types.iter().all(|(core_type, count)| {
                let clusters = self.clusters.iter();
                let own = clusters.filter(|cluster| same_type(core_type, &cluster.core_type));
                let room: usize = own.map(|cluster| cluster.max).total();
                room > 0 && (cores.one_for_all || *count <= room)
            })
    }

    /// True if this SoC has the type of one of these cores.
    pub(super) fn has_any_type(&self, cores: &Plain<'_>) -> bool {
        let is_own = |seen: &str| self.clusters.iter().any(|cluster| same_type(seen, &cluster.core_type));
        cores.types.iter().any(|(core_type, _)| is_own(core_type))
    }

    /// True if all steppings are known ones of this SoC, fewer than two are documented, or none is visible.
    pub(super) fn fits_steppings(&self, cores: &Plain<'_>) -> bool {
        cores.steppings.iter().all(|(core_type, stepping)| {
            let mut clusters = self.clusters.iter();
            clusters.any(|cluster| {
                same_type(core_type, &cluster.core_type)
                    && (cluster.steppings.len() < 2 || cluster.steppings.contains(stepping))
            })
        })
    }

    /// Number of cores of this SoC that the machine lacks.
    pub(super) fn absent(&self, cores: &Plain<'_>) -> usize {
        self.count_min().saturating_sub(cores.total)
    }
}

fn cluster(text: &'static str) -> Option<ShapeCluster> {
    let (count, rest) = text.split_once("x ")?;
    let (min, max) = count.split_once('-').unwrap_or((count, count));
    let is_stepping = |word: &str| {
        let mut letters = word.chars();
        letters.next() == Some('r') && letters.next().is_some_and(|c| c.is_ascii_digit()) && word.contains('p')
    };
    let (core_type, steppings) = match rest.rsplit_once(' ') {
        Some((core_type, list)) if is_stepping(list) => (core_type, list.split('/').collect()),
        _ => (rest, Vec::new()),
    };
    Some(ShapeCluster { min: min.parse().ok()?, max: max.parse().ok()?, core_type: plain(core_type), steppings })
}

impl Cores {
    /// `4x Cortex-A53 r0p4 + 2x Cortex-A72 r0p2`.
    pub(super) fn text(&self) -> String {
        let part = |(seen, count): (&CoreGroup, &usize)| {
            let stepping = seen.stepping.as_deref().map(|text| format!(" {text}"));
            format!("{count}x {}{}", seen.core_type, stepping.unwrap_or_default())
        };
        let parts: Vec<String> = self.seen.iter().map(part).collect();
        parts.join(" + ")
    }

    /// True if no type is known.
    pub(super) fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(seen: &[(usize, &str, Option<&str>)], total: usize) -> Cores {
        let one = |(count, core_type, stepping): &(usize, &str, Option<&str>)| {
            let seen = CoreGroup { core_type: (*core_type).to_owned(), stepping: stepping.map(str::to_owned) };
            (seen, *count)
        };
        Cores { seen: seen.iter().map(one).collect(), total, one_for_all: false }
    }

    const RK3399: &str = "4x Cortex-A53 r0p4 + 2x Cortex-A72 r0p2";

    #[test]
    fn offline_cores_do_not_contradict() {
        let shape = Shape::parse(RK3399).unwrap();
        for (seen, total, types, absent) in [
            (&[(4, "Cortex-A53", None), (2, "Cortex-A72", None)][..], 6, true, 0),
            (&[(3, "Cortex-A53", None), (1, "Cortex-A72", None)], 4, true, 2),
            (&[(3, "Cortex-A53", None)], 6, true, 0),
            (&[(5, "Cortex-A53", None)], 5, false, 1),
            (&[(4, "Cortex-A55", None)], 4, false, 2),
            (&[(4, "Cortex-A53", None)], 8, true, 0),
        ] {
            let cores = cores(seen, total);
            let cores = Plain::of(&cores);
            assert_eq!(shape.fits_types(&cores), types, "{seen:?}");
            assert_eq!(shape.absent(&cores), absent, "{seen:?}");
        }
    }

    #[test]
    fn unknown_steppings_do_not_contradict() {
        let shape = Shape::parse("4x Cortex-A53 + 4x Cortex-A73 r0p1/r0p2").unwrap();
        for (core_type, stepping, fits) in [
            ("Cortex-A53", Some("r0p4"), true),
            ("Cortex-A73", Some("r0p2"), true),
            ("Cortex-A73", Some("r1p0"), false),
            ("Cortex-A73", None, true),
        ] {
            let cores = cores(&[(4, core_type, stepping)], 8);
            let cores = Plain::of(&cores);
            assert_eq!(shape.fits_steppings(&cores), fits, "{core_type} {stepping:?}");
        }
    }

    #[test]
    fn single_cpuinfo_block_for_mixed_cores() {
        let shape = Shape::parse(RK3399).unwrap();
        let mut all = cores(&[(6, "Cortex-A72", Some("r0p2"))], 6);
        assert!(!shape.fits_types(&Plain::of(&all)));
        all.one_for_all = true;
        let all = Plain::of(&all);
        assert!(shape.fits_types(&all) && shape.fits_steppings(&all));
    }

    #[test]
    fn types_have_several_names() {
        for (seen, row) in
            [("sifive,u74-mc", "SiFive U74-MC"), ("XuanTie C9xx", "XuanTie C910"), ("Cortex-A53", "Cortex-A53")]
        {
            assert!(same_type(&plain(seen), &plain(row)), "{seen} {row}");
        }
        assert!(!same_type(&plain("Cortex-A53"), &plain("Cortex-A55")));
    }
}
