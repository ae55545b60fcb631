//! What happened while the machine was measured and watched: throttling, power, temperatures, kernel
//! messages, swap, changes of devices, and whether the results are valid.

use super::{list, section as with_heading};
use crate::plain::markdown;
use crate::{Finding, cpu_list, survey, verdict, view};
use record::{KernelMessage, Record, Step};

/// Messages that are shown; the Record has all.
const MESSAGES_SHOWN: usize = 40;
/// From here on it is lots of noise, and below two it is none.
const NOISE_MANY: usize = 20;
/// Messages of many systems that mean nothing.
const NOISE: &[&str] = &["started with executable stack", "[UFW BLOCK]", "EDID"];

/// Empty for a review that measured and watched nothing.
pub(super) fn section(record: &Record, findings: &[Finding]) -> String {
    if record.steps.is_empty() && record.surveys.len() < 2 {
        return String::new();
    }
    let parts = [
        watched(record),
        changes(record),
        messages(record),
        swap(record),
        offline(record),
        validity(record, findings),
    ];
    with_heading("Final report", &parts.concat())
}

/// How long it was watched, how hot it got, what was typed, what ran.
fn watched(record: &Record) -> String {
    let mut lines = Vec::new();
    let watch = record.steps.iter().filter(|step| step.workload == "watch");
    for step in watch {
        lines.push(format!(
            "Watched for {}{}",
            duration(step.window.elapsed_ms()),
            while_running(step)
        ));
        if let Some(heat) = view::heat(record, step.window) {
            let celsius = heat.millicelsius_max as f64 / 1000.0;
            lines.push(format!("Highest temperature meanwhile: {celsius:.1}°C"));
        }
    }
    for mark in &record.marks {
        lines.push(format!(
            "Mark after {}: {}",
            duration(mark.at_ms),
            markdown(&mark.text)
        ));
    }
    list(lines)
}

fn while_running(step: &Step) -> String {
    match step.variant.as_str() {
        "" => String::new(),
        command => format!(" while {} ran", markdown(command)),
    }
}

fn duration(ms: i64) -> String {
    let seconds = ms / 1000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

fn changes(record: &Record) -> String {
    let [first, .., last] = record.surveys.as_slice() else {
        return String::new();
    };
    let found = survey::differences(first, last);
    if found.is_empty() {
        return list(["PCIe, USB and storage are as they were".to_owned()]);
    }
    let lines: Vec<String> = found
        .iter()
        .map(|line| format!("    {}\n", crate::plain(line)))
        .collect();
    format!(
        "ATTENTION: devices are not as they were at the start:\n\n{}\n",
        lines.concat()
    )
}

fn messages(record: &Record) -> String {
    let Some(messages) = record.kernel_messages.known() else {
        return String::new();
    };
    let matter: Vec<&KernelMessage> = messages
        .iter()
        .filter(|message| !NOISE.iter().any(|noise| message.text.contains(noise)))
        .collect();
    let heading = match matter.len() {
        0 => return list(["The kernel had nothing to say".to_owned()]),
        1..=NOISE_MANY => "The kernel said meanwhile:",
        _ => "The kernel said a lot meanwhile:",
    };
    let line = |message: &&KernelMessage| {
        let at = message.at_ms.map_or(0.0, |ms| ms as f64 / 1000.0);
        format!("    [{at:9.1}] {}\n", crate::plain(&message.text))
    };
    let shown: String = matter.iter().take(MESSAGES_SHOWN).map(line).collect();
    let more = match matter.len().saturating_sub(MESSAGES_SHOWN) {
        0 => String::new(),
        more => format!("    ... and {more} more\n"),
    };
    format!("{heading}\n\n{shown}{more}\n")
}

fn swap(record: &Record) -> String {
    let growth = view::swap_growth(record);
    let grown_kib = growth.map_or(0, |growth| {
        growth.after_kib.saturating_sub(growth.before_kib)
    });
    match grown_kib {
        0 => String::new(),
        kib => list([format!("Swap in use grew by {} MiB", kib.div_ceil(1024))]),
    }
}

fn offline(record: &Record) -> String {
    let (Some(first), Some(last)) = (record.states.first(), record.states.last()) else {
        return String::new();
    };
    let gone: Vec<u32> = first
        .online_cpus
        .iter()
        .copied()
        .filter(|cpu| !last.online_cpus.contains(cpu))
        .collect();
    match gone.is_empty() {
        true => String::new(),
        false => list([format!("CPUs {} went offline meanwhile", cpu_list(&gone))]),
    }
}

fn validity(record: &Record, findings: &[Finding]) -> String {
    if record.steps.is_empty() {
        return String::new();
    }
    let lines = findings.iter().map(|finding| markdown(&finding.sentence()));
    format!(
        "\nResults validation: {}\n\n{}",
        verdict(findings),
        list(lines)
    )
}
