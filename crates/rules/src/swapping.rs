//! Rule: swapping. Memory moved to or from swap during the run.
//!
//! By traffic if it was sampled, because totals hide a run that swaps and frees everything again. Logs have totals
//! before and after only.

use super::Rule;
use super::place::{during, samples_place};
use facts::view::CpuWait;
use facts::{EvidenceSource, Facts, Finding, Place, Quantity, Severity, view};
use record::{ChannelId, RuleId, SwapChannel, SwapKind};

pub(super) const RULE: Rule = Rule::new(RuleId::own("swapping"), check);

/// Less traffic is the kernel's reclaim of idle pages of others.
const TRAFFIC_KIB_MIN: u64 = 4 * 1024;
/// Less growth is noise of the rounded totals in logs.
const GROWTH_KIB_MIN: u64 = 2 * 1024;
/// Less than this, in percent of the memory, are idle pages of others.
const LITTLE_PERCENT_OF_MEMORY: f64 = 0.5;
/// A benchmark that needs more of the memory than this, in percent, leaves no room for the programs' own files.
const NEEDED_PERCENT: u64 = 75;
/// More traffic than this, in percent of the memory, means that the workload itself was swapped.
const INVALID_PERCENT_OF_MEMORY: f64 = 10.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let waited = facts.waited_for_memory();
    let found = match view::swap_traffic_pages(facts) {
        Some((read, written)) => by_traffic(facts, read, written, waited.as_ref()),
        None => by_growth(facts, waited.as_ref()),
    };
    let found = found.or_else(|| without_swap(facts, waited.as_ref()?));
    found.into_iter().map(|finding| with_wait(finding, waited.as_ref())).collect()
}

/// Limits the finding to the workloads that waited, if any.
fn with_wait(finding: Finding, waited: Option<&CpuWait>) -> Finding {
    let finding = finding.seen_by(EvidenceSource::SwapTraffic);
    let Some(waited) = waited.filter(|_| finding.severity > Severity::Info) else { return finding };
    finding
        .of(waited.steps.iter().copied())
        .during(waited.first_ms, waited.last_ms)
        .seen_by(EvidenceSource::CpuTime)
        .with("phase", Quantity::Text(waited.phase.clone()))
        .with("iowait", Quantity::Percent(waited.iowait_percent))
        .with("system", Quantity::Percent(waited.system_percent))
}

/// Without swap, the kernel evicts code of running programs and reads it again.
fn without_swap(facts: &Facts<'_>, waited: &CpuWait) -> Option<Finding> {
    let needed = view::compressions(facts).filter_map(|(_, _, done)| Some((done.ram_size_mb?, done.ram_usage_mb?)));
    let (memory_mb, needed_mb) = needed.max_by_key(|(_, needed_mb)| *needed_mb)?;
    let is_short = u64::from(needed_mb) * 100 >= u64::from(memory_mb) * NEEDED_PERCENT;
    let has_waited = waited.iowait_percent > waited.system_percent;
    let has_none = facts.states.iter().any(|state| state.swaps.known().is_some_and(Vec::is_empty));
    (view::swap_devices(facts).is_empty() && is_short && has_waited).then(|| {
        let template = if has_none {
            "7-zip used {needed} of {memory} and there is no swap: during {phase} up to {iowait} of the CPU time was \
             waited for storage, from which the kernel reads again what it had to drop."
        } else {
            "7-zip used {needed} of {memory}: during {phase} up to {iowait} of the CPU time was waited for storage, from \
             which the kernel reads again what it had to drop or to swap."
        };
        Finding::new(RULE.id, Severity::Degraded, template)
            .confidence(80)
            .with("needed", Quantity::Kib(u64::from(needed_mb) * 1024))
            .with("memory", Quantity::Kib(u64::from(memory_mb) * 1024))
    })
}

