//! Runs of several containers: each has process ids of its own (PID namespaces), and all see the control groups of
//! one kernel. None takes another one for dead, and none ends the programs of another one.

use crate::outcome::{can_unshare, said};
use std::process::{Command, Output, Stdio};
use testkit::Scratch;

/// A folder for one test, removed at its end.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Self {
        Self(Scratch::new(&format!("spaces-{name}")))
    }

    /// Lines of shell where process ids begin again: `$RUN LOG -- COMMAND` is a short run, `inside SCRIPT` does
    /// something in a container of that, `wait_for FILE` waits until there is one, and `wait_dead PID...` until killed
    /// processes other than this shell, process 1, are gone, which takes a moment on a busy machine.
    fn apart(&self, lines: &str) -> Output {
        let head = r#"
            set -u
            export RUN="$B run --force --wait 0s --repeat 1 --log"
            inside() { unshare -m -p -f --mount-proc sh -uc "$1"; }
            wait_dead() {
                for pid; do [ $pid = 1 ] || while grep -qs '^State:.[^ZX]' /proc/$pid/status; do sleep 0.1; done; done
            }
            wait_for() { n=0; until [ -e $1 ]; do n=$((n+1)); [ $n -lt 1200 ] || exit 99; sleep 0.1; done; }
        "#;
        let mut command = Command::new("unshare");
        command.args(["-m", "-p", "-f", "--mount-proc", "sh", "-c"]);
        command.arg(format!("{head}\n{lines}"));
        command.env("B", env!("CARGO_BIN_EXE_sbc-bench"));
        command.env("LOAD", LOAD).envs([("NOTUNING", "yes"), testkit::HASTE]);
        command.env_remove("MODE").env_remove("STATE_DIRECTORY");
        command.current_dir(&self.0).stdin(Stdio::null());
        command.output().unwrap()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }
}

/// Mount and PID namespaces.
const NAMESPACES: [&str; 4] = ["-m", "-p", "-f", "--mount-proc"];

/// A load that begins, and continues until another process tells it to end.
const LOAD: &str = "touch $0.began; until [ -e $0.go ]; do sleep 0.1; done";

/// Checks that a run finished.
fn came_through(folder: &Folder, who: &str, output: &Output) {
    let status = folder.read(&format!("{who}.status"));
    let told = folder.read(&format!("{who}.out"));
    assert!(["0", "2", "3"].contains(&status.trim()), "{who} ended with {status}: {told} {}", said(output));
    assert!(!told.contains("SIGKILL"), "{told}");
}

#[test]
fn runs_of_two_containers_leave_each_other_alone() {
    testkit::needs!(can_unshare(&NAMESPACES));
    let folder = Folder::new("two");
    // The pid of the run inside is free outside, and vice versa.
    let output = folder.apart(
        r#"
        inside 'n=0; while [ $n -lt 40 ]; do /bin/true; n=$((n+1)); done
            $RUN in.log -- sh -c "$LOAD" in > in.out 2>&1; echo $? > in.status' &
        wait_for in.began
        $RUN out.log -- sh -c "$LOAD" out > out.out 2>&1 &
        out=$!
        wait_for out.began
        $RUN more.log -- true > more.out 2>&1; echo $? > more.status
        inside '$RUN even.log -- true > even.out 2>&1; echo $? > even.status'
        touch in.go out.go
        wait $out; echo $? > out.status
        wait
        "#,
    );
    for who in ["in", "out", "more", "even"] {
        came_through(&folder, who, &output);
        let told = folder.read(&format!("{who}.out"));
        assert!(!told.contains("had left"), "{who}: {told}");
    }
}

