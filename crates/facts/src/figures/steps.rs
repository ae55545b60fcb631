//! The figures of each kind of step.

use super::gather::{Combine, FigureSet, Part};
use super::key::{LIBRESSL, POWER, POWER_METHOD};
use super::{Core, FigureKey};
use crate::{Facts, view};
use record::{
    Bandwidth, BandwidthRow, Cipher, Compression, Latency, MemoryOperation, Outcome, Record, Scores, Series, SetClock,
    Step, StepMeasurement, Variant, WorkloadId, WorkloadName,
};

/// Buffer sizes of latency figures: 16 MiB exceeds the caches of most boards, 128 MiB those of servers; tables of
/// tinymembench end at 64 MiB.
const LATENCY_BYTES: [u64; 3] = [16 << 20, 64 << 20, 128 << 20];
/// Names of the column of dependent single accesses in latency tables.
const LATENCY_COLUMNS: [&str; 3] = ["1xPTR", "random", "single random read"];
/// Method of `memory-libc` that is equal to tinymembench, whose C library rows logs contain.
const LIBC_METHOD_OF_LOGS: u32 = 1;
/// Passes of the clock measurement that every kind of run has.
const CLOCK_VARIANTS: [Variant; 3] = [Variant::COLD, Variant::HOT_LOADED, Variant::HOT_AFTER];

/// Adds the figures of one step.
pub(super) fn figures(facts: &Facts<'_>, index: usize, step: &Step, gathered: &mut FigureSet) {
    let Outcome::Done(measured) = &step.outcome else {
        return;
    };
    let maker = StepBuilder { facts, index, step };
    match measured {
        // Clocks come from all steps of a pass at once.
        StepMeasurement::Clock(_) | StepMeasurement::Wait(_) => {}
        // A matrix cannot be compared as a figure.
        StepMeasurement::CoreToCore(_) | StepMeasurement::BandwidthCurve(_) | StepMeasurement::LoadedLatency(_) => {}
        StepMeasurement::Bandwidth(bandwidth) => maker.bandwidth(bandwidth, gathered),
        StepMeasurement::Latency(latency) => maker.latency(latency, gathered),
        StepMeasurement::Cipher(cipher) => maker.cipher(cipher, gathered),
        StepMeasurement::Compression(done) => maker.compression(done, gathered),
        StepMeasurement::Series(series) => maker.series(series, gathered),
        StepMeasurement::Scores(scores) => maker.scores(scores, gathered),
    }
}

/// The highest sustained clock of every cluster in every pass.
pub(super) fn clocks(facts: &Facts<'_>, gathered: &mut FigureSet) {
    for variant in CLOCK_VARIANTS {
        let clocks = facts.cluster_clocks(&variant);
        for clock in clocks.iter().filter(|clock| variant != Variant::COLD || !view::is_disturbed(facts, clock)) {
            let maker = StepBuilder { facts, index: clock.step, step: &facts.steps[clock.step] };
            gathered.add(Part {
                core: Some(Core::of_cpu(facts, clock.cpu)),
                values: vec![f64::from(clock.measured_khz) / 1000.0],
                ..maker.part("", "MHz", true)
            });
        }
    }
}

/// Figures of a thermal test that describe a heat sink or a setting, in addition to the score.
pub(super) fn thermal(facts: &Facts<'_>, gathered: &mut FigureSet) {
    let Some(result) = facts.thermal() else {
        return;
    };
    let maker = StepBuilder { facts, index: result.step, step: &facts.steps[result.step] };
    let throttled_s = result.throttle.as_ref().map(|throttle| throttle.after_ms as f64 / 1000.0);
    let resistance = result.power_fit.ok().map(|fit| fit.k_per_w.value);
    for (name, unit, higher_is_better, value) in [
        ("sustained clock", "%", true, result.steady_clock_percent()),
        ("first throttled", "s", true, throttled_s),
        ("resistance", "K/W", false, resistance),
    ] {
        gathered.add(Part { values: value.into_iter().collect(), ..maker.part(name, unit, higher_is_better) });
    }
}

