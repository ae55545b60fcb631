//! Rule: score-low. A single-threaded 7-zip score is lower than usual for its core type at the measured clock.
//!
//! Core type and clock determine nearly all of this score, so a score outside the range of other boards was held back,
//! or the clock reading is wrong. The rule cannot tell which, so it changes no verdict.

use super::Rule;
use super::place::step_place;
use compare::reference::{ExpectedRange, Reference, UsualValues};
use facts::{Facts, Figure, Finding, Quantity, Severity, view};
use record::{RuleId, StableSort, Variant, WorkloadId};

pub(super) const RULE: Rule = Rule::new(RuleId::own("score-low"), check);

/// Ranges come from a few results of each core type, so a value outside of them is not proof.
const SURE_PERCENT: u8 = 70;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let figures = facts.known_figures();
    let reference = Reference::builtin();
    let mut low = judged(figures, reference);
    low.retain(|score| score.highest() < score.expected.low);
    low.stable_sort_by(|a, b| (a.figure.value / a.expected.median).total_cmp(&(b.figure.value / b.expected.median)));
    let mut findings: Vec<Finding> = Vec::new();
    for score in low {
        let finding = match slow_memory(&score, figures, reference) {
            None if clock_during(facts, &score).is_some() => score
                .finding(
                    facts,
                    RULE.id,
                    "{core} is {percent} slower in single-threaded 7-zip than usual for this core at {clock} ({score}[ \
                     as 7-zip 16.02, estimated from {measured_score} of another version]; usual {low} to {high}): the clock \
                     was {during} on average while it ran.",
                )
                .with_known("during", clock_during(facts, &score).map(Quantity::Khz)),
            None => score.finding(
                facts,
                RULE.id,
                "{core} is {percent} slower in single-threaded 7-zip than usual for this core at {clock} ({score}[ as \
                 7-zip 16.02, estimated from {measured_score} of another version]; usual {low} to {high}); what was read does not show why.",
            ),
            Some((latency, usual)) => score
                .finding(
                    facts,
                    RULE.id,
                    "{core} is {percent} slower in single-threaded 7-zip than usual for this core at {clock} ({score}[ \
                     as 7-zip 16.02, estimated from {measured_score} of another version]; usual {low} to {high}). Its memory is slow: {latency} in {figure}, where the median of {results} \
                     results of this core is {typical}.",
                )
                .with("latency", Quantity::Ns(latency.value))
                .with("figure", Quantity::Text(latency.key.title()))
                .with("results", Quantity::Count(usual.rows as i64))
                .with("typical", Quantity::Ns(usual.median)),
        };
        // Clusters of one core type are represented by the slowest one.
        if findings.iter().all(|known| known.value("core") != finding.value("core")) {
            findings.push(finding);
        }
    }
    findings
}

/// Readings of a clock agree within 3 %.
const LOWER_SHARE: f64 = 0.97;

/// Mean clock while the score was measured, if the kernel or the firmware reported a lower one than it could have held.
/// Logs have one window for the scores of all clusters: only a clock of all CPUs belongs to one of them.
fn clock_during(facts: &Facts<'_>, score: &ScoreCheck<'_>) -> Option<u32> {
    let [clock] = facts.load_clocks().as_slice() else { return None };
    let window = facts.steps.get(score.figure.step)?.window;
    let kept: Vec<f64> = clock.kept(window.start_ms, window.end_ms, false).map(|(_, kept)| kept).collect();
    let kept = facts::stats::mean(&kept).filter(|kept| *kept < LOWER_SHARE)?;
    Some((kept * clock.base_khz) as u32)
}

/// Minimum memory latency, relative to other boards with a core, that explains a low score: at the elasticity of compression
/// it costs a tenth.
const LATENCY_SHARE_MIN: f64 = 1.3;