#[test]
fn settings_are_changed_by_one_run_at_a_time() {
    const SETTING: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
    let before = std::fs::read_to_string(SETTING).unwrap_or_default();
    let groups = std::fs::read_dir("/sys/fs/cgroup").is_ok_and(|mut groups| groups.next().is_some());
    if !can_unshare(&NAMESPACES) || !groups || !before.contains("[madvise]") {
        return testkit::skip("control groups and a kernel with huge pages on demand are needed");
    }
    let folder = Folder::new("settings");
    let output = folder.apart(
        r#"
        unset NOTUNING
        mkdir first second
        in_own() { unshare -m sh -uc "mount --bind $1 /var/lib; mount -t tmpfs none /var/log; $2"; }
        AB="$B ab --a thp=never --b thp=always --blocks 6 --force --wait 0s"
        in_own first "$AB -- sh -c '$LOAD' first > first.out 2>&1; echo \$? > first.status" &
        wait_for first.began
        in_own second "touch second.go; $AB -- sh -c '$LOAD' second > second.out 2>&1; echo \$? > second.status"
        touch first.go
        wait
        # Killed with its guard, a run leaves its hold to the next start.
        in_own first "$AB -- sh -c '$LOAD' third > third.out 2>&1" &
        wait_for third.began
        killed=$(pgrep -f 'guard --owner|sbc-bench ab'); kill -9 $killed
        wait_dead $killed
        touch third.go
        in_own first '$B restore' > third.out 2>&1
        ls -d /sys/fs/cgroup/*/sbc-bench.settings /sys/fs/cgroup/sbc-bench.settings > left
        "#,
    );
    let now = std::fs::read_to_string(SETTING).unwrap();
    assert_eq!(now, before, "{} {}", said(&output), folder.read("third.out"));
    let told = folder.read("second.out");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("another run holds it, perhaps in a container"), "{told} {}", said(&output));
    assert_eq!(folder.read("left"), "");
    let first = folder.read("first.out");
    assert!(!first.contains("another run holds it"), "{first}");
}

#[test]
fn the_guard_of_a_killed_run_spares_the_run_of_its_number_in_a_container() {
    testkit::needs!(can_unshare(&NAMESPACES));
    let folder = Folder::new("number");
    let output = folder.apart(
        r#"
        n=0; while [ $n -lt 20 ]; do /bin/true; n=$((n+1)); done
        $RUN out.log -- sh -c "$LOAD" out > out.out 2>&1 &
        export OUT=$!
        wait_for out.began
        inside '
            last=2
            while [ $last -lt $OUT ]; do /bin/true & last=$!; wait $last; [ $last -lt $((OUT-1)) ] || break; done
            $RUN in.log -- sh -c "$LOAD" in > in.out 2>&1 &
            echo $! > in.number; wait $!; echo $? > in.status' &
        inside=$!
        wait_for in.began
        echo $OUT > out.number
        kill -9 $OUT
        # Its guard ends its program, and is gone then; that of the other run stays.
        n=0
        while [ $(cat /proc/[0-9]*/cmdline | tr '\0' '\n' | grep -cx 'guard') -gt 1 ]; do
            n=$((n+1)); [ $n -lt 100 ] || break; sleep 0.1
        done
        touch in.go
        wait $inside
        "#,
    );
    let numbers = ["in", "out"].map(|who| folder.read(&format!("{who}.number")));
    assert_eq!(numbers[0], numbers[1], "{}", said(&output));
    came_through(&folder, "in", &output);
}

/// `/proc` may be that of the surroundings: its numbers are other processes than ours.
#[test]
fn where_proc_has_other_numbers_nothing_is_done_to_their_processes() {
    testkit::needs!(can_unshare(&NAMESPACES));
    let folder = Folder::new("blind");
    let output = folder.apart(
        r#"
        base=$(cat /proc/$$/oom_score_adj)
        n=0; while [ $n -lt 200 ]; do sleep 600 & n=$((n+1)); done
        unshare -p -f sh -uc '$RUN blind.log -- true > blind.out 2>&1; echo $? > blind.status'
        cat /proc/[0-9]*/oom_score_adj | grep -vx -e "$base" > scores
        "#,
    );
    came_through(&folder, "blind", &output);
    assert_eq!(folder.read("scores"), "", "processes with another score");
}

#[test]
fn of_many_programs_that_a_dead_run_left_a_few_are_named() {
    testkit::needs!(can_unshare(&NAMESPACES));
    let folder = Folder::new("many");
    let output = folder.apart(
        r#"
        $RUN x.log -- sh -c 'n=0; while [ $n -lt 40 ]; do setsid sleep 600 & n=$((n+1)); done; touch began; wait' \
            > x.out 2>&1 &
        run=$!
        wait_for began
        for process in /proc/[0-9]*; do
            if tr '\0' ' ' < $process/cmdline | grep -q 'guard [-]-owner'; then guard=${process#/proc/}; fi
        done
        # Stopped before they are killed: a run starts another guard when its own is gone, and a guard ends programs when
        # its run is gone.
        kill -STOP $guard $run
        kill -9 $guard $run
        wait_dead $guard $run
        $RUN y.log -- true
        "#,
    );
    let told = said(&output);
    let sentence = "Terminated processes left by an earlier run: ";
    let at = told.find(sentence).unwrap_or_else(|| panic!("{told}"));
    let names = &told[at + sentence.len()..];
    let names = &names[..names.find('.').unwrap()];
    let (first, more) = names.rsplit_once(" and ").unwrap_or_else(|| panic!("{told}"));
    assert_eq!(first.split(", ").count(), 5, "{names}");
    let more: usize = more.strip_suffix(" more").unwrap().parse().unwrap();
    // The shell may be in another state than its children.
    assert!((30..=40).contains(&more), "{names}");
}
