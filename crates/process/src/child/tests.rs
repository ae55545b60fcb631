//! Programs that behave badly, each a few lines of shell.

use super::*;
use rustix::thread::CpuSet;

struct Case<'a> {
    script: &'a str,
    cpus: &'a [u32],
    time_limit: Duration,
    cancelled: i32,
}

impl Default for Case<'_> {
    fn default() -> Self {
        Self { script: "", cpus: &[], time_limit: Duration::from_secs(20), cancelled: 0 }
    }
}

fn run(case: Case) -> ExitReport {
    let argv = ["/bin/sh", "-c", case.script].map(str::to_owned);
    let spec = ChildSpec { cpus: case.cpus, ..ChildSpec::new(&argv, case.time_limit) };
    Child::spawn(&spec).unwrap().finish(&mut Supervisor {
        root: &Root::system(),
        cancelled: &AtomicI32::new(case.cancelled),
        watch: &mut || {},
        enough: None,
    })
}

fn check(script: &str, kind: FailureKind, message: &str) {
    let failure = run(Case { script, ..Case::default() }).outcome.unwrap_err();
    assert_eq!((failure.kind, failure.message.as_str()), (kind, message), "{script}");
}

/// True while the process exists and is not a zombie.
fn is_alive(pid: &str) -> bool {
    let stat = Root::system().read(&format!("/proc/{}/stat", pid.trim()));
    stat.is_ok_and(|text| !text.contains(") Z "))
}

/// Waits until a killed process is gone.
fn ends(pid: &str) -> bool {
    assert!(!pid.trim().is_empty(), "the script told no process id");
    (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !is_alive(pid)
    })
}

#[test]
fn output_of_both_kinds_is_kept_in_order() {
    let ended = run(Case { script: "echo one; echo two >&2; echo three; sleep 0.05", ..Case::default() });
    assert_eq!((ended.output.as_str(), ended.outcome), ("one\ntwo\nthree\n", Ok(())));
    assert!(!ended.seen_on.is_empty());
    assert!(ended.usage.user_ms.known().is_some());
    assert!(ended.usage.peak_resident_kib.known().is_some());
}

#[test]
fn locale_is_plain_and_standard_input_empty() {
    let ended = run(Case { script: "cat; echo \"$LC_ALL $LANG.\"", ..Case::default() });
    assert_eq!(ended.output, "C .\n");
}

#[test]
fn crashes_are_told_apart() {
    check("exit 7", FailureKind::ExitStatus, "sh exited with status 7.");
    check("kill -SEGV $$", FailureKind::Signal, "sh was terminated by SIGSEGV.");
    check("kill -KILL $$", FailureKind::Signal, "sh was terminated by SIGKILL.");
}

#[test]
fn program_that_does_not_exist_is_not_started() {
    for path in ["/nonexistent/7zz", "", "/etc/passwd", "/"] {
        let argv = [path.to_owned()];
        let spec = ChildSpec::new(&argv, Duration::from_secs(1));
        let failure = Child::spawn(&spec).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotStarted, "{path}");
    }
}

#[test]
fn cpus_that_do_not_exist_are_refused() {
    for cpu in [1000, 5000] {
        let argv = ["/bin/true".to_owned()];
        let spec = ChildSpec { cpus: &[cpu], ..ChildSpec::new(&argv, Duration::from_secs(1)) };
        let failure = Child::spawn(&spec).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotStarted);
        assert!(failure.message.contains(&cpu.to_string()), "{}", failure.message);
    }
}

#[test]
fn program_affinity() {
    let before = rustix::thread::sched_getaffinity(None).unwrap();
    let cpu = (0..CpuSet::MAX_CPU).find(|&cpu| before.is_set(cpu)).unwrap() as u32;
    let script = "grep Cpus_allowed_list /proc/self/status";
    let ended = run(Case { script, cpus: &[cpu], ..Case::default() });
    assert_eq!(ended.output, format!("Cpus_allowed_list:\t{cpu}\n"));
    assert_eq!(ended.seen_on, [cpu]);
    assert_eq!(rustix::thread::sched_getaffinity(None).unwrap(), before);
}

