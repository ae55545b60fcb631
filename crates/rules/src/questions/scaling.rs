//! Report: scaling. Rule: cpu-scaling. Score of increasing numbers of CPUs against the sum of what each reaches alone.
//!
//! The sum counts cores: a second CPU of a core (SMT) does not add to it, so SMT shows as more than 100 %. CPUs with
//! one core type and highest clock are equal; one of each kind was measured alone.

use super::memory;
use crate::tables::{Answer, Report, Role, Rule};
use facts::lines::{COLUMNS, explanation, narrowed, unmeasured, wrapped};
use facts::number::number;
use facts::stats::{mean, median};
use facts::view::{self, step_score};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::StableSort;
use record::{
    ChannelId, Mode, Outcome, QuestionId, Record, RuleId, Step, StepMeasurement, Total, WorkloadId, cpu_list,
};
use std::fmt::Write;

const SCALING: &str = "scaling";

/// The answer to it.
pub(super) const ANSWER: Answer =
    Answer { id: QuestionId::own(SCALING), text, reports: &[REPORT], plots: &[], rules: &[RULE] };

const REPORT: Report = Report {
    id: SCALING,
    about: "Scores of one, two ... all CPUs against the sum of what these CPUs reach alone.",
    fits: |record| !results(record).is_empty(),
    ..Report::lines(|record, explained, _, columns| {
        let mut told = text(record);
        if told.is_empty() {
            told.push_str("No scores of one and of several CPUs were measured.\n\n");
        }
        told.push_str(&explanation(explained, COLUMNS));
        for line in unmeasured(record, None, &[]) {
            let _ = writeln!(told, "{}", wrapped(&format!("Not measured: {line}"), 3));
        }
        narrowed(&told, columns)
    })
};

const RULE: Rule = Rule {
    role: Role::Answer,
    about: "How much of what all CPUs reach alone they reach together, and how much of the rest is due to their clock.",
    ..Rule::new(RuleId::own("cpu-scaling"), |facts| results(facts).iter().filter_map(finding).collect())
};

/// Less than this share of the sum, or of the clock, is noise.
const NOISE_PERCENT: f64 = 3.0;
/// Share of its own score below which another CPU hardly adds anything.
const LITTLE: f64 = 0.25;

/// One workload on increasing numbers of CPUs.
struct Scaling {
    name: &'static str,
    unit: String,
    /// By number of CPUs.
    points: Vec<Point>,
}

struct Point {
    cpus: Vec<u32>,
    /// Median of the rounds.
    score: f64,
    /// Sum of the scores of these CPUs, each alone.
    alone: f64,
    /// Clock relative to each of these CPUs alone; `None` if unknown.
    clock_percent: Option<f64>,
    /// Indices of the steps.
    steps: Vec<usize>,
}

impl Point {
    fn percent(&self) -> f64 {
        100.0 * self.score / self.alone
    }
}

struct SingleScore {
    cpu: u32,
    score: f64,
    khz: Option<f64>,
}

fn results(record: &Record) -> Vec<Scaling> {
    if record.run.mode != Mode::own(SCALING) {
        return Vec::new();
    }
    let workloads = [WorkloadId::Lzma, WorkloadId::Simd];
    workloads.into_iter().filter_map(|workload| result(record, workload)).collect()
}

fn result(record: &Record, workload: WorkloadId) -> Option<Scaling> {
    let is_own = |step: &Step| step.workload == workload;
    let scored = record.steps.iter().enumerate().filter(|(_, step)| is_own(step) && !step.cpus.is_empty());
    let scored: Vec<(usize, &Step)> = scored.filter(|(_, step)| step_score(step).is_some()).collect();
    let mut sets: Vec<&[u32]> = scored.iter().map(|(_, step)| step.cpus.as_slice()).collect();
    sets.stable_sort_by_key(|cpus| cpus.len());
    let largest = *sets.last()?;
    sets.dedup();
    let of = |cpus: &[u32]| scored.iter().filter(|(_, step)| step.cpus == cpus).copied().collect::<Vec<_>>();
    let alone = sets.iter().filter_map(|cpus| match cpus {
        [cpu] => {
            let steps = of(cpus);
            Some(SingleScore { cpu: *cpu, score: score(&steps)?, khz: clock(record, &steps) })
        }
        _ => None,
    });
    let alone: Vec<SingleScore> = alone.collect();
    // Only the first of the single CPUs: the others are only summed up.
    let own = sets.iter().filter(|cpus| cpus.len() > 1 || cpus[0] == largest[0]);
    let points: Vec<Point> = own.filter_map(|cpus| point(record, of(cpus), &alone)).collect();
    let unit = step_score(scored.first()?.1)?.unit;
    (points.len() > 1).then(|| Scaling { name: workload.label(), unit, points })
}

