//! Memory latency of one CPU while all others read memory.
//!
//! The others read for a share of their time and idle for the rest, which gives a curve of latency over bandwidth. Its end
//! shows why scores on all CPUs are less than the score of one CPU times their number.

use super::memory::{buffer, buffer_bytes, fastest, wanted_bytes};
use super::scored::not_started;
use super::{Workload, no_other_cpu};
use crate::measure::context::WorkloadContext;
use crate::measure::repeat::until_known;
use crate::measure::report::StepReport;
use crate::measure::thread_team::{Gate, start_team};
use machine::threads;
use microbench::latency::{Link, Order, PointerChase};
use microbench::memory::once;
use microbench::routine::Operation;
use microbench::timer::now_ns;
use process::child::move_to;
use record::{Failure, LoadedLatency, LoadedRow, Missing, RepetitionStats, StepMeasurement, StoppingRule, WorkloadId};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// The entry in the table of workloads.
pub(super) const MEMORY_LOADED: Workload = Workload {
    id: WorkloadId::MemoryLoaded,
    about: "Memory latency of one CPU under increasing read load from all other CPUs.",
    link: "https://www.intel.com/content/www/us/en/developer/articles/tool/intelr-memory-latency-checker.html",
    lacking,
    run,
    ..Workload::PLAIN
};

/// Rises when the walk, the load or the repetition changes.
const METHOD: u32 = 1;
/// Shares of time for which the other CPUs read, in percent.
const DUTIES: [u32; 5] = [0, 25, 50, 75, 100];
/// Bytes that a reader reads between checks of its share, about ten microseconds.
const CHUNK_BYTES: usize = 256 << 10;
/// Buffer of a reader: more than its share of the last cache.
const READER_BYTES: u64 = 32 << 20;
/// Time until a load is steady.
const SETTLE: Duration = Duration::from_millis(20);
const REPETITION_NS: u64 = 2_000_000;
/// Repetitions at one load level.
const RULE: StoppingRule = StoppingRule::new(22, Duration::from_millis(150));
const SEED: u64 = 0x5bc_be7c;
/// Share that ends readers.
const OVER: u32 = u32::MAX;

fn lacking(context: &WorkloadContext) -> Option<Missing> {
    let lonely = no_other_cpu(context, "no other CPU can load the memory");
    lonely.or_else(|| size_bytes(context).err())
}

/// Size of the walk.
fn size_bytes(context: &WorkloadContext) -> Result<u64, Missing> {
    // Readers need buffers, too.
    buffer_bytes(context, wanted_bytes(context), 1 + context.job.cpus.len() as u64)
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let size_bytes = size_bytes(context).map_err(not_started)?;
    let [cpu, load_cpus @ ..] = context.job.cpus.as_slice() else {
        return Err(not_started("there is no CPU to measure"));
    };
    let load = Load::new(size_bytes.min(READER_BYTES));
    let gate = Gate::default();
    let measured = std::thread::scope(|scope| {
        let reader = |load_cpu: &u32| {
            let (load, cpu) = (&load, *load_cpu);
            move || load.read_on(cpu)
        };
        if let Err(missing) = start_team(scope, &gate, load_cpus.iter().map(reader)) {
            return Err(missing.to_string());
        }
        let measured = threads::run("latency", || {
            move_to(&[*cpu]).and_then(|()| measure(&load, load_cpus.len(), size_bytes as usize, context.cancelled))
        });
        load.duty_percent.store(OVER, Ordering::Relaxed);
        measured.map_err(|missing| missing.to_string())?
    });
    let (rows, repeated) = measured.map_err(not_started)?;
    if context.is_cancelled() {
        return Err(context.interruption());
    }
    let (cpu, load_cpus) = (*cpu, load_cpus.to_vec());
    report.repeated = repeated;
    report.seen_on = vec![cpu];
    Ok(StepMeasurement::LoadedLatency(LoadedLatency { cpu, load_cpus, size_bytes, rows }))
}

/// State shared with readers.
struct Load {
    bytes: u64,
    duty_percent: AtomicU32,
    read_bytes: AtomicU64,
    /// Number of reading threads.
    ready: AtomicUsize,
    /// Why a reader failed.
    broken: Mutex<Option<String>>,
}

impl Load {
    fn new(bytes: u64) -> Self {
        Self {
            bytes,
            duty_percent: AtomicU32::new(0),
            read_bytes: AtomicU64::new(0),
            ready: AtomicUsize::new(0),
            broken: Mutex::new(None),
        }
    }

