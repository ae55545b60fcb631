//! Rule: cores-killed. CPUs were switched off during the run, as some kernels do when overheated; those that
//! the run itself switched off are another matter (`others-off`).

use super::place::samples_place;
use super::{Check, Rule};
use crate::{Finding, Quantity, Severity, view};
use record::{KernelMessage, Record};

pub(super) const RULE: Rule = Rule {
    id: "cores-killed",
    about: "CPUs were switched off during the run.",
    link: "https://docs.kernel.org/core-api/cpu_hotplug.html",
    check: Check::Record(check),
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
    let ours = view::switched_off(record);
    let is_ours = |message: &KernelMessage| {
        let (cpu, at_ms) = (killed_cpu(&message.text), message.at_ms);
        // A message without a time is taken for ours, if ours there are.
        let is_of = |off: &view::SwitchedOff| at_ms.is_none_or(|at_ms| off.is_at(at_ms));
        ours.iter().any(|off| Some(off.cpu) == cpu && is_of(off))
    };
    let mut messages = view::matching_messages(record, |text| killed_cpu(text).is_some());
    messages.retain(|(_, message)| !is_ours(message));
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
    let ours = view::switched_off(record);
    // Without those that the run itself had switched off.
    let count = |reading: &view::Reading| {
        let off = ours.iter().filter(|off| off.is_at(reading.at_ms));
        reading.value + off.count() as i64
    };
    let fewest = readings.iter().min_by_key(|reading| count(reading))?;
    let left = count(fewest);
    (left < before).then(|| {
        fewer(before, left).at(samples_place(
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
    // One that would not come back is told of where settings are.
    let ours = view::switched_off(record).into_iter();
    let after = after + ours.filter(|off| off.to_ms == i64::MAX).count() as i64;
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
    use crate::test_support::{gauge_channel, own_run, with_cpu_switched, with_message};
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
    fn what_the_run_does_is_no_trouble() {
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
            let record = gauge_channel(record, "cpu.online", Unit::Count, &online);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
        let mut later = online;
        later[9] = 3;
        let record = with_cpu_switched(own_run(), 3, 500, Some(1500));
        let record = gauge_channel(record, "cpu.online", Unit::Count, &later);
        assert_eq!(
            sentences(RULE.id, &record),
            ["1 of 4 CPUs were switched off during the run."]
        );
    }

    #[test]
    fn fewer_cpus_are_noticed_without_messages() {
        for (online, expected) in [([4, 4, 3, 4], 1), ([4, 4, 4, 4], 0)] {
            let record = gauge_channel(own_run(), "cpu.online", Unit::Count, &online);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
