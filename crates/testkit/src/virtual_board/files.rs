//! Files of a virtual board below `/sys`, and their handling of writes.
//!
//! Paths are relative to `/sys`. Formats are those of Documentation/admin-guide/pm/cpufreq.rst,
//! Documentation/driver-api/thermal/sysfs-api.rst and Documentation/hwmon/sysfs-interface.rst.

use super::board::{KernelSpec, MeterLocation, MeterSpec, Mode, PolicySpec};
use super::model::{ALARM, CONNECTOR, MEM_SLEEP, Model, RATE_LIMIT_US};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// Governors of every policy.
const GOVERNORS: &str = "conservative ondemand userspace powersave performance schedutil";
/// Directories below `/sys` that are overlaid.
pub(super) const FOLDERS: [&str; 6] =
    ["bus", "class", "devices/system/cpu", "devices/virtual", "devices/platform", "power"];
/// Tunable of governor `schedutil`, present while that governor is active.
const RATE_LIMIT: &str = "schedutil/rate_limit_us";
/// Firmware of a Raspberry Pi (drivers/firmware/raspberrypi.c and its hwmon driver).
const PI_BITS: &str = "devices/platform/soc/soc:firmware/get_throttled";
const PI_ALARM: &str = "devices/virtual/hwmon/hwmon1";
const ZONE: &str = "devices/virtual/thermal/thermal_zone0";
const METER: &str = "devices/virtual/hwmon/hwmon0";
const RAILS: &str = "devices/virtual/hwmon/hwmon2";

/// Entry at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// File with this content.
    File {
        /// Text that a read returns.
        text: String,
        /// True if the file is writable.
        is_writable: bool,
    },
    /// File that cannot be read: the device does not respond (ENXIO).
    Dead,
    /// `/proc/stat` of the board.
    Stat,
    /// A symbolic link.
    Link(String),
}

/// All current files and links of the board, by path.
pub fn nodes(model: &Model) -> BTreeMap<String, Node> {
    let mut nodes = BTreeMap::new();
    for index in 0..model.policies.len() {
        policy(model, index, &mut nodes);
    }
    let read_only = |text: String| Node::File { text, is_writable: false };
    let mut file = |path: String, text: String| nodes.insert(path, read_only(text + "\n"));
    let throttle = &model.board.throttle;
    let zone = [
        ("type", "cpu-thermal".to_owned()),
        ("temp", milli(model.temp_c)),
        ("mode", "enabled".to_owned()),
        ("policy", "step_wise".to_owned()),
        ("trip_point_0_type", "passive".to_owned()),
        ("trip_point_0_temp", milli(throttle.passive_c)),
        ("trip_point_0_hyst", milli(throttle.hysteresis_c)),
        ("trip_point_1_type", "critical".to_owned()),
        ("trip_point_1_temp", milli(throttle.passive_c + 30.0)),
    ];
    for (name, text) in zone {
        if model.board.thermal.has_sensor {
            file(format!("{ZONE}/{name}"), text);
        }
    }
    for (number, zone) in (1..).zip(&model.board.thermal.zone) {
        let folder = format!("devices/virtual/thermal/thermal_zone{number}");
        file(format!("{folder}/type"), zone.name.clone());
        file(format!("{folder}/temp"), milli(model.temp_c + zone.above_k));
    }
    if throttle.mode == Mode::Kernel {
        for (index, policy) in model.board.policy.iter().enumerate() {
            let device = format!("devices/virtual/thermal/cooling_device{index}");
            let top = policy.opps.len() - 1;
            file(format!("{device}/type"), format!("cpufreq-cpu{}", policy.cpus[0]));
            file(format!("{device}/cur_state"), model.level.min(top).to_string());
            file(format!("{device}/max_state"), top.to_string());
        }
    }
    let on_board = |meter: &&MeterSpec| meter.place == MeterLocation::Board;
    if model.board.meter.as_ref().filter(on_board).is_some() {
        file(format!("{METER}/name"), "power_meter".to_owned());
        // A chip that disappeared leaves its files, but reads fail.
        let (watts, volts, amperes) =
            model.metered().map_or((None, None, None), |(w, v, a)| (Some(w * 1e6), Some(v * 1e3), Some(a * 1e3)));
        if let Some(joules) = model.counted_j() {
            file(format!("{METER}/energy1_input"), format!("{:.0}", joules * 1e6));
        }
        for (name, value) in [("power1_input", watts), ("in1_input", volts), ("curr1_input", amperes)] {
            let node = value.map_or(Node::Dead, |value| read_only(format!("{value:.0}\n")));
            nodes.insert(format!("{METER}/{name}"), node);
        }
    }
    let mut file = |path: String, text: String| nodes.insert(path, read_only(text + "\n"));
    for (number, (rail, watts)) in (1..).zip(model.board.rail.iter().zip(model.rails_w())) {
        file(format!("{RAILS}/name"), "scmi_sensors".to_owned());
        file(format!("{RAILS}/power{number}_label"), rail.label.clone());
        file(format!("{RAILS}/power{number}_input"), format!("{:.0}", watts * 1e6));
    }
    if throttle.under_voltage_c.is_some() {
        file(PI_BITS.to_owned(), format!("{:x}", model.firmware_bits));
        file(format!("{PI_ALARM}/name"), "rpi_volt".to_owned());
        // The driver latches the alarm, like bit 16.
        let alarm = model.firmware_bits >> 16 & 1;
        file(format!("{PI_ALARM}/in0_lcrit_alarm"), alarm.to_string());
    }
    switches(model, &mut nodes);
    links(&mut nodes);
    nodes
}

