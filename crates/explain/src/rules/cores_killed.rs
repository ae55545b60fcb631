//! Rule: cores-killed. CPUs were switched off during the run, as some kernels do when overheated.

use super::Rule;
use super::place::samples_place;
use crate::{Finding, Quantity, Severity, view};
use record::Record;

pub(super) const RULE: Rule = Rule {
    id: "cores-killed",
    about: "CPUs were switched off during the run.",
    link: "https://docs.kernel.org/core-api/cpu_hotplug.html",
    check,
};

fn check(record: &Record) -> Vec<Finding> {
    let found = by_messages(record)
        .or_else(|| by_count(record))
        .or_else(|| by_states(record));
    found.into_iter().collect()
}

/// `CPU3: shutdown` (arm, arm64) and `psci: CPU3 killed` name the CPU.
fn killed_cpu(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("CPU")?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = rest.split_at(digits);
    let is_killed = rest.starts_with(": shutdown") || rest.starts_with(" killed");
    is_killed.then(|| number.parse().ok()).flatten()
}

fn by_messages(record: &Record) -> Option<Finding> {
    let messages = view::matching_messages(record, |text| killed_cpu(text).is_some());
    let mut cpus: Vec<u32> = messages
        .iter()
        .filter_map(|(_, m)| killed_cpu(&m.text))
        .collect();
    cpus.sort_unstable();
    cpus.dedup();
    let (_, first) = messages.first()?;
    let finding = Finding::new(
        RULE.id,
        Severity::Invalid,
        "The kernel switched {cpus} off during the run, usually because of overheating \
         ({times} messages, the first: \"{message}\").",
    );
    Some(
        finding
            .with("cpus", Quantity::Cpus(cpus))
            .with("times", Quantity::Count(messages.len() as i64))
            .with("message", Quantity::Text(first.text.clone()))
            .at_all(messages.iter().map(view::message_place)),
    )
}

fn by_count(record: &Record) -> Option<Finding> {
    let channel = record.samples.channel("cpu.online")?;
    let readings = view::gauge(record, channel, view::whole_run());
    let before = readings.first()?.value;
    let fewest = readings.iter().min_by_key(|reading| reading.value)?;
    (fewest.value < before).then(|| {
        fewer(before, fewest.value).at(samples_place(
            record,
            &channel.id,
            fewest.at_ms,
            fewest.at_ms,
        ))
    })
}

fn by_states(record: &Record) -> Option<Finding> {
    let mut counts = record
        .states
        .iter()
        .map(|state| state.online_cpus.len() as i64);
    let before = counts.next().filter(|before| *before > 0)?;
    let after = counts.next_back().filter(|after| *after > 0)?;
    (after < before).then(|| fewer(before, after))
}

fn fewer(before: i64, after: i64) -> Finding {
    Finding::new(
        RULE.id,
        Severity::Invalid,
        "{lost} of {before} CPUs were switched off during the run.",
    )
    .with("lost", Quantity::Count(before - after))
    .with("before", Quantity::Count(before))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::tests::sentences;
    use crate::test_support::{gauge_channel, own_run, with_message};
    use record::Unit;

    #[test]
    fn kernel_messages_name_the_cpus() {
        let record = with_message(own_run(), "CPU6: shutdown");
        let record = with_message(record, "psci: CPU7 killed (polled 0 ms)");
        assert_eq!(
            sentences(RULE.id, &record),
            [
                "The kernel switched CPUs 6-7 off during the run, usually because of overheating \
              (2 messages, the first: \"CPU6: shutdown\")."
            ]
        );
        let record = with_message(own_run(), "CPU features: detected: CRC32 instructions");
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }

    #[test]
    fn fewer_cpus_are_noticed_without_messages() {
        for (online, expected) in [([4, 4, 3, 4], 1), ([4, 4, 4, 4], 0)] {
            let record = gauge_channel(own_run(), "cpu.online", Unit::Count, &online);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