/// Memory latency of a score, if it is far above that of other boards with this core, and the usual one.
fn slow_memory<'a>(
    score: &ScoreCheck<'_>,
    figures: &'a [Figure],
    reference: &Reference,
) -> Option<(&'a Figure, UsualValues)> {
    let core = score.figure.core.as_ref()?;
    let of_core = figures.iter().filter(|figure| {
        let cluster = figure.core.as_ref().map(|core| core.cluster);
        figure.is_main && figure.key.is_of(WorkloadId::MemoryLatency) && cluster == Some(core.cluster)
    });
    let known =
        of_core.filter_map(|figure| Some((figure, reference.usual_of_core(core.core_type.as_deref()?, &figure.key)?)));
    let share = |(figure, usual): &(&Figure, UsualValues)| figure.value / usual.median;
    known.filter(|known| share(known) >= LATENCY_SHARE_MIN).max_by(|a, b| share(a).total_cmp(&share(b)))
}

/// Single-threaded score with its expected range.
pub(super) struct ScoreCheck<'a> {
    pub(super) figure: &'a Figure,
    pub(super) expected: ExpectedRange,
    clock_mhz: f64,
}

/// Every single-threaded 7-zip score of a known core type with a steady measured clock.
pub(super) fn judged<'a>(all: &'a [Figure], reference: &Reference) -> Vec<ScoreCheck<'a>> {
    let clock_mhz = |cluster: usize| {
        let mut clocks =
            all.iter().filter(|figure| figure.key.is_of(WorkloadId::Clock) && figure.key.is_form(&Variant::COLD));
        clocks.find(|figure| figure.core.as_ref().map(|core| core.cluster) == Some(cluster)).map(|figure| figure.value)
    };
    let is_score = |figure: &&Figure| {
        figure.is_main
            && figure.not_comparable.is_none()
            && figure.key.is_of(WorkloadId::SevenZip)
            && figure.key.is_form(&Variant::SINGLE)
    };
    let judge = |figure: &'a Figure| {
        let core = figure.core.as_ref()?;
        let clock_mhz = clock_mhz(core.cluster).filter(|mhz| *mhz <= f64::from(view::CLOCK_KHZ_MAX) / 1000.0)?;
        let core_type = core.core_type.as_ref()?;
        Some(ScoreCheck { expected: reference.expected(core_type, clock_mhz, &figure.key)?, figure, clock_mhz })
    };
    all.iter().filter(is_score).filter_map(judge).collect()
}

/// Score of this CPU's cluster, if it contradicts the measured clock; with the range at the advertised one.
pub(super) fn refuting<'a>(facts: &'a Facts<'_>, cpu: u32) -> Option<ScoreCheck<'a>> {
    judged(facts.known_figures(), Reference::builtin()).into_iter().find_map(|score| {
        let is_its = score.cpus(facts)?.contains(&cpu);
        let expected = score.usual_at_claim(facts).filter(|_| is_its)?;
        Some(ScoreCheck { expected, ..score })
    })
}

