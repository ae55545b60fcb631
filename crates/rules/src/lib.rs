//! The table of rules, each of which finds one fact in a Record.
//!
//! A rule is one file: it returns findings with their evidence.

#![forbid(unsafe_code)]

mod background_activity;
mod board_died;
mod built_in_used;
mod clock_above_claim;
mod clock_below_claim;
mod clock_chain_odd;
mod clock_column_untrue;
mod clock_disturbed;
mod clock_from_aes;
mod clock_lower_all_cpus;
mod clock_lower_hot;
mod clock_methods_differ;
mod clock_ok;
pub mod config_txt;
mod cores_killed;
pub mod cpu_quota;
mod cpus_restricted;
mod emulated;
mod fewer_dictionaries;
mod governor;
mod guide;
pub mod held_clocks;
mod hot;
mod idle_power;
mod impossible_figures;
mod io_wait;
pub mod kernel;
mod kernel_trouble;
mod latency_unsteady;
mod libc_slow;
mod limit_by_program;
mod limit_lifted;
mod limited_by_setting;
mod log_remark;
mod low_voltage;
mod memory_slow;
mod meter_implausible;
mod no_temperature;
mod no_throttling;
mod offline_cpus;
mod old_verdict_wrong;
mod opp_not_honoured;
mod others_off;
mod out_of_memory;
mod place;
mod power_limit;
pub mod questions;
mod registry;
pub mod relation;
pub mod relations;
pub mod remedies;
mod rendering;
mod report_verdict;
mod rpi_config;
mod rpi_firmware;
mod rpi_firmware_clock;
mod run_cut_short;
mod score_high;
mod score_low;
mod scores_decline;
mod scores_unstable;
mod series_declines;
mod setting_unmet;
mod settings_not_restored;
mod sevenzip_version;
pub mod slowdown;
mod started_busy;
pub mod stated;
mod step_time;
mod steps_missing;
mod stolen_time;
mod summary_wrong;
mod supply_contract;
mod supply_droops;
pub mod survey;
mod swap_on_slow_storage;
mod swapping;
pub mod system_time;
mod tables;
mod thermal_messages;
mod thermal_throttling;
mod topology_unclear;
mod unread_lines;
mod virtualised;
mod zswap_on_zram;

#[cfg(test)]
pub(crate) use testkit::records as test_support;

use facts::{Facts, Finding, Severity};
use record::StableSort;
use record::{RuleId, WorkBound};
use std::cmp::Reverse;
use std::sync::LazyLock;

pub use background_activity::steady_cpus_of_others;
pub use guide::{Guide, guide};
pub use questions::{ANSWERS, ab, all_plots, efficiency, plots, sensitivity, texts};
pub use tables::{Answer, Plot, Renderer, Report};

pub use crate::tables::{Check, Precondition, Role, Rule, Subject, ThrottledPart};

/// Compute loads, which need neither storage nor system calls.
pub(crate) const CPU_AND_MEMORY: &[WorkBound] = &[WorkBound::Cpu, WorkBound::Memory];
/// Loads that are known to keep their CPUs busy.
pub(crate) const ANY_COMPUTING: &[WorkBound] = &[WorkBound::Cpu, WorkBound::Memory, WorkBound::Unknown];

/// All rules: rules for runs, sorted by id, followed by rules only for machines at rest.
pub static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let of_questions = ANSWERS.iter().flat_map(|answer| answer.rules).copied();
    let described = |rule: &&Rule| relations::of(rule.id).map(|row| Rule { about: row.about, ..**rule });
    let of_tables = registry::OF_RUNS.iter().chain(registry::AT_REST).filter_map(described);
    let mut rules: Vec<Rule> = of_tables.chain(of_questions).collect();
    // Rules for machines at rest keep their order.
    rules.stable_sort_by_key(|rule| {
        (rule.when == Precondition::Rest, (rule.when != Precondition::Rest).then_some(rule.id))
    });
    rules
});

/// Rule for boards that died.
pub const BOARD_DIED: RuleId = board_died::RULE.id;
/// Rule for exhausted memory.
pub const OUT_OF_MEMORY: RuleId = out_of_memory::RULE.id;
/// Rule for other tasks.
pub const BACKGROUND: RuleId = background_activity::RULE.id;
/// Rule for time of the kernel.
pub const SYSTEM_TIME: RuleId = system_time::RULE.id;
/// Rule for memory that is slower than on other boards.
pub const MEMORY_SLOW: RuleId = memory_slow::RULE.id;
/// Rule for scores that are lower than usual for their core and clock.
pub const SCORE_LOW: RuleId = score_low::RULE.id;
/// Rule for the absence of throttling, or of evidence for it.
pub const NO_THROTTLING: RuleId = no_throttling::RULE.id;
/// Rule for missing scores.
pub const STEPS_MISSING: RuleId = steps_missing::RULE.id;
pub use steps_missing::is_skip;
pub use system_time::usual_system_percent;
/// Rule for swapped memory.
pub const SWAPPING: RuleId = swapping::RULE.id;
/// Rule for CPUs that went offline.
pub const CORES_KILLED: RuleId = cores_killed::RULE.id;
/// Rules for results that declined during the measurement or vary between repetitions.
pub const OF_DECLINES: [RuleId; 3] = [scores_decline::RULE.id, scores_unstable::RULE.id, series_declines::RULE.id];
/// Rules for results that declined during the measurement.
pub const OF_FALLS: [RuleId; 2] = [scores_decline::RULE.id, series_declines::RULE.id];

