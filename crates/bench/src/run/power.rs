//! States of a power measurement: each lasts until its mean is known, or its time is over.

use super::Runner;
use super::recorder::Recorder;
use super::steps::not_started;
use crate::plan::stage::{PowerLoad, PowerState, Stage, at_once, load_step};
use crate::run::context::Progress;
use machine::faults::haste;
use machine::suspend::{SleepState, Suspend};
use machine::threads;
use record::{
    Channel, Machine, Missing, Outcome, PowerSensor, Record, Score, Scores, StepMeasurement, StoppingRule, Unit,
    Variant, WorkloadId, voltage_of,
};
use rustix::process::Signal;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::online_cpus;
use workloads::measure::context::WorkloadContext;
use workloads::measure::thread_team::while_busy;
use workloads::workload;

/// Minimum time of a state.
const TIME_MIN: Duration = Duration::from_secs(10);
/// Power settles after a change: capacitors, governors and the delay of meters.
const SETTLING: Duration = Duration::from_secs(3);
/// The mean is known if half of the interval of its batches is below this share.
const RULE: StoppingRule = StoppingRule { half_width: 0.02, ..StoppingRule::new(usize::MAX, Duration::MAX) };
/// Number of batches of readings whose means the stopping rule judges. Successive readings are not independent; the means of
/// batches nearly are. The rule decides at this number of values.
const BATCHES: usize = 7;

/// Largest difference between the first and the last two batches: a mean that still rises or falls is not known.
const DRIFT_MAX: f64 = 0.02;
/// Interval of looks at the power while loads run.
const LOOK: Duration = Duration::from_millis(250);

