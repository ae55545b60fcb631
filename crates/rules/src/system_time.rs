//! Rule: system-time. The kernel itself used much CPU time while the benchmark ran.
//!
//! The workloads compute in user mode. Much kernel time means drivers, compressed swap, file
//! systems or interrupts of others.

use super::place::samples_place;
use super::{CPU_AND_MEMORY, Rule};
use facts::stats::{mean, median};
use facts::view::{self, Phase};
use facts::{EvidenceSource, Facts, Finding, Place, Quantity, Severity};
use record::table::Table;
use record::{ChannelId, CpuTime, RuleId, WorkloadId};

pub(super) const RULE: Rule = Rule { loads: CPU_AND_MEMORY, ..Rule::new(RuleId::own("system-time"), check) };

/// One sample this high is worth reporting; workloads need 1 to 5 % for page faults.
const PEAK_PERCENT_MIN: f64 = 10.0;
/// Mean over a phase of own runs without the workload's own system calls.
const MEAN_PERCENT_MIN: f64 = 2.0;
/// The same in logs, including workload and monitor: page faults of 7-zip alone need up to 5 %.
const MEAN_PERCENT_MIN_OF_LOGS: f64 = 5.0;
/// Mean over a phase from which it lowers its scores: page faults of 7-zip alone need up to 5 %.
const DEGRADED_PERCENT: f64 = 8.0;
/// CPU use of the bash program's monitor on slow boards, in percent of one CPU.
const MONITOR_OF_LOGS_PERCENT: f64 = 8.0;
/// Largest CPU time of a program whose ciphers an engine computes, in percent of one CPU.
const ENGINE_USER_PERCENT: f64 = 12.0;

/// Median of the rows relative to their mean from which kernel time lasts.
const THROUGHOUT_SHARE_MIN: f64 = 0.5;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let phases = &facts.phases_bound_by(RULE.loads);
    let of_phases: Vec<PhaseKernelTime> = phases.iter().filter_map(|phase| of_phase(facts, phase)).collect();
    let (engine, others): (Vec<PhaseKernelTime>, Vec<PhaseKernelTime>) =
        of_phases.into_iter().partition(|of| of.is_engine);
    let engine = engine.iter().max_by(|a, b| a.average.total_cmp(&b.average)).map(by_engine);
    overhead(facts, &others).into_iter().chain(engine).collect()
}

/// Kernel time in one phase beyond the workload's own calls, in percent of all CPUs.
struct PhaseKernelTime<'a> {
    phase: &'a Phase,
    average: f64,
    median: f64,
    peak: f64,
    at_ms: i64,
    user: f64,
    /// True if the kernel did all of the work of a cipher.
    is_engine: bool,
}