/// Power when idle and in every state of a power measurement, and of every score its mean power, work per energy and energy.
/// The place of the measurement is part of the keys: what is measured at the wall is not compared with the input of a board.
/// Power of a part of a board does not rank boards, so it is not a main figure.
pub(super) fn power(facts: &Facts<'_>, gathered: &mut FigureSet) {
    let (Ok(energy), scores) = (facts.energy(), facts.scores()) else { return };
    let (source, place) = (&energy.source, energy.source.place());
    let key = |rest: &str| FigureKey::new(POWER.into(), POWER_METHOD, &format!("{rest} {place}"));
    let mut state = |index: usize, name: &str, mw: f64| {
        let maker = StepBuilder { facts, index, step: &facts.steps[index] };
        gathered.add(Part {
            key: key(name),
            values: vec![mw / 1000.0],
            combine: Combine::Median,
            is_main: source.is_whole(),
            not_comparable: None,
            ..maker.part("", "W", false)
        });
    };
    for (index, measured) in &energy.rests {
        if let Ok(measured) = measured {
            state(*index, facts.steps[*index].variant.as_str(), measured.mean_mw);
        }
    }
    let has_idle_state =
        energy.rests.iter().any(|(index, measured)| facts.steps[*index].variant == Variant::IDLE && measured.is_ok());
    let first = scores.iter().flat_map(|score| score.steps.first()).min();
    if let (Some(index), Some(mw), false) = (first, energy.idle_mw, has_idle_state) {
        state(*index, Variant::IDLE.as_str(), mw);
    }
    for measured in energy.steps.iter().filter_map(|(_, measured)| measured.as_ref().ok()) {
        let Some(owner) = scores.iter().find(|score| score.steps.contains(&measured.step)) else { continue };
        let step = &facts.steps[measured.step];
        let maker = StepBuilder { facts, index: measured.step, step };
        let plain = FigureKey::new(workload(step), step.method, &with_cpus(facts, step));
        let work = view::step_score(step).and_then(|score| measured.work(&score));
        let same_work = "the steps may have done different amounts of work";
        let figures = [
            work.map(|(value, unit)| ("per-energy", value, unit, true, None)),
            Some(("mean", measured.mean_mw / 1000.0, "W".to_owned(), false, None)),
            Some(("energy", measured.joules, "J".to_owned(), false, Some(same_work.to_owned()))),
            measured
                .joules_above_idle
                .map(|joules| ("energy-above-idle", joules, "J".to_owned(), false, Some(same_work.to_owned()))),
        ];
        for (name, value, unit, higher_is_better, not_comparable) in figures.into_iter().flatten() {
            let part = maker.part("", &unit, higher_is_better);
            gathered.add(Part {
                key: key(&format!("{plain} {name}")),
                core: if step.threads <= 1 { maker.core() } else { None },
                combine: Combine::Median,
                is_main: owner.is_main && name == "per-energy" && source.is_whole(),
                not_comparable: part.not_comparable.or(not_comparable),
                values: vec![value],
                ..part
            });
        }
    }
}

/// Form of a step, with its number of CPUs if the same ran on another number: their power is not that of repetitions.
fn with_cpus(facts: &Facts<'_>, step: &Step) -> String {
    let count = step.cpus.len();
    let is_same = |other: &&Step| other.workload == step.workload && other.variant == step.variant;
    let is_one_of_several = count > 1 && facts.steps.iter().filter(is_same).any(|other| other.cpus.len() != count);
    if is_one_of_several { format!("{} on-{count}-cpus", step.variant) } else { step.variant.to_string() }
}

/// Why a figure at a clock set by the run is not comparable, and never combined with another clock.
fn at_set_clock(clock: SetClock) -> String {
    match clock {
        SetClock::Khz(khz) => format!("measured at a set clock of {} MHz", khz / 1000),
        SetClock::SharePercent(percent) => format!("measured with {percent} % of the CPU time"),
    }
}

struct StepBuilder<'a> {
    facts: &'a Facts<'a>,
    index: usize,
    step: &'a Step,
}