    /// Reads on this CPU at the current share until the end.
    fn read_on(&self, cpu: u32) {
        let equipped = move_to(&[cpu]).and_then(|()| buffer(self.bytes));
        let source = match equipped {
            Ok(source) => source,
            Err(why) => {
                if let Ok(mut broken) = self.broken.lock() {
                    broken.get_or_insert(why);
                }
                return;
            }
        };
        let Ok(mut nowhere) = buffer(1) else { return };
        let routine = fastest(Operation::Read, &mut nowhere, &source);
        self.ready.fetch_add(1, Ordering::Release);
        let mut chunks = source.as_slice().chunks_exact(CHUNK_BYTES).cycle();
        loop {
            let duty_percent = self.duty_percent.load(Ordering::Relaxed);
            match (duty_percent, chunks.next()) {
                (OVER, _) | (_, None) => return,
                (0, _) => std::thread::sleep(Duration::from_millis(1)),
                (duty_percent, Some(chunk)) => {
                    let (elapsed_ns, _) = once(routine, &mut [], chunk);
                    self.read_bytes.fetch_add(chunk.len() as u64, Ordering::Relaxed);
                    pause(elapsed_ns * u64::from(100 - duty_percent) / u64::from(duty_percent));
                }
            }
        }
    }

    /// Waits until this number of readers works.
    fn wait_for(&self, readers: usize) -> Result<(), String> {
        while self.ready.load(Ordering::Acquire) < readers {
            if let Some(why) = self.broken.lock().ok().and_then(|broken| broken.clone()) {
                return Err(why);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

/// Waits without sleeping, as sleeps take much longer than requested.
fn pause(ns: u64) {
    let end_ns = now_ns() + ns;
    while now_ns() < end_ns {
        std::hint::spin_loop();
    }
}

/// Latency at every load level.
fn measure(
    load: &Load,
    readers: usize,
    size_bytes: usize,
    cancelled: &AtomicI32,
) -> Result<(Vec<LoadedRow>, Vec<RepetitionStats>), String> {
    let mut buffer = buffer(size_bytes as u64)?;
    let mut chase = PointerChase::new(&mut buffer, size_bytes, Order::Random, SEED);
    load.wait_for(readers)?;
    let (mut rows, mut repeated) = (Vec::new(), Vec::new());
    for duty_percent in DUTIES {
        load.duty_percent.store(duty_percent, Ordering::Relaxed);
        std::thread::sleep(SETTLE);
        let pace = chase.pace(1, Link::Pointer, REPETITION_NS);
        let (start_ns, start_bytes) = (now_ns(), load.read_bytes.load(Ordering::Relaxed));
        let (ns, ended) = until_known(&RULE, cancelled, || chase.once(&pace));
        let bytes = load.read_bytes.load(Ordering::Relaxed) - start_bytes;
        let name = format!("other CPUs read {duty_percent} % of the time");
        repeated.extend(RepetitionStats::of(&name, "ns", &ns, ended));
        rows.push(LoadedRow { duty_percent, load_bytes_per_s: super::memory::rate(bytes, now_ns() - start_ns), ns });
        if cancelled.load(Ordering::Relaxed) != 0 {
            break;
        }
    }
    Ok((rows, repeated))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::testing::Bench;
    use record::FailureKind;

    fn job(cpus: &[u32]) -> Job {
        Job { workload: WorkloadId::MemoryLoaded, cpus: cpus.to_vec(), threads: cpus.len() as u32, ..Job::default() }
    }

    #[test]
    fn missing_cpu_error() {
        for cpus in [[0, 1_000_000], [1_000_000, 0]] {
            let failure = Bench::new(&[]).with(&job(&cpus), run).unwrap_err();
            assert_eq!(failure.kind, FailureKind::NotStarted, "{cpus:?}");
        }
    }

    #[test]
    fn no_load_without_other_cpus() {
        let load = Load::new(1 << 20);
        let (rows, repeated) = measure(&load, 0, 1 << 20, &AtomicI32::new(1)).unwrap();
        // Interrupted after the first row, which still is whole.
        assert_eq!((rows.len(), repeated.len()), (1, 1));
        assert_eq!((rows[0].duty_percent, rows[0].load_bytes_per_s), (0, 0));
        assert!(rows[0].ns[0] > 0.0);
    }

    #[test]
    fn reader_reads_until_it_is_over() {
        let load = Load::new(1 << 20);
        let cpu = rustix::thread::sched_getcpu() as u32;
        std::thread::scope(|scope| {
            scope.spawn(|| load.read_on(cpu));
            load.wait_for(1).unwrap();
            load.duty_percent.store(50, Ordering::Relaxed);
            while load.read_bytes.load(Ordering::Relaxed) < 10 * CHUNK_BYTES as u64 {
                std::thread::yield_now();
            }
            load.duty_percent.store(OVER, Ordering::Relaxed);
        });
        assert_eq!(load.read_bytes.load(Ordering::Relaxed) % CHUNK_BYTES as u64, 0);
    }
}