/// Files of a board whose devices and clock can be switched.
fn switches(model: &Model, nodes: &mut BTreeMap<String, Node>) {
    if model.switches.is_empty() {
        return;
    }
    let mut file = |path: &str, text: &str, is_writable| {
        nodes.insert(path.to_owned(), Node::File { text: format!("{text}\n"), is_writable });
    };
    for (path, text) in &model.switches {
        let kinds = ["s2idle", "deep"].map(|kind| if kind == text { format!("[{kind}]") } else { kind.to_owned() });
        file(path, if *path == MEM_SLEEP { kinds.join(" ") } else { text.clone() }.as_str(), true);
    }
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    file("devices/virtual/rtc/rtc0/since_epoch", &seconds.to_string(), false);
    file("devices/virtual/rfkill/rfkill0/type", "wlan", false);
    file("devices/virtual/usb/9-1/bDeviceClass", "00", false);
    file("devices/virtual/usb/9-1/product", "Camera", false);
    file(STATE, "freeze mem", true);
    for (path, to) in [
        ("devices/virtual/net/lan9/device", "../../usb/9-1"),
        ("bus/usb/devices/9-1", "../../../devices/virtual/usb/9-1"),
    ] {
        nodes.insert(path.to_owned(), Node::Link(to.to_owned()));
    }
}

/// Suspends the board, which wakes at once or never.
pub(super) const STATE: &str = "power/state";

/// Class directories contain links to devices.
fn links(nodes: &mut BTreeMap<String, Node>) {
    let mut links = BTreeMap::new();
    for path in nodes.keys() {
        let Some(rest) = path.strip_prefix("devices/virtual/") else { continue };
        if let Some((device, _)) = rest.rsplit_once('/') {
            links.insert(format!("class/{device}"), format!("../../devices/virtual/{device}"));
        }
    }
    nodes.extend(links.into_iter().map(|(path, to)| (path, Node::Link(to))));
}

