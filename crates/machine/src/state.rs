//! State of the machine at one moment: memory, swap, online CPUs, residencies before the first and after the last step of a
//! run; time since boot, load averages and battery at its start. The sampler covers the time in between.

use crate::Root;
use crate::vcio::{Firmware, PATH, Question};
use record::{Missing, MissingReason, Reading, State};

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
    bits.map(|bits| bits as u32).map_err(|errno| Missing { path: PATH.into(), why: MissingReason::Io(errno) })
}

/// Time since boot in milliseconds, from `/proc/uptime`: `seconds.hundredths idle`.
///
/// # Errors
/// The file is missing or invalid.
pub fn uptime_ms(root: &Root) -> Reading<u64> {
    let path = "/proc/uptime";
    let text = root.read_value(path)?;
    let seconds = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    seconds.map(|seconds| (seconds * 1000.0) as u64).ok_or_else(|| Missing::garbled(path, &text))
}

/// Load averages over 1, 5 and 15 minutes times 100, from `/proc/loadavg`: `0.97 0.72 0.34 2/123 4567`.
///
/// # Errors
/// The file is missing or invalid.
pub fn load_hundredths(root: &Root) -> Reading<[u32; 3]> {
    let path = "/proc/loadavg";
    let text = root.read_value(path)?;
    let mut loads = text.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
    let mut next = || loads.next().map(|load| (load * 100.0).round() as u32);
    match (next(), next(), next()) {
        (Some(one), Some(five), Some(fifteen)) => Ok([one, five, fifteen]),
        _ => Err(Missing::garbled(path, &text)),
    }
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

    #[test]
    fn start_of_a_run_is_read_from_proc() {
        let board = "== /proc/uptime\n35.12 60.00\n== /proc/loadavg\n1.97 0.72 0.34 2/123 4567\n";
        let root = Root::from_board(board).unwrap();
        assert_eq!(uptime_ms(&root).unwrap(), 35_120);
        assert_eq!(load_hundredths(&root).unwrap(), [197, 72, 34]);
    }

    #[test]
    fn missing_proc_values() {
        let root = Root::from_board("== /proc/loadavg\nbusy\n").unwrap();
        assert!(uptime_ms(&root).is_err());
        assert!(load_hundredths(&root).is_err());
    }
}
