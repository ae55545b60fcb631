//! Memory bandwidth of one, two ... all CPUs at once: the curve shows how many CPUs saturate the memory.
//!
//! Every CPU has its own thread and buffers, which the thread touches first. Threads begin and stop together, so that
//! none is measured next to idle CPUs.

use super::Workload;
use super::memory::{buffer, buffer_bytes, fastest, operation, rate, wanted_bytes};
use super::scored::not_started;
use crate::job::cpus::numbers_of_cpus;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use crate::measure::thread_team::{Gate, joined, start_team};
use crate::measure::window_gate;
use machine::threads;
use microbench::buffer::Buffer;
use microbench::memory::once;
use microbench::routine::{Operation, Routine};
use microbench::timer::now_ns;
use process::child::move_to;
use record::{
    BandwidthCurve, CurveRow, Failure, RepetitionStats, StepMeasurement, StopReason, StoppingRule, WorkloadId,
};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

/// The entry in the table of workloads.
pub(super) const MEMORY_SCALING: Workload = Workload {
    id: WorkloadId::MemoryScaling,
    about: "Memory copy, fill and read bandwidth of one, two ... all CPUs at once.",
    link: "https://www.cs.virginia.edu/stream/ref.html",
    lacking: |context| buffer_bytes(context, BUFFER_BYTES_MIN, 2 * context.job.cpus.len() as u64).err(),
    run,
    ..Workload::PLAIN
};

/// Rises when routines, buffers or the repetition change.
const METHOD: u32 = 1;
/// Minimum buffer of a thread, for small caches or many CPUs.
const BUFFER_BYTES_MIN: u64 = 4 << 20;
/// Duration of a repetition.
const REPETITION_NS: u64 = 15_000_000;
/// Repetitions of one point of the curve.
const RULE: StoppingRule = StoppingRule::new(15, Duration::from_millis(200));

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let cpus = context.job.cpus.clone();
    let bytes = buffer_bytes(context, wanted_bytes(context), 2).map_err(not_started)?;
    let routines = choose(cpus[0], bytes).map_err(not_started)?;
    let mut rows = Vec::new();
    for count in numbers_of_cpus(cpus.len()) {
        let wanted = ((wanted_bytes(context) / count as u64) >> 20 << 20).max(BUFFER_BYTES_MIN);
        let bytes = buffer_bytes(context, wanted, 2 * count as u64).map_err(not_started)?;
        let team = ThreadTeam::new(&cpus[..count], routines, bytes, context.cancelled);
        let (found, repeated) = team.work().map_err(not_started)?;
        rows.extend(found);
        report.repeated.extend(repeated);
        if context.is_cancelled() {
            return Err(context.interruption());
        }
    }
    report.seen_on.clone_from(&cpus);
    Ok(StepMeasurement::BandwidthCurve(BandwidthCurve { rows }))
}

/// The fastest routine of each operation on this CPU, beyond its caches. All CPUs run the same routine, so a curve depends
/// on the number of CPUs alone.
fn choose(cpu: u32, bytes: u64) -> Result<[&'static Routine; 3], String> {
    let chosen = threads::run("fastest", move || {
        let (mut destination, source) = equip(cpu, bytes)?;
        let operations = [Operation::Copy, Operation::Fill, Operation::Read];
        Ok(operations.map(|operation| fastest(operation, &mut destination, &source)))
    });
    chosen.map_err(|missing| missing.to_string())?
}

/// Moves the calling thread to a CPU and touches two buffers there.
fn equip(cpu: u32, bytes: u64) -> Result<(Buffer, Buffer), String> {
    move_to(&[cpu])?;
    Ok((buffer(bytes)?, buffer(bytes)?))
}

/// Threads that work together, and their shared state.
struct ThreadTeam<'a> {
    cpus: &'a [u32],
    routines: [&'static Routine; 3],
    bytes: u64,
    cancelled: &'a AtomicI32,
    barrier: Barrier,
    /// Ends a repetition.
    stop: AtomicBool,
    /// Ends the repetitions of one operation.
    enough: AtomicBool,
    /// Bytes per second of every thread in the last repetition.
    rates: Vec<AtomicU64>,
    /// Why a thread cannot work.
    broken: Mutex<Option<String>>,
}

