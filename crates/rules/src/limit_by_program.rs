//! Rule: limit-by-program. Another program lowered a clock limit while a workload ran: thermal daemons of vendors, tuned
//! and power profiles do so.
//!
//! The run found its own limit changed between two steps, and no cooling device of CPUs was in use. On a machine without
//! such devices, the limit is attributed to the kernel.

use super::place::at_samples;
use super::{Rule, ThrottledPart};
use facts::{EvidenceSource, Facts, Finding, Quantity, Severity, view};
use record::RuleId;
use std::collections::BTreeSet;

pub(super) const RULE: Rule =
    Rule { throttles: ThrottledPart::Clock, ..Rule::new(RuleId::own("limit-by-program"), check) };

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let lowered = facts.limits_lowered_by_programs();
    let finding = |limit: &view::Cooling| {
        let number = limit.channel.policy();
        let programs = programs(facts, number);
        let template = match programs.len() {
            2.. => {
                "Another program lowered the clock limit of {cpus} from {before} to {limit}, first after {first}; \
                 {programs} are running and can set it."
            }
            _ => {
                "Another program lowered the clock limit of {cpus} from {before} to {limit}, first after {first}[; \
                 {programs} is running and can set it]."
            }
        };
        let named = (!programs.is_empty()).then(|| Quantity::Text(programs.join(", ")));
        let finding = Finding::new(RULE.id, Severity::Degraded, template).with_known("programs", named);
        let policy = facts.machine.policies.iter().find(|policy| Some(policy.policy) == number);
        let finding = finding
            .confidence(95)
            .with("cpus", Quantity::Cpus(policy.map(|policy| policy.cpus.clone()).unwrap_or_default()))
            .with("before", Quantity::Khz(limit.before as u32))
            .with("limit", Quantity::Khz(limit.extreme as u32))
            .with("first", Quantity::Ms(limit.first_ms))
            .seen_by(EvidenceSource::LimitLowered(limit.channel.clone()));
        at_samples(facts, finding, &limit.channel, limit.first_ms, limit.last_ms)
    };
    lowered.iter().map(finding).collect()
}

/// Running programs that are known to write the limit, at the time of the change.
fn programs(record: &record::Record, policy: Option<u32>) -> Vec<&str> {
    let Some(policy) = policy else { return Vec::new() };
    let path = format!("/policy{policy}/scaling_max_freq");
    let unmet = record.unmet_settings.iter().filter(|unmet| unmet.path.ends_with(&path));
    let names: BTreeSet<&str> = unmet.flat_map(|unmet| unmet.programs.iter().map(String::as_str)).collect();
    names.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, gauge_channel, labelled, own_run, with_limit_set, with_step};
    use crate::tests::sentences;
    use record::{ChannelId, Fact, Record, RuleId, Unit, UnmetSetting, Variant, WorkloadId};

    /// A run of 7-zip from the first to the fourth second; half of it with a limit that the run did not set.
    fn run(cooling: &[i64], is_found: bool) -> Record {
        let mut record = own_run();
        record.machine.policies.truncate(1);
        let policy = &mut record.machine.policies[0];
        policy.clock_khz_max = Fact::Known(1_800_000);
        policy.limit_khz_max = Fact::Known(1_800_000);
        policy.cpus = vec![0, 1];
        let record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (1.0, 4.0), compression(1000));
        let limits = [1_800_000, 1_800_000, 1_800_000, 1_800_000, 1_008_000, 1_008_000, 1_008_000, 1_008_000];
        let record = gauge_channel(record, ChannelId::limit_max(0), Unit::Kilohertz, &limits);
        let record = gauge_channel(record, ChannelId::zone_temperature(0), Unit::Millicelsius, &[57_000; 8]);
        let record = labelled(record, "cpu-thermal");
        let record = gauge_channel(record, ChannelId::Cooling(0), Unit::Count, cooling);
        let mut record = with_limit_set(labelled(record, "cpufreq-cpu0"), 0, -5000, 1_800_000);
        if is_found {
            record.unmet_settings = vec![UnmetSetting {
                path: record.settings[0].path.clone(),
                wanted: "1800000".into(),
                found: Fact::Known("1008000".into()),
                why: "it was changed by another process".into(),
                at_ms: Some(4000),
                before_step: Some("memory".into()),
                programs: Vec::new(),
            }];
        }
        record
    }

    #[test]
    fn limit_of_another_program_is_not_heat() {
        let heat = RuleId::own("thermal-throttling");
        let by_program = run(&[0; 8], true);
        assert_eq!(
            sentences(RULE.id, &by_program),
            ["Another program lowered the clock limit of CPUs 0-1 from 1800 MHz to 1008 MHz, first after 2.0 s."]
        );
        assert_eq!(sentences(heat, &by_program), [""; 0]);
        let mut named = by_program;
        named.unmet_settings[0].programs = vec!["thermald".into(), "tuned".into()];
        let found = sentences(RULE.id, &named);
        assert!(found[0].ends_with("after 2.0 s; thermald, tuned are running and can set it."), "{found:?}");
        // A cooling device lowers the limit, or its change went unnoticed.
        for by_kernel in [run(&[0, 0, 0, 0, 3, 3, 3, 3], true), run(&[0; 8], false)] {
            assert_eq!(sentences(RULE.id, &by_kernel), [""; 0]);
            assert_eq!(sentences(heat, &by_kernel).len(), 1);
        }
    }
}
