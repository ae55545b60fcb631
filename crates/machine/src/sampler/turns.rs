//! Who samples in the background: one thread at a time, and a watchdog: a thread of its own, or the thread that waits
//! for rows.
//!
//! The sampler is nobody's while a source is read. When a read does not come back (a hung bus behind a thermal
//! zone, a dead firmware call), the watchdog gives that source up and another thread goes on with the rest; the old
//! one hands the source to the threads for slow ones as soon as its read returns, and ends.

use super::lent::SourceHandle;
use super::shared::{Shared, raise_priority};
use super::{Sampler, Tick};
use crate::faults::{self, Call};
use crate::timeline::{Timeline, thread_cpu_ns};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// The threads need little; the usual 8 MiB of address space would only worry readers of `top`.
const STACK_BYTES: usize = 128 << 10;
/// The watchdog looks so often.
const LOOK: Duration = Duration::from_secs(1);
/// A read that so many looks in a row find unfinished hangs. Looks and not seconds: while the whole program was
/// stopped, nobody looked.
const LOOKS_MAX: u32 = 3;
/// What it then comes to, at least.
const HANGS_S: u32 = LOOKS_MAX - 1;
/// More sources than this do not hang on a machine that still works.
const HANGS_MAX: u32 = 8;
/// Longest time to stop the sampler: for a read that hangs to be noticed, and a last row.
const STOP_MAX: Duration = Duration::from_secs(5);

/// The sampler and whose turn it is.
#[derive(Debug)]
pub(super) struct SamplerWatchdog {
    sampler: Mutex<Sampler>,
    shared: Arc<Shared>,
    timeline: Timeline,
    /// Rises when a thread is given up.
    turn: AtomicU32,
    /// Number of the read that goes on; 0 between reads.
    reading: AtomicU64,
    /// Place of its source.
    slot: AtomicUsize,
    stop: AtomicBool,
    /// Set when nobody samples any more.
    ended: Mutex<bool>,
    end: Condvar,
    threads: Mutex<Vec<Thread>>,
    /// What the last look found.
    looked: Mutex<TickStatus>,
    /// False where the owner looks.
    has_watchdog: bool,
}

/// A look at the read that goes on.
#[derive(Debug, Default)]
struct TickStatus {
    reading: u64,
    /// How many looks in a row have found this one.
    looks: u32,
}

impl SamplerWatchdog {
    /// Starts to sample.
    ///
    /// # Errors
    /// The kernel refuses a thread.
    pub(super) fn start(
        sampler: Sampler,
        shared: &Arc<Shared>,
        timeline: &Timeline,
        has_watchdog: bool,
    ) -> std::io::Result<Arc<Self>> {
        let turns = Arc::new(Self {
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
            looked: Mutex::default(),
            has_watchdog,
        });
        turns.lock().due_ns = timeline.now_ns();
        turns.spawn("sampler", |turns| turns.work(0))?;
        if !has_watchdog {
            return Ok(turns);
        }
        if let Err(error) = turns.spawn("slow-sensors", |turns| turns.watch()) {
            turns.stop.store(true, Ordering::Relaxed);
            turns.wake();
            return Err(error);
        }
        Ok(turns)
    }

    /// Stops; false if something hangs so that the last row could not be waited for.
    pub(super) fn stop(self: &Arc<Self>) -> bool {
        self.stop.store(true, Ordering::Relaxed);
        self.wake();
        let until = Instant::now() + STOP_MAX;
        let has_ended = loop {
            let left = until.saturating_duration_since(Instant::now());
            let ended = lock(&self.ended);
            let waited = self.end.wait_timeout_while(ended, left.min(LOOK), |ended| !*ended);
            let has_ended = *waited.unwrap_or_else(PoisonError::into_inner).0;
            if has_ended || left.is_zero() {
                break has_ended;
            }
            if !self.has_watchdog {
                self.look();
            }
        };
        self.wake();
        has_ended
    }

    /// Time between two rows.
    pub(super) fn interval(&self) -> Duration {
        self.lock().interval()
    }

    fn wake(&self) {
        lock(&self.threads).iter().for_each(Thread::unpark);
    }

