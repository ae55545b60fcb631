//! Sensor: data swapped to zram, and the memory that it occupies.

use super::{NONE, Probe, Sensor, numbered};
use crate::Root;
use crate::number::numbers;
use record::{Channel, ChannelId, ZramChannel};

pub(super) const SENSOR: Sensor = Sensor::new("zram", discover);

const INTERVAL_MS_MIN: u32 = 1000;

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for (name, device) in numbered(root, "/sys/block", "zram") {
        let directory = format!("/sys/block/{name}");
        // Devices that are not configured have the size 0.
        let size_bytes: u64 = root.read_number(&format!("{directory}/disksize")).unwrap_or(0);
        if size_bytes == 0 || !super::has(root, &directory, "mm_stat") {
            continue;
        }
        let channel = |of| Channel::of(ChannelId::Zram(device, of));
        let channels = [ZramChannel::Original, ZramChannel::Compressed, ZramChannel::Used].map(channel).into();
        let probe = Probe::file_of_many(format!("{directory}/mm_stat"), parse, channels);
        probes.push(probe.min_interval_ms(INTERVAL_MS_MIN));
    }
    probes
}

/// `orig_data_size compr_data_size mem_used_total ...` in bytes.
fn parse(text: &[u8], values: &mut [i64]) {
    numbers(text, values);
    for value in values.iter_mut().filter(|value| **value != NONE) {
        *value /= 1024;
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn sizes_in_kib() {
        let board = "\
== /sys/block/zram0/disksize
1073741824
== /sys/block/zram0/mm_stat
 4096000  1024000  1228800        0 20480000  0 0 0 0
== /sys/block/zram1/disksize
0
== /sys/block/zram1/mm_stat
0 0 0 0 0 0 0 0 0
";
        let expected = ["zram0.original 4000", "zram0.compressed 1000", "zram0.used 1200"];
        assert_eq!(check::found(&SENSOR, board), expected);
    }
}
