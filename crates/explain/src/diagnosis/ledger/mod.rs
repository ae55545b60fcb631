//! Ledgers: expected value of each score, and the loss by each cause.
//!
//! The fractions that causes leave of a score multiply, so the loss is split by their logarithms and the shares add up.
//! Each cause has its own measure: clocks, CPU time of others, waiting time, number of CPUs, or repetitions.

mod clock;
mod cpus;
mod loss;
mod score;
mod split;
mod time;
mod waiting;

use super::graph::Graph;
use compare::reference::Reference;
use facts::figures::equivalent::equivalent;

use facts::{Cause, Diagnosis, EvidenceSource, Facts, Finding, Ledger, Method, view};
use loss::Loss;
use record::{Fact, Missing, RuleId, Total};
use rules::held_clocks::ClockPair;
use score::Score;

/// Ledgers of all scores that have one.
pub(super) fn of(facts: &Facts<'_>, findings: &[Finding], graph: &Graph) -> Vec<Ledger> {
    let scores = facts.scores().iter().filter_map(|steps| Some((steps, Score::of(facts, steps)?)));
    let ledgers = scores.map(|(steps, score)| {
        let is_here = |(_, diagnosis): &(usize, &Diagnosis)| diagnosis.holds_for.contains(&steps.key);
        let here: Vec<(usize, &Diagnosis)> = graph.diagnoses.iter().enumerate().filter(is_here).collect();
        let context = ScoreContext { facts, findings, score: &score, here: &here };
        let mut losses = context.losses();
        context.believe_what_is_known(&mut losses);
        let same_cpu = context.same_cpu(&mut losses);
        let best = context.best_run();
        let expected = if losses.is_empty() && best.is_none() && context.is_costly() {
            Fact::from(Missing::unsupported("", "nothing was measured free of its causes"))
        } else {
            Fact::Known(split::expected(&score, &losses, best, same_cpu))
        };
        split::ledger(steps.key.clone(), &score, expected, losses)
    });
    ledgers.collect()
}

/// The loss by one diagnosis.
struct CauseLoss {
    diagnosis: usize,
    cause: Cause,
    loss: Loss,
    /// Ratio of the score to the first repetition, if this cause made the repetitions decline.
    kept_of_first: Option<f64>,
}

struct ScoreContext<'a> {
    facts: &'a Facts<'a>,
    findings: &'a [Finding],
    score: &'a Score<'a>,
    /// Diagnoses that apply to the score.
    here: &'a [(usize, &'a Diagnosis)],
}

/// Margin above the best known rate, for boards with better memory.
const KNOWN_BEST_MARGIN: f64 = 1.1;
/// Smallest difference between repetitions, as a fraction.
const SAME_SHARE: f64 = 0.005;

