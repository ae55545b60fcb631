//! Rule: score-high. A single-threaded 7-zip score is higher than its core type can reach at the
//! measured clock: the clock reading is contradicted by the score.

use super::score_low::judged;
use super::{Check, Rule};
use crate::reference::Reference;
use crate::{Figure, Finding};
use record::{Record, RuleId};

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("score-high"),
    about: "A single-threaded 7-zip score is higher than its core type reaches at the measured clock.",
    link: "https://github.com/ThomasKaiser/sbc-bench/tree/master/results",
    check: Check::Figures(check),
    ..Rule::PLAIN
};

fn check(record: &Record, figures: &[Figure]) -> Vec<Finding> {
    let scores = judged(figures, Reference::builtin()).into_iter();
    let high = scores.filter(|score| score.figure.value > score.expected.high);
    high.map(|score| {
        score.finding(
            record,
            RULE.id,
            "{core} scores {percent} more in single-threaded 7-zip than others of its kind at the \
             measured clock of {clock} ({score}; usual are {low} to {high}): its clock was higher \
             than measured, or it is another core.",
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::score_low::tests::a53;
    use crate::rules::tests::sentences;

    #[test]
    fn a_score_far_above_its_clock_contradicts_the_reading() {
        assert_eq!(
            sentences(RULE.id, &a53(900_000, 1360)),
            ["Cortex-A53 scores 100 % more in single-threaded 7-zip than others of its kind at \
                 the measured clock of 900 MHz (1360 MIPS; usual are 595 MIPS to 735 MIPS): its \
                 clock was higher than measured, or it is another core."]
        );
        for (clock_khz, mips) in [(1_800_000, 1360), (1_800_000, 900)] {
            assert_eq!(sentences(RULE.id, &a53(clock_khz, mips)), [""; 0]);
        }
    }
}
