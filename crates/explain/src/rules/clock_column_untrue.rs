//! Rule: clock-column-untrue. The clock that the kernel claims while it runs cannot be true.

use super::place::samples_place;
use super::{Check, Rule, Subject};
use crate::stats::mean;

use crate::view::{ClockDoubt, DoubtedColumn};
use crate::{Finding, Quantity, Severity, Witness, view};
use record::{ChannelId, Record, RuleId, Window};

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("clock-column-untrue"),
    about: "The clock reported by cpufreq is wrong.",
    link: "https://docs.kernel.org/admin-guide/acpi/cppc_sysfs.html",
    check: Check::Record(check),
    subjects: &[Subject::Clock],
    ..Rule::PLAIN
};

/// A fall of the scores of this size needs a cause.
const SCORE_FALL_PERCENT: f64 = 5.0;
/// A claimed clock that moved less than this did not see that cause.
const CLOCK_FALL_PERCENT: f64 = 1.0;

fn check(record: &Record) -> Vec<Finding> {
    let doubted = view::doubted_columns(record).into_iter().map(|column| of_column(record, column));
    let mut findings: Vec<Finding> = doubted.collect();
    findings.extend(unmoved(record));
    findings
}

fn of_column(record: &Record, column: DoubtedColumn) -> Finding {
    let of = |template| Finding::new(RULE.id, Severity::Info, template);
    let finding = match column.doubt {
        ClockDoubt::AboveHighestOpp { claimed_khz, top_khz } => of(
            "The reported clock of {channel} is counted and cannot show a drop: it reads up to {claimed} on CPUs of at \
                most {top}. It is not used as evidence.",
        )
        .with("claimed", Quantity::Khz(claimed_khz))
        .with("top", Quantity::Khz(top_khz)),
        ClockDoubt::Scatters { clock_percent, score_percent } => of(
            "The reported clock of {channel} scatters by {scatter} while the multi-core scores differ by {spread}: it \
                cannot show a drop and is not used as evidence.",
        )
        .with("scatter", Quantity::Percent(clock_percent))
        .with("spread", Quantity::Percent(score_percent)),
        ClockDoubt::ContradictsMeasured { claimed_khz, measured_khz } => {
            of("The reported clock of {channel} is wrong: typically {claimed}, measured {measured}. It is not used as \
                evidence.")
            .with("claimed", Quantity::Khz(claimed_khz))
            .with("measured", Quantity::Khz(measured_khz))
        }
    };
    let place = samples_place(record, &column.channel, 0, 0);
    finding
        .with("channel", Quantity::Text(column.channel.to_string()))
        .seen_by(Witness::ClaimedClock(column.channel))
        .at(place)
}

/// Scores that fell while the claimed clock stayed where it was.
fn unmoved(record: &Record) -> Option<Finding> {
    let totals = view::multi_totals(record);
    let scores: Vec<f64> = totals.iter().map(|(_, mips)| *mips).collect();
    let fall = view::fall_percent(&scores).filter(|fall| *fall >= SCORE_FALL_PERCENT)?;
    let has_swapped = view::swap_growth(record).is_some_and(|g| g.after_kib > g.before_kib);
    let window = record.steps.get(totals.first()?.0)?.window;
    let last = record.steps.get(totals.last()?.0)?.window;
    let whole = Window { end_ms: last.end_ms, ..window };
    let channels: Vec<_> = view::channels(record, ChannelId::is_any_claim).collect();
    let moved = channels.iter().filter_map(|channel| {
        let readings = view::gauge(record, channel, whole);
        let values: Vec<f64> = readings.iter().map(|reading| reading.value as f64).collect();
        let top = values.iter().copied().reduce(f64::max).filter(|_| values.len() >= 3)?;
        Some(100.0 * (1.0 - mean(&values)? / top))
    });
    let moved = moved.reduce(f64::max)?;
    if has_swapped || moved >= CLOCK_FALL_PERCENT || !view::claims_are_whole(record) {
        return None;
    }
    Some(
        Finding::new(
            RULE.id,
            Severity::Info,
            "The multi-core score dropped by {fall} at a constant reported clock, which does not show why.",
        )
        .sure(65)
        .with("fall", Quantity::Percent(fall))
        .at_all(channels.iter().map(|channel| samples_place(record, &channel.id, whole.start_ms, whole.end_ms))),
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::tests::{findings_of, sentences};
    use crate::test_support::*;
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
            assert_eq!(crate::view::clock_falls(&record), []);
        }
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
}
