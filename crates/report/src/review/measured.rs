//! Measurements of a review: clocks cold and hot, performance baseline, and gains by tuning.

use super::{list, section};
use facts::change::signed_percent;
use facts::figures::main::done;
use facts::finding::mhz;
use facts::number::number;
use facts::plain::markdown;
use facts::{Facts, Finding, view};
use record::StableSort;
use record::{Bandwidth, Cipher, Compression, Latency, MemoryOperation, Record, Step, StepMeasurement, Total, Variant};
use rules::{ThrottledPart, survey};
use std::fmt::Write;

/// Smaller deviations are within the accuracy of a measurement.
const DEVIATION_PERCENT: f64 = 1.0;

pub(super) fn clocks(facts: &Facts<'_>, findings: &[Finding]) -> String {
    let (cold, loaded) = (facts.cluster_clocks(&Variant::COLD), facts.cluster_clocks(&Variant::HOT_LOADED));
    let hot = if loaded.is_empty() { facts.cluster_clocks(&Variant::HOT_AFTER) } else { loaded };
    let throttled = findings
        .iter()
        .any(|finding| matches!(rules::throttles(finding), ThrottledPart::ClockByHeat | ThrottledPart::Memory));
    let mut text = String::new();
    for (name, clocks, mark) in [("Before", &cold, ""), ("After", &hot, if throttled { " (throttled)" } else { "" })] {
        if clocks.is_empty() {
            continue;
        }
        let temperature = temperature(facts, name == "After");
        let _ = writeln!(text, "{name}{temperature}{mark}:\n");
        for line in clocks.iter().map(|clock| clock_line(facts, clock)) {
            let _ = writeln!(text, "    {line}");
        }
        text.push('\n');
    }
    section("Clockspeeds (idle vs. heated up)", &text)
}

fn temperature(facts: &Facts<'_>, last: bool) -> String {
    let Some(channel) = facts.soc_temperature() else {
        return String::new();
    };
    let mut values = channel.values.iter().flatten();
    let value = if last { values.max() } else { values.next() };
    value.map(|milli| format!(" at {:.1}°C", *milli as f64 / 1000.0)).unwrap_or_default()
}

/// `cpu4-cpu5 (Cortex-A76): OPP: 2400, Measured: 2302 (-4.1%)`
fn clock_line(record: &Record, clock: &view::ClusterClock) -> String {
    let cpus = &clock.cluster_cpus;
    let name = match (cpus.first(), cpus.last()) {
        (Some(first), Some(last)) if first != last => format!("cpu{first}-cpu{last}"),
        _ => format!("cpu{}", clock.cpu),
    };
    let core = core_type(record, clock.cpu);
    let claimed = clock.claimed_khz.map(|khz| format!("OPP: {}, ", khz / 1000)).unwrap_or_default();
    let deviation = clock
        .deviation_percent()
        .filter(|percent| percent.abs() > DEVIATION_PERCENT)
        .map(|percent| format!(" ({percent:+.1}%)"))
        .unwrap_or_default();
    format!("{name}{core}: {claimed}Measured: {}{deviation}", mhz(clock.measured_khz))
}

/// Core type of a CPU: ` (Cortex-A76)`.
fn core_type(record: &Record, cpu: u32) -> String {
    let cluster = record.machine.clusters.iter().find(|cluster| cluster.cpus.contains(&cpu));
    let name = cluster.and_then(|cluster| cluster.core_type.known());
    name.map(|name| format!(" ({})", facts::plain(name))).unwrap_or_default()
}

pub(super) fn baseline(record: &Record) -> String {
    let mut lines = Vec::new();
    for step in &record.steps {
        match done(step) {
            Some(StepMeasurement::Bandwidth(bandwidth)) => {
                lines.push(format!("{}{}", place(record, step), rates(bandwidth)))
            }
            Some(StepMeasurement::Latency(latency)) => {
                let place = place(record, step);
                lines.extend(latencies(latency).iter().map(|line| format!("{place}{line}")));
            }
            _ => {}
        }
    }
    lines.extend(packers(record));
    let ciphers = record.steps.iter().filter_map(|step| match done(step)? {
        StepMeasurement::Cipher(cipher) if cipher.algorithm.starts_with("aes-256") => {
            Some(cipher_line(record, step, cipher))
        }
        _ => None,
    });
    lines.extend(ciphers);
    let untuned = record.run.options.iter().any(|option| option.to_lowercase() == "notuning=yes");
    let heading = if untuned { "Performance baseline (NOTUNING=yes was set)" } else { "Performance baseline" };
    section(heading, &list(lines))
}

