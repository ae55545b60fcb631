//! Sensor: data read from and written to every disk, from the counters of the block layer.
//!
//! It also shows a busy card that no task waits for.

use super::{NONE, Probe, Sensor, has};
use crate::Root;
use crate::number::numbers;
use record::{Channel, ChannelId, ChannelKind, Unit};

pub(super) const SENSOR: Sensor = Sensor::new("disk", discover);

const INTERVAL_MS_MIN: u32 = 1000;

/// Indices of read and written sectors among the numbers of the file.
const SECTORS: [usize; 2] = [2, 6];

fn discover(root: &Root) -> Vec<Probe> {
    let mut names = root.list("/sys/block").unwrap_or_default();
    names.sort_unstable();
    // Devices on top of other disks or in memory would be counted twice.
    names.retain(|name| !["loop", "ram", "zram", "dm-", "md"].iter().any(|kind| name.starts_with(kind)));
    let probe = |name: String| {
        let directory = format!("/sys/block/{name}");
        let channel = |way: &str| {
            let Ok(id) = format!("disk.{name}.{way}").parse::<ChannelId>();
            Channel::new(id, Unit::Kibibytes, ChannelKind::Counter)
        };
        let channels = ["read", "written"].map(channel).into();
        let probe = || Probe::file_of_many(format!("{directory}/stat"), parse, channels);
        has(root, &directory, "stat").then(probe).map(|probe| probe.min_interval_ms(INTERVAL_MS_MIN))
    };
    names.into_iter().filter_map(probe).collect()
}

/// `reads merged sectors ms writes merged sectors ms ...`; a sector has 512 bytes on every disk.
fn parse(text: &[u8], values: &mut [i64]) {
    let mut all = [NONE; 7];
    numbers(text, &mut all);
    for (value, place) in values.iter_mut().zip(SECTORS) {
        if all[place] != NONE {
            *value = all[place] / 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn disks_alone_are_counted_in_kib() {
        let board = "\
== /sys/block/mmcblk0/stat
     946      338    61538     1244       12        3      200       31        0      988     1275
== /sys/block/sda/stat
       1        0
== /sys/block/zram0/stat
       1        0        8        0        1        0        8        0        0        0        0
";
        let expected = ["disk.mmcblk0.read 30769", "disk.mmcblk0.written 100", "disk.sda.read -", "disk.sda.written -"];
        assert_eq!(check::found(&SENSOR, board), expected);
    }
}
