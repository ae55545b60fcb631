//! Evidence in a Record about clocks, memory and userland.

use super::{SAME_LOG, loss, usual};
use crate::rank::Entry;
use crate::word_size::is_narrow;
use facts::{Cause, Facts};
use record::{Record, Variant, WorkloadId};

/// Cause of a lower clock, of the cores with the largest deficit.
pub(super) fn of_clock(record: &Record, entries: &[Entry]) -> Option<(Cause, String)> {
    let cold = entries
        .iter()
        .filter(|entry| entry.figure.key.is_of(WorkloadId::Clock) && entry.figure.key.is_form(&Variant::COLD));
    let lost = cold.filter_map(|entry| Some((entry, loss(entry)?))).max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((entry, _)) = lost.filter(|(_, lost)| *lost >= SAME_LOG) else {
        // Some clusters are not measured, or have no peers.
        let (policy, limit, highest) = lowest_limit(record)?;
        let cpus = record::cpu_words(&policy.cpus);
        let words = format!("{cpus}: cpufreq is limited to {} MHz of {}", limit / 1000, highest / 1000);
        return Some((Cause::ClockLimit, words));
    };
    let core = entry.figure.core.as_ref()?;
    let mhz = entry.figure.value;
    let others = usual(entry)?;
    let name = core.label();
    let told = format!("{name} at {mhz:.0} MHz instead of {others:.0} MHz");
    let policies = &record.machine.policies;
    let knows_clocks = |policy: &record::Policy| policy.clock_khz_max.known().is_some() || !policy.opps_khz.is_empty();
    if !policies.iter().any(knows_clocks) {
        return Some((
            Cause::NoOpps,
            format!("{told}: the kernel has no OPPs, cores keep the clock that the firmware gave them"),
        ));
    }
    let policy = policies.iter().find(|policy| policy.cpus.iter().any(|cpu| core.cpus.contains(cpu)));
    let limit = policy.and_then(|policy| {
        let highest = policy.clock_khz_max.known().copied().or(policy.opps_khz.last().copied());
        let limit = policy.limit_khz_max.known().copied().or(highest)?;
        let limit_mhz = f64::from(limit) / 1000.0;
        // The clock is at the limit, which is below the clock of others.
        ((mhz / limit_mhz).ln().abs() < SAME_LOG && (others / limit_mhz).ln() > SAME_LOG).then_some((limit, highest))
    });
    Some(match limit {
        Some((limit, Some(highest))) if highest > limit => {
            (Cause::ClockLimit, format!("{told}: cpufreq is limited to {} MHz of {}", limit / 1000, highest / 1000))
        }
        Some((limit, Some(_))) => {
            (Cause::HighestOpp, format!("{told}: cpufreq offers no more than {} MHz", limit / 1000))
        }
        Some((limit, None)) => (Cause::ClockLimit, format!("{told}: cpufreq is limited to {} MHz", limit / 1000)),
        None => (Cause::Clock, told),
    })
}

/// The policy with the lowest limit relative to its highest clock, if one is limited; limit and highest clock in kHz.
pub(super) fn lowest_limit(record: &Record) -> Option<(&record::Policy, u32, u32)> {
    let policies = record.machine.policies.iter();
    let limited = policies.filter_map(|policy| {
        let (limit, highest) = (*policy.limit_khz_max.known()?, *policy.clock_khz_max.known()?);
        (limit_log(limit, highest) > SAME_LOG).then_some((policy, limit, highest))
    });
    limited.max_by(|a, b| limit_log(a.1, a.2).total_cmp(&limit_log(b.1, b.2)))
}

fn limit_log(limit: u32, highest: u32) -> f64 {
    (f64::from(highest) / f64::from(limit)).ln()
}

/// Mean loss of the clocks of all CPUs by limits of cpufreq, as a logarithm.
pub(super) fn limit_loss(record: &Record) -> f64 {
    let of_policy = |policy: &record::Policy| match (policy.limit_khz_max.known(), policy.clock_khz_max.known()) {
        (Some(limit), Some(highest)) => vec![f64::from(*limit.min(highest)) / f64::from(*highest); policy.cpus.len()],
        _ => vec![1.0; policy.cpus.len()],
    };
    let kept: Vec<f64> = record.machine.policies.iter().flat_map(of_policy).collect();
    facts::stats::mean(&kept).map_or(0.0, |kept| -kept.max(f64::EPSILON).ln())
}

/// Known facts about the memory clock: governor and clock of devfreq, modules of PCs.
pub(super) fn dram(facts: &Facts<'_>) -> Option<String> {
    crate::settings_of(facts).into_iter().find(|(name, _)| *name == "DRAM").and_then(|(_, value)| value)
}

/// 32-bit programs on 64-bit cores.
pub(super) fn narrow_userland(record: &Record) -> Option<String> {
    let userland = record.machine.userland_arch.known()?;
    let is_narrow = is_narrow(userland);
    let kernel = record.machine.kernel_arch.known().map(String::as_str);
    let is_wide_kernel = matches!(kernel, Some("aarch64" | "x86_64"));
    let cores = record.machine.clusters.iter().filter_map(|cluster| cluster.core_type.known());
    let is_wide_core = cores.into_iter().any(|core| is_of_64_bits(core));
    (is_narrow && (is_wide_kernel || is_wide_core))
        .then(|| format!("32-bit userland ({userland}) on cores that run 64-bit programs"))
}

/// True for ARM core types with 64 bits.
fn is_of_64_bits(core: &str) -> bool {
    const NARROW: [&str; 8] = ["A5", "A7", "A8", "A9", "A12", "A15", "A17", "A32"];
    core.strip_prefix("Cortex-").is_some_and(|name| name.starts_with('A') && !NARROW.contains(&name))
        || core.starts_with("Neoverse")
}
