//! Sensor: values of a Raspberry Pi's firmware: throttle bits, measured clock, core voltage, and on a Raspberry Pi 5
//! current and voltage of every rail.
//!
//! Kernel files on these boards contain requested values; only the firmware knows the actual ones. Throttle bits are
//! stored unchanged: the lower ones are current, the upper ones are sticky since boot, so only the lower ones and new
//! upper ones belong to a run.

use super::{Probe, ReadMethod, SampleInterval, Sensor, labelled};
use crate::Root;
use crate::number::number;
use crate::vcio::{self, Question, Rail};
use record::{Channel, ChannelId, RailKind, RaspberryPiChannel};

pub(super) const SENSOR: Sensor = Sensor::new("raspberry", discover);

/// Every query interrupts the VideoCore, so only the throttle bits are read at every tick.
const INTERVAL_MS_MIN: u32 = 1000;

fn discover(root: &Root) -> Vec<Probe> {
    let Ok(firmware) = vcio::Firmware::open(root) else { return Vec::new() };
    let probe = |question: Question, interval: SampleInterval, of: RaspberryPiChannel, label: &str| Probe {
        interval,
        read: ReadMethod::Firmware(question),
        ..Probe::file(vcio::PATH.into(), number, channel(of, label))
    };
    let rarely = SampleInterval::AtMostEveryMs(INTERVAL_MS_MIN);
    let mut probes = vec![
        probe(Question::Throttled, SampleInterval::EveryTick, RaspberryPiChannel::Throttled, "throttle bits"),
        probe(Question::ArmClockMeasured, rarely, RaspberryPiChannel::ArmClock, "measured by the firmware"),
        probe(Question::CoreVoltage, rarely, RaspberryPiChannel::CoreVoltage, "core"),
    ];
    if let Ok(rails) = firmware.pmic_rails() {
        probes.push(pmic(&rails));
    }
    probes
}

fn channel(of: RaspberryPiChannel, label: &str) -> Channel {
    labelled(Channel::of(ChannelId::RaspberryPi(of)), label)
}

/// Power controller of a Raspberry Pi 5: total power of the rails, then each current and voltage.
fn pmic(rails: &[Rail]) -> Probe {
    let total = channel(RaspberryPiChannel::PmicPower, "sum of all rails");
    let each = rails.iter().map(|rail| {
        let kind = if rail.is_voltage { RailKind::Voltage } else { RailKind::Current };
        let label = match rail.name.as_str() {
            "ext5v" => "input",
            name => name,
        };
        channel(RaspberryPiChannel::Rail(rail.name.as_str().into(), kind), label)
    });
    let channels = std::iter::once(total).chain(each).collect();
    let probe = Probe { read: ReadMethod::PmicRails, ..Probe::file_of_many(vcio::PATH.into(), number, channels) };
    // The converters need some milliseconds for all rails.
    probe.min_interval_ms(INTERVAL_MS_MIN).blocking()
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn rails_are_channels() {
        let rail = |name: &str, is_voltage| Rail { name: name.into(), is_voltage };
        let probe = pmic(&[rail("vdd_core", false), rail("ext5v", true)]);
        let ids: Vec<&ChannelId> = probe.channels.iter().map(|c| &c.id).collect();
        let expected = [
            RaspberryPiChannel::PmicPower,
            RaspberryPiChannel::Rail("vdd_core".into(), RailKind::Current),
            RaspberryPiChannel::Rail("ext5v".into(), RailKind::Voltage),
        ];
        assert_eq!(ids, expected.map(ChannelId::RaspberryPi).each_ref());
        assert!(probe.is_blocking && probe.channels[2].label == "input");
    }

    #[test]
    fn board_has_no_firmware_to_ask() {
        let board = "== /dev/vcio\n\n== /sys/firmware/devicetree/base/model\nRaspberry Pi 4 Model B\n";
        assert_eq!(check::found(&SENSOR, board), [""; 0]);
    }
}