impl<'a> ThreadTeam<'a> {
    fn new(cpus: &'a [u32], routines: [&'static Routine; 3], bytes: u64, cancelled: &'a AtomicI32) -> Self {
        Self {
            cpus,
            routines,
            bytes,
            cancelled,
            barrier: Barrier::new(cpus.len()),
            stop: AtomicBool::new(false),
            enough: AtomicBool::new(false),
            rates: cpus.iter().map(|_| AtomicU64::new(0)).collect(),
            broken: Mutex::new(None),
        }
    }

    fn work(&self) -> Result<(Vec<CurveRow>, Vec<RepetitionStats>), String> {
        let gate = Gate::default();
        let ended: Result<Vec<_>, record::Missing> = std::thread::scope(|scope| {
            let works = (0..self.cpus.len()).map(|index| move || self.member(index));
            start_team(scope, &gate, works).map(joined)
        });
        let ended = ended.map_err(|missing| missing.to_string())?;
        let broken = self.broken.lock().ok().and_then(|mut broken| broken.take());
        match broken {
            Some(why) => Err(why),
            None => Ok(ended.into_iter().next().unwrap_or_default()),
        }
    }

    /// One thread. The first thread leads: it ends repetitions and returns the results.
    fn member(&self, index: usize) -> (Vec<CurveRow>, Vec<RepetitionStats>) {
        let buffers = self.equip(index);
        // No thread begins before all are ready.
        self.barrier.wait();
        let is_broken = self.broken.lock().map_or(true, |broken| broken.is_some());
        let Some((mut destination, source)) = buffers.filter(|_| !is_broken) else { return Default::default() };
        let (mut rows, mut repeated) = (Vec::new(), Vec::new());
        for routine in self.routines {
            let (rates, ended) = self.repeat(index, routine, &mut destination, &source);
            if index > 0 {
                continue;
            }
            let name = format!("{} on {} CPUs", routine.id, self.cpus.len());
            let mb_per_s: Vec<f64> = rates.iter().map(|rate| *rate as f64 / 1e6).collect();
            repeated.extend(RepetitionStats::of(&name, "MB/s", &mb_per_s, ended));
            rows.push(CurveRow {
                routine: routine.id.to_owned(),
                operation: operation(routine.operation),
                cpus: self.cpus.to_vec(),
                buffer_bytes: self.bytes,
                bytes_per_s: rates,
            });
        }
        (rows, repeated)
    }

    /// Buffers of a thread; stores the first failure.
    fn equip(&self, index: usize) -> Option<(Buffer, Buffer)> {
        let equipped = equip(self.cpus[index], self.bytes);
        equipped
            .map_err(|why| {
                let broken = self.broken.lock();
                broken.map(|mut broken| _ = broken.get_or_insert(why))
            })
            .ok()
    }

    /// Repetitions of one operation by all threads; the first thread returns the sums.
    fn repeat(
        &self,
        index: usize,
        routine: &Routine,
        destination: &mut Buffer,
        source: &Buffer,
    ) -> (Vec<u64>, StopReason) {
        let started = Instant::now();
        let mut sums: Vec<u64> = Vec::new();
        let mut all_ended = StopReason::Times;
        loop {
            // One window for all threads, opened before the barrier.
            let _window = (index == 0).then(window_gate::window);
            if self.barrier.wait().is_leader() {
                self.stop.store(false, Ordering::Relaxed);
            }
            self.barrier.wait();
            let rate = self.repetition(index == 0, routine, destination, source);
            self.rates[index].store(rate, Ordering::Relaxed);
            self.barrier.wait();
            if index == 0 {
                sums.push(self.rates.iter().map(|rate| rate.load(Ordering::Relaxed)).sum());
                let values: Vec<f64> = sums.iter().map(|sum| *sum as f64).collect();
                let ended = match self.cancelled.load(Ordering::Relaxed) {
                    0 => RULE.ended(&values, started.elapsed()),
                    _ => Some(StopReason::Interrupted),
                };
                self.enough.store(ended.is_some(), Ordering::Relaxed);
                all_ended = ended.unwrap_or(all_ended);
            }
            self.barrier.wait();
            if self.enough.load(Ordering::Relaxed) {
                return (sums, all_ended);
            }
        }
    }

    /// One repetition of one thread, in bytes per second. The leading thread ends it for all.
    fn repetition(&self, leads: bool, routine: &Routine, destination: &mut Buffer, source: &Buffer) -> u64 {
        let start_ns = now_ns();
        let mut bytes = 0;
        loop {
            once(routine, destination.as_mut_slice(), source.as_slice());
            bytes += self.bytes;
            let elapsed_ns = now_ns() - start_ns;
            if leads && elapsed_ns >= REPETITION_NS {
                self.stop.store(true, Ordering::Relaxed);
            }
            if self.stop.load(Ordering::Relaxed) {
                return rate(bytes, elapsed_ns);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::MemoryOperation;

    #[test]
    fn team_of_one_does_everything() {
        // A CPU that this thread may use.
        let cpus = [rustix::thread::sched_getcpu() as u32];
        let goes_on = AtomicI32::new(1);
        let routines = choose(cpus[0], 1 << 20).unwrap();
        let team = ThreadTeam::new(&cpus, routines, 1 << 20, &goes_on);
        let (rows, repeated) = team.work().unwrap();
        let operations: Vec<MemoryOperation> = rows.iter().map(|row| row.operation).collect();
        let expected = [MemoryOperation::Copy, MemoryOperation::Fill, MemoryOperation::Read];
        assert_eq!(operations, expected);
        assert!(rows.iter().all(|row| row.cpus == cpus && row.bytes_per_s[0] > 0));
        assert_eq!(repeated.len(), 3);
    }

    #[test]
    fn missing_cpu_stops_all_threads() {
        let goes_on = AtomicI32::new(0);
        let routines = choose(rustix::thread::sched_getcpu() as u32, 1 << 20).unwrap();
        let team = ThreadTeam::new(&[0, 1_000_000], routines, 1 << 20, &goes_on);
        assert!(team.work().unwrap_err().contains("1000000"));
    }
}
