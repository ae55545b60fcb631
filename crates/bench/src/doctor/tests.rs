//! Findings on boards.

use super::*;

/// Finding on a subject of a board: `yes: because -> way out`.
fn finding_text(board: &str, subject: &str) -> String {
    let root = Root::from_board(board).unwrap();
    let (_, found) = examine(&root, Path::new("/var/lib/sbc-bench/runs"));
    let row = found.iter().find(|row| row.subject == subject);
    let row = row.unwrap_or_else(|| panic!("{subject} has no row"));
    let way_out = if row.way_out.is_empty() { String::new() } else { format!(" -> {}", row.way_out) };
    format!("{}: {}{way_out}", row.measurable.as_str(), row.because)
}

fn check(board: &str, subject: &str, expected: &str) {
    let said = finding_text(board, subject);
    assert!(said.starts_with(expected), "{subject} of {board:?}: {said:?} instead of {expected:?}");
}

#[test]
fn nothing_is_denied_because_nobody_could_look() {
    // Files absent from a board file may exist on the machine.
    for subject in [
        "root",
        "cycle-counters",
        "quota",
        "cpufreq",
        "environment",
        "cpu-hotplug",
        "cpus",
        "results",
        "ram-disks",
        "temperature",
        "power",
        "meters",
        "throttling",
        "pressure",
        "kernel-log",
    ] {
        check("", subject, "unknown: ");
    }
}

#[test]
fn subjects_of_boards() {
    let policy = "== /sys/devices/system/cpu/cpufreq/policy0";
    let two = "== /proc/cpuinfo\nprocessor\t: 0\n\nprocessor\t: 1\n\n== /sys/devices/system/cpu/present\n0-1\n";
    let clocks = format!(
        "{two}{policy}/related_cpus\n0 1\n{policy}/cpuinfo_min_freq\n408000\n{policy}/cpuinfo_max_freq\n1512000\n\
         {policy}/scaling_governor\nondemand\n{policy}/scaling_available_governors\nondemand performance\n"
    );
    check(&clocks, "cpufreq", "yes: policy0: 408-1512 MHz, governor ondemand");
    check(&clocks, "settings", "unknown: 1 of 1 policies list a choice; these are the files of another machine");
    check(two, "cpufreq", "no: no cpufreq policy");
    check(two, "settings", "no: no cpufreq policy: ");
    check(two, "cpus", "yes: 2 CPUs, all online");
    let offline = format!("{two}== /sys/devices/system/cpu/online\n0\n== /sys/devices/system/cpu/cpufreq/boost\n0\n");
    check(&offline, "cpus", "partly: 1 of 2 CPUs are offline (CPU 1); boost is off -> take them online");
    check(two, "cpu-hotplug", "no: the kernel lets no CPU be taken offline");
    let switch = format!("{two}== /sys/devices/system/cpu/cpu1/online\n1\n");
    check(&switch, "cpu-hotplug", "unknown: 1 of 2 CPUs have the switch");

    let zone = "== /sys/class/thermal/thermal_zone0";
    check(&format!("{zone}/type\ncpu-thermal\n{zone}/temp\n45000\n"), "temperature", "yes: SoC 45.0 °C by ");
    check(&format!("{zone}/type\ncpu-thermal\n{zone}/temp ! EIO\n"), "temperature", "no: ");

    let group = "== /proc/thread-self/cgroup\n0::/a\n== /sys/fs/cgroup/a/cpu.max\n";
    check(&format!("{group}max 100000\n"), "quota", "yes: none");
    check(&format!("{group}50000 100000\n"), "quota", "partly: the cgroup of this process has a CPU quota");

    check("== /proc/pressure/cpu\nsome avg10=0.00\n", "pressure", "yes: ");
    check("== /proc/pressure/cpu ! EOPNOTSUPP\n", "pressure", "no: PSI is off -> add psi=1");

    check("== /dev/kmsg\n5,0,0,-;Linux version 6.1\n", "kernel-log", "yes: ");
    check("== /dev/kmsg\n5,7,0,-;late\n", "kernel-log", "partly: readable, but the messages of the boot have left");
    check("== /dev/kmsg ! EPERM\n", "kernel-log", "no: /dev/kmsg: permission denied");

    let disk = "== /proc/self/mountinfo\n25 1 179:2 / / rw - ext4 /dev/mmcblk0p2 rw\n";
    check(disk, "results", "yes: /var/lib/sbc-bench/runs is on a drive");
    let memory = format!("{disk}40 25 0:40 / /var/lib rw - tmpfs tmpfs rw\n");
    check(&memory, "results", "partly: /var/lib/sbc-bench/runs is in memory (tmpfs on /var/lib)");
    check(disk, "ram-disks", "yes: none");
    let zram = "== /proc/swaps\nFilename Type Size Used Priority\n/dev/zram0 partition 1024 0 100\n";
    check(&format!("{disk}{zram}"), "ram-disks", "yes: swap is in memory (zram0)");
    let memory = format!("{disk}40 25 0:40 / /tmp rw - tmpfs tmpfs rw\n{zram}");
    let expected = "partly: /tmp is in memory (tmpfs on /tmp); swap is in memory (zram0): files there measure memory";
    check(&memory, "ram-disks", expected);
}