impl Runner<'_> {
    /// Measures the power of one state. If nothing read the power in it, no state would have a figure: the run ends.
    pub(super) fn power(&mut self, machine: &Machine, state: &PowerState) {
        let start_ms = self.context.timeline.now_ms();
        match (&state.load, self.side_refused.clone()) {
            (PowerLoad::Idle, None) => {
                let ends = |runner: &mut Self, since_ms| {
                    let now_ms = runner.context.timeline.now_ms();
                    is_power_known(&mut runner.recorder, since_ms, now_ms)
                        || silence(runner.recorder.record(), since_ms, now_ms).is_some()
                };
                self.rest(&state.name, state.limit / haste(), ends);
            }
            (PowerLoad::Idle, Some(why)) => {
                self.step_begins(state.name.as_str(), 0);
                let begin = self.moment();
                let step = self.heat_step(WorkloadId::Wait, state.name.clone(), Vec::new(), begin, not_started(why));
                self.step_ended(step);
                return;
            }
            (PowerLoad::Job(job), _) => self.power_of_job(machine, state, job),
            (PowerLoad::Together(jobs), refused) => self.power_at_once(machine, state, jobs, refused),
        }
        self.recorder.flush();
        let now_ms = self.context.timeline.now_ms();
        if let Some(why) = silence(self.recorder.record(), start_ms, now_ms) {
            let mut left = self.ahead().iter().skip(1);
            let has_more = left.any(|stage| matches!(stage, Stage::Power(_) | Stage::Suspend(..)));
            let left = if has_more { "; the states after it are not measured" } else { "" };
            let way_out = "check the meter, see `sbc-bench list meters`";
            let note = format!("Nothing read the power of {}, because {why}{left}; {way_out}.", state.name);
            (self.context.progress)(Progress::Note(note));
            self.stages.truncate(self.at + 1);
        }
    }

    /// A load of known start and end, for the delay of the readings of power.
    pub(super) fn load_step(&mut self, machine: &Machine) {
        let name = "step of the load";
        let left = self.time_left();
        (self.context.progress)(Progress::Step { name, left, is_silent: false });
        let (timeline, cancelled) = (self.context.timeline, self.context.cancelled);
        let wait = |time: Duration| {
            let end_ms = timeline.now_ms() + (time / haste()).as_millis() as i64;
            while timeline.now_ms() < end_ms && cancelled.load(Ordering::Relaxed) == 0 {
                timeline.sleep(LOOK / haste());
            }
        };
        wait(load_step::BEFORE);
        if let Err(missing) = while_busy(online_cpus(machine), || wait(load_step::BUSY)) {
            let note = format!("The delay of the power meter is not measured: {missing}.");
            (self.context.progress)(Progress::Note(note));
        }
        wait(load_step::AFTER);
    }

    /// Repeats a job until the power is known.
    fn power_of_job(&mut self, machine: &Machine, state: &PowerState, job: &Job) {
        let start_ms = self.context.timeline.now_ms();
        for repetition in 0.. {
            let step = self.job(machine, &Job { repetition, time: job.time.map(|time| time / haste()), ..job.clone() });
            let now_ms = self.context.timeline.now_ms();
            let is_over = now_ms - start_ms >= (state.limit / haste()).as_millis() as i64;
            let is_done = matches!(step.outcome, Outcome::Done(_));
            let is_over = is_over || self.interrupted().is_some();
            if !is_done || is_over || is_power_known(&mut self.recorder, start_ms, now_ms) {
                return;
            }
        }
    }

    /// Repeats all jobs at once, until the power is known. The step names those that ran, and why others did not.
    fn power_at_once(&mut self, machine: &Machine, state: &PowerState, jobs: &[Job], refused: Option<String>) {
        self.step_begins(state.name.as_str(), 0);
        let begin = self.moment();
        let cpus = online_cpus(machine);
        let (variant, outcome) = match refused {
            Some(why) => (state.name.clone(), not_started(why)),
            None => self.loads_at_once(machine, state, jobs),
        };
        let mut step = self.heat_step(WorkloadId::Heat, variant, cpus, begin, outcome);
        step.not_comparable.get_or_insert_with(|| "several loads ran at once".into());
        self.step_ended(step);
    }

    fn loads_at_once(&mut self, machine: &Machine, state: &PowerState, jobs: &[Job]) -> (Variant, Outcome) {
        let Self { context, recorder, tools, site, group, .. } = self;
        let (root, timeline, cancelled) = (context.root, context.timeline, context.cancelled);
        let (tools, site, group) = (&*tools, &*site, group.as_ref());
        let ended = AtomicI32::new(0);
        let repeat = |job: &Job| loop {
            let context = WorkloadContext {
                group,
                site: Arc::clone(site),
                ..WorkloadContext::new((root, machine, timeline), tools, job, &ended, &|| {})
            };
            let outcome = workload(job.workload).map(|workload| workload.measure(&context).1);
            match outcome {
                Some(Outcome::Done(_)) if ended.load(Ordering::Relaxed) == 0 => {}
                // It was interrupted.
                _ if ended.load(Ordering::Relaxed) != 0 => return Ok(()),
                Some(Outcome::Skipped(missing)) => return Err(missing.to_string()),
                Some(Outcome::Failed(failure)) => return Err(failure.message),
                _ => return Err(format!("{} is unknown", job.workload.as_str())),
            }
        };
        let mut wait = || {
            let start_ms = timeline.now_ms();
            let end_ms = start_ms + (state.limit / haste()).as_millis() as i64;
            while timeline.now_ms() < end_ms && cancelled.load(Ordering::Relaxed) == 0 {
                timeline.sleep(LOOK);
                if is_power_known(recorder, start_ms, timeline.now_ms()) {
                    break;
                }
            }
            ended.store(Signal::TERM.as_raw(), Ordering::Relaxed);
        };
        let ran: Vec<Result<(), String>> = std::thread::scope(|scope| {
            let repeat = &repeat;
            let start = |job| threads::spawn_scoped(scope, "load", move || repeat(job));
            let started: Vec<_> = jobs.iter().map(start).collect();
            wait();
            let ends = started.into_iter().map(|thread| thread.map(threads::join));
            ends.map(|end| end.unwrap_or_else(|missing| Err(missing.to_string()))).collect()
        });
        let (mut beside, mut lacking) = (Vec::new(), Vec::new());
        for (job, ran) in jobs.iter().zip(ran) {
            match ran {
                Ok(()) => beside.push(job.workload),
                Err(why) => lacking.push(format!("{} not loaded: {why}", job.workload.label())),
            }
        }
        let detail = lacking.join("; ");
        if beside.is_empty() {
            return (state.name.clone(), Outcome::Skipped(Missing::unsupported("", detail)));
        }
        let scores = Scores { detail, ..Scores::default() };
        (at_once(beside.into_iter()), Outcome::Done(StepMeasurement::Scores(scores)))
    }

    /// Suspends the machine. If it does not return, the stream on disk has the name of this step.
    pub(super) fn suspend(&mut self, state: &SleepState, time: Duration) {
        let (root, timeline) = (self.context.root, self.context.timeline);
        let variant = Variant::from(format!("suspend, {}", state.name()));
        self.step_begins(variant.as_str(), 0);
        let begin = self.moment();
        let outcome = match self.side_refused.clone() {
            Some(why) => not_started(why),
            None => match machine::suspend::suspend(root, timeline, state, time) {
                Ok(suspend) => Outcome::Done(StepMeasurement::Scores(scores(suspend))),
                Err(missing) => Outcome::Skipped(missing),
            },
        };
        let step = self.heat_step(WorkloadId::Wait, variant, Vec::new(), begin, outcome);
        self.step_ended(step);
    }
}

