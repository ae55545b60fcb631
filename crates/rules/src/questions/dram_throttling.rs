//! Rule: dram-throttling. Whether memory became slower by heat, as distinct from slower CPUs.

use crate::tables::{Answer, Rule, ThrottledPart};
use facts::view::{self, step_name, step_score};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{Mode, QuestionId, RuleId, Step, Window};

/// The answer to it.
pub(super) const ANSWER: Answer =
    Answer { id: QuestionId::DramThrottling, text: Answer::NO_TEXT, reports: &[], plots: &[], rules: &[RULE] };

const RULE: Rule = Rule {
    throttles: ThrottledPart::Memory,
    about: "Whether memory or CPUs are slower after a stress load than before.",
    ..Rule::new(RuleId::own("dram-throttling"), check)
};

/// Spread of latency and bandwidth on quiet boards.
const LOSS_PERCENT_MIN: f64 = 5.0;

/// One workload before and after the load.
struct Pair<'a> {
    before: (usize, &'a Step),
    after: (usize, &'a Step),
    /// Slowdown in percent; negative if faster.
    loss_percent: f64,
}

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    if facts.run.mode != Mode::DramThrottling {
        return Vec::new();
    }
    let pairs = pairs(facts);
    // Some workloads wait for memory; the others of the run go with the CPU.
    let (memory, cpu): (Vec<&Pair>, Vec<&Pair>) = pairs.iter().partition(|pair| pair.before.1.workload.is_of_memory());
    let worst = |pairs: &[&Pair]| {
        let losses = pairs.iter().map(|pair| pair.loss_percent);
        losses.reduce(f64::max)
    };
    let (Some(of_memory), Some(of_cpu)) = (worst(&memory), worst(&cpu)) else { return Vec::new() };
    let (severity, verdict) = match (of_memory >= LOSS_PERCENT_MIN, of_cpu >= LOSS_PERCENT_MIN) {
        (true, false) => {
            (Severity::Degraded, "Memory is slower after the load, CPUs are not: the memory controller is throttled")
        }
        (true, true) => (
            Severity::Degraded,
            "Memory and CPUs are both slower after the load: CPU throttling may also affect memory",
        ),
        (false, true) => (Severity::Info, "Memory speed is unchanged after the load, CPUs are slower"),
        (false, false) => (Severity::Info, "Neither memory nor CPUs are slower after the load"),
    };
    let values: Vec<String> = pairs.iter().filter_map(words).collect();
    let clocks = memory_clocks(facts, &pairs);
    let megahertz = |mhz: i64| Quantity::measured(mhz as f64, "MHz", 0);
    let changes = clocks.is_some_and(|[low, high]| low != high);
    let places = pairs.iter().flat_map(|pair| [Place::Step(pair.before.0), Place::Step(pair.after.0)]);
    let finding = Finding::new(
        RULE.id,
        severity,
        "{verdict} ({values}); memory clock [{clock}|{lowest} to {highest}|not reported by this kernel].",
    )
    .confidence(90)
    .with("verdict", Quantity::Text(verdict.into()))
    .with("values", Quantity::Text(values.join("; ")))
    .with("memory_loss", Quantity::Percent(of_memory))
    .with("cpu_loss", Quantity::Percent(of_cpu))
    .with_known("clock", clocks.filter(|_| !changes).map(|[clock, _]| megahertz(clock)))
    .with_known("lowest", clocks.filter(|_| changes).map(|[low, _]| megahertz(low)))
    .with_known("highest", clocks.filter(|_| changes).map(|[_, high]| megahertz(high)))
    .at_all(places);
    vec![finding]
}

fn pairs<'a>(facts: &'a Facts<'_>) -> Vec<Pair<'a>> {
    let steps = || facts.steps.iter().enumerate();
    let first = steps().filter(|(_, step)| step.repetition == 0 && step_score(step).is_some());
    first
        .filter_map(|before| {
            let is_same = |step: &Step| {
                step.repetition == 1 && (&step.workload, &step.variant) == (&before.1.workload, &before.1.variant)
            };
            let after = steps().find(|(_, step)| is_same(step))?;
            let ratio = step_score(after.1)?.rate() / step_score(before.1)?.rate();
            Some(Pair { before, after, loss_percent: 100.0 * (1.0 - ratio) })
        })
        .collect()
}