/// Rule with this id. Findings on kernels have no rule.
pub fn of(id: RuleId) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// Remedy for a rule's finding; `None` if its cause has one.
pub fn remedy(id: RuleId) -> Option<&'static str> {
    Some(relations::of(id)?.remedy).filter(|remedy| !remedy.is_empty())
}

/// Evidence required before findings of a rule report lower scores.
pub fn harm(id: RuleId) -> Option<&'static str> {
    relations::of(id).map(|row| row.harm)
}

/// Role of a finding in reports.
pub fn role(finding: &Finding) -> Role {
    of(finding.rule).map_or(Role::Cause, |rule| rule.role)
}

/// Component that a finding reports as throttled; `No` if the finding is harmless.
pub fn throttles(finding: &Finding) -> ThrottledPart {
    let harms = finding.severity > Severity::Info;
    let rule = of(finding.rule).filter(|_| harms);
    rule.map_or(ThrottledPart::No, |rule| rule.throttles)
}

/// True if findings of a rule belong to a subject.
pub fn is_about(finding: &Finding, subject: Subject) -> bool {
    of(finding.rule).is_some_and(|rule| rule.subjects.contains(&subject))
}

/// All rules for runs, sorted by id.
pub fn of_runs() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(|rule| rule.when != Precondition::Rest)
}

/// All findings of the inspection, worst first. Empty if the machine was not inspected.
pub fn check_at_rest(facts: &Facts<'_>) -> Vec<Finding> {
    if facts.surveys.is_empty() {
        return Vec::new();
    }
    let of_rest = |when| RULES.iter().filter(move |rule| rule.when == when);
    let mut findings: Vec<Finding> = of_rest(Precondition::Rest)
        .chain(of_rest(Precondition::Both))
        .flat_map(|rule| rule.found(facts).to_vec())
        .collect();
    findings.stable_sort_by_key(|finding| (Reverse(finding.severity), Reverse(finding.confidence_percent)));
    findings
}

