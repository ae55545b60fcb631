//! `flops`: built-in multiplication of dense matrices in double and single precision. It keeps the units for
//! multiply-adds of every core busy with data from the caches: the peak rate of floating-point operations, as from HPL,
//! and a load that draws much power.
//!
//! Every thread has a CPU and matrices of its own. Elements are integers, so every product is exact, and verified.

use super::Workload;
use super::scored::{not_started, too_little_memory, wrong_answer};
use super::{Places, Shape};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use crate::measure::turns::{Turn, series};
use crate::measure::window_gate;
use machine::faults;
use microbench::clock::{ClockPlan, measure};
use microbench::flops::{Element, Kernel, Product, kernel};
use process::child::move_to;
use record::{ClockSeries, Failure, Missing, StepMeasurement, Variant, WorkloadId};
use std::sync::Barrier;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// Double precision.
const DOUBLE: Variant = Variant::own("fp64");
/// Single precision.
const SINGLE: Variant = Variant::own("fp32");

/// The entry in the table of workloads.
pub(super) const FLOPS: Workload = Workload {
    id: WorkloadId::Flops,
    about: "Built-in multiplication of matrices in double (fp64) and single precision (fp32); exact and verified.",
    link: "https://www.netlib.org/benchmark/hpl/",
    shape: Some(Shape {
        variants: &[DOUBLE, SINGLE],
        places: Places::OneOfEachTypeThenAll,
        repetitions: 1,
        seconds: TIME.as_secs(),
    }),
    lacking,
    run,
    ..Workload::PLAIN
};

/// Rises when the size of matrices, their blocks or a kernel changes.
const METHOD: u32 = 1;
/// Rows and columns: whole tiles of every kernel, and much more than a block.
const SIZE: usize = 960;
/// Seed of the elements.
const SEED: u64 = 0x5bc_f10b;
/// Turns begin until this much time is used.
const TIME: Duration = Duration::from_secs(5);
/// Minimum number of turns.
const TURNS_MIN: usize = 2;
/// Minimum duration of a turn, long against the clock reading; one product takes the slowest boards several seconds.
const TURN: Duration = Duration::from_millis(250);
/// Memory left to the system, in KiB.
const RESERVE_KIB: u64 = 32 << 10;

fn lacking(context: &WorkloadContext) -> Option<Missing> {
    let threads = u64::from(context.job.threads.max(1));
    // Three matrices, and panels smaller than one.
    let need_kib = threads * 4 * (size() * size() * element(context).bytes()) as u64 / 1024 + RESERVE_KIB;
    too_little_memory(context, &format!("matrices of {threads} threads need"), need_kib)
}

/// Rows and columns; fewer in tests.
fn size() -> usize {
    SIZE / faults::haste().min(4) as usize
}

fn element(context: &WorkloadContext) -> Element {
    if context.job.variant == SINGLE { Element::Single } else { Element::Double }
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let kernel = kernel(element(context));
    let (cpus, cancelled, time) = (&context.job.cpus, context.cancelled, context.time_or(TIME));
    let start = Barrier::new(context.job.threads.max(1) as usize);
    let cpu = |index: usize| cpus.get(index % cpus.len().max(1)).copied();
    let ended = context.pinned_threads(report, |index| turns(kernel, cpu(index), &start, cancelled, time))?;
    let ended = ended.into_iter().collect::<Result<Vec<_>, _>>()?;
    let (turns, clocks): (Vec<Vec<Turn>>, Vec<Vec<u32>>) = ended.into_iter().unzip();
    let detail = format!("matrices of {0} x {0}, {1}; sum of {2} threads", size(), kernel.id, turns.len());
    let mut series = series(&turns, "GFLOPS", detail);
    let of_cpu = |(cpu, khz): (&u32, Vec<u32>)| ClockSeries { cpu: *cpu, khz: khz[..series.values.len()].to_vec() };
    series.clocks = cpus.iter().zip(clocks).map(of_cpu).collect();
    Ok(StepMeasurement::Series(series))
}

