//! Selects the entries of `/sys/class/power_supply` that supply this machine.
//!
//! The directory also contains batteries of mice, keyboards and headsets (`scope` is `Device`), and slots of missing
//! batteries (`present` is 0). Source: Linux Documentation/ABI/testing/sysfs-class-power.

use crate::Root;

/// Directory of power supplies.
pub(crate) const DIRECTORY: &str = "/sys/class/power_supply";

/// Names of this machine's supplies.
pub(crate) fn names(root: &Root) -> Vec<String> {
    let mut names = root.list(DIRECTORY).unwrap_or_default();
    let says = |name: &str, file: &str, value: &str| {
        root.read_value(&format!("{DIRECTORY}/{name}/{file}")).is_ok_and(|text| text == value)
    };
    names.retain(|name| !says(name, "scope", "Device") && !says(name, "present", "0"));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supplies_of_other_devices_are_left() {
        let board = "\
== /sys/class/power_supply/BAT0/type
Battery
== /sys/class/power_supply/BAT0/present
1
== /sys/class/power_supply/hid-mouse-battery/scope
Device
== /sys/class/power_supply/rtc/present
0
== /sys/class/power_supply/usb/scope
System
";
        assert_eq!(names(&Root::from_board(board).unwrap()), ["BAT0", "usb"]);
    }
}
