//! The clock passes: every OPP of every cluster cold, each CPU alone, all CPUs at once, and again
//! under load and right after it.
//!
//! Clocks are measured, not believed. How one point of a pass is measured is in `point.rs`.

mod point;

use crate::plan::options::Options;
use crate::question::{Task, retain_wanted};
use crate::run::context::{Moment, moment, window_since};
use crate::run::tell::RecordOutcome;
use machine::cgroup::has_quota;
use machine::faults;
use machine::settings::{Node, Settings};
use machine::{Root, Timeline, threads};
use microbench::load::{Load, spin};
use process::child::interruption;
use process::child::move_to;
use record::{
    ClockPoint, Clocks, Cluster, Machine, Missing, Outcome, Policy, Step, StepMeasurement, Variant, WorkloadId,
};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::time::Duration;
use workloads::job::cpus::{online_clusters, online_cpus, settable_opps};
use workloads::measure::thread_team::{Gate, joined, start_team};
use workloads::measure::window_gate;

/// Rises when a change of chain or estimator shifts readings.
pub(crate) const METHOD: u32 = 1;

/// Idle time after which a CPU is at its lowest clock.
const IDLE_TIME: Duration = Duration::from_millis(300);

/// Time until a new limit is in force; the slowest known drivers poll every 20 ms.
const LIMIT_SETTLES: Duration = Duration::from_millis(30);

/// Input of a clock pass.
pub(crate) struct ClockPass<'a> {
    pub(crate) root: &'a Root,
    pub(crate) machine: &'a Machine,
    pub(crate) timeline: &'a Timeline,
    pub(crate) task: &'a dyn Task,
    pub(crate) options: &'a Options,
    pub(crate) cancelled: &'a AtomicI32,
}

