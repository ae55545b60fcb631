//! The answer to "does it make a difference": two sides that ran in turns, A B B A. Pure.
//!
//! Each block of four gives one ratio: the geometric mean of the two runs of B over that of A. A
//! drift that is steady within a block falls on both sides alike and cancels. The ratios are then
//! independent, and the exact interval of their median (sign test; Conover, *Practical Nonparametric
//! Statistics*, section 3.4) needs no assumption on how the noise is distributed.

mod rule;

use crate::tables::Answer;
use facts::stats::{mean, median, median_interval};
use facts::view::PowerSource;
use facts::{Facts, view};
use record::{Outcome, QuestionId, Record, Step, StepMeasurement, Variant, Window};

/// The answer to it.
pub(super) const ANSWER: Answer =
    Answer { id: QuestionId::Ab, text: Answer::NO_TEXT, reports: &[], plots: &[], rules: &[rule::RULE] };

/// Confidence level of the interval, in percent.
const CONFIDENCE_PERCENT: f64 = 95.0;

/// Results of two sides.
#[derive(Debug, Clone, PartialEq)]
pub struct AbResult {
    /// Commands or settings of A and B, as given.
    pub sides: [String; 2],
    /// Complete blocks of four successful runs.
    pub blocks: usize,
    /// Median score of each side.
    pub medians: [f64; 2],
    /// Unit of the score.
    pub unit: String,
    /// True if a higher score is better.
    pub higher_is_better: bool,
    /// Median over the blocks of the difference of the score of B in percent; negative if lower. For times, 19 means 19
    /// % longer.
    pub change_percent: f64,
    /// Confidence interval of the difference, given enough blocks.
    pub interval_percent: Option<[f64; 2]>,
    /// Blocks with equal scores on both sides: the resolution of the score is too coarse.
    pub tied: usize,
    /// Scores of a side that fall into two groups, low and high, if they do.
    pub modes: [Option<[f64; 2]>; 2],
    /// Mean power of the whole board on each side in mW, if measured.
    pub milliwatts: Option<[f64; 2]>,
    /// Mean temperature of each side in thousandths of a degree, if a sensor exists.
    pub millicelsius: Option<[f64; 2]>,
    /// Indices of the steps of both sides.
    pub steps: Vec<usize>,
}

impl AbResult {
    /// True if the interval excludes "no difference".
    pub fn is_different(&self) -> bool {
        self.interval_percent.is_some_and(|[low, high]| low > 0.0 || high < 0.0)
    }
}

/// Result of a Record whose run had two sides; `None` without a whole block.
pub fn result(facts: &Facts<'_>) -> Option<AbResult> {
    let [a, b] = facts.run.sides.as_slice() else { return None };
    let (score_a, score_b) = (scores(facts, &Variant::SIDE_A), scores(facts, &Variant::SIDE_B));
    let (unit, higher_is_better) = score_a.iter().chain(&score_b).map(|run| run.unit).next()?;
    let of_block = |runs: &[Run], block: u32| {
        let halves = [2 * block, 2 * block + 1];
        let value = |repetition| runs.iter().find(|run| run.repetition == repetition);
        let values = halves.map(|half| value(half).map(|run| run.value));
        Some((values[0]? * values[1]?).sqrt()).filter(|mean| *mean > 0.0)
    };
    let blocks = score_a.iter().chain(&score_b).map(|run| run.repetition / 2).max()? + 1;
    let ratio = |block| {
        let (a, b) = (of_block(&score_a, block)?, of_block(&score_b, block)?);
        Some(b / a)
    };
    let ratios: Vec<f64> = (0..blocks).filter_map(ratio).collect();
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let interval = median_interval(&ratios, CONFIDENCE_PERCENT);
    let values = |runs: &[Run]| runs.iter().map(|run| run.value).collect::<Vec<f64>>();
    let both = [values(&score_a), values(&score_b)];
    let means = |readings: fn(&Facts<'_>, Window) -> Vec<f64>| {
        let mean = |runs: &[Run]| mean(&runs.iter().flat_map(|run| readings(facts, run.window)).collect::<Vec<_>>());
        Some([mean(&score_a)?, mean(&score_b)?])
    };
    Some(AbResult {
        sides: [a.clone(), b.clone()],
        blocks: ratios.len(),
        medians: [median(&both[0])?, median(&both[1])?],
        unit: unit.to_owned(),
        higher_is_better,
        change_percent: percent(median(&ratios)?),
        interval_percent: interval.map(|interval| [interval.low, interval.high].map(percent)),
        tied: ratios.iter().filter(|ratio| **ratio == 1.0).count(),
        modes: both.map(|values| two_modes(&values)),
        milliwatts: means(power_mw),
        millicelsius: means(soc_millicelsius),
        steps: score_a.iter().chain(&score_b).map(|run| run.step).collect(),
    })
}

struct Run<'a> {
    step: usize,
    repetition: u32,
    window: Window,
    value: f64,
    unit: (&'a str, bool),
}

fn scores<'a>(record: &'a Record, side: &Variant) -> Vec<Run<'a>> {
    let run = |(index, step): (usize, &'a Step)| {
        let Outcome::Done(StepMeasurement::Scores(scores)) = &step.outcome else { return None };
        let score = scores.rows.first()?;
        Some(Run {
            step: index,
            repetition: step.repetition,
            window: step.window,
            value: score.value,
            unit: (score.unit.as_str(), score.higher_is_better),
        })
    };
    let steps = record.steps.iter().enumerate();
    steps.filter(|(_, step)| step.variant == *side).filter_map(run).collect()
}

