//! Background sampling thread with a watchdog: a separate thread, or the thread that waits for rows.
//!
//! The sampler is unlocked while a source is read. If a read never returns (hung bus behind a thermal zone, dead
//! firmware call), the watchdog abandons that source and another thread continues with the others; the old one moves
//! the source to the threads for slow ones as soon as its read returns, and ends.

use super::block::SharedBlock;
use super::borrowed_source::ReadBuffer;
use super::thread_affinity::raise_priority;
use super::{Sampler, Tick};
use crate::faults::{self, Call};
use crate::threads::lock;
use crate::timeline::{Timeline, thread_cpu_ns};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// Stack size, sufficient for views of rows; the default of 8 MiB of address space would look like high memory use in
/// `top`.
const STACK_BYTES: usize = 512 << 10;
/// Interval of the watchdog.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Number of checks that find a read unfinished before it counts as hung. Checks rather than seconds, because they
/// pause while the program is stopped.
const CHECKS_MAX: u32 = 3;
/// Minimum duration of such a read, in seconds.
const HANGS_S: u32 = CHECKS_MAX - 1;
/// Maximum number of abandoned sources; a working machine has fewer.
const HANGS_MAX: u32 = 8;
/// Maximum time for stopping: detection of a hung read, and a last row.
const STOP_MAX: Duration = Duration::from_secs(5);

/// The sampler, and the thread that may use it.
#[derive(Debug)]
pub(super) struct SamplerWatchdog {
    sampler: Mutex<Sampler>,
    shared: Arc<SharedBlock>,
    timeline: Timeline,
    /// Incremented when a thread is abandoned.
    turn: AtomicU32,
    /// Number of the current read; 0 between reads.
    reading: AtomicU64,
    /// Index of its source.
    slot: AtomicUsize,
    stop: AtomicBool,
    /// Set when sampling has ended.
    ended: Mutex<bool>,
    end: Condvar,
    threads: Mutex<Vec<Thread>>,
    /// Result of the last check.
    last_check: Mutex<ReadCheck>,
    /// Work of the sampling thread after each row.
    pub(super) after_row: Mutex<Option<AfterRow>>,
    /// False if the owner checks.
    has_watchdog: bool,
}

/// Work of the owner that the sampling thread does, to wake no other thread for it.
pub(super) struct AfterRow(pub(super) Box<dyn FnMut() + Send>);

impl std::fmt::Debug for AfterRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AfterRow")
    }
}

/// Check of the current read.
#[derive(Debug, Default)]
struct ReadCheck {
    reading: u64,
    /// Number of consecutive checks with this read.
    checks: u32,
}

impl SamplerWatchdog {
    /// Starts sampling.
    ///
    /// # Errors
    /// The kernel rejects a thread.
    pub(super) fn start(
        sampler: Sampler,
        shared: &Arc<SharedBlock>,
        timeline: &Timeline,
        has_watchdog: bool,
    ) -> std::io::Result<Arc<Self>> {
        let watchdog = Arc::new(Self {
            sampler: Mutex::new(sampler),
            shared: Arc::clone(shared),
            timeline: timeline.clone(),
            turn: AtomicU32::new(0),
            reading: AtomicU64::new(0),
            slot: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            ended: Mutex::new(false),
            end: Condvar::new(),
            threads: Mutex::default(),
            last_check: Mutex::default(),
            after_row: Mutex::default(),
            has_watchdog,
        });
        watchdog.lock().due_ns = timeline.now_ns();
        watchdog.spawn("sampler", |watchdog| watchdog.work(0))?;
        if !has_watchdog {
            return Ok(watchdog);
        }
        if let Err(error) = watchdog.spawn("slow-sensors", |watchdog| watchdog.watch()) {
            watchdog.stop.store(true, Ordering::Relaxed);
            watchdog.wake();
            return Err(error);
        }
        Ok(watchdog)
    }

    /// Stops; false if a hung read prevented the last row.
    pub(super) fn stop(self: &Arc<Self>) -> bool {
        self.stop.store(true, Ordering::Relaxed);
        self.wake();
        let until = Instant::now() + STOP_MAX;
        let has_ended = loop {
            let left = until.saturating_duration_since(Instant::now());
            let ended = lock(&self.ended);
            let waited = self.end.wait_timeout_while(ended, left.min(CHECK_INTERVAL), |ended| !*ended);
            let has_ended = *waited.unwrap_or_else(PoisonError::into_inner).0;
            if has_ended || left.is_zero() {
                break has_ended;
            }
            if !self.has_watchdog {
                self.check();
            }
        };
        self.wake();
        has_ended
    }

    /// Interval between rows.
    pub(super) fn interval(&self) -> Duration {
        self.lock().interval()
    }

    fn wake(&self) {
        lock(&self.threads).iter().for_each(Thread::unpark);
    }

