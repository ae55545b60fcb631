//! A standard run on a drawn board, moment by moment: idle, 7-zip on one CPU of each cluster, then three times on all.

use super::board::Drawn;
use facts::Cause;
use record::Total;
use testkit::virtual_board::Model;

/// Length of a moment in seconds.
const MOMENT_S: f64 = 0.05;
/// Number of moments between two samples.
const PER_SAMPLE: usize = 10;
/// Exponent of the clock for 7-zip on all CPUs (`data/elasticity.tsv`).
const ELASTICITY: f64 = 0.85;
const REPETITIONS: usize = 3;
const IDLE_S: f64 = 8.0;
const PAUSE_S: f64 = 1.0;

/// True state at one sample.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sample {
    pub(crate) at_s: f64,
    pub(crate) temp_c: f64,
    pub(crate) level: usize,
    pub(crate) online: u32,
    pub(crate) off_cpu: Option<u32>,
    /// For each policy.
    pub(crate) shown_khz: Vec<u32>,
    /// Seconds at each OPP of each policy, since the start.
    pub(crate) at_opp_s: Vec<Vec<f64>>,
    /// CPU seconds since the start: of programs, of waiting for storage, idle.
    pub(crate) busy_s: f64,
    pub(crate) waited_s: f64,
    pub(crate) idle_s: f64,
    /// CPU seconds withheld by the quota since the start.
    pub(crate) withheld_s: f64,
    /// Pages written to swap since the start.
    pub(crate) swapped_pages: f64,
}

/// A run of 7-zip.
#[derive(Debug, Clone, Default)]
pub(crate) struct Repetition {
    /// CPU; `None` for all.
    pub(crate) cpu: Option<u32>,
    pub(crate) from_s: f64,
    pub(crate) to_s: f64,
    pub(crate) mips: [f64; 2],
    /// CPU seconds and duration of each half.
    pub(crate) own_s: [f64; 2],
    pub(crate) half_s: [f64; 2],
    /// Seconds that its threads waited for CPUs.
    pub(crate) delayed_s: f64,
    /// Sums over the moments of each half: work without faults, and with one fault after the other.
    steps: [Shares; 2],
}

/// Work that could have been done without a fault, and with those of [`CAUSES`], one after the other.
type Shares = [f64; 7];

const CAUSES: [Cause; 6] =
    [Cause::FirmwareCap, Cause::Heat, Cause::CpusTakenAway, Cause::CpuQuota, Cause::Background, Cause::TooLittleMemory];

/// A run with its true state.
pub(crate) struct Run {
    pub(crate) samples: Vec<Sample>,
    pub(crate) repetitions: Vec<Repetition>,
    /// Clock of each policy at the end of the last repetition, in kHz.
    pub(crate) hot_khz: Vec<u32>,
    pub(crate) killed_at_s: Option<f64>,
}

/// True loss in percent, and the share of each cause.
#[derive(Debug)]
pub(crate) struct Truth {
    pub(crate) lost: f64,
    pub(crate) parts: [(Cause, f64); 6],
}

impl Truth {
    /// Truth of the repetitions on all CPUs. As in 7-zip, the score is the mean rate of both halves.
    pub(crate) fn of(run: &Run) -> Self {
        let all: Vec<&Repetition> = run.repetitions.iter().filter(|repetition| repetition.cpu.is_none()).collect();
        let mean = |at: usize| {
            let halves = all.iter().flat_map(|repetition| repetition.steps.iter().zip(repetition.half_s));
            halves.map(|(shares, half_s)| shares[at] / half_s).fold(0.0, |sum, rate| sum + rate) / all.len() as f64
        };
        let chain: [f64; 7] = std::array::from_fn(mean);
        let kept = chain[6] / chain[0];
        let lost = 100.0 * (1.0 - kept);
        let share = |index: usize| match chain[index + 1] / chain[index] {
            factor if kept < 1.0 && factor < 1.0 => lost * factor.ln() / kept.ln(),
            _ => 0.0,
        };
        let parts = std::array::from_fn(|index| (CAUSES[index], share(index)));
        Self { lost, parts }
    }
}

/// Computes the run.
pub(crate) fn of(drawn: &Drawn) -> Run {
    let mut clock = Machine::new(drawn);
    clock.rest(IDLE_S);
    for policy in &drawn.board.policy {
        let cpu = policy.cpus[0];
        clock.repetition(Some(cpu));
        clock.rest(PAUSE_S);
    }
    for _ in 0..REPETITIONS {
        clock.repetition(None);
        clock.run.hot_khz = (0..drawn.board.policy.len()).map(|index| clock.model.khz_real(index)).collect();
        clock.rest(PAUSE_S);
    }
    clock.run
}

struct Machine<'a> {
    drawn: &'a Drawn,
    model: Model,
    now: Sample,
    moments: usize,
    run: Run,
}

impl<'a> Machine<'a> {
    fn new(drawn: &'a Drawn) -> Self {
        let model = Model::new(drawn.board.clone());
        let now = Sample {
            temp_c: model.temp_c,
            online: drawn.cpus(),
            at_opp_s: drawn.board.policy.iter().map(|policy| vec![0.0; policy.opps.len()]).collect(),
            ..Sample::default()
        };
        let run = Run { samples: Vec::new(), repetitions: Vec::new(), hot_khz: Vec::new(), killed_at_s: None };
        Self { drawn, model, now, moments: 0, run }
    }

