//! Report: power. Rule: power-states. What the machine draws in each state: idle, at work, suspended and off.

use crate::tables::{Answer, Report, Role, Rule};
use facts::lines::{COLUMNS, padded, width, wrapped_at};
use facts::number::with_unit;
use facts::stats::median;
use facts::view::{StepEnergy, source_of_board, step_score};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{Mode, Outcome, QuestionId, RuleId, Step, StepMeasurement, Variant, WorkloadId, WorkloadName};
use std::fmt::Write;

const POWER: &str = "power";

pub(super) const ANSWER: Answer =
    Answer { id: QuestionId::own(POWER), text, reports: &[REPORT], plots: &[], rules: &[RULE] };

const REPORT: Report = Report {
    id: POWER,
    about: "Power of the states of a machine as a Markdown table: idle, light, full load, peak, suspend, off, work per watt.",
    fits: |facts| is_asked(facts),
    ..Report::of(|facts, _| markdown(facts))
};

const RULE: Rule = Rule {
    role: Role::Answer,
    about: "Power of the machine: idle, at full load and at most.",
    ..Rule::new(RuleId::own("power-states"), check)
};

/// Power of one state.
struct State {
    name: String,
    workload: Option<WorkloadName>,
    cpus: usize,
    /// Medians of its repetitions, or why there are none.
    energy: Result<StepEnergy, String>,
    /// Work per energy, with its unit.
    work: Option<(f64, String)>,
    /// Times of a suspend.
    detail: String,
    /// Indices of its steps.
    steps: Vec<usize>,
}

impl State {
    fn watts(&self) -> String {
        match &self.energy {
            Ok(energy) => format!("{} ±{:.1} %", watts(energy.mean_mw), energy.percent()),
            Err(_) => "-".to_owned(),
        }
    }

    /// Detail, why its power is unknown, and whether it had not settled.
    fn remarks(&self) -> String {
        let doubt = match &self.energy {
            Ok(energy) => energy.drift_words().map(|drift| format!("still {drift}")),
            Err(why) => Some(format!("not measured, because {why}")),
        };
        let detail = Some(self.detail.clone()).filter(|detail| !detail.is_empty());
        detail.into_iter().chain(doubt).collect::<Vec<_>>().join("; ")
    }

    /// A remark of the table, with [`State::remarks`].
    fn with_remarks(&self, remark: &str) -> String {
        let remarks = self.remarks();
        if remarks.is_empty() { remark.to_owned() } else { format!("{remark}; {remarks}") }
    }

    fn mean_mw(&self) -> Option<f64> {
        self.energy.as_ref().ok().map(|energy| energy.mean_mw)
    }

    fn is_load(&self) -> bool {
        self.workload.is_some()
    }
}

fn watts(mw: f64) -> String {
    format!("{:.2} W", mw / 1000.0)
}

fn is_asked(facts: &Facts<'_>) -> bool {
    facts.run.mode == Mode::own(POWER)
}

/// All states in the order of the run, or why none has a figure.
fn states(facts: &Facts<'_>) -> Result<Vec<State>, String> {
    source_of_board(facts)?;
    let energy = facts.energy().as_ref().map_err(Clone::clone)?;
    let mut states: Vec<(State, Vec<Repetition>)> = Vec::new();
    let is_state = |step: &Step| matches!(step.outcome, Outcome::Done(_) | Outcome::Skipped(_) | Outcome::Failed(_));
    for (index, step) in facts.steps.iter().enumerate().filter(|(_, step)| is_state(step)) {
        let (name, workload) = name(step);
        let known = energy.steps.iter().chain(&energy.rests).find(|(own, _)| *own == index);
        let own = match (known, &step.outcome) {
            (Some((_, energy)), _) => energy.clone(),
            (None, Outcome::Failed(failure)) => Err(failure.message.clone()),
            (None, Outcome::Skipped(missing)) => Err(missing.to_string()),
            (None, _) => Err("it was too short".to_owned()),
        };
        let work = own.as_ref().ok().zip(step_score(step)).and_then(|(energy, score)| energy.work(&score));
        match states.last_mut().filter(|(state, _)| state.name == name) {
            Some((state, repetitions)) => {
                state.steps.push(index);
                repetitions.push(Repetition { energy: own, work });
            }
            None => {
                let (cpus, detail) = (step.cpus.len(), detail(step));
                let energy = own.clone();
                let state = State { name, workload, cpus, energy, work: None, detail, steps: vec![index] };
                states.push((state, vec![Repetition { energy: own, work }]));
            }
        }
    }
    Ok(states.into_iter().map(|(state, repetitions)| with_medians(state, &repetitions)).collect())
}

/// One of the steps of a state.
struct Repetition {
    energy: Result<StepEnergy, String>,
    work: Option<(f64, String)>,
}