fn scores(suspend: Suspend) -> Scores {
    let seconds = |name: &str, ms: Option<i64>| {
        let value = ms? as f64 / 1000.0;
        Some(Score { name: name.to_owned(), value, unit: "s".into(), higher_is_better: false })
    };
    let rows = [
        seconds("time to wake", suspend.to_wake_ms),
        seconds("time to sleep", suspend.to_sleep_ms),
        seconds("asleep", Some(suspend.asleep_ms)),
    ];
    let early = if suspend.to_wake_ms.is_none() { "it woke before its alarm; " } else { "" };
    let woken_by = suspend.woken_by.unwrap_or_else(|_| "not reported".to_owned());
    Scores {
        rows: rows.into_iter().flatten().collect(),
        detail: format!("{early}woken by: {woken_by}"),
        ..Scores::default()
    }
}

/// True if the mean power between these times is known by [`RULE`].
fn is_power_known(recorder: &mut Recorder, start_ms: i64, now_ms: i64) -> bool {
    if now_ms - start_ms < (TIME_MIN / haste()).as_millis() as i64 {
        return false;
    }
    recorder.flush();
    let start_ms = start_ms + (SETTLING / haste()).as_millis() as i64;
    let readings = power_since(recorder.record(), start_ms);
    is_known(&readings.iter().map(|(_, power)| *power).collect::<Vec<_>>())
}

/// A source of the power of the whole board, or of a chip without a label.
enum Source<'a> {
    Power(&'a Channel),
    Product { volts: &'a Channel, amperes: &'a Channel },
}

impl<'a> Source<'a> {
    fn of(channels: &'a [Channel], channel: &'a Channel) -> Option<Self> {
        let sensor = PowerSensor::of(channel);
        if channel.is_power() {
            return (sensor.role.is_whole() || sensor.is_unlabelled_chip(channel)).then_some(Self::Power(channel));
        }
        let volts = &channels[voltage_of(channels, channel).filter(|_| channel.unit == Unit::Milliamperes)?];
        PowerSensor::of(volts).role.is_whole().then_some(Self::Product { volts, amperes: channel })
    }

    /// Rows and readings from this row on, in a unit of the source.
    fn readings(&self, first: usize) -> Vec<(usize, f64)> {
        let rows = |channel: &'a Channel| {
            let known = channel.values.iter().enumerate().skip(first);
            known.filter_map(|(row, value)| Some((row, (*value)? as f64)))
        };
        match self {
            Self::Power(channel) => rows(channel).collect(),
            Self::Product { volts, amperes } => {
                let before = |row: usize| volts.values.get(..=row)?.iter().rev().copied().flatten().next();
                let product = |(row, amperes): (usize, f64)| Some((row, amperes.abs() * before(row)? as f64));
                rows(amperes).filter_map(product).collect()
            }
        }
    }
}

/// Times and readings of the first source of the whole board since this time.
fn power_since(record: &Record, start_ms: i64) -> Vec<(i64, f64)> {
    let samples = &record.samples;
    let first = samples.at_ms.partition_point(|at_ms| *at_ms < start_ms);
    let sources = samples.channels.iter().filter_map(|channel| Source::of(&samples.channels, channel));
    let mut readings = sources.map(|source| source.readings(first)).filter(|readings| !readings.is_empty());
    let readings = readings.next().unwrap_or_default();
    readings.into_iter().filter_map(|(row, power)| Some((*samples.at_ms.get(row)?, power))).collect()
}

/// Why there was no reading of the power in a state: what the sampler has against its source. `None` with readings, in a
/// state too short for them, and for a source that is only slow.
fn silence(record: &Record, start_ms: i64, now_ms: i64) -> Option<String> {
    let is_short = now_ms - start_ms < (TIME_MIN / haste()).as_millis() as i64;
    if is_short || !power_since(record, start_ms).is_empty() {
        return None;
    }
    let channels = &record.samples.channels;
    let own = channels.iter().filter(|channel| Source::of(channels, channel).is_some());
    let gaps = own.flat_map(|channel| &channel.gaps);
    let gap = gaps.max_by_key(|gap| gap.at_ms);
    let last_ms = power_since(record, i64::MIN).last().map(|(at_ms, _)| *at_ms);
    match (gap, last_ms) {
        (Some(gap), last_ms) if last_ms.is_none_or(|last_ms| last_ms <= gap.at_ms) => Some(gap.missing.to_string()),
        (None, None) => Some("it has no sensor or meter of the whole board".to_owned()),
        _ => None,
    }
}

