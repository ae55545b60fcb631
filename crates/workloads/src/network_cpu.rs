//! `network-cpu`: one TCP stream and one thread of built-in integer work at the same time: whether network and CPU slow
//! each other down.

use super::attributes::{Attributes, Needs};
use super::network::{KIND, VARIANTS, lacking, parse, stream};
use super::scored::{garbled, higher, not_started};
use super::{Places, Shape, Workload};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::threads;
use machine::timeline::thread_cpu_ns;
use microbench::load::{Load, spin};
use record::{Fact, Failure, Scores, StepMeasurement, WorkloadId};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The entry in the table of workloads.
pub(super) const NETWORK_CPU: Workload = Workload {
    id: WorkloadId::NetworkCpu,
    about: "One TCP stream to or from --host while one thread does integer work.",
    link: "https://software.es.net/iperf/",
    tool: Some(&KIND),
    shape: Some(Shape { variants: VARIANTS, places: Places::All, repetitions: 1, seconds: 10 }),
    attributes: Attributes { needs: Needs::HOST, ..Attributes::PLAIN },
    lacking,
    run,
};

/// Rises when the stream or the work changes.
const METHOD: u32 = 1;

/// Result of the thread with integer work.
struct IntegerWork {
    operations_per_s: f64,
    cpu_ns: u64,
    in_group: bool,
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let stop = AtomicBool::new(false);
    let group = context.group;
    let (output, worked) = std::thread::scope(|scope| {
        let work = || {
            // Under the program's quota, if there is one; its CPU time then counts as the program's.
            let limited = group.filter(|group| group.is_limited());
            let inside = limited.and_then(|group| group.enter().ok());
            let (began, cpu_before) = (Instant::now(), thread_cpu_ns());
            let operations = spin(&stop, Load::Integer);
            IntegerWork {
                operations_per_s: operations as f64 / began.elapsed().as_secs_f64(),
                cpu_ns: thread_cpu_ns() - cpu_before,
                in_group: inside.is_some(),
            }
        };
        let worker = threads::spawn_scoped(scope, "load", work).map_err(not_started)?;
        let output = stream(context, report);
        stop.store(true, Ordering::Relaxed);
        Ok((output, threads::join(worker)))
    })?;
    let output = output?;
    if let (Fact::Known(ns), false) = (&mut report.counters.task_clock_ns, worked.in_group) {
        *ns += worked.cpu_ns;
    }
    let scores = parse(&output).map_err(|why| garbled(why, &output))?;
    let mut rows: Vec<_> = scores.rows.iter().map(|row| higher("network", row.value, &row.unit)).collect();
    rows.push(higher("cpu", worked.operations_per_s / 1e6, "Mop/s"));
    Ok(StepMeasurement::Scores(Scores { rows, ..scores }))
}