/// Takes turns for `time` after a common start, and reads the clock in kHz at the end of each. The first product warms up
/// clock and caches.
fn turns(
    kernel: &'static Kernel,
    cpu: Option<u32>,
    start: &Barrier,
    cancelled: &AtomicI32,
    time: Duration,
) -> Result<(Vec<Turn>, Vec<u32>), Failure> {
    let is_cancelled = || cancelled.load(Ordering::Relaxed) != 0;
    let ready = || -> Result<Product, Failure> {
        cpu.map_or(Ok(()), |cpu| move_to(&[cpu])).map_err(not_started)?;
        let mut product = Product::new(kernel, size(), SEED).map_err(not_started)?;
        product.multiply(is_cancelled);
        verified(kernel, &product, is_cancelled())?;
        Ok(product)
    };
    let ready = ready();
    // Other threads wait at the barrier even if this one has failed.
    start.wait();
    let mut product = ready?;
    let started = Instant::now();
    let (mut turns, mut clocks) = (Vec::new(), Vec::new());
    while !is_cancelled() && (turns.len() < TURNS_MIN || started.elapsed() < time) {
        let _window = window_gate::window();
        let begun = Instant::now();
        let mut operations = 0;
        while begun.elapsed() < TURN / faults::haste() && !is_cancelled() {
            product.multiply(is_cancelled);
            operations += product.operations();
        }
        let rate = operations as f64 / begun.elapsed().as_secs_f64().max(1e-9) / 1e9;
        turns.push(Turn { at: started.elapsed(), rate });
        clocks.push(measure(&ClockPlan::warm()).best_khz);
    }
    verified(kernel, &product, is_cancelled())?;
    Ok((turns, clocks))
}

/// Fails if the product is wrong, unless it was interrupted.
fn verified(kernel: &Kernel, product: &Product, is_cancelled: bool) -> Result<(), Failure> {
    if is_cancelled || product.is_right() {
        return Ok(());
    }
    let why = format!("A product of matrices by {} is wrong; memory or CPU of this machine is unstable.", kernel.id);
    Err(wrong_answer(why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::testing::Bench;
    use record::FailureKind;

    fn job(variant: Variant, threads: u32) -> Job {
        Job { workload: WorkloadId::Flops, variant, threads, time: Some(Duration::from_millis(1)), ..Job::default() }
    }

    #[test]
    fn both_precisions_are_measured_and_verified() {
        for (variant, name) in [(DOUBLE, "fp64"), (SINGLE, "fp32")] {
            let measured = Bench::new(&[]).with(&job(variant, 1), run).unwrap();
            let StepMeasurement::Series(series) = measured else { panic!("{measured:?}") };
            assert_eq!(series.values.len(), TURNS_MIN, "{series:?}");
            assert!(series.values.iter().all(|rate| *rate > 0.0), "{series:?}");
            assert!(series.detail.contains(name), "{series:?}");
        }
    }

    #[test]
    fn clocks_are_those_of_the_cpus() {
        let cpu = rustix::thread::sched_getcpu() as u32;
        let one = Job { cpus: vec![cpu], ..job(SINGLE, 1) };
        let StepMeasurement::Series(series) = Bench::new(&[]).with(&one, run).unwrap() else { panic!("no series") };
        let clocks: Vec<(u32, usize)> = series.clocks.iter().map(|clock| (clock.cpu, clock.khz.len())).collect();
        assert_eq!(clocks, [(cpu, series.values.len())]);
    }

    #[test]
    fn wrong_product_is_a_failure_unless_interrupted() {
        let kernel = kernel(Element::Double);
        let product = Product::new(kernel, 8, SEED).unwrap();
        let failed = verified(kernel, &product, false).unwrap_err();
        assert_eq!(failed.kind, FailureKind::WrongAnswer);
        assert!(failed.message.contains("is wrong"), "{failed:?}");
        assert!(verified(kernel, &product, true).is_ok());
    }

    #[test]
    fn too_little_memory_is_refused() {
        let bench = Bench::new(&[]);
        bench.root.write("/proc/meminfo", "MemAvailable: 60000 kB").unwrap();
        let why = bench.with(&job(DOUBLE, 4), |context, _| lacking(context)).unwrap().to_string();
        assert!(why.contains("matrices of 4 threads need "), "{why}");
        assert_eq!(bench.with(&job(SINGLE, 1), |context, _| lacking(context)), None);
    }
}
