//! Origin of the running kernel: weighted traces in names, files and configuration.
//!
//! Two independent traces of 80 % and 90 % leave a doubt of 2 %. A version or a SoC alone is not proof: many boards run
//! kernels from kernel.org.

use record::table::Table;
use record::{KernelFacts, Machine, StableSort};
use serde::Serialize;

/// Kind of source tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Tree of the SoC's maker, with thousands of patches.
    Vendor,
    /// Tree of the board's maker, close to kernel.org and updated with it.
    Downstream,
    /// Community kernel for boards.
    Community,
    /// Kernel of a distribution.
    Distribution,
}

/// One trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// Trace.
    pub what: String,
    /// Location of the trace.
    pub from: String,
    /// Probability from this trace alone, in percent.
    pub weight_percent: u8,
}

/// A possible origin of this kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// Name of the origin.
    pub name: String,
    /// Kind of source tree.
    pub class: Class,
    /// Probability in percent.
    pub confidence_percent: u8,
    /// Evidence.
    pub traces: Vec<Trace>,
}

struct Row {
    id: &'static str,
    kind: &'static str,
    what: &'static str,
    origin: &'static str,
    class: Class,
    weight: u8,
}

/// A weak trace alone is not worth a name.
const CONFIDENCE_PERCENT_MIN: u8 = 50;
/// Origin without a specific vendor.
const NOBODY_IN_PARTICULAR: &str = "a SoC maker";

const TABLE: Table = Table::of(include_str!("../../../../data/kernel_traces.tsv"));

fn rows() -> impl Iterator<Item = Row> {
    TABLE.rows().filter_map(|row| {
        let [id, kind, what, origin, class, weight, _] = row.array()?;
        let class = match class {
            "vendor" => Class::Vendor,
            "downstream" => Class::Downstream,
            "community" => Class::Community,
            "distribution" => Class::Distribution,
            _ => return None,
        };
        let weight = weight.parse().ok()?;
        Some(Row { id, kind, what, origin, class, weight })
    })
}

/// All origins with traces, most likely first.
pub(super) fn origins(machine: &Machine, facts: Option<&KernelFacts>) -> Vec<Origin> {
    let mut origins: Vec<Origin> = Vec::new();
    for row in rows() {
        let Some((what, from)) = trace(&row, machine, facts) else { continue };
        let trace = Trace { what, from, weight_percent: row.weight };
        match origins.iter_mut().find(|known| known.name == row.origin) {
            Some(known) => add(&mut known.traces, trace),
            None => origins.push(Origin {
                name: row.origin.to_owned(),
                class: row.class,
                confidence_percent: 0,
                traces: vec![trace],
            }),
        }
    }
    // Drivers that every vendor ships count for the vendor with a named trace.
    let named = origins.iter().position(|origin| origin.class == Class::Vendor && origin.name != NOBODY_IN_PARTICULAR);
    let nameless = origins.iter().position(|origin| origin.name == NOBODY_IN_PARTICULAR);
    if let (Some(named), Some(nameless)) = (named, nameless) {
        let traces = std::mem::take(&mut origins[nameless].traces);
        origins[named].traces.extend(traces);
        origins.remove(nameless);
    }
    for origin in &mut origins {
        origin.confidence_percent = confidence(&origin.traces);
    }
    origins.retain(|origin| origin.confidence_percent >= CONFIDENCE_PERCENT_MIN);
    origins.stable_sort_by_key(|origin| (std::cmp::Reverse(origin.confidence_percent), origin.class));
    origins
}

/// Adds a trace. Two rows that match one name are one trace with the higher weight.
fn add(traces: &mut Vec<Trace>, trace: Trace) {
    match traces.iter_mut().find(|known| (&known.what, &known.from) == (&trace.what, &trace.from)) {
        Some(known) => known.weight_percent = known.weight_percent.max(trace.weight_percent),
        None => traces.push(trace),
    }
}

/// The doubts of all traces multiplied; no number of traces makes it certain.
fn confidence(traces: &[Trace]) -> u8 {
    let doubt = traces.iter().map(|trace| 1.0 - f64::from(trace.weight_percent) / 100.0).product::<f64>();
    ((100.0 * (1.0 - doubt)).round() as u8).min(99)
}

