//! This machine as a source. The sampler has its own thread, so that a slow terminal delays no sample and a sensor that hangs
//! delays no other.

use super::{MonitorArgs, Poll};
use crate::output;
use explain::monitor::Watch;
use machine::sensors::{NONE, known};
use machine::{IdleCpuAffinity, Root, Sampler, SamplerOptions, SamplerThread, Timeline};
use net::meters::Meter;
use process::guard::Guard;
use record::soc_temperature::{SocTemperature, choose};
use record::{Channel, Event, Fact, Mode, Reading, Record, Run, Source as Origin};
use std::time::Duration;

/// Number of rows between reports of the cost of each source.
const ROWS_PER_COST: u64 = 100;
/// Number of rows between updates of the total cost.
const ROWS_PER_TOTAL: u64 = 10;
/// Rows queued for a slow terminal: ten minutes at one per second.
const ROWS: usize = 600;
/// Delay of the first poll after a row is due, and maximum delay between polls for a late row.
const GRACE: Duration = Duration::from_millis(5);
const LOOK: Duration = Duration::from_secs(1);
/// Number of intervals between polls, where the sampling thread shows its rows, and minimum delay: a wake-up of another thread
/// costs a tenth of a row.
const INTERVALS_PER_LOOK: u32 = 10;
const LOOK_AT_ROWS: Duration = Duration::from_secs(3);
/// Summer time begins and ends on a quarter of an hour.
const QUARTER_MS: i64 = 900_000;

/// Samples of this machine.
pub(super) struct Source {
    timeline: Timeline,
    zone: Zone,
    sampler: Option<SamplerThread>,
    /// Record before the first row, until it was handed out.
    begin: Option<Record>,
    /// Buffer for a row, and the latest value of each channel.
    row: Vec<i64>,
    latest: Vec<i64>,
    events: Vec<Event>,
    rows: u64,
    /// Time of the next row.
    due_ns: u64,
    /// Next delay between polls for a late row.
    wait: Duration,
    /// Time of the last check of the sampler, or of the last row.
    looked_ns: u64,
    /// The sampling thread shows its rows.
    shows_rows: bool,
    /// CPUs of the threads.
    affinity: Option<IdleCpuAffinity>,
    /// Meters stop polling when dropped.
    _meters: Vec<Meter>,
    _guard: Option<Guard>,
}

impl Source {
    /// Finds all channels and starts sampling. Fails if a meter is not valid, or the kernel refuses a thread.
    pub(super) fn start(
        root: &Root,
        interval: Duration,
        args: &MonitorArgs,
        has_only_lines: bool,
    ) -> anyhow::Result<Self> {
        let timeline = Timeline::start();
        let meters = meters_of(args)?;
        let options = SamplerOptions {
            interval,
            keeps_interval: true,
            // Lines show none of the totals that are read rarely.
            is_leisurely: has_only_lines || interval >= Duration::from_secs(1),
            rows: ROWS,
            external_values: meters.iter().map(Meter::feed).collect(),
            ..SamplerOptions::default()
        };
        let sampler = Sampler::new(root, &options);
        let channels = sampler.channels();
        let record = record(root, &timeline, channels, interval);
        let latest = vec![NONE; channels.len()];
        let affinity = root.is_system().then(|| IdleCpuAffinity::new(channels));
        let sampler = SamplerThread::start_without_watchdog(sampler, &timeline)?;
        machine::raise_priority();
        Ok(Self {
            row: Vec::with_capacity(latest.len()),
            latest,
            affinity,
            begin: Some(record),
            sampler: Some(sampler),
            timeline,
            zone: Zone::default(),
            events: Vec::new(),
            rows: 0,
            due_ns: 0,
            wait: GRACE,
            looked_ns: 0,
            shows_rows: false,
            _guard: guard_of(&meters),
            _meters: meters,
        })
    }

    /// Hands a row to the watch.
    fn take(&mut self, at_ms: i64, watch: &mut Watch) {
        self.wait = GRACE;
        self.rows += 1;
        self.zone.follow(&self.timeline, watch);
        watch.row(at_ms, self.row.iter().map(|value| known(*value)));
        self.events.drain(..).for_each(|event| watch.event(event));
        let Some(sampler) = &self.sampler else { return };
        let due = Duration::from_millis(at_ms.unsigned_abs()).saturating_add(sampler.interval());
        self.due_ns = u64::try_from(due.as_nanos()).unwrap_or(u64::MAX);
        self.looked_ns = self.due_ns;
        if let Some(affinity) = &mut self.affinity {
            for (latest, value) in self.latest.iter_mut().zip(&self.row) {
                if *value != NONE {
                    *latest = *value;
                }
            }
            if let Some(cpus) = affinity.check(&self.latest, at_ms) {
                sampler.move_to(cpus);
            }
        }
        if self.rows.is_multiple_of(ROWS_PER_COST) {
            watch.event(sampler.cost_event());
        } else if self.rows.is_multiple_of(ROWS_PER_TOTAL) {
            watch.set_cost(sampler.cost_so_far());
        }
    }