/// Power of the whole board in mW, if measured.
fn power_mw(facts: &Facts<'_>, window: Window) -> Vec<f64> {
    let is_whole = facts.power_source().as_ref().is_some_and(PowerSource::is_whole);
    let power = if is_whole { facts.power_mw(&window) } else { Vec::new() };
    power.into_iter().map(|(_, mw)| mw).collect()
}

fn soc_millicelsius(facts: &Facts<'_>, window: Window) -> Vec<f64> {
    let readings = facts.soc_temperature().map(|channel| view::gauge(facts, channel, window)).unwrap_or_default();
    readings.iter().map(|reading| reading.value as f64).collect()
}

/// The medians of two groups, if the scores fall into two.
fn two_modes(values: &[f64]) -> Option<[f64; 2]> {
    let [low, high] = record::statistics::two_groups(values)?;
    Some([median(&low)?, median(&high)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Chance, own_run, window, with_step};
    use record::{Score, Scores};

    /// A Record of the runs in the order A B B A, B A A B ...
    fn record(runs: &[f64], higher_is_better: bool) -> Record {
        let mut record = own_run();
        record.run.sides = vec!["governor=a".into(), "governor=b".into()];
        for (index, value) in runs.iter().enumerate() {
            let (block, place) = (index / 4, index % 4);
            let is_first = place == 0 || place == 3;
            let variant = if is_first == (block % 2 == 0) { "a" } else { "b" };
            let scores = StepMeasurement::Scores(Scores {
                rows: vec![Score { name: String::new(), value: *value, unit: "s".into(), higher_is_better }],
                ..Scores::default()
            });
            let start = index as f64;
            record = with_step(record, "make", variant, &[], (start, start + 0.9), scores);
            let step = record.steps.last_mut().unwrap();
            step.repetition = (2 * block + place / 2) as u32;
            step.window = window(start, start + 0.9);
        }
        record
    }

    /// Runs in which B takes `factor` times as long as A.
    fn runs(blocks: usize, factor: f64, mut noise: impl FnMut(usize) -> f64) -> Vec<f64> {
        let run = |index: usize| {
            let is_outer = matches!(index % 4, 0 | 3);
            let is_a = is_outer == (index / 4).is_multiple_of(2);
            (if is_a { 1.0 } else { factor }) * noise(index)
        };
        (0..4 * blocks).map(run).collect()
    }

    #[test]
    fn steady_drift_cancels() {
        let times = runs(8, 1.25, |index| 1.0 + 0.01 * index as f64);
        let result = result(&Facts::of(&record(&times, false))).unwrap();
        assert!((result.change_percent - 25.0).abs() < 0.05, "{result:?}");
        assert!(result.is_different());
        assert_eq!((result.blocks, result.steps.len()), (8, 32));
        let rates = super::result(&Facts::of(&record(&times, true))).unwrap();
        assert!((rates.change_percent - 25.0).abs() < 0.05);
    }

    #[test]
    fn too_few_values_give_no_answer() {
        let few = result(&Facts::of(&record(&runs(5, 2.0, |_| 1.0), false))).unwrap();
        assert_eq!(few.interval_percent, None);
        assert!(!few.is_different());
        let tied = result(&Facts::of(&record(&runs(8, 1.0, |_| 3.0), false))).unwrap();
        assert_eq!(tied.tied, 8);
        assert!(!tied.is_different());
        assert_eq!(result(&Facts::of(&own_run())), None);
        assert_eq!(result(&Facts::of(&record(&[], false))), None);
        let cut = &runs(8, 2.0, |_| 1.0)[..30];
        assert_eq!(result(&Facts::of(&record(cut, false))).unwrap().blocks, 7);
    }

    #[test]
    fn two_groups_are_two_modes() {
        let low_high = [1.0, 1.01, 2.0, 1.0, 2.01, 1.02, 2.0, 1.01];
        assert_eq!(two_modes(&low_high), Some([1.01, 2.0]));
    }

    /// Noise as times have it: never faster, sometimes much slower; and a clock that wanders.
    fn experiment(chance: &mut Chance, blocks: usize, factor: f64) -> Vec<f64> {
        let mut wander = 0.0;
        let slope = 0.1 * (chance.uniform() - 0.5) / (4 * blocks) as f64;
        runs(blocks, factor, |index| {
            wander += 0.002 * (chance.uniform() - 0.5);
            let skewed = -0.004 * (1.0 - chance.uniform()).ln();
            1.0 + slope * index as f64 + wander + skewed
        })
    }

    #[test]
    #[allow(clippy::print_stderr, reason = "how well it tells is worth reading")]
    fn equal_and_slower_commands() {
        let mut chance = Chance(0x5bc_be4c);
        let mut found = |factor: f64| {
            let is_different = |_: &u32| {
                let times = experiment(&mut chance, 11, factor);
                result(&Facts::of(&record(&times, false))).unwrap().is_different()
            };
            (0..200).filter(is_different).count()
        };
        let (false_alarms, hits) = (found(1.0), found(1.02));
        eprintln!("of 200: {false_alarms} false differences, {hits} slower twins found");
        assert!(false_alarms <= 10, "{false_alarms} of 200 differ from themselves");
        assert!(hits >= 190, "{hits} of 200 slower twins were found");
    }
}
