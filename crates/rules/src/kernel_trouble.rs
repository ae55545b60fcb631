//! Rule: kernel-trouble. The kernel reported a fault in itself, in hardware or in a driver.

use super::{Rule, out_of_memory};
use facts::{Facts, Finding, Quantity, Severity, view};
use record::RuleId;
use record::table::Table;
use std::sync::LazyLock;

pub(super) const RULE: Rule = Rule::new(RuleId::own("kernel-trouble"), check);

/// Words of kernel messages about faults, and whether they put results in doubt.
static WORDS: LazyLock<Vec<(&str, bool)>> = LazyLock::new(|| {
    let rows = Table::of(include_str!("../../../data/kernel_faults.tsv")).rows();
    rows.map(|row| (row.get("words"), row.get("gravity") == "grave")).collect()
});

/// `EDAC` also starts harmless messages of its driver's initialisation.
const HARMLESS: [&str; 3] = ["EDAC MC: Ver", "Giving out device", "EDAC DEBUG"];

/// Longest time from the first line of a report on a lack of memory to its trace: a slow serial console prints it.
const OOM_REPORT_MS: i64 = 500;

fn is_trace(text: &str) -> bool {
    text.contains("Call trace:") || text.contains("Call Trace:")
}

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let word_of = |text: &str| {
        let is_harmless = HARMLESS.iter().any(|words| text.contains(words));
        let found = WORDS.iter().find(|(words, _)| text.contains(words));
        found.filter(|_| !is_harmless)
    };
    let mut messages = view::matching_messages(facts, |text| word_of(text).is_some());
    // The kernel prints a trace for every out-of-memory event, which `out-of-memory` covers.
    let lacks = view::matching_messages(facts, out_of_memory::is_oom);
    messages.retain(|(_, message)| {
        let is_near = |lack: i64| message.at_ms.is_some_and(|at_ms| (lack..=lack + OOM_REPORT_MS).contains(&at_ms));
        !(is_trace(&message.text) && lacks.iter().filter_map(|(_, lack)| lack.at_ms).any(is_near))
    });
    let is_grave = |text: &str| word_of(text).is_some_and(|(_, grave)| *grave);
    let gravest = messages.iter().find(|(_, message)| is_grave(&message.text));
    let Some((_, first)) = gravest.or(messages.first()) else { return Vec::new() };
    let severity = if gravest.is_some() { Severity::Degraded } else { Severity::Info };
    let finding = Finding::new(
        RULE.id,
        severity,
        "The kernel logged errors during the run ({times} messages, for example \"{message}\").",
    );
    vec![
        finding
            .with("times", Quantity::Count(messages.len() as i64))
            .with("message", Quantity::Text(first.text.trim().to_owned()))
            .at_all(messages.iter().map(view::message_place)),
    ]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, with_message};
    use crate::tests::findings_of;
    use facts::Severity;

    /// Format of Linux 6.12 on an arm64 machine without swap.
    #[test]
    fn a_lack_of_memory_is_no_fault_of_the_kernel() {
        let oom =
            "tail invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0";
        let mut record = with_message(with_message(own_run(), oom), "Call trace:");
        assert!(findings_of(RULE.id, &record).is_empty());
        // Another fault, a second later.
        record.kernel_messages = record.kernel_messages.map(|mut messages| {
            messages.last_mut().unwrap().at_ms = Some(2_000);
            messages
        });
        assert_eq!(findings_of(RULE.id, &record).len(), 1);
    }

    #[test]
    fn faults_are_named_by_weight() {
        for (text, expected) in [
            ("Internal error: Oops: 96000004 [#1] SMP", Some(Severity::Degraded)),
            ("WARNING: CPU: 1 PID: 77 at drivers/x.c:12 x_close+0x3/0x9", Some(Severity::Info)),
            ("EDAC MC: Ver: 3.0.0", None),
            ("usb 1-1: new high-speed USB device number 2", None),
        ] {
            let found = findings_of(RULE.id, &with_message(own_run(), text));
            assert_eq!(found.first().map(|finding| finding.severity), expected, "{text}");
        }
    }
}