/// Findings of all rules about a run, worst first; within one severity by confidence, then in the order of the table.
pub fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let by_rules = || of_runs().flat_map(|rule| rule.found(facts).to_vec()).collect();
    let mut findings: Vec<Finding> = stated::findings(facts).unwrap_or_else(by_rules);
    findings.stable_sort_by(|a, b| {
        // A missing measurement is more important than the cause of a low score.
        let is_missing = |finding: &Finding| role(finding) == Role::Gap;
        let rank = |finding: &Finding| (finding.severity, is_missing(finding), finding.confidence_percent);
        rank(b).cmp(&rank(a))
    });
    findings
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::test_support::{counter, own_run, series, with_step};
    use facts::Quantity;
    use record::{ChannelId, CpuTime, Record, Variant, WorkloadId};

    /// Findings of one rule in a Record. Also checks that every placeholder of a template has a value.
    pub(crate) fn findings_of(id: RuleId, record: &Record) -> Vec<Finding> {
        let rule = RULES.iter().find(|rule| rule.id == id);
        let found = rule.expect("rule is in the table").found(&Facts::of(record)).to_vec();
        for finding in &found {
            let sentence = finding.sentence();
            assert!(!sentence.contains('?'), "value missing: {sentence}");
            assert!(sentence.ends_with('.'), "no sentence: {sentence}");
            assert_eq!(finding.rule, id);
            assert!((1..=100).contains(&finding.confidence_percent));
            numbers_are_values(finding);
        }
        found
    }

    /// Texts that quote a reason, a message or a verdict, and lists of clusters, programs or workloads.
    const QUOTED: [&str; 14] = [
        "but", "cause", "clusters", "effect", "evidence", "message", "named", "reason", "reasons", "remark",
        "sentence", "values", "verdict", "why",
    ];
    const UNITS: [&str; 16] =
        ["%", "A", "GB", "GHz", "KiB", "MB/s", "MHz", "MIPS", "MiB", "V", "W", "mW", "ms", "ns", "s", "°C"];

    /// A number in a text is a number for programs as well: another value of the finding reads the same.
    pub(crate) fn numbers_are_values(finding: &Finding) {
        let numbers = finding.values.iter().filter(|(_, value)| !matches!(value, Quantity::Text(_)));
        let numbers: Vec<String> = numbers.map(|(_, value)| value.to_string()).collect();
        for (name, value) in finding.values.iter().filter(|(name, _)| !QUOTED.contains(name)) {
            let Quantity::Text(text) = value else { continue };
            let words: Vec<&str> = text.split_whitespace().collect();
            for pair in words.windows(2) {
                let [number, unit] = [pair[0], pair[1]].map(|word| word.trim_matches(['(', ')', ',', ';', '.', '+']));
                let is_number = number.parse::<f64>().is_ok() && UNITS.contains(&unit);
                let is_value = numbers.iter().any(|value| value.contains(&format!("{number} {unit}")));
                assert!(!is_number || is_value, "{}: {number} {unit} of {name} is text alone: {text}", finding.rule);
            }
        }
    }

    /// Sentences of one rule's findings in a Record.
    pub(crate) fn sentences(id: RuleId, record: &Record) -> Vec<String> {
        let found = findings_of(id, record);
        found.iter().map(Finding::sentence).collect()
    }

    #[test]
    fn table_is_in_order() {
        let of_runs: Vec<RuleId> = of_runs().map(|rule| rule.id).collect();
        for pair in of_runs.windows(2) {
            assert!(pair[0] < pair[1], "{} is out of order", pair[1]);
        }
        let first = RULES[..of_runs.len()].iter().map(|rule| rule.id);
        assert!(first.eq(of_runs), "rules about runs stand first");
        for (index, rule) in RULES.iter().enumerate() {
            assert!(RULES[..index].iter().all(|known| known.id != rule.id), "{} is there twice", rule.id);
            let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(!rule.id.as_str().is_empty(), "{}", rule.about);
            assert!(rule.id.as_str().chars().all(is_kebab), "{}", rule.id);
            assert!(rule.about.ends_with('.'), "{}", rule.id);
            assert!(rule.loads.is_sorted() && !rule.loads.contains(&WorkBound::Idle), "{}", rule.id);
        }
    }

    /// CPUs in I/O wait, in the kernel and in use by other tasks, for each kind of load.
    fn unquiet(workload: WorkloadId, variant: &Variant) -> Record {
        let mut record = with_step(own_run(), workload, variant.clone(), &[0], (0.0, 20.0), series(&[1.0]));
        record.steps[0].counters.user_ms = record::Fact::Known(100);
        record.steps[0].counters.system_ms = record::Fact::Known(100);
        record.steps[0].counters.run_delay_ns = record::Fact::Known(30_000_000_000);
        for (time, ticks) in [(CpuTime::User, 20), (CpuTime::System, 60), (CpuTime::Iowait, 60), (CpuTime::Idle, 60)] {
            let values: Vec<i64> = (0..=40).map(|row| row * ticks).collect();
            record = counter(record, ChannelId::all_cpus(time), record::Unit::Ticks, &values);
        }
        record
    }

    #[test]
    fn rules_apply_by_bound() {
        let of_load = |workload, variant: &Variant| {
            let found = check(&Facts::of(&unquiet(workload, variant))).into_iter();
            let harm = found.filter(|finding| finding.severity > facts::Severity::Info);
            harm.map(|finding| finding.rule.as_str()).collect::<Vec<_>>()
        };
        let all = ["background-activity", "io-wait", "system-time"];
        for (workload, variant, expected) in [
            (WorkloadId::MemoryLatency, Variant::ONLY, &all[..]),
            (WorkloadId::Aes, Variant::AES_256_CBC, &all),
            (WorkloadId::Drive, Variant::own("random-read"), &[]),
            (WorkloadId::Drive, Variant::own("small-files"), &[]),
            (WorkloadId::Network, Variant::own("send"), &[]),
            (WorkloadId::Rsync, Variant::own("send"), &[]),
            (WorkloadId::PerfBench, Variant::own("sched pipe"), &[]),
            (WorkloadId::OpenGl, Variant::ONLY, &[]),
            (WorkloadId::Wait, Variant::IDLE, &[]),
        ] {
            let mut found = of_load(workload, &variant);
            found.sort_unstable();
            found.dedup();
            assert_eq!(found, expected, "{workload:?} {variant}");
        }
    }

    #[test]
    fn empty_record_has_only_gap_findings() {
        let mut record = crate::test_support::own_run();
        record.machine = record::Machine::default();
        for finding in check(&Facts::of(&record)) {
            assert_eq!(finding.severity, facts::Severity::Info, "{finding:?}");
        }
    }
}
