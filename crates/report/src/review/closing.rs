//! Events during measurement and monitoring: throttling, power, temperatures, kernel messages, swap, device changes,
//! the result of each setting, and the validity of results.

use super::{list, section as with_heading};
use explain::watched::slowed_down;
use facts::plain::markdown;
use facts::{Explanation, Facts, Severity, stats};
use record::{Fact, KernelMessage, Outcome, Record, SettingChange, Step, UnrestoredSetting, WorkloadId, cpu_list};
use rules::survey;

/// Maximum number of printed messages; the Record has all.
const MESSAGES_SHOWN: usize = 40;
/// Maximum number of messages under the plain heading; longer lists are headed as excerpts.
const NOISE_MANY: usize = 20;
/// Messages of many systems that do not indicate a problem.
const NOISE: &[&str] = &["started with executable stack", "[UFW BLOCK]", "EDID"];

/// Empty for a review without measurement and monitoring.
pub(super) fn section(facts: &Facts<'_>, explained: &Explanation) -> String {
    if facts.steps.is_empty() && facts.surveys.len() < 2 {
        return String::new();
    }
    let parts = [
        watched(facts),
        settings(facts),
        changes(facts),
        messages(facts),
        swap(facts),
        offline(facts),
        validity(facts, explained),
    ];
    with_heading("Final report", &parts.concat())
}

/// Duration of monitoring, maximum temperature, marks, and command.
fn watched(facts: &Facts<'_>) -> String {
    let mut lines = Vec::new();
    let watch = facts.steps.iter().filter(|step| step.workload == WorkloadId::Watch);
    for step in watch {
        lines.push(format!(
            "Monitored for {}{}",
            facts::lines::duration(step.window.elapsed_ms()),
            while_running(step)
        ));
        lines.extend(failed(facts, step));
        lines.push(match facts.heat(&step.window) {
            Some(heat) => {
                let celsius = heat.millicelsius_max as f64 / 1000.0;
                format!("Highest temperature: {celsius:.1}°C")
            }
            None => "Temperature: no SoC temperature sensor".to_owned(),
        });
        lines.push(power(facts, step));
        let throttling = slowed_down(facts);
        lines.extend((!throttling.is_empty()).then_some(format!("Throttling: {throttling}")));
    }
    for mark in &facts.marks {
        lines.push(format!("Mark after {}: {}", facts::lines::duration(mark.at_ms), markdown(&mark.text)));
    }
    list(lines)
}

/// Failure of the monitored command, if any.
fn failed(record: &Record, watch: &Step) -> Option<String> {
    let at = record.steps.iter().position(|step| step == watch)?;
    let command = record.steps.get(at.checked_sub(1)?)?;
    match &command.outcome {
        Outcome::Failed(failure) if !watch.variant.is_only() => {
            Some(markdown(&format!("The command failed: {}", failure.message)))
        }
        _ => None,
    }
}

/// Mean and maximum power during this step, or the note that no sensor reports it.
fn power(facts: &Facts<'_>, step: &Step) -> String {
    let readings = facts.power_mw(&step.window);
    let watts: Vec<f64> = readings.iter().map(|(_, mw)| mw / 1000.0).collect();
    let highest = watts.iter().copied().fold(f64::NAN, f64::max);
    match (stats::mean(&watts), facts.power_source()) {
        (Some(mean), Some(source)) => {
            let of = source.part.as_ref().map_or_else(String::new, |part| format!(" ({part} alone)"));
            format!("Power: {mean:.2} W average, {highest:.2} W maximum{of}")
        }
        _ => "Power: no power meter".to_owned(),
    }
}