fn policy(model: &Model, index: usize, nodes: &mut BTreeMap<String, Node>) {
    let (spec, state) = (&model.board.policy[index], &model.policies[index]);
    let folder = format!("devices/system/cpu/cpufreq/policy{}", spec.cpus[0]);
    let cpus: Vec<String> = spec.cpus.iter().map(u32::to_string).collect();
    let online = spec.cpus.iter().filter(|cpu| Some(**cpu) != model.off_cpu);
    let online: Vec<String> = online.map(u32::to_string).collect();
    let opps: Vec<String> = spec.opps.iter().map(|(khz, _)| khz.to_string()).collect();
    let residency = spec.opps.iter().zip(&state.time_in_state_s);
    // In units of 10 ms.
    let residency: Vec<String> = residency.map(|((khz, _), seconds)| format!("{khz} {:.0}", seconds * 100.0)).collect();
    let set = match state.governor.as_str() {
        "userspace" => state.khz_set.to_string(),
        _ => "<unsupported>".to_owned(),
    };
    for (name, text, is_writable) in [
        ("affected_cpus", online.join(" "), false),
        ("related_cpus", cpus.join(" "), false),
        ("scaling_available_frequencies", opps.join(" "), false),
        ("scaling_available_governors", GOVERNORS.to_owned(), false),
        ("scaling_driver", "cpufreq-dt".to_owned(), false),
        ("cpuinfo_min_freq", spec.khz_min().to_string(), false),
        ("cpuinfo_max_freq", spec.khz_max().to_string(), false),
        ("cpuinfo_transition_latency", "50000".to_owned(), false),
        ("scaling_cur_freq", model.khz_shown(index).to_string(), false),
        ("stats/time_in_state", residency.join("\n"), false),
        ("scaling_governor", state.governor.clone(), true),
        ("scaling_min_freq", state.khz_min.min(model.khz_limit(index)).to_string(), true),
        ("scaling_max_freq", model.khz_limit(index).to_string(), true),
        ("scaling_setspeed", set, true),
    ] {
        let text = text + "\n";
        nodes.insert(format!("{folder}/{name}"), Node::File { text, is_writable });
    }
    odd_files(model, index, &folder, nodes);
    for cpu in &spec.cpus {
        let path = format!("devices/system/cpu/cpu{cpu}/cpufreq");
        nodes.insert(path, Node::Link(format!("../cpufreq/policy{}", spec.cpus[0])));
    }
}

/// Files that only some policies have.
fn odd_files(model: &Model, index: usize, folder: &str, nodes: &mut BTreeMap<String, Node>) {
    let (spec, state) = (&model.board.policy[index], &model.policies[index]);
    if !spec.boost_khz.is_empty() {
        let boost: Vec<String> = spec.boost_khz.iter().map(u32::to_string).collect();
        let file = |text: String| Node::File { text: text + "\n", is_writable: false };
        nodes.insert(format!("{folder}/scaling_boost_frequencies"), file(boost.join(" ")));
        nodes.insert("devices/system/cpu/cpufreq/boost".to_owned(), file("0".into()));
    }
    if state.governor == "schedutil" {
        let text = format!("{}\n", state.rate_limit_us);
        let node = Node::File { text, is_writable: true };
        nodes.insert(format!("{folder}/{RATE_LIMIT}"), node);
    }
}

/// Reason why a write fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteError {
    /// Read-only file.
    Access,
    /// Invalid value.
    Invalid,
}