fn with_medians(state: State, repetitions: &[Repetition]) -> State {
    let known: Vec<StepEnergy> = repetitions.iter().filter_map(|one| one.energy.clone().ok()).collect();
    let works: Vec<f64> = repetitions.iter().filter_map(|one| Some(one.work.as_ref()?.0)).collect();
    let unit = repetitions.iter().find_map(|one| Some(one.work.as_ref()?.1.clone()));
    State { energy: StepEnergy::median_of(&known).map_or(state.energy, Ok), work: median(&works).zip(unit), ..state }
}

/// Name of the state of a step, and its workload; `None` without load.
fn name(step: &Step) -> (String, Option<WorkloadName>) {
    let workload = Some(step.workload.clone());
    let load = match &step.workload {
        id if *id == WorkloadId::Wait => return (step.variant.to_string(), None),
        id if *id == WorkloadId::Lzma => "integer",
        id if *id == WorkloadId::Flops => "SIMD",
        id if *id == WorkloadId::MemoryCopy => "memory",
        id => return (format!("{}, {}", id.label(), step.variant), workload),
    };
    let count = step.cpus.len();
    (format!("{load} on {count} {}", if count == 1 { "CPU" } else { "CPUs" }), workload)
}

/// Times of a suspend: `1.20 s to wake, 0.31 s to sleep; woken by: rtc0`.
fn detail(step: &Step) -> String {
    let Outcome::Done(StepMeasurement::Scores(scores)) = &step.outcome else { return String::new() };
    let is_time = step.workload == WorkloadId::Wait;
    let times = scores.rows.iter().map(|score| format!("{} {:.2} s", score.name, score.value));
    let times: Vec<String> = times.chain([scores.detail.clone()]).collect();
    if is_time { times.join("; ") } else { String::new() }
}

/// The load that draws most with its mean power in milliwatts, and the highest reading of all.
fn most(states: &[State]) -> (Option<(&State, f64)>, Option<f64>) {
    let loads = states.iter().filter(|state| state.is_load()).filter_map(|state| Some((state, state.mean_mw()?)));
    let full = loads.max_by(|(_, a), (_, b)| a.total_cmp(b));
    let peaks = states.iter().filter_map(|state| state.energy.as_ref().ok()).map(|energy| energy.peak_mw);
    (full, peaks.reduce(f64::max))
}

fn text(facts: &Facts<'_>) -> String {
    if !is_asked(facts) {
        return String::new();
    }
    let states = match states(facts) {
        Ok(states) => states,
        Err(why) => return format!("Power of each state: not measured, because {why}.\n\n"),
    };
    let mut text = "Power of each state:\n\n".to_owned();
    if let Ok(energy) = facts.energy() {
        for words in std::iter::once(energy.sentence()).chain(energy.other_words()) {
            let _ = writeln!(text, "{}", wrapped_at(&format!("   {words}"), 6, COLUMNS));
        }
        text.push('\n');
    }
    let columns = states.iter().map(|state| width(&state.name)).max().unwrap_or(0);
    for state in &states {
        let peak = state.energy.as_ref().map_or(String::new(), |energy| format!("  highest {}", watts(energy.peak_mw)));
        let work = state.work.as_ref().map_or(String::new(), |(value, unit)| format!("  {}", with_unit(*value, unit)));
        let _ = writeln!(text, "   {}  {:>15}{peak}{work}", padded(&state.name, columns), state.watts());
    }
    text.push('\n');
    for (state, remarks) in states.iter().map(|state| (state, state.remarks())).filter(|(_, text)| !text.is_empty()) {
        text += &(wrapped_at(&format!("   {}: {remarks}.", state.name), 6, COLUMNS) + "\n");
    }
    text
}