#[test]
fn hanging_program_is_killed_and_output_kept() {
    let limit = Duration::from_millis(500);
    let ended = run(Case {
        script: "trap '' TERM; echo \"$$ stuck\"; while :; do sleep 0.05; done",
        time_limit: limit,
        ..Case::default()
    });
    let failure = ended.outcome.unwrap_err();
    assert_eq!(failure.kind, FailureKind::TimedOut);
    assert_eq!(failure.message, "sh exceeded its time limit of 500ms and was killed.");
    assert!(failure.output_tail.ends_with("stuck\n"));
    assert!(ends(failure.output_tail.split(' ').next().unwrap()));
}

#[test]
fn program_may_print_on_sigterm() {
    let ended = run(Case {
        script: "trap 'echo goodbye; exit 0' TERM; echo hello; while :; do sleep 0.02; done",
        time_limit: Duration::from_millis(500),
        ..Case::default()
    });
    // Some shells print how their last command ended.
    assert!(ended.output.starts_with("hello\n") && ended.output.ends_with("goodbye\n"));
    assert_eq!(ended.outcome.unwrap_err().kind, FailureKind::TimedOut);
}

#[test]
fn interruption_ends_the_program() {
    let ended = run(Case { script: "sleep 100", cancelled: 2, ..Case::default() });
    let failure = ended.outcome.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Interrupted);
    assert_eq!(failure.message, "sh was terminated because SIGINT (Ctrl-C) interrupted the run.");
}

#[test]
fn grandchild_left_behind_is_killed() {
    // It ignores SIGTERM and holds the pipe open.
    let script = "(trap '' TERM; while :; do sleep 0.05; done) & echo $!";
    let ended = run(Case { script, ..Case::default() });
    assert_eq!(ended.outcome, Ok(()));
    assert!(ends(&ended.output), "{} lives", ended.output);
}

#[test]
fn flood_is_cut_and_ends_at_the_limit() {
    let ended = run(Case {
        script: "while :; do echo flood flood flood flood; done",
        time_limit: Duration::from_millis(300),
        ..Case::default()
    });
    assert_eq!(ended.outcome.unwrap_err().kind, FailureKind::TimedOut);
    assert!(ended.output.starts_with("flood") && ended.output.len() < 1_100_000);
}

#[test]
fn program_that_closes_its_output_is_still_waited_for() {
    let ended = run(Case { script: "exec >&- 2>&-; sleep 0.1; exit 3", ..Case::default() });
    assert_eq!(ended.outcome.unwrap_err().kind, FailureKind::ExitStatus);
}

#[test]
fn dropping_a_child_or_panicking_kills_its_group() {
    let argv = ["/bin/sh", "-c", "sleep 100 & sleep 100"].map(str::to_owned);
    let pid = std::sync::Mutex::new(String::new());
    let panicked = std::panic::catch_unwind(|| {
        let spec = ChildSpec::new(&argv, Duration::from_secs(9));
        let child = Child::spawn(&spec).unwrap();
        *pid.lock().unwrap() = child.pid().to_string();
        child.finish(&mut Supervisor {
            root: &Root::system(),
            cancelled: &AtomicI32::new(0),
            watch: &mut || panic!("the watcher fails"),
            enough: None,
        });
    });
    assert!(panicked.is_err());
    let pid = pid.into_inner();
    assert!(ends(&pid.unwrap_or_else(|poisoned| poisoned.into_inner())));
}