/// Writes a setting.
///
/// # Errors
/// Error that the kernel would return.
pub(super) fn write(model: &mut Model, path: &str, text: &str) -> Result<(), WriteError> {
    if let Some(switch) = model.switches.get_mut(path) {
        let text = text.trim();
        *switch = match (path, text) {
            (ALARM, "0") => String::new(),
            (CONNECTOR, "detect") => "connected".to_owned(),
            (CONNECTOR, "off") => "disconnected".to_owned(),
            _ => text.to_owned(),
        };
        return Ok(());
    }
    if path == STATE && !model.switches.is_empty() {
        return Ok(());
    }
    let rest = path.strip_prefix("devices/system/cpu/cpufreq/policy").ok_or(WriteError::Access)?;
    let (number, name) = rest.split_once('/').ok_or(WriteError::Access)?;
    let cpu: u32 = number.parse().map_err(|_| WriteError::Access)?;
    let index = model.policy_of(cpu).ok_or(WriteError::Access)?;
    let text = text.trim();
    let spec = model.board.policy[index].clone();
    let state = &mut model.policies[index];
    let khz = text.parse::<u32>().map_err(|_| WriteError::Invalid);
    if model.board.kernel.refuses.iter().any(|value| value == text) {
        return Err(WriteError::Invalid);
    }
    match name {
        "scaling_governor" if GOVERNORS.split(' ').any(|known| known == text) => {
            if state.governor != text {
                state.rate_limit_us = RATE_LIMIT_US;
            }
            state.governor = text.to_owned();
        }
        "scaling_governor" => return Err(WriteError::Invalid),
        "scaling_min_freq" => {
            let khz = limit(&model.board.kernel, &spec, khz?, false);
            if model.board.kernel.refuses_crossed_limits && khz > state.khz_max {
                return Err(WriteError::Invalid);
            }
            state.khz_min = khz;
        }
        "scaling_max_freq" => {
            let khz = limit(&model.board.kernel, &spec, khz?, true);
            if model.board.kernel.refuses_crossed_limits && khz < state.khz_min {
                return Err(WriteError::Invalid);
            }
            state.khz_max = khz;
        }
        RATE_LIMIT if state.governor == "schedutil" => state.rate_limit_us = khz?,
        "scaling_setspeed" if state.governor == "userspace" => state.khz_set = khz?,
        "scaling_setspeed" => return Err(WriteError::Invalid),
        _ => return Err(WriteError::Access),
    }
    Ok(())
}

/// Limit as stored by the kernel: rounded down to an OPP for the maximum, up for the minimum.
fn limit(kernel: &KernelSpec, spec: &PolicySpec, khz: u32, is_max: bool) -> u32 {
    let khz = khz.clamp(spec.khz_min(), spec.khz_max());
    let mut opps = spec.opps.iter().map(|(opp, _)| *opp);
    match (kernel.rounds_limits, is_max) {
        (false, _) => khz,
        (true, true) => opps.rfind(|opp| *opp <= khz).unwrap_or(khz),
        (true, false) => opps.find(|opp| *opp >= khz).unwrap_or(khz),
    }
}