    fn spawn(self: &Arc<Self>, name: &str, work: fn(&Arc<Self>)) -> std::io::Result<()> {
        let turns = Arc::clone(self);
        let builder = std::thread::Builder::new().name(name.into());
        let start = || builder.stack_size(STACK_BYTES).spawn(move || work(&turns));
        let handle = faults::pass(Call::Thread, "sampler", start)?;
        lock(&self.threads).push(handle.thread().clone());
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Sampler> {
        lock(&self.sampler)
    }

    /// The work of the thread whose turn this is.
    fn work(&self, mine: u32) {
        let (mut hands, cpu_before_ns, watchers) = {
            let sampler = self.lock();
            let hands = SourceHandle::new(sampler.channels.len(), sampler.cpus);
            // Ticks that the owner, or another thread, did before count, too.
            (hands, sampler.cost.cpu_ns, sampler.watchers.clone())
        };
        self.shared.lock().pin_errno = watchers.join().err();
        raise_priority();
        loop {
            let due_ns = self.lock().due_ns();
            let sleeps = wait_until(due_ns, &self.timeline, &self.stop);
            let is_last = self.stop.load(Ordering::Relaxed);
            let mut sampler = self.lock();
            sampler.cost.wakeups += sleeps;
            let tick = match is_last {
                true => sampler.last_tick(&self.timeline),
                false => sampler.begin(&self.timeline, self.timeline.now_ns()),
            };
            let Some(mut sampler) = self.row(sampler, mine, &tick, &mut hands) else {
                return;
            };
            if is_last {
                if sampler.row.iter().any(|value| *value != crate::sensors::NONE) {
                    self.shared.take_over(&mut sampler);
                }
                sampler.cost.cpu_ns = cpu_before_ns + thread_cpu_ns();
                self.shared.lock().cost = sampler.cost();
                return self.has_ended();
            }
            // Not the reading alone: waking up and handing over are part of the cost.
            sampler.account(cpu_before_ns + thread_cpu_ns());
            self.shared.take_over(&mut sampler);
        }
    }

    /// Reads a row. None if the turn went to another thread meanwhile.
    fn row<'a>(
        &'a self,
        mut sampler: MutexGuard<'a, Sampler>,
        mine: u32,
        tick: &Tick,
        hands: &mut SourceHandle,
    ) -> Option<MutexGuard<'a, Sampler>> {
        sampler.begin_row(tick);
        for index in 0..sampler.slots.len() {
            let Some(mut lent) = sampler.lend(index, tick) else {
                continue;
            };
            let number = sampler.next_read();
            drop(sampler);
            self.slot.store(index, Ordering::Relaxed);
            self.reading.store(number, Ordering::Release);
            let outcome = lent.read(tick, hands);
            self.reading.store(0, Ordering::Release);
            sampler = self.lock();
            if self.turn.load(Ordering::Relaxed) != mine {
                sampler.take_returned(lent, outcome, hands);
                return None;
            }
            sampler.give_back(lent, outcome, hands);
        }
        sampler.end_row(tick);
        Some(sampler)
    }

    /// The work of the watchdog.
    fn watch(self: &Arc<Self>) {
        // On other CPUs it would only be less well placed.
        let _ = self.lock().watchers.clone().join();
        while !*lock(&self.ended) {
            std::thread::park_timeout(LOOK);
            self.look();
        }
    }

    /// One look at the read that goes on; to be made every second.
    pub(super) fn look(self: &Arc<Self>) {
        let now = self.reading.load(Ordering::Acquire);
        let mut looked = lock(&self.looked);
        looked.looks = match now == looked.reading {
            true => looked.looks + 1,
            false => 1,
        };
        looked.reading = now;
        let hangs = now != 0 && looked.looks >= LOOKS_MAX;
        drop(looked);
        if hangs {
            self.give_up(now);
        }
    }

    /// Gives up the read of this number, and the thread that waits for it.
    fn give_up(self: &Arc<Self>, number: u64) {
        let mut sampler = self.lock();
        if self.reading.load(Ordering::Acquire) != number {
            return;
        }
        self.reading.store(0, Ordering::Release);
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) + 1;
        sampler.give_up(self.slot.load(Ordering::Relaxed), HANGS_S);
        self.shared.take_over(&mut sampler);
        drop(sampler);
        let goes_on = turn <= HANGS_MAX
            && self
                .spawn("sampler", |turns| {
                    turns.work(turns.turn.load(Ordering::Relaxed));
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sleeps until an absolute moment, so that the cost of a tick does not make the interval longer.
/// Parking instead of a plain `clock_nanosleep`, because a park ends at once when the owner wants
/// to stop. Returns how often it slept.
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
    use super::super::{Options, SamplerThread};
    use super::*;
    use crate::{Root, Source};
    use record::{ChannelId, CpuTime, Event, LoadSpan};
    use std::io::Write;

    /// A source that hangs: a pipe that nobody writes to, read without a place in it.
    #[test]
    fn source_that_hangs_in_a_tick_is_given_up_and_the_sampler_goes_on() {
        let board = "== /proc/loadavg\n0.20 0.18 0.12 1/80 1\n== /proc/stat\ncpu  1 2 3 4 5 6 7 8\n";
        let root = Root::from_board(board).unwrap();
        let options = Options { interval: Duration::from_millis(20), ..Options::default() };
        let mut sampler = Sampler::new(&root, &options);
        let user = ChannelId::all_cpus(CpuTime::User);
        let load = ChannelId::Load(LoadSpan::One);
        let (hanging, other) = (sampler.position(&user), sampler.position(&load));
        let (hanging, other) = (hanging.unwrap(), other.unwrap());
        let is_it = |slot: &super::super::SourceSlot| slot.columns().contains(&hanging);
        let index = sampler.slots.iter().position(is_it).unwrap();
        let (reader, mut writer) = std::io::pipe().unwrap();
        sampler.slots[index].set_source(Source::Stream(reader.into()));
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
        // However busy the machine is: the others are read in the end, more than once.
        while known(&events, other) < 2 {
            timeline.sleep(Duration::from_millis(20));
            events.extend(thread.drain());
        }
        assert_eq!(known(&events, hanging), 0);
        let is_gap = |event: &Event| match event {
            Event::Gap { channel, gap } => *channel == user && gap.missing.to_string().contains("not responded"),
            _ => false,
        };
        assert!(events.iter().any(is_gap), "{events:?}");
        // It answers after all, and is a source like the slow ones from then on.
        writer.write_all(b"cpu  9 2 3 4 5 6 7 8\n").unwrap();
        while known(&events, hanging) == 0 {
            timeline.sleep(Duration::from_millis(20));
            events.extend(thread.drain());
        }
        // The next read of it hangs again, which keeps nobody who stops.
        thread.stop();
        drop(writer);
    }
}
