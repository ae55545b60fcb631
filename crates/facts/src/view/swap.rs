//! Swap: configuration, growth of its use, and traffic.

use super::samples::{counter_total, states_of_last_part, whole_run};
use record::{ChannelId, Record, SwapChannel, SwapState, Total};

/// Last known swap devices.
pub fn swap_devices(record: &Record) -> &[SwapState] {
    let mut known = record.states.iter().rev().filter_map(|state| state.swaps.known());
    known.next().map_or(&[], Vec::as_slice)
}

/// Swap in use before the first and after the last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwapGrowth {
    /// Before, in KiB.
    pub before_kib: u64,
    /// After, in KiB.
    pub after_kib: u64,
}

/// Swap use before and after; `None` if not known twice.
pub(crate) fn swap_growth(record: &Record) -> Option<SwapGrowth> {
    let states = states_of_last_part(record).iter();
    let mut used = states.filter_map(|state| {
        let swaps = state.swaps.known()?;
        Some(swaps.iter().map(|swap| swap.used_kib).total::<u64>())
    });
    Some(SwapGrowth { before_kib: used.next()?, after_kib: used.next_back()? })
}

/// Pages read from and written to swap during the run (`pswpin`, `pswpout` of `/proc/vmstat`); `None` if not sampled.
pub fn swap_traffic_pages(record: &Record) -> Option<(i64, i64)> {
    let moved = |of: SwapChannel| {
        let channel = record.samples.channel(&ChannelId::Swap(of))?;
        counter_total(record, channel, whole_run())
    };
    Some((moved(SwapChannel::In)?, moved(SwapChannel::Out)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{log, state, swap};
    use record::{Fact, SwapKind};

    #[test]
    fn growth_needs_two_moments() {
        let mut record = log("0.9.72");
        let mut before = state(None);
        before.swaps = Fact::Known(vec![swap("/dev/zram0", SwapKind::Zram, 100)]);
        record.states.push(before.clone());
        assert_eq!(swap_growth(&record), None);
        before.swaps = Fact::Known(vec![swap("/dev/zram0", SwapKind::Zram, 500)]);
        record.states.push(before);
        let growth = swap_growth(&record).unwrap();
        assert_eq!((growth.before_kib, growth.after_kib), (100, 500));
        assert_eq!(swap_devices(&record)[0].used_kib, 500);
    }
}
