//! Optional loads: cpuminer, stockfish, stress-ng. Their values become series.

use super::draft::{Draft, done, step, tool};
use super::sections::{Line, Section};
use super::text;
use record::{Failure, FailureKind, Outcome, Series, StepMeasurement, Variant, WorkloadId};
use std::collections::BTreeMap;

/// Reads `** cpuminer-multi 1.3.7 by tpruvot@github **` with rows of all CPUs (`[2025-08-27 09:05:26] Total: 12.01
/// kH/s`) and of each CPU (`... CPU #5: 1.68 kH/s`).
pub(super) fn read_cpuminer(section: &Section<'_, '_>, draft: &mut Draft) {
    let banner = section.heading();
    let version = banner.text.split_whitespace().nth(2).unwrap_or_default().to_string();
    let started = draft.run.started.known().copied();
    let offset_ms = i64::from(draft.run.utc_offset_minutes) * 60_000;
    let mut all = SeriesValues::new("kH/s");
    let mut each: BTreeMap<u32, SeriesValues> = BTreeMap::new();
    let mut last_ms = None;
    for line in section.body() {
        let Some(row) = cpuminer_row(line) else {
            if !is_cpuminer_note(line.text.trim()) {
                draft.unread(line);
            }
            continue;
        };
        let at_ms = started.zip(row.local_ms).map(|(start, local)| local - offset_ms - start);
        last_ms = at_ms.or(last_ms);
        let to = match row.cpu {
            None => &mut all,
            Some(cpu) => {
                each.entry(cpu).or_insert_with(|| SeriesValues { cpu: Some(cpu), ..SeriesValues::new("kH/s") })
            }
        };
        to.push(at_ms, row.value, line.number);
    }
    let threads = each.len() as u32;
    let detail = format!("cpuminer-multi {version}");
    for collected in std::iter::once(all).chain(each.into_values()) {
        let cpus = collected.cpu;
        let workload = match cpus {
            None => WorkloadId::Cpuminer,
            Some(_) => WorkloadId::CpuminerPerCpu,
        };
        let Some(mut step) = collected.finish(workload, 1, &detail) else { continue };
        step.cpus = cpus.into_iter().collect();
        step.threads = cpus.map_or(threads.max(1), |_| 1);
        step.tool = tool("cpuminer-multi", &version);
        if let (Some(last), true) = (last_ms, cpus.is_none()) {
            step.window.end_ms = step.window.end_ms.max(last);
        }
        draft.push(step);
    }
}

/// Reads `Executing simd@1 on CPUs 0-3 (AVX2)` and `Total Scores: 12.02,11.50 GB/s` below it.
pub(super) fn read_own_series(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading();
    let Some(mut step) = own_series_step(heading.text.trim(), heading.number) else { return draft.unread(&heading) };
    let mut series = None;
    for line in section.body().iter().filter(|line| !line.is_blank()) {
        match own_scores(line.text.trim()) {
            Some(scores) if series.is_none() => series = Some(scores),
            _ => draft.unread(line),
        }
    }
    let detail = text::trailing_parenthesis(heading.text).unwrap_or_default();
    if let Some((values, unit)) = series {
        step.outcome = record::Outcome::Done(StepMeasurement::Series(Series {
            unit,
            higher_is_better: true,
            detail: detail.to_string(),
            values,
            ..Series::default()
        }));
        draft.push(step);
    }
}

/// Creates the step of a heading, without values.
fn own_series_step(heading: &str, line: u32) -> Option<record::Step> {
    let (name, place) = heading.strip_prefix("Executing ")?.split_once(" on CPUs ")?;
    let (name, variant) = name.split_once(' ').unwrap_or((name, ""));
    let (workload, method) = name.split_once('@')?;
    let nothing = StepMeasurement::Series(Series::default());
    let mut step = done(workload, method.parse().ok()?, variant, nothing, line);
    let cpus = place.split(' ').next().unwrap_or(place);
    step.cpus = text::cpu_ranges(cpus).unwrap_or_default();
    step.threads = step.cpus.len().max(1) as u32;
    Some(step)
}

fn own_scores(text: &str) -> Option<(Vec<f64>, String)> {
    let (values, unit) = text.strip_prefix("Total Scores: ")?.split_once(' ')?;
    let values: Option<Vec<f64>> = values.split(',').map(|value| value.parse().ok()).collect();
    let values = values.filter(|values| values.iter().all(|value| value.is_finite()))?;
    Some((values, unit.trim().to_string()))
}

/// Values of a series during reading.
struct SeriesValues {
    cpu: Option<u32>,
    series: Series,
    at_ms: Vec<Option<i64>>,
    line: Option<u32>,
}

impl SeriesValues {
    fn new(unit: &str) -> Self {
        Self {
            cpu: None,
            series: Series { unit: unit.to_string(), higher_is_better: true, ..Series::default() },
            at_ms: Vec::new(),
            line: None,
        }
    }

    fn push(&mut self, at_ms: Option<i64>, value: f64, line: u32) {
        self.line.get_or_insert(line);
        self.at_ms.push(at_ms);
        self.series.values.push(value);
    }

