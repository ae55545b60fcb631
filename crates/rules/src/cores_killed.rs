//! Rule: cores-killed. CPUs went offline during the run, as with some kernels when hot. CPUs taken offline by the run
//! itself belong to `others-off`.

use super::place::samples_place;
use super::{Rule, slowdown};
use facts::view::{OnlineCpus, Phase};
use facts::{EvidenceSource, Facts, Finding, Place, Quantity, Scope, Severity, view};
use record::{AllCpus, ChannelId, RuleId, WorkloadId};

/// Maximum time between a temperature sample and an event at that temperature.
const AROUND_MS: i64 = 2000;
/// Same for logs, whose kernel messages are up to a minute off.
const AROUND_MS_OF_LOG: i64 = 60_000;

pub(super) const RULE: Rule = Rule::new(RuleId::own("cores-killed"), check);

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let found = by_messages(facts).or_else(|| by_count(facts)).or_else(|| by_states(facts));
    found.into_iter().collect()
}

fn by_messages(facts: &Facts<'_>) -> Option<Finding> {
    let messages = view::kill_messages(facts);
    let mut cpus: Vec<u32> = messages.iter().filter_map(|(_, m)| view::killed_cpu(&m.text)).collect();
    cpus.sort_unstable();
    cpus.dedup();
    let (_, first) = messages.first()?;
    let times: Vec<i64> = messages.iter().filter_map(|(_, message)| message.at_ms).collect();
    let is_timed = times.len() == messages.len();
    let hit = if is_timed { hit(facts) } else { Vec::new() };
    let is_harmless = is_timed && hit.is_empty() && !facts.phases().is_empty();
    let severity = if is_harmless { Severity::Info } else { Severity::Invalid };
    let temps: Vec<i64> = times.iter().filter_map(|at_ms| temperature(facts, *at_ms)).collect();
    let is_hot = temps.iter().any(|temp| *temp >= slowdown::hot_millicelsius(facts));
    // Kernels that save power take CPUs online with the next load, and offline again.
    let is_by_load = is_harmless && !is_hot && messages.len() > cpus.len();
    let several = Some(messages.len() as i64).filter(|count| *count > 1);
    let finding =
        Finding::new(RULE.id, severity, "The kernel took {cpus} offline ([{times} messages, first: ]\"{message}\").")
            .with("cpus", Quantity::Cpus(cpus))
            .with_known("times", several.map(Quantity::Count))
            .with("message", Quantity::Text(first.text.clone()))
            .seen_by(EvidenceSource::KernelLog)
            .at_all(messages.iter().map(view::message_place));
    let finding = if hit.is_empty() { finding.about(Scope::Machine) } else { finding.of(hit) };
    match (is_by_load, temps.iter().max(), times.first()) {
        (true, Some(hottest), _) => Some(
            Finding {
                template: "The kernel switched {cpus} off and on by load ({times} times, at {hottest} at most): no score on \
                           all CPUs was measured without them.",
                ..finding
            }
            .with("hottest", Quantity::Millicelsius(*hottest)),
        ),
        (true, None, _) => Some(Finding {
            template: "The kernel switched {cpus} off and on by load ({times} times): no score on all CPUs was measured \
                       without them.",
            ..finding
        }),
        (false, _, Some(first_ms)) if is_timed => Some(with_moment(facts, finding, *first_ms)),
        _ => Some(finding),
    }
}

/// Share of a step with fewer online CPUs than threads from which its score counts as that of fewer CPUs. The clock of
/// kernel messages and that of a log agree within a minute.
const SHORT_SHARE_OF_LOG: f64 = 0.1;

/// Steps that needed more CPUs than were online.
fn hit(facts: &Facts<'_>) -> Vec<usize> {
    let Some(online) = OnlineCpus::of(facts) else { return Vec::new() };
    let limit = if view::is_log(facts) { SHORT_SHARE_OF_LOG } else { 0.0 };
    let scored = facts.phases().iter().filter(|phase| phase.workload != WorkloadId::Clock);
    // The number of threads of a user's program is unknown: it may use every CPU of its mask.
    let wanted =
        |phase: &Phase| match (phase.workload.id(), phase.steps.first().and_then(|step| facts.steps.get(*step))) {
            (None, Some(step)) if step.cpus.is_empty() => u32::MAX,
            (None, Some(step)) => step.cpus.len() as u32,
            _ => phase.busy_cpus,
        };
    let is_hit = |phase: &&Phase| online.short_share(wanted(phase), phase.window) > limit;
    scored.filter(is_hit).flat_map(|phase| phase.steps.iter().copied()).collect()
}