#[test]
fn out_of_memory_is_distinguished_from_kill() {
    let before = "oom_kill 3\n";
    let root = Root::from_board(&format!("== /proc/vmstat\nnr_free_pages 1\n{before}")).unwrap();
    let argv = ["/bin/sh", "-c", "kill -KILL $$"].map(str::to_owned);
    let spec = ChildSpec::new(&argv, Duration::from_secs(9));
    let killing = root.clone();
    let ended = Child::spawn(&spec).unwrap().finish(&mut Supervisor {
        root: &root,
        cancelled: &AtomicI32::new(0),
        watch: &mut || killing.write("/proc/vmstat", "oom_kill 4").unwrap(),
        enough: None,
    });
    assert_eq!(ended.outcome.unwrap_err().kind, FailureKind::OutOfMemory);
}

#[test]
fn own_thread_in_group_survives() {
    let root = Root::system();
    let name = format!("sbc-bench-test-inside-{}", std::process::id());
    let group = match machine::Group::new(&root, &name) {
        Ok(group) => group,
        Err(missing) => return testkit::skip(&format!("no control group can be made: {missing}")),
    };
    let _inside = group.enter().unwrap();
    let argv = ["/bin/true".to_owned()];
    let child = Child::spawn(&ChildSpec { group: Some(&group), ..ChildSpec::new(&argv, Duration::from_secs(10)) });
    let ended = child.unwrap().wait(&root);
    // Reaching this line proves that the end of the group did not kill this thread.
    assert!(ended.outcome.is_ok());
    assert!(group.processes().contains(&std::process::id()));
}

#[test]
fn program_stops_after_enough_output() {
    let Ok(terminal) = machine::terminal() else { return testkit::skip("there is no pseudo terminal (/dev/ptmx)") };
    // awk buffers its output to a pipe.
    let script = "awk 'BEGIN { for (;;) { print ++n; system(\"sleep 0.05\") } }'";
    let argv = ["/bin/sh", "-c", script].map(str::to_owned);
    let spec = ChildSpec::new(&argv, Duration::from_secs(60));
    let child = Child::spawn_with_output(&spec, terminal).unwrap();
    let ended = child.finish(&mut Supervisor {
        root: &Root::system(),
        cancelled: &AtomicI32::new(0),
        watch: &mut || {},
        enough: Some(&mut |text: &str| text.lines().any(|line| line == "5")),
    });
    assert_eq!(ended.outcome, Ok(()));
    assert!(ended.output.starts_with("1\r\n2\r\n3\r\n"), "{}", ended.output);
}

#[test]
fn program_runs_with_users_rights() {
    if !machine::is_root() {
        return testkit::skip("root, to start programs as others");
    }
    let root = Root::system();
    let name = format!("sbc-bench-user-{}", std::process::id());
    let group = machine::Group::new(&root, &name).ok();
    let user = Caller {
        uid: 65534,
        gid: 65533,
        groups: vec![44, 65533],
        name: "someuser".into(),
        home: "/nonexistent".into(),
        shell: "/bin/sh".into(),
    };
    let script = "grep -e ^Uid -e ^Gid -e ^Groups -e ^Cpus_allowed_list /proc/self/status; echo $HOME $USER";
    let argv = ["/bin/sh", "-c", script].map(str::to_owned);
    let spec = ChildSpec {
        cpus: &[0],
        group: group.as_ref(),
        user: Some(&user),
        ..ChildSpec::new(&argv, Duration::from_secs(20))
    };
    let ended = Child::spawn(&spec).unwrap().wait(&root);
    let expected = "Uid:\t65534\t65534\t65534\t65534\nGid:\t65533\t65533\t65533\t65533\nGroups:\t44 65533 \n\
                    Cpus_allowed_list:\t0\n/nonexistent someuser\n";
    assert_eq!((ended.output.as_str(), &ended.outcome), (expected, &Ok(())));
    assert!(ended.usage.user_ms.known().is_some());
    // The thread that gave up its rights is gone; this process keeps all of its rights.
    assert!(rustix::process::geteuid().is_root());
    let status = root.read("/proc/thread-self/status").unwrap();
    assert!(status.contains("Uid:\t0\t0\t0\t0\n"), "{status}");
}