/// The table of a review.
fn markdown(facts: &Facts<'_>) -> String {
    let states = match states(facts) {
        Ok(states) => states,
        Err(why) => return format!("Power was not measured, because {why}.\n"),
    };
    let mut rows: Vec<[String; 3]> = Vec::new();
    let mut row = |name: &str, power: String, remark: String| rows.push([name.to_owned(), power, remark]);
    let idle = states.iter().find(|state| !state.is_load() && state.name == Variant::IDLE.as_str());
    if let Some(idle) = idle {
        let remark = if idle.energy.is_ok() { idle.with_remarks("as found") } else { idle.remarks() };
        row("Idle", idle.watts(), remark);
    }
    for state in states.iter().filter(|state| !state.is_load() && state.name.starts_with("idle, ")) {
        let less = idle.and_then(State::mean_mw).zip(state.mean_mw()).map(|(idle, own)| own - idle);
        let less = less.map(|mw| format!("{:+.2} W", mw / 1000.0));
        let remark = less.map_or_else(|| state.remarks(), |less| state.with_remarks(&less));
        row(&state.name.replacen("idle", "Idle", 1), state.watts(), remark);
    }
    if let Some(light) = states.iter().find(|state| state.is_load() && state.cpus == 1) {
        row("Light load", light.watts(), light.with_remarks(&light.name));
    }
    let (full, peak) = most(&states);
    if let Some((full, _)) = full {
        row("Full load", full.watts(), full.with_remarks(&full.name));
    }
    if let (Some(peak), true) = (peak, full.is_some()) {
        row("Peak", watts(peak), "highest reading".to_owned());
    }
    for state in states.iter().filter(|state| state.name.starts_with("suspend") || state.name == "off") {
        let name = state.name.replacen("suspend, ", "Suspend ", 1).replacen("off", "Off", 1);
        row(&name, state.watts(), state.remarks());
    }
    let best = |workload: WorkloadId| {
        let own = states
            .iter()
            .filter(|state| state.workload.as_ref().is_some_and(|own| *own == workload) && state.work.is_some());
        own.max_by_key(|state| state.cpus)
    };
    for state in [WorkloadId::Lzma, WorkloadId::Flops].into_iter().filter_map(best) {
        let (value, unit) = state.work.as_ref().expect("it was looked for");
        row("Work per watt", with_unit(*value, unit), state.name.clone());
    }
    let mut text = "| State | Power | |\n|---|---|---|\n".to_owned();
    for [name, power, remark] in &rows {
        let cell = |text: &str| text.replace('|', "\\|");
        let _ = writeln!(text, "| {} | {} | {} |", cell(name), cell(power), cell(remark));
    }
    if let Ok(energy) = facts.energy() {
        let _ = writeln!(text, "\nMeasured by {}.", energy.source.words());
    }
    text
}

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    if !is_asked(facts) {
        return Vec::new();
    }
    let states = match states(facts) {
        Ok(states) => states,
        Err(why) => {
            return vec![unknown(why)];
        }
    };
    let watts = |mw: f64| Quantity::Score(mw / 1000.0, "W".into());
    let idle = states.iter().filter(|state| state.name == Variant::IDLE.as_str());
    let idle = median(&idle.filter_map(State::mean_mw).collect::<Vec<_>>());
    let known = states.iter().find_map(|state| Some((state, state.mean_mw()?)));
    let finding = match (idle, most(&states)) {
        (_, (Some((full, full_mw)), Some(peak))) => {
            let template = "The machine draws [{idle} idle, ]{full} at full load ({load}) and {peak} at most.";
            Finding::new(RULE.id, Severity::Info, template)
                .with_known("idle", idle.map(watts))
                .with("full", watts(full_mw))
                .with("load", Quantity::Text(full.name.clone()))
                .with("peak", watts(peak))
                .at_all(full.steps.iter().copied().map(Place::Step))
        }
        (Some(idle), _) => {
            Finding::new(RULE.id, Severity::Info, "The machine draws {idle} idle.").with("idle", watts(idle))
        }
        (None, _) => match known {
            Some((state, mw)) => Finding::new(RULE.id, Severity::Info, "The machine draws {power} ({state}).")
                .with("power", watts(mw))
                .with("state", Quantity::Text(state.name.clone())),
            None => unknown(states.iter().find_map(|state| state.energy.clone().err()).unwrap_or_else(nothing)),
        },
    };
    vec![finding]
}

/// The run has no answer.
fn unknown(why: String) -> Finding {
    let finding = Finding::new(RULE.id, Severity::Invalid, "The power of no state is known, because {why}.");
    finding.with("why", Quantity::Text(why))
}

