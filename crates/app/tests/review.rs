//! A review where nothing can be raised, and where nobody sits in front of it: without root, in a pipe, with
//! standard input closed, as a job in the background of a terminal.

use crate::outcome::text;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;
use testkit::Scratch;

/// `nobody` of every distribution.
const NOBODY: u32 = 65534;

/// A line for a shell in which `$PROGRAM` is the program; everything it printed, and its exit status.
fn typed(name: &str, as_root: bool, line: &str) -> (String, i32) {
    let folder = Scratch::new(&format!("review-{name}"));
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    // A copy, because others than root may not look into the folder that it was built in.
    let program = folder.join("sbc-bench");
    crate::placed::copy_program(&program);
    let mut command = Command::new("bash");
    command
        .args(["-c", line])
        .current_dir(&*folder)
        .env("PROGRAM", &program)
        .env("HOME", &*folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .env_remove("ExecuteCommand");
    if !as_root && rustix::process::geteuid().is_root() {
        chown(&*folder, Some(NOBODY), Some(NOBODY)).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().unwrap();
    let all = format!("{}\n{}", text(&output.stdout), text(&output.stderr));
    (all, output.status.code().unwrap_or(-1))
}

fn check(name: &str, as_root: bool, line: &str, says: &[&str]) {
    let (said, status) = typed(name, as_root, line);
    assert_eq!(status, 0, "{line}: {said}");
    for words in says {
        assert!(said.contains(words), "{line} does not say {words:?}:\n{said}");
    }
}

#[test]
fn review_without_root_monitors_only() {
    check(
        "nobody",
        false,
        "$PROGRAM -R -- sleep 1 && cat state/sbc-bench/sbc-bench.log",
        &[
            "No setting is tuned: ",
            "Monitoring while sleep 1 runs.",
            "No setting was tuned: ",
            "while sleep 1 ran",
            "Log: ",
            // Without them the kernel would seem to have been silent.
            "ernel messages",
        ],
    );
}

#[test]
fn review_runs_unattended() {
    let ends = &["### Final report:", "Monitored for"];
    check("closed", true, "NOTUNING=yes $PROGRAM -R --log a.log <&- & sleep 3; kill -TERM $!; wait $!", ends);
    check(
        "pipe",
        true,
        "(sleep 1; echo fan off; sleep 1) | NOTUNING=yes timeout -s INT 4 $PROGRAM -R --log a.log | cat",
        &["### Final report:", "Mark after ", "fan off"],
    );
}

/// The kernel stops background jobs that read from the terminal; a review must not.
#[test]
fn job_in_the_background_of_a_terminal_goes_on() {
    let job = "set -m; NOTUNING=yes $PROGRAM -R --log a.log >out 2>&1 & sleep 3; jobs; kill -INT $!; wait $!; \
               echo ended with $?; cat out";
    let script = "script -qec 'bash job' /dev/null </dev/null";
    let line = format!("cat > job <<'END'\n{job}\nEND\n{script}");
    let (said, _) = typed("job", true, &line);
    assert!(!said.contains("Stopped"), "{said}");
    assert!(said.contains("ended with 0") && said.contains("### Final report:"), "{said}");
}
