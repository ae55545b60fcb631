//! End of the log: residency below the top OPP, kernel messages, final state, topology.

use super::header;
use facts::{Finding, soc};
use record::{Record, Residency, StableSort, cpu_list};
use rules::ThrottledPart;
use std::fmt::Write;

/// Maximum number of printed kernel messages; the Record has all.
const KERNEL_MESSAGES_SHOWN: usize = 200;

/// Time at every OPP, printed only if a busy CPU was below its top OPP.
pub(super) fn residencies(record: &Record, findings: &[Finding]) -> String {
    let throttled = findings.iter().any(|finding| rules::throttles(finding) == ThrottledPart::ClockByHeat);
    let states = facts::view::states_of_last_part(record);
    let (Some(first), Some(last)) = (states.first(), states.last()) else {
        return String::new();
    };
    if !throttled || states.len() < 2 {
        return String::new();
    }
    let mut text = String::new();
    for after in &last.residencies {
        let before = first.residencies.iter().find(|before| before.cpus == after.cpus);
        let for_cpus = match last.residencies.len() {
            1 => String::new(),
            _ => format!(" for CPUs {}", cpu_list(&after.cpus)),
        };
        let heading = "Throttling statistics (time spent on each cpufreq OPP)";
        let _ = write!(text, "{heading}{for_cpus}:\n\n");
        for (khz, ms) in difference(before, after) {
            let seconds = if ms == 0 { "0".to_owned() } else { format!("{:.2}", ms as f64 / 1000.0) };
            let _ = writeln!(text, "{:>4} MHz: {seconds:>7} sec", khz / 1000);
        }
        text.push('\n');
    }
    text
}

/// `(kHz, milliseconds)` between two moments, highest OPP first.
fn difference(before: Option<&Residency>, after: &Residency) -> Vec<(u32, u64)> {
    let spent = |(khz, ms): &(u32, u64)| {
        let start = before.and_then(|b| b.khz_ms.iter().find(|(known, _)| known == khz));
        (*khz, ms.saturating_sub(start.map_or(0, |(_, ms)| *ms)))
    };
    let mut rows: Vec<(u32, u64)> = after.khz_ms.iter().map(spent).collect();
    rows.stable_sort_by_key(|(khz, _)| std::cmp::Reverse(*khz));
    rows
}

pub(super) fn kernel_messages(record: &Record) -> String {
    let Some(messages) = record.kernel_messages.known().filter(|list| !list.is_empty()) else {
        return String::new();
    };
    let mut text = "dmesg output while running the benchmarks:\n\n".to_owned();
    let uptime_ms = record.run.uptime_ms.known().and_then(|ms| i64::try_from(*ms).ok());
    for message in messages.iter().take(KERNEL_MESSAGES_SHOWN) {
        let since_boot =
            message.at_ms.zip(uptime_ms).map(|(at_ms, uptime_ms)| at_ms.saturating_add(uptime_ms) as f64 / 1e3);
        let _ = match since_boot {
            Some(seconds) => writeln!(text, "[{seconds:>12.3}] {}", message.text),
            // Indented, because a message may begin like a heading.
            None => writeln!(text, "  {}", message.text),
        };
    }
    if messages.len() > KERNEL_MESSAGES_SHOWN {
        let more = messages.len() - KERNEL_MESSAGES_SHOWN;
        let _ = writeln!(text, "({more} more in the result file)");
    }
    text
}

/// Final memory and swap, topology, kernel and userland.
pub(super) fn state(record: &Record) -> String {
    let machine = &record.machine;
    let mut text = String::new();
    if let Some(state) = record.states.last() {
        let _ = writeln!(text, "{}", header::memory(state));
    }
    text.push_str(&facts::view::topology(&record.machine));
    let known = |fact: &record::Fact<String>| fact.known().cloned().unwrap_or_else(|| "-".into());
    let _ = writeln!(text, "\nSoC guess: {}", known(&soc::name(machine)));
    for (index, compatible) in machine.compatible.iter().enumerate() {
        let label = if index == 0 { "DT compat:" } else { "" };
        let _ = writeln!(text, "{label:>10} {compatible}");
    }
    let _ = writeln!(text, " Userland: {}", known(&machine.userland_arch));
    if let Some(bytes) = machine.page_size_bytes.known().filter(|bytes| **bytes != 4096) {
        let _ = writeln!(text, "Page size: {}kB", bytes / 1024);
    }
    let virtualisation = machine.virtualisation.known().filter(|kind| *kind != "none");
    let virtualisation = virtualisation.map_or(String::new(), |kind| format!(" ({kind})"));
    let _ =
        writeln!(text, "   Kernel: {}/{}{virtualisation}", known(&machine.kernel_release), known(&machine.kernel_arch));
    let cost = &record.samples.cost;
    if cost.elapsed_ns > 0 {
        let _ = writeln!(
            text,
            "  Sampler: {} samples, {:.3} % of one core",
            cost.ticks,
            100.0 * cost.cpu_ns as f64 / cost.elapsed_ns as f64
        );
    }
    text.push_str(&features(record));
    text
}

fn features(record: &Record) -> String {
    let mut text = String::new();
    for feature in &record.machine.features {
        let _ = writeln!(text, "  * {}: {}", feature.name, feature.value);
    }
    if text.is_empty() {
        return text;
    }
    format!("\nStatus of performance related settings:\n\n{text}")
}