impl ClockPass<'_> {
    /// Measures every OPP of one cluster, highest first, on its first CPU; without settings only the current clock.
    pub(crate) fn cluster(&self, cluster: &Cluster, settings: Option<&mut Settings>, tell: &mut RecordOutcome) -> Step {
        let start = self.now();
        let cpu = cluster.cpus[0];
        let policy = self.policy_of(cpu);
        let outcome = match (policy, settings) {
            (Some(policy), Some(settings)) => self.walk(cpu, policy, settings, tell),
            (policy, _) => {
                let opp_khz = policy.and_then(|policy| policy.limit_khz_max.known().copied());
                self.point(cpu, opp_khz).map(|point| vec![point])
            }
        };
        self.step(Variant::COLD, vec![cpu], 1, start, outcome)
    }

    /// Measures all OPPs of a policy and restores the limits, even after an error.
    fn walk(
        &self,
        cpu: u32,
        policy: &Policy,
        settings: &mut Settings,
        tell: &mut RecordOutcome,
    ) -> Result<Vec<ClockPoint>, Missing> {
        let opps = self.opps(policy);
        if opps.is_empty() {
            let reason = format!(
                "policy{} has no OPP between MinKHz and MaxKHz (its OPPs: {:?} kHz)",
                policy.policy, policy.opps_khz
            );
            return Err(Missing::unsupported("MaxKHz", reason));
        }
        let limits = [Node::ClockMax(policy.policy), Node::ClockMin(policy.policy)];
        let before = limits.map(|node| settings.in_place(node));
        let points = self.walk_opps((cpu, policy), &opps, settings, tell);
        for (node, before) in limits.into_iter().zip(before) {
            // An unknown limit was not changed.
            if let Ok(before) = before {
                tell(settings.set(node, &before));
            }
        }
        self.timeline.sleep(LIMIT_SETTLES);
        points
    }

    fn walk_opps(
        &self,
        (cpu, policy): (u32, &Policy),
        opps: &[u32],
        settings: &mut Settings,
        tell: &mut RecordOutcome,
    ) -> Result<Vec<ClockPoint>, Missing> {
        let mut is_set = |node, khz: u32| tell(settings.set(node, &khz.to_string())).is_none();
        if let Some(min) = policy.clock_khz_min.known() {
            is_set(Node::ClockMin(policy.policy), *min);
        }
        let mut points = Vec::new();
        for opp_khz in opps {
            if self.is_cancelled() {
                break;
            }
            // Without its limit in force, this would be the clock of another OPP.
            if is_set(Node::ClockMax(policy.policy), *opp_khz) {
                self.timeline.sleep(LIMIT_SETTLES);
                points.push(self.point(cpu, Some(*opp_khz))?);
            }
        }
        if points.is_empty() && !self.is_cancelled() {
            points.push(self.point(cpu, None)?);
        }
        Ok(points)
    }

    /// OPPs within the user's limits, highest first.
    fn opps(&self, policy: &Policy) -> Vec<u32> {
        let mut opps = settable_opps(policy);
        opps.retain(|khz| {
            self.options.clock_khz_max.is_none_or(|max| *khz <= max)
                && self.options.clock_khz_min.is_none_or(|min| *khz >= min)
        });
        opps.reverse();
        opps
    }

    /// Measures the ramp of the first CPU of a cluster to full clock after a pause, before settings change.
    pub(crate) fn as_found(&self, cluster: &Cluster) -> Step {
        let start = self.now();
        let cpu = cluster.cpus[0];
        self.timeline.sleep(IDLE_TIME);
        let outcome = self.point(cpu, None).map(|point| vec![point]);
        self.step(Variant::AS_FOUND, vec![cpu], 1, start, outcome)
    }

    /// CPUs to measure: the requested ones, or all online CPUs.
    fn cpus(&self) -> Vec<u32> {
        let mut cpus = online_cpus(self.machine);
        retain_wanted(self.task, self.machine, &mut cpus);
        cpus
    }

    /// Measures every CPU alone, one after the other.
    pub(crate) fn every_cpu(&self) -> Step {
        let start = self.now();
        let cpus = self.cpus();
        let mut points = Vec::new();
        let mut refused = None;
        for cpu in cpus.iter().take_while(|_| !self.is_cancelled()) {
            match self.point(*cpu, None) {
                Ok(point) => points.push(point),
                Err(missing) => refused = Some(missing),
            }
        }
        // One absent CPU must not discard the readings of the others.
        let outcome = match refused {
            Some(missing) if points.is_empty() => Err(missing),
            _ => Ok(points),
        };
        self.step(Variant::COLD_CORES, cpus, 1, start, outcome)
    }

    /// Measures all CPUs at the same time, which shows limits of power and current.
    pub(crate) fn all_at_once(&self) -> Step {
        let start = self.now();
        let cpus = self.cpus();
        let outcome = self.together(&cpus);
        let threads = cpus.len() as u32;
        self.step(Variant::COLD_ALL_CPUS, cpus, threads, start, outcome)
    }

    /// Measures CPUs together; a finished thread keeps working until all are done.
    fn together(&self, cpus: &[u32]) -> Result<Vec<ClockPoint>, Missing> {
        let barrier = Barrier::new(cpus.len());
        let (left, stop) = (AtomicUsize::new(cpus.len()), AtomicBool::new(false));
        let gate = Gate::default();
        let _window = window_gate::window();
        let readings: Vec<_> = std::thread::scope(|scope| {
            let one = |cpu: &u32| {
                let (cpu, barrier, left, stop) = (*cpu, &barrier, &left, &stop);
                move || {
                    let moved = move_to(&[cpu]);
                    barrier.wait();
                    let point = moved.map(|()| point::measure_point(self, cpu, None));
                    if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                        stop.store(true, Ordering::Relaxed);
                    }
                    spin(stop, Load::Integer);
                    point
                }
            };
            start_team(scope, &gate, cpus.iter().map(one)).map(joined)
        })?;
        let mut points = Vec::new();
        for reading in readings.into_iter().flatten() {
            points.push(ClockPoint { all_cpus_at_once: true, ..reading? });
        }
        Ok(points)
    }

    /// Measures the first CPU of every cluster while all CPUs work. Short windows find the clock despite a competitor
    /// on the same CPU. Under a quota the measured CPU has no competitor.
    pub(crate) fn under_load(&self) -> Step {
        let start = self.now();
        let wanted = self.cpus();
        let clusters = online_clusters(self.machine);
        let of_cluster = |cluster: &Cluster| {
            let mut cpus = cluster.cpus.iter();
            cpus.find(|cpu| wanted.contains(cpu)).copied()
        };
        let firsts: Vec<u32> = clusters.iter().filter_map(of_cluster).collect();
        let alone = has_quota(self.root);
        let (stop, stop_firsts) = (AtomicBool::new(false), AtomicBool::new(false));
        let all = online_cpus(self.machine);
        let gate = Gate::default();
        let outcome = std::thread::scope(|scope| {
            let work = |cpu: &u32| {
                let cpu = *cpu;
                let is_left_alone = alone && firsts.contains(&cpu);
                let stop = if is_left_alone { &stop_firsts } else { &stop };
                move || move_to(&[cpu]).map(|()| spin(stop, Load::Widest))
            };
            start_team(scope, &gate, all.iter().map(work))?;
            self.heat();
            stop_firsts.store(true, Ordering::Relaxed);
            let outcome =
                if alone { self.together(&firsts) } else { firsts.iter().map(|cpu| self.point(*cpu, None)).collect() };
            stop.store(true, Ordering::Relaxed);
            outcome
        });
        let threads = all.len() as u32;
        self.step(Variant::HOT_LOADED, firsts, threads, start, outcome)
    }

    /// Lets the load run for its time, or until an interruption.
    fn heat(&self) {
        const LOOK: Duration = Duration::from_millis(100);
        let time = self.task.attributes().load_time / faults::haste();
        let end_ms = self.timeline.now_ms() + time.as_millis() as i64;
        while self.timeline.now_ms() < end_ms && !self.is_cancelled() {
            self.timeline.sleep(LOOK);
        }
    }

    /// Measures the highest clock of one cluster right after the load.
    pub(crate) fn after_load(&self, cluster: &Cluster) -> Step {
        let start = self.now();
        let cpu = cluster.cpus[0];
        let top = self.policy_of(cpu).and_then(|policy| {
            let opps = self.opps(policy);
            opps.first().or(policy.limit_khz_max.known()).copied()
        });
        let outcome = self.point(cpu, top).map(|point| vec![point]);
        self.step(Variant::HOT_AFTER, vec![cpu], 1, start, outcome)
    }

    /// Measures the first of these CPUs at the current OPP.
    pub(crate) fn at_opp(&self, cpus: &[u32], opp_khz: u32) -> Step {
        let start = self.now();
        self.timeline.sleep(LIMIT_SETTLES);
        let outcome = self.point(cpus[0], Some(opp_khz));
        self.step(Variant::OPP, cpus.to_vec(), 1, start, outcome.map(|point| vec![point]))
    }

    /// Measures one CPU in a separate thread.
    fn point(&self, cpu: u32, opp_khz: Option<u32>) -> Result<ClockPoint, Missing> {
        let _window = window_gate::window();
        let work = || move_to(&[cpu]).map(|()| point::measure_point(self, cpu, opp_khz));
        threads::run("clock-point", work)?.unwrap_or_else(|why| Err(Missing::unsupported(format!("cpu{cpu}"), why)))
    }

    fn policy_of(&self, cpu: u32) -> Option<&Policy> {
        self.machine.policies.iter().find(|policy| policy.cpus.contains(&cpu))
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) != 0
    }

    fn now(&self) -> Moment {
        moment(self.timeline)
    }

    fn step(
        &self,
        variant: Variant,
        cpus: Vec<u32>,
        threads: u32,
        start: Moment,
        outcome: Result<Vec<ClockPoint>, Missing>,
    ) -> Step {
        let outcome = match outcome {
            Ok(points) if self.is_cancelled() && points.is_empty() => Outcome::Failed(interruption()),
            Ok(points) => Outcome::Done(StepMeasurement::Clock(Clocks { points })),
            Err(missing) => Outcome::Skipped(missing),
        };
        Step {
            seen_on: cpus.clone(),
            cpus,
            threads,
            window: window_since(self.timeline, start),
            ..Step::new(WorkloadId::Clock, METHOD, variant, outcome)
        }
    }
}
