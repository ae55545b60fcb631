//! Sensor: available memory and swap in use, from `/proc/meminfo`, in KiB.

use super::{NONE, Probe, Sensor};
use crate::Root;
use crate::number::keyed;
use record::{Channel, ChannelId, MemoryChannel, SwapChannel};

pub(super) const SENSOR: Sensor = Sensor::new("memory", discover);

const PATH: &str = "/proc/meminfo";

fn discover(root: &Root) -> Vec<Probe> {
    if root.read(PATH).is_err() {
        return Vec::new();
    }
    let channels =
        vec![Channel::of(ChannelId::Memory(MemoryChannel::Available)), Channel::of(ChannelId::Swap(SwapChannel::Used))];
    // One of the more expensive files, 10 to 30 µs; memory pressure shows faster changes.
    vec![Probe::file_of_many(PATH.into(), parse, channels).rarely()]
}

/// Kernels before 3.14 lack `MemAvailable`; it is missing then, because free memory plus caches would be another
/// quantity.
fn parse(text: &[u8], values: &mut [i64]) {
    let mut found = [NONE; 3];
    keyed(text, &["MemAvailable:", "SwapTotal:", "SwapFree:"], &mut found);
    let [available, total, free] = found;
    values[0] = available;
    if total != NONE && free != NONE {
        values[1] = total.saturating_sub(free);
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::parsed;
    use super::*;

    #[test]
    fn available_and_used() {
        let text = "MemTotal: 4028416 kB\nMemFree: 100 kB\nMemAvailable:  3500000 kB\nSwapCached: 5 kB\nSwapTotal: 2014204 kB\nSwapFree: 2000000 kB\n";
        assert_eq!(parsed(parse, text, 2), [3_500_000, 14_204]);
        let old = "MemTotal: 4028416 kB\nMemFree: 100 kB\n";
        assert_eq!(parsed(parse, old, 2), [NONE, NONE]);
    }
}