#[test]
fn rows_are_complete_and_sentences_have_no_end() {
    let board = Root::from_board("").unwrap();
    let (_, mut found) = examine(&board, Path::new("/x"));
    let (_, here) = examine(&Root::system(), Path::new("/tmp"));
    found.extend(here);
    found.extend(examine_tools(&Tools::in_directories(Vec::new())));
    for row in found {
        assert!(!row.because.is_empty() && !row.because.ends_with('.'), "{row:?}");
        assert!(!row.way_out.ends_with('.'), "{row:?}");
    }
}

#[test]
fn missing_tool_names_its_package_or_its_source() {
    let ways = |distribution: Option<usize>| {
        let all = packages::survey(&Tools::in_directories(Vec::new()));
        move |name: &str| way_to(all.iter().find(|status| status.name == name).unwrap(), distribution)
    };
    let place = |name: &str| DISTRIBUTIONS.iter().position(|known| *known == name);
    let (debian, fedora, unknown) = (ways(place("Debian")), ways(place("Fedora")), ways(None));
    assert_eq!(debian("fio"), "sbc-bench install-tools fio");
    assert_eq!(fedora("Phoronix Test Suite"), "sbc-bench install-tools \"Phoronix Test Suite\"");
    // Without a Debian package, the remedy is its source.
    assert!(debian("Phoronix Test Suite").contains("phoronix-test-suite.com"));
    assert!(debian("Geekbench").contains("geekbench.com"));
    assert_eq!(
        unknown("iperf3"),
        "install iperf3 (Debian), iperf3 (Fedora), iperf3 (Arch), iperf3 (Alpine), iperf (openSUSE)"
    );
}

#[test]
fn rails_are_not_the_power_of_the_board() {
    let chip = |files: &[(&str, &str)]| {
        let entry = |(file, value): &(&str, &str)| format!("== /sys/class/hwmon/hwmon0/{file}\n{value}\n");
        files.iter().map(entry).collect::<String>()
    };
    let meter = "use a power meter: `sbc-bench list meters`";
    let jetson = [("name", "ina3221"), ("in1_input", "5000"), ("in1_label", "VDD_IN"), ("curr1_input", "900")];
    let module = format!("partly: parts of the board only, not what the whole of it draws: the module -> {meter}");
    check(&chip(&jetson), "power", &module);
    let rail = [("name", "scmi_sensors"), ("power1_input", "440000"), ("power1_label", "ddr")];
    check(&chip(&rail), "power", "partly: parts of the board only, not what the whole of it draws: a rail called");
    let whole = [("name", "power_meter"), ("power1_average", "4400000")];
    check(&chip(&whole), "power", "yes: measured at the input of the board, with what it feeds: hwmon0.power1");
    let tester = [
        ("name", "powerz"),
        ("in0_input", "5105"),
        ("in0_label", "VBUS"),
        ("in1_input", "1700"),
        ("in1_label", "VCC1"),
        ("curr1_input", "-812"),
        ("curr1_label", "IBUS"),
    ];
    check(&chip(&tester), "power", "yes: measured at the input of the board, with what it feeds: hwmon0.in0");
    let zone =
        "== /sys/class/powercap/intel-rapl:0/name\npackage-0\n== /sys/class/powercap/intel-rapl:0/energy_uj\n5\n";
    check(zone, "power", "partly: parts of the board only, not what the whole of it draws: the processor");
}

#[test]
fn meters_on_usb_are_told() {
    check(
        "== /sys/class/hidraw/hidraw3/device/uevent\nHID_ID=0003:00002E3C:00005558\n",
        "meters",
        "yes: FNIRSI FNB58 (--meter fnirsi:hidraw3)",
    );
    check(
        "== /sys/bus/usb/devices/1-1/idVendor\n5fc9\n== /sys/bus/usb/devices/1-1/idProduct\n0063\n",
        "meters",
        "no: POWER-Z KM003C cannot be read: the kernel has not loaded the driver powerz",
    );
}
