//! What a run says about its guard, about the leftovers of others and about what it may not write: the sentence is
//! there when it is true, and only then.

use crate::fake_tree::kills::RUN;
use crate::fake_tree::tree::{Tree, can_run, difference};
use crate::outcome::{errors, put_tool};
use std::process::Stdio;

const REPLACED: &str = "The guard process was killed; started another one.";
const LEFT: &str = "An earlier run left /sys/devices/system/cpu/";
const BACK: &str = " of its settings; restored ";
/// Changes no setting but leftovers.
const CLOCK: &[&str] = &["clock", "--cpu", "0", "--quiet"];

#[test]
fn killed_guard_is_replaced() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let before = tree.settings();
    let output = tree.run(RUN, "run write /cpufreq/ 2 kill-guard");
    assert!(errors(&output).contains(REPLACED), "{output:?}");
    assert_eq!(difference(&before, &tree.settings()), "");
    // The run is killed at its last step; only the second guard remains.
    let plan = "run write /cpufreq/ 2 kill-guard; run write /cpu1/online 1 kill-run";
    let child = tree.command(RUN, plan).stderr(Stdio::piped()).spawn();
    let output = child.unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), None, "{output:?}");
    assert!(errors(&output).contains(REPLACED), "{output:?}");
    tree.wait_for(&before).unwrap();
    // A run whose guard was left alone has nothing to say about it.
    let output = Tree::new().run(RUN, "");
    assert!(!errors(&output).contains("guard"), "{output:?}");
}

#[test]
fn recover_saves_results_and_restores_settings() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let before = tree.settings();
    tree.run(RUN, "run write /cpufreq/ 4 kill-both");
    assert_ne!(difference(&before, &tree.settings()), "");
    let output = tree.run(&["recover"], "");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("Its results are in ") && told.contains(" restored\n"), "{output:?}");
    assert_eq!((output.status.code(), difference(&before, &tree.settings())), (Some(0), String::new()));
    let again = tree.run(&["recover"], "");
    assert!(String::from_utf8_lossy(&again.stdout).starts_with("No runs to recover in "), "{again:?}");
}

#[test]
fn settings_come_back_after_a_panic() {
    testkit::needs!(can_run());
    for plan in ["run write /cpufreq/ 4 panic", "run sync * 2 panic"] {
        let tree = Tree::new();
        let before = tree.settings();
        let output = tree.run(RUN, plan);
        assert_eq!(output.status.code(), Some(101), "{plan}: {output:?}");
        assert!(errors(&output).contains("planned"), "{plan}: {output:?}");
        tree.wait_for(&before).unwrap();
        tree.wait_for_ends().unwrap();
    }
}

#[test]
fn leftovers_are_reported_with_notuning() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let before = tree.settings();
    let killed = tree.run(RUN, "run write /cpufreq/ 4 kill-both");
    assert_eq!(killed.status.code(), None);
    let left = tree.settings();
    assert_ne!(difference(&before, &left), "");
    let untuned = || {
        let mut command = tree.command(CLOCK, "");
        command.env("NOTUNING", "yes").output().unwrap()
    };
    let told = errors(&untuned());
    assert!(told.contains(LEFT) && told.contains("use `sbc-bench recover`."), "{told}");
    assert!(!told.contains(BACK), "{told}");
    assert_eq!(difference(&left, &tree.settings()), "");
    // Restored, there is nothing to tell any more.
    assert!(tree.run(&["restore"], "").status.success());
    assert_eq!(difference(&before, &tree.settings()), "");
    let told = errors(&untuned());
    assert!(!told.contains(LEFT), "{told}");
}

#[test]
fn settings_changed_since_a_killed_run_stay() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let killed = tree.run(RUN, "run write /cpufreq/ 4 kill-both");
    assert_eq!(killed.status.code(), None);
    let governor = tree.path("sys/devices/system/cpu/cpufreq/policy0/scaling_governor");
    std::fs::write(&governor, "powersave").unwrap();
    let chosen = || std::fs::read_to_string(&governor).unwrap();
    let told = errors(&tree.run(CLOCK, ""));
    assert!(told.contains(BACK) && told.contains("was set to powersave by something else since"), "{told}");
    assert_eq!(chosen(), "powersave");
    // Reported once, and never restored later.
    for words in [CLOCK, RUN, CLOCK] {
        let told = errors(&tree.run(words, ""));
        assert!(!told.contains(BACK), "{told}");
        assert_eq!(chosen(), "powersave");
    }
}

#[test]
fn read_only_sys_leaves_no_journal() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let before = tree.settings();
    let read_only = |words: &[&str]| {
        let mut command = tree.command(words, "");
        command.env("SYS_IS_READ_ONLY", "1").output().unwrap()
    };
    let output = read_only(RUN);
    let told = errors(&output);
    assert!(matches!(output.status.code(), Some(0 | 2 | 3)), "{output:?}");
    assert!(told.contains("No settings are tuned: it is mounted read-only."), "{told}");
    assert!(!told.contains("was not restored"), "{told}");
    for _ in 0..2 {
        let told = errors(&read_only(CLOCK));
        assert!(!told.contains(BACK) && !told.contains(LEFT), "{told}");
    }
    let journal = tree.path("lib/sbc-bench/settings.journal");
    assert!(!journal.exists(), "a journal stays");
    assert_eq!(difference(&before, &tree.settings()), "");
}