fn nothing() -> String {
    "no state was measured".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, gauge_channel, own_run, with_step};
    use crate::tests::sentences;
    use record::{AllCpus, ChannelId, CpuPercent, MeterChannel, Record, Score, Scores, Unit, Wait};

    /// 20 s idle at 2 W, 20 s of integer load on one CPU at 3 W, 20 s on all at 5 W with a peak of 6 W.
    fn run() -> Record {
        let mut record = own_run();
        record.run.mode = Mode::own(POWER);
        let rest = StepMeasurement::Wait(Wait::default());
        record = with_step(record, WorkloadId::Wait, Variant::IDLE, &[], (0.0, 20.0), rest);
        record = with_step(record, WorkloadId::Lzma, Variant::SINGLE, &[0], (21.0, 40.0), compression(1500));
        record = with_step(record, WorkloadId::Lzma, Variant::MULTI, &[0, 1], (41.0, 60.0), compression(3000));
        let at = |row: i64| match row {
            0..42 => 2_000,
            42..82 => 3_000,
            100 => 6_000,
            _ => 5_000,
        };
        let power: Vec<i64> = (0..124).map(|row| at(row) + row % 3).collect();
        let busy: Vec<i64> = (0..124).map(|row| if row < 42 { 0 } else { 100 }).collect();
        record = gauge_channel(record, ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy)), Unit::Percent, &busy);
        gauge_channel(record, ChannelId::meter(MeterChannel::Power), Unit::Milliwatts, &power)
    }

    #[test]
    fn states_have_their_power() {
        let record = run();
        let found = sentences(RULE.id, &record);
        assert!(found[0].starts_with("The machine draws 2.0"), "{found:?}");
        assert!(found[0].contains("at full load (integer on 2 CPUs) and 6.00 W at most"), "{found:?}");
        let text = text(&Facts::of(&record));
        for words in ["idle", "integer on 1 CPU", "highest 6.00 W", "MIPS/W"] {
            assert!(text.contains(words), "{text}");
        }
        let table = markdown(&Facts::of(&record));
        for words in
            ["| Idle | 2.0", "| Light load | 3.0", "| Full load | 5.0", "| Peak | 6.00 W |", "| Work per watt | "]
        {
            assert!(table.contains(words), "{table}");
        }
    }

    /// The same run with other readings; only these steps remain.
    fn changed(steps: &[usize], milliwatts: impl Fn(i64, i64) -> Option<i64>) -> Record {
        let mut record = run();
        let meter = record.samples.channels.last_mut().unwrap();
        for (at_ms, value) in record.samples.at_ms.iter().zip(&mut meter.values) {
            *value = value.and_then(|mw| milliwatts(*at_ms, mw));
        }
        meter.gaps.push(record::Gap { at_ms: 0, missing: record::Missing::unsupported("", "no answer") });
        record.steps = steps.iter().map(|index| record.steps[*index].clone()).collect();
        record
    }

    #[test]
    fn run_without_a_figure_is_invalid_and_any_figure_is_told() {
        type Change = fn(i64, i64) -> Option<i64>;
        let same: Change = |_, mw| Some(mw);
        let cases: [(&[usize], Change, &str); 5] = [
            (&[0, 1, 2], |_, _| None, "The power of no state is known, because the meter gave no power: "),
            (
                &[0, 1, 2],
                |at_ms, mw| (at_ms < 3_000).then_some(mw),
                "The power of no state is known, because no reading for ",
            ),
            (&[0], same, "The machine draws 2.00 W idle."),
            (&[1, 2], same, "The machine draws 5.0"),
            (&[], same, "The power of no state is known, because no state was measured."),
        ];
        for (steps, change, expected) in cases {
            let record = changed(steps, change);
            let found = crate::tests::findings_of(RULE.id, &record);
            assert!(found[0].sentence().starts_with(expected), "{}", found[0].sentence());
            let is_unknown = expected.contains("of no state");
            assert_eq!(found[0].severity == Severity::Invalid, is_unknown, "{expected}");
            let verdict = explain::explain(&record).assessment.verdict;
            assert!(!is_unknown || verdict == facts::Verdict::Invalid, "{expected}");
        }
        let mut off = changed(&[0], same);
        off.steps[0].variant = "off".into();
        assert_eq!(sentences(RULE.id, &off), ["The machine draws 2.00 W (off)."]);
    }

    #[test]
    fn short_runs_have_work_per_watt() {
        let mut record = run();
        record.steps.iter_mut().for_each(|step| step.not_comparable = Some("short run".into()));
        let table = markdown(&Facts::of(&record));
        assert!(table.contains("| Work per watt | 5"), "{table}");
    }

    #[test]
    fn power_that_still_rises_is_told() {
        let record =
            changed(&[0, 1, 2], |at_ms, mw| Some(if at_ms < 21_000 { 2_000 + at_ms / 50 } else { 5_000 + mw % 7 }));
        let table = markdown(&Facts::of(&record));
        assert!(table.contains("as found; still rising, 2.0"), "{table}");
    }

    #[test]
    fn suspend_tells_its_times_and_a_run_without_a_meter_its_reason() {
        let time = |name: &str, value| Score { name: name.into(), value, unit: "s".into(), higher_is_better: false };
        let slept = StepMeasurement::Scores(Scores {
            rows: vec![time("time to wake", 1.25), time("asleep", 20.0)],
            detail: "woken by: rtc0 (interrupt 9)".into(),
            ..Scores::default()
        });
        let record = with_step(run(), WorkloadId::Wait, "suspend, deep", &[], (60.0, 61.0), slept);
        let table = markdown(&Facts::of(&record));
        assert!(table.contains("| Suspend deep | - | time to wake 1.25 s; asleep 20.00 s; woken by: rtc0"), "{table}");
        let mut blind = own_run();
        blind.run.mode = Mode::own(POWER);
        assert!(sentences(RULE.id, &blind)[0].contains("no sensor measures power"));
        assert_eq!(text(&Facts::of(&own_run())), "");
    }
}
