//! Result of a sensitivity run as text: one table of workloads and clocks, then each core.

use super::{Level, Limiter, Sensitivity, results};
use facts::number::with_unit;
use facts::{Facts, view};
use record::{Record, SetClock};
use std::fmt::Write;

/// Width of a name.
const NAME_CHARS: usize = 24;

/// The section of a report; empty for runs that did not compare clocks.
pub fn text(facts: &Facts<'_>) -> String {
    let results = results(facts);
    let Some(first) = results.first() else { return String::new() };
    let mut text = format!("Clock sensitivity ({}):\n\n", how(first));
    let _ = writeln!(
        text,
        "   {:<24} {:>9} {:>16} {:>6} {:>9}  core utilisation in %",
        "workload", "clock", "score", "CPU/s", "needed"
    );
    for result in &results {
        for level in result.levels.iter().rev() {
            text.push_str(&row(result, level));
        }
        let _ = writeln!(text, "   {}", answer(result));
    }
    for sentence in results.iter().flat_map(|result| impossible(facts, result)) {
        let _ = writeln!(text, "   {sentence}");
    }
    text
}

fn how(result: &Sensitivity) -> &'static str {
    match result.levels.first().map(|level| level.clock) {
        Some(SetClock::SharePercent(_)) => "emulated by a CPU quota (no cpufreq)",
        _ => "clock set by cpufreq limits",
    }
}

fn row(result: &Sensitivity, level: &Level) -> String {
    let name = if result.levels.last() == Some(level) { result.name.as_str() } else { "" };
    // Long command lines are cut at the end.
    let name: String = name.chars().take(NAME_CHARS).collect();
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let score = with_unit(level.score, &result.unit);
    let cores: Vec<String> = level.cores.iter().map(|(_, percent)| format!("{percent:3.0}")).collect();
    let line = format!(
        "   {:<24} {:>9} {:>16} {:>6} {:>9}  {}",
        name,
        clock_words(level.clock),
        score,
        number(level.cpu_s_per_s),
        number(result.cpu_s_needed(level)),
        cores.join(" ")
    );
    line.trim_end().to_owned() + "\n"
}

/// `1800 MHz`, `40 %`.
pub(crate) fn clock_words(clock: SetClock) -> String {
    match clock {
        SetClock::Khz(khz) => format!("{} MHz", facts::finding::mhz(khz)),
        SetClock::SharePercent(percent) => format!("{percent} %"),
    }
}

/// `elasticity 1.00 (0.99 to 1.01), limited by: one core full; 152 % faster at the top`
pub(crate) fn answer(result: &Sensitivity) -> String {
    let Some(elasticity) = result.elasticity else {
        return "only one clock; nothing to compare".into();
    };
    let interval = match elasticity.interval {
        Some([low, high]) => format!("95 % interval {low:.2} to {high:.2}"),
        None => format!("{} rounds, too few for an interval", elasticity.rounds),
    };
    let gain = result
        .difference_words()
        .map_or(String::new(), |differs| format!("; it {differs} at the highest clock than at the lowest"));
    format!("elasticity {:.2} ({interval}), limited by: {}{gain}", elasticity.value, result.limiter.words())
}

/// Clocks at which the same work in the same time would need more CPUs than exist.
fn impossible(record: &Record, result: &Sensitivity) -> Option<String> {
    let cpus = view::cpu_count(record)?;
    let lowest = result.levels.first()?;
    let needed = result.cpu_s_needed(lowest)?;
    // Work that fills its cores at any clock takes longer, which is possible.
    let fills = matches!(result.limiter, Limiter::OneCore | Limiter::AllCores | Limiter::Memory);
    (needed > f64::from(cpus) && !fills).then(|| {
        format!(
            "{}: keeping its rate at {} would need {needed:.2} busy CPUs, but there are only {cpus}.",
            result.name,
            clock_words(lowest.clock)
        )
    })
}
