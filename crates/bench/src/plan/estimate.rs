//! Estimates how long the rest of a run will take: first from measured clocks and the scores of other boards at these clocks,
//! then from the duration of completed steps. Estimates are shown to people only; no decision depends on them.

use crate::plan::stage::{Stage, load_step};
use crate::plan::time_left::TimeLeft;
use record::{Cluster, Machine, Outcome, Step, StepMeasurement, Variant, WorkloadId};
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::{fastest_cpu, online_clusters};
use workloads::{DurationRule, workload};

/// Clock of [`model`]'s times, in kHz: that of a medium-speed board.
const MODEL_KHZ: f64 = 2_000_000.0;
/// Assumed duration of a user's program before its first run.
const PROGRAM_S: f64 = 10.0;
/// Typical number of repetitions until a median is stable.
const REPETITIONS: f64 = 10.0;
/// Seconds of a run of 7-zip on one CPU, times its score: the median of 131 logs of the reference data. A tenth of them has
/// less than 140,000 or more than 159,000.
const SEVENZIP_MIPS_S: f64 = 150_000.0;
/// Time of a run with a thread on each of several CPUs, relative to one on a CPU of their mean speed: 110,000 MIPS x s for each
/// thread in 175 logs of the reference data, and a loss for common caches and memory.
const SEVENZIP_MULTI: f64 = 0.85;
/// 7-zip score per MHz of a core without a known score.
const MIPS_PER_MHZ: f64 = 0.9;
/// Expected 7-zip score of one core of this type at this clock in MHz, from other boards.
pub type ExpectedMips = fn(&str, f64) -> Option<f64>;

/// CPUs of one kind, and their clock.
#[derive(Debug, Clone)]
struct CoreSpeed {
    cpus: Vec<u32>,
    core_type: Option<String>,
    /// Highest clock: as advertised, then as measured.
    khz: f64,
    is_measured: bool,
}

/// Speed of this machine as known so far.
#[derive(Debug, Clone)]
pub(crate) struct Estimates {
    clusters: Vec<CoreSpeed>,
    expected_mips: ExpectedMips,
    /// CPU whose clock represents the machine.
    fastest: u32,
    /// Completed jobs with their last duration in seconds.
    known: Vec<(Job, f64)>,
    /// Ratio of measured to estimated time of the last new job of each kind.
    ratios: Vec<(WorkloadId, Variant, f64)>,
    /// Seconds of one step of a clock pass.
    clock_s: f64,
}

impl Default for Estimates {
    fn default() -> Self {
        Self::of(&Machine::default(), |_, _| None)
    }
}

impl Estimates {
    /// Estimates from the advertised clocks, before any measurement.
    pub(crate) fn of(machine: &Machine, expected_mips: ExpectedMips) -> Self {
        let khz = |cluster: &Cluster| {
            let policy = machine.policies.iter().find(|policy| Some(policy.policy) == cluster.policy);
            policy.and_then(|policy| policy.clock_khz_max.known()).map_or(MODEL_KHZ, |khz| f64::from(*khz))
        };
        let clusters = online_clusters(machine).into_iter().map(|cluster| CoreSpeed {
            khz: khz(&cluster),
            core_type: cluster.core_type.known().cloned(),
            is_measured: false,
            cpus: cluster.cpus,
        });
        Self {
            clusters: clusters.collect(),
            expected_mips,
            fastest: fastest_cpu(machine),
            known: Vec::new(),
            ratios: Vec::new(),
            clock_s: 1.0,
        }
    }

    /// Takes the measured clock as the speed of the machine until a job has run.
    pub(crate) fn clock_step(&mut self, step: &Step) {
        let Outcome::Done(StepMeasurement::Clock(clocks)) = &step.outcome else { return };
        self.clock_s = seconds(step).max(0.1);
        // Skipped steps took no time. Completed steps are a better estimate than a clock that drops in heat.
        if self.known.iter().any(|(_, took)| *took > 0.0) {
            return;
        }
        for point in &clocks.points {
            let khz = f64::from(point.readings_khz.iter().copied().max().unwrap_or(0));
            if let Some(cluster) = self.clusters.iter_mut().find(|cluster| cluster.cpus.contains(&point.cpu)) {
                cluster.khz = if cluster.is_measured { cluster.khz.max(khz) } else { khz.max(1.0) };
                cluster.is_measured = true;
            }
        }
    }

