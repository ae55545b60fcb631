//! Whose rights programs have under the real binary when it is called by sudo, and what root leaves
//! aside because others can write it. Only root can be called; elsewhere these tests have nothing to ask.

use crate::outcome::{errors, is_root, record, sbc_bench};
use record::{Outcome, Record, StepMeasurement, WorkloadId};
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::Scratch;

/// `nobody` of every distribution.
const NOBODY: u32 = 65534;

/// A folder that belongs to another user, below that of temporary files, removed at its end.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str, owner: u32) -> Self {
        let path = Scratch::new(&format!("rights-{name}"));
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        chown(&path, Some(owner), Some(owner)).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, mode: u32, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    fn record(&self) -> Record {
        record(self.0.join("run.json"))
    }
}

/// The program as sudo starts it for `nobody`.
fn by_sudo(words: &[&str]) -> Command {
    let mut command = sbc_bench(words);
    command
        .env("SUDO_UID", NOBODY.to_string())
        .env("SUDO_GID", NOBODY.to_string())
        .env("SUDO_USER", "nobody")
        .env("SUDO_COMMAND", "sbc-bench")
        .envs([("HOME", "/root"), ("USER", "root"), ("LOGNAME", "root")])
        .env("XDG_CONFIG_HOME", "/root/.config");
    command
}

/// Output of the command of a run.
fn printed(record: &Record, workload: &str) -> String {
    let output = |step: &record::Step| match &step.outcome {
        Outcome::Done(StepMeasurement::Scores(scores)) => Some(scores.output.clone()),
        Outcome::Failed(failure) => Some(format!("{}\n{}", failure.message, failure.output_tail)),
        _ => None,
    };
    record.steps_of(workload).filter_map(output).collect()
}

const TELL: &str = "echo uid $(id -u) $(id -g); grep Groups: /proc/self/status; \
                    echo \"$HOME $USER $LOGNAME $SHELL.\"; env | grep -c '^SUDO_\\|^XDG_CONFIG'; \
                    pwd; ls /proc/self/fd | tr '\\n' ' '; grep CapEff /proc/self/status; exit 0";

fn check_run(name: &str, words: &[&str], expected: &[&str]) {
    let folder = Folder::new(name, 0);
    let log = folder.0.join("run.log");
    let mut command = by_sudo(words);
    command.args(["--force", "--wait", "0s", "--quiet", "--repeat", "1", "--name", "told"]);
    command.arg("--log").arg(&log).args(["--", "sh", "-c", TELL]);
    let output = command.current_dir(&folder.0).output().unwrap();
    assert!(log.exists(), "{name}: {}", errors(&output));
    let text = printed(&folder.record(), "told");
    let place = folder.0.display().to_string();
    for words in expected.iter().chain([&place.as_str()]) {
        assert!(text.contains(words), "{name}: {words:?} is not in\n{text}");
    }
}

#[test]
fn command_runs_as_the_user_who_called_sudo() {
    testkit::needs!(is_root());
    // The last one is the folder that ls looks through.
    let fds = "\n0 1 2 3 CapEff";
    check_run(
        "user",
        &["run"],
        &[
            "uid 65534 65534\nGroups:\t65534 \n/nonexistent nobody nobody /usr/sbin/nologin.\n0\n",
            fds,
            "CapEff:\t0000000000000000",
        ],
    );
    check_run("root", &["run", "--as-root"], &["uid 0 0\n", "/root root root "]);
}

#[test]
fn a_log_that_cannot_be_written_is_refused_before_the_run() {
    testkit::needs!(is_root());
    let folder = Folder::new("unwritable", 0);
    let marks = folder.file("marks", 0o666, "");
    let mut command = sbc_bench(["run", "--force", "--wait", "0s", "--quiet", "--repeat", "1", "--log"]);
    command.arg(folder.0.join("run.log")).args(["--", "sh", "-c", &format!("id >> {}", marks.display())]);
    let output = command.uid(NOBODY).gid(NOBODY).current_dir("/").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains("cannot be written"), "{}", errors(&output));
    assert_eq!(std::fs::read_to_string(&marks).unwrap(), "", "it was measured");
}

#[test]
fn both_sides_of_ab_run_as_the_user() {
    testkit::needs!(is_root());
    let folder = Folder::new("ab", 0);
    let marks = folder.file("marks", 0o666, "");
    let side = format!("id -u >> {}", marks.display());
    let words = ["ab", "--blocks", "6", "--force", "--wait", "0s", "--quiet", "--a", &side, "--b", &side];
    let log = folder.0.join("run.log");
    let output = by_sudo(&words).arg("--log").arg(log).output().unwrap();
    let text = std::fs::read_to_string(&marks).unwrap();
    assert!(text.lines().count() >= 24, "{text} {}", errors(&output));
    assert!(text.lines().all(|line| line == "65534"), "{text}");
}

