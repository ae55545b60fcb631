//! Rule: clock-column-untrue. The clock reported by the kernel during the run is wrong.

use super::place::samples_place;
use super::{Rule, Subject};
use facts::stats::mean;
use facts::view::{ClockDoubt, DoubtedColumn};
use facts::{EvidenceSource, Facts, Finding, Quantity, Severity, view};
use record::{ChannelId, RuleId, StableSort, Window};

pub(super) const RULE: Rule =
    Rule { subjects: &[Subject::Clock], ..Rule::new(RuleId::own("clock-column-untrue"), check) };

/// Minimum drop of the scores that needs a cause.
const SCORE_FALL_PERCENT: f64 = 5.0;
/// Minimum change of a reported clock that shows the cause.
const CLOCK_FALL_PERCENT: f64 = 1.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let doubted = facts.doubted_columns();
    let columns_of = |kind: usize| {
        let columns = doubted.iter().map(|column| (severity(&column.doubt), column));
        let mut columns: Vec<((usize, f64), &DoubtedColumn)> = columns.filter(|((own, _), _)| *own == kind).collect();
        columns.stable_sort_by(|((_, a), _), ((_, b), _)| b.total_cmp(a));
        columns.into_iter().map(|(_, column)| column).collect::<Vec<_>>()
    };
    let mut findings: Vec<Finding> = (0..KINDS).filter_map(|kind| of_columns(facts, &columns_of(kind))).collect();
    findings.extend(unmoved(facts));
    findings
}

/// Number of kinds of doubts.
const KINDS: usize = 4;

/// Rank of the kind of a doubt, and its severity within the kind.
fn severity(doubt: &ClockDoubt) -> (usize, f64) {
    match doubt {
        ClockDoubt::AboveHighestOpp { claimed_khz, top_khz } => (0, f64::from(*claimed_khz) / f64::from(*top_khz)),
        ClockDoubt::Scatters { clock_percent, .. } => (1, *clock_percent),
        ClockDoubt::ContradictsMeasured { claimed_khz, measured_khz } => {
            (2, (f64::from(*measured_khz) / f64::from(*claimed_khz)).ln().abs())
        }
        ClockDoubt::BelowScores { times, .. } => (3, *times),
    }
}

/// Describes all columns of one kind in one sentence, with the values of the first, which is the worst.
fn of_columns(facts: &Facts<'_>, columns: &[&DoubtedColumn]) -> Option<Finding> {
    let of = |template| Finding::new(RULE.id, Severity::Info, template);
    let finding = match columns.first()?.doubt {
        ClockDoubt::AboveHighestOpp { claimed_khz, top_khz } => of(
            "The reported clock of {whose} is counted and cannot show a drop: it reads up to {claimed} on CPUs of at \
                most {top}. It is not used as evidence.",
        )
        .with("claimed", Quantity::Khz(claimed_khz))
        .with("top", Quantity::Khz(top_khz)),
        ClockDoubt::Scatters { clock_percent, score_percent } => of(
            "The reported clock of {whose} scatters by {scatter} while the multi-core scores differ by {spread}: it \
                cannot show a drop and is not used as evidence.",
        )
        .with("scatter", Quantity::Percent(clock_percent))
        .with("spread", Quantity::Percent(score_percent)),
        ClockDoubt::ContradictsMeasured { claimed_khz, measured_khz } => {
            of("The reported clock of {whose} is wrong: typically {claimed}, measured {measured}. It is not used as \
                evidence.")
            .with("claimed", Quantity::Khz(claimed_khz))
            .with("measured", Quantity::Khz(measured_khz))
        }
        ClockDoubt::BelowScores { claimed_khz, times } => of(
            "The reported clock of {whose} is wrong: at {claimed} all CPUs together would do {times} times the work of \
                single ones in each cycle. It is not used as evidence.",
        )
        .with("claimed", Quantity::Khz(claimed_khz))
        .with("times", Quantity::ratio(times, 1)),
    };
    let channels = columns.iter().map(|column| column.channel.to_string());
    let finding = finding
        .with("whose", whose(facts, columns))
        .with("channels", Quantity::Text(channels.collect::<Vec<_>>().join(", ")))
        .at_all(columns.iter().map(|column| samples_place(facts, &column.channel, 0, 0)));
    let witnesses = columns.iter().map(|column| EvidenceSource::ClaimedClock(column.channel.clone()));
    Some(witnesses.fold(finding, Finding::seen_by))
}

/// CPUs of the policies, or the channels if their policies are unknown.
fn whose(facts: &Facts<'_>, columns: &[&DoubtedColumn]) -> Quantity {
    let of = |channel: &ChannelId| match channel {
        ChannelId::Policy(number, _) => {
            let policy = facts.machine.policies.iter().find(|policy| policy.policy == *number)?;
            Some(policy.cpus.clone()).filter(|cpus| !cpus.is_empty())
        }
        _ => None,
    };
    let cpus: Option<Vec<Vec<u32>>> = columns.iter().map(|column| of(&column.channel)).collect();
    match cpus {
        Some(cpus) => {
            let mut cpus = cpus.concat();
            cpus.sort_unstable();
            Quantity::Cpus(cpus)
        }
        None => {
            let names: Vec<String> = columns.iter().map(|column| column.channel.to_string()).collect();
            Quantity::Text(names.join(", "))
        }
    }
}