fn point(record: &Record, steps: Vec<(usize, &Step)>, alone: &[SingleScore]) -> Option<Point> {
    let cpus = steps.first()?.1.cpus.clone();
    let like =
        |cpu: &u32| alone.iter().find(|known| known.cpu == *cpu || kind(record, known.cpu) == kind(record, *cpu));
    let each: Vec<&SingleScore> = cpus.iter().map(like).collect::<Option<_>>()?;
    let cores = cpus.iter().zip(&each).filter(|(cpu, _)| !is_second(record, **cpu, &cpus));
    let before: Option<Vec<f64>> = each.iter().map(|known| known.khz).collect();
    let before = before.and_then(|khz| mean(&khz));
    let khz = clock(record, &steps);
    Some(Point {
        score: score(&steps)?,
        alone: cores.map(|(_, known)| known.score).total(),
        clock_percent: khz.zip(before).map(|(khz, before)| 100.0 * khz / before),
        steps: steps.iter().map(|(index, _)| *index).collect(),
        cpus,
    })
}

fn score(steps: &[(usize, &Step)]) -> Option<f64> {
    let scores: Vec<f64> = steps.iter().filter_map(|(_, step)| step_score(step)).map(|score| score.value).collect();
    median(&scores)
}

/// The mean clock of all CPUs of these steps, in kHz: counted, else as cpufreq claims it.
fn clock(record: &Record, steps: &[(usize, &Step)]) -> Option<f64> {
    let of = |step: &Step, cpu: u32| {
        let claimed = || {
            let policy = record.machine.policies.iter().find(|policy| policy.cpus.contains(&cpu))?.policy;
            let channel = record.samples.channel(&ChannelId::claimed(policy))?;
            let readings = view::clock_gauge(record, channel, step.window);
            mean(&readings.iter().map(|reading| reading.value as f64).collect::<Vec<_>>())
        };
        view::counted_khz(record, cpu, step.window).map(f64::from).or_else(claimed)
    };
    let all: Option<Vec<f64>> = steps.iter().flat_map(|(_, step)| step.cpus.iter().map(|cpu| of(step, *cpu))).collect();
    mean(&all?)
}

/// Kind of a CPU: core type and highest clock.
fn kind(record: &Record, cpu: u32) -> (Option<&str>, Option<u32>) {
    let known = record.machine.cpus.iter().find(|known| known.cpu == cpu);
    let policy = record.machine.policies.iter().find(|policy| policy.cpus.contains(&cpu));
    (
        known.and_then(|known| known.core_type.known()).map(String::as_str),
        policy.and_then(|policy| policy.clock_khz_max.known().copied()),
    )
}

/// True if an earlier CPU of the list shares the core of this one (SMT).
fn is_second(record: &Record, cpu: u32, cpus: &[u32]) -> bool {
    let known = record.machine.cpus.iter().find(|known| known.cpu == cpu);
    known.is_some_and(|known| known.siblings.iter().any(|other| *other < cpu && cpus.contains(other)))
}

fn text(facts: &Facts<'_>) -> String {
    let results = results(facts);
    let mut text = String::new();
    for result in &results {
        let unit = &result.unit;
        let _ = writeln!(text, "{} on several CPUs at once in {unit}, sum of all threads\n", result.name);
        text.push_str(" CPUs       score  times one   of the sum alone   clock   list\n");
        let one = result.points[0].score;
        for point in &result.points {
            let mut sorted = point.cpus.clone();
            sorted.sort_unstable();
            let clock = point.clock_percent.map_or("-".to_owned(), |percent| format!("{percent:.0} %"));
            let _ = writeln!(
                text,
                "{:>5} {:>11} {:>10.2} {:>16.0} % {clock:>7}   {}",
                point.cpus.len(),
                number(point.score, unit),
                point.score / one,
                point.percent(),
                cpu_list(&sorted),
            );
        }
        text.push('\n');
    }
    if !results.is_empty() {
        text.push_str(&notes(facts, &results));
        for step in &facts.steps {
            if let Outcome::Done(StepMeasurement::BandwidthCurve(curve)) = &step.outcome {
                text.push_str(&memory::scaling(curve));
            }
        }
    }
    text
}

