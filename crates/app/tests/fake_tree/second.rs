//! A second Ctrl-C, while a program that does not want to end keeps a run, whether it holds settings or not.

use crate::fake_tree::tree::{Tree, can_run, difference};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::Duration;

/// Longer than two signals that count once, and shorter than the time that a program gets to end by itself.
const BETWEEN: Duration = Duration::from_millis(600);
/// On a busy machine the first one may come to its end before the second is sent.
const TRIES: usize = 3;

/// Changes governors, limits and CPUs for a program that neither Ctrl-C nor SIGTERM ends.
fn words() -> Vec<&'static str> {
    let run = "run --force --wait 0s --quiet --repeat 1 --cpus 0 --others-off -- /bin/sh -c";
    run.split(' ').chain(["trap '' INT TERM; touch begun; while :; do sleep 0.05; done"]).collect()
}

#[test]
fn second_ctrl_c_restores_and_exits() {
    testkit::needs!(can_run());
    for holds_settings in [true, false] {
        let left = (0..TRIES).any(|_| leaves_at_once(holds_settings));
        assert!(left, "each of {TRIES} runs waited for its program and concluded; with settings: {holds_settings}");
    }
}

#[test]
fn a_stopped_run_leaves_the_settings_of_its_owner() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    // The journal stays while the run is stopped.
    let settings = || {
        let mut settings = tree.settings();
        settings.retain(|path, _| path.starts_with(tree.path("sys")));
        settings
    };
    let before = settings();
    let mut command = tree.command(&words(), "");
    // A process group, as a shell makes it.
    let command = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let wait_for = |is_held: bool| {
        testkit::wait_until("settings are held or not", || difference(&before, &settings()).is_empty() != is_held);
    };
    testkit::wait_until("the program begins", || tree.path("drive/begun").exists());
    let send = |signal| kill_process(Pid::from_child(&child), signal).unwrap();
    send(Signal::TSTP);
    wait_for(false);
    // A signal to continue that comes before the stop would be lost.
    let status = format!("/proc/{}/status", child.id());
    testkit::wait_until("the run stops", || std::fs::read_to_string(&status).unwrap().contains("State:\tT"));
    send(Signal::CONT);
    wait_for(true);
    send(Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(difference(&before, &settings()), "");
}

/// A run that gets Ctrl-C twice. False if it ended before the second one.
fn leaves_at_once(holds_settings: bool) -> bool {
    let tree = Tree::new();
    let before = tree.settings();
    let mut child = tree.command(&words(), "");
    if !holds_settings {
        child.env("NOTUNING", "yes");
    }
    let child = child.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().unwrap();
    testkit::wait_until("the program begins", || tree.path("drive/begun").exists());
    let is_held = !difference(&before, &tree.settings()).is_empty();
    assert_eq!(is_held, holds_settings);
    let ctrl_c = || kill_process(Pid::from_child(&child), Signal::INT);
    ctrl_c().unwrap();
    std::thread::sleep(BETWEEN);
    let _ = ctrl_c();
    let status = child.wait().unwrap();
    // The process itself restored these.
    let settings = tree.settings();
    assert_eq!(status.code(), Some(130));
    assert_eq!(difference(&before, &settings), "");
    tree.wait_for_ends().unwrap();
    // Between the Record and its copy for the eyes there is a moment, too.
    let concluded = tree.path("log/sbc-bench.log").exists() || !tree.kept().is_empty();
    if !concluded {
        let next = tree.run(&["recover"], "");
        let text = String::from_utf8_lossy(&next.stdout).into_owned();
        assert!(text.contains("Its results are in "), "{text}");
    }
    !concluded
}
