//! Threads for sources that are slow or may hang, so that ticks of the sampler never wait.
//!
//! One thread reads them all in turn and stores the values in [`LatestValues`]. A read that never returns (broken I2C
//! bus, dead drive) blocks only its own source: when its values exceed their patience, another thread takes over the
//! others.

use super::latest_values::LatestValues;
use super::reader::{Reader, SamplerValues};
use super::schedule::ReadSchedule;
use super::thread_affinity::ThreadAffinity;
use crate::sensors::NONE;
use crate::threads::lock;
use crate::timeline::{monotonic_ns, thread_cpu_ns};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::Thread;
use std::time::Duration;

/// Size of the buffer for one answer; these files are short.
const BUFFER_BYTES: usize = 4 << 10;
const STACK_BYTES: usize = 128 << 10;
/// Maximum number of threads; if this many reads hang, another thread would hang too.
const THREADS_MAX: u32 = 4;
/// Time until a thread checks again if no source is due.
const NAP_NS: u64 = 60_000_000_000;

/// Source that is read outside of ticks.
#[derive(Debug)]
pub(super) struct SlowSource {
    pub(super) reader: Reader,
    pub(super) schedule: ReadSchedule,
    pub(super) latest_values: LatestValues,
    values: Vec<i64>,
}

impl SlowSource {
    pub(super) fn new(reader: Reader, schedule: ReadSchedule, latest_values: LatestValues) -> Self {
        let values = vec![NONE; latest_values.channels().len()];
        Self { reader, schedule, latest_values, values }
    }

    fn read(&mut self, buffer: &mut [u8]) {
        let begin_ns = monotonic_ns();
        self.values.fill(NONE);
        let outcome = self.reader.read(SamplerValues::default(), buffer, &mut self.values);
        let read_ns = monotonic_ns() - begin_ns;
        self.schedule.after_read(begin_ns, read_ns, outcome);
        self.latest_values.put(outcome.map(|()| &self.values[..]), read_ns);
    }
}

/// Threads and their sources.
#[derive(Debug)]
pub(super) struct SlowReaderPool(Arc<PoolState>);

#[derive(Debug, Default)]
struct PoolState {
    affinity: ThreadAffinity,
    sources: Mutex<Vec<Arc<Mutex<SlowSource>>>>,
    threads: AtomicU32,
    stop: AtomicBool,
    cpu_ns: AtomicU64,
    sleepers: Mutex<Vec<Thread>>,
}

impl SlowReaderPool {
    /// Creates a pool with this affinity, without starting a thread.
    pub(super) fn new(affinity: ThreadAffinity) -> Self {
        Self(Arc::new(PoolState { affinity, ..PoolState::default() }))
    }

    /// Adds a source, which is read soon.
    pub(super) fn add(&self, source: SlowSource) {
        lock(&self.0.sources).push(Arc::new(Mutex::new(source)));
        self.wake();
    }

    /// Starts the first thread if there are sources. If the kernel rejects the thread, the sources are reported as
    /// failed.
    pub(super) fn start(&self) {
        if self.0.threads.load(Ordering::Relaxed) == 0 && !lock(&self.0.sources).is_empty() {
            self.spawn();
        }
    }

    /// Called when a source has exceeded its patience: starts another thread if a read hangs.
    pub(super) fn help(&self) {
        let threads = self.0.threads.load(Ordering::Relaxed);
        let sources = lock(&self.0.sources);
        let hanging = sources.iter().filter(|source| source.try_lock().is_err());
        if hanging.count() as u32 >= threads && (1..THREADS_MAX).contains(&threads) {
            drop(sources);
            self.spawn();
        }
    }

    /// CPU time of all threads, in nanoseconds.
    pub(super) fn cpu_ns(&self) -> u64 {
        self.0.cpu_ns.load(Ordering::Relaxed)
    }

    fn spawn(&self) {
        let shared = Arc::clone(&self.0);
        let builder = std::thread::Builder::new().name("slow-sensors".into());
        let start = || builder.stack_size(STACK_BYTES).spawn(move || work(&shared));
        let spawned = crate::faults::pass(crate::faults::Call::Thread, "slow-sensors", start);
        if let Ok(handle) = spawned {
            self.0.threads.fetch_add(1, Ordering::Relaxed);
            lock(&self.0.sleepers).push(handle.thread().clone());
        }
    }

