//! The stages of a thermal test: waiting for a temperature, heating under watch, cooling down.

use super::{RUN_S, Runner};
use crate::child::move_to;
use crate::context::Progress;
use crate::heated::{self, INTERVAL_NS, Interval};
use crate::lab::{Job, Lab};
use crate::plan::online_cpus;
use crate::thermal::{HeatLoad, StartAt, Thermal};
use crate::{repeat, workloads};
use kernel::load::{Load, spin};
use machine::{Root, Thermometer, critical_millicelsius};
use record::{
    ClockSeries, Counters, Fact, Machine, Measured, Missing, Outcome, Series, Step, Wait, Window,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

/// Time between two looks at the temperature.
const LOOK: Duration = Duration::from_secs(1);
/// A temperature that moved less than this, in thousandths of a degree ...
const STILL_MILLICELSIUS: i64 = 500;
/// ... for so long, in milliseconds, will not get anywhere.
const STILL_MS: i64 = 120_000;
/// So far below the critical trip point, where the kernel cuts the power, a load ends by default:
/// more than a chip without a heatsink warms between two looks.
const BELOW_CRITICAL_MILLICELSIUS: i64 = 5_000;
/// Where no trip point tells: hotter than any board runs that is made to last.
const MAX_MILLICELSIUS: i64 = 105_000;
/// Rises when what is done in these stages changes.
const METHOD: u32 = 1;

/// A wait that goes on.
struct Waiting {
    start: StartAt,
    began: i64,
    /// The last temperature that differed, and when it was seen.
    moved: (i64, i64),
}

impl Waiting {
    /// Whether to go on at this temperature: none to go on, else why not, empty if it is reached.
    fn verdict(&mut self, now_ms: i64, millicelsius: i64, limit: Duration) -> Option<String> {
        let degrees = |value: i64| format!("{:.1} °C", value as f64 / 1000.0);
        let reached = match self.start {
            StartAt::CoolTo(target) => millicelsius <= target,
            StartAt::HeatTo(target) => millicelsius >= target,
        };
        if reached {
            return Some(String::new());
        }
        if (millicelsius - self.moved.0).abs() >= STILL_MILLICELSIUS {
            self.moved = (millicelsius, now_ms);
        }
        let (verb, how) = match self.start {
            StartAt::CoolTo(_) => ("cool", "a fan, a cooler room or a higher target helps"),
            StartAt::HeatTo(_) => ("warm", "less cooling or a lower target helps"),
        };
        if now_ms - self.moved.1 >= STILL_MS {
            return Some(format!(
                "it stays at {} and does not {verb} any further; {how}",
                degrees(millicelsius)
            ));
        }
        (now_ms - self.began >= limit.as_millis() as i64).then(|| {
            format!(
                "after {} s it is at {}; {how}",
                limit.as_secs(),
                degrees(millicelsius)
            )
        })
    }
}

impl Runner<'_> {
    /// Waits for the start temperature; heats up to it with all CPUs where that is wanted.
    pub(super) fn wait_for(&mut self, machine: &Machine, start: StartAt, limit: Duration) {
        let (word, target) = match start {
            StartAt::CoolTo(target) => ("cooling", target),
            StartAt::HeatTo(target) => ("heating", target),
        };
        let root = self.context.root;
        self.step_begins(&format!("{word} to {} °C", target / 1000), limit.as_secs() / 4);
        let begin = self.moment();
        let outcome = match Thermometer::find(root) {
            Err(missing) => Outcome::Skipped(missing),
            Ok(thermometer) => {
                let stop = AtomicBool::new(!matches!(start, StartAt::HeatTo(_)));
                std::thread::scope(|scope| {
                    if !stop.load(Ordering::Relaxed) {
                        for cpu in online_cpus(machine) {
                            let stop = &stop;
                            scope.spawn(move || move_to(&[cpu]).map(|()| spin(stop, Load::Widest)));
                        }
                    }
                    let wait = self.watch_temperature(&thermometer, start, limit);
                    stop.store(true, Ordering::Relaxed);
                    Outcome::Done(Measured::Wait(Wait {
                        target_millicelsius: Some(target),
                        ..wait
                    }))
                })
            }
        };
        let step = self.heat_step("wait", word, Vec::new(), begin, outcome);
        self.step_ended(step);
    }

    fn watch_temperature(
        &mut self,
        thermometer: &Thermometer,
        start: StartAt,
        limit: Duration,
    ) -> Wait {
        let (root, timeline) = (self.context.root, self.context.timeline);
        let first = thermometer.millicelsius(root);
        let mut waiting = Waiting {
            start,
            began: timeline.now_ms(),
            moved: (first.clone().unwrap_or(0), timeline.now_ms()),
        };
        let (end, not_reached) = loop {
            let now = thermometer.millicelsius(root);
            let verdict = match &now {
                Ok(value) => waiting.verdict(timeline.now_ms(), *value, limit),
                Err(missing) => Some(missing.to_string()),
            };
            let interrupted = self
                .interrupted()
                .map(|_| "the run was interrupted".to_owned());
            if let Some(why) = interrupted.or(verdict) {
                break (now, Some(why).filter(|why| !why.is_empty()));
            }
            self.tell_temperature(&now);
            timeline.sleep(LOOK);
        };
        if let Some(why) = &not_reached {
            let note = format!("The start temperature was not reached: {why}.");
            (self.context.progress)(Progress::Note(note));
        }
        Wait {
            target_millicelsius: None,
            start_millicelsius: first.into(),
            end_millicelsius: end.into(),
            not_reached,
        }
    }

    fn tell_temperature(&mut self, now: &record::Reading<i64>) {
        if let Ok(value) = now {
            let name = format!("{:.1} °C now", *value as f64 / 1000.0);
            let (done, total) = (self.done_s, self.total_s);
            (self.context.progress)(Progress::Step {
                name: &name,
                done,
                total,
            });
        }
        super::flush(&mut self.sampler, &mut self.recorder);
    }

    /// Runs the load until its time is over, a temperature is reached or the run is interrupted.
    pub(super) fn heat(&mut self, machine: &Machine, thermal: &Thermal) {
        let root = self.context.root;
        let name = match &thermal.load {
            HeatLoad::Simd => "simd",
            HeatLoad::Workload(id) => id,
            HeatLoad::Program(definition) => &definition.name,
        };
        self.step_begins(&format!("heating with {name}"), thermal.time.as_secs());
        let begin = self.moment();
        let max = thermal.max_millicelsius.unwrap_or_else(|| {
            let below = critical_millicelsius(root).map(|limit| limit - BELOW_CRITICAL_MILLICELSIUS);
            below.unwrap_or(MAX_MILLICELSIUS)
        });
        let mut brake = Brake {
            root,
            thermometer: Thermometer::find(root).ok(),
            max,
            end_ms: begin.0 + thermal.time.as_millis() as i64,
            stop: AtomicI32::new(0),
            why: None,
        };
        let outcome = match &thermal.load {
            HeatLoad::Simd => self.heat_built_in(machine, thermal, &mut brake),
            load => self.heat_again_and_again(machine, load, &mut brake),
        };
        let outcome = outcome.map_or_else(
            |outcome| outcome,
            |series| {
                Outcome::Done(Measured::Series(Series {
                    ended_early: brake.why.take(),
                    ..series
                }))
            },
        );
        let step = self.heat_step("heat", name, online_cpus(machine), begin, outcome);
        self.step_ended(step);
    }

    fn heat_built_in(
        &mut self,
        machine: &Machine,
        thermal: &Thermal,
        brake: &mut Brake,
    ) -> Result<Series, Outcome> {
        let (root, timeline) = (self.context.root, self.context.timeline);
        let cpus = online_cpus(machine);
        let seconds = thermal.time.as_secs().max(1) as usize;
        let stop = AtomicI32::new(0);
        let threads: Vec<Vec<Interval>> = std::thread::scope(|scope| {
            let one = |cpu: &u32| {
                let (cpu, stop) = (*cpu, &stop);
                // A CPU that is switched off has no intervals.
                let work = move || match move_to(&[cpu]) {
                    Ok(()) => heated::intervals(root, seconds, stop),
                    Err(_) => Vec::new(),
                };
                scope.spawn(work)
            };
            let threads: Vec<_> = cpus.iter().map(one).collect();
            while threads.iter().any(|thread| !thread.is_finished()) {
                timeline.sleep(LOOK / 4);
                brake.look(timeline.now_ms(), self.context.cancelled);
                if brake.stop.load(Ordering::Relaxed) != 0 && brake.why.is_some() {
                    stop.store(1, Ordering::Relaxed);
                }
                let now = brake.now();
                self.tell_temperature(&now);
            }
            let ended = threads.into_iter().map(|thread| thread.join());
            ended
                .map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        let working = || threads.iter().filter(|intervals| !intervals.is_empty());
        let count = working().map(Vec::len).min().unwrap_or(0);
        let rate = |at: usize| working().map(|own| own[at].operations_per_s).sum::<f64>() / 1e9;
        let clocks = cpus.iter().zip(&threads).filter(|(_, own)| !own.is_empty());
        Ok(Series {
            unit: "Gop/s".into(),
            higher_is_better: true,
            detail: "multiply-adds on the widest unit, each lane counted twice".into(),
            at_ms: (1..=count as i64)
                .map(|at| at * (INTERVAL_NS / 1_000_000) as i64)
                .collect(),
            values: (0..count).map(rate).collect(),
            clocks: clocks
                .map(|(cpu, own)| ClockSeries {
                    cpu: *cpu,
                    khz: own[..count].iter().map(|interval| interval.khz).collect(),
                })
                .collect(),
            ended_early: None,
        })
    }

    /// Runs a program until the brake stops it; the run that is cut off does not count.
    fn heat_again_and_again(
        &mut self,
        machine: &Machine,
        load: &HeatLoad,
        brake: &mut Brake,
    ) -> Result<Series, Outcome> {
        let (root, timeline) = (self.context.root, self.context.timeline);
        let begin_ms = timeline.now_ms();
        let job = job(machine, load);
        let Some(workload) = workloads::workload(job.workload) else {
            let missing = Missing::unsupported(job.workload, "there is no such workload");
            return Err(Outcome::Skipped(missing));
        };
        let mut series = Series::default();
        let open_counters = |pid: u32| crate::counters::open(root, pid);
        while brake.stop.load(Ordering::Relaxed) == 0 {
            let stop = Arc::new(AtomicI32::new(0));
            let mut watch = || {
                brake.look(timeline.now_ms(), self.context.cancelled);
                stop.store(brake.stop.load(Ordering::Relaxed), Ordering::Relaxed);
                super::flush(&mut self.sampler, &mut self.recorder);
                (self.context.progress)(Progress::Beat);
            };
            let places = (root, machine, timeline);
            let mut lab = Lab::new(places, &self.tools, &job, &stop, &mut watch);
            lab.group = self.group.as_ref();
            lab.open_counters = Some(&open_counters);
            if let Some(missing) = (workload.lacking)(&lab) {
                return Err(Outcome::Skipped(missing));
            }
            let started_ms = timeline.now_ms() - begin_ms;
            let result = (workload.run)(&mut lab);
            let ended_ms = timeline.now_ms() - begin_ms;
            match result {
                Ok(measured) => add(&mut series, measured, started_ms, ended_ms),
                Err(_) if brake.stop.load(Ordering::Relaxed) != 0 => break,
                Err(failure) => return Err(Outcome::Failed(failure)),
            }
        }
        Ok(series)
    }

    /// Watches what happens without load.
    pub(super) fn rest(&mut self, name: &str, time: Duration) {
        let (root, timeline) = (self.context.root, self.context.timeline);
        self.step_begins(name, time.as_secs());
        let begin = self.moment();
        // Without a thermometer there still is power to be watched.
        let thermometer = Thermometer::find(root);
        let now = || thermometer.clone().and_then(|found| found.millicelsius(root));
        let first: Fact<i64> = now().into();
        let end_ms = begin.0 + time.as_millis() as i64;
        while timeline.now_ms() < end_ms && self.interrupted().is_none() {
            timeline.sleep(LOOK);
            self.tell_temperature(&now());
        }
        let outcome = Outcome::Done(Measured::Wait(Wait {
            target_millicelsius: None,
            start_millicelsius: first,
            end_millicelsius: now().into(),
            not_reached: None,
        }));
        let step = self.heat_step("wait", name, Vec::new(), begin, outcome);
        self.step_ended(step);
    }

    fn moment(&self) -> (i64, i64) {
        let timeline = self.context.timeline;
        (timeline.now_ms(), timeline.utc_ms())
    }

    fn heat_step(
        &self,
        workload: &str,
        variant: &str,
        cpus: Vec<u32>,
        begin: (i64, i64),
        outcome: Outcome,
    ) -> Step {
        let end = self.moment();
        Step {
            workload: workload.into(),
            method: METHOD,
            variant: variant.into(),
            threads: cpus.len() as u32,
            cpus: Vec::new(),
            repetition: 0,
            window: Window {
                start_ms: begin.0,
                end_ms: end.0,
                start_utc_ms: Some(begin.1),
                end_utc_ms: Some(end.1),
            },
            seen_on: Vec::new(),
            tool: None,
            not_comparable: None,
            counters: Counters::default(),
            outcome,
            set_clock: None,
            repeated: Vec::new(),
            line: None,
        }
    }
}

/// Ends a load: at its time, at a temperature, at an interruption.
struct Brake<'a> {
    root: &'a Root,
    thermometer: Option<Thermometer>,
    max: i64,
    end_ms: i64,
    /// Number of the signal, or 1 for the other reasons.
    stop: AtomicI32,
    /// Why it ended before its time.
    why: Option<String>,
}

impl Brake<'_> {
    fn now(&self) -> record::Reading<i64> {
        match &self.thermometer {
            Some(thermometer) => thermometer.millicelsius(self.root),
            None => Err(Missing::unsupported("/sys/class/thermal", "no thermometer")),
        }
    }

    fn look(&mut self, now_ms: i64, cancelled: &AtomicI32) {
        let signal = cancelled.load(Ordering::Relaxed);
        if signal != 0 {
            self.why.get_or_insert("the run was interrupted".into());
            self.stop.store(signal, Ordering::Relaxed);
        } else if let Ok(value) = self.now()
            && value >= self.max
        {
            self.why.get_or_insert(format!(
                "the temperature reached {:.1} °C (limit {:.1} °C)",
                value as f64 / 1000.0,
                self.max as f64 / 1000.0
            ));
            self.stop.store(1, Ordering::Relaxed);
        } else if now_ms >= self.end_ms {
            self.stop.store(1, Ordering::Relaxed);
        }
    }
}