    /// A completed job predicts the duration of its next repetition, and of the same job on other CPUs.
    pub(crate) fn job_took(&mut self, job: &Job, took: Duration) {
        let took = took.as_secs_f64();
        let ratio = took / self.estimated_s(job).max(0.001);
        // Skipped and failed steps do not show the speed.
        if self.find(job).is_none() && job.time.is_none() && (0.02..50.0).contains(&ratio) {
            self.ratios.retain(|(workload, variant, _)| (*workload, variant) != (job.workload, &job.variant));
            self.ratios.push((job.workload, job.variant.clone(), ratio));
        }
        self.known.retain(|(known, _)| !is_alike(known, job));
        self.known.push((job.clone(), took));
    }

    /// True if a job like this has run.
    pub(crate) fn knows(&self, job: &Job) -> bool {
        self.find(job).is_some()
    }

    /// False if these stages contain a user's program that has not run yet: no model predicts its duration.
    pub(crate) fn can_tell(&self, stages: &[Stage]) -> bool {
        let is_unknown = |job: &Job| job.definition.is_some() && job.time.is_none() && !self.knows(job);
        !stages.iter().filter_map(Stage::job).any(is_unknown)
    }

    /// Time for these stages, beginning with the current one; `None` if it cannot be estimated.
    pub(crate) fn left(&self, stages: &[Stage]) -> Option<TimeLeft> {
        let (_, behind) = stages.split_first().filter(|_| self.can_tell(stages))?;
        Some(TimeLeft { all: self.of_stages(stages), behind: self.of_stages(behind) })
    }

    /// Time of these stages.
    pub(crate) fn of_stages(&self, stages: &[Stage]) -> Duration {
        let sum = stages.iter().map(|stage| self.stage_s(stage)).sum();
        Duration::from_secs_f64(sum)
    }

    fn stage_s(&self, stage: &Stage) -> f64 {
        match stage {
            Stage::ColdClocks => (self.clusters.len() + 2) as f64 * self.clock_s,
            Stage::HotClocks => (self.clusters.len() + 1) as f64 * self.clock_s,
            Stage::Job(job) => self.job_s(job),
            Stage::UntilSteady(job) => REPETITIONS * self.job_s(job),
            Stage::UntilSteadyWithin(job, time) => time.as_secs_f64().min(REPETITIONS * self.job_s(job)),
            Stage::OppClock(..) => self.clock_s,
            // Most waits end long before their limit.
            Stage::WaitFor(_, limit) => limit.as_secs_f64() / 4.0,
            Stage::Heat(thermal) => thermal.time.as_secs_f64(),
            Stage::Rest(_, time) => time.as_secs_f64(),
            Stage::Probe(job, _) => self.job_s(job),
            Stage::LoadStep => load_step::ALL.as_secs_f64(),
            // Most means are known in half of the longest time.
            Stage::Power(state) => state.limit.as_secs_f64() / 2.0,
            Stage::Suspend(_, time) => time.as_secs_f64(),
            // Monitoring takes as long as the user wants.
            Stage::ApplySettings(_) | Stage::Raise(_) | Stage::Watch(_) | Stage::Survey => 0.0,
        }
    }

    fn job_s(&self, job: &Job) -> f64 {
        self.find(job).unwrap_or_else(|| self.estimated_s(job) * self.ratio(job))
    }

    /// Duration before the first run.
    fn estimated_s(&self, job: &Job) -> f64 {
        let is_sevenzip = job.workload == WorkloadId::SevenZip && job.time.is_none();
        let work_s = match model(job) {
            _ if is_sevenzip && job.cpus.len() > 1 => return self.sevenzip_multi_s(job),
            _ if is_sevenzip => return self.sevenzip_s(job.cpus.first().copied()),
            DurationRule::Fixed(seconds) => return seconds,
            DurationRule::Work(seconds) => seconds,
            DurationRule::Pairs => 1.0 + (job.cpus.len() * job.cpus.len()) as f64 / 500.0,
        };
        work_s * MODEL_KHZ / self.cluster(Some(self.fastest)).map_or(MODEL_KHZ, |own| own.khz)
    }