    /// Delay until the next poll. A late row is polled with growing delays.
    fn wait(&mut self, now_ns: u64) -> Duration {
        if let Some(sampler) = self.sampler.as_ref().filter(|_| self.shows_rows && self.rows > 0) {
            let is_late = now_ns.saturating_sub(self.due_ns) >= LOOK.as_nanos() as u64;
            return if is_late { LOOK } else { LOOK_AT_ROWS.max(sampler.interval() * INTERVALS_PER_LOOK) };
        }
        if now_ns < self.due_ns {
            return Duration::from_nanos(self.due_ns - now_ns) + GRACE;
        }
        let wait = self.wait;
        self.wait = (2 * wait).min(LOOK);
        wait
    }
}

impl super::Source for Source {
    fn poll(&mut self, watch: &mut Watch) -> anyhow::Result<Poll> {
        if let Some(record) = self.begin.take() {
            return Ok(Poll::Begin(Box::new(Watch::new(record))));
        }
        let Some(sampler) = &mut self.sampler else { return Ok(Poll::End) };
        if let Some(at_ms) = sampler.next_row(&mut self.row, &mut self.events) {
            self.take(at_ms, watch);
            return Ok(Poll::Row);
        }
        let now_ns = self.timeline.now_ns();
        // A row that is a second late may hang.
        if now_ns.saturating_sub(self.looked_ns) >= LOOK.as_nanos() as u64 {
            self.looked_ns = now_ns;
            sampler.check_reads();
        }
        Ok(Poll::Wait(self.wait(now_ns)))
    }

    fn after_rows(&mut self, work: Box<dyn FnMut() + Send>) {
        self.shows_rows = true;
        if let Some(sampler) = &self.sampler {
            sampler.after_rows(work);
        }
    }

    fn end(&mut self, watch: &mut Watch) {
        let events = self.sampler.take().map(SamplerThread::stop);
        for event in events.unwrap_or_default() {
            if let Event::SamplerCost { .. } = event {
                watch.event(event);
            }
        }
    }
}

/// Starts polling of meters. Fails with a sentence about a meter that is not valid.
fn meters_of(args: &MonitorArgs) -> anyhow::Result<Vec<Meter>> {
    let mut trouble = None;
    let meters = net::meters::start(&args.meters, args.user.as_ref(), |sentence| trouble = Some(sentence));
    if let Some(sentence) = trouble {
        anyhow::bail!("{sentence}");
    }
    meters.iter().filter_map(Meter::note).for_each(output::note);
    Ok(meters)
}

/// Guard that ends the programs of meters if this process is killed; `None` if no program reads a meter, or it cannot start.
fn guard_of(meters: &[Meter]) -> Option<Guard> {
    meters.iter().any(Meter::runs_program).then(|| Guard::start(None, None, None).ok())?
}

/// Record before the first sample.
fn record(root: &Root, timeline: &Timeline, channels: &[Channel], interval: Duration) -> Record {
    let mut record = Record::new(origin(), run(timeline));
    record.machine = workloads::measure::emulation::identified(root);
    record.samples.channels = channels.to_vec();
    record.samples.interval_ms = interval.as_millis() as u64;
    record
}

/// Local time zone; its table is read once per quarter of an hour.
#[derive(Default)]
pub(super) struct Zone {
    quarter: Option<i64>,
    offset_minutes: i32,
}

impl Zone {
    /// Updates the time of day of a watch: boards without a clock start in 1970 and get the time later.
    pub(super) fn follow(&mut self, timeline: &Timeline, watch: &mut Watch) {
        let utc_ms = timeline.utc_ms();
        let quarter = Some(utc_ms.div_euclid(QUARTER_MS));
        if self.quarter != quarter {
            self.offset_minutes = utc_offset_minutes(utc_ms);
            self.quarter = quarter;
        }
        watch.set_time(utc_ms - timeline.now_ms(), self.offset_minutes);
    }
}

/// Index of the channel with the SoC's temperature, and the reason for this choice.
pub(super) fn temperature(watch: &Watch) -> Option<(usize, String)> {
    let (channels, choice) = (watch.channels(), chosen(watch).ok()?);
    Some((choice.place(channels)?, choice.sentence(channels)))
}

/// Index of the channel with the SoC's temperature.
pub(crate) fn soc_temperature(watch: &Watch) -> Option<usize> {
    temperature(watch).map(|(place, _)| place)
}

/// Choice of a replayed run, else the one by the values so far.
pub(super) fn chosen(watch: &Watch) -> Reading<SocTemperature> {
    match &watch.record().soc_temperature {
        Fact::Known(choice) => Ok(choice.clone()),
        Fact::Missing { .. } => {
            let latest = |place| watch.value(place);
            choose(watch.channels(), latest, |place| watch.follows_load(place))
        }
    }
}

fn origin() -> Origin {
    Origin::Run {
        version: env!("CARGO_PKG_VERSION").into(),
        target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
    }
}

fn run(timeline: &Timeline) -> Run {
    Run {
        started: Fact::Known(timeline.start_utc_ms()),
        utc_offset_minutes: utc_offset_minutes(timeline.start_utc_ms()),
        mode: Mode::Monitor,
        as_root: machine::is_root(),
        ..Run::default()
    }
}

/// Offset of the local time zone at a moment.
fn utc_offset_minutes(utc_ms: i64) -> i32 {
    let at = jiff::Timestamp::from_millisecond(utc_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    jiff::tz::TimeZone::system().to_offset(at).seconds() / 60
}
