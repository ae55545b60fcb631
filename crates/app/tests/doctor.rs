//! `sbc-bench doctor` from the outside: on every board and on this machine it ends well, fits 80 columns, says why
//! something is missing, and changes nothing.

use crate::outcome::board;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_sbc-bench");

/// Standard output; the command must succeed without messages.
fn printed(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && errors.is_empty(), "{command:?}: {} {errors}", output.status);
    String::from_utf8(output.stdout).expect("everything printed is text")
}

fn doctor(words: &[&str]) -> Command {
    let mut command = testkit::clean_command(PROGRAM, ["doctor"]);
    command.args(words);
    command
}

/// Text that fits, and JSON that says the same of each subject.
fn check(words: &[&str]) -> Value {
    let text = printed(&mut doctor(words));
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{words:?}: {line:?}");
    }
    let json = printed(doctor(words).arg("--json"));
    let value: Value = serde_json::from_str(&json).unwrap();
    for row in value["subjects"].as_array().unwrap() {
        let (subject, measurable) = (row["subject"].as_str().unwrap(), row["measurable"].as_str().unwrap());
        let head = format!("  {measurable:<7} {subject}");
        assert!(text.lines().any(|line| line.starts_with(&head)), "{words:?}: {head:?} in\n{text}");
        assert!(!row["because"].as_str().unwrap().is_empty(), "{words:?}: {row}");
    }
    value
}

#[test]
fn every_board_and_this_machine_are_told() {
    let mut counts = Vec::new();
    for name in testkit::boards() {
        let value = check(&["--root", &board(&name)]);
        counts.push(value["subjects"].as_array().unwrap().len());
        // Programs of this machine say nothing about another one.
        assert_eq!(value["tools"], Value::Array(Vec::new()), "{name}");
    }
    let here = check(&[]);
    assert!(here["tools"].as_array().is_some_and(|tools| tools.len() > 10));
    // All have the same subjects, but for files that cannot be read.
    let least = counts.iter().min().unwrap();
    assert!(counts.iter().all(|count| *count <= least + 1), "{counts:?}");
}

#[test]
fn boards_are_told_as_they_are() {
    let of = |value: &Value, subject: &str| {
        let rows = value["subjects"].as_array().unwrap();
        let row = rows.iter().find(|row| row["subject"] == subject).unwrap();
        format!("{}: {}", row["measurable"].as_str().unwrap(), row["because"].as_str().unwrap())
    };
    let rk3588 = check(&["--root", &board("rk3588")]);
    assert!(of(&rk3588, "cpufreq").starts_with("yes: policy0: 408-1800 MHz"), "{}", of(&rk3588, "cpufreq"));
    assert!(of(&rk3588, "temperature").starts_with("yes: SoC "), "{}", of(&rk3588, "temperature"));
    assert!(of(&rk3588, "cycle-counters").starts_with("unknown: "));
    let nothing = check(&["--root", &board("nothing")]);
    for subject in ["board", "cpufreq", "settings", "environment", "results", "power"] {
        assert!(of(&nothing, subject).starts_with("unknown: "), "{}", of(&nothing, subject));
    }
}

/// Calls that change something and files opened for writing, except descriptors of the process
/// itself, and `/dev/null`.
fn changes(trace: &str) -> Vec<&str> {
    const CALLS: &str = "chmod fchmod fchmodat chown fchown fchownat creat ftruncate link linkat mkdir mkdirat mknod mknodat \
                         mount rename renameat2 rmdir symlinkat truncate unlink unlinkat";
    let is_change = |line: &&str| {
        // A line of strace begins with the number of the process where several are followed.
        let call = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ' || c == '[' || c == ']');
        let name = call.split('(').next().unwrap_or_default().trim_start_matches("pid ");
        let opens =
            name.starts_with("open") && ["O_WRONLY", "O_RDWR", "O_CREAT"].iter().any(|flag| call.contains(flag));
        CALLS.split(' ').any(|known| known == name) || (opens && !call.contains("\"/dev/null\""))
    };
    trace.lines().filter(is_change).collect()
}

#[test]
fn nothing_is_changed() {
    for (line, is_change) in [
        (r#"12 openat(AT_FDCWD, "/proc/stat", O_RDONLY|O_CLOEXEC) = 3"#, false),
        (r#"12 openat(AT_FDCWD, "/dev/null", O_RDWR|O_CLOEXEC) = 3"#, false),
        (r#"openat(AT_FDCWD, "/tmp/x", O_WRONLY|O_CREAT, 0666) = 3"#, true),
        (r#"12 mkdirat(3, "x", 0700) = 0"#, true),
    ] {
        assert_eq!(!changes(line).is_empty(), is_change, "{line}");
    }
    let Some(strace) = found("strace") else { return testkit::skip("strace is not installed") };
    let name = format!("sbc-bench-doctor-{}.trace", std::process::id());
    let trace = std::env::temp_dir().join(name);
    let words = ["-f", "-o", trace.to_str().unwrap(), PROGRAM, "doctor"];
    // Without programs on the PATH: what they do when asked for their version is theirs.
    let mut command = testkit::clean_command(strace, words);
    let output = command.env("PATH", "/none").stdin(Stdio::null()).output().unwrap();
    let text = std::fs::read_to_string(&trace).unwrap_or_default();
    let _ = std::fs::remove_file(&trace);
    if !output.status.success() {
        return testkit::skip("strace may not trace here");
    }
    assert!(text.lines().count() > 100, "{text}");
    assert_eq!(changes(&text), Vec::<&str>::new());
}

/// The program of this name on the PATH.
fn found(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder: PathBuf| folder.join(name)).find(|path: &PathBuf| Path::is_file(path))
}