    /// Ratio of measured to estimated time of the same job on other CPUs.
    fn ratio(&self, job: &Job) -> f64 {
        let mut known = self.ratios.iter();
        let of_job = known.find(|(workload, variant, _)| (*workload, variant) == (job.workload, &job.variant));
        of_job.map_or(1.0, |(.., ratio)| *ratio)
    }

    fn cluster(&self, cpu: Option<u32>) -> Option<&CoreSpeed> {
        self.clusters.iter().find(|cluster| cpu.is_some_and(|cpu| cluster.cpus.contains(&cpu)))
    }

    /// Duration of a 7-zip run on this CPU.
    fn sevenzip_s(&self, cpu: Option<u32>) -> f64 {
        let cluster = self.cluster(cpu);
        let mhz = cluster.map_or(MODEL_KHZ, |cluster| cluster.khz) / 1000.0;
        let core_type = cluster.and_then(|cluster| cluster.core_type.as_deref());
        let mips = core_type.and_then(|core_type| (self.expected_mips)(core_type, mhz));
        SEVENZIP_MIPS_S / mips.unwrap_or(MIPS_PER_MHZ * mhz)
    }

    /// Duration of a 7-zip run on several CPUs, from runs on single CPUs of the same kinds.
    fn sevenzip_multi_s(&self, job: &Job) -> f64 {
        let single = |cpu: &u32| {
            let cluster = self.cluster(Some(*cpu)).map_or(&[][..], |cluster| cluster.cpus.as_slice());
            let is_of_kind = |known: &Job| {
                let is_single = known.workload == job.workload && known.variant == Variant::SINGLE;
                is_single && known.cpus.iter().any(|cpu| cluster.contains(cpu))
            };
            let known = self.known.iter().find(|(known, took)| is_of_kind(known) && *took > 0.0);
            let one = Job { workload: job.workload, variant: Variant::SINGLE, ..Job::default() };
            known.map_or_else(|| self.sevenzip_s(Some(*cpu)) * self.ratio(&one), |(_, took)| *took)
        };
        let per_s: f64 = job.cpus.iter().map(|cpu| 1.0 / single(cpu)).sum();
        SEVENZIP_MULTI * job.cpus.len() as f64 / per_s
    }

    fn find(&self, job: &Job) -> Option<f64> {
        let mut known = self.known.iter();
        known.find(|(known, _)| is_alike(known, job)).map(|(_, took)| *took)
    }
}

/// True if both are repetitions of one job.
fn is_alike(a: &Job, b: &Job) -> bool {
    let of_definition = |job: &Job| job.definition.as_ref().map(|d| d.command.clone());
    (a.workload, &a.variant, &a.cpus) == (b.workload, &b.variant, &b.cpus) && of_definition(a) == of_definition(b)
}

/// Duration of a workload that the table lacks.
const UNKNOWN: DurationRule = DurationRule::Work(6.0);

/// Expected duration before the first run.
fn model(job: &Job) -> DurationRule {
    if let Some(time) = job.time {
        return DurationRule::Fixed(time.as_secs_f64());
    }
    if let Some(definition) = &job.definition {
        return DurationRule::Fixed(definition.seconds.map_or(PROGRAM_S, |seconds| seconds as f64));
    }
    let workload = workload(job.workload);
    if let Some(shape) = workload.and_then(|workload| workload.shape) {
        return DurationRule::Fixed(shape.seconds as f64);
    }
    workload.map_or(UNKNOWN, |workload| workload.attributes.takes)
}

