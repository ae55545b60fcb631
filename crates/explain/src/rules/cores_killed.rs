//! Rule: cores-killed. CPUs were switched off during the run, as some kernels do when overheated; those that
//! the run itself switched off are another matter (`others-off`).

use super::place::samples_place;
use super::{Check, Rule};
use crate::{Finding, Quantity, Severity, view};
use record::{AllCpus, ChannelId, Record, RuleId, WorkloadId};

/// A temperature so near to a moment is that of the moment.
const AROUND_MS: i64 = 2000;

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("cores-killed"),
    about: "CPUs went offline during the run.",
    link: "https://docs.kernel.org/core-api/cpu_hotplug.html",
    check: Check::Record(check),
    ..Rule::PLAIN
};

fn check(record: &Record) -> Vec<Finding> {
    let found = by_messages(record).or_else(|| by_count(record)).or_else(|| by_states(record));
    found.into_iter().collect()
}

fn by_messages(record: &Record) -> Option<Finding> {
    let messages = view::kill_messages(record);
    let mut cpus: Vec<u32> = messages.iter().filter_map(|(_, m)| view::killed_cpu(&m.text)).collect();
    cpus.sort_unstable();
    cpus.dedup();
    let (_, first) = messages.first()?;
    let away: Vec<(i64, Option<i64>)> =
        messages.iter().filter_map(|(_, message)| Some((message.at_ms?, back_after(record, message.at_ms?)))).collect();
    let is_timed = away.len() == messages.len();
    let finding = Finding::new(
        RULE.id,
        severity(record, is_timed, &away),
        "The kernel took {cpus} offline during the run, usually because of overheating ({times} messages, first: \
         \"{message}\").",
    );
    let finding = finding
        .with("cpus", Quantity::Cpus(cpus))
        .with("times", Quantity::Count(messages.len() as i64))
        .with("message", Quantity::Text(first.text.clone()))
        .at_all(messages.iter().map(view::message_place));
    let finding = match is_timed.then(|| away.first()).flatten() {
        Some((at_ms, _)) => with_moment(record, finding, *at_ms),
        None => finding,
    };
    Some(finding)
}

fn by_count(record: &Record) -> Option<Finding> {
    let lost = view::lost_cpus(record);
    let worst = lost.iter().max_by_key(|lost| lost.count)?;
    let first = lost.first()?;
    let channel = record.samples.channel(&ChannelId::AllCpus(AllCpus::Online))?;
    let before = view::gauge(record, channel, view::whole_run()).first()?.value;
    let away: Vec<_> = lost.iter().map(|lost| (lost.from_ms, lost.to_ms)).collect();
    let mut finding = fewer(before, before - worst.count);
    finding.severity = severity(record, true, &away);
    let finding = finding.at(samples_place(record, &channel.id, worst.seen_ms, worst.seen_ms));
    Some(with_moment(record, finding, first.seen_ms))
}

/// When all CPUs were there again after this moment, if samples tell.
fn back_after(record: &Record, at_ms: i64) -> Option<i64> {
    let lost = view::lost_cpus(record);
    lost.iter().find(|lost| lost.to_ms.is_some_and(|to_ms| to_ms > at_ms)).and_then(|lost| lost.to_ms)
}

/// Results are not valid if any of them was measured while CPUs were away. What happened between the scores,
/// or after all of them, is told and harms nothing.
fn severity(record: &Record, is_timed: bool, away: &[(i64, Option<i64>)]) -> Severity {
    if !is_timed {
        return Severity::Invalid;
    }
    let mut scored = view::phases(record);
    scored.retain(|phase| phase.workload != WorkloadId::Clock);
    let is_hit = scored.iter().any(|phase| {
        away.iter().any(|(from_ms, to_ms)| {
            *from_ms < phase.window.end_ms && to_ms.is_none_or(|to_ms| to_ms > phase.window.start_ms)
        })
    });
    match is_hit || scored.is_empty() {
        true => Severity::Invalid,
        false => Severity::Info,
    }
}

/// Adds when it happened, at which temperature, and whether that harmed any score.
fn with_moment(record: &Record, finding: Finding, at_ms: i64) -> Finding {
    let around = record::Window { start_ms: at_ms - AROUND_MS, end_ms: at_ms + AROUND_MS, ..record::Window::default() };
    let mut when = format!(" first after {}", Quantity::Ms(at_ms));
    let heat = view::heat(record, around);
    let temperature = heat.map(|heat| Quantity::Millicelsius(heat.millicelsius_max));
    if let Some(temperature) = &temperature {
        when.push_str(&format!(" at {temperature}"));
    }
    if finding.severity < Severity::Invalid {
        when.push_str(", outside of measurements");
    }
    let template = match finding.value("message").is_some() {
        true => "The kernel took {cpus} offline,{when} ({times} messages, first: \"{message}\").",
        false => "{lost} of {before} CPUs went offline,{when}.",
    };
    let finding = Finding { template, ..finding };
    let finding = finding.with("when", Quantity::Text(when)).with("first", Quantity::Ms(at_ms));
    match temperature {
        Some(temperature) => finding.with("temperature", temperature),
        None => finding,
    }
}