const GEEKBENCH: &str = "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'Geekbench 6.3.0 Pro'; id -u >> FOLDER/asked; exit; }\n\
                         while [ $# -gt 1 ]; do [ \"$1\" = --export-json ] && out=$2; shift; done\n\
                         [ -n \"$out\" ] && echo '{\"sections\":[{\"name\":\"Single-Core\",\"score\":700}]}' > \"$out\"\n\
                         id -u >> FOLDER/ran; echo done\n";

#[test]
fn geekbench_of_a_user_runs_as_the_user_and_never_as_root() {
    testkit::needs!(is_root());
    let folder = Folder::new("geekbench", NOBODY);
    let program = GEEKBENCH.replace("FOLDER", &folder.0.display().to_string());
    let program = folder.file("geekbench6", 0o755, &program);
    let words = ["-G", "--force", "--wait", "0s", "--quiet", "--log"];
    let log = folder.0.join("run.log");
    let output = by_sudo(&words).arg(&log).env("GEEKBENCH", &program).output().unwrap();
    let text = |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap_or_default();
    for name in ["asked", "ran"] {
        let lines = text(name);
        assert!(!lines.is_empty() && lines.lines().all(|line| line == "65534"), "{name}: {lines} {}", errors(&output));
    }
    let record = folder.record();
    let steps: Vec<_> = record.steps_of(WorkloadId::Geekbench).collect();
    let scores = format!("{steps:?}");
    assert!(scores.contains("700.0"), "{scores}");
    // Root runs no program that another user can write.
    std::fs::remove_file(folder.0.join("asked")).unwrap();
    let output = sbc_bench(words).arg(&log).env("GEEKBENCH", &program).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let sentence = errors(&output);
    assert!(sentence.contains("geekbench cannot run: ") && sentence.contains("is owned by nobody"), "{sentence}");
    assert!(!folder.0.join("asked").exists());
}

#[test]
fn workload_without_program_is_refused() {
    let words = ["--wait", "100s", "--log", "/proc/run.log"];
    for (flags, name) in [(&["-G"][..], "Geekbench"), (&["-P", "x"], "Phoronix Test Suite")] {
        let output = sbc_bench(flags).args(words).env("PATH", "/nowhere").output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{flags:?}");
        let sentence = errors(&output);
        assert!(sentence.contains(&format!("{name} is not installed")), "{sentence}");
    }
}

/// Error of `run --workload mine` with definitions in this file.
fn refused(file: &Path, command: Command) -> String {
    let mut command = command;
    let output = command.arg("--workload-file").arg(file).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    errors(&output)
}

#[test]
fn definitions_that_others_can_write_are_not_run_by_root() {
    testkit::needs!(is_root());
    let folder = Folder::new("definitions", NOBODY);
    let text = "[[workload]]\nname = \"mine\"\ncommand = [\"sh\", \"-c\", \"id -u\"]\nrepeat = 1\n";
    let file = folder.file("mine.toml", 0o644, text);
    let words = ["run", "--force", "--wait", "0s", "--quiet", "--workload", "mine"];
    let why = refused(&file, sbc_bench(words));
    assert!(why.contains("because") && why.contains("is owned by nobody"), "{why}");
    let why = refused(&file, by_sudo(&[&words[..], &["--as-root"]].concat()));
    assert!(why.contains("because"), "{why}");
    let log = folder.0.join("run.log");
    let mut command = by_sudo(&words);
    command.arg("--workload-file").arg(&file).arg("--log").arg(log);
    let output = command.output().unwrap();
    assert_eq!(printed(&folder.record(), "mine"), "65534\n", "{}", errors(&output));
    // A folder of definitions is looked through without them.
    let config = Folder::new("config", NOBODY);
    let own = config.0.join("sbc-bench/workloads.d");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::copy(&file, own.join("mine.toml")).unwrap();
    let listed = sbc_bench(["list", "definitions"]).env("XDG_CONFIG_HOME", &config.0).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("Root does not read ") && listed.contains("mine.toml"), "{listed}");
}