fn seconds(step: &Step) -> f64 {
    (step.window.end_ms - step.window.start_ms) as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::plan::standard::{AvailableTools, jobs};
    use crate::plan::time_left::{RISE_MAX, SHOWN_S_MIN, TimeLeftDisplay};
    use record::{ClockPoint, Clocks, Window};

    fn job(workload: WorkloadId, variant: Variant) -> Job {
        Job { workload, variant, ..Job::default() }
    }

    fn clock(cpu: u32, khz: u32) -> Step {
        Step {
            window: Window { end_ms: 500, ..Window::default() },
            outcome: Outcome::Done(StepMeasurement::Clock(Clocks {
                points: vec![ClockPoint { cpu, readings_khz: vec![khz], ..ClockPoint::default() }],
            })),
            ..workloads::testing::step(WorkloadId::Clock)
        }
    }

    /// Memory on each kind of CPU, AES, 7-zip on one CPU of each kind, then three times on all CPUs.
    const ALL: AvailableTools = AvailableTools { sevenzip: true, sevenzip_pair: false, openssl: true, cpuminer: true };

    #[test]
    fn estimate_improves_with_measurements() {
        let machine = workloads::testing::machine(&[("Cortex-A72", 2, 2000)]);
        let mut estimates = Estimates::of(&machine, |core, mhz| (core == "Cortex-A72").then_some(0.75 * mhz));
        let single = Job { cpus: vec![0], threads: 1, ..job(WorkloadId::SevenZip, Variant::SINGLE) };
        let multi = Job { cpus: vec![0, 1], threads: 2, ..job(WorkloadId::SevenZip, Variant::MULTI) };
        let seconds = |estimates: &Estimates, job: &Job| estimates.job_s(job).round();
        assert_eq!((seconds(&estimates, &single), seconds(&estimates, &multi)), (100.0, 85.0));
        estimates.clock_step(&clock(0, 1_000_000));
        assert_eq!((seconds(&estimates, &single), seconds(&estimates, &multi)), (200.0, 170.0));
        estimates.job_took(&single, Duration::from_secs(300));
        assert_eq!(seconds(&estimates, &multi), 255.0);
        // A clock that drops in heat predicts less than completed steps.
        estimates.clock_step(&clock(0, 100_000));
        estimates.job_took(&multi, Duration::from_secs(33));
        assert_eq!((seconds(&estimates, &single), seconds(&estimates, &multi)), (300.0, 33.0));
    }

    /// Simulates a standard run and prints the error of the estimate at half time. Input: cores with their true 7-zip
    /// scores, the expected scores, the slowdown of memory against the model.
    #[allow(clippy::print_stderr)]
    fn simulated(cores: &[(&str, u32, u32, f64)], others: ExpectedMips, memory: f64, heat: f64) -> (f64, f64) {
        let kinds: Vec<(&str, u32, u32)> = cores.iter().map(|(name, count, mhz, _)| (*name, *count, *mhz)).collect();
        let machine = workloads::testing::machine(&kinds);
        let mips = |cpu: u32| {
            let mut first = 0;
            let is_of = |(_, count, ..): &&(&str, u32, u32, f64)| {
                first += *count;
                cpu < first
            };
            cores.iter().find(is_of).unwrap().3
        };
        let true_s = |job: &Job| match job.workload {
            WorkloadId::SevenZip if job.threads > 1 => {
                let sum: f64 = job.cpus.iter().map(|cpu| mips(*cpu)).sum();
                // Multi-threaded score of a Raspberry Pi 4: 0.89 of that of one CPU, per CPU.
                110_000.0 * f64::from(job.threads) / (0.89 * sum) * (1.0 + heat * f64::from(job.repetition))
            }
            WorkloadId::SevenZip => 150_000.0 / mips(job.cpus[0]),
            WorkloadId::OpenSsl => 6.2,
            _ => match model(job) {
                DurationRule::Fixed(seconds) | DurationRule::Work(seconds) => seconds * memory,
                DurationRule::Pairs => memory,
            },
        };
        let mut estimates = Estimates::of(&machine, others);
        let mut stages = vec![Stage::ColdClocks];
        stages.extend(jobs(&machine, &Options::default(), ALL).into_iter().map(Stage::Job));
        stages.push(Stage::HotClocks);
        let (mut now_s, mut left, mut shown) = (0.0, TimeLeftDisplay::default(), Vec::new());
        for at in 0..stages.len() {
            left.estimated(estimates.left(&stages[at..]), Duration::from_secs_f64(now_s));
            let took_s = match &stages[at] {
                Stage::Job(job) => true_s(job),
                _ => 2.0,
            };
            let moments = (0..).map(|tick| now_s + 0.5 * f64::from(tick)).take_while(|at_s| *at_s < now_s + took_s);
            shown.extend(moments.map(|at_s| (at_s, left.at(Duration::from_secs_f64(at_s)).unwrap() as f64)));
            now_s += took_s;
            match &stages[at] {
                Stage::Job(job) => estimates.job_took(job, Duration::from_secs_f64(took_s)),
                _ => {
                    let mut cpu = 0;
                    for (_, count, mhz, _) in cores {
                        estimates.clock_step(&clock(cpu, mhz * 1000));
                        cpu += count;
                    }
                }
            }
        }
        let rise = shown.windows(2).map(|pair| pair[1].1 / pair[0].1.max(SHOWN_S_MIN as f64)).fold(0.0, f64::max);
        let (at_s, left_s) = shown.iter().find(|(at_s, _)| *at_s >= now_s / 2.0).unwrap();
        let error = left_s / (now_s - at_s) - 1.0;
        eprintln!(
            "{cores:?}: {now_s:.0} s, at half time {:+.1} %, largest rise {:+.1} %",
            100.0 * error,
            100.0 * (rise - 1.0)
        );
        (rise, error)
    }

    #[test]
    fn time_left_rises_little_and_is_right_at_half_time() {
        let others: ExpectedMips = |core, mhz| match core {
            "Cortex-A53" | "Cortex-A55" => Some(0.78 * mhz),
            "Cortex-A72" => Some(1.0 * mhz),
            "Cortex-A76" => Some(1.18 * mhz),
            _ => None,
        };
        for (cores, memory, heat) in [
            // Raspberry Pi 4 B, ROCK 5B, Raspberry Pi 3 B+ in heat, VisionFive 2, an x86 PC.
            (&[("Cortex-A72", 4, 1500, 1650.0)][..], 1.0, 0.0),
            (&[("Cortex-A55", 4, 1800, 1450.0), ("Cortex-A76", 4, 2400, 2850.0)], 1.3, 0.0),
            (&[("Cortex-A53", 4, 1400, 1050.0)], 2.0, 0.08),
            (&[("U74", 4, 1500, 1080.0)], 1.5, 0.0),
            (&[("Gracemont", 4, 3400, 3650.0)], 0.7, 0.0),
        ] {
            let (rise, error) = simulated(cores, others, memory, heat);
            assert!(rise <= RISE_MAX + 0.001, "{cores:?}: {rise}");
            assert!(error.abs() <= 0.15, "{cores:?}: {error}");
        }
    }

    #[test]
    fn program_that_never_ran_has_no_estimate() {
        let command = vec!["sleep".to_owned(), "0.1".to_owned()];
        let definition = Some(std::sync::Arc::new(workloads::job::definition::Definition::of_command(command)));
        let program = Job { definition, ..job(WorkloadId::Program, Variant::default()) };
        let stages = [Stage::Job(program.clone()), Stage::Job(job(WorkloadId::SevenZip, Variant::MULTI))];
        let mut estimates = Estimates::default();
        assert!(estimates.left(&stages).is_none() && estimates.left(&stages[1..]).is_some());
        estimates.job_took(&Job { repetition: 7, ..program }, Duration::from_millis(100));
        assert!(estimates.left(&stages).is_some() && estimates.left(&[]).is_none());
    }

    #[test]
    fn skipped_steps_do_not_count() {
        let mut estimates = Estimates::default();
        estimates.job_took(&job(WorkloadId::SevenZip, Variant::SINGLE), Duration::ZERO);
        let left = |estimates: &Estimates, workload| {
            let stage = Stage::Job(job(workload, Variant::SINGLE));
            estimates.of_stages(&[stage, Stage::ApplySettings(Vec::new())]).as_secs()
        };
        assert_eq!(left(&estimates, WorkloadId::SevenZip), 0);
        assert_eq!(left(&estimates, WorkloadId::Lzma), 10);
        estimates.clock_step(&clock(0, 1_000_000));
        assert_eq!(left(&estimates, WorkloadId::SevenZip), 0);
    }
}
