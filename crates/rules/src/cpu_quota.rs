//! Rule: cpu-quota. The benchmark got its CPUs in slices only: by a quota of its control group, or by a duty cycle.
//!
//! Undisturbed windows show the clock of the CPU; longer periods get less.

use super::place::{at_samples, step_place};
use super::{Rule, Subject, started_busy};
use facts::{Facts, Finding, Quantity, Severity, Share, view};
use record::{ChannelId, ClockWindows, ControlGroupChannel, RuleId, Total, Variant};

pub(super) const RULE: Rule = Rule {
    subjects: &[Subject::Clock, Subject::Memory, Subject::CoreToCore],
    ..Rule::new(RuleId::own("cpu-quota"), check)
};

/// Interrupts and the scheduler take less than 1 % of an otherwise idle CPU.
const WITHHELD_PERCENT_MIN: f64 = 5.0;
/// Throttled time of the group below this share of the run is ignored.
const THROTTLED_PERCENT_MIN: f64 = 1.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let throttled = throttled_time(facts);
    let worst = greatest_loss(facts);
    // Without the counter of the group the time may also have been stolen or used by others, which other rules cover.
    let stolen = facts.cpu_use(&view::whole_run());
    let is_stolen = stolen.iter().any(|usage| usage.steal >= WITHHELD_PERCENT_MIN);
    // A run that was forced to start on a busy machine shares its CPUs, which another rule reports.
    let is_shared = !started_busy::RULE.found(facts).is_empty();
    match (worst, throttled) {
        (Some(worst), Some(_)) if arrives_as_claimed(facts) || is_the_clock(facts, &worst) => {
            vec![as_claimed(facts, &worst)]
        }
        (worst, Some(throttled)) => vec![by_group(facts, worst.as_ref(), throttled)],
        (Some(worst), None) if !is_stolen && !is_shared => vec![by_readings(facts, &worst)],
        _ => Vec::new(),
    }
}

/// Clock reading with a lower rate over longer periods.
struct QuotaLoss<'a> {
    percent: f64,
    step: usize,
    cpu: u32,
    windows: &'a ClockWindows,
}

fn greatest_loss<'a>(facts: &'a Facts<'_>) -> Option<QuotaLoss<'a>> {
    let points = view::clock_passes(facts, &Variant::COLD).flat_map(|(step, clocks)| {
        let points = clocks.points.iter();
        let top = points.filter(move |point| view::is_top_point(clocks, point));
        top.map(move |point| (step, point))
    });
    let withheld = points.filter_map(|(step, point)| {
        let windows = point.windows.as_ref().filter(|windows| windows.best_khz > 0)?;
        let kept = f64::from(windows.sustained_khz) / f64::from(windows.best_khz);
        Some(QuotaLoss { percent: 100.0 * (1.0 - kept), step, cpu: point.cpu, windows })
    });
    withheld.max_by(|a, b| a.percent.total_cmp(&b.percent)).filter(|worst| worst.percent >= WITHHELD_PERCENT_MIN)
}

fn as_claimed(facts: &Facts<'_>, worst: &QuotaLoss) -> Finding {
    Finding::new(
        RULE.id,
        Severity::Info,
        "A CPU quota emulates the advertised clock: {clock_usable} effective of {clock_of_cpu} real. {clock_usable} \
         is the relevant figure.",
    )
    .confidence(85)
    .with("clock_of_cpu", Quantity::Khz(worst.windows.best_khz))
    .with("clock_usable", Quantity::Khz(worst.windows.sustained_khz))
    .at(step_place(facts, worst.step))
}

fn by_group(
    facts: &Facts<'_>,
    worst: Option<&QuotaLoss>,
    (share, channel, first_ms, last_ms): (Share, ChannelId, i64, i64),
) -> Finding {
    let finding = Finding::new(
        RULE.id,
        Severity::Degraded,
        "The benchmark's cgroup was throttled for {share} of CPU time by its quota: scores reflect the quota, not the \
         CPU.",
    )
    .confidence(97)
    .with("share", Quantity::Share(share));
    let finding = at_samples(facts, finding, &channel, first_ms, last_ms);
    match worst {
        Some(worst) => finding
            .with("clock_of_cpu", Quantity::Khz(worst.windows.best_khz))
            .with("clock_usable", Quantity::Khz(worst.windows.sustained_khz))
            .at(step_place(facts, worst.step)),
        None => finding,
    }
}

fn by_readings(facts: &Facts<'_>, worst: &QuotaLoss) -> Finding {
    Finding::new(
        RULE.id,
        Severity::Degraded,
        "CPU {cpu} runs at {best}, but sustained throughput equals {sustained} ({change}): {best} is the clock, \
         scores correspond to {sustained}.",
    )
    .confidence(70)
    .with("cpu", Quantity::Count(worst.cpu.into()))
    .with("best", Quantity::Khz(worst.windows.best_khz))
    .with("sustained", Quantity::Khz(worst.windows.sustained_khz))
    .with("change", Quantity::Percent(-worst.percent))
    .at(step_place(facts, worst.step))
}

