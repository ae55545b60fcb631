//! Boards that nobody planned for, under the whole program: what a driver does not know, refuses to say
//! or says wrong is named as such, and nothing is made of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

const POLICY: &str = "/sys/devices/system/cpu/cpufreq/policy0";

/// A board with two cores at 408 to 1512 MHz; each change replaces a file, or takes it away.
fn board(changes: &[(&str, Option<&str>)]) -> String {
    let core = |cpu: u32| {
        format!(
            "processor\t: {cpu}\nCPU implementer\t: 0x41\nCPU variant\t: 0x0\nCPU part\t: 0xd03\nCPU revision\t: 4\n\n"
        )
    };
    let policy = |file: &str| format!("{POLICY}/{file}");
    let mut files: BTreeMap<String, String> = [
        ("/proc/cpuinfo".to_owned(), core(0) + &core(1)),
        ("/proc/loadavg".to_owned(), "0.1 0.2 0.3 1/99 999".to_owned()),
        ("/sys/devices/system/cpu/online".to_owned(), "0-1".to_owned()),
        ("/sys/devices/system/cpu/present".to_owned(), "0-1".to_owned()),
        (policy("related_cpus"), "0 1".to_owned()),
        (policy("cpuinfo_min_freq"), "408000".to_owned()),
        (policy("cpuinfo_max_freq"), "1512000".to_owned()),
        (policy("scaling_min_freq"), "408000".to_owned()),
        (policy("scaling_max_freq"), "1512000".to_owned()),
        (policy("scaling_cur_freq"), "1512000".to_owned()),
        (policy("scaling_governor"), "performance".to_owned()),
        (policy("scaling_available_frequencies"), "408000 1512000".to_owned()),
        ("/sys/class/thermal/thermal_zone0/type".to_owned(), "cpu-thermal".to_owned()),
        ("/sys/class/thermal/thermal_zone0/temp".to_owned(), "45000".to_owned()),
    ]
    .into();
    for (path, content) in changes {
        match content {
            Some(content) => _ = files.insert((*path).to_owned(), (*content).to_owned()),
            None => _ = files.remove(*path),
        }
    }
    let entry = |(path, content): (&String, &String)| match content.strip_prefix("! ") {
        Some(errno) => format!("== {path} ! {errno}\n"),
        None => format!("== {path}\n{content}\n"),
    };
    files.iter().map(entry).collect()
}

/// The output has all texts of `has` and none of `has_not`.
fn check(changes: &[(&str, Option<&str>)], words: &[&str], has: &[&str], has_not: &[&str]) {
    let name = format!("sbc-bench-odd-{}-{:?}.board", std::process::id(), std::thread::current().id());
    let path: PathBuf = std::env::temp_dir().join(name);
    std::fs::write(&path, board(changes)).unwrap();
    let output = crate::outcome::sbc_bench(words).arg("--root").arg(&path).output().unwrap();
    std::fs::remove_file(&path).unwrap();
    let text = String::from_utf8(output.stdout).expect("everything printed is text");
    assert!(output.status.success(), "{changes:?} {words:?}: {text}");
    for part in has {
        assert!(text.contains(part), "{changes:?} {words:?}: no {part:?} in\n{text}");
    }
    for part in has_not {
        assert!(!text.contains(part), "{changes:?} {words:?}: {part:?} in\n{text}");
    }
}

#[test]
fn implausible_clock_is_not_shown() {
    let file = |name: &str| format!("{POLICY}/{name}");
    let (max, min, opps) = (file("cpuinfo_max_freq"), file("cpuinfo_min_freq"), file("scaling_available_frequencies"));
    for says in ["0", "1", "1416", "1416000000", "<unknown>", "! EIO", "99999999999999999999"] {
        let changes = [(max.as_str(), Some(says)), (&min, Some(says)), (&opps, Some(says))];
        let expected = ["CPUs 0-1", "advertised clock unknown"];
        check(&changes, &["identify"], &expected, &[" 0 MHz"]);
    }
    check(&[], &["identify"], &["1512 MHz advertised"], &["unknown"]);
}

#[test]
fn review_lists_unreadable_settings() {
    let file = |name: &str| format!("{POLICY}/{name}");
    let (governor, limit) = (file("scaling_governor"), file("scaling_max_freq"));
    let words = ["review", "--inspect"];
    let changes = [(governor.as_str(), Some("! EIO")), (&limit, Some("! EACCES"))];
    let expected = ["Governor of policy0: ", "Clock limit of policy0: "];
    check(&changes, &words, &expected, &[]);
    check(&[], &words, &[], &["of policy0: "]);
}

#[test]
fn single_core_wording() {
    let changes = [
        ("/sys/devices/system/cpu/online", Some("0")),
        ("/sys/devices/system/cpu/present", Some("0")),
        ("/proc/cpuinfo", Some("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n")),
    ];
    check(&changes, &["identify"], &["CPU 0"], &["CPUs 0 ", "1 CPUs"]);
}

#[test]
fn implausible_temperature_is_not_shown() {
    let zone = "/sys/class/thermal/thermal_zone0/temp";
    let words = ["-m", "0.1", "--lines", "--count", "2"];
    for says in ["-273000", "2147483647", "garbage", "! EAGAIN"] {
        check(&[(zone, Some(says))], &words, &["1512MHz"], &["°C"]);
    }
    // A board in a freezer.
    check(&[(zone, Some("-12500"))], &words, &["-12.5°C"], &[]);
}