    fn spawn(self: &Arc<Self>, name: &str, work: fn(&Arc<Self>)) -> std::io::Result<()> {
        let watchdog = Arc::clone(self);
        let builder = std::thread::Builder::new().name(name.into());
        let start = || builder.stack_size(STACK_BYTES).spawn(move || work(&watchdog));
        let handle = faults::pass(Call::Thread, "sampler", start)?;
        lock(&self.threads).push(handle.thread().clone());
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Sampler> {
        lock(&self.sampler)
    }

    /// Runs ticks while this thread owns the turn.
    fn work(&self, mine: u32) {
        let (mut read_buffer, cpu_before_ns, affinity) = {
            let sampler = self.lock();
            let read_buffer = ReadBuffer::new(sampler.channels.len(), sampler.cpus);
            // Includes ticks of the owner or of earlier threads.
            (read_buffer, sampler.cost.cpu_ns, sampler.affinity.clone())
        };
        self.shared.lock().pin_errno = affinity.join().err();
        raise_priority();
        loop {
            let due_ns = self.lock().due_ns();
            let sleeps = wait_until(due_ns, &self.timeline, &self.stop);
            let is_last = self.stop.load(Ordering::Relaxed);
            let mut sampler = self.lock();
            sampler.cost.wakeups += sleeps;
            let tick = if is_last {
                sampler.last_tick(&self.timeline)
            } else {
                sampler.begin(&self.timeline, self.timeline.now_ns())
            };
            let Some(mut sampler) = self.row(sampler, mine, &tick, &mut read_buffer) else { return };
            if is_last {
                if sampler.row.iter().any(|value| *value != crate::sensors::NONE) {
                    self.shared.take_over(&mut sampler);
                }
                sampler.cost.cpu_ns = cpu_before_ns + thread_cpu_ns();
                self.shared.lock().cost = sampler.cost();
                return self.has_ended();
            }
            // Includes wake-ups and the exchange with the owner.
            sampler.account(cpu_before_ns + thread_cpu_ns());
            self.shared.take_over(&mut sampler);
            drop(sampler);
            if let Some(AfterRow(work)) = &mut *lock(&self.after_row) {
                work();
            }
        }
    }

    /// Reads a row. `None` if another thread took over in between.
    fn row<'a>(
        &'a self,
        mut sampler: MutexGuard<'a, Sampler>,
        mine: u32,
        tick: &Tick,
        read_buffer: &mut ReadBuffer,
    ) -> Option<MutexGuard<'a, Sampler>> {
        sampler.begin_row(tick);
        for index in 0..sampler.slots.len() {
            let Some(mut source) = sampler.check_out(index, tick) else { continue };
            let number = sampler.next_read();
            drop(sampler);
            self.slot.store(index, Ordering::Relaxed);
            self.reading.store(number, Ordering::Release);
            let outcome = source.read(tick, read_buffer);
            // After an abandoned read the number is that of another thread's read.
            let _ = self.reading.compare_exchange(number, 0, Ordering::Release, Ordering::Relaxed);
            sampler = self.lock();
            if self.turn.load(Ordering::Relaxed) != mine {
                sampler.adopt(source, outcome, read_buffer);
                return None;
            }
            sampler.check_in(source, outcome, read_buffer);
        }
        sampler.end_row(tick);
        Some(sampler)
    }

    /// Runs the watchdog.
    fn watch(self: &Arc<Self>) {
        // On failure the thread runs on other CPUs, which is acceptable.
        let _ = self.lock().affinity.clone().join();
        while !*lock(&self.ended) {
            std::thread::park_timeout(CHECK_INTERVAL);
            self.check();
        }
    }

    /// Checks the current read; called every second.
    pub(super) fn check(self: &Arc<Self>) {
        let now = self.reading.load(Ordering::Acquire);
        let mut last_check = lock(&self.last_check);
        last_check.checks = if now == last_check.reading { last_check.checks + 1 } else { 1 };
        last_check.reading = now;
        let hangs = now != 0 && last_check.checks >= CHECKS_MAX;
        drop(last_check);
        if hangs {
            self.abandon(now);
        }
    }

    /// Abandons the read with this number, and the thread that waits for it.
    fn abandon(self: &Arc<Self>, number: u64) {
        let mut sampler = self.lock();
        if self.reading.load(Ordering::Acquire) != number {
            return;
        }
        self.reading.store(0, Ordering::Release);
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) + 1;
        sampler.abandon(self.slot.load(Ordering::Relaxed), HANGS_S);
        self.shared.take_over(&mut sampler);
        drop(sampler);
        let goes_on = turn <= HANGS_MAX
            && self
                .spawn("sampler", |watchdog| {
                    watchdog.work(watchdog.turn.load(Ordering::Relaxed));
                })
                .is_ok();
        if !goes_on {
            self.has_ended();
        }
    }

    fn has_ended(&self) {
        *lock(&self.ended) = true;
        self.end.notify_all();
    }
}