fn trace(row: &Row, machine: &Machine, facts: Option<&KernelFacts>) -> Option<(String, String)> {
    let text = |fact: &record::Fact<String>| fact.known().cloned().unwrap_or_default();
    let within = |text: &str, from: &str| text.contains(row.what).then(|| (row.what.to_owned(), from.to_owned()));
    match row.kind {
        "release" => {
            let release = text(&machine.kernel_release);
            // `-rockchip` must not fit Armbian's `-rockchip64`, nor `-sunxi` its `-sunxi64`.
            let ends = release
                .split(row.what)
                .skip(1)
                .any(|rest| !row.what.ends_with(char::is_alphabetic) || !rest.starts_with("64"));
            ends.then(|| (release, "uname -r".to_owned()))
        }
        "scheme" => {
            let release = text(&machine.kernel_release);
            is_built_like(&release, row.what).then(|| (release, "uname -r".to_owned()))
        }
        "distribution" => within(&text(&machine.distribution), "/etc/os-release"),
        "build" => within(&text(&machine.kernel_version), "/proc/version"),
        "cmdline" => within(&text(&machine.kernel_cmdline), "/proc/cmdline"),
        "compatible" => {
            // A blank at the end of a cell would be lost on the way through editors.
            let what = row.what.replace("<blank>", " ");
            let behind_comma = format!(",{what}");
            let fits = |entry: &&String| entry.starts_with(&what) || entry.contains(&behind_comma);
            let entry = machine.compatible.iter().find(fits)?;
            Some((format!("compatible {entry}"), "device tree".to_owned()))
        }
        _ => {
            let found = facts?.traces.iter().find(|trace| trace.name == row.id)?;
            Some((found.value.clone(), found.from.clone()))
        }
    }
}

/// True if the whole release matches this pattern, in which `#` is a number.
fn is_built_like(release: &str, pattern: &str) -> bool {
    let mut rest = release;
    for (index, literal) in pattern.split('#').enumerate() {
        if index > 0 {
            let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            if after.len() == rest.len() {
                return false;
            }
            rest = after;
        }
        let Some(after) = rest.strip_prefix(literal) else { return false };
        rest = after;
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Fact, NamedValue};

    #[test]
    fn every_row_is_understood() {
        assert_eq!(rows().count(), TABLE.rows().count());
        for row in rows() {
            assert!((1..=99).contains(&row.weight) && row.what.len() >= 3, "{}", row.id);
            let kinds = [
                "release",
                "scheme",
                "distribution",
                "build",
                "cmdline",
                "compatible",
                "path",
                "config",
                "module",
                "governor",
                "message",
            ];
            assert!(kinds.contains(&row.kind), "{}", row.id);
        }
    }

    fn check(release: &str, build: &str, ids: &[&str], expected: &[(&str, u8)]) {
        let machine = Machine {
            kernel_release: Fact::Known(release.into()),
            kernel_version: Fact::Known(build.into()),
            ..Machine::default()
        };
        let traces = ids.iter().map(|id| NamedValue { name: (*id).into(), value: (*id).into(), from: "y".into() });
        let facts = KernelFacts { traces: traces.collect(), ..KernelFacts::default() };
        let found = origins(&machine, Some(&facts));
        let found: Vec<(&str, u8)> =
            found.iter().map(|origin| (origin.name.as_str(), origin.confidence_percent)).collect();
        assert_eq!(found, expected, "{release} {build} {ids:?}");
    }

    #[test]
    fn origins_need_traces() {
        check("6.1.43", "", &[], &[]);
        check("5.10.110-33-rockchip", "", &[], &[("Rockchip", 60)]);
        check("5.10.110-33-rockchip", "", &["rk-sip", "rk-dmc-ondemand", "mali-bifrost"], &[("Rockchip", 99)]);
        check("6.6.30-current-rockchip64", "", &[], &[("Armbian", 90)]);
        check("6.1.115-vendor-rk35xx", "", &["rk-sip"], &[("Rockchip", 99)]);
        check("4.9.170", "", &["mali-bifrost"], &[("a SoC maker", 50)]);
        // `+rpt-rpi` and `-rpi-v` match one name.
        check("6.6.31+rpt-rpi-v8", "", &[], &[("Raspberry Pi", 95)]);
        check("6.1.0-13-arm64", "(debian-kernel@lists.debian.org)", &[], &[("Debian", 99)]);
        check("5.10.104-tegra", "", &["nv-gpu"], &[("Nvidia", 99)]);
        check("6.1.0-18-amd64", "", &[], &[("Debian", 85)]);
        check("6.12.38+deb13-arm64", "", &[], &[("Debian", 85)]);
        check("5.15.0-75-generic", "", &[], &[("Ubuntu", 85)]);
        for other in ["6.1.18-amd64", "6.1.0-18-amd64-mine", "x6.1.0-18-amd64", "6.1.0--amd64", "6.18.44-fc-v669"] {
            check(other, "", &[], &[]);
        }
    }
}
