//! Rule: thermal-throttling. The clock of CPUs was lowered because of heat.
//!
//! Evidence by weight: cooling devices of the kernel, limits lowered by the kernel, throttle counters of x86, kernel
//! messages, then clocks that fell at high temperature.

use super::place::{during, samples_place, step_place};
use super::slowdown::{self, Cause};
use super::{Rule, ThrottledPart, rpi_firmware, thermal_messages};
use facts::{EvidenceSource, Facts, Finding, Place, Quantity, Severity, view};
use record::{ChannelId, RuleId, Total, Variant};

pub(super) const RULE: Rule =
    Rule { throttles: ThrottledPart::ClockByHeat, ..Rule::new(RuleId::own("thermal-throttling"), check) };

/// A smaller share of time below the highest OPP is switching, not throttling.
const BELOW_TOP_SHARE_MIN: f64 = 0.005;
/// A smaller loss of clock is indistinguishable from noise in a score.
const LOSS_PERCENT_MIN: f64 = 1.0;
/// No kernel lowers limits because of heat below this temperature.
const WARM_MILLICELSIUS: i64 = 55_000;
/// A measured clock that is this much lower under load has fallen: readings agree within 0.5 %.
const MEASURED_FALL_PERCENT: f64 = 2.0;
/// Firmware that throttles unseen does so from about here.
const HIDDEN_MILLICELSIUS: i64 = 80_000;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let by_kernel =
        by_cooling(facts).or_else(|| by_limit(facts)).or_else(|| by_counters(facts)).or_else(|| by_messages(facts));
    if let Some(finding) = by_kernel {
        return vec![with_heat(facts, finding, slowdown::clock_loss_percent(facts))];
    }
    let by_clocks = by_falling_clock(facts);
    if !by_clocks.is_empty() {
        return by_clocks;
    }
    let hidden = by_residency(facts).or_else(|| by_measured_clock(facts));
    let hidden = hidden.map(|(finding, lost_percent)| with_heat(facts, finding, Some(lost_percent)));
    hidden.map_or_else(|| by_declines(facts), |finding| vec![finding])
}

/// True if the kernel itself reports throttling by heat.
pub(super) fn kernel_says_heat(facts: &Facts<'_>) -> bool {
    !facts.raised_cooling().is_empty() || by_counters(facts).is_some() || by_messages(facts).is_some()
}

/// Adds the temperature. A minimal loss of clock is harmless.
fn with_heat(facts: &Facts<'_>, mut finding: Finding, lost_percent: Option<f64>) -> Finding {
    if finding.value("temperature").is_none()
        && let Some(heat) = facts.heat_of_run()
    {
        finding = finding.with("temperature", Quantity::Millicelsius(heat.millicelsius_max));
    }
    traced(finding, lost_percent)
}

fn traced(mut finding: Finding, lost_percent: Option<f64>) -> Finding {
    if lost_percent.is_some_and(|lost| lost < LOSS_PERCENT_MIN) {
        finding.severity = Severity::Info;
    }
    finding
}

fn by_cooling(facts: &Facts<'_>) -> Option<Finding> {
    let cooling = facts.raised_cooling();
    let first = cooling.iter().min_by_key(|cooling| cooling.first_ms)?;
    let finding = Finding::new(
        RULE.id,
        Severity::Degraded,
        "The kernel throttled the CPUs, first after {first}[ at {temperature_at_first}: under load the clock dropped \
         from {clock_before} to {clock_after}, average {clock_mean} (cooling device {device})| (cooling device {device} \
         went from state {before} to {state})].",
    );
    let finding = finding
        .confidence(98)
        .with("first", Quantity::Ms(first.first_ms))
        .with("device", Quantity::Text(first.label.clone()))
        .with("before", Quantity::Count(first.before))
        .with("state", Quantity::Count(first.extreme))
        .at_all(
            cooling.iter().map(|cooling| samples_place(facts, &cooling.channel, cooling.first_ms, cooling.last_ms)),
        );
    let last_ms = cooling.iter().map(|cooling| cooling.last_ms).max().unwrap_or(first.last_ms);
    let finding = during(facts, finding, first.first_ms, last_ms);
    let finding = cooling.iter().fold(finding, |f, one| f.seen_by(EvidenceSource::CoolingDevice(one.channel.clone())));
    Some(clocks_and_heat(facts, finding, first.first_ms))
}