fn by_count(facts: &Facts<'_>) -> Option<Finding> {
    let lost = facts.lost_cpus();
    let worst = lost.iter().max_by_key(|lost| lost.count)?;
    let first = lost.first()?;
    let channel = facts.samples.channel(&ChannelId::AllCpus(AllCpus::Online))?;
    let before = view::gauge(facts, channel, view::whole_run()).first()?.value;
    let hit = hit(facts);
    let mut finding = fewer(before, before - worst.count).seen_by(EvidenceSource::Settings);
    if hit.is_empty() && !facts.phases().is_empty() {
        finding.severity = Severity::Info;
        finding = finding.about(Scope::Between);
    } else if !hit.is_empty() {
        finding = finding.of(hit);
    }
    let finding = finding.at(samples_place(facts, &channel.id, worst.seen_ms, worst.seen_ms));
    Some(with_moment(facts, finding, first.seen_ms))
}

fn temperature(facts: &Facts<'_>, at_ms: i64) -> Option<i64> {
    let far_ms = if view::is_log(facts) { AROUND_MS_OF_LOG } else { AROUND_MS };
    let around = record::Window { start_ms: at_ms - far_ms, end_ms: at_ms + far_ms, ..record::Window::default() };
    facts.heat(&around).map(|heat| heat.millicelsius_max)
}

/// Adds the time, the temperature, and the effect on scores.
fn with_moment(facts: &Facts<'_>, finding: Finding, at_ms: i64) -> Finding {
    let outside = (finding.severity < Severity::Invalid).then(|| Quantity::Text("outside of measurements".to_owned()));
    let template = if finding.value("message").is_some() {
        "The kernel took {cpus} offline, first after {first}[ at {temperature}][, {outside}] ([{times} messages, first: ]\
         \"{message}\")."
    } else {
        "{lost} of {before} CPUs went offline, first after {first}[ at {temperature}][, {outside}]."
    };
    Finding { template, ..finding }
        .with("first", Quantity::Ms(at_ms))
        .with_known("temperature", temperature(facts, at_ms).map(Quantity::Millicelsius))
        .with_known("outside", outside)
}

fn by_states(facts: &Facts<'_>) -> Option<Finding> {
    let (before, after) = view::offline_by_states(facts)?;
    let finding = fewer(before, after);
    if !view::is_log(facts) {
        return Some(finding);
    }
    // A log lacks the moment. Some kernels take idle CPUs offline, so the CPU use of each run decides.
    let runs = facts.multi_totals().iter().zip(facts.halves());
    let short = runs.filter(|(_, run)| run.decompressing_use <= 100.0 * after as f64);
    let short: Vec<usize> = short.map(|((step, _), _)| *step).collect();
    let finding = finding.seen_by(EvidenceSource::Settings).at(Place::Field("states".into()));
    Some(if short.is_empty() {
        let template = "{lost} of {before} CPUs were offline after the run; no score is known to lack them.";
        Finding { template, severity: Severity::Info, ..finding }.about(Scope::Between)
    } else {
        let template = "{lost} of {before} CPUs went offline during the run: from run {run} on, 7-zip on all CPUs used no \
                        more than the others.";
        let run = short.first().and_then(|step| facts.steps.get(*step)).map_or(0, |step| step.repetition) + 1;
        Finding { template, ..finding }.with("run", Quantity::Count(run.into())).of(short)
    })
}

fn fewer(before: i64, after: i64) -> Finding {
    Finding::new(RULE.id, Severity::Invalid, "{lost} of {before} CPUs went offline during the run.")
        .with("lost", Quantity::Count(before - after))
        .with("before", Quantity::Count(before))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, gauge_channel, own_run, with_cpu_switched, with_message, with_step};
    use crate::tests::{findings_of, sentences};
    use facts::Severity;
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
    fn a_program_of_the_user_may_use_every_cpu_that_it_is_given() {
        for (cpus, expected) in
            [(&[][..], Severity::Invalid), (&[0, 1, 2, 3], Severity::Invalid), (&[0], Severity::Info)]
        {
            let record = with_step(own_run(), "sh", Variant::ONLY, cpus, (0.0, 5.0), compression(1));
            let online = [4, 4, 4, 3, 3, 3, 3, 3, 3, 3];
            let record = gauge_channel(record, ChannelId::AllCpus(AllCpus::Online), Unit::Count, &online);
            let found: Vec<Severity> = findings_of(RULE.id, &record).iter().map(|finding| finding.severity).collect();
            assert_eq!(found, [expected], "{cpus:?}");
        }
    }

    #[test]
    fn own_hotplug_is_ignored() {
        // Samples are half a second apart; the last two are long after the CPU came back.
        let online = [4, 3, 3, 4, 4, 4, 4, 4, 4, 4];
        let alone = with_message(own_run(), "CPU3: shutdown");
        for (record, off, expected) in [
            (alone.clone(), true, 0),
            (alone, false, 1),
            (own_run(), true, 0),
            (with_message(own_run(), "CPU2: shutdown"), true, 1),
        ] {
            let record = if off { with_cpu_switched(record, 3, 500, Some(1500)) } else { record };
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
