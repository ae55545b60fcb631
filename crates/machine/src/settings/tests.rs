//! Changes and their restoration on a test board: by the process itself, and from its journal alone.

use super::node::{ASPM_POLICY, DEVFREQ, HUGE_PAGES};
use super::*;
use record::{Event, SettingChange};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

pub(super) const BOARD: &str = "\
== /proc/sys/kernel/random/boot_id
11111111-2222-3333-4444-555555555555
== /sys/devices/system/cpu/cpufreq/policy0/scaling_governor
schedutil
== /sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors
performance schedutil powersave
== /sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq
600000
== /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq
1608000
== /sys/devices/system/cpu/cpufreq/policy0/cpuinfo_min_freq
408000
== /sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq
1800000
== /sys/kernel/mm/transparent_hugepage/enabled
always [madvise] never
== /sys/class/thermal/cooling_device0/type
cpufreq-cpu0
== /sys/class/thermal/cooling_device0/cur_state
0
";

pub(super) fn journal(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sbc-bench-settings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// State after SIGKILL: the journal's lock is gone, nothing is restored.
pub(super) fn kill(settings: Settings) {
    lock(&settings.changes).forget();
}

/// Sets a value, which must be in force afterwards. Returns the change, if any.
pub(super) fn set(settings: &mut Settings, node: Node, value: &str) -> Option<SettingChange> {
    let mut changes = Vec::new();
    let unmet = settings.set(node, value).tell(0, None, &mut |event| {
        if let Event::SettingChanged { change } = event {
            changes.push(change);
        }
    });
    changes.retain(|change: &SettingChange| !change.disturbed);
    assert_eq!(unmet, None);
    changes.pop()
}

/// Sets a value that must not come into force. Returns the reason.
pub(super) fn refused(settings: &mut Settings, node: Node, value: &str) -> String {
    let mut told = Vec::new();
    let unmet = settings
        .set(node, value)
        .tell(7, None, &mut |event| told.push(event))
        .unwrap_or_else(|| panic!("{node:?} {value}"));
    assert_eq!(unmet.at_ms, Some(7));
    let event = Event::SettingUnmet { unmet: unmet.clone() };
    assert!(told.contains(&event), "{told:?}");
    unmet.why
}

#[test]
fn second_process_is_locked_out() {
    let root = Root::from_board(BOARD).unwrap();
    let path = journal("second");
    let settings = Settings::new(&root, &path).unwrap();
    assert!(Settings::new(&root, &path).is_err());
    assert!(restore_from_journal(&root, &path).is_err());
    drop(settings);
    assert!(Settings::new(&root, &path).is_ok());
}

#[test]
fn devices_and_policies_come_back() {
    let board = format!(
        "{BOARD}\
== {ASPM_POLICY}
default performance [powersave] powersupersave
== {DEVFREQ}/dmc/governor
dmc_ondemand
== {DEVFREQ}/dmc/available_governors
powersave performance dmc_ondemand
"
    );
    let root = Root::from_board(&board).unwrap();
    let path = journal("devices");
    let mut settings = Settings::new(&root, &path).unwrap();
    let dmc = Node::DeviceGovernor(DeviceName::new("dmc").unwrap());
    refused(&mut settings, dmc, "turbo");
    refused(&mut settings, Node::AspmPolicy, "off");
    let change = set(&mut settings, Node::AspmPolicy, "performance").unwrap();
    assert_eq!(change.old, "powersave");
    set(&mut settings, dmc, "performance");
    kill(settings);
    let outcomes = restore_from_journal(&root, &path).unwrap();
    assert!(outcomes.iter().all(|(_, outcome)| *outcome == RestoreOutcome::Done), "{outcomes:?}");
    assert_eq!(root.read_value(ASPM_POLICY).unwrap(), "powersave");
    assert_eq!(dmc.read(&root).unwrap(), "dmc_ondemand");
}

#[test]
fn cpus_come_back_before_their_clocks() {
    let online = "/sys/devices/system/cpu/cpu1/online";
    let root = Root::from_board(&format!("{BOARD}== {online}\n1\n")).unwrap();
    let path = journal("cpus");
    let mut settings = Settings::new(&root, &path).unwrap();
    set(&mut settings, Node::Governor(0), "performance");
    // CPU 0 has no such file here, as on most x86 machines.
    refused(&mut settings, Node::CpuOnline(0), "0");
    refused(&mut settings, Node::CpuOnline(1), "2");
    set(&mut settings, Node::CpuOnline(1), "0");
    set(&mut settings, Node::CpuOnline(1), "1");
    set(&mut settings, Node::CpuOnline(1), "0");
    assert_eq!(root.read_value(online).unwrap(), "0");
    kill(settings);
    let back = restore_from_journal(&root, &path).unwrap();
    // While all CPUs of a policy are offline, its governor cannot be set.
    let done = |path: String| (path, RestoreOutcome::Done);
    assert_eq!(back, [done(online.to_owned()), done(Node::Governor(0).path())]);
    assert_eq!(root.read_value(online).unwrap(), "1");
}

#[test]
fn a_stopped_run_leaves_the_settings_of_the_user() {
    let root = Root::from_board(BOARD).unwrap();
    let path = journal("suspended");
    let before = root.board_files();
    let mut settings = Settings::new(&root, &path).unwrap();
    change_everything(&mut settings);
    let changed = root.board_files();
    assert_ne!(before, changed);
    settings.way_back().suspend(|| assert_eq!(root.board_files(), before));
    assert_eq!(root.board_files(), changed);
    // A value chosen while the run is stopped is the user's.
    settings.way_back().suspend(|| root.write(&Node::Governor(0).path(), "powersave").unwrap());
    assert_eq!(Node::Governor(0).read(&root).unwrap(), "powersave");
    drop(settings);
    assert_eq!(Node::Governor(0).read(&root).unwrap(), "powersave");
    assert!(!path.exists());
}

pub(super) fn change_everything(settings: &mut Settings) {
    set(settings, Node::Governor(0), "performance");
    set(settings, Node::ClockMin(0), "408000");
    for khz in ["1800000", "1200000", "408000"] {
        set(settings, Node::ClockMax(0), khz);
    }
}

#[test]
fn huge_pages_come_back() {
    let root = Root::from_board(BOARD).unwrap();
    let path = journal("huge");
    let mut settings = Settings::new(&root, &path).unwrap();
    let wrong = refused(&mut settings, Node::HugePages, "sometimes");
    assert!(wrong.contains("is not one of"), "{wrong}");
    assert_eq!(set(&mut settings, Node::HugePages, "madvise"), None);
    let change = set(&mut settings, Node::HugePages, "never").unwrap();
    assert_eq!((change.old.as_str(), change.new.as_str()), ("madvise", "never"));
    kill(settings);
    let back = restore_from_journal(&root, &path).unwrap();
    assert_eq!(back, [(HUGE_PAGES.to_owned(), RestoreOutcome::Done)]);
    assert_eq!(Node::HugePages.read(&root).unwrap(), "madvise");
}

/// A process that is killed after any number of changes leaves a journal that restores all.
#[test]
fn journal_alone_restores_after_every_number_of_changes() {
    let steps: [(Node, &str); 5] = [
        (Node::Governor(0), "performance"),
        (Node::ClockMin(0), "408000"),
        (Node::ClockMax(0), "1800000"),
        (Node::ClockMax(0), "1200000"),
        (Node::Governor(0), "powersave"),
    ];
    for count in 0..=steps.len() {
        let root = Root::from_board(BOARD).unwrap();
        let before = root.board_files();
        let path = journal(&format!("killed-{count}"));
        let mut settings = Settings::new(&root, &path).unwrap();
        for (node, value) in &steps[..count] {
            set(&mut settings, *node, value);
        }
        kill(settings);
        // A power loss during an append truncates the last line.
        File::options().append(true).open(&path).unwrap().write_all(b"{\"path\":").unwrap();
        restore_from_journal(&root, &path).unwrap();
        assert_eq!(root.board_files(), before, "{count} changes");
        assert!(!path.exists());
    }
}

#[test]
fn foreign_change_is_not_restored() {
    let root = Root::from_board(BOARD).unwrap();
    let mut settings = Settings::new(&root, &journal("other")).unwrap();
    set(&mut settings, Node::Governor(0), "performance");
    root.write(&Node::Governor(0).path(), "powersave").unwrap();
    assert_eq!(settings.restore(), [(Node::Governor(0).path(), RestoreOutcome::LeftAlone("powersave".into()))]);
    assert_eq!(root.read_value(&Node::Governor(0).path()).unwrap(), "powersave");
}

#[test]
fn limit_lowered_by_cooling_is_still_ours() {
    let root = Root::from_board(BOARD).unwrap();
    let mut settings = Settings::new(&root, &journal("cooled")).unwrap();
    set(&mut settings, Node::ClockMax(0), "1800000");
    root.write(&Node::ClockMax(0).path(), "1200000").unwrap();
    root.write("/sys/class/thermal/cooling_device0/cur_state", "2").unwrap();
    assert_eq!(settings.restore(), [(Node::ClockMax(0).path(), RestoreOutcome::Done)]);
    assert_eq!(root.read_value(&Node::ClockMax(0).path()).unwrap(), "1608000");
}

#[test]
fn only_listed_values_are_written() {
    let root = Root::from_board(BOARD).unwrap();
    let before = root.board_files();
    let mut settings = Settings::new(&root, &journal("listed")).unwrap();
    for (node, value) in [
        (Node::Governor(0), "userspace"),
        (Node::Governor(0), ""),
        (Node::ClockMax(0), "2000000"),
        (Node::ClockMax(0), "fast"),
        (Node::ClockMin(0), "100000"),
        (Node::Governor(7), "performance"),
    ] {
        refused(&mut settings, node, value);
    }
    assert_eq!(root.board_files(), before);
}

#[test]
fn journal_is_kept_while_the_boot_id_is_unknown() {
    let root = Root::from_board(BOARD).unwrap();
    let path = journal("nobody-knows");
    let mut settings = Settings::new(&root, &path).unwrap();
    set(&mut settings, Node::Governor(0), "performance");
    kill(settings);
    let (_, rest) = BOARD.split_once("\n== ").unwrap();
    let without = Root::from_board(&format!("== {rest}")).unwrap();
    let why = restore_from_journal(&without, &path).unwrap_err();
    assert!(why.to_string().contains("boot_id"), "{why}");
    assert!(Settings::new(&without, &journal("never")).is_err());
    let back = restore_from_journal(&root, &path).unwrap();
    assert_eq!(back.len(), 1, "{back:?}");
    assert!(!path.exists());
}

#[test]
fn journal_from_before_the_last_boot_is_only_removed() {
    let root = Root::from_board(BOARD).unwrap();
    let path = journal("boot");
    let mut settings = Settings::new(&root, &path).unwrap();
    set(&mut settings, Node::Governor(0), "performance");
    kill(settings);
    root.write("/proc/sys/kernel/random/boot_id", "another").unwrap();
    assert_eq!(restore_from_journal(&root, &path).unwrap(), []);
    assert_eq!(root.read_value(&Node::Governor(0).path()).unwrap(), "performance");
    assert!(!path.exists());
}
