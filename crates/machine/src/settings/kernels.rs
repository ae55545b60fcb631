//! Tests on boards whose kernel rounds, rejects or cools, and changes other files as well.

use super::tests::{BOARD, change_everything, journal, kill, refused, set};
use super::*;
use crate::WritePolicy;
use record::{Event, Record, Run, Source};
use std::path::PathBuf;

const POLICY0: &str = "/sys/devices/system/cpu/cpufreq/policy0";
const OPPS: [u32; 4] = [408_000, 1_200_000, 1_416_000, 1_800_000];

/// Board with some of its files replaced.
fn board(files: &[(&str, &str)]) -> Root {
    let mut text = BOARD.to_owned();
    for (path, content) in files {
        text = text.replace(&format!("== {path}\n"), &format!("== /replaced{path}\n"));
        text.push_str(&format!("== {path}\n{content}\n"));
    }
    Root::from_board(&text).unwrap()
}

/// Checks that the old values are restored after every kind of end of the process.
fn comes_back(root: &Root, name: &str, change: impl Fn(&mut Settings)) {
    for end in ["restored", "dropped", "killed"] {
        let before = root.board_files();
        let path = journal(&format!("{name}-{end}"));
        let mut settings = Settings::new(root, &path).unwrap();
        change(&mut settings);
        let mut outcomes = Vec::new();
        match end {
            "restored" => outcomes = settings.restore(),
            "dropped" => drop(settings),
            _ => {
                kill(settings);
                outcomes = restore_from_journal(root, &path).unwrap();
            }
        }
        let is_bad = |outcome: &RestoreOutcome| *outcome != RestoreOutcome::Done;
        let bad: Vec<_> = outcomes.iter().filter(|(_, o)| is_bad(o)).collect();
        assert!(bad.is_empty(), "{name}, {end}: {bad:?}");
        assert_eq!(root.board_files(), before, "{name}, {end}");
        assert!(!path.exists(), "{name}, {end}");
    }
}

#[test]
fn restore_is_exact() {
    let root = board(&[]);
    let before = root.board_files();
    comes_back(&root, "all", |settings| {
        change_everything(settings);
        assert_ne!(root.board_files(), before);
    });
}

/// Since Linux 5.16 a limit reads as the OPP that it is resolved to.
fn rounding(root: &Root) -> Root {
    root.with_write_policy(WritePolicy::new(|path, value| {
        let Ok(khz) = value.parse::<u32>() else { return Ok(value.to_owned()) };
        let mut opps = OPPS.into_iter();
        let resolved = match path.rsplit('/').next() {
            Some("scaling_max_freq") => opps.rfind(|opp| *opp <= khz),
            Some("scaling_min_freq") => opps.find(|opp| *opp >= khz),
            _ => Some(khz),
        };
        resolved.map(|khz| khz.to_string()).ok_or(libc::EINVAL)
    }))
}

#[test]
fn rounded_value_is_recognised() {
    let opps = OPPS.map(|khz| khz.to_string()).join(" ");
    let root = rounding(&board(&[
        (&format!("{POLICY0}/scaling_available_frequencies"), &opps),
        (&format!("{POLICY0}/scaling_max_freq"), "1800000"),
        (&format!("{POLICY0}/scaling_min_freq"), "408000"),
    ]));
    comes_back(&root, "rounded", |settings| {
        let change = set(settings, Node::ClockMax(0), "1300000").unwrap();
        assert_eq!(change.read_back, Fact::Known("1200000".into()));
        let change = set(settings, Node::ClockMin(0), "600000").unwrap();
        assert_eq!(change.read_back, Fact::Known("1200000".into()));
        assert_eq!(settings.check().len(), 0);
    });
}

