//! Rule: score-high. A single-threaded 7-zip score is higher than its core type can reach at the
//! measured clock: the clock reading is contradicted by the score.

use super::Rule;
use super::impossible_figures::is_impossible;
use super::score_low::judged;
use compare::reference::Reference;
use facts::{Facts, Finding};
use record::RuleId;

pub(super) const RULE: Rule = Rule::new(RuleId::own("score-high"), check);

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let scores = judged(facts.known_figures(), Reference::builtin()).into_iter();
    // Without OPPs the firmware may change the clock after it was measured.
    let has_opps = facts.machine.policies.iter().any(|p| p.clock_khz_max.known().is_some() || !p.opps_khz.is_empty());
    let high = scores.filter(|score| has_opps && score.lowest() > score.expected.high);
    let high = high.filter(|score| !is_impossible(score.lowest(), score.expected.high));
    // `clock-below-claim` reports that the reading is wrong.
    let high = high.filter(|score| score.usual_at_claim(facts).is_none());
    high.map(|score| {
        score.finding(
            facts,
            RULE.id,
            "{core} is {percent} faster in single-threaded 7-zip than usual for this core at {clock} ({score}; usual \
             {low} to {high}); what was read does not show why.",
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::score_low::tests::a53;
    use crate::tests::sentences;

    #[test]
    fn high_score_contradicts_clock() {
        assert_eq!(
            sentences(RULE.id, &a53(900_000, 1360)),
            ["Cortex-A53 is 100 % faster in single-threaded 7-zip than usual for this core at 900 MHz (1360 MIPS; \
              usual 595 MIPS to 735 MIPS); what was read does not show why."]
        );
        for (clock_khz, mips) in [(1_800_000, 1360), (1_800_000, 900)] {
            assert_eq!(sentences(RULE.id, &a53(clock_khz, mips)), [""; 0]);
        }
    }
}
