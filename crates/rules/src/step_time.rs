//! Rule: step-time. A workload lost time, with all parts of its time.

use super::place::step_place;
use super::{CPU_AND_MEMORY, Rule};
use facts::view::{self, StepTime, TimePart};
use facts::{EvidenceSource, Facts, Finding, Quantity, Severity, Share};
use record::{RuleId, SetClock, WorkBound};

pub(super) const RULE: Rule = Rule { loads: CPU_AND_MEMORY, ..Rule::new(RuleId::own("step-time"), check) };

/// Smallest loss that is worth a sentence, in percent of the time of the step.
const LOST_PERCENT_MIN: f64 = 2.0;
/// Smallest part that counts as one of several losses, in percent.
const LOSS_PERCENT_MIN: f64 = 0.5;
/// Shorter steps start and end within the resolution of the counters.
const STEP_MS_MIN: i64 = 2_000;
/// Parts below this share of the time are rounding, in percent.
const PART_PERCENT_MIN: f64 = 0.2;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    // The few rows of a log say less than the columns of 7-zip, which other rules read.
    if view::is_log(facts) {
        return Vec::new();
    }
    let steps = facts.steps.iter().enumerate().filter(|(_, step)| {
        let bound = WorkBound::of(&step.workload, &step.variant);
        let is_emulated = matches!(step.set_clock, Some(SetClock::SharePercent(_)));
        RULE.loads.contains(&bound) && step.window.elapsed_ms() >= STEP_MS_MIN && !is_emulated
    });
    let times: Vec<(usize, StepTime)> =
        steps.filter_map(|(index, step)| Some((index, view::step_time(facts, step)?))).collect();
    let percent = |ms: f64, time: &StepTime| 100.0 * ms / time.available_ms;
    let stopped = |time: &StepTime| percent(time.part_ms(TimePart::Stopped), time);
    let harmed: Vec<usize> =
        times.iter().filter(|(_, time)| stopped(time) >= LOST_PERCENT_MIN).map(|(index, _)| *index).collect();
    let shown = if harmed.is_empty() {
        times.iter().max_by(|a, b| percent(a.1.lost_ms(), &a.1).total_cmp(&percent(b.1.lost_ms(), &b.1)))
    } else {
        times.iter().max_by(|a, b| stopped(&a.1).total_cmp(&stopped(&b.1)))
    };
    let Some((index, time)) = shown.filter(|(_, time)| percent(time.lost_ms(), time) >= LOST_PERCENT_MIN) else {
        return Vec::new();
    };
    // Other rules report a single one of these.
    let is_reported = |part: TimePart| matches!(part, TimePart::Stolen | TimePart::Quota | TimePart::OtherTasks);
    let losses = time.parts.iter().filter(|(part, ms)| part.is_loss() && percent(*ms, time) >= LOSS_PERCENT_MIN);
    if losses.clone().count() < 2 && losses.clone().all(|(part, _)| is_reported(*part)) {
        return Vec::new();
    }
    let (severity, template) = if harmed.is_empty() {
        (Severity::Info, "{step} (run {run}) had {available} of CPU time: {parts}.")
    } else {
        (
            Severity::Degraded,
            "{step} (run {run}) stood still for {stopped}, stopped or frozen from outside. Its {available} of CPU time: \
             {parts}.",
        )
    };
    let ms = |value: f64| Quantity::Ms(value.round() as i64);
    let parts = time.parts.iter().filter(|(_, of_part)| percent(*of_part, time) >= PART_PERCENT_MIN);
    let parts: Vec<String> = parts.map(|(part, of_part)| format!("{} {}", ms(*of_part), part.words())).collect();
    let step = &facts.steps[*index];
    let finding = Finding::new(RULE.id, severity, template)
        .confidence(85)
        .with("step", Quantity::Text(view::step_name(step)))
        .with("run", Quantity::Count(i64::from(step.repetition) + 1))
        .with("available", ms(time.available_ms))
        .with("parts", Quantity::Text(parts.join(", ")))
        .with_known("share", Share::of(time.lost_ms(), time.available_ms).map(Quantity::Share))
        .of(if harmed.is_empty() { vec![*index] } else { harmed })
        .during(step.window.start_ms, step.window.end_ms)
        .seen_by(EvidenceSource::CpuTime)
        .at(step_place(facts, *index));
    vec![time.parts.iter().fold(finding, |finding, (part, of_part)| finding.with(part.key(), ms(*of_part)))]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, counter, own_run, with_step};
    use crate::tests::findings_of;
    use facts::Severity;
    use record::{ChannelId, Fact, MeasuredChannel, Resource, StallKind, Unit, Variant, WorkloadId};

    #[test]
    fn lost_time_is_told_with_its_sum() {
        for (cpu_ms, delay_ms, stalled_ms, still, expected) in [
            (9_900, 50, 0, false, None),
            // `background-activity` reports this one.
            (9_000, 900, 0, false, None),
            (
                8_000,
                900,
                1_000,
                false,
                Some((
                    Severity::Info,
                    "7-zip single-threaded (run 1) had 10.0 s of CPU time: 8.0 s in user mode, 900 ms waiting for a CPU, \
                     1.0 s waiting for memory, 100 ms unknown.",
                )),
            ),
            (
                7_400,
                100,
                0,
                true,
                Some((
                    Severity::Degraded,
                    "7-zip single-threaded (run 1) stood still for 2.5 s, stopped or frozen from outside. Its 10.0 s of CPU \
                     time: 7.4 s in user mode, 100 ms waiting for a CPU, 2.5 s stopped or frozen.",
                )),
            ),
        ] {
            let (work, variant) = (WorkloadId::SevenZip, Variant::SINGLE);
            let mut record = with_step(own_run(), work, variant, &[0], (0.0, 10.0), compression(1));
            let counters = &mut record.steps[0].counters;
            counters.task_clock_ns = Fact::Known(cpu_ms * 1_000_000);
            counters.run_delay_ns = Fact::Known(delay_ms * 1_000_000);
            let stalled: Vec<i64> = (0..=20).map(|row| row * stalled_ms * 1000 / 20).collect();
            let memory = ChannelId::Pressure(Resource::Memory, StallKind::Full);
            record = counter(record, memory, Unit::Microseconds, &stalled);
            if still {
                let ran = |row: i64| if row < 10 { row } else { (row - 5).max(9) } * 500_000_000;
                let ran: Vec<i64> = (0..=20).map(ran).collect();
                record = counter(record, ChannelId::MeasuredThreads(MeasuredChannel::Cpu), Unit::Nanoseconds, &ran);
                record =
                    counter(record, ChannelId::MeasuredThreads(MeasuredChannel::RunDelay), Unit::Nanoseconds, &[0; 21]);
            }
            let found = findings_of(RULE.id, &record);
            let found = found.first().map(|finding| (finding.severity, finding.sentence()));
            assert_eq!(found, expected.map(|(severity, sentence)| (severity, sentence.to_owned())));
        }
    }
}