/// A change that was made but not read back, because the process was killed in between.
#[test]
fn unchecked_change_is_restored() {
    let root = board(&[]);
    let path = journal("open");
    let mut settings = Settings::new(&root, &path).unwrap();
    set(&mut settings, Node::ClockMax(0), "1300000");
    kill(settings);
    let text = std::fs::read(&path).unwrap();
    let text = String::from_utf8(text).unwrap();
    let first = text.lines().find(|line| !line.is_empty()).unwrap();
    std::fs::write(&path, format!("{first}\n")).unwrap();
    root.write(&Node::ClockMax(0).path(), "1200000").unwrap();
    let back = restore_from_journal(&root, &path).unwrap();
    assert_eq!(back, [(Node::ClockMax(0).path(), RestoreOutcome::Done)]);
    let now = Node::ClockMax(0).read(&root).unwrap();
    assert_eq!(now, "1608000");
}

#[test]
fn throttled_limit_is_not_users_limit() {
    let cooled = |kind: &str, limit: &str| {
        board(&[
            ("/sys/class/thermal/cooling_device0/type", kind),
            ("/sys/class/thermal/cooling_device0/cur_state", "2"),
            (&format!("{POLICY0}/scaling_max_freq"), limit),
            (&format!("{POLICY0}/related_cpus"), "0 1"),
        ])
    };
    for (kind, limit, is_refused) in [
        ("cpufreq-cpu0", "1200000", true),
        ("thermal-cpufreq-0", "1200000", true),
        ("Processor", "1200000", true),
        // Cooling of other CPUs and a fan lower nothing here.
        ("cpufreq-cpu4", "1200000", false),
        ("pwm-fan", "1200000", false),
        ("cpufreq-cpu0", "1800000", false),
    ] {
        let root = cooled(kind, limit);
        let before = root.board_files();
        let mut settings = Settings::new(&root, &journal("hot")).unwrap();
        let node = Node::ClockMax(0);
        assert_eq!(settings.is_hidden(node).is_some(), is_refused, "{kind}");
        if is_refused {
            let why = refused(&mut settings, node, "1800000");
            assert!(why.contains("cooling limits it to 1200 MHz"), "{why}");
            refused(&mut settings, node, "1200000");
        } else {
            set(&mut settings, node, "1416000");
        }
        drop(settings);
        assert_eq!(root.board_files(), before, "{kind} {limit}");
    }
    let firmware = board(&[(&format!("{POLICY0}/bios_limit"), "1608000")]);
    let mut settings = Settings::new(&firmware, &journal("bios")).unwrap();
    let why = refused(&mut settings, Node::ClockMax(0), "1800000");
    assert!(why.contains("the firmware limits it"), "{why}");
}

/// The board gets hot after the first change, so the user's limit is known.
#[test]
fn limit_is_set_while_it_is_cooled() {
    let state = "/sys/class/thermal/cooling_device0/cur_state";
    let root = board(&[]);
    comes_back(&root, "cooled-later", |settings| {
        set(settings, Node::ClockMax(0), "1800000");
        root.write(&Node::ClockMax(0).path(), "1200000").unwrap();
        root.write(state, "2").unwrap();
        assert_eq!(settings.check().len(), 0, "cooling changes no setting of a user");
        // The file already shows this value but must be written, because the requested limit is higher.
        assert!(set(settings, Node::ClockMax(0), "1200000").is_some());
        root.write(state, "0").unwrap();
    });
}

#[test]
fn unwritable_node_is_not_held() {
    let root = board(&[]).with_write_policy(WritePolicy::new(|_, _| Err(libc::EROFS)));
    comes_back(&root, "read-only", |settings| {
        refused(settings, Node::Governor(0), "performance");
        refused(settings, Node::ClockMax(0), "1800000");
    });
}

