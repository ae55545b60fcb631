//! Sensor: swap traffic, OOM kills and major page faults, from `/proc/vmstat`.
//!
//! Traffic is counted because totals of swap before and after a run do not show swapping in between.

use super::{Probe, Sensor};
use crate::Root;
use crate::number::keyed;
use record::{Channel, ChannelId, MemoryChannel, SwapChannel};

pub(super) const SENSOR: Sensor = Sensor::new("vmstat", discover);

const PATH: &str = "/proc/vmstat";

fn discover(root: &Root) -> Vec<Probe> {
    if root.read(PATH).is_err() {
        return Vec::new();
    }
    let ids = [
        ChannelId::Swap(SwapChannel::In),
        ChannelId::Swap(SwapChannel::Out),
        ChannelId::Memory(MemoryChannel::MajorFaults),
        ChannelId::Memory(MemoryChannel::OomKills),
    ];
    let channels = ids.map(Channel::of).into();
    // The most expensive file: 26 to 46 µs.
    vec![Probe::file_of_many(PATH.into(), parse, channels).rarely()]
}

/// `oom_kill` exists since Linux 4.13.
fn parse(text: &[u8], values: &mut [i64]) {
    keyed(text, &["pswpin", "pswpout", "pgmajfault", "oom_kill"], values);
}

#[cfg(test)]
mod tests {
    use super::super::{NONE, check::parsed};
    use super::*;

    #[test]
    fn counters_are_found_in_any_order() {
        let text = "nr_free_pages 803\npswpin 12\npswpout 34\npgfault 7\npgmajfault 56\noom_kill 1\nswap_ra 9\n";
        assert_eq!(parsed(parse, text, 4), [12, 34, 56, 1]);
        assert_eq!(parsed(parse, "pswpin 1\n", 4), [1, NONE, NONE, NONE]);
    }
}