/// Scores that dropped while the claimed clock stayed constant, without another cause.
fn unmoved(facts: &Facts<'_>) -> Option<Finding> {
    let is_of_use = view::fall(facts.halves()).is_some_and(|fall| fall.is_of_use());
    let is_of_clock = facts.clock_falls().iter().any(|fall| fall.low_share > 0.0);
    if is_of_use || is_of_clock {
        return None;
    }
    let totals = facts.multi_totals();
    let scores: Vec<f64> = totals.iter().map(|(_, mips)| *mips).collect();
    let fall = view::fall_percent(&scores).filter(|fall| *fall >= SCORE_FALL_PERCENT)?;
    let has_swapped = facts.swap_growth().is_some_and(|g| g.after_kib > g.before_kib);
    let window = facts.steps.get(totals.first()?.0)?.window;
    let last = facts.steps.get(totals.last()?.0)?.window;
    let whole = Window { end_ms: last.end_ms, ..window };
    let channels: Vec<_> = view::channels(facts, ChannelId::is_any_claim).collect();
    let moved = channels.iter().filter_map(|channel| {
        let readings = view::gauge(facts, channel, whole);
        let values: Vec<f64> = readings.iter().map(|reading| reading.value as f64).collect();
        let top = values.iter().copied().reduce(f64::max).filter(|_| values.len() >= 3)?;
        Some(100.0 * (1.0 - mean(&values)? / top))
    });
    let moved = moved.reduce(f64::max)?;
    if has_swapped || moved >= CLOCK_FALL_PERCENT || !view::claims_are_whole(facts) {
        return None;
    }
    Some(
        Finding::new(
            RULE.id,
            Severity::Info,
            "The multi-core score dropped by {fall} at a constant reported clock, which does not show why.",
        )
        .confidence(65)
        .with("fall", Quantity::Percent(fall))
        .at_all(channels.iter().map(|channel| samples_place(facts, &channel.id, whole.start_ms, whole.end_ms))),
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::*;
    use crate::tests::{findings_of, sentences};
    use record::{ChannelId, Unit, Variant, WorkloadId};

    #[test]
    fn low_reported_clock_is_wrong() {
        for (claimed, expected) in [(800_000, 1), (1_800_000, 0)] {
            let record = with_clocks(own_run(), Variant::COLD, vec![point(0, 1_800_000, 1_799_000)]);
            let record = with_step(record, WorkloadId::MemoryLatency, Variant::ONLY, &[0], (1.0, 4.0), compression(1));
            let record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (4.0, 8.0), compression(1));
            let khz: Vec<i64> = (0..16).map(|row| claimed - row % 3 * 20_000).collect();
            let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &khz);
            assert_eq!(findings_of(RULE.id, &record).len(), expected);
            assert_eq!(*facts::Facts::of(&record).clock_falls(), []);
        }
    }

    #[test]
    fn columns_of_one_kind_are_one_sentence() {
        let mut record = own_run();
        let policy = |number: u32, cpus: [u32; 2]| record::Policy {
            policy: number,
            cpus: cpus.to_vec(),
            opps_khz: vec![600_000, 1_800_000],
            ..record::Policy::default()
        };
        record.machine.policies = vec![policy(0, [0, 1]), policy(2, [2, 3])];
        let points = vec![point(0, 1_800_000, 1_799_000), point(2, 1_800_000, 1_799_000)];
        record = with_clocks(record, Variant::COLD, points);
        record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (1.0, 9.0), compression(1));
        for (policy, top_khz) in [(0, 2_000_000), (2, 2_100_000)] {
            let khz: Vec<i64> = (0..16).map(|row| top_khz - row % 4 * 60_000).collect();
            record = gauge_channel(record, ChannelId::claimed(policy), Unit::Kilohertz, &khz);
        }
        let said = sentences(RULE.id, &record);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("of CPUs 0-3 is counted") && said[0].contains("up to 2100 MHz"), "{said:?}");
    }

    #[test]
    fn scores_that_fall_without_the_clock_are_a_contradiction() {
        let mut record = own_run();
        for (index, score) in [10_798, 9_517, 9_076].into_iter().enumerate() {
            let window = (index as f64, index as f64 + 1.0);
            record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], window, compression(score));
        }
        let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &[1_900_800; 7]);
        assert_eq!(
            sentences(RULE.id, &record),
            ["The multi-core score dropped by 16 % at a constant reported clock, which does not show why."]
        );
    }

    #[test]
    fn scores_that_lack_cpu_time_are_no_matter_of_the_clock() {
        let mut record = own_run();
        for (index, (score, usage)) in [(10_798, 380), (9_517, 330), (9_076, 315)].into_iter().enumerate() {
            let (window, run) = ((index as f64, index as f64 + 1.0), compression_by_use(score, usage));
            record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], window, run);
        }
        let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &[1_900_800; 7]);
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }
}