impl ScoreContext<'_> {
    fn losses(&self) -> Vec<CauseLoss> {
        let is_of_clocks = |diagnosis: &Diagnosis| diagnosis.cause != Cause::NotVisible || self.shows_clocks(diagnosis);
        let of_clocks = self.here.iter().filter(|(_, diagnosis)| is_of_clocks(diagnosis));
        let causes: Vec<Cause> = of_clocks.map(|(_, diagnosis)| diagnosis.cause).collect();
        let of_firmware = self.here.iter().filter(|(_, diagnosis)| diagnosis.cause == Cause::FirmwareCap);
        let of_firmware: Vec<&Finding> = of_firmware.flat_map(|(_, diagnosis)| self.members(diagnosis)).collect();
        let caps = clock::held_clocks(&of_firmware, ClockPair::Claim);
        let by_rows = clock::by_rows(self.facts, self.score, &causes, &caps);
        let taken = self.here.iter().filter_map(|(index, diagnosis)| {
            let cause = diagnosis.cause;
            let of_rows = by_rows.iter().find(|(known, _)| *known == cause && is_of_clocks(diagnosis));
            let of_rows = of_rows.map(|(_, loss)| loss.clone());
            let declines = self.has(diagnosis, &rules::OF_DECLINES);
            let counted = [self.by_others(diagnosis), self.by_cpus(diagnosis)];
            let counted = counted.into_iter().flatten().reduce(Loss::and);
            // Repetitions decline by all causes together, so a counted loss takes precedence.
            let of_runs = counted.is_none().then(|| self.by_runs(diagnosis, declines)).flatten();
            let clocks = [of_rows, self.by_clocks_found(diagnosis, by_rows.is_empty()), of_runs];
            let clocks = clocks.into_iter().flatten().reduce(Loss::or);
            let loss = [clocks, counted].into_iter().flatten().reduce(Loss::and)?;
            let falls = self.has(diagnosis, &rules::OF_FALLS) && self.score.falls_step_by_step();
            let kept_of_first = falls.then(|| self.score.kept_of_first());
            Some(CauseLoss { diagnosis: *index, cause, loss, kept_of_first })
        });
        taken.collect()
    }

    /// Whether a member of a diagnosis comes from one of these rules.
    fn has(&self, diagnosis: &Diagnosis, rules: &[RuleId]) -> bool {
        diagnosis.members().any(|index| rules.contains(&self.findings[index].rule))
    }

    /// Whether the evidence of a diagnosis is a lower clock.
    fn shows_clocks(&self, diagnosis: &Diagnosis) -> bool {
        let mut witnesses = self.findings[diagnosis.root].by.iter();
        witnesses.any(|witness| matches!(witness, EvidenceSource::ClaimedClock(_) | EvidenceSource::FirmwareClock(_)))
    }

    fn members(&self, diagnosis: &Diagnosis) -> Vec<&Finding> {
        let shows = std::iter::once(&diagnosis.root).chain(&diagnosis.evidence);
        shows.map(|index| &self.findings[*index]).collect()
    }

    /// Loss by clocks in findings: caps by a firmware or a setting, and clocks under load if no readings exist.
    fn by_clocks_found(&self, diagnosis: &Diagnosis, is_blind: bool) -> Option<Loss> {
        let of = |pair| clock::by_findings(self.facts, self.score, diagnosis.cause, &self.members(diagnosis), pair);
        match diagnosis.cause {
            Cause::FirmwareCap => of(ClockPair::Claim),
            Cause::SettingLimit => of(ClockPair::Setting),
            Cause::Heat | Cause::PowerLimit | Cause::LowVoltage if is_blind => of(ClockPair::Load),
            _ => None,
        }
    }

    /// Loss according to the repetitions, if they show the cause.
    fn by_runs(&self, diagnosis: &Diagnosis, declines: bool) -> Option<Loss> {
        let scatters = diagnosis.cause == Cause::NumaOrScheduler;
        let kept = self.score.kept_of_best().min(self.score.kept_of_early(self.facts));
        // One repetition shows no decline.
        let is_shown = (declines || scatters) && diagnosis.cause != Cause::NotVisible && kept < 1.0;
        is_shown.then(|| Loss::of_share(kept, Method::Runs, EvidenceSource::Scores))
    }

    fn by_others(&self, diagnosis: &Diagnosis) -> Option<Loss> {
        let root = &self.findings[diagnosis.root];
        let is_starved = root.value("last_use").is_some() && root.rule == rules::BACKGROUND;
        match diagnosis.cause {
            Cause::CpuQuota | Cause::StolenTime | Cause::Stopped | Cause::Background | Cause::StartedBusy => {
                let by_use = || is_starved.then(|| waiting::loss_of_use(self.facts, self.score)).flatten();
                let is_shared = is_starved && diagnosis.cause == Cause::Background;
                let by_sharing = || is_shared.then(|| time::loss_by_sharing(self.facts, self.score)).flatten();
                time::loss(self.facts, self.score, diagnosis.cause).or_else(by_sharing).or_else(by_use)
            }
            Cause::NotVisible if is_starved => waiting::loss_of_use(self.facts, self.score),
            Cause::TooLittleMemory | Cause::StorageWait | Cause::KernelOverhead => {
                waiting::loss(self.facts, self.score, diagnosis.cause, self.here.len() == 1)
            }
            _ => None,
        }
    }

    fn by_cpus(&self, diagnosis: &Diagnosis) -> Option<Loss> {
        let is_shown = matches!(diagnosis.cause, Cause::CpusOffline | Cause::CpusTakenAway)
            || self.has(diagnosis, &[rules::CORES_KILLED]);
        is_shown.then(|| cpus::loss(self.facts, self.score, diagnosis.cause)).flatten()
    }

    /// Whether a cause with a measurable loss applies to the score.
    fn is_costly(&self) -> bool {
        self.here.iter().any(|(_, diagnosis)| {
            use Cause::*;
            let by_clock = [Heat, PowerLimit, LowVoltage, FirmwareCap, SettingLimit, Governor];
            let by_time =
                [CpuQuota, StolenTime, Stopped, Background, StartedBusy, TooLittleMemory, StorageWait, KernelOverhead];
            let by_cpus = [CpusOffline, CpusTakenAway];
            by_clock.iter().chain(&by_time).chain(&by_cpus).any(|cause| *cause == diagnosis.cause)
        })
    }

    /// Rate of the best repetition, if others are lower: the remainder of the loss is unexplained.
    fn best_run(&self) -> Option<f64> {
        let differs = |diagnosis: &Diagnosis| self.has(diagnosis, &rules::OF_DECLINES);
        let mut here = self.here.iter();
        let is_hidden = here.any(|(_, diagnosis)| diagnosis.cause == Cause::NotVisible || differs(diagnosis));
        let kept = self.score.kept_of_best().min(self.score.kept_of_early(self.facts));
        (is_hidden && kept < 1.0 - SAME_SHARE).then(|| self.score.rate() / kept)
    }

    /// The best known rate of this CPU. Where known results have another version of the program, no more of it than the
    /// ratio of both is sure of.
    fn known_best(&self) -> Option<f64> {
        let (record, figure) = (self.facts, self.score.figure);
        let reference = Reference::builtin();
        let as_measured = || reference.best_of_same_cpu(record, figure);
        let Some(known) = equivalent(record, self.facts.figures(), figure) else { return as_measured() };
        let best = reference.best_of_same_cpu(record, &known)?;
        Some(best * figure.value / known.estimate.as_ref().map_or(known.value, |estimate| estimate.high))
    }

    /// Limits a loss by reported clocks to what this CPU is known to reach.
    fn believe_what_is_known(&self, losses: &mut [CauseLoss]) {
        let lost: f64 = -losses.iter().map(|taken| taken.loss.factor.ln()).total::<f64>();
        // The advertised clock of x86 CPUs is the turbo of one core.
        let is_turbo = |cause| cause == Cause::FirmwareCap && view::is_x86(self.facts);
        let is_reported = |taken: &&mut CauseLoss| {
            taken.loss.method == Method::Clocks && (taken.cause == Cause::NotVisible || is_turbo(taken.cause))
        };
        let Some(taken) = losses.iter_mut().find(is_reported) else { return };
        let Some(best) = self.known_best() else { return };
        let margin = if taken.cause == Cause::NotVisible { KNOWN_BEST_MARGIN } else { 1.0 };
        let known = (self.score.of_rate(best) * margin / self.score.rate()).ln().max(0.0);
        let more = lost - known;
        if more > 0.0 {
            taken.loss.factor = (taken.loss.factor.ln() + more).min(0.0).exp();
            taken.loss.low = taken.loss.low.max(taken.loss.factor);
            taken.loss.high = 1.0;
            taken.loss.at_most = true;
        }
    }

    /// Best value of other boards with this CPU, for runs that were slow from their start. The excess over the run's
    /// own readings goes to the cause that was present then.
    fn same_cpu(&self, losses: &mut [CauseLoss]) -> Option<f64> {
        let by_parts = self.score.rate() / losses.iter().map(|taken| taken.loss.factor).fold(1.0, |all, one| all * one);
        let was_there = |taken: &&mut CauseLoss| clock::was_there_before(self.facts, self.score, taken.cause);
        let taken = losses.iter_mut().find(was_there)?;
        let best = self.known_best()?;
        let more = self.score.of_rate(best) / by_parts;
        (more > 1.0).then(|| {
            taken.loss.factor /= more;
            taken.loss.low = taken.loss.low.min(taken.loss.factor);
            taken.loss.method = Method::SameCpu;
            self.score.of_rate(best)
        })
    }
}