/// `memory-latency 98.3 ns before, 131.2 ns after`.
fn words(pair: &Pair) -> Option<String> {
    let value = |step: &Step| {
        let score = step_score(step)?;
        Some(Quantity::Score(score.value, score.unit).to_string())
    };
    let (before, after) = (value(pair.before.1)?, value(pair.after.1)?);
    Some(format!("{} {before} before, {after} after", step_name(pair.before.1)))
}

/// Lowest and highest advertised clock of the memory in MHz from the first step to the last, if devfreq governs it.
fn memory_clocks(facts: &Facts<'_>, pairs: &[Pair]) -> Option<[i64; 2]> {
    let window = Window {
        start_ms: pairs.iter().map(|pair| pair.before.1.window.start_ms).min()?,
        end_ms: pairs.iter().map(|pair| pair.after.1.window.end_ms).max()?,
        ..Window::default()
    };
    let mut channels = facts.samples.channels.iter();
    let channel = channels.find(|channel| channel.id.is_memory_clock())?;
    let readings = view::gauge(facts, channel, window);
    let values = || readings.iter().map(|reading| reading.value / 1_000_000);
    Some([values().min()?, values().max()?])
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{gauge_channel, own_run, with_step};
    use crate::tests::sentences;
    use record::{ChannelId, DevfreqChannel, Mode, Record, Score, Scores, StepMeasurement, Unit, Variant, WorkloadId};

    /// Latency in ns and a cipher in MB/s, before and after.
    fn run(latency: [f64; 2], cipher: [f64; 2]) -> Record {
        let mut record = own_run();
        record.run.mode = Mode::DramThrottling;
        for half in 0..2 {
            for (name, value, unit, higher_is_better) in
                [(WorkloadId::MemoryLatency, latency[half], "ns", false), (WorkloadId::Aes, cipher[half], "MB/s", true)]
            {
                let scores = StepMeasurement::Scores(Scores {
                    rows: vec![Score { name: String::new(), value, unit: unit.into(), higher_is_better }],
                    ..Scores::default()
                });
                let start = record.steps.len() as f64;
                record = with_step(record, name, Variant::ONLY, &[0], (start, start + 1.0), scores);
                record.steps.last_mut().unwrap().repetition = half as u32;
            }
        }
        record
    }

    #[test]
    fn memory_and_cpu_throttling_are_distinguished() {
        for (latency, cipher, expected) in [
            ([100.0, 150.0], [900.0, 895.0], "the memory controller is throttled"),
            ([100.0, 150.0], [900.0, 600.0], "both slower"),
            ([100.0, 101.0], [900.0, 600.0], "CPUs are slower"),
            ([100.0, 99.0], [900.0, 905.0], "Neither memory nor CPUs"),
        ] {
            let found = sentences(RULE.id, &run(latency, cipher));
            assert!(found[0].contains(expected), "{found:?}");
            assert!(found[0].contains("memory latency 100.0 ns before"), "{found:?}");
            assert!(found[0].contains("not reported by this kernel"), "{found:?}");
        }
        let hz = [1_056_000_000, 528_000_000, 1_056_000_000, 1_056_000_000];
        let with_clock = gauge_channel(
            run([1.0; 2], [1.0; 2]),
            ChannelId::Devfreq("dmc".into(), DevfreqChannel::Claimed),
            Unit::Hertz,
            &hz,
        );
        let found = sentences(RULE.id, &with_clock);
        assert!(found[0].contains("528 MHz to 1056 MHz"), "{found:?}");
    }

    #[test]
    fn other_runs_are_ignored() {
        let mut record = run([100.0, 150.0], [1.0, 1.0]);
        record.run.mode = Mode::Standard;
        assert!(sentences(RULE.id, &record).is_empty());
    }
}
