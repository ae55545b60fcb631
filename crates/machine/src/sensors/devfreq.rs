//! Sensor: clocks of memory, GPU and buses under devfreq, and the time at each clock.

use super::{Probe, Sensor, has, labelled};
use crate::Root;
use crate::number::{lines, number, take_number};
use record::{Channel, ChannelId, DevfreqChannel};

pub(super) const SENSOR: Sensor = Sensor::new("devfreq", discover);

const DIRECTORY: &str = "/sys/class/devfreq";

/// Some drivers query the firmware for each value.
const INTERVAL_MS_MIN: u32 = 1000;
/// Totals lose nothing at long intervals.
const RESIDENCY_INTERVAL_MS_MIN: u32 = 5000;

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for device in root.list(DIRECTORY).unwrap_or_default() {
        let directory = format!("{DIRECTORY}/{device}");
        if has(root, &directory, "cur_freq") {
            let governor = root.read_value(&format!("{directory}/governor")).unwrap_or_default();
            let channel = channel(&device, DevfreqChannel::Claimed);
            let path = format!("{directory}/cur_freq");
            let probe = Probe::file(path, number, labelled(channel, governor));
            probes.push(probe.min_interval_ms(INTERVAL_MS_MIN));
        }
        probes.extend(residency(root, &device, &directory));
    }
    probes
}

fn channel(device: &str, of: DevfreqChannel) -> Channel {
    Channel::of(ChannelId::Devfreq(device.into(), of))
}

/// Time at each clock, from the last column of `trans_stat`.
fn residency(root: &Root, device: &str, directory: &str) -> Option<Probe> {
    let path = format!("{directory}/trans_stat");
    let table = root.read(&path).ok()?;
    let rows = lines(table.as_bytes()).filter_map(row);
    let channels: Vec<_> = rows.map(|(hz, _)| channel(device, DevfreqChannel::Residency(hz))).collect();
    let probe = Probe::file_of_many(path, parse_residency, channels);
    (!probe.channels.is_empty()).then(|| probe.min_interval_ms(RESIDENCY_INTERVAL_MS_MIN))
}

/// The order of rows is constant while the device exists.
fn parse_residency(text: &[u8], values: &mut [i64]) {
    for ((_, ms), value) in lines(text).filter_map(row).zip(values) {
        *value = ms;
    }
}

/// Clock and time of a row such as `*  528000000:  0  12  3  81230`: the star marks the current clock, the last number
/// is the time in milliseconds.
fn row(line: &[u8]) -> Option<(u64, i64)> {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"*").unwrap_or(line);
    let (hz, rest) = take_number(line)?;
    let hz = u64::try_from(hz).ok()?;
    let numbers = rest.strip_prefix(b":")?.trim_ascii_end();
    let last = numbers.rsplit(u8::is_ascii_whitespace).next()?;
    let (ms, rest) = take_number(last)?;
    rest.is_empty().then_some((hz, ms))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn devices_with_a_clock() {
        let board = format!(
            "== {DIRECTORY}/dmc/cur_freq\n1560000000\n== {DIRECTORY}/dmc/governor\ndmc_ondemand\n== {DIRECTORY}/x/governor\nuserspace\n"
        );
        assert_eq!(check::found(&SENSOR, &board), ["devfreq.dmc.claimed dmc_ondemand 1560000000"]);
    }

    #[test]
    fn time_at_each_clock() {
        // Format of `drivers/devfreq/devfreq.c`.
        let table = "     From  :   To\n           : 528000000 1560000000   time(ms)\n\
                     *  528000000:         0        12     81230\n\
                       1560000000:        12         0      9077\nTotal transition : 24\n";
        let board = format!("== {DIRECTORY}/dmc/trans_stat\n{table}");
        let expected = ["devfreq.dmc.residency.528000000 81230", "devfreq.dmc.residency.1560000000 9077"];
        assert_eq!(check::found(&SENSOR, &board), expected);
        let unknown = format!("== {DIRECTORY}/dmc/trans_stat\nNot Supported.\n");
        assert_eq!(check::found(&SENSOR, &unknown), [""; 0]);
    }
}