    /// Creates the step, with its time window if the rows have dates.
    fn finish(mut self, workload: WorkloadId, method: u32, detail: &str) -> Option<record::Step> {
        let line = self.line?;
        let times: Option<Vec<i64>> = self.at_ms.into_iter().collect();
        let window = times.as_ref().and_then(|times| Some((*times.first()?, *times.last()?)));
        if let (Some(times), Some((start, _))) = (times, window) {
            self.series.at_ms = times.into_iter().map(|at| at - start).collect();
        }
        self.series.detail = detail.to_string();
        let series = StepMeasurement::Series(self.series);
        let mut step = done(workload, method, Variant::ONLY, series, line);
        if let Some((start, end)) = window {
            step.window.start_ms = start;
            step.window.end_ms = end.max(start);
        }
        Some(step)
    }
}

struct CpuminerRow {
    local_ms: Option<i64>,
    cpu: Option<u32>,
    value: f64,
}

fn cpuminer_row(line: &Line<'_>) -> Option<CpuminerRow> {
    let (date, rest) = line.text.trim().strip_prefix('[')?.split_once(']')?;
    let (name, value) = rest.trim().split_once(':')?;
    let (value, unit) = value.strip_prefix(' ')?.trim().split_once(' ')?;
    let value = text::decimal(value)?;
    let value = match unit.trim() {
        "kH/s" => value,
        "H/s" => value / 1000.0,
        "MH/s" => value * 1000.0,
        _ => return None,
    };
    let cpu = match name {
        "Total" => None,
        _ => {
            let cpu = name.strip_prefix("CPU #")?.parse().ok();
            Some(cpu.filter(|cpu| *cpu <= text::CPU_MAX)?)
        }
    };
    Some(CpuminerRow { local_ms: text::local_ms(date), cpu, value })
}

fn is_cpuminer_note(text: &str) -> bool {
    text.is_empty()
        || text.starts_with("BTC donation")
        || text.starts_with("Total Scores:")
        || text.contains("miner threads started")
        || text.contains("SIGINT")
        || text.contains("SIGTERM")
}

/// Reads `Executing Stockfish 15 using nn-....nnue 3 times in a row:` with `Nodes/second    : 6026748`.
pub(super) fn read_stockfish(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading();
    let words: Vec<&str> = heading.text.split_whitespace().collect();
    let version = words.get(2).copied().unwrap_or_default();
    let network = words.iter().find(|word| word.ends_with(".nnue")).copied();
    let mut collected = SeriesValues::new("nodes/s");
    for line in section.body() {
        let value = line
            .text
            .trim()
            .strip_prefix("Nodes/second")
            .and_then(|rest| text::decimal(rest.trim_start().strip_prefix(':')?));
        if let Some(value) = value {
            collected.push(None, value, line.number);
        }
    }
    draft.block(WorkloadId::Stockfish.as_str(), section);
    let method = version.split('.').next().and_then(|major| major.parse().ok());
    let finished = collected.finish(WorkloadId::Stockfish, method.unwrap_or(0), network.unwrap_or_default());
    let mut step = finished.unwrap_or_else(|| failed(WorkloadId::Stockfish, section));
    step.tool = tool("stockfish", version);
    draft.push(step);
}

/// Reads `Executing "stress-ng --matrix 0" for 5 minutes:` and the tool's output. It is a load without a score: success
/// gives a series without values.
pub(super) fn read_stress_ng(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading();
    let command = heading.text.split('"').nth(1).unwrap_or_default();
    let ended = section.body().iter().any(|line| line.text.contains("successful run completed"));
    draft.block(WorkloadId::StressNg.as_str(), section);
    let mut step = if ended {
        let series = StepMeasurement::Series(Series { detail: command.to_string(), ..Series::default() });
        done(WorkloadId::StressNg, 0, Variant::ONLY, series, heading.number)
    } else {
        failed(WorkloadId::StressNg, section)
    };
    step.variant = command.split("--").nth(1).unwrap_or_default().trim().into();
    step.tool = tool("stress-ng", "");
    draft.push(step);
}

fn failed(workload: WorkloadId, section: &Section<'_, '_>) -> record::Step {
    let body = section.body();
    let tail: Vec<&str> = body[body.len().saturating_sub(10)..].iter().map(|line| line.text).collect();
    let failure = Failure {
        kind: FailureKind::Garbled,
        message: format!("{} printed no result", workload.as_str()),
        output_tail: tail.join("\n").trim().chars().take(2000).collect(),
        exit_status: None,
    };
    step(workload, 0, Variant::ONLY, Outcome::Failed(failure), section.heading().number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_cpuminer() {
        for (text, cpu, value) in [
            ("[2025-08-27 09:05:26] Total: 12.01 kH/s", None, 12.01),
            ("[2025-08-27 09:05:26] CPU #5: 168.00 H/s", Some(5), 0.168),
        ] {
            let row = cpuminer_row(&Line { number: 1, text }).unwrap();
            assert_eq!((row.cpu, row.value), (cpu, value));
            assert!(row.local_ms.is_some());
        }
        let noise = "[2025-08-27 09:05:26] 8 miner threads started, using 'scrypt' algorithm.";
        assert!(cpuminer_row(&Line { number: 1, text: noise }).is_none());
        assert!(is_cpuminer_note(noise));
    }
}