fn of_phase<'a>(facts: &Facts<'_>, phase: &'a Phase) -> Option<PhaseKernelTime<'a>> {
    let own = own_percent(facts, phase)?;
    let uses = facts.cpu_use(&phase.window);
    let values: Vec<f64> = uses.iter().map(|usage| (usage.system - own).max(0.0)).collect();
    let (average, user) = (mean(&values)?, mean(&uses.iter().map(|usage| usage.user).collect::<Vec<_>>())?);
    let (peak, at_ms) =
        values.iter().zip(&uses).map(|(value, usage)| (*value, usage.at_ms)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let is_cipher = phase.workload.id().is_some_and(|id| matches!(id, WorkloadId::OpenSsl | WorkloadId::Aes));
    let of_one_cpu = f64::from(view::cpu_count(facts).unwrap_or(1));
    let is_engine = is_cipher && average >= PEAK_PERCENT_MIN && user * of_one_cpu <= ENGINE_USER_PERCENT;
    Some(PhaseKernelTime { phase, average, median: median(&values)?, peak, at_ms, user, is_engine })
}

fn by_engine(of: &PhaseKernelTime) -> Finding {
    let template = "AES was computed by a crypto engine that the kernel drives: {average} of the CPU time was the kernel's and \
                    {user} the program's. The AES figures are not those of the CPU.";
    let window = of.phase.window;
    Finding::new(RULE.id, Severity::Info, template)
        .with("average", Quantity::Percent(of.average))
        .with("user", Quantity::Percent(of.user))
        .of(of.phase.steps.iter().copied())
        .during(window.start_ms, window.end_ms)
        .seen_by(EvidenceSource::CpuTime)
        .at_all(of.phase.steps.first().map(|step| Place::Step(*step)))
}

/// True if a finding states that the CPU did not compute AES.
pub fn is_of_engine(finding: &Finding) -> bool {
    finding.rule == RULE.id && finding.value("user").is_some()
}

fn overhead(facts: &Facts<'_>, of_phases: &[PhaseKernelTime]) -> Option<Finding> {
    let worst = of_phases.iter().max_by(|a, b| a.peak.total_cmp(&b.peak))?;
    let monitor = match (view::is_log(facts), view::cpu_count(facts)) {
        (true, Some(cpus)) => MONITOR_OF_LOGS_PERCENT / f64::from(cpus),
        _ => 0.0,
    };
    let is_held = |of: &&PhaseKernelTime| {
        let usual = by_design(facts, of.phase.busy_cpus).map_or(0.0, |design| design.percent_max);
        of.average >= (DEGRADED_PERCENT + monitor).max(usual)
    };
    let held: Vec<&PhaseKernelTime> = of_phases.iter().filter(is_held).collect();
    let shown = held.iter().copied().max_by(|a, b| a.average.total_cmp(&b.average)).unwrap_or(worst);
    // Own workloads have peaks, so only the mean counts.
    let (mean_min, has_peak) = if view::is_log(facts) {
        (MEAN_PERCENT_MIN_OF_LOGS, shown.peak >= PEAK_PERCENT_MIN)
    } else {
        (MEAN_PERCENT_MIN, false)
    };
    if shown.average < mean_min && !has_peak {
        return None;
    }
    let severity = if held.is_empty() { Severity::Info } else { Severity::Degraded };
    let steps: Vec<usize> = if held.is_empty() {
        shown.phase.steps.clone()
    } else {
        held.iter().flat_map(|of| of.phase.steps.iter().copied()).collect()
    };
    // Logs do not count the system calls of the workload.
    let template = if view::is_log(facts) {
        "During {phase}, the kernel used {average} of CPU time on average and {peak} at most[: {why}]."
    } else {
        "During {phase}, the kernel used {average} of CPU time on average and {peak} at most, not counting the workload's own \
         system calls[: {why}]."
    };
    // A design needs its time throughout, not in a burst.
    let lasts = shown.median >= THROUGHOUT_SHARE_MIN * shown.average;
    let design = by_design(facts, shown.phase.busy_cpus).filter(|_| lasts);
    let (window, system) = (shown.phase.window, ChannelId::all_cpus(CpuTime::System));
    Some(
        Finding::new(RULE.id, severity, template)
            .with("average", Quantity::Percent(shown.average))
            .with("peak", Quantity::Percent(shown.peak))
            .with("phase", Quantity::Text(shown.phase.name.clone()))
            .with_known("why", design.map(|design| design.words(shown.average)))
            .of(steps)
            .during(window.start_ms, window.end_ms)
            .seen_by(EvidenceSource::CpuTime)
            .at(samples_place(facts, &system, shown.at_ms, shown.at_ms)),
    )
}

/// Overheads by design.
const BY_DESIGN: Table = Table::of(include_str!("../../../data/kernel_overhead.tsv"));

/// Design of a machine that needs kernel time.
struct Design {
    percent_max: f64,
    why: &'static str,
}

impl Design {
    /// Reason for this much kernel time, or for a part of it.
    fn words(&self, average: f64) -> Quantity {
        let Self { percent_max, why } = self;
        Quantity::Text(if average <= *percent_max {
            (*why).to_owned()
        } else {
            format!("up to {percent_max} % are {why}")
        })
    }
}

/// Design of the machine that needs kernel time with this many busy CPUs.
fn by_design(facts: &Facts<'_>, busy_cpus: u32) -> Option<Design> {
    let arch = facts.machine.kernel_arch.known().or(facts.machine.userland_arch.known())?;
    let page_kib = facts.machine.page_size_bytes.known().map_or(4, |bytes| bytes / 1024);
    let row = BY_DESIGN.rows().find(|row| {
        arch.starts_with(row.get("arch"))
            && row.number("cpus_min").is_some_and(|cpus_min| u64::from(busy_cpus) >= cpus_min)
            && row.number("page_kib_max").is_some_and(|limit| u64::from(page_kib) <= limit)
    })?;
    Some(Design { percent_max: row.number("percent_max")? as f64, why: row.get("why") })
}

/// Kernel time that the design of the machine explains with this many busy CPUs, in percent of the CPU time.
pub fn usual_system_percent(facts: &Facts<'_>, busy_cpus: u32) -> Option<f64> {
    by_design(facts, busy_cpus).map(|design| design.percent_max)
}

/// Kernel time of the workload itself in percent of all CPUs. Zero in logs, whose workloads need little; `None` if not
/// counted.
fn own_percent(facts: &Facts<'_>, phase: &Phase) -> Option<f64> {
    if view::is_log(facts) {
        return Some(0.0);
    }
    let cpus = view::OnlineCpus::of(facts)?.mean(phase.window);
    let mut own_ms = 0.0;
    for step in &phase.steps {
        own_ms += *facts.steps[*step].counters.system_ms.known()? as f64;
    }
    Some(100.0 * own_ms / (phase.window.elapsed_ms().max(1) as f64 * cpus))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, gauge_channel, log, with_step};
    use crate::tests::sentences;
    use record::{AllCpus, ChannelId, CpuPercent, Fact, Unit, Variant, WorkloadId};

    #[test]
    fn an_engine_is_told_from_overhead() {
        for (user, is_engine) in [(0, true), (20, false)] {
            let record = with_step(log("0.9.59"), WorkloadId::OpenSsl, Variant::ONLY, &[0], (0.0, 2.0), compression(1));
            let share = |of| ChannelId::AllCpus(AllCpus::Percent(of));
            let record = gauge_channel(record, share(CpuPercent::Busy), Unit::Percent, &[25 + user; 4]);
            let record = gauge_channel(record, share(CpuPercent::System), Unit::Percent, &[25; 4]);
            let record = gauge_channel(record, share(CpuPercent::User), Unit::Percent, &[user; 4]);
            let found = sentences(RULE.id, &record);
            assert_eq!((found.len(), found[0].starts_with("AES was computed by a crypto engine")), (1, is_engine));
        }
    }

    #[test]
    fn overhead_by_design_is_told_up_to_its_size() {
        for (arch, system, expected) in [
            ("riscv64", 6, Some("at most: known of RISC-V")),
            ("aarch64", 6, None),
            ("riscv64", 14, Some("at most: up to 7 % are known of RISC-V")),
        ] {
            let mut record =
                with_step(log("0.9.67"), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 2.0), compression(1));
            record.steps[0].threads = 4;
            record.machine.kernel_arch = Fact::Known(arch.to_owned());
            let share = |of| ChannelId::AllCpus(AllCpus::Percent(of));
            let record = gauge_channel(record, share(CpuPercent::Busy), Unit::Percent, &[90; 4]);
            let record = gauge_channel(record, share(CpuPercent::System), Unit::Percent, &[system; 4]);
            let found = sentences(RULE.id, &record);
            match expected {
                Some(words) => assert!(found[0].contains(words), "{found:?}"),
                None => assert!(!found[0].contains("known of"), "{found:?}"),
            }
        }
    }

    #[test]
    fn much_kernel_time_is_named() {
        for (system, expected) in
            [([0, 1, 1, 0], 0), ([0, 3, 4, 4], 0), ([0, 6, 6, 6], 1), ([0, 1, 38, 0], 1), ([50, 1, 1, 0], 0)]
        {
            let record = with_step(log("0.9.59"), WorkloadId::OpenSsl, Variant::ONLY, &[0], (0.0, 2.0), compression(1));
            let record =
                gauge_channel(record, ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy)), Unit::Percent, &[25; 4]);
            let record =
                gauge_channel(record, ChannelId::AllCpus(AllCpus::Percent(CpuPercent::System)), Unit::Percent, &system);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