fn is_known(values: &[f64]) -> bool {
    let size = values.len() / BATCHES;
    if size == 0 {
        return false;
    }
    let mean = |values: &[f64]| values.iter().fold(0.0, |sum, value| sum + value) / values.len() as f64;
    let batches: Vec<f64> = values[values.len() - size * BATCHES..].chunks(size).map(mean).collect();
    let (first, last) = (mean(&batches[..2]), mean(&batches[BATCHES - 2..]));
    let is_steady = (last - first).abs() <= DRIFT_MAX * first.max(last);
    is_steady && mean(&batches) > 0.0 && RULE.ended(&batches, Duration::ZERO).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{ChannelId, Gap, HwmonChannel, HwmonKind};
    use testkit::records::own_run;

    #[test]
    fn mean_is_known_when_batches_agree() {
        let wave = |height: f64| (0..80).map(|at| 5_000.0 + height * f64::from(at % 7)).collect::<Vec<f64>>();
        let rising: Vec<f64> = (0..80).map(|at| 5_000.0 + 30.0 * f64::from(at)).collect();
        // 0.6 % per second, for the 7 s after the settling of the shortest state.
        let slowly: Vec<f64> = (0..70).map(|at| 5_000.0 * (1.0 + 0.0006 * f64::from(at))).collect();
        for (values, expected) in [
            (wave(0.0), true),
            (wave(200.0), true),
            (rising, false),
            (slowly, false),
            (vec![5_000.0; 6], false),
            (vec![0.0; 80], false),
        ] {
            assert_eq!(is_known(&values), expected, "{:?}", &values[..6]);
        }
    }

    fn with(mut record: Record, number: u32, of: HwmonKind, label: &str, values: &[Option<i64>]) -> Record {
        let id = ChannelId::Hwmon(0, HwmonChannel::Sensor(of, number));
        record.samples.at_ms = (0..values.len() as i64).map(|row| 1_000 * row).collect();
        record.samples.channels.push(Channel { label: label.into(), values: values.to_vec(), ..Channel::of(id) });
        record
    }

    #[test]
    fn volts_and_amperes_of_an_input_are_its_power() {
        let of = |voltage: &str, current: &str| {
            let record = with(own_run(), 0, HwmonKind::Voltage, voltage, &[Some(5_000), None, Some(5_100)]);
            with(record, 1, HwmonKind::Current, current, &[Some(-900), Some(-1_000), Some(-1_000)])
        };
        let tester = of("powerz VBUS", "powerz IBUS");
        assert_eq!(power_since(&tester, 1_000), [(1_000, 5_000_000.0), (2_000, 5_100_000.0)]);
        assert_eq!(power_since(&of("ina3221 VDD_CPU", "ina3221 VDD_CPU"), 0), []);
    }

    #[test]
    fn silence_of_a_source_has_its_reason() {
        let missing = Missing::unsupported("hwmon0", "no such device");
        let of = |values: &[Option<i64>], gap_ms: Option<i64>| {
            let mut record = with(own_run(), 1, HwmonKind::Power, "power_meter", values);
            let gaps = gap_ms.map(|at_ms| Gap { at_ms, missing: missing.clone() });
            record.samples.channels[0].gaps.extend(gaps);
            record
        };
        let value = Some(5_000);
        for (values, gap_ms, now_ms, expected) in [
            (&[None, None, None][..], Some(0), 12_000, true),
            (&[None, None, None], Some(0), 500, false),
            (&[value, None, None], Some(1_000), 13_000, true),
            // It answers again, or is only slow.
            (&[value, None, value], Some(1_000), 13_000, false),
            (&[value, None, None], None, 13_000, false),
        ] {
            let why = silence(&of(values, gap_ms), 1_000, now_ms);
            assert_eq!(why, expected.then(|| missing.to_string()), "{values:?} {gap_ms:?} {now_ms}");
        }
        assert!(silence(&own_run(), 0, 12_000).unwrap().contains("no sensor or meter"));
    }
}
