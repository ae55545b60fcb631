//! Rule: swapping. Memory was moved to or from swap during the run.
//!
//! By traffic where it was watched: a run that swaps and frees everything again looks clean in
//! totals. Logs have only the totals before and after.

use super::place::samples_place;
use super::{Check, Rule};
use crate::{Finding, Place, Quantity, Severity, view};
use record::{ChannelId, OfSwap, Record, RuleId, SwapKind};

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("swapping"),
    about: "The system swapped during the run.",
    link: "https://docs.kernel.org/admin-guide/mm/concepts.html#reclaim",
    check: Check::Record(check),
    ..Rule::PLAIN
};

/// Less traffic than this is the kernel tidying up idle pages of others.
const TRAFFIC_KIB_MIN: u64 = 4 * 1024;
/// Less growth than this is noise of the rounded totals that logs print.
const GROWTH_KIB_MIN: u64 = 2 * 1024;
/// Less than this, in percent of the memory, are idle pages of others that cost the run nothing.
const DEGRADED_PERCENT_OF_MEMORY: f64 = 0.5;
/// More traffic than this, in percent of the memory, means that the workload itself was swapped.
const INVALID_PERCENT_OF_MEMORY: f64 = 10.0;

fn check(record: &Record) -> Vec<Finding> {
    let found = match view::swap_traffic_pages(record) {
        Some((read, written)) => by_traffic(record, read, written),
        None => by_growth(record),
    };
    found.into_iter().collect()
}

fn by_traffic(record: &Record, pages_read: i64, pages_written: i64) -> Option<Finding> {
    let page_kib = record.machine.page_size_bytes.known().map_or(4, |bytes| u64::from(*bytes) / 1024);
    let kib = |pages: i64| pages.max(0) as u64 * page_kib;
    let total_kib = kib(pages_read) + kib(pages_written);
    if total_kib < TRAFFIC_KIB_MIN {
        return None;
    }
    let finding = Finding::new(
        RULE.id,
        severity(record, total_kib),
        "{written} were written to and {read} read from swap ({device}) during the run.",
    );
    let finding = finding
        .sure(97)
        .with("written", Quantity::Kib(kib(pages_written)))
        .with("read", Quantity::Kib(kib(pages_read)))
        .with("device", Quantity::Text(device(record)))
        .at_all([OfSwap::In, OfSwap::Out].into_iter().filter_map(|way| {
            let channel = record.samples.channel(&ChannelId::Swap(way))?;
            let steps = view::counter_steps(record, channel, view::whole_run());
            let mut moving = steps.iter().filter(|step| step.value > 0);
            let first = moving.next()?;
            let last = moving.next_back().unwrap_or(first);
            Some(samples_place(record, &channel.id, first.at_ms, last.at_ms))
        }));
    Some(finding)
}

fn by_growth(record: &Record) -> Option<Finding> {
    let growth = view::swap_growth(record)?;
    let grown_kib = growth.after_kib.saturating_sub(growth.before_kib);
    if grown_kib < GROWTH_KIB_MIN {
        return None;
    }
    let lines = record.states.iter().map(|state| match state.line {
        Some(line) => Place::Line(line),
        None => Place::Field("states".into()),
    });
    let finding = Finding::new(
        RULE.id,
        severity(record, grown_kib),
        "Swap use ({device}) grew from {before} to {after}: not enough memory for the run.",
    );
    let finding = finding
        .with("device", Quantity::Text(device(record)))
        .with("before", Quantity::Kib(growth.before_kib))
        .with("after", Quantity::Kib(growth.after_kib))
        .with("grown", Quantity::Kib(grown_kib))
        .at_all(lines);
    Some(finding)
}

/// A little swapping holds a run back; when a good part of the memory moves, the score is that of
/// the swap device.
fn severity(record: &Record, moved_kib: u64) -> Severity {
    let memory_kib = record.machine.memory_kib.known().copied().unwrap_or(0);
    let percent = 100.0 * moved_kib as f64 / memory_kib.max(1) as f64;
    if memory_kib > 0 && percent >= INVALID_PERCENT_OF_MEMORY {
        Severity::Invalid
    } else if memory_kib > 0 && percent < DEGRADED_PERCENT_OF_MEMORY {
        Severity::Info
    } else {
        Severity::Degraded
    }
}

/// What the swap is, in words.
pub(super) fn device(record: &Record) -> String {
    let mut names: Vec<&str> = view::swap_devices(record)
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
    match names.is_empty() {
        true => "unknown device".into(),
        false => names.join(" and "),
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::Severity;
    use crate::rules::tests::{findings_of, sentences};
    use crate::test_support::{counter, log, own_run, state, swap};
    use record::{ChannelId, Fact, OfSwap, SwapKind, Unit};

    #[test]
    fn traffic_counts_even_if_the_total_does_not_grow() {
        let mut record = counter(own_run(), ChannelId::Swap(OfSwap::In), Unit::Pages, &[100, 100, 2100]);
        record = counter(record, ChannelId::Swap(OfSwap::Out), Unit::Pages, &[0, 25_600, 25_600]);
        assert_eq!(
            sentences(RULE.id, &record),
            ["100 MiB were written to and 8000 KiB read from swap (unknown device) during the run."]
        );
        record.machine.memory_kib = Fact::Known(512 * 1024);
        assert_eq!(findings_of(RULE.id, &record)[0].severity, Severity::Invalid);
    }

    #[test]
    fn traffic_before_the_run_does_not_count() {
        let record = counter(own_run(), ChannelId::Swap(OfSwap::In), Unit::Pages, &[90_000, 90_000, 90_010]);
        let record = counter(record, ChannelId::Swap(OfSwap::Out), Unit::Pages, &[80_000, 80_000, 80_000]);
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
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
