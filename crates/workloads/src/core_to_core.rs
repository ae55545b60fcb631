//! `core-to-core`: latency of a cache line between every pair of CPUs. The matrix shows clusters independently of the
//! kernel's tables, and the cost of sharing data across them.

use super::attributes::{Attributes, DurationRule};
use super::scored::not_started;
use super::{Workload, no_other_cpu};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use crate::measure::thread_team::{Gate, joined, start_team};
use crate::measure::window_gate;
use microbench::core_to_core::CacheLinePingPong;
use process::child::move_to;
use record::{CorePair, CoreToCore, Failure, Missing, StepMeasurement, StoppingRule, WorkloadId};
use std::time::{Duration, Instant};

/// The entry in the table of workloads.
pub(super) const CORE_TO_CORE: Workload = Workload {
    id: WorkloadId::CoreToCore,
    about: "Cache line transfer latency between every pair of CPUs; shows the clusters.",
    link: "https://en.wikipedia.org/wiki/Cache_coherence",
    attributes: Attributes { takes: DurationRule::Pairs, ..Attributes::PLAIN },
    lacking,
    run,
    ..Workload::PLAIN
};

/// Rises when the loop changes.
const METHOD: u32 = 1;
/// Maximum number of measured CPUs, spread over all: about 2000 pairs.
const CPUS_MAX: usize = 64;
/// Round trips of one batch: 40 µs inside a cluster, long against the timer.
const ROUND_TRIPS: u32 = 300;
/// Warm-up of a pair, as CPUs leave idle states slowly; with many pairs, the share of [`WARM_UP_ALL`].
const WARM_UP: Duration = Duration::from_millis(20);
const WARM_UP_ALL: Duration = Duration::from_secs(4);
/// Batches of one pair.
const RULE: StoppingRule = StoppingRule::new(22, Duration::from_millis(50));

fn lacking(context: &WorkloadContext) -> Option<Missing> {
    no_other_cpu(context, "there is nothing to measure")
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let cpus = sample(&context.job.cpus);
    let count = cpus.len() * (cpus.len() - 1) / 2;
    let warm_up = WARM_UP.min(WARM_UP_ALL / count.max(1) as u32);
    let mut pairs = Vec::new();
    for (index, &a) in cpus.iter().enumerate() {
        for &b in &cpus[index + 1..] {
            if context.is_cancelled() {
                return Err(context.interruption());
            }
            let ns = pair(a, b, warm_up);
            pairs.push(CorePair { a, b, ns });
        }
    }
    if pairs.iter().all(|pair| pair.ns.is_empty()) {
        return Err(not_started("No two CPUs could be used at the same time."));
    }
    report.seen_on.clone_from(&cpus);
    Ok(StepMeasurement::CoreToCore(CoreToCore { cpus_online: context.job.cpus.len() as u32, cpus, pairs }))
}

/// At most [`CPUS_MAX`] CPUs, evenly spread.
fn sample(cpus: &[u32]) -> Vec<u32> {
    let count = cpus.len().min(CPUS_MAX);
    (0..count).map(|index| cpus[index * cpus.len() / count]).collect()
}

/// Batches between two CPUs; empty if one of them is not available.
fn pair(a: u32, b: u32, warm_up: Duration) -> Vec<f64> {
    let (game, gate) = (&CacheLinePingPong::new(), Gate::default());
    let answer = move || {
        match move_to(&[b]) {
            Ok(()) => game.answer(),
            Err(_) => game.end(),
        }
        Vec::new()
    };
    let play = move || {
        let ns = match move_to(&[a]) {
            Ok(()) => batches(game, warm_up),
            Err(_) => Vec::new(),
        };
        game.end();
        ns
    };
    let works: [Box<dyn FnOnce() -> Vec<f64> + Send>; 2] = [Box::new(answer), Box::new(play)];
    let players = std::thread::scope(|scope| start_team(scope, &gate, works).map(joined));
    players.map_or_else(|_| Vec::new(), |ns| ns.concat())
}

fn batches(game: &CacheLinePingPong, warm_up: Duration) -> Vec<f64> {
    let mut ns: Vec<f64> = Vec::new();
    let _window = window_gate::window();
    // The first batch includes the wait for the other thread.
    let begun = Instant::now();
    while game.play(ROUND_TRIPS).is_some() && begun.elapsed() < warm_up {}
    let started = Instant::now();
    while RULE.ended(&ns, started.elapsed()).is_none() {
        match game.play(ROUND_TRIPS) {
            Some(one_way) => ns.push(one_way),
            None => break,
        }
    }
    ns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::testing::Bench;
    use record::FailureKind;

    fn job(cpus: &[u32]) -> Job {
        Job { workload: WorkloadId::CoreToCore, cpus: cpus.to_vec(), threads: 2, ..Job::default() }
    }

    #[test]
    fn many_cpus_are_sampled_evenly() {
        let all: Vec<u32> = (0..192).collect();
        let some = sample(&all);
        assert_eq!((some.len(), some[0], some[63]), (64, 0, 189));
        assert!(some.windows(2).all(|pair| pair[1] - pair[0] == 3));
        assert_eq!(sample(&[0, 4, 5]), [0, 4, 5]);
    }

    #[test]
    fn missing_cpus_fail_immediately() {
        assert!(pair(1_000_000, 0, WARM_UP).is_empty());
        assert!(pair(0, 1_000_000, WARM_UP).is_empty());
        let failure = Bench::new(&[]).with(&job(&[1_000_000, 1_000_001]), run);
        assert_eq!(failure.unwrap_err().kind, FailureKind::NotStarted);
    }

    #[test]
    fn signal_stops_measurement() {
        let bench = Bench::new(&[]);
        bench.cancelled.store(2, std::sync::atomic::Ordering::Relaxed);
        let failure = bench.with(&job(&[0, 1]), run).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Interrupted);
    }
}
