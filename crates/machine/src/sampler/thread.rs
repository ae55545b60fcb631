//! Background sampler, as used by its owner: start, keep off measured CPUs, fetch samples, stop.
//!
//! With permission (as root) it has priority over normal threads: a sampler that waits for the load would miss samples
//! when they matter most, and waiting does not make a tick of some 50 µs cheaper. The delay of each sample is a
//! channel. The sampler never waits for its owner: if samples are not fetched, the newest are dropped and counted.

use super::Sampler;
use super::block::{Block, SharedBlock};
use super::thread_affinity::{self, ThreadAffinity};
use super::watchdog::{AfterRow, SamplerWatchdog};
use crate::timeline::Timeline;
use record::{Channel, Event, SamplerCost, SourceCost};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Sampler that runs in the background.
#[derive(Debug)]
pub struct SamplerThread {
    shared: Arc<SharedBlock>,
    channels: Vec<Channel>,
    /// Paths of the sources, in the order of their costs.
    sources: Vec<String>,
    rows: usize,
    affinity: ThreadAffinity,
    /// Affinity of the owner at the start.
    allowed: Vec<u32>,
    /// Event of the channels, until it is fetched.
    announcement: Option<Event>,
    worker: Option<Worker>,
}

/// Sampling thread.
#[derive(Debug)]
enum Worker {
    /// Separate thread with its watchdog.
    Thread(Arc<SamplerWatchdog>),
    /// None on a fake timeline: time advances only while others work, and samples of the elapsed time are taken when
    /// they are fetched.
    Afterwards(Box<Sampler>, Timeline),
}

impl SamplerThread {
    /// Starts sampling at once.
    ///
    /// # Errors
    /// The kernel rejects the thread.
    pub fn start(sampler: Sampler, timeline: &Timeline) -> std::io::Result<Self> {
        Self::begin(sampler, timeline, true)
    }

    /// The same without a watchdog: the owner checks it while waiting for rows ([`SamplerThread::check_reads`]).
    ///
    /// # Errors
    /// The kernel rejects the thread.
    pub fn start_without_watchdog(sampler: Sampler, timeline: &Timeline) -> std::io::Result<Self> {
        Self::begin(sampler, timeline, false)
    }

    fn begin(mut sampler: Sampler, timeline: &Timeline, has_watchdog: bool) -> std::io::Result<Self> {
        let channels = sampler.channels().to_vec();
        let announcement = Some(sampler.channels_event());
        let rows = sampler.options.rows;
        let sources: Vec<String> = sampler.slots.iter().map(|slot| slot.path.clone()).collect();
        let mut block = Block::new(channels.len(), rows);
        block.sources = vec![(0, 0); sources.len()];
        let affinity = sampler.affinity.clone();
        let allowed = match sampler.options.cpus.as_slice() {
            [] => thread_affinity::allowed(),
            cpus => cpus.to_vec(),
        };
        let shared = Arc::new(SharedBlock(Mutex::new(block)));
        let worker = if timeline.is_fake() {
            sampler.due_ns = timeline.now_ns();
            Worker::Afterwards(Box::new(sampler), timeline.clone())
        } else {
            Worker::Thread(SamplerWatchdog::start(sampler, &shared, timeline, has_watchdog)?)
        };
        Ok(Self { shared, channels, sources, rows, affinity, allowed, announcement, worker: Some(worker) })
    }

    /// Work for the sampling thread after each row, without a lock on it. Rows need not be fetched in time then. The
    /// work must not wait for others, because that would delay samples.
    pub fn after_rows(&self, work: Box<dyn FnMut() + Send>) {
        if let Some(Worker::Thread(watchdog)) = &self.worker {
            *crate::threads::lock(&watchdog.after_row) = Some(AfterRow(work));
        }
    }

    /// Channels in the order of the columns, without values.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// Keeps the threads of the sampler off CPUs that are measured from now on, if others are available. Not for timed
    /// regions.
    pub fn keep_off(&self, measured: &[u32]) {
        if matches!(self.worker, Some(Worker::Thread(_))) {
            self.affinity.move_to(&thread_affinity::unmeasured(&self.allowed, measured));
        }
    }

    /// Applies the same affinity to the calling thread, which also monitors. Ignored if the kernel rejects it.
    pub fn keep_off_caller(&self) {
        if matches!(self.worker, Some(Worker::Thread(_))) {
            let _ = self.affinity.join();
        }
    }

    /// All events since the last call: initially the channels, then a block of samples with gaps, and the cost so far.
    /// Allocates; not for timed regions.
    pub fn drain(&mut self) -> Vec<Event> {
        if let Some(Worker::Afterwards(sampler, timeline)) = &mut self.worker {
            catch_up(sampler, timeline, &self.shared);
        }
        let mut fresh = Block::new(self.channels.len(), self.rows);
        fresh.sources = vec![(0, 0); self.sources.len()];
        let block = {
            let mut shared = self.shared.lock();
            fresh.cost = shared.cost.clone();
            fresh.sources.copy_from_slice(&shared.sources);
            std::mem::replace(&mut *shared, fresh)
        };
        let cost = self.cost(&block);
        let mut events: Vec<Event> = self.announcement.take().into_iter().collect();
        events.extend(block.into_events(&self.channels));
        events.push(Event::SamplerCost { cost });
        events
    }