    /// Lets a moment pass in which CPUs are busy for this share of the time.
    fn moment(&mut self, busy: impl Fn(u32) -> f64, waiting_cpus: f64) {
        let cpus = self.drawn.cpus();
        let online = cpus - u32::from(self.model.off_cpu.is_some());
        let off = self.model.off_cpu;
        let used = |cpu: u32| if off == Some(cpu) { 0.0 } else { busy(cpu) };
        let sum: f64 = (0..cpus).map(used).total();
        self.model.step(MOMENT_S, used);
        if self.model.off_cpu.is_some() && self.run.killed_at_s.is_none() {
            self.run.killed_at_s = Some(self.now.at_s);
        }
        let now = &mut self.now;
        now.at_s += MOMENT_S;
        now.busy_s += sum * MOMENT_S;
        now.waited_s += waiting_cpus * MOMENT_S;
        now.idle_s += (f64::from(online) - sum - waiting_cpus).max(0.0) * MOMENT_S;
        self.moments += 1;
        if self.moments.is_multiple_of(PER_SAMPLE) {
            now.temp_c = self.model.temp_c;
            now.level = self.model.level;
            now.off_cpu = self.model.off_cpu;
            now.online = cpus - u32::from(self.model.off_cpu.is_some());
            now.shown_khz = (0..self.model.policies.len()).map(|index| self.model.khz_shown(index)).collect();
            now.at_opp_s = self.model.policies.iter().map(|policy| policy.time_in_state_s.clone()).collect();
            self.run.samples.push(now.clone());
        }
    }

    fn rest(&mut self, seconds: f64) {
        for _ in 0..(seconds / MOMENT_S) as usize {
            self.moment(|_| 0.01, 0.0);
        }
    }

    /// Rate of these CPUs at these clocks, in MIPS.
    fn rate(&self, cpus: &[u32], khz: impl Fn(usize) -> u32, without: Option<u32>) -> f64 {
        let exponent = if cpus.len() == 1 { 1.0 } else { ELASTICITY };
        let rate = |cpu: &u32| {
            let policy = self.model.policy_of(*cpu).unwrap();
            let share = f64::from(khz(policy)) / f64::from(self.drawn.board.policy[policy].khz_max());
            if without == Some(*cpu) { 0.0 } else { self.drawn.mips[policy] * share.powf(exponent) }
        };
        cpus.iter().map(rate).total()
    }

    /// Runs 7-zip on one CPU or on all: half of the work is compression.
    fn repetition(&mut self, cpu: Option<u32>) {
        let all: Vec<u32> = (0..self.drawn.cpus()).collect();
        let cpus = cpu.map_or(all, |cpu| vec![cpu]);
        let top = |policy: usize| self.drawn.board.policy[policy].khz_max();
        let work = self.rate(&cpus, top, None) * self.drawn.run_s / 2.0;
        let mut done = Repetition { cpu, from_s: self.now.at_s, ..Repetition::default() };
        for half in 0..2 {
            let mut left = work;
            while left > 0.0 {
                left -= self.half(half, &cpus, &mut done);
            }
            done.mips[half] = work / done.half_s[half];
        }
        done.to_s = self.now.at_s;
        self.run.repetitions.push(done);
    }

    /// Runs one moment of a half. Returns the work done.
    fn half(&mut self, half: usize, cpus: &[u32], done: &mut Repetition) -> f64 {
        let threads = cpus.len() as f64;
        let off = self.model.off_cpu.filter(|cpu| cpus.contains(cpu));
        let there = threads - if off.is_some() { 1.0 } else { 0.0 };
        // A single thread runs on a free CPU.
        let others = match cpus.len() {
            1 => 0.0,
            _ => f64::from(self.drawn.other_threads),
        };
        let to_others = others / (threads + others);
        let (ready, awake) = match cpus.len() {
            1 => (0.99, 1.0),
            _ => (self.drawn.ready[half], 1.0 - self.drawn.waiting[half]),
        };
        let for_own = there * ready * awake * (1.0 - to_others);
        let within_quota = self.drawn.quota_cpus.map_or(1.0, |quota| (quota / for_own).min(1.0));
        let real: Vec<u32> = (0..self.model.policies.len()).map(|index| self.model.khz_real(index)).collect();
        let cool: Vec<u32> = (0..real.len()).map(|index| self.model.cool().khz_real(index)).collect();
        let wanted = self.rate(cpus, |policy| self.drawn.board.policy[policy].khz_max(), None);
        let rate = self.rate(cpus, |policy| real[policy], off);
        // Threads wait for delayed ones, so the whole half takes longer.
        let speed = within_quota * (1.0 - to_others) * awake;
        let own = ready * speed;
        let rates = [
            wanted,
            self.rate(cpus, |policy| cool[policy], None),
            self.rate(cpus, |policy| real[policy], None),
            rate,
            rate * within_quota,
            rate * within_quota * (1.0 - to_others),
            rate * speed,
        ];
        for (share, rate) in done.steps[half].iter_mut().zip(rates) {
            *share += rate * MOMENT_S;
        }
        done.own_s[half] += there * own * MOMENT_S;
        done.half_s[half] += MOMENT_S;
        let runs = (1.0 - to_others) * there / threads;
        done.delayed_s += threads * ready * within_quota * awake * (1.0 - runs) * MOMENT_S;
        self.now.withheld_s += for_own * (1.0 - within_quota) * MOMENT_S;
        let waiting_cpus = there * ready * within_quota * (1.0 - to_others) * (1.0 - awake);
        self.now.swapped_pages += waiting_cpus * 4000.0 * MOMENT_S;
        let busy = own + (others / there).min(1.0 - own);
        self.moment(|cpu| if cpus.contains(&cpu) { busy } else { 0.01 }, waiting_cpus);
        rate * speed * MOMENT_S
    }
}