fn notes(record: &Record, results: &[Scaling]) -> String {
    let points = || results.iter().flat_map(|result| &result.points);
    let mut notes = String::new();
    let has_second = |point: &Point| point.cpus.iter().any(|cpu| is_second(record, *cpu, &point.cpus));
    if points().any(has_second) {
        notes.push_str("A second CPU of the same core (SMT) adds nothing to the sum alone.\n");
    }
    if points().any(|point| point.clock_percent.is_some()) {
        notes.push_str("Clock: against the clock of these CPUs alone.\n\n")
    } else {
        notes.push_str("Clock: not measured, because this machine shows no clock of its CPUs.\n\n")
    }
    notes
}

fn finding(result: &Scaling) -> Option<Finding> {
    let (one, all) = (result.points.first()?, result.points.last()?);
    let finding = Finding::new(
        RULE.id,
        Severity::Info,
        "{name} on {cpus} CPUs reaches {times} times {one} of CPU {first}, {percent} of the sum that these CPUs reach \
         alone[; their clock is {slower} lower together, {rest} is lost to what they share (caches, memory) or to \
         other programs|; their clock is {slower} lower together, which explains it|; {why}][; beyond {enough} CPUs more of \
         them hardly add anything].",
    );
    let Loss { slower, rest, why } = loss(all);
    let percent = |percent: f64| Quantity::measured(percent, "%", 0);
    Some(
        finding
            .confidence(90)
            .with("name", Quantity::Text(result.name.into()))
            .with("cpus", Quantity::Count(all.cpus.len() as i64))
            .with("times", Quantity::ratio(all.score / one.score, 2))
            .with("one", Quantity::Score(one.score, result.unit.clone()))
            .with("first", Quantity::Count(one.cpus[0].into()))
            .with("percent", Quantity::Percent(all.percent()))
            .with_known("slower", slower.map(percent))
            .with_known("rest", rest.map(percent))
            .with_known("why", why.map(|why| Quantity::Text(why.to_owned())))
            .with_known("enough", enough(result).map(|cpus| Quantity::Count(cpus as i64)))
            .at_all(result.points.iter().flat_map(|point| &point.steps).map(|step| Place::Step(*step))),
    )
}

/// Causes of the difference between all CPUs together and the sum of each alone.
#[derive(Default)]
struct Loss {
    /// Percent by which the clock is lower together.
    slower: Option<f64>,
    /// Percent that the clock does not explain.
    rest: Option<f64>,
    /// Cause if the clock is the same.
    why: Option<&'static str>,
}

fn loss(all: &Point) -> Loss {
    let lost = 100.0 - all.percent();
    let Some(clock) = all.clock_percent.filter(|_| lost > NOISE_PERCENT) else { return Loss::default() };
    let slower = 100.0 - clock;
    if slower <= NOISE_PERCENT {
        let why = "their clock is the same: the loss is due to what they share (caches, memory) or to other programs";
        return Loss { why: Some(why), ..Loss::default() };
    }
    let rest = 100.0 - 100.0 * all.percent() / clock;
    Loss { slower: Some(slower), rest: Some(rest).filter(|rest| *rest > NOISE_PERCENT), why: None }
}

