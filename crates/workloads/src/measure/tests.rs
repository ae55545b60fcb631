//! Threads and programs in a context: where they run, what is kept, what ends them.

use super::context::*;
use crate::job::Job;
use crate::testing::{Bench, Program};
use machine::Root;
use process::tools::InstalledProgram;
use record::{Fact, FailureKind, Missing, WorkloadId};
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The last CPU that this test may use.
fn some_cpu() -> u32 {
    let set = sched_getaffinity(None).unwrap();
    (0..CpuSet::MAX_CPU).rev().find(|&cpu| set.is_set(cpu)).unwrap() as u32
}

fn job(cpus: &[u32], threads: u32) -> Job {
    Job { workload: WorkloadId::Own("test"), cpus: cpus.to_vec(), threads, ..Job::default() }
}

fn tool(bench: &Bench, name: &str) -> InstalledProgram {
    let path = bench.tools_directory().join(name).display().to_string();
    InstalledProgram { name: name.into(), path, version: "1".into(), runs_as_caller: false }
}

#[test]
fn pinned_work_stays_on_its_cpu_and_the_caller_does_not_move() {
    let cpu = some_cpu();
    let before = sched_getaffinity(None).unwrap();
    Bench::new(&[]).with(&job(&[cpu], 3), |context, report| {
        assert_eq!(context.pinned(report, || sched_getcpu() as u32), Ok(cpu));
        assert_eq!((report.seen_on.as_slice(), &report.not_comparable), (&[cpu][..], &None));
        assert!(report.counters.task_clock_ns.known().is_some());
        let mut indices = context.pinned_threads(report, |index| index).unwrap();
        indices.sort_unstable();
        assert_eq!(indices, [0, 1, 2]);
    });
    assert_eq!(sched_getaffinity(None).unwrap(), before);
}

#[test]
fn cpus_that_do_not_exist_are_a_failure() {
    Bench::new(&[]).with(&job(&[1000], 1), |context, report| {
        let failure = context.pinned(report, || ()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotStarted);
        assert!(failure.message.contains("1000"), "{}", failure.message);
    });
}

#[test]
fn work_on_wrong_cpu_is_marked() {
    Bench::new(&[]).with(&job(&[4, 5], 1), |context, report| {
        report.take_cpus_used(&context.job.cpus, vec![5, 4, 4]);
        assert_eq!((report.seen_on.as_slice(), &report.not_comparable), (&[4, 5][..], &None));
        report.take_cpus_used(&context.job.cpus, vec![0, 5]);
        let why = "pinned to CPUs [4, 5] but ran on CPUs [0, 5]";
        assert_eq!(report.not_comparable.as_deref(), Some(why));
    });
}

#[test]
fn interrupted_run_has_no_result() {
    let bench = Bench::new(&[Program { name: "slow".into(), body: "sleep 100".into() }]);
    bench.cancelled.store(15, Ordering::Relaxed);
    bench.with(&job(&[], 1), |context, report| {
        assert_eq!(context.pinned(report, || ()).unwrap_err().kind, FailureKind::Interrupted);
        let slow = tool(&bench, "slow");
        let failure = context.program(report, &slow, &[], Duration::from_secs(9)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Interrupted);
        assert!(context.is_cancelled());
    });
}

#[test]
#[should_panic(expected = "the work fails")]
fn panic_in_work_reaches_caller() {
    Bench::new(&[]).with(&job(&[], 2), |context, report| {
        let _ = context.pinned_threads(report, |index| assert_eq!(index, 0, "the work fails"));
    });
}

fn counts_21(_: &Root, id: u32) -> ReadCounters {
    assert!(id > 0);
    Box::new(|| CounterReading { cycles: Fact::Known(21), ..CounterReading::default() })
}

fn refuses(_: &Root, _: u32) -> ReadCounters {
    Box::new(|| CounterReading { cycles: Missing::absent("perf").into(), ..CounterReading::default() })
}

#[test]
fn counters_are_opened_for_threads_and_programs_and_added_up() {
    let bench = Bench::new(&[Program { name: "quick".into(), body: "echo done".into() }]);
    bench.with(&job(&[], 2), |context, report| {
        let context = &WorkloadContext { open_counters: Some(counts_21), ..context.clone() };
        context.pinned_threads(report, |_| ()).unwrap();
        assert_eq!(report.counters.cycles, Fact::Known(42));
        assert!(report.counters.task_clock_ns.known().is_some());
        let quick = tool(&bench, "quick");
        assert_eq!(context.program(report, &quick, &["x"], Duration::from_secs(9)), Ok("done\n".into()));
        assert_eq!(report.counters.cycles, Fact::Known(21));
        assert_eq!(report.tool.as_ref().unwrap().argv, [quick.path.as_str(), "x"]);
        let context = &WorkloadContext { open_counters: Some(refuses), ..context.clone() };
        context.pinned(report, || ()).unwrap();
        assert_eq!(report.counters.cycles, Fact::from(Missing::absent("perf")));
    });
}