/// Until Linux 5.3 the kernel rejects a minimum clock above the maximum.
#[test]
fn limits_that_depend_on_each_other_come_back() {
    let plain = board(&[(&format!("{POLICY0}/scaling_min_freq"), "1200000")]);
    let limits = plain.clone();
    let root = plain.with_write_policy(WritePolicy::new(move |path, value| {
        let read = |node: Node| node.read(&limits).unwrap().parse::<u32>().unwrap();
        let khz = value.parse::<u32>().unwrap_or(0);
        match path.rsplit('/').next() {
            Some("scaling_min_freq") if khz > read(Node::ClockMax(0)) => Err(libc::EINVAL),
            Some("scaling_max_freq") if khz < read(Node::ClockMin(0)) => Err(libc::EINVAL),
            _ => Ok(value.to_owned()),
        }
    }));
    comes_back(&root, "old-kernel", |settings| {
        refused(settings, Node::ClockMax(0), "408000");
        set(settings, Node::ClockMax(0), "1800000");
        set(settings, Node::ClockMin(0), "408000");
        set(settings, Node::ClockMax(0), "408000");
    });
}

/// Leaving a governor removes its tunables; returning to it creates the default ones.
fn forgetful(plain: &Root) -> Root {
    let files = plain.clone();
    plain.with_write_policy(WritePolicy::new(move |path, value| {
        let tunables =
            [(format!("{POLICY0}/schedutil/rate_limit_us"), "1000"), (format!("{POLICY0}/scaling_setspeed"), "408000")];
        if path.ends_with("scaling_governor") {
            for (path, default) in tunables {
                let _ = files.write(&path, default);
            }
        }
        Ok(value.to_owned())
    }))
}

#[test]
fn tunables_come_back_with_their_governor() {
    for (governor, file, value) in
        [("schedutil", "schedutil/rate_limit_us", "20000"), ("userspace", "scaling_setspeed", "1416000")]
    {
        let path = format!("{POLICY0}/{file}");
        let plain = board(&[
            (&format!("{POLICY0}/scaling_governor"), governor),
            (&format!("{POLICY0}/scaling_available_governors"), "performance schedutil powersave userspace"),
            (&path, value),
        ]);
        let root = forgetful(&plain);
        comes_back(&root, governor, |settings| {
            set(settings, Node::Governor(0), "performance");
            set(settings, Node::Governor(0), "powersave");
            assert_ne!(root.read_value(&path).unwrap(), value);
        });
        // Both sides of a comparison have the governor as the user had it.
        let mut settings = Settings::new(&root, &journal("sides")).unwrap();
        set(&mut settings, Node::Governor(0), "performance");
        set(&mut settings, Node::Governor(0), governor);
        assert_eq!(root.read_value(&path).unwrap(), value);
    }
}

/// The Record has each side effect with its old value and outcome, also if it was restored long before the end.
#[test]
fn side_effects_are_recorded_with_their_outcome() {
    let speed = format!("{POLICY0}/scaling_setspeed");
    for is_set_back in [false, true] {
        let plain = board(&[
            (&format!("{POLICY0}/scaling_governor"), "userspace"),
            (&format!("{POLICY0}/scaling_available_governors"), "performance schedutil powersave userspace"),
            (&speed, "1416000"),
        ]);
        let root = forgetful(&plain);
        let mut settings = Settings::new(&root, &journal("side-effects")).unwrap();
        let source = Source::Run { version: "1".into(), target: "test".into() };
        let mut record = Record::new(source, Run::default());
        let mut tell = |outcome: Outcome| outcome.tell(7, None, &mut |event| record.apply(event));
        assert_eq!(tell(settings.set(Node::Governor(0), "performance")), None);
        if is_set_back {
            assert_eq!(tell(settings.set(Node::Governor(0), "userspace")), None);
        }
        for (path, restored) in settings.restore() {
            record.apply(Event::SettingRestored { path, restored });
        }
        let found = record.settings.iter().filter(|change| change.disturbed).collect::<Vec<_>>();
        let [change] = found.as_slice() else { panic!("{found:?}") };
        let texts = (change.path.as_str(), change.old.as_str(), change.new.as_str());
        assert_eq!(texts, (speed.as_str(), "1416000", "408000"));
        assert_eq!((change.at_ms, &change.restored), (Some(7), &RestoreOutcome::Done));
        assert_eq!(record.settings_left().count(), 0);
    }
}

