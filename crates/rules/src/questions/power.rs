//! Report: power. Rule: power-states. What the machine draws in each state: idle, at work, suspended and off.

use crate::tables::{Answer, Report, Role, Rule};
use facts::lines::{COLUMNS, padded, width, wrapped_at};
use facts::number::with_unit;
use facts::stats::mean;
use facts::view::{StepEnergy, step_score};
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
    ..Rule::new(RuleId::own("power-states"), "Power of the machine: idle, at full load and at most.", check)
};

/// Power of one state.
struct State {
    name: String,
    workload: Option<WorkloadName>,
    cpus: usize,
    /// Means of its repetitions and the joules of all of them, or why there are none.
    energy: Result<StepEnergy, String>,
    /// Work per energy, with its unit.
    work: Option<(f64, String)>,
    /// What else is known, for a suspend.
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

    /// Detail, and why its power is unknown.
    fn remarks(&self) -> String {
        let why = self.energy.as_ref().err().map(|why| format!("not measured, because {why}"));
        let detail = Some(self.detail.clone()).filter(|detail| !detail.is_empty());
        detail.into_iter().chain(why).collect::<Vec<_>>().join("; ")
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
    let energy = facts.energy().as_ref().map_err(Clone::clone)?;
    let mut states: Vec<State> = Vec::new();
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
        match states.last_mut().filter(|state| state.name == name) {
            Some(state) => {
                state.steps.push(index);
                if let (Ok(all), Ok(own)) = (&mut state.energy, own) {
                    add(all, &own, state.steps.len());
                }
            }
            None => {
                let score = step_score(step).filter(|_| step.not_comparable.is_none());
                let work = own.as_ref().ok().zip(score).and_then(|(energy, score)| energy.work(&score));
                let (cpus, detail) = (step.cpus.len(), detail(step));
                states.push(State { name, workload, cpus, energy: own, work, detail, steps: vec![index] });
            }
        }
    }
    Ok(states)
}

/// Adds a repetition, which is the `count`-th.
fn add(all: &mut StepEnergy, own: &StepEnergy, count: usize) {
    all.mean_mw += (own.mean_mw - all.mean_mw) / count as f64;
    all.peak_mw = all.peak_mw.max(own.peak_mw);
    all.least_mw = all.least_mw.min(own.least_mw);
    all.joules += own.joules;
    all.joules_low += own.joules_low;
    all.joules_high += own.joules_high;
    all.readings += own.readings;
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

/// The load that draws most, and the highest reading of all.
fn most(states: &[State]) -> (Option<&State>, Option<f64>) {
    let loads = states.iter().filter(|state| state.is_load() && state.energy.is_ok());
    let full = loads.max_by(|a, b| a.mean_mw().unwrap_or(0.0).total_cmp(&b.mean_mw().unwrap_or(0.0)));
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
        let _ = writeln!(text, "   {}\n", energy.sentence());
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
        row("Idle", idle.watts(), if idle.energy.is_ok() { "as found".to_owned() } else { idle.remarks() });
    }
    for state in states.iter().filter(|state| !state.is_load() && state.name.starts_with("idle, ")) {
        let less = idle.and_then(State::mean_mw).zip(state.mean_mw()).map(|(idle, own)| own - idle);
        let remark = less.map_or_else(|| state.remarks(), |mw| format!("{:+.2} W", mw / 1000.0));
        row(&state.name.replacen("idle", "Idle", 1), state.watts(), remark);
    }
    if let Some(light) = states.iter().find(|state| state.is_load() && state.cpus == 1) {
        row("Light load", light.watts(), light.name.clone());
    }
    let (full, peak) = most(&states);
    if let Some(full) = full {
        row("Full load", full.watts(), full.name.clone());
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
            let finding = Finding::new(RULE.id, Severity::Info, "The power of no state is known, because {why}.");
            return vec![finding.with("why", Quantity::Text(why))];
        }
    };
    let watts = |mw: f64| Quantity::Score(mw / 1000.0, "W".into());
    let idle = states.iter().filter(|state| state.name == Variant::IDLE.as_str());
    let idle = mean(&idle.filter_map(State::mean_mw).collect::<Vec<_>>());
    let finding = match (idle, most(&states)) {
        (Some(idle), (Some(full), Some(peak))) => {
            let template = "The machine draws {idle} idle, {full} at full load ({load}) and {peak} at most.";
            Finding::new(RULE.id, Severity::Info, template)
                .with("idle", watts(idle))
                .with("full", watts(full.mean_mw().unwrap_or_default()))
                .with("load", Quantity::Text(full.name.clone()))
                .with("peak", watts(peak))
                .at_all(full.steps.iter().copied().map(Place::Step))
        }
        (Some(idle), _) => {
            Finding::new(RULE.id, Severity::Info, "The machine draws {idle} idle.").with("idle", watts(idle))
        }
        _ => return Vec::new(),
    };
    vec![finding]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, gauge_channel, own_run, with_step};
    use crate::tests::sentences;
    use record::{AllCpus, ChannelId, CpuPercent, OfMeter, Record, Score, Scores, Unit, Wait};

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
        gauge_channel(record, ChannelId::meter(OfMeter::Power), Unit::Milliwatts, &power)
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