impl ScoreCheck<'_> {
    fn cpus<'r>(&self, facts: &'r Facts<'_>) -> Option<&'r [u32]> {
        Some(&facts.machine.clusters.get(self.figure.core.as_ref()?.cluster)?.cpus)
    }

    /// Range at the advertised clock of the core, if it contains the score and the score is too high for the measured
    /// clock: the clock reading is wrong then.
    pub(super) fn usual_at_claim(&self, facts: &Facts<'_>) -> Option<ExpectedRange> {
        if self.lowest() <= self.expected.high {
            return None;
        }
        let (core_type, cpus) = (self.figure.core.as_ref()?.core_type.as_ref()?, self.cpus(facts)?);
        let clocks = facts.all_cluster_clocks(&Variant::COLD);
        let claimed_khz =
            clocks.iter().filter(|clock| cpus.contains(&clock.cpu)).find_map(|clock| clock.claimed_khz)?;
        let usual = Reference::builtin().expected(core_type, f64::from(claimed_khz) / 1000.0, &self.figure.key)?;
        (self.lowest() <= usual.high && self.highest() >= usual.low).then_some(usual)
    }

    /// The score; for an estimate from another version its upper bound.
    pub(super) fn highest(&self) -> f64 {
        self.figure.estimate.as_ref().map_or(self.figure.value, |estimate| estimate.high)
    }

    /// and the least.
    pub(super) fn lowest(&self) -> f64 {
        self.figure.estimate.as_ref().map_or(self.figure.value, |estimate| estimate.low)
    }

    /// Adds the score and, if it is an estimate, the measured score of the other version.
    pub(super) fn with_score(&self, finding: Finding) -> Finding {
        let estimate = self.figure.estimate.as_ref();
        finding
            .with("score", Quantity::Mips(self.figure.value))
            .with_known("measured_score", estimate.map(|estimate| Quantity::Mips(estimate.measured)))
    }

    /// Finding with all values.
    pub(super) fn finding(&self, facts: &Facts<'_>, rule: RuleId, template: &'static str) -> Finding {
        let ExpectedRange { low, median, high, .. } = self.expected;
        let core = self.figure.core.as_ref();
        let off_percent = 100.0 * (self.figure.value / median - 1.0).abs();
        self.with_score(Finding::new(rule, Severity::Info, template))
            .confidence(SURE_PERCENT)
            .with("core", Quantity::Text(core.map_or_else(String::new, |core| core.label())))
            .with("percent", Quantity::Percent(off_percent))
            .with("clock", Quantity::Khz((self.clock_mhz * 1000.0) as u32))
            .with("low", Quantity::Mips(low))
            .with("high", Quantity::Mips(high))
            .with("results", Quantity::Count(self.expected.rows as i64))
            .of([self.figure.step])
            .at(step_place(facts, self.figure.step))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::RULE;
    use crate::test_support::{compression, gauge_channel, own_run, point, with_clocks, with_step};
    use crate::tests::sentences;
    use record::{ChannelId, Outcome, Record, StepMeasurement, Unit, Variant, WorkloadId};

    /// A Cortex-A53 at this clock with this score of 7-zip 16.02.
    pub(crate) fn a53(clock_khz: u32, mips: u32) -> Record {
        let clock = point(0, clock_khz, clock_khz);
        let record = with_clocks(own_run(), Variant::COLD, vec![clock]);
        let score = compression(mips);
        let mut record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], (1.0, 2.0), score);
        record.steps[1].method = 16;
        record
    }

    #[test]
    fn score_far_below_its_clock_is_named() {
        assert_eq!(
            sentences(RULE.id, &a53(1_800_000, 900)),
            ["Cortex-A53 is 34 % slower in single-threaded 7-zip than usual for this core at 1800 MHz (900 MIPS; \
              usual 1189 MIPS to 1469 MIPS); what was read does not show why."]
        );
        let mut other_version = a53(1_800_000, 900);
        other_version.steps[1].method = 26;
        assert_eq!(
            sentences(RULE.id, &other_version),
            [
                "Cortex-A53 is 42 % slower in single-threaded 7-zip than usual for this core at 1800 MHz (783 MIPS as 7-zip \
              16.02, estimated from 900 MIPS of another version; usual 1189 MIPS to 1469 MIPS); what was read does not \
              show why."
            ]
        );
    }

    /// The cold clock is not that of the score.
    #[test]
    fn a_lower_clock_during_the_score_is_named() {
        let clocks = [1_200_000, 1_200_000, 1_200_000, 1_200_000, 1_200_000, 1_800_000, 1_800_000, 1_800_000];
        let record = gauge_channel(a53(1_800_000, 900), ChannelId::claimed(0), Unit::Kilohertz, &clocks);
        let record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (2.2, 4.0), compression(5000));
        let found = sentences(RULE.id, &record);
        assert!(found[0].ends_with(": the clock was 1200 MHz on average while it ran."), "{found:?}");
    }

    #[test]
    fn usual_scores_and_other_methods_are_not_judged() {
        let mut unknown_version = a53(1_800_000, 900);
        unknown_version.steps[1].method = 21;
        // The interval of the ratio overlaps the usual range.
        let mut not_sure = a53(1_800_000, 1300);
        not_sure.steps[1].method = 26;
        let mut incomparable = a53(1_800_000, 900);
        incomparable.steps[1].not_comparable = Some("small dictionaries".into());
        let mut no_clock = a53(1_800_000, 900);
        if let Outcome::Done(StepMeasurement::Clock(clocks)) = &mut no_clock.steps[0].outcome {
            clocks.points.clear();
        }
        for record in [a53(1_800_000, 1360), a53(1_800_000, 1900), unknown_version, not_sure, incomparable, no_clock] {
            assert_eq!(sentences(RULE.id, &record), [""; 0]);
        }
    }
}
