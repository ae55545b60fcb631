//! Sensor: what the firmware of a Raspberry Pi says: throttle bits, the clock it measures, and the
//! voltage of the core.
//!
//! The kernel's files on these boards show what was asked for; only the firmware knows what is.
//! The throttle bits are kept as they are: the lower ones are live, the upper ones stick from boot
//! on, so that only the lower ones and new upper ones belong to a run.

use super::parse::number;
use super::{Beat, Probe, Read, Sensor, gauge, labelled};
use crate::Root;
use crate::vcio::{self, Question};
use record::Unit;

pub(super) const SENSOR: Sensor = Sensor {
    id: "raspberry",
    about: "Throttle bits, measured clock and core voltage by the firmware of a Raspberry Pi.",
    kernel_doc: "https://github.com/raspberrypi/firmware/wiki/Mailbox-property-interface",
    discover,
};

/// Every question interrupts the VideoCore; only the throttle bits are worth it at every tick.
const BEAT_MS: u32 = 1000;

fn discover(root: &Root) -> Vec<Probe> {
    if vcio::Firmware::open(root).is_err() {
        return Vec::new();
    }
    let probe = |question: Question, beat: Beat, id: &str, unit: Unit, label: &str| Probe {
        beat,
        read: Read::Firmware(question),
        ..Probe::file(vcio::PATH.into(), number, labelled(gauge(id, unit), label))
    };
    let seldom = Beat::AtMostEveryMs(BEAT_MS);
    vec![
        probe(
            Question::Throttled,
            Beat::EveryTick,
            "rpi.throttled",
            Unit::Bits,
            "throttle bits",
        ),
        probe(
            Question::ArmClockMeasured,
            seldom,
            "rpi.clock.arm",
            Unit::Hertz,
            "measured by the firmware",
        ),
        probe(
            Question::CoreVoltage,
            seldom,
            "rpi.voltage.core",
            Unit::Microvolts,
            "core",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn a_board_has_no_firmware_to_ask() {
        let board =
            "== /dev/vcio\n\n== /sys/firmware/devicetree/base/model\nRaspberry Pi 4 Model B\n";
        assert_eq!(check::found(&SENSOR, board), [""; 0]);
    }
}