fn by_states(record: &Record) -> Option<Finding> {
    let mut counts = record.states.iter().map(|state| state.online_cpus.len() as i64);
    let before = counts.next().filter(|before| *before > 0)?;
    let after = counts.next_back().filter(|after| *after > 0)?;
    // One that would not come back is told of where settings are.
    let ours = view::switched_off(record).into_iter();
    let after = after + ours.filter(|off| off.to_ms == i64::MAX).count() as i64;
    (after < before).then(|| fewer(before, after))
}

fn fewer(before: i64, after: i64) -> Finding {
    Finding::new(RULE.id, Severity::Invalid, "{lost} of {before} CPUs went offline during the run.")
        .with("lost", Quantity::Count(before - after))
        .with("before", Quantity::Count(before))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::Severity;
    use crate::rules::tests::{findings_of, sentences};
    use crate::test_support::{compression, gauge_channel, own_run, with_cpu_switched, with_message, with_step};
    use record::{AllCpus, ChannelId, Unit, Variant, WorkloadId};

    #[test]
    fn kernel_messages_name_the_cpus() {
        let record = with_message(own_run(), "CPU6: shutdown");
        let record = with_message(record, "psci: CPU7 killed (polled 0 ms)");
        assert_eq!(
            sentences(RULE.id, &record),
            ["The kernel took CPUs 6-7 offline, first after 1.0 s (2 messages, first: \"CPU6: shutdown\")."]
        );
        let record = with_message(own_run(), "CPU features: detected: CRC32 instructions");
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }

    #[test]
    fn own_hotplug_is_ignored() {
        // Samples are half a second apart; the last two are long after that CPU came back.
        let online = [4, 3, 3, 4, 4, 4, 4, 4, 4, 4];
        let alone = with_message(own_run(), "CPU3: shutdown");
        for (record, off, expected) in [
            (alone.clone(), true, 0),
            (alone, false, 1),
            (own_run(), true, 0),
            (with_message(own_run(), "CPU2: shutdown"), true, 1),
        ] {
            let record = match off {
                true => with_cpu_switched(record, 3, 500, Some(1500)),
                false => record,
            };
            let record = gauge_channel(record, ChannelId::AllCpus(AllCpus::Online), Unit::Count, &online);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
        let mut later = online;
        later[9] = 3;
        let record = with_cpu_switched(own_run(), 3, 500, Some(1500));
        let record = gauge_channel(record, ChannelId::AllCpus(AllCpus::Online), Unit::Count, &later);
        assert_eq!(sentences(RULE.id, &record), ["1 of 4 CPUs went offline, first after 4.5 s."]);
    }

    #[test]
    fn offline_cpu_invalidates_concurrent_scores_only() {
        // Half a second between samples; 7-zip runs from the first to the third second.
        let check = |online: &[i64], severity: Severity, expected: &str| {
            let record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (1.0, 3.0), compression(1000));
            let record = gauge_channel(record, ChannelId::AllCpus(AllCpus::Online), Unit::Count, online);
            let heat = vec![75_000; online.len()];
            let record = gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &heat);
            let found = findings_of(RULE.id, &record);
            assert_eq!(found[0].sentence(), expected);
            assert_eq!(found[0].severity, severity);
        };
        check(
            &[4, 4, 4, 4, 4, 4, 4, 4, 3, 3],
            Severity::Info,
            "1 of 4 CPUs went offline, first after 4.0 s at 75.0 °C, outside of measurements.",
        );
        check(
            &[4, 4, 4, 3, 4, 4, 4, 4, 4, 4],
            Severity::Invalid,
            "1 of 4 CPUs went offline, first after 1.5 s at 75.0 °C.",
        );
        check(
            &[4, 3, 3, 3, 3, 3, 3, 3, 3, 3],
            Severity::Invalid,
            "1 of 4 CPUs went offline, first after 500 ms at 75.0 °C.",
        );
    }

    #[test]
    fn fewer_cpus_are_noticed_without_messages() {
        for (online, expected) in [([4, 4, 3, 4], 1), ([4, 4, 4, 4], 0)] {
            let record = gauge_channel(own_run(), ChannelId::AllCpus(AllCpus::Online), Unit::Count, &online);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