fn by_traffic(facts: &Facts<'_>, pages_read: i64, pages_written: i64, waited: Option<&CpuWait>) -> Option<Finding> {
    let page_kib = facts.machine.page_size_bytes.known().map_or(4, |bytes| u64::from(*bytes) / 1024);
    let kib = |pages: i64| pages.max(0) as u64 * page_kib;
    let total_kib = kib(pages_read) + kib(pages_written);
    if total_kib < TRAFFIC_KIB_MIN {
        return None;
    }
    let finding = Finding::new(
        RULE.id,
        of_traffic(facts, total_kib, waited),
        "{written} were written to and {read} read from swap ({device}) during the run.",
    );
    let finding = finding
        .confidence(97)
        .with("written", Quantity::Kib(kib(pages_written)))
        .with("read", Quantity::Kib(kib(pages_read)))
        .with("device", Quantity::Text(device(facts)));
    let moving = [SwapChannel::In, SwapChannel::Out].into_iter().filter_map(|way| {
        let channel = facts.samples.channel(&ChannelId::Swap(way))?;
        let steps = view::counter_steps(facts, channel, view::whole_run());
        let mut moving = steps.iter().filter(|step| step.value > 0);
        let first = moving.next()?;
        let last = moving.next_back().unwrap_or(first);
        Some((&channel.id, first.at_ms, last.at_ms))
    });
    let moving: Vec<_> = moving.collect();
    let (first_ms, last_ms) = (moving.iter().map(|one| one.1).min()?, moving.iter().map(|one| one.2).max()?);
    let places = moving.iter().map(|(channel, first_ms, last_ms)| samples_place(facts, channel, *first_ms, *last_ms));
    Some(during(facts, finding, first_ms, last_ms).at_all(places))
}

fn by_growth(facts: &Facts<'_>, waited: Option<&CpuWait>) -> Option<Finding> {
    let growth = facts.swap_growth().as_ref()?;
    let grown_kib = growth.after_kib.saturating_sub(growth.before_kib);
    if grown_kib < GROWTH_KIB_MIN {
        return None;
    }
    let lines = facts.states.iter().map(|state| match state.line {
        Some(line) => Place::Line(line),
        None => Place::Field("states".into()),
    });
    // A few pages do not keep compression from the CPUs.
    let memory_kib = facts.machine.memory_kib.known().copied().unwrap_or(0);
    let is_little = grown_kib as f64 * 100.0 < LITTLE_PERCENT_OF_MEMORY * memory_kib as f64;
    let waited = waited.filter(|waited| !is_little || waited.is_in_rows());
    let (severity, template) = match waited {
        Some(waited) if !waited.is_in_rows() => (
            Severity::Degraded,
            "Swap use ({device}) grew from {before} to {after}, and compression used less of the CPUs in some runs than in \
             others: not enough memory for the run.",
        ),
        Some(CpuWait { iowait_percent, system_percent, .. }) if iowait_percent >= system_percent => (
            Severity::Degraded,
            "Swap use ({device}) grew from {before} to {after}, and during {phase} up to {iowait} of the CPU time was waited \
             for it: not enough memory for the run.",
        ),
        Some(_) => (
            Severity::Degraded,
            "Swap use ({device}) grew from {before} to {after}, and during {phase} the kernel used up to {system} of the CPU \
             time for it: not enough memory for the run.",
        ),
        None => {
            (Severity::Info, "Swap use ({device}) grew from {before} to {after}; runs on all CPUs did not wait for it.")
        }
    };
    let finding = Finding::new(RULE.id, severity, template);
    let finding = finding
        .with("device", Quantity::Text(device(facts)))
        .with("before", Quantity::Kib(growth.before_kib))
        .with("after", Quantity::Kib(growth.after_kib))
        .with("grown", Quantity::Kib(grown_kib))
        .at_all(lines);
    Some(finding)
}