/// Sleeps until an absolute time, so that the cost of a tick does not extend the interval. Parks instead of using
/// `clock_nanosleep`, because the owner can end a park at once. Returns the number of sleeps.
fn wait_until(due_ns: u64, timeline: &Timeline, stop: &AtomicBool) -> u64 {
    let mut sleeps = 0;
    while !stop.load(Ordering::Relaxed) {
        let now_ns = timeline.now_ns();
        if now_ns >= due_ns {
            break;
        }
        std::thread::park_timeout(Duration::from_nanos(due_ns - now_ns));
        sleeps += 1;
    }
    sleeps
}

#[cfg(test)]
mod tests {
    use super::super::block::Block;
    use super::super::{Options, SamplerThread};
    use super::*;
    use crate::{Root, Source};
    use record::{ChannelId, CpuTime, Event, LoadSpan};
    use std::io::{PipeWriter, Write};

    const USER: ChannelId = ChannelId::all_cpus(CpuTime::User);
    const LOAD: ChannelId = ChannelId::Load(LoadSpan::One);

    fn sampler() -> Sampler {
        let board = "== /proc/loadavg\n0.20 0.18 0.12 1/80 1\n== /proc/stat\ncpu  1 2 3 4 5 6 7 8\n";
        let options = Options { interval: Duration::from_millis(20), ..Options::default() };
        Sampler::new(&Root::from_board(board).unwrap(), &options)
    }

    /// Replaces the source of a channel by a pipe without data. Returns its index and the other end of the pipe.
    fn hang(sampler: &mut Sampler, id: &ChannelId) -> (usize, PipeWriter) {
        let column = sampler.position(id).unwrap();
        let index = sampler.slots.iter().position(|slot| slot.columns().contains(&column)).unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        sampler.slots[index].set_source(Source::Stream(reader.into()));
        (index, writer)
    }

    #[test]
    fn source_that_hangs_in_a_tick_is_given_up_and_the_sampler_goes_on() {
        let mut sampler = sampler();
        let hanging = sampler.position(&USER).unwrap();
        let other = sampler.position(&LOAD).unwrap();
        let (_, mut writer) = hang(&mut sampler, &USER);
        let timeline = Timeline::start();
        let mut thread = SamplerThread::start(sampler, &timeline).unwrap();
        let mut events = Vec::new();
        let known = |events: &[Event], column: usize| {
            let samples = events.iter().filter_map(|event| match event {
                Event::Samples { columns, .. } => Some(&columns[column]),
                _ => None,
            });
            samples.flatten().filter(|value| value.is_some()).count()
        };
        // The others are read more than once eventually, regardless of the load of the machine.
        while known(&events, other) < 2 {
            timeline.sleep(Duration::from_millis(20));
            events.extend(thread.drain());
        }
        assert_eq!(known(&events, hanging), 0);
        let is_gap = |event: &Event| match event {
            Event::Gap { channel, gap } => *channel == USER && gap.missing.to_string().contains("not responded"),
            _ => false,
        };
        assert!(events.iter().any(is_gap), "{events:?}");
        // After a late answer it becomes a slow source.
        writer.write_all(b"cpu  9 2 3 4 5 6 7 8\n").unwrap();
        while known(&events, hanging) == 0 {
            timeline.sleep(Duration::from_millis(20));
            events.extend(thread.drain());
        }
        // Its next read hangs again, which must not block stopping.
        thread.stop();
        drop(writer);
    }

    #[test]
    fn late_answer_of_an_abandoned_read_does_not_hide_another_one_that_hangs() {
        let mut sampler = sampler();
        let (first, mut late) = hang(&mut sampler, &LOAD);
        let (second, other) = hang(&mut sampler, &USER);
        let shared = Arc::new(SharedBlock(Mutex::new(Block::new(sampler.channels.len(), 0))));
        let watchdog = SamplerWatchdog::start(sampler, &shared, &Timeline::start(), false).unwrap();
        let is_reading =
            |index| watchdog.reading.load(Ordering::Acquire) != 0 && watchdog.slot.load(Ordering::Relaxed) == index;
        testkit::wait_until("the first source hangs", || is_reading(first));
        while watchdog.turn.load(Ordering::Relaxed) == 0 {
            watchdog.check();
        }
        testkit::wait_until("the second source hangs", || is_reading(second));
        let number = watchdog.reading.load(Ordering::Acquire);
        late.write_all(b"0.20 0.18 0.12 1/80 1\n").unwrap();
        let reads = || watchdog.lock().slots[first].latest_values().map_or(0, |values| values.cost().0);
        testkit::wait_until("the late answer is taken", || reads() > 0);
        assert_eq!(watchdog.reading.load(Ordering::Acquire), number);
        drop(other);
        watchdog.stop();
    }
}
