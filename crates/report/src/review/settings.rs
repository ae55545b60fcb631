//! Governors and policies: original values, values of tuning, and available choices.

use super::section as with_heading;
use facts::plain;
use record::{Record, Scaler, ScalerKind, Survey};
use std::fmt::Write;

pub(super) fn section(record: &Record, first: &Survey) -> String {
    let shown: Vec<&Scaler> = first.scalers.iter().filter(|scaler| has_choice(scaler)).collect();
    let mut text = String::new();
    if !shown.is_empty() {
        let _ = writeln!(text, "Original governor settings:\n");
        for scaler in &shown {
            let _ = writeln!(text, "    {}{}", line(scaler, governor(scaler)), choices(scaler));
        }
        let tuned: Vec<String> =
            shown.iter().filter_map(|scaler| Some(line(scaler, &changed(record, scaler)?))).collect();
        if !tuned.is_empty() {
            let _ = writeln!(text, "\nTuned governor settings:\n");
            tuned.iter().for_each(|line| {
                let _ = writeln!(text, "    {line}");
            });
        }
        text.push('\n');
    }
    let policies: Vec<String> = first
        .choices
        .iter()
        .filter(|choice| choice.all.len() > 1)
        .map(|choice| {
            let all = choice
                .all
                .iter()
                .map(|one| if *one == choice.chosen { format!("[{}]", plain(one)) } else { plain(one) });
            let now = tuned_choice(record, &choice.path);
            let now = now.map(|now| format!(" (set to {now} for the benchmarks)")).unwrap_or_default();
            format!("    {}: {}{now}", plain(&choice.path), all.collect::<Vec<_>>().join(" "))
        })
        .collect();
    if !policies.is_empty() {
        let _ = writeln!(text, "Status of performance related policies found below /sys:\n\n{}", policies.join("\n"));
    }
    let heading = if shown.is_empty() {
        "Policies (performance vs. idle consumption)"
    } else {
        "Governors/policies (performance vs. idle consumption)"
    };
    with_heading(heading, &text)
}

/// False for a single governor at a single clock, which leaves no choice.
fn has_choice(scaler: &Scaler) -> bool {
    let only = scaler.governors.len() == 1 && scaler.governor.known() == scaler.governors.first();
    scaler.governor.known().is_some() && !only
}

fn governor(scaler: &Scaler) -> &str {
    scaler.governor.known().map_or("", String::as_str)
}

/// `cpufreq-policy0: ondemand / 1800 MHz`
fn line(scaler: &Scaler, governor: &str) -> String {
    let name = match scaler.kind {
        ScalerKind::Cpu => format!("cpufreq-{}", plain(&scaler.name)),
        _ => plain(&scaler.name),
    };
    let tuned = governor != self::governor(scaler);
    let clock = if tuned { scaler.clock_hz_max.known() } else { scaler.clock_hz.known() };
    let clock = clock.map(|hz| format!(" / {} MHz", hz / 1_000_000)).unwrap_or_default();
    format!("{name}: {}{clock}", plain(governor))
}

/// ` (ondemand performance / 408 600 816)`
fn choices(scaler: &Scaler) -> String {
    let governors: Vec<String> = scaler.governors.iter().map(|governor| plain(governor)).collect();
    let clocks: Vec<String> = scaler.clocks_hz.iter().map(|hz| (hz / 1_000_000).to_string()).collect();
    let parts: Vec<String> =
        [governors.join(" "), clocks.join(" ")].into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(" / ")) }
}

/// Governor that the run set, if any.
fn changed(record: &Record, scaler: &Scaler) -> Option<String> {
    let path = match scaler.kind {
        ScalerKind::Cpu => format!("{}/scaling_governor", scaler.path),
        _ => format!("{}/governor", scaler.path),
    };
    tuned_choice(record, &path)
}

fn tuned_choice(record: &Record, path: &str) -> Option<String> {
    let change = record.settings.iter().find(|change| change.path == path)?;
    Some(plain(&change.new))
}