/// Swapping harms a run if something waited for it; if a large part of the memory moves, the score is that of the swap
/// device.
fn of_traffic(facts: &Facts<'_>, moved_kib: u64, waited: Option<&CpuWait>) -> Severity {
    let memory_kib = facts.machine.memory_kib.known().copied().unwrap_or(0);
    let percent = 100.0 * moved_kib as f64 / memory_kib.max(1) as f64;
    if memory_kib > 0 && percent >= INVALID_PERCENT_OF_MEMORY {
        Severity::Invalid
    } else if waited.is_some() {
        Severity::Degraded
    } else {
        Severity::Info
    }
}

/// Description of the swap device.
pub(super) fn device(facts: &Facts<'_>) -> String {
    let mut names: Vec<&str> = view::swap_devices(facts)
        .iter()
        .map(|swap| match swap.kind {
            SwapKind::Zram => "zram",
            SwapKind::SdCard => "SD card or eMMC",
            SwapKind::RotatingDisk => "hard disk",
            SwapKind::Disk => "SSD or virtual disk",
            SwapKind::Unknown => swap.path.as_str(),
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() { "unknown device".into() } else { names.join(" and ") }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, counter, gauge_channel, log, own_run, state, swap, with_step};
    use crate::tests::{findings_of, sentences};
    use facts::Severity;
    use record::{AllCpus, ChannelId, CpuPercent, Fact, SwapChannel, SwapKind, Unit, Variant, WorkloadId};

    #[test]
    fn traffic_counts_even_if_the_total_does_not_grow() {
        let mut record = counter(own_run(), ChannelId::Swap(SwapChannel::In), Unit::Pages, &[100, 100, 2100]);
        record = counter(record, ChannelId::Swap(SwapChannel::Out), Unit::Pages, &[0, 25_600, 25_600]);
        assert_eq!(
            sentences(RULE.id, &record),
            ["100 MiB were written to and 8000 KiB read from swap (unknown device) during the run."]
        );
        record.machine.memory_kib = Fact::Known(512 * 1024);
        assert_eq!(findings_of(RULE.id, &record)[0].severity, Severity::Invalid);
    }

    #[test]
    fn traffic_before_the_run_does_not_count() {
        let record = counter(own_run(), ChannelId::Swap(SwapChannel::In), Unit::Pages, &[90_000, 90_000, 90_010]);
        let record = counter(record, ChannelId::Swap(SwapChannel::Out), Unit::Pages, &[80_000, 80_000, 80_000]);
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }

    /// Swap traffic is harmless by itself.
    #[test]
    fn swapping_without_stalls_is_a_note() {
        for (iowait, system, expected) in [
            ([0, 2, 1, 0], [0, 3, 3, 3], Severity::Info),
            ([0, 9, 1, 0], [0, 3, 3, 3], Severity::Degraded),
            ([0, 2, 1, 0], [0, 3, 30, 3], Severity::Degraded),
        ] {
            let mut record = log("0.9.59");
            record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 2.0), compression(1));
            let share = |of| ChannelId::AllCpus(AllCpus::Percent(of));
            for (of, values) in
                [(CpuPercent::Busy, [90; 4]), (CpuPercent::Iowait, iowait), (CpuPercent::System, system)]
            {
                record = gauge_channel(record, share(of), Unit::Percent, &values);
            }
            for used_kib in [0, 83_000] {
                let mut moment = state(None);
                moment.swaps = Fact::Known(vec![swap("/dev/zram0", SwapKind::Zram, used_kib)]);
                record.states.push(moment);
            }
            let found = findings_of(RULE.id, &record);
            assert_eq!(found[0].severity, expected, "{}", found[0].sentence());
        }
    }

    #[test]
    fn logs_tell_only_totals() {
        for (after_kib, expected) in [(83_000, 1), (1_000, 0)] {
            let mut record = log("0.9.59");
            for used_kib in [0, after_kib] {
                let mut moment = state(None);
                let device = swap("/dev/zram0", SwapKind::Zram, used_kib);
                moment.swaps = Fact::Known(vec![device]);
                record.states.push(moment);
            }
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