impl StepBuilder<'_> {
    /// A figure without values, combined as the best of its repetitions.
    fn part(&self, name: &str, unit: &str, higher_is_better: bool) -> Part {
        let words = [self.step.variant.as_str(), name];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        Part {
            key: FigureKey::new(workload(self.step), self.step.method, &words.join(" ")),
            core: None,
            unit: unit.to_owned(),
            higher_is_better,
            combine: Combine::Best,
            is_main: true,
            not_comparable: self.step.not_comparable.clone().or_else(|| self.step.set_clock.map(at_set_clock)),
            step: self.index,
            printed_spread_percent: None,
            values: Vec::new(),
        }
    }

    /// Core of a step that ran in one place. A step without CPUs ran on the only cluster; if clusters are unknown, the
    /// machine counts as one.
    fn core(&self) -> Option<Core> {
        let of_cpu = |cpu: &u32| Core::of_cpu(self.facts, *cpu);
        let pinned = self.step.cpus.first().map(of_cpu);
        pinned.or_else(|| match self.facts.machine.clusters.as_slice() {
            [] => Some(Core::unknown()),
            [only] => only.cpus.first().map(of_cpu),
            _ => None,
        })
    }

    fn bandwidth(&self, bandwidth: &Bandwidth, gathered: &mut FigureSet) {
        for (operation, name) in
            [(MemoryOperation::Copy, "copy"), (MemoryOperation::Fill, "fill"), (MemoryOperation::Read, "read")]
        {
            let Some(best) = best_row(self.facts, self.step, bandwidth, operation) else {
                continue;
            };
            let part = self.part(name, "MB/s", true);
            let key = if is_of_tinymembench(self.facts, self.step) {
                FigureKey::new(WorkloadId::MemoryLibc.into(), LIBC_METHOD_OF_LOGS, name)
            } else {
                part.key
            };
            gathered.add(Part {
                key,
                core: self.core(),
                is_main: operation != MemoryOperation::Read,
                printed_spread_percent: best.printed_deviation_percent,
                values: best.bytes_per_s.iter().map(|rate| *rate as f64 / 1e6).collect(),
                ..part
            });
        }
    }

    fn latency(&self, latency: &Latency, gathered: &mut FigureSet) {
        let is_plain = |column: &String| LATENCY_COLUMNS.contains(&column.as_str());
        let Some(column) = latency.columns.iter().position(is_plain) else {
            return;
        };
        let rows = latency.rows.iter();
        for row in rows.filter(|row| LATENCY_BYTES.contains(&row.size_bytes)) {
            let Some(Some(ns)) = row.ns.get(column) else {
                continue;
            };
            gathered.add(Part {
                core: self.core(),
                values: vec![*ns],
                ..self.part(&format!("{}M", row.size_bytes >> 20), "ns", false)
            });
        }
    }

    /// Throughput at every block size; the largest represents the cipher.
    fn cipher(&self, cipher: &Cipher, gathered: &mut FigureSet) {
        let largest = cipher.rows.last().map(|(bytes, _)| *bytes);
        let core = if self.step.threads <= 1 { self.core() } else { None };
        for (bytes, rate) in &cipher.rows {
            gathered.add(Part {
                core: core.clone(),
                combine: Combine::Mean,
                is_main: Some(*bytes) == largest,
                values: vec![*rate as f64 / 1000.0],
                ..self.part(&bytes.to_string(), "kB/s", true)
            });
        }
    }

    fn compression(&self, done: &Compression, gathered: &mut FigureSet) {
        let is_multi = self.step.variant.is_multi_of_any_kind();
        if is_multi && !self.has_most_threads() {
            return;
        }
        let core = if is_multi { None } else { self.core() };
        for (name, mips) in
            [("", done.total_mips), ("compressing", done.compressing_mips), ("decompressing", done.decompressing_mips)]
        {
            // Reviews contain the total only.
            if mips == 0 {
                continue;
            }
            gathered.add(Part {
                core: core.clone(),
                combine: if self.step.variant == Variant::SINGLE { Combine::Best } else { Combine::Mean },
                is_main: name.is_empty(),
                values: vec![f64::from(mips)],
                ..self.part(name, "MIPS", true)
            });
        }
    }

    /// Extensive runs also load each cluster; only runs with the most threads are those of the whole machine.
    fn has_most_threads(&self) -> bool {
        self.facts.multi_totals().iter().any(|(index, _)| *index == self.index)
    }

    /// Scores of any other program, as medians over repetitions, which are insensitive to one slow run.
    fn scores(&self, scores: &Scores, gathered: &mut FigureSet) {
        let core = if self.step.threads == 1 { self.core() } else { None };
        for (index, score) in scores.rows.iter().enumerate() {
            gathered.add(Part {
                core: core.clone(),
                combine: Combine::Median,
                is_main: index == 0,
                values: vec![score.value],
                ..self.part(&score.name, &score.unit, score.higher_is_better)
            });
        }
    }

    fn series(&self, series: &Series, gathered: &mut FigureSet) {
        // The total of all CPUs has less noise.
        if self.step.workload.is_within_another() {
            return;
        }
        let is_on_one_cpu = self.step.workload == WorkloadId::Flops && self.step.threads == 1;
        let has_core = self.step.variant.is_single_of_any_kind() || is_on_one_cpu;
        gathered.add(Part {
            core: if has_core { self.core() } else { None },
            combine: Combine::Median,
            values: series.settled().to_vec(),
            ..self.part("", &series.unit, series.higher_is_better)
        });
    }
}

/// Fastest row of an operation. Of the routines in a log only those of the C library count, as in published lists
/// (`standard` before 0.9.19).
pub fn best_row<'a>(
    record: &Record,
    step: &Step,
    bandwidth: &'a Bandwidth,
    operation: MemoryOperation,
) -> Option<&'a BandwidthRow> {
    let is_log = is_of_tinymembench(record, step);
    let counts = |routine: &str| !is_log || routine.starts_with("libc") || routine.starts_with("standard");
    let rows = bandwidth.rows.iter();
    let rows = rows.filter(|row| row.operation == operation && counts(&row.routine));
    rows.max_by_key(|row| row.bytes_per_s.iter().max().copied())
}

/// True for tables of tinymembench in logs. Logs of this program also contain its own measurements.
fn is_of_tinymembench(record: &Record, step: &Step) -> bool {
    view::is_log(record) && step.variant == Variant::TINYMEMBENCH
}

/// Workload for comparisons. LibreSSL is another library with the same command as OpenSSL.
fn workload(step: &Step) -> WorkloadName {
    let is_libressl = |tool: &record::Tool| tool.version.contains("LibreSSL");
    if step.tool.as_ref().is_some_and(is_libressl) { LIBRESSL.into() } else { step.workload.clone() }
}