fn milli(celsius: f64) -> String {
    format!("{:.0}", celsius * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::virtual_board::Board;

    fn model() -> Model {
        let text = "name = \"test\"\n[[policy]]\ncpus = [0, 1]\ncore_w = 2\n\
                    governor = \"performance\"\nopps = [[600000, 0.8], [1200000, 0.9]]\n\
                    [thermal]\nambient_c = 25\nk_per_w = 10\ntau_s = 10\nidle_w = 1\n\
                    [[thermal.zone]]\nname = \"gpu-thermal\"\nabove_k = 7\n\
                    [throttle]\nmode = \"kernel\"\nunder_voltage_c = 90\n\
                    [meter]\nplace = \"board\"\nvolts = 5.0\ngone_after_s = 9.0\n";
        Model::new(Board::parse(text).unwrap())
    }

    fn text(model: &Model, path: &str) -> String {
        match nodes(model).remove(path) {
            Some(Node::File { text, .. }) => text,
            Some(Node::Link(to)) => to,
            Some(Node::Dead | Node::Stat) => "(dead)".into(),
            None => panic!("{path}"),
        }
    }

    #[test]
    fn files_are_those_of_a_kernel() {
        let model = model();
        for (path, expected) in [
            ("devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "1200000\n"),
            ("devices/system/cpu/cpufreq/policy0/related_cpus", "0 1\n"),
            ("devices/system/cpu/cpufreq/policy0/stats/time_in_state", "600000 0\n1200000 0\n"),
            ("devices/system/cpu/cpu1/cpufreq", "../cpufreq/policy0"),
            ("devices/virtual/thermal/thermal_zone0/temp", "35000\n"),
            ("class/thermal/thermal_zone0", "../../devices/virtual/thermal/thermal_zone0"),
            ("class/thermal/thermal_zone1", "../../devices/virtual/thermal/thermal_zone1"),
            ("devices/virtual/thermal/thermal_zone1/type", "gpu-thermal\n"),
            ("devices/virtual/thermal/thermal_zone1/temp", "42000\n"),
            ("class/hwmon/hwmon0", "../../devices/virtual/hwmon/hwmon0"),
            ("devices/virtual/hwmon/hwmon0/power1_input", "1000000\n"),
            ("devices/platform/soc/soc:firmware/get_throttled", "0\n"),
            ("devices/virtual/hwmon/hwmon1/in0_lcrit_alarm", "0\n"),
        ] {
            assert_eq!(text(&model, path), expected, "{path}");
        }
    }

    #[test]
    fn meter_that_is_gone_does_not_answer() {
        let mut model = model();
        model.at_s = 10.0;
        let path = "devices/virtual/hwmon/hwmon0/power1_input";
        assert_eq!(text(&model, path), "(dead)");
        model.board.thermal.has_sensor = false;
        model.board.thermal.zone.clear();
        let zone = nodes(&model).into_keys().find(|path| path.contains("zone"));
        assert_eq!(zone, None);
    }

    #[test]
    fn kernel_rounding_and_refusal() {
        let folder = "devices/system/cpu/cpufreq/policy0";
        let mut model = model();
        model.board.kernel.rounds_limits = true;
        model.board.kernel.refuses_crossed_limits = true;
        model.board.kernel.refuses = vec!["powersave".into()];
        model.board.policy[0].boost_khz = vec![1_500_000];
        for (name, value, expected) in [
            ("scaling_max_freq", "900000", Ok(())),
            ("scaling_min_freq", "1100000", Err(WriteError::Invalid)),
            ("scaling_governor", "powersave", Err(WriteError::Invalid)),
            ("schedutil/rate_limit_us", "20000", Err(WriteError::Access)),
            ("scaling_governor", "schedutil", Ok(())),
            ("schedutil/rate_limit_us", "20000", Ok(())),
        ] {
            let found = write(&mut model, &format!("{folder}/{name}"), value);
            assert_eq!(found, expected, "{name} {value}");
        }
        for (name, expected) in [
            ("scaling_max_freq", "600000\n"),
            ("schedutil/rate_limit_us", "20000\n"),
            ("scaling_boost_frequencies", "1500000\n"),
            ("cpuinfo_max_freq", "1200000\n"),
        ] {
            assert_eq!(text(&model, &format!("{folder}/{name}")), expected);
        }
        for governor in ["performance", "schedutil"] {
            write(&mut model, &format!("{folder}/scaling_governor"), governor).unwrap();
        }
        let now = text(&model, &format!("{folder}/schedutil/rate_limit_us"));
        assert_eq!(now, "1000\n");
    }

    #[test]
    fn writes_are_judged_as_the_kernel_does() {
        let mut model = model();
        let folder = "devices/system/cpu/cpufreq/policy0";
        for (name, value, expected) in [
            ("scaling_governor", "powersave\n", Ok(())),
            ("scaling_governor", "turbo", Err(WriteError::Invalid)),
            ("scaling_max_freq", "600000", Ok(())),
            ("scaling_max_freq", "fast", Err(WriteError::Invalid)),
            ("scaling_setspeed", "600000", Err(WriteError::Invalid)),
            ("scaling_cur_freq", "600000", Err(WriteError::Access)),
        ] {
            let found = write(&mut model, &format!("{folder}/{name}"), value);
            assert_eq!(found, expected, "{name} {value}");
        }
        assert_eq!(text(&model, &format!("{folder}/scaling_max_freq")), "600000\n");
        assert_eq!(write(&mut model, "class/x", "1"), Err(WriteError::Access));
    }
}