    /// Oldest row that was not fetched, in the order of the channels, with its time. Its gaps are appended to the
    /// events. For owners that fetch single rows; allocates only for gaps.
    pub fn next_row(&mut self, row: &mut Vec<i64>, events: &mut Vec<Event>) -> Option<i64> {
        if let Some(Worker::Afterwards(sampler, timeline)) = &mut self.worker {
            catch_up(sampler, timeline, &self.shared);
        }
        let mut block = self.shared.lock();
        let at_ms = block.take_row(row);
        block.take_gaps(&self.channels, events);
        at_ms
    }

    /// Interval between rows: the requested one, or longer if that would be too expensive.
    pub fn interval(&self) -> Duration {
        match &self.worker {
            Some(Worker::Thread(watchdog)) => watchdog.interval(),
            Some(Worker::Afterwards(sampler, _)) => sampler.interval(),
            None => Duration::MAX,
        }
    }

    /// For an owner that waits for a late row, once a second: abandons a read that several checks find unfinished.
    pub fn check_reads(&self) {
        if let Some(Worker::Thread(watchdog)) = &self.worker {
            watchdog.check();
        }
    }

    /// Moves all threads to these CPUs; an empty list has no effect.
    pub fn move_to(&self, cpus: &[u32]) {
        if matches!(self.worker, Some(Worker::Thread(_))) {
            self.affinity.move_to(cpus);
        }
    }

    /// Cost so far, without single sources.
    pub fn cost_so_far(&self) -> SamplerCost {
        self.shared.lock().cost.clone()
    }

    /// Event with the cost so far, by source.
    pub fn cost_event(&self) -> Event {
        let cost = self.cost(&self.shared.lock());
        Event::SamplerCost { cost }
    }

    /// Cost in a block with the names of the sources.
    fn cost(&self, block: &Block) -> SamplerCost {
        let sources = self.sources.iter().zip(&block.sources);
        let sources = sources.map(|(source, &(reads, read_ns))| SourceCost { source: source.clone(), reads, read_ns });
        SamplerCost { sources: sources.collect(), ..block.cost.clone() }
    }

    /// Stops, and returns all events since the last call of [`SamplerThread::drain`]; the last one is the cost.
    pub fn stop(mut self) -> Vec<Event> {
        self.halt();
        self.drain()
    }

    /// A hanging read blocks its thread, but not the caller.
    fn halt(&mut self) {
        if matches!(self.worker, Some(Worker::Thread(_)))
            && let Some(Worker::Thread(watchdog)) = self.worker.take()
        {
            watchdog.stop();
        }
    }
}

impl Drop for SamplerThread {
    fn drop(&mut self) {
        self.halt();
    }
}

/// Takes the samples of a fake timeline up to now.
fn catch_up(sampler: &mut Sampler, timeline: &Timeline, shared: &SharedBlock) {
    while sampler.due_ns <= timeline.now_ns() {
        let tick = sampler.begin(timeline, sampler.due_ns);
        sampler.sample(&tick);
        sampler.account(0);
        sampler.cost.wakeups += 1;
        shared.take_over(sampler);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Root;
    use crate::sampler::Options;
    use record::{ChannelId, CpuTime};

    #[test]
    fn fake_timeline_gives_one_row_per_interval() {
        let root = Root::from_board("== /proc/loadavg\n0.20 0.18 0.12 1/80 1\n").unwrap();
        let timeline = Timeline::fake(0);
        let sampler = Sampler::new(&root, &Options::default());
        let mut thread = SamplerThread::start(sampler, &timeline).unwrap();
        timeline.sleep(Duration::from_millis(3200));
        let events = thread.drain();
        assert!(matches!(events[0], Event::Channels { interval_ms: 500, .. }), "{events:?}");
        let Event::Samples { at_ms, columns } = &events[1] else { panic!("{events:?}") };
        assert_eq!(at_ms, &[0, 500, 1000, 1500, 2000, 2500, 3000]);
        let load = &columns[0];
        assert_eq!((load[0], load[6]), (Some(20), Some(20)));
        assert_eq!(load[1..6], [None; 5], "it has a longer interval");
        timeline.sleep(Duration::from_millis(300));
        let events = thread.stop();
        assert!(matches!(&events[0], Event::Samples { at_ms, .. } if at_ms == &[3500]));
        let Some(Event::SamplerCost { cost }) = events.last() else { panic!("{events:?}") };
        assert_eq!((cost.ticks, cost.elapsed_ns, cost.cpu_ns), (8, 3_500_000_000, 0));
    }

    #[test]
    fn running_system_is_sampled_in_the_background() {
        let options = Options { interval: Duration::from_millis(20), ..Options::default() };
        let timeline = Timeline::start();
        let sampler = Sampler::new(&Root::system(), &options);
        let user = ChannelId::all_cpus(CpuTime::User);
        let user = sampler.position(&user).unwrap();
        let mut thread = SamplerThread::start(sampler, &timeline).unwrap();
        let mut events = Vec::new();
        // Two blocks with samples arrive eventually, regardless of the load of the machine.
        while events.iter().filter(|event| matches!(event, Event::Samples { .. })).count() < 2 {
            timeline.sleep(Duration::from_millis(5));
            events.extend(thread.drain());
        }
        events.extend(thread.stop());
        assert!(matches!(events[0], Event::Channels { .. }));
        for event in &events {
            if let Event::Samples { at_ms, columns } = event {
                assert_eq!(columns[user].len(), at_ms.len());
                // The last row contains the slow sources.
                let (_, rows) = columns[user].split_last().unwrap();
                assert!(rows.iter().all(Option::is_some));
            }
        }
        let Some(Event::SamplerCost { cost }) = events.last() else { panic!("{events:?}") };
        assert!(cost.ticks >= 2 && cost.cpu_ns > 0);
    }
}