/// A late value is read again before it is reported as not restored.
#[test]
fn late_value_is_restored() {
    let tunable = format!("{POLICY0}/schedutil/rate_limit_us");
    for (delay_ms, is_back) in [(0, true), (10, true), (60_000, false)] {
        let plain = board(&[(&tunable, "20000")]);
        let files = plain.clone();
        let root = plain.with_write_policy(WritePolicy::new(move |path, value| {
            if path.ends_with("rate_limit_us") {
                let (files, path, value) = (files.clone(), path.to_owned(), value.to_owned());
                std::thread::spawn(move || {
                    std::thread::sleep(std::time::Duration::from_millis(delay_ms));
                    files.write(&path, &value)
                });
                return Ok("1000".into());
            }
            let _ = files.write(&format!("{POLICY0}/schedutil/rate_limit_us"), "1000");
            Ok(value.to_owned())
        }));
        let mut settings = Settings::new(&root, &journal("late")).unwrap();
        set(&mut settings, Node::Governor(0), "performance");
        let outcomes = settings.restore();
        let outcome = outcomes.iter().find(|(path, _)| *path == tunable).map(|(_, outcome)| outcome);
        assert_eq!(outcome == Some(&RestoreOutcome::Done), is_back, "{delay_ms} ms: {outcomes:?}");
    }
}

/// Bindings to a CPU that goes offline move to other CPUs permanently.
#[test]
fn affinities_are_restored() {
    let cpuset = |name: &str| format!("/sys/fs/cgroup/cpuset/{name}/cpuset.cpus");
    let plain = board(&[
        ("/sys/devices/system/cpu/online", "0-1"),
        ("/sys/devices/system/cpu/cpu1/online", "1"),
        ("/proc/irq/30/smp_affinity_list", "1"),
        ("/proc/irq/31/smp_affinity_list", "0-1"),
        ("/sys/fs/cgroup/cpuset/cpuset.cpus", "0-1"),
        (&cpuset("a"), "0-1"),
        (&cpuset("a/b"), "0-1"),
    ]);
    let (files, parent, child) = (plain.clone(), cpuset("a"), cpuset("a/b"));
    let root = plain.with_write_policy(WritePolicy::new(move |path, value| {
        let is_off = path.ends_with("cpu1/online") && value == "0";
        if is_off {
            files.write("/proc/irq/30/smp_affinity_list", "0").unwrap();
            files.write(&parent, "0").unwrap();
            files.write(&child, "0").unwrap();
        }
        // A child must not have CPUs that its parent lacks.
        let parent_has = files.read_value(&parent).unwrap();
        if path == child && value != parent_has { Err(libc::EACCES) } else { Ok(value.to_owned()) }
    }));
    comes_back(&root, "bound", |settings| {
        set(settings, Node::CpuOnline(1), "0");
        assert_eq!(root.read_value(&cpuset("a/b")).unwrap(), "0");
        set(settings, Node::CpuOnline(1), "1");
        assert_eq!(root.read_value(&cpuset("a/b")).unwrap(), "0-1");
        set(settings, Node::CpuOnline(1), "0");
    });
}

#[test]
fn cpu_that_others_cannot_do_without_stays_on() {
    let root = board(&[
        ("/sys/devices/system/cpu/online", "0-1"),
        ("/sys/devices/system/cpu/cpu1/online", "1"),
        ("/sys/fs/cgroup/cpuset/cpuset.cpus", "0-1"),
        ("/sys/fs/cgroup/cpuset/rt/cpuset.cpus", "1"),
        ("/sys/fs/cgroup/cpuset/rt/tasks", "4711"),
    ]);
    let mut settings = Settings::new(&root, &journal("emptied")).unwrap();
    let why = refused(&mut settings, Node::CpuOnline(1), "0");
    assert!(why.contains("cpuset/rt"), "{why}");
}

