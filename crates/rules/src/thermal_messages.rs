//! Kernel messages that report a limit of the CPUs, from `data/thermal_messages.tsv`. Not a rule itself.

use facts::{Cause, Facts, Finding, Quantity, Severity, view};
use record::RuleId;
use record::table::{Row, Table};
use std::sync::LazyLock;

const TABLE: Table = Table::of(include_str!("../../../data/thermal_messages.tsv"));

/// A kind of message.
struct Message {
    words: &'static str,
    limit_after: Option<&'static str>,
    cause: &'static str,
    mechanism: &'static str,
}

/// Rows of the table. Logs have thousands of messages.
static MESSAGES: LazyLock<Vec<Message>> = LazyLock::new(|| {
    let message = |row: Row<'static>| Message {
        words: row.get("words"),
        limit_after: row.cell("limit_after"),
        cause: row.get("cause"),
        mechanism: row.cell("mechanism").unwrap_or_default(),
    };
    TABLE.rows().map(message).collect()
});

/// Mechanism of a message that reports a limit of this cause; empty if the message is clear by itself.
fn mechanism(text: &str, cause: Cause, khz_max: Option<u32>) -> Option<&'static str> {
    let is_meant = |message: &&Message| message.cause == cause.as_str() && text.contains(message.words);
    MESSAGES.iter().filter(is_meant).find_map(|message| {
        let (_, rest) = text.split_once(message.words)?;
        let limit = message.limit_after.and_then(|before| Some(rest.split_once(before)?.1)).unwrap_or_default();
        let digits = limit.trim_start().split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        let is_lifted = digits.parse::<u32>().ok().zip(khz_max).is_some_and(|(khz, khz_max)| khz >= khz_max);
        (!is_lifted).then_some(message.mechanism)
    })
}

/// Finding of a rule by the messages of the run about limits of this cause.
pub(super) fn finding(facts: &Facts<'_>, rule: RuleId, cause: Cause, template: &'static str) -> Option<Finding> {
    let khz_max = facts.machine.policies.iter().filter_map(|policy| policy.clock_khz_max.known().copied()).max();
    let messages = view::matching_messages(facts, |text| mechanism(text, cause, khz_max).is_some());
    let (_, first) = messages.first()?;
    let mechanism = mechanism(&first.text, cause, khz_max).filter(|words| !words.is_empty());
    Some(
        Finding::new(rule, Severity::Degraded, template)
            .confidence(95)
            .with("message", Quantity::Text(first.text.clone()))
            .with_known("mechanism", mechanism.map(|words| Quantity::Text(words.to_owned())))
            .at_all(messages.iter().map(view::message_place)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_vendors_are_limits_unless_they_lift_one() {
        for (text, cause, expected) in [
            ("CPU3: Core temperature above threshold, cpu clock throttled (total events = 1)", Cause::Heat, Some("")),
            ("thermal thermal_zone0: critical temperature reached (115 C), shutting down", Cause::Heat, Some("")),
            (
                "CPU Budget:update CPU 0 cpufreq max to 1008000 min to 480000",
                Cause::Heat,
                Some("budget cooling of Allwinner's kernel"),
            ),
            ("CPU Budget:update CPU 0 cpufreq max to 1296000 min to 480000", Cause::Heat, None),
            (
                "msm_thermal: Limiting CPU0 max frequency to 1036800. Temp:80",
                Cause::Heat,
                Some("the thermal driver of Qualcomm's kernel"),
            ),
            ("soctherm: OC ALARM 0x00000001", Cause::PowerLimit, Some("the over-current alarm of a Jetson")),
            ("soctherm: OC ALARM 0x00000001", Cause::Heat, None),
            ("usb 1-1: new high-speed USB device", Cause::Heat, None),
        ] {
            assert_eq!(mechanism(text, cause, Some(1_296_000)), expected, "{text}");
        }
        assert!(TABLE.rows().all(|row| row.array::<5>().is_some()));
    }

    proptest::proptest! {
        #[test]
        fn mechanism_never_panics(text in "(CPU Budget:update CPU|Limiting CPU|.*)(max to |frequency to )?.*") {
            mechanism(&text, Cause::Heat, Some(1));
        }
    }
}
