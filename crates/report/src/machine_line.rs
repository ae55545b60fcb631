//! Heading of the figures: machine, date, governor, version of the program, temperature.

use explain::monitor::day;
use facts::lines::wrapped_at;
use facts::{Facts, view};
use record::{Record, Variant, WorkloadId};

/// One or two lines; empty if all values are unknown.
pub(super) fn lines(facts: &Facts<'_>, columns: usize) -> String {
    let line = |parts: Vec<Option<String>>| {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { String::new() } else { wrapped_at(&parts.join(", "), 3, columns) + "\n" }
    };
    let machine = line(vec![name(facts), day(facts), governor(facts), Some(version(facts))]);
    let degrees = |millicelsius: i64| format!("{:.1} °C", millicelsius as f64 / 1000.0);
    let idle = facts.idle().map(|idle| {
        if idle.is_before_load {
            format!("Idle {}", degrees(idle.millicelsius))
        } else {
            format!("At the start {}", degrees(idle.millicelsius))
        }
    });
    let highest = facts.heat(&view::whole_run());
    let word = if idle.is_some() { "highest" } else { "Highest" };
    let highest = highest.map(|heat| format!("{word} {}", degrees(heat.millicelsius_max)));
    machine + &line(vec![idle, highest])
}

/// `Radxa ROCK 5A (Rockchip RK3588)`.
fn name(facts: &Facts<'_>) -> Option<String> {
    let name = facts::machine_name(&facts.machine).map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
    let soc = facts.soc();
    match (name, soc.known()) {
        (Some(name), Some(soc)) if !name.contains(soc.as_str()) => Some(format!("{name} ({soc})")),
        (None, Some(soc)) => Some(soc.clone()),
        (None, None) => Some("unknown board".to_owned()),
        (name, _) => name,
    }
}

/// `governor performance`, or the governors of several policies.
fn governor(facts: &Facts<'_>) -> Option<String> {
    let names = facts.governors_during_run();
    let word = if names.len() == 1 { "governor" } else { "governors" };
    (!names.is_empty()).then(|| format!("{word} {}", names.join("/")))
}

fn version(record: &Record) -> String {
    let version = record.source.version();
    match (version, is_before_0_4(record)) {
        ("", true) => "sbc-bench before 0.4".to_owned(),
        ("", false) => "sbc-bench, unknown version".to_owned(),
        (version, _) => format!("sbc-bench {version}"),
    }
}

/// True if a log without a version is older than 0.4: those logs began with the distribution and had only these
/// programs. Other logs without a version lost their first lines.
fn is_before_0_4(record: &Record) -> bool {
    const PROGRAMS: [WorkloadId; 4] =
        [WorkloadId::MemoryBandwidth, WorkloadId::MemoryLatency, WorkloadId::OpenSsl, WorkloadId::SevenZip];
    record.machine.distribution.known().is_some()
        && record
            .steps
            .iter()
            .all(|step| PROGRAMS.iter().any(|program| step.workload == *program) && step.variant != Variant::RAMLAT)
}