/// A setting that one run could not restore belongs to the user in the next run.
#[test]
fn original_survives_a_failed_restore() {
    let plain = board(&[]);
    let is_stuck = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let stuck = is_stuck.clone();
    let root = plain.with_write_policy(WritePolicy::new(move |_, value| {
        let is_stuck = stuck.load(std::sync::atomic::Ordering::Relaxed);
        (!is_stuck).then(|| value.to_owned()).ok_or(libc::EIO)
    }));
    let before = root.board_files();
    let path = journal("stuck");
    let stick = |value| is_stuck.store(value, std::sync::atomic::Ordering::Relaxed);
    let mut settings = Settings::new(&root, &path).unwrap();
    set(&mut settings, Node::Governor(0), "performance");
    stick(true);
    drop(settings);
    assert!(path.exists());
    stick(false);
    assert_eq!(journal_entries_left(&root, &path).unwrap(), [Node::Governor(0).path()]);
    let mut settings = Settings::new(&root, &path).unwrap();
    assert_eq!(set(&mut settings, Node::Governor(0), "performance"), None);
    set(&mut settings, Node::ClockMin(0), "408000");
    settings.restore();
    assert_eq!(root.board_files(), before);
    assert!(!path.exists());
}

/// A truncated line of a full disk does not swallow the next one.
#[test]
fn truncated_line_is_skipped() {
    let root = board(&[]);
    let before = root.board_files();
    let path = journal("full");
    std::fs::write(&path, "{\"path\":\"/sys/devices").unwrap();
    let mut settings = Settings::new(&root, &path).unwrap();
    set(&mut settings, Node::Governor(0), "performance");
    kill(settings);
    restore_from_journal(&root, &path).unwrap();
    assert_eq!(root.board_files(), before);
}

#[test]
fn differing_setting_is_retried_then_reported() {
    let root = board(&[]);
    let path = Node::Governor(0).path();
    let mut settings = Settings::new(&root, &journal("drift")).unwrap();
    set(&mut settings, Node::Governor(0), "performance");
    assert_eq!(settings.check().len(), 0);
    let mut told = Vec::new();
    for (value, expected) in [("powersave", "performance"), ("schedutil", "schedutil"), ("schedutil", "schedutil")] {
        root.write(&path, value).unwrap();
        for outcome in settings.check() {
            let unmet = outcome.tell(5, Some("lzma"), &mut |_| {});
            told.push(unmet.map(|unmet| (unmet.found, unmet.before_step)));
        }
        assert_eq!(root.read_value(&path).unwrap(), expected);
    }
    let schedutil = (Fact::Known("schedutil".to_owned()), Some("lzma".to_owned()));
    assert_eq!(told, [None, Some(schedutil)]);
}

/// After another process has restored everything, nothing can be set.
#[test]
fn restore_handle_prevents_further_changes() {
    let root = board(&[]);
    let before = root.board_files();
    let mut settings = Settings::new(&root, &journal("way-back")).unwrap();
    set(&mut settings, Node::Governor(0), "performance");
    let way_back = settings.way_back();
    let outcomes = std::thread::spawn(move || way_back.go()).join().unwrap();
    assert_eq!(outcomes.len(), 1);
    let why = refused(&mut settings, Node::Governor(0), "performance");
    assert!(why.contains("already restored"), "{why}");
    assert_eq!(settings.restore(), []);
    assert_eq!(root.board_files(), before);
}

#[test]
fn journal_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = journal("x").with_file_name("private").join("sbc-bench");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    let path: PathBuf = folder.join("journal");
    std::fs::write(&path, "").unwrap();
    let settings = Settings::new(&board(&[]), &path).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
    drop(settings);
    let fifo = folder.join("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert!(Settings::new(&board(&[]), &fifo).is_err());
    assert!(restore_from_journal(&board(&[]), &fifo).is_err());
    let link = folder.join("link");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink("/etc/hostname", &link).unwrap();
    assert!(Settings::new(&board(&[]), &link).is_err());
    std::fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}