/// Excess over the advertised clock in percent from which withholding the CPU emulates that clock.
const ABOVE_CLAIM_PERCENT: f64 = 10.0;

/// True if the CPU runs faster than advertised: withholding then emulates the advertised clock and costs nothing. An
/// x86 CPU without a table of clocks advertises less than its turbo.
fn is_the_clock(facts: &Facts<'_>, worst: &QuotaLoss) -> bool {
    let clocks = facts.cluster_clocks(&Variant::COLD);
    let claimed = clocks.iter().filter(|clock| clock.cpu == worst.cpu).find_map(|clock| clock.claimed_khz);
    let limit = 1.0 + ABOVE_CLAIM_PERCENT / 100.0;
    let is_faster = claimed.is_some_and(|khz| f64::from(worst.windows.best_khz) > limit * f64::from(khz));
    is_faster && !view::is_x86(facts)
}

/// True if the rate under the quota is the claimed clock, as on simulated boards.
fn arrives_as_claimed(facts: &Facts<'_>) -> bool {
    let clocks = facts.cluster_clocks(&Variant::COLD);
    let is_as_claimed = |clock: &view::ClusterClock| {
        let deviation = clock.deviation_percent();
        deviation.is_some_and(|deviation| deviation.abs() <= clock.tolerance_percent(0.0))
    };
    !clocks.is_empty() && clocks.iter().all(is_as_claimed)
}

/// Share of the sampled time in which the group was throttled, if any.
pub fn throttled_time(facts: &Facts<'_>) -> Option<(Share, ChannelId, i64, i64)> {
    let channel = facts.samples.channel(&ChannelId::ControlGroup(ControlGroupChannel::ThrottledTime))?;
    let steps = view::counter_steps(facts, channel, view::whole_run());
    let first = steps.iter().find(|step| step.value > 0)?;
    let last = steps.last()?;
    let elapsed_ms = facts.samples.at_ms.last()? - facts.samples.at_ms.first()?;
    let throttled_ns: i64 = steps.iter().map(|step| step.value).total();
    // The kernel adds up the times of all CPUs of the group.
    let cpus = f64::from(view::cpu_count(facts).unwrap_or(1));
    let share = Share::of(throttled_ns as f64, elapsed_ms.max(1) as f64 * 1e6 * cpus)?;
    (share.as_percent() * cpus >= THROTTLED_PERCENT_MIN).then(|| (share, channel.id.clone(), first.at_ms, last.at_ms))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{counter, own_run, point, with_clocks};
    use crate::tests::{findings_of, sentences};
    use facts::Severity;
    use record::{ChannelId, ControlGroupChannel, Fact, Gate, Unit, Variant};

    #[test]
    fn duty_cycle_is_distinguished_from_clock() {
        for (sustained_khz, expected) in [(900_000, 1), (1_790_000, 0)] {
            let mut reading = point(0, 1_800_000, 1_800_000);
            reading.windows.as_mut().unwrap().sustained_khz = sustained_khz;
            let record = with_clocks(own_run(), Variant::COLD, vec![reading]);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }

    #[test]
    fn other_work_on_the_cpus_is_no_quota() {
        let mut reading = point(0, 1_800_000, 1_800_000);
        reading.windows.as_mut().unwrap().sustained_khz = 900_000;
        let mut record = with_clocks(own_run(), Variant::COLD, vec![reading]);
        record.gate =
            Fact::Known(Gate { forced: true, passed: false, busy_hundredths_percent: 9_900, ..Gate::default() });
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }

    #[test]
    fn quota_matching_advertised_clock_is_info() {
        let half = [0, 250_000_000, 500_000_000, 750_000_000];
        let record =
            counter(own_run(), ChannelId::ControlGroup(ControlGroupChannel::ThrottledTime), Unit::Nanoseconds, &half);
        // Clock as claimed, and capped below the claim by firmware.
        for measured_khz in [1_505_000, 1_200_000] {
            let mut reading = point(0, 1_500_000, measured_khz);
            reading.windows.as_mut().unwrap().best_khz = 3_240_000;
            let found = findings_of(RULE.id, &with_clocks(record.clone(), Variant::COLD, vec![reading]));
            assert_eq!(found[0].severity, Severity::Info, "{measured_khz}");
        }
    }

    #[test]
    fn throttled_cgroup_is_reported() {
        let half = [0, 250_000_000, 500_000_000, 750_000_000];
        let record =
            counter(own_run(), ChannelId::ControlGroup(ControlGroupChannel::ThrottledTime), Unit::Nanoseconds, &half);
        assert_eq!(
            sentences(RULE.id, &record),
            ["The benchmark's cgroup was throttled for 12 % of CPU time by its quota: scores reflect the quota, not \
              the CPU."]
        );
        let record =
            counter(own_run(), ChannelId::ControlGroup(ControlGroupChannel::ThrottledTime), Unit::Nanoseconds, &[5; 4]);
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }
}