#[test]
fn unwritable_sys_directory_is_reported_once() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let before = tree.settings();
    let output = tree.run(RUN, "run write /cpufreq/ 0 EROFS");
    let told = errors(&output);
    assert!(told.contains("read-only file system (EROFS)"), "{told}");
    assert!(!told.contains("was not restored"), "{told}");
    assert!(!errors(&tree.run(CLOCK, "")).contains(BACK));
    assert_eq!(difference(&before, &tree.settings()), "");
}

/// A file of a process that cannot be read does not make the process a dead one, whose programs are ended.
#[test]
fn a_run_that_goes_on_is_not_taken_for_dead() {
    testkit::needs!(can_run());
    for call in ["open", "read"] {
        let (alive, other) = (Tree::new(), Tree::new());
        let mut words = RUN.to_vec();
        words.truncate(words.len() - 1);
        words.extend(["sh", "-c", "touch started; until [ -e go ]; do sleep 0.1; done"]);
        let mut command = alive.command(&words, "");
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        testkit::wait_until("it starts", || alive.path("drive/started").exists());
        let plan = format!("run {call} /proc/{}/stat 1 EPERM", child.id());
        other.run(RUN, &plan);
        std::fs::write(alive.path("drive/go"), "").unwrap();
        let output = child.wait_with_output().unwrap();
        let status = output.status.code();
        assert!(matches!(status, Some(0 | 2 | 3)), "{call}: {}", errors(&output));
    }
}

/// A journal with a line lost to a bad sector does not count as restored.
#[test]
fn a_journal_with_a_damaged_line_is_named_once_and_kept() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let before = tree.settings();
    let killed = tree.run(RUN, "run write /cpufreq/ 4 kill-both");
    assert_eq!(killed.status.code(), None);
    let journal = tree.path("lib/sbc-bench/settings.journal");
    let text = std::fs::read_to_string(&journal).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    std::fs::write(&journal, "\0".repeat(first.len()) + "\n" + rest).unwrap();
    let output = tree.run(&["restore"], "");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(5), "{told}");
    assert!(told.contains("1 of its lines were unreadable"), "{told}");
    assert!(!journal.exists() && journal.with_extension("journal.damaged").exists(), "{told}");
    let again = tree.run(&["restore"], "");
    assert_eq!(String::from_utf8_lossy(&again.stdout), "Nothing to restore.\n");
    // Whole again, it brings everything back; a line that was cut belongs to no change.
    let cut = &first[..first.len() / 2];
    std::fs::write(&journal, format!("{text}\n{cut}\n")).unwrap();
    let output = tree.run(&["restore"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(difference(&before, &tree.settings()), "");
}

/// A fio that measures nothing, next to all that other tests need of the machine's.
fn with_fio(tree: &Tree) -> String {
    let bin = tree.path("bin");
    put_tool(&bin, "fio", "[ \"$1\" = --version ] && echo fio-3.33\nexit 0\n");
    format!("{}:/usr/sbin:/usr/bin:/sbin:/bin", bin.display())
}

/// When run and guard die at once, the folder that was being measured in goes with the next start, if it still is
/// that folder: the process that owns the one that it is in may have put something else there.
#[test]
fn the_next_start_removes_the_folder_of_a_dead_run_and_no_other() {
    testkit::needs!(can_run());
    for is_exchanged in [false, true] {
        let tree = Tree::new();
        let (path, home) = (with_fio(&tree), tree.path("home"));
        std::fs::create_dir(&home).unwrap();
        let names = || {
            let entries = std::fs::read_dir(&home).unwrap();
            let names: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            names
        };
        // The words of a run without its CPUs and its command.
        let mut words = RUN[..7].to_vec();
        words.extend(["--workload", "drive:write", "--dir"]);
        words.push(home.to_str().unwrap());
        let run = |plan: &str| {
            let mut command = tree.command(&words, plan);
            command.env("PATH", &path).output().unwrap()
        };
        // Just before fio measures.
        let output = run("run remove /fio.json 1 kill-both");
        assert_eq!(output.status.code(), None, "{output:?}");
        let left = names();
        assert_eq!(left.len(), 1, "{left:?} {output:?}");
        std::fs::write(left[0].join("large"), "x").unwrap();
        if is_exchanged {
            std::fs::rename(&left[0], tree.path("moved")).unwrap();
            std::fs::create_dir(&left[0]).unwrap();
            std::fs::write(left[0].join("mine"), "precious").unwrap();
        }
        let told = errors(&run(""));
        let name = left[0].display();
        if is_exchanged {
            let kept = format!("{name} is not the directory that was created there");
            assert!(told.contains(&kept), "{told}");
            assert!(left[0].join("mine").exists());
        } else {
            let removed = format!("Removed directories left by an earlier run: {name}.");
            assert!(told.contains(&removed), "{told}");
            assert!(names().is_empty());
        }
        // The note is not repeated, and the directory of the second run is gone.
        assert!(!errors(&run("")).contains(&*name.to_string()));
        assert_eq!(names().len(), usize::from(is_exchanged));
    }
}