fn by_limit(facts: &Facts<'_>) -> Option<Finding> {
    let lowered = facts.limits_lowered();
    let first = lowered.iter().min_by_key(|limit| limit.first_ms)?;
    let heat = facts.heat_of_run();
    // Without a cooling device, another program may have lowered them: heat must at least be possible.
    let is_warm = heat.as_ref().is_none_or(|heat| heat.millicelsius_max >= WARM_MILLICELSIUS);
    is_warm.then(|| {
        let finding = Finding::new(
            RULE.id,
            Severity::Degraded,
            "The kernel lowered the clock limit from {before} to {limit}, first after {first}.",
        );
        let finding = finding
            .confidence(if heat.is_some() { 95 } else { 70 })
            .with("before", Quantity::Khz(first.before as u32))
            .with("limit", Quantity::Khz(first.extreme as u32))
            .with("first", Quantity::Ms(first.first_ms))
            .seen_by(EvidenceSource::LimitLowered(first.channel.clone()))
            .at(samples_place(facts, &first.channel, first.first_ms, first.last_ms));
        let last_ms = lowered.iter().map(|limit| limit.last_ms).max().unwrap_or(first.last_ms);
        clocks_and_heat(facts, during(facts, finding, first.first_ms, last_ms), first.first_ms)
    })
}

/// Clocks before and after and the temperature at the first moment.
fn clocks_and_heat(facts: &Facts<'_>, mut finding: Finding, first_ms: i64) -> Finding {
    if let Some(fall) = slowdown::worst(facts.clock_falls()) {
        finding = finding
            .with("clock_before", Quantity::Khz(fall.top_khz))
            .with("clock_after", Quantity::Khz(fall.low_khz))
            .with("clock_mean", Quantity::Khz(fall.mean_khz));
    }
    let around = record::Window { start_ms: first_ms - 2_000, end_ms: first_ms + 2_000, ..record::Window::default() };
    if let Some(heat) = facts.heat(&around) {
        let temp = Quantity::Millicelsius(heat.millicelsius_max);
        finding = finding.with("temperature_at_first", temp);
    }
    finding
}

/// Counters of thermal events on x86: `cpuN/thermal_throttle/core_throttle_count`.
fn by_counters(facts: &Facts<'_>) -> Option<Finding> {
    let counters = view::channels(facts, ChannelId::is_throttle_count);
    let grown: Vec<(&ChannelId, view::Reading, i64)> = counters
        .filter_map(|channel| {
            let steps = view::counter_steps(facts, channel, view::whole_run());
            let first = steps.iter().find(|step| step.value > 0).copied()?;
            let events = steps.iter().map(|step| step.value).total();
            Some((&channel.id, first, events))
        })
        .collect();
    let (channel, first, events) = grown.iter().min_by_key(|(_, first, _)| first.at_ms)?;
    Some(
        Finding::new(
            RULE.id,
            Severity::Degraded,
            "The CPU counted {events} thermal throttle events, first after {first}.",
        )
        .confidence(97)
        .with("events", Quantity::Count(*events))
        .with("first", Quantity::Ms(first.at_ms))
        .seen_by(EvidenceSource::ThrottleCounter((*channel).clone()))
        .at(samples_place(facts, channel, first.at_ms, first.at_ms)),
    )
}

fn by_messages(facts: &Facts<'_>) -> Option<Finding> {
    let template = "The kernel logged thermal throttling[ ({mechanism})]: \"{message}\".";
    thermal_messages::finding(facts, RULE.id, facts::Cause::Heat, template)
}

/// One finding for each workload whose clock dropped while it was hot.
fn by_falling_clock(facts: &Facts<'_>) -> Vec<Finding> {
    let mut falls = facts.clock_falls().to_vec();
    falls.retain(|fall| slowdown::cause(facts, fall, false) == Cause::Heat);
    let mut narrow = view::narrow_falls(facts, slowdown::hot_millicelsius(facts));
    narrow.retain(|_| !view::is_x86(facts) && !view::is_other_governor(facts));
    // A load on all CPUs is told before one on a single CPU.
    let groups = [slowdown::by_workload(&falls), slowdown::by_workload(&narrow)].concat();
    let found = groups.iter().map(|falls| {
        let soft = falls.iter().map(|fall| slowdown::soft_limit_of(facts, fall.low_khz)).reduce(Option::and).flatten();
        let template = if slowdown::names_clusters(facts, falls) {
            "During {phase}, clocks dropped at up to {temperature}: {clusters}."
        } else if soft.is_some() {
            "During {phase}, the clock dropped from {clock_before} to {clock_after} (average {clock_mean}) at up to \
                 {temperature}: the firmware of this board lowers it above {soft}."
        } else {
            "During {phase}, the clock dropped from {clock_before} to {clock_after} (average {clock_mean}) at up to \
                 {temperature}."
        };
        let finding = slowdown::with_falls(
            facts,
            Finding::new(RULE.id, Severity::Degraded, template).confidence(85),
            falls,
            |fall| fall.temp_millicelsius_max,
        );
        let finding = finding
            .with_known("soft", soft.map(|limit| Quantity::measured(limit.millicelsius as f64 / 1000.0, "°C", 0)));
        traced(finding, slowdown::loss_of_percent(facts, &falls[0].workload))
    });
    found.collect()
}

