//! Rule: scores-decline. The runs on all CPUs became slower from the first to the last.

use super::Rule;
use super::place::step_place;
use super::scores_unstable::of_runs;
use facts::stats::mean;
use facts::view::Difference;
use facts::{EvidenceSource, Facts, Finding, Quantity, Severity, view};
use record::{ChannelId, RuleId, Window};

pub(super) const RULE: Rule = Rule::new(RuleId::own("scores-decline"), check);

/// Runs of 7-zip on a quiet, cool board differ by less than 2 %.
const FALL_PERCENT_MIN: f64 = 3.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let totals = facts.multi_totals();
    let scores: Vec<f64> = totals.iter().map(|(_, mips)| *mips).collect();
    let Some(fall) = view::fall_percent(&scores).filter(|fall| *fall >= FALL_PERCENT_MIN) else { return Vec::new() };
    let steps: Vec<usize> = totals.iter().map(|(step, _)| *step).collect();
    let runs = facts.halves();
    let by_use = view::fall(runs).filter(view::Fall::is_of_use);
    let by_clock = clock_fall_percent(facts, &steps).filter(|_| by_use.is_none());
    let template = match (by_clock, by_use, view::differs(runs)) {
        (Some(_), ..) => {
            "The multi-core score dropped by {fall} from the first to the last run ({scores} MIPS); the clock dropped by \
             {by_clock}."
        }
        (None, Some(_), _) => {
            "The multi-core score dropped by {fall} from the first to the last run ({scores} MIPS): its threads got \
             {last_use} instead of {first_use} of CPU time[, and {others} had the rest]."
        }
        (None, None, Difference::CompressionRate) => {
            "The multi-core score dropped by {fall} from the first to the last run ({scores} MIPS): only compression differs, \
             at equal CPU use ({rate} MIPS for each CPU)."
        }
        (None, None, Difference::Rate) => {
            "The multi-core score dropped by {fall} from the first to the last run ({scores} MIPS) at equal CPU use: each \
             second of CPU time did less work ({rate} MIPS for each CPU)."
        }
        (None, None, _) => "The multi-core score dropped by {fall} from the first to the last run ({scores} MIPS).",
    };
    let mut finding = Finding::new(RULE.id, Severity::Degraded, template)
        .confidence(95)
        .with("fall", Quantity::Percent(fall))
        .with("scores", Quantity::numbers(scores.iter().copied(), "", 0))
        .with("rate", of_runs(runs, |run| run.compressing_rate))
        .of(steps.iter().copied())
        .seen_by(EvidenceSource::Scores)
        .at_all(steps.iter().map(|step| step_place(facts, *step)));
    if let Some(fall) = by_use {
        let [first, last] = fall.use_percent.map(Quantity::Percent);
        let others = view::others_with_the_rest(facts, &steps).map(|others| Quantity::Text(others.to_owned()));
        finding = finding.with("first_use", first).with("last_use", last).with_known("others", others);
    }
    if let Some(percent) = by_clock {
        finding = finding.with("by_clock", Quantity::Percent(percent));
    }
    vec![finding]
}

/// Fall of the mean claimed clock from the first to the last run, if any.
/// Logs do not say when each run began; there the window is cut into equal parts.
fn clock_fall_percent(facts: &Facts<'_>, steps: &[usize]) -> Option<f64> {
    let (first, last) = (*steps.first()?, *steps.last()?);
    let (mut early, mut late) = (facts.steps[first].window, facts.steps[last].window);
    if early == late {
        let part = early.elapsed_ms() / steps.len() as i64;
        early.end_ms = early.start_ms + part;
        late.start_ms = late.end_ms - part;
    }
    let clock = |window: Window| {
        let channels = view::channels(facts, ChannelId::is_any_claim);
        let readings = channels.flat_map(|channel| view::gauge(facts, channel, window));
        mean(&readings.map(|reading| reading.value as f64).collect::<Vec<_>>())
    };
    let fall = 100.0 * (1.0 - clock(late)? / clock(early)?);
    (fall >= 0.5).then_some(fall)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, gauge_channel, own_run, with_step};
    use crate::tests::sentences;
    use record::{ChannelId, Record, Unit, Variant, WorkloadId};

    fn run(scores: [u32; 3]) -> Record {
        let mut record = own_run();
        for (index, score) in (0..).zip(scores) {
            let window = (f64::from(index), f64::from(index) + 0.9);
            record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], window, compression(score));
        }
        record
    }

    #[test]
    fn falling_scores_are_explained_by_the_clock() {
        let record = run([20_002, 16_428, 16_415]);
        assert_eq!(
            sentences(RULE.id, &record),
            ["The multi-core score dropped by 18 % from the first to the last run (20002, 16428, 16415 MIPS)."]
        );
        let khz = [3_600_000, 3_600_000, 2_900_000, 2_900_000, 3_060_000, 3_060_000];
        let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &khz);
        assert_eq!(
            sentences(RULE.id, &record),
            [
                "The multi-core score dropped by 18 % from the first to the last run (20002, 16428, 16415 MIPS); the clock \
                 dropped by 15 %."
            ]
        );
    }

    #[test]
    fn scores_that_stay_are_fine() {
        assert_eq!(sentences(RULE.id, &run([5345, 5370, 5331])), [""; 0]);
        assert_eq!(sentences(RULE.id, &run([5000, 5370, 5380])), [""; 0]);
    }
}
