//! Rule: ab-result. Whether the two sides of a run differ, by how much, and how sure that is.

use crate::questions::ab::{self, AbResult};
use crate::tables::{Role, Rule};
use facts::change::verb_phrase;
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::RuleId;

pub(super) const RULE: Rule = Rule {
    role: Role::Answer,
    about: "Whether the two sides of an A/B run differ, with the confidence interval.",
    ..Rule::new(RuleId::own("ab-result"), check)
};

/// More tied blocks than this share say that the score is too coarse.
const TIED_SHARE: f64 = 0.25;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(result) = ab::result(facts) else { return Vec::new() };
    let mut findings = vec![answer(&result)];
    findings.extend(tied(&result));
    for (side, modes) in result.sides.iter().zip(&result.modes) {
        let Some([low, high]) = modes else { continue };
        findings.push(
            Finding::new(
                RULE.id,
                Severity::Degraded,
                "{side} is bimodal: scores cluster near {low} and {high}, so the median is misleading. Look for a \
                 changing core, huge page or governor state.",
            )
            .with("side", Quantity::Text(side.clone()))
            .with("low", Quantity::Score(*low, result.unit.clone()))
            .with("high", Quantity::Score(*high, result.unit.clone())),
        );
    }
    findings
}

fn answer(result: &AbResult) -> Finding {
    let [a, b] = &result.sides;
    let change = result.change_percent;
    let template = match (result.interval_percent, result.is_different()) {
        (None, _) => "Too few blocks ({blocks}, minimum 6): {b} {differs} than {a} here, which may be chance.",
        (Some(_), true) => {
            "{b} {differs} than {a}: {score_b} versus {score_a} (95 % interval {least} to {most}, {blocks} A-B-B-A \
             blocks[; B draws {power} {more} and is {warmth} {warmer}|; B draws {power} {more}|; B is {warmth} {warmer}])."
        }
        (Some(_), false) => {
            "No significant difference between {a} ({score_a}) and {b} ({score_b}); 95 % interval {low} to {high} ({blocks} \
             A-B-B-A blocks[; B draws {power} {more} and is {warmth} {warmer}|; B draws {power} {more}|; B is {warmth} \
             {warmer}])."
        }
    };
    let percent = |percent: f64| Quantity::measured(percent, "%", 1);
    // Sizes of a difference whose direction is in a word.
    let sizes = result.interval_percent.filter(|_| result.is_different()).map(|interval| {
        let [a, b] = interval.map(f64::abs);
        [a.min(b), a.max(b)]
    });
    let differs = verb_phrase(change, &result.unit, result.higher_is_better);
    let word = |change: Option<f64>, [less, more]: [&str; 2]| {
        change.map(|change| Quantity::Text(if change < 0.0 { less } else { more }.to_owned()))
    };
    let drawn_mw = result.milliwatts.map(|[a, b]| b - a);
    let warmer_mc = result.millicelsius.map(|[a, b]| b - a);
    Finding::new(RULE.id, Severity::Info, template)
        .confidence(95)
        .with("a", Quantity::Text(a.clone()))
        .with("b", Quantity::Text(b.clone()))
        .with("change", Quantity::Percent(change))
        .with("differs", Quantity::Text(differs))
        .with("score_a", Quantity::Score(result.medians[0], result.unit.clone()))
        .with("score_b", Quantity::Score(result.medians[1], result.unit.clone()))
        .with_known("low", result.interval_percent.map(|[low, _]| percent(low)))
        .with_known("high", result.interval_percent.map(|[_, high]| percent(high)))
        .with_known("least", sizes.map(|[least, _]| percent(least)))
        .with_known("most", sizes.map(|[_, most]| percent(most)))
        .with("blocks", Quantity::Count(result.blocks as i64))
        .with_known("power", drawn_mw.map(|mw| Quantity::measured(mw.abs(), "mW", 0)))
        .with_known("more", word(drawn_mw, ["less", "more"]))
        .with_known("warmth", warmer_mc.map(|change| Quantity::Millicelsius(change.abs().round() as i64)))
        .with_known("warmer", word(warmer_mc, ["cooler", "warmer"]))
        .at_all(result.steps.iter().map(|step| Place::Step(*step)))
}

fn tied(result: &AbResult) -> Option<Finding> {
    let share = result.tied as f64 / result.blocks as f64;
    (share > TIED_SHARE).then(|| {
        Finding::new(
            RULE.id,
            Severity::Info,
            "Both sides had identical scores in {tied} of {blocks} blocks; the score is too coarse for small \
             differences.",
        )
        .with("tied", Quantity::Count(result.tied as i64))
        .with("blocks", Quantity::Count(result.blocks as i64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result() -> AbResult {
        AbResult {
            sides: ["governor=ondemand".into(), "governor=performance".into()],
            blocks: 12,
            medians: [10.0, 9.0],
            unit: "s".into(),
            higher_is_better: false,
            change_percent: -10.0,
            interval_percent: Some([-10.3, -9.8]),
            tied: 0,
            modes: [None, None],
            milliwatts: None,
            millicelsius: None,
            steps: vec![],
        }
    }

    fn check_sentence(result: AbResult, expected: &str) {
        assert_eq!(answer(&result).sentence(), expected);
    }

    #[test]
    fn answer_sentences() {
        check_sentence(
            result(),
            "governor=performance takes 10 % less time than governor=ondemand: 9.00 s versus 10.0 s (95 % interval 9.8 % to \
             10.3 %, 12 A-B-B-A blocks).",
        );
        check_sentence(
            AbResult {
                medians: [0.053, 0.063],
                change_percent: 18.9,
                interval_percent: Some([18.4, 19.8]),
                milliwatts: Some([3000.0, 2500.0]),
                millicelsius: Some([50_000.0, 48_500.0]),
                ..result()
            },
            "governor=performance takes 19 % longer than governor=ondemand: 0.0630 s versus 0.0530 s (95 % interval 18.4 \
             % to 19.8 %, 12 A-B-B-A blocks; B draws 500 mW less and is 1.5 °C cooler).",
        );
        check_sentence(
            AbResult { change_percent: 0.1, interval_percent: Some([-0.3, 0.4]), ..result() },
            "No significant difference between governor=ondemand (10.0 s) and governor=performance (9.00 s); 95 % interval \
             -0.3 % to 0.4 % (12 A-B-B-A blocks).",
        );
        check_sentence(
            AbResult { blocks: 4, interval_percent: None, ..result() },
            "Too few blocks (4, minimum 6): governor=performance takes 10 % less time than governor=ondemand here, \
             which may be chance.",
        );
        check_sentence(
            AbResult { unit: "MB/s".into(), higher_is_better: true, ..result() },
            "governor=performance is 10 % slower than governor=ondemand: 9.00 MB/s versus 10 MB/s (95 % interval 9.8 % to \
             10.3 %, 12 A-B-B-A blocks).",
        );
    }

    #[test]
    fn coarse_scores_are_named() {
        let coarse = AbResult { tied: 6, ..result() };
        assert!(tied(&coarse).unwrap().sentence().contains("6 of 12 blocks"));
        assert_eq!(tied(&result()), None);
    }

    #[test]
    fn run_with_one_side_has_no_answer() {
        assert_eq!(check(&Facts::of(&crate::test_support::own_run())), []);
    }
}