#[test]
fn root_ignores_writable_path_directories() {
    testkit::needs!(is_root());
    let folder = Folder::new("path", NOBODY);
    let body = format!("#!/bin/sh\nid -u >> {}/ran\necho 'smartctl 7.4'\n", folder.0.display());
    for name in ["smartctl", "7zz", "apt-get", "mytool"] {
        folder.file(name, 0o755, &body);
    }
    let path = format!("{}:.:/usr/bin:/bin", folder.0.display());
    let run = |words: &[&str]| {
        let mut command = sbc_bench(words);
        command.env("PATH", &path).current_dir(&folder.0).output().unwrap()
    };
    let listed = run(&["list", "tools"]);
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let reason = format!("{} is owned by nobody", folder.0.display());
    assert!(text.contains("Ignored, because root runs only programs that no other user can replace:"), "{text}");
    assert!(text.contains(&reason) && text.contains(". is not an absolute path"), "{text}");
    let _ = run(&["install-tools", "7-zip"]);
    let _ = run(&["storage"]);
    let refused = errors(&run(&["run", "--", "mytool"]));
    assert!(refused.contains("mytool") && refused.contains("is ignored because"), "{refused}");
    assert!(!folder.0.join("ran").exists(), "root ran a program of another user");
    // Programs of root have no such directory in PATH; a command of the user has the PATH of the user.
    let log = folder.0.join("run.log");
    let words = ["run", "--force", "--wait", "0s", "--quiet", "--repeat", "1", "--name", "told", "--log"];
    let told = |mut command: Command| {
        command.arg(&log).args(["--", "sh", "-c", "echo \"PATH $PATH.\""]);
        command.env("PATH", &path).output().unwrap();
        printed(&folder.record(), "told")
    };
    assert_eq!(told(sbc_bench(words)), "PATH /usr/bin:/bin.\n");
    assert_eq!(told(by_sudo(&words)), format!("PATH {path}.\n"));
}

#[test]
fn files_in_caller_directories_belong_to_caller() {
    use std::os::unix::fs::MetadataExt;
    testkit::needs!(is_root());
    let owner = |path: &Path| path.metadata().unwrap().uid();
    for (whose, expected) in [(NOBODY, NOBODY), (0, 0)] {
        let folder = Folder::new(&format!("made-{whose}"), whose);
        // An existing file keeps its owner.
        let before = folder.file("before", 0o644, "");
        let log = folder.0.join("run.log");
        let words = ["run", "--force", "--wait", "0s", "--quiet", "--repeat", "1", "--log"];
        let runs = folder.0.join("sbc-bench-runs");
        // The second run finds the folder of the first.
        for files in [2, 4] {
            let mut command = by_sudo(&words);
            command.arg(&log).args(["--", "true"]);
            let output = command.current_dir(&folder.0).output().unwrap();
            assert!(log.exists(), "{}", errors(&output));
            let kept = runs.read_dir().unwrap().map(|entry| entry.unwrap().path());
            let kept: Vec<PathBuf> = kept.collect();
            assert_eq!(kept.len(), files, "{}", errors(&output));
            assert!(kept.iter().all(|path| owner(path) == expected), "{kept:?}");
        }
        let record = log.with_extension("json");
        for made in [&log, &record, &runs] {
            assert_eq!(owner(made), expected, "{}", made.display());
        }
        assert_eq!(owner(&before), 0, "{}", before.display());
        let recording = folder.0.join("own.sbcmon");
        let mut command = by_sudo(&["-m", "0.05", "--quiet", "--count", "2", "--record"]);
        let output = command.arg(&recording).output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        assert_eq!(owner(&recording), expected);
    }
}

#[test]
fn unprivileged_tools_run_as_caller() {
    testkit::needs!(is_root());
    let folder = Folder::new("plain-tools", 0);
    let marks = folder.file("ran", 0o666, "");
    for (name, banner, workload) in [
        ("7zz", "7-Zip (z) 26.02 (x64)", "sevenzip"),
        ("openssl", "OpenSSL 3.0.22 21 Oct 2026", "openssl"),
        ("sysbench", "sysbench 1.0.20", "sysbench"),
    ] {
        let body = format!("#!/bin/sh\nid -u >>{}\necho '{banner}'\n", marks.display());
        let program = folder.file(name, 0o755, &body);
        let words = ["run", "--force", "--wait", "0s", "--quiet", "--workload", workload, "--log"];
        let path = format!("{}:/usr/bin:/bin", folder.0.display());
        let mut command = by_sudo(&words);
        let output = command.arg(folder.0.join("run.log")).env("PATH", path).output().unwrap();
        let text = std::fs::read_to_string(&marks).unwrap();
        let is_users = !text.is_empty() && text.lines().all(|line| line == "65534");
        assert!(is_users, "{name}: {text:?} {}", errors(&output));
        std::fs::write(&marks, "").unwrap();
        std::fs::remove_file(program).unwrap();
    }
}