/// Settings that were changed, and whether they are restored.
fn settings(record: &Record) -> String {
    let option = |name: &str| {
        let mut given = record.run.options.iter();
        given.any(|option| option.eq_ignore_ascii_case(name))
    };
    if record.settings.is_empty() {
        let why = match (option("NOTUNING=yes"), record.run.as_root) {
            (true, _) => "NOTUNING=yes was set",
            (false, false) => "it needs root",
            (false, true) => "all settings are already at their fastest value or cannot be changed",
        };
        return list([format!("No setting was tuned: {why}")]);
    }
    let mut changes: Vec<&SettingChange> = Vec::new();
    for change in &record.settings {
        // The first change has the original value, and all changes of one path are restored together.
        if !changes.iter().any(|known| known.path == change.path) {
            changes.push(change);
        }
    }
    let line = |change: &&SettingChange| {
        let end = match UnrestoredSetting::of_change(change) {
            None => format!("restored to {}", markdown(&change.old)),
            Some(left) => markdown(&left.in_short()),
        };
        let (path, old) = (markdown(&change.path), markdown(&change.old));
        if change.disturbed {
            format!("{path}: disturbed by another setting, {end}")
        } else {
            format!("{path}: tuned from {old} to {}, {end}", markdown(&change.new))
        }
    };
    list(changes.iter().map(line))
}

fn while_running(step: &Step) -> String {
    if step.variant.is_only() { String::new() } else { format!(" while {} ran", markdown(step.variant.as_str())) }
}

fn changes(record: &Record) -> String {
    let [first, .., last] = record.surveys.as_slice() else {
        return String::new();
    };
    let found = survey::differences(first, last);
    if found.is_empty() {
        return list(["PCIe, USB and storage devices unchanged".to_owned()]);
    }
    let lines: Vec<String> = found.iter().map(|line| format!("    {}\n", facts::plain(line))).collect();
    format!("ATTENTION: devices changed since the start:\n\n{}\n", lines.concat())
}

fn messages(record: &Record) -> String {
    let messages = match &record.kernel_messages {
        Fact::Known(messages) => messages,
        // A missing kernel log must not look like a log without messages.
        Fact::Missing { missing } => {
            let why = markdown(&missing.to_string());
            return list([format!("Kernel messages not available: {why}")]);
        }
    };
    let matter: Vec<&KernelMessage> =
        messages.iter().filter(|message| !NOISE.iter().any(|noise| message.text.contains(noise))).collect();
    let heading = match matter.len() {
        0 => return list(["No kernel messages".to_owned()]),
        1..=NOISE_MANY => "Kernel messages:",
        _ => "Kernel messages (first ones):",
    };
    let line = |message: &&KernelMessage| {
        let at = message.at_ms.map(|ms| format!("[{:9.1}] ", ms as f64 / 1000.0)).unwrap_or_default();
        format!("    {at}{}\n", facts::plain(&message.text))
    };
    let shown: String = matter.iter().take(MESSAGES_SHOWN).map(line).collect();
    let more = match matter.len().saturating_sub(MESSAGES_SHOWN) {
        0 => String::new(),
        more => format!("    ... and {more} more\n"),
    };
    format!("{heading}\n\n{shown}{more}\n")
}

fn swap(facts: &Facts<'_>) -> String {
    let growth = facts.swap_growth();
    let grown_kib = growth.map_or(0, |growth| growth.after_kib.saturating_sub(growth.before_kib));
    match grown_kib {
        0 => String::new(),
        kib => list([format!("Swap in use grew by {} MiB", kib.div_ceil(1024))]),
    }
}

fn offline(record: &Record) -> String {
    let (Some(first), Some(last)) = (record.states.first(), record.states.last()) else {
        return String::new();
    };
    let gone: Vec<u32> = first.online_cpus.iter().copied().filter(|cpu| !last.online_cpus.contains(cpu)).collect();
    if gone.is_empty() { String::new() } else { list([format!("CPUs {} went offline", cpu_list(&gone))]) }
}

fn validity(record: &Record, explained: &Explanation) -> String {
    if record.steps.is_empty() {
        return String::new();
    }
    let heading = match has_results(record) {
        true => format!("Results validation: {}", explained.verdict),
        // A recording without workloads has no results to be invalid.
        false if explained.findings.iter().all(|f| f.severity == Severity::Info) => "Noted:".to_owned(),
        false => "Problems while monitoring:".to_owned(),
    };
    let lines = explained.findings.iter().map(|finding| markdown(&finding.sentence()));
    format!("\n{heading}\n\n{}", list(lines))
}

/// True if the machine was measured, not only monitored.
fn has_results(record: &Record) -> bool {
    let first_watch = record.steps.iter().position(|step| step.workload == WorkloadId::Watch);
    let command = first_watch.map(|at| if record.steps[at].variant.is_only() { at } else { at.saturating_sub(1) });
    command.is_none_or(|measured| measured > 0)
}