    fn wake(&self) {
        lock(&self.0.sleepers).iter().for_each(Thread::unpark);
    }
}

impl Drop for SlowReaderPool {
    /// The threads end on their own; one that hangs in the kernel cannot be joined.
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
        self.wake();
    }
}

fn work(shared: &PoolState) {
    // On failure the thread runs on other CPUs, which is acceptable.
    let _ = shared.affinity.join();
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut counted_ns = 0;
    while !shared.stop.load(Ordering::Relaxed) {
        let mut next_ns = monotonic_ns() + NAP_NS;
        let mut index = 0;
        loop {
            let source = lock(&shared.sources).get(index).cloned();
            let Some(source) = source else { break };
            // Locked: another thread is reading it, perhaps forever.
            if let Ok(mut source) = source.try_lock() {
                if source.schedule.is_due(monotonic_ns(), 0) {
                    source.read(&mut buffer);
                }
                next_ns = next_ns.min(source.schedule.due_ns());
            }
            index += 1;
        }
        let cpu_ns = thread_cpu_ns();
        shared.cpu_ns.fetch_add(cpu_ns - counted_ns, Ordering::Relaxed);
        counted_ns = cpu_ns;
        let pause_ns = next_ns.saturating_sub(monotonic_ns());
        if pause_ns > 0 && !shared.stop.load(Ordering::Relaxed) {
            std::thread::park_timeout(Duration::from_nanos(pause_ns));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::latest_values::TakeOutcome;
    use super::*;
    use crate::Root;
    use crate::sensors::{Probe, ReadMethod, SampleInterval, Scale};
    use record::{Channel, ChannelId, ChannelKind, Unit};

    /// While this is set, one source hangs.
    static HANGS: AtomicBool = AtomicBool::new(true);

    fn hang(_: &[u8], values: &mut [i64]) {
        while HANGS.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        values[0] = 1;
    }

    fn answer(_: &[u8], values: &mut [i64]) {
        values[0] = 2;
    }

    fn source(parser: crate::sensors::Parser) -> (SlowSource, LatestValues) {
        let probe = Probe {
            path: "/a".into(),
            channels: vec![Channel {
                source: "/a".into(),
                ..Channel::new(ChannelId::own("a"), Unit::Count, ChannelKind::Gauge)
            }],
            interval: SampleInterval::AtMostEveryMs(1),
            read: ReadMethod::File(parser),
            wraps_after: None,
            scale: Scale::One,
            is_blocking: true,
        };
        let root = Root::from_board("== /a\n1\n").unwrap();
        let latest_values = LatestValues::new("/a", probe.channels.clone(), Duration::MAX);
        let reader = Reader::new(&root, &probe);
        (SlowSource::new(reader, ReadSchedule::new(probe.interval), latest_values.clone()), latest_values)
    }

    /// Waits for an answer, regardless of the load of the machine.
    fn answered(latest_values: &LatestValues) -> i64 {
        let mut values = [NONE];
        while latest_values.take(&mut 0, &mut values, 0) != TakeOutcome::Fresh {
            std::thread::sleep(Duration::from_millis(1));
        }
        values[0]
    }

    #[test]
    fn hanging_source_blocks_only_itself() {
        let slow_readers = SlowReaderPool::new(ThreadAffinity::default());
        let (hanging, hanging_values) = source(hang);
        let (other, other_values) = source(answer);
        slow_readers.add(hanging);
        slow_readers.add(other);
        slow_readers.start();
        // Another thread starts only after the first one hangs.
        while slow_readers.0.threads.load(Ordering::Relaxed) < 2 {
            slow_readers.help();
        }
        assert_eq!(answered(&other_values), 2);
        let mut values = [NONE];
        assert_eq!(hanging_values.take(&mut 0, &mut values, 0), TakeOutcome::Nothing);
        HANGS.store(false, Ordering::Relaxed);
        assert_eq!(answered(&hanging_values), 1);
    }
}
