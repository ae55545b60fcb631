//! Rule: out-of-memory. The kernel killed processes because memory ran out.

use super::Rule;
use super::place::{samples_place, step_place};
use facts::{Facts, Finding, Quantity, Severity, view};
use record::{ChannelId, FailureKind, MemoryChannel, Outcome, RuleId, Total};

pub(super) const RULE: Rule = Rule::new(RuleId::own("out-of-memory"), check);

/// Counter of the kernel.
const OOM_KILLS: ChannelId = ChannelId::Memory(MemoryChannel::OomKills);

/// Messages of `mm/oom_kill.c`; `invoked oom-killer` starts every report.
pub(super) fn is_oom(text: &str) -> bool {
    text.contains("invoked oom-killer") || text.contains("oom-kill:")
}

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let messages = view::matching_messages(facts, is_oom);
    let invoked = messages.iter().filter(|(_, m)| m.text.contains("invoked oom-killer")).count();
    let counted = facts.samples.channel(&OOM_KILLS).and_then(|channel| {
        let steps = view::counter_steps(facts, channel, view::whole_run());
        let first = steps.iter().find(|step| step.value > 0)?.at_ms;
        Some((steps.iter().map(|step| step.value).total::<i64>(), first))
    });
    let killed_steps: Vec<usize> = facts
        .steps
        .iter()
        .enumerate()
        .filter(
            |(_, step)| matches!(&step.outcome, Outcome::Failed(failure) if failure.kind == FailureKind::OutOfMemory),
        )
        .map(|(index, _)| index)
        .collect();
    let times = (invoked as i64)
        .max(messages.len().min(1) as i64)
        .max(counted.map_or(0, |(kills, _)| kills))
        .max(killed_steps.len() as i64);
    if times == 0 {
        return Vec::new();
    }
    let has_swap = !view::swap_devices(facts).is_empty();
    let template = match (times, has_swap) {
        (1, true) => "Out of memory: the OOM killer ran once despite swap.",
        (1, false) => "Out of memory: the OOM killer ran once; there is no swap.",
        (_, true) => "Out of memory: the OOM killer ran {times} times despite swap.",
        (_, false) => "Out of memory: the OOM killer ran {times} times; there is no swap.",
    };
    let mut finding = Finding::new(RULE.id, Severity::Invalid, template)
        .confidence(97)
        .with("times", Quantity::Count(times))
        .at_all(messages.iter().map(view::message_place))
        .at_all(killed_steps.iter().map(|step| step_place(facts, *step)));
    if let Some((_, first_ms)) = counted {
        finding = finding.at(samples_place(facts, &OOM_KILLS, first_ms, first_ms));
    }
    vec![finding]
}

#[cfg(test)]
mod tests {
    use super::{OOM_KILLS, RULE};
    use crate::test_support::{counter, own_run, with_message};
    use crate::tests::sentences;
    use record::Unit;

    #[test]
    fn killed_process_is_named() {
        let text = "7za invoked oom-killer: gfp_mask=0x24200ca(GFP_HIGHUSER_MOVABLE), order=0";
        assert_eq!(
            sentences(RULE.id, &with_message(own_run(), text)),
            ["Out of memory: the OOM killer ran once; there is no swap."]
        );
        let text = "oom_score_adj of the shell is zero";
        assert_eq!(sentences(RULE.id, &with_message(own_run(), text)), [""; 0]);
    }

    #[test]
    fn kills_before_the_run_do_not_count() {
        for (kills, expected) in [([3, 3, 3], 0), ([3, 3, 4], 1)] {
            let record = counter(own_run(), OOM_KILLS, Unit::Count, &kills);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