/// `cpu0 (Cortex-A55) ` as a prefix of a score; empty if all CPUs are alike.
fn place(record: &Record, step: &Step) -> String {
    match step.cpus.first() {
        Some(cpu) if record.machine.clusters.len() > 1 => {
            format!("cpu{cpu}{} ", core_type(record, *cpu))
        }
        _ => String::new(),
    }
}

fn rates(bandwidth: &Bandwidth) -> String {
    let best = |operation: MemoryOperation| {
        let rows = bandwidth.rows.iter().filter(move |row| row.operation == operation);
        rows.filter_map(|row| row.bytes_per_s.iter().max().copied()).max()
    };
    let named =
        [("memcpy", MemoryOperation::Copy), ("memchr", MemoryOperation::Read), ("memset", MemoryOperation::Fill)];
    let words: Vec<String> = named
        .iter()
        .filter_map(|(name, operation)| Some(format!("{name}: {:.1} MB/s", best(*operation)? as f64 / 1e6)))
        .collect();
    words.join(", ")
}

/// Rows at 16 and 128 MiB, which represent memory of boards and of servers.
fn latencies(latency: &Latency) -> Vec<String> {
    let wanted = [(16 << 20, "16M"), (128 << 20, "128M")];
    wanted
        .iter()
        .filter_map(|(bytes, name)| {
            let row = latency.rows.iter().find(|row| row.size_bytes == *bytes)?;
            let columns: Vec<String> = row.ns.iter().map(|ns| ns.map_or("-".into(), |ns| format!("{ns:.1}"))).collect();
            Some(format!("{name} latency: {}", columns.join(" ")))
        })
        .collect()
}

fn packers(record: &Record) -> Option<String> {
    let totals = |variant: Variant| -> Vec<u32> {
        record
            .steps
            .iter()
            .filter(|step| step.variant == variant)
            .filter_map(|step| match done(step)? {
                StepMeasurement::Compression(Compression { total_mips, .. }) => Some(*total_mips),
                _ => None,
            })
            .collect()
    };
    let (multi, single) = (totals(Variant::MULTI), totals(Variant::SINGLE));
    let name = record.steps.iter().find(|step| matches!(done(step), Some(StepMeasurement::Compression(_))))?;
    // The built-in compressor has another unit and must not look like 7-zip.
    let name = name.workload.label();
    let text = |values: &[u32]| values.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let mut words = Vec::new();
    if !multi.is_empty() {
        let mean = multi.iter().map(|mips| u64::from(*mips)).total::<u64>() / multi.len() as u64;
        words.push(format!("({} consecutive runs): {} ({mean} avg)", multi.len(), text(&multi)));
    }
    if !single.is_empty() {
        words.push(format!("single-threaded: {}", text(&single)));
    }
    Some(format!("{name} MIPS {}", words.join(", ")))
}

fn cipher_line(record: &Record, step: &Step, cipher: &Cipher) -> String {
    let rates: Vec<String> =
        cipher.rows.iter().map(|(_, rate)| format!("{:>12}", format!("{:.2}k", *rate as f64 / 1000.0))).collect();
    let core = step.cpus.first().filter(|_| record.machine.clusters.len() > 1);
    let core = core.map(|cpu| core_type(record, *cpu)).unwrap_or_default();
    format!("`{:<11} {}{core}`", facts::plain(&cipher.algorithm), rates.join(" "))
}

/// Gain of each group of settings, and of all groups.
pub(super) fn gains(record: &Record) -> String {
    let gains = survey::attribution(record);
    let Some(whole) = survey::whole_gain(record) else {
        return String::new();
    };
    let mut text = String::from("Measured as found, then after setting one group after the other to performance:\n\n");
    for gain in gains.iter().chain((gains.len() > 1).then_some(&whole)) {
        let _ = writeln!(text, "  * {}:", markdown(&gain.group));
        let mut counted: Vec<_> = gain.rows.iter().filter(|row| row.counts()).collect();
        counted.stable_sort_by(|a, b| b.gain_percent.abs().total_cmp(&a.gain_percent.abs()));
        if counted.is_empty() {
            let _ = writeln!(text, "      - no difference beyond run-to-run variation");
        }
        for row in counted {
            let _ = writeln!(
                text,
                "      - {}: {} ({} to {} {}, run-to-run variation {:.1} %)",
                markdown(&row.name),
                signed_percent(row.change_percent, 1),
                number(row.before, &row.unit),
                number(row.after, &row.unit),
                markdown(&row.unit),
                row.noise_percent
            );
        }
    }
    text.push_str("\nBursty and I/O-bound work gains more from governors than these constant loads.\n");
    section("Gain from tuning", &text)
}