/// Number of CPUs from which more hardly add anything.
fn enough(result: &Scaling) -> Option<usize> {
    let adds_little = |pair: &[Point]| pair[1].score - pair[0].score < LITTLE * (pair[1].alone - pair[0].alone);
    let at = result.points.windows(2).rposition(|pair| !adds_little(pair)).map_or(0, |index| index + 1);
    let point = result.points.get(at)?;
    (at + 1 < result.points.len()).then_some(point.cpus.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{gauge_channel, own_run, series, with_step};
    use crate::tests::sentences;
    use expect_test::expect;
    use record::{Cpu, Fact, Policy, Unit};

    /// Two CPUs of each core type; scores by the CPUs that worked.
    fn run(core_types: &[(&str, u32)], scores: &[(&[u32], f64)]) -> Record {
        let mut record = own_run();
        record.run.mode = Mode::own(SCALING);
        let names = core_types.iter().flat_map(|(name, _)| [*name; 2]).zip(0..);
        let cpu = |(name, cpu): (&str, u32)| Cpu {
            cpu,
            online: true,
            core_type: Fact::Known(name.to_owned()),
            ..Cpu::default()
        };
        record.machine.cpus = names.map(cpu).collect();
        let policies = core_types.iter().zip(0..);
        let policy = |((_, mhz), number): (&(&str, u32), u32)| Policy {
            policy: 2 * number,
            cpus: vec![2 * number, 2 * number + 1],
            clock_khz_max: Fact::Known(mhz * 1000),
            ..Policy::default()
        };
        record.machine.policies = policies.map(policy).collect();
        for (cpus, score) in scores {
            let start = 2.0 * record.steps.len() as f64;
            let window = (start, start + 1.0);
            record = with_step(record, WorkloadId::Lzma, "on-cpus", cpus, window, series(&[*score; 3]));
        }
        record
    }

    #[test]
    fn sum_alone_is_that_of_each_kind_of_cpu() {
        let types = [("A55", 1800), ("A76", 2400)];
        let record =
            run(&types, &[(&[0], 10.0), (&[2], 30.0), (&[2, 3], 60.0), (&[2, 3, 0], 69.0), (&[2, 3, 0, 1], 64.0)]);
        expect![[r#"
            lzma on several CPUs at once in kH/s, sum of all threads

             CPUs       score  times one   of the sum alone   clock   list
                1       30.00       1.00              100 %       -   2
                2       60.00       2.00              100 %       -   2-3
                3       69.00       2.30               99 %       -   0,2-3
                4       64.00       2.13               80 %       -   0-3

            Clock: not measured, because this machine shows no clock of its CPUs.

        "#]]
        .assert_eq(&text(&Facts::of(&record)));
        expect![[r#"
            [
                "lzma on 4 CPUs reaches 2.13 times 30.00 kH/s of CPU 2, 80 % of the sum that these CPUs reach alone; beyond 3 CPUs more of them hardly add anything.",
            ]
        "#]]
        .assert_debug_eq(&sentences(RULE.id, &record));
    }

    #[test]
    fn lower_clock_is_told_from_what_cpus_share() {
        let check = |together: f64, mhz: i64, expected: &str| {
            let record = run(&[("A76", 2400)], &[(&[0], 30.0), (&[0, 1], together)]);
            let khz = [2400, 2400, 2400, 2400, mhz, mhz, mhz].map(|mhz| mhz * 1000);
            let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &khz);
            let found = sentences(RULE.id, &record);
            assert!(found[0].ends_with(expected), "{found:?}");
        };
        check(60.0, 2400, "100 % of the sum that these CPUs reach alone.");
        check(45.0, 1800, "their clock is 25 % lower together, which explains it.");
        check(
            42.0,
            1800,
            "their clock is 25 % lower together, 7 % is lost to what they share (caches, memory) or to other programs.",
        );
        check(
            45.0,
            2400,
            "their clock is the same: the loss is due to what they share (caches, memory) or to other programs.",
        );
    }

    #[test]
    fn second_cpu_of_a_core_adds_nothing_to_the_sum() {
        let mut record = run(&[("Zen 3", 4000)], &[(&[0], 30.0), (&[0, 1], 39.0)]);
        record.machine.cpus.iter_mut().for_each(|cpu| cpu.siblings = vec![0, 1]);
        let text = text(&Facts::of(&record));
        assert!(text.contains("2       39.00       1.30              130 %"), "{text}");
        assert!(text.contains("A second CPU of the same core (SMT)"), "{text}");
    }

    #[test]
    fn other_runs_and_single_cpus_have_no_answer() {
        let mut record = run(&[("A76", 2400)], &[(&[0], 30.0), (&[0, 1], 60.0)]);
        record.run.mode = Mode::Standard;
        assert_eq!(text(&Facts::of(&record)), "");
        assert_eq!(text(&Facts::of(&run(&[("A76", 2400)], &[(&[0], 30.0)]))), "");
    }
}
