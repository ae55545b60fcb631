//! Result of an efficiency run as text: the table and its meaning.

use super::{Anomaly, Idle, OppWalk, Point, idle, walks};
use facts::Facts;
use facts::finding::mhz;
use record::Record;
use std::fmt::Write;

/// The section of a report; empty for other runs.
pub fn text(facts: &Facts<'_>) -> String {
    let walks = walks(facts);
    if walks.is_empty() {
        return String::new();
    }
    let mut text = "Efficiency per OPP:\n\n".to_owned();
    let Idle { milliwatts, celsius } = idle(facts);
    let known =
        |value: Option<f64>, unit: &str| value.map_or("unknown".to_owned(), |value| format!("{value:.1}{unit}"));
    let _ = writeln!(
        text,
        "   Idle temperature: {}, idle power: {}",
        known(celsius, "°C"),
        milliwatts.map_or("unknown (no power meter)".into(), |mw| format!("{mw:.0} mW"))
    );
    if let Some(part) = facts.power_source().as_ref().and_then(|source| source.part.as_ref()) {
        let _ = writeln!(text, "   Power is that of {part}, not of the board.");
    }
    for walk in &walks {
        text.push_str(&table(walk));
        text.push_str(&left_out(facts, walk));
    }
    text
}

/// OPPs below this, in kHz, are left out where no `MinKHz` is given: a point would take minutes.
const SLOW_KHZ: u32 = 600_000;

/// OPPs of the fastest policy of the set that have no row, and why.
fn left_out(record: &Record, walk: &OppWalk) -> String {
    let policies = record.machine.policies.iter();
    let of_set = policies.filter(|policy| policy.cpus.iter().any(|cpu| walk.cpus.contains(cpu)));
    let fastest = of_set.max_by_key(|policy| policy.opps_khz.last().copied());
    let known = |khz: &u32| walk.points.iter().any(|point| point.opp_khz == *khz);
    let missing = fastest.map(|policy| policy.opps_khz.iter().copied().filter(|khz| !known(khz)));
    let missing: Vec<u32> = missing.into_iter().flatten().collect();
    let (Some(lowest), Some(highest)) = (missing.first(), missing.last()) else { return String::new() };
    let names: Vec<String> = missing.iter().map(|khz| (khz / 1000).to_string()).collect();
    let why = if *highest < SLOW_KHZ {
        format!("OPPs below {} MHz take minutes each; set MinKHz={lowest} to include them", SLOW_KHZ / 1000)
    } else {
        "outside MinKHz and MaxKHz, or not reached".to_owned()
    };
    format!("   Not tested: {} MHz ({why}).\n", names.join(", "))
}

/// Precision of the scores and its cost: `7-33 values within 0.2-0.9 %, 11-14 s per clock`.
fn care(walk: &OppWalk) -> String {
    let points = || walk.points.iter();
    let values = range(points().map(|point| point.values as f64), 0);
    let seconds = range(points().map(|point| point.elapsed_ms as f64 / 1000.0), 0);
    let known = points().filter_map(|point| Some(100.0 * point.half_width?));
    match known.clone().count() {
        0 => format!("{values} values, {seconds} s per OPP"),
        _ => format!("{values} values, 95 % interval within {} %, {seconds} s per OPP", range(known, 1)),
    }
}

/// `smallest to largest`, or the single value.
fn range(values: impl Iterator<Item = f64> + Clone, digits: usize) -> String {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = (format!("{low:.digits$}"), format!("{high:.digits$}"));
    if low == high { low } else { format!("{low}-{high}") }
}

fn table(walk: &OppWalk) -> String {
    let mut text = format!("\n   Testing through CPU {}:", record::cpu_list(&walk.cpus));
    text.push_str(&format!(" {}\n\n", care(walk)));
    let has_firmware = walk.points.iter().any(|point| point.firmware_khz.is_some());
    let names = if has_firmware { "Sysfs/ThreadX/Tested" } else { "Sysfs/Tested" };
    let _ = writeln!(text, "   {names:>12}: {:>8} /   Temp /    Watt / mJ per {}", walk.unit, walk.unit);
    for (index, point) in walk.points.iter().enumerate() {
        text.push_str(&row(walk, index, point));
    }
    for (index, anomaly) in &walk.anomalies {
        let _ = writeln!(text, "   {}", sentence(&walk.points[*index], anomaly));
    }
    text
}

fn row(walk: &OppWalk, index: usize, point: &Point) -> String {
    let mhz = |khz: f64| format!("{:.0}", khz / 1000.0);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let measured = or_dash(point.measured_khz.map(|khz| mhz(f64::from(khz))));
    let firmware = point.firmware_khz.map_or(String::new(), |khz| format!("{:>4} / ", mhz(khz)));
    let mark = if walk.sweet_spot == Some(index) { "  <- sweet spot" } else { "" };
    format!(
        "   {:>5} / {firmware}{measured:>4}: {:>8} {:>8} {:>9} {:>8}{mark}\n",
        mhz(f64::from(point.opp_khz)),
        digits(point.score),
        or_dash(point.celsius.map(|celsius| format!("{celsius:.1}°C"))),
        or_dash(point.milliwatts.map(|mw| format!("{mw:.0}mW"))),
        or_dash(point.energy().map(|energy| format!("{energy:.3}"))),
    )
}

fn digits(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// An anomaly as a sentence.
pub(crate) fn sentence(point: &Point, anomaly: &Anomaly) -> String {
    let opp = mhz(point.opp_khz);
    match anomaly {
        Anomaly::NotHonoured(percent) => {
            let measured = point.measured_khz.map_or_else(String::new, |khz| format!(" {} MHz", mhz(khz)));
            format!("OPP {opp} MHz is not honoured: measured{measured} ({percent:+.0} %).")
        }
        Anomaly::HeldBack => {
            format!("OPP {opp} MHz could not be sustained: heat or a power limit lowered the clock.")
        }
        Anomaly::OutOfProportion(percent) => format!(
            "OPP {opp} MHz is inefficient: it needs {percent:.0} % more energy per unit of work than the neighbouring \
             OPPs suggest."
        ),
        Anomaly::FlatVoltage(span) => format!(
            "The voltage does not drop with the clock: over the {} MHz below {opp} MHz, energy per unit of work stays \
             nearly constant.",
            span / 1000
        ),
    }
}
