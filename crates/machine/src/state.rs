//! State of the machine at one moment: memory, swap, online CPUs, residencies. Taken before the first and after the
//! last step of a run; the sampler covers the time in between.

use crate::Root;
use crate::vcio::{Firmware, Question};
use record::{Missing, MissingReason, Reading, State};

/// Mailbox of a Raspberry Pi's firmware.
const DEVICE: &str = "/dev/vcio";

/// Current state. `at_ms` is the time on the axis of the run.
pub fn state(root: &Root, at_ms: i64) -> State {
    State {
        at_ms,
        memory: identify::memory_state(root).into(),
        swaps: identify::swaps(root).into(),
        online_cpus: identify::online(root),
        residencies: identify::residencies(root),
        firmware_throttle_bits: firmware_throttle_bits(root).into(),
        line: None,
    }
}

/// Throttle bits of a Raspberry Pi's firmware, including sticky ones.
fn firmware_throttle_bits(root: &Root) -> Reading<u32> {
    let bits = Firmware::open(root)?.ask(Question::Throttled);
    bits.map(|bits| bits as u32).map_err(|errno| Missing { path: DEVICE.into(), why: MissingReason::Io(errno) })
}

/// True if the machine runs on battery: a battery discharges and no mains supply is connected. Batteries of mice and
/// keyboards do not count (`scope` is `Device`).
///
/// # Errors
/// The kernel lacks the class of power supplies.
pub fn on_battery(root: &Root) -> Reading<bool> {
    const FOLDER: &str = "/sys/class/power_supply";
    let mut discharging = false;
    for supply in root.list(FOLDER)? {
        let file = |name: &str| root.read_value(&format!("{FOLDER}/{supply}/{name}"));
        let is = |name: &str, value: &str| file(name).is_ok_and(|text| text == value);
        if is("scope", "Device") {
            continue;
        }
        if is("type", "Battery") {
            discharging |= is("status", "Discharging");
        } else if is("online", "1") {
            return Ok(false);
        }
    }
    Ok(discharging)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], expected: Option<bool>) {
        let board: String =
            files.iter().map(|(path, text)| format!("== /sys/class/power_supply/{path}\n{text}\n")).collect();
        let root = Root::from_board(&board).unwrap();
        assert_eq!(on_battery(&root).ok(), expected, "{files:?}");
    }

    #[test]
    fn batteries() {
        let battery = [("BAT0/type", "Battery"), ("BAT0/status", "Discharging")];
        check(&[], None);
        check(&battery, Some(true));
        check(&[&battery[..], &[("AC/type", "Mains"), ("AC/online", "1")]].concat(), Some(false));
        check(&[&battery[..], &[("AC/type", "Mains"), ("AC/online", "0")]].concat(), Some(true));
        check(&[&battery[..], &[("BAT0/scope", "Device")]].concat(), Some(false));
        check(&[("AC/type", "Mains"), ("AC/online", "0")], Some(false));
    }

    #[test]
    fn empty_state_has_reasons() {
        let state = state(&Root::from_board("").unwrap(), 7);
        assert_eq!(state.at_ms, 7);
        assert!(state.memory.missing().is_some() && state.swaps.missing().is_some());
    }
}