fn job(machine: &Machine, load: &HeatLoad) -> Job {
    let cpus = online_cpus(machine);
    let threads = cpus.len() as u32;
    match load {
        HeatLoad::Program(definition) => Job {
            workload: "program",
            variant: definition.variant.clone(),
            threads,
            definition: Some(Arc::new((**definition).clone())),
            ..Job::default()
        },
        HeatLoad::Workload(id) => Job {
            workload: id,
            variant: match *id {
                "aes" | "openssl" => "aes-256-cbc",
                _ => "multi",
            }
            .to_owned(),
            cpus,
            threads,
            time: Some(Duration::from_secs(RUN_S)),
            ..Job::default()
        },
        HeatLoad::Simd => Job::default(),
    }
}

/// Adds the score of one run: all values of a series, else one number.
fn add(series: &mut Series, measured: Measured, started_ms: i64, ended_ms: i64) {
    match measured {
        Measured::Series(own) => {
            series.unit = own.unit;
            series.higher_is_better = own.higher_is_better;
            series.detail = own.detail;
            let at = |index: usize| own.at_ms.get(index).map_or(ended_ms, |at| started_ms + at);
            series.at_ms.extend((0..own.values.len()).map(at));
            series.values.extend(own.values);
        }
        other => {
            if let Some((value, unit, higher_is_better)) = repeat::measured_score(&other) {
                series.unit = unit;
                series.higher_is_better = higher_is_better;
                series.at_ms.push(ended_ms);
                series.values.push(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks once a second; the text is empty for a temperature that was reached.
    fn check(start: StartAt, temperatures: impl Fn(i64) -> i64, expected: (i64, &str)) {
        let mut waiting = Waiting {
            start,
            began: 0,
            moved: (temperatures(0), 0),
        };
        let limit = Duration::from_secs(600);
        let ended = (0..1000).find_map(|second| {
            let verdict = waiting.verdict(second * 1000, temperatures(second), limit)?;
            Some((second, verdict))
        });
        let (second, why) = ended.unwrap();
        assert_eq!(second, expected.0, "{why}");
        assert!(why.contains(expected.1) && (!expected.1.is_empty() || why.is_empty()));
    }

    #[test]
    fn waits_are_bounded_and_give_their_reason() {
        let (cool, heat) = (StartAt::CoolTo(50_000), StartAt::HeatTo(70_000));
        check(cool, |_| 45_000, (0, ""));
        check(cool, |second| 70_000 - 100 * second, (200, ""));
        check(cool, |second| (70_000 - 100 * second).max(60_000), (220, "stays at 60.0 °C"));
        check(cool, |second| 80_000 - 10 * second, (600, "after 600 s"));
        check(heat, |second| 40_000 + 1000 * second, (30, ""));
        check(heat, |second| (40_000 + 1000 * second).min(65_000), (145, "less cooling"));
    }

    #[test]
    fn the_brake_ends_a_load_at_its_limit() {
        let board = "== /sys/class/thermal/thermal_zone0/type\ncpu-thermal\n\
                     == /sys/class/thermal/thermal_zone0/temp\n80000\n";
        let root = Root::from_board(board).unwrap();
        let check = |max: i64, now_ms: i64, signal: i32, expected: (i32, bool)| {
            let mut brake = Brake {
                root: &root,
                thermometer: Thermometer::find(&root).ok(),
                max,
                end_ms: 1000,
                stop: AtomicI32::new(0),
                why: None,
            };
            brake.look(now_ms, &AtomicI32::new(signal));
            assert_eq!((brake.stop.into_inner(), brake.why.is_some()), expected);
        };
        check(90_000, 500, 0, (0, false));
        check(90_000, 1000, 0, (1, false));
        check(80_000, 500, 0, (1, true));
        check(90_000, 500, 15, (15, true));
    }
}