/// Time below the highest OPP is not evidence by itself: idle clusters of extensive runs spend thousands of seconds
/// there. It counts at high temperature; without a sensor heat and idling are indistinguishable. Also returns the loss
/// of clock in percent.
fn by_residency(facts: &Facts<'_>) -> Option<(Finding, f64)> {
    let below = facts.residency_below_top();
    let worst = below.iter().max_by_key(|below| below.below_ms)?;
    let heat = facts.heat_of_run()?;
    let is_hot = heat.millicelsius_max >= slowdown::hot_millicelsius(facts);
    let share = worst.below_ms as f64 / worst.total_ms.max(1) as f64;
    if share < BELOW_TOP_SHARE_MIN || !is_hot || rpi_firmware::is_raspberry_pi(facts) {
        return None;
    }
    let lost_percent = 100.0 * (1.0 - f64::from(worst.mean_khz) / f64::from(worst.top_khz));
    let cpus = if worst.cpus.is_empty() { "The CPUs".to_owned() } else { record::cpu_words(&worst.cpus) };
    let finding = Finding::new(
        RULE.id,
        Severity::Degraded,
        "{cpus} spent {below} of {total} below {clock_before}, down to {clock_after}.",
    )
    .confidence(85)
    .with("cpus", Quantity::Text(cpus))
    .with("below", Quantity::Ms(worst.below_ms))
    .with("total", Quantity::Ms(worst.total_ms))
    .with("clock_before", Quantity::Khz(worst.top_khz))
    .with("clock_after", Quantity::Khz(worst.low_khz))
    .at_all(below.iter().map(|below| below.place.clone()));
    Some((finding, lost_percent))
}

/// Firmware that throttles without telling the kernel shows in the measured clock only. Also returns the loss of clock
/// in percent.
fn by_measured_clock(facts: &Facts<'_>) -> Option<(Finding, f64)> {
    let heat = facts.heat_of_run()?;
    if heat.millicelsius_max < slowdown::hot_millicelsius(facts) {
        return None;
    }
    let all_cold = facts.cluster_clocks(&Variant::COLD_ALL_CPUS);
    let cold = if all_cold.is_empty() { facts.cluster_clocks(&Variant::COLD) } else { all_cold };
    let mut loaded = facts.cluster_clocks(&Variant::HOT_LOADED);
    loaded.retain(|clock| !view::is_short_of_cpus(facts, clock.step));
    let fell = loaded.iter().filter_map(|hot| {
        let before = cold.iter().find(|cold| cold.cpu == hot.cpu)?;
        let kept = f64::from(hot.measured_khz) / f64::from(before.measured_khz);
        Some((100.0 * (1.0 - kept), before, hot))
    });
    let (loss, before, after) = fell.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (loss >= after.tolerance_percent(MEASURED_FALL_PERCENT)).then(|| {
        let finding = Finding::new(
            RULE.id,
            Severity::Degraded,
            "CPU {cpu} measured {clock_before} cold and {clock_after} under load at up to {temperature}, but cpufreq \
             reports no change: the firmware throttles.",
        )
        .confidence(85)
        .with("cpu", Quantity::Count(after.cpu.into()))
        .with("clock_before", Quantity::Khz(before.measured_khz))
        .with("clock_after", Quantity::Khz(after.measured_khz))
        .with("temperature", Quantity::Millicelsius(heat.millicelsius_max))
        .at(step_place(facts, before.step))
        .at(step_place(facts, after.step))
        .at(Place::Samples { channel: heat.channel.clone(), start_ms: heat.at_ms, end_ms: heat.at_ms });
        (finding, loss)
    })
}

/// Results that fell at high temperature while the reported clock was constant: throttling that cpufreq does not
/// report. One finding for each workload.
fn by_declines(facts: &Facts<'_>) -> Vec<Finding> {
    let found = facts.declines().iter().filter_map(|decline| {
        let heat = facts.heat(&decline.window).filter(|heat| heat.millicelsius_max >= HIDDEN_MILLICELSIUS)?;
        let channel = view::unmoved_claim(facts, decline.window)?;
        let finding = Finding::new(
            RULE.id,
            Severity::Degraded,
            "{name} got slower by {fall} from its beginning to its end at up to {temperature}, while cpufreq reported no \
             change: the CPUs were throttled unseen by the kernel.",
        );
        Some(
            finding
                .confidence(65)
                .with("name", Quantity::Text(decline.name.clone()))
                .with("fall", Quantity::Percent(decline.fall_percent))
                .with("temperature", Quantity::Millicelsius(heat.millicelsius_max))
                .of(decline.steps.iter().copied())
                .during(decline.window.start_ms, decline.window.end_ms)
                .seen_by(EvidenceSource::Temperature(heat.channel.clone()))
                .seen_by(EvidenceSource::Scores)
                .at(Place::Samples { channel: heat.channel, start_ms: heat.at_ms, end_ms: heat.at_ms })
                .at(samples_place(facts, &channel, decline.window.start_ms, decline.window.end_ms)),
        )
    });
    found.collect()
}

#[cfg(test)]
mod tests;
