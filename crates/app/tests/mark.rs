//! `sbc-bench mark` as root among hostile users, and on damaged recordings.

use crate::outcome::{can_unshare, sbc_bench, text};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use testkit::Scratch;

/// A folder for one test, removed at its end; others may look into it.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Scratch::new(&format!("mark-{name}"));
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        Self(path)
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn sbc_bench(&self, words: &[&str]) -> Output {
        sbc_bench(words).env("XDG_RUNTIME_DIR", &self.0).output().unwrap()
    }

    /// Runs lines of shell as root where `/run` is empty, and no other session can see what is put there:
    /// `$B` is the program, which anybody can run, `$F` this folder, `$U` the folder of running things of the
    /// user 65534, `$as_user` runs as that one.
    fn script(&self, lines: &str) -> String {
        let program = self.join("sbc-bench");
        crate::placed::copy_program(&program);
        let head = "set -e
            mount -t tmpfs none /run
            U=/run/user/65534; mkdir -p $U; chown 65534:65534 $U; chmod 700 $U
            as_user='setpriv --reuid=65534 --regid=65534 --clear-groups'
            until_there() { n=0; until ls \"$1\"/*.recording >/dev/null 2>&1 || [ $n = 300 ]; do n=$((n+1)); sleep 0.1; done; }
            ";
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &format!("{head}{lines}")]);
        command.env("B", &program).env("F", &self.0);
        command.env_remove("XDG_RUNTIME_DIR").stdin(Stdio::null());
        let output = command.output().unwrap();
        let (said, errors) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{said}{errors}");
        said + &errors
    }
}

/// True where other users can be played and directories be hidden from others.
fn can_play_users() -> bool {
    can_unshare(&["-m"]) && Path::new("/usr/bin/setpriv").exists()
}

#[test]
fn root_marks_only_recordings_owned_by_their_user() {
    testkit::needs!(can_play_users());
    let folder = Folder::new("users");
    std::fs::write(folder.join("victim"), "PermitRootLogin no\n").unwrap();
    // A file that begins like a recording and belongs to root.
    std::fs::write(folder.join("of-root.rec"), "sbc1 2 00000000 {}\n").unwrap();
    let said = folder.script(
        "$as_user mkdir $U/sbc-bench
        cd $U/sbc-bench
        for name in victim of-root.rec; do
            $as_user sh -c \"printf '0\\n%s' $F/$name > $name.recording\"
            $as_user flock -x $F/$name sleep 30 >/dev/null 2>&1 & locks=\"$locks $!\"
        done
        $as_user sh -c \"printf '0\\n%s' /dev/full > device.recording\"
        $as_user ln -s /dev/zero zero.recording
        $as_user ln -s $F/victim link.recording
        $as_user mkfifo pipe.recording
        sleep 0.5
        timeout 30 $B mark hello && exit 1
        echo status $?
        kill $locks",
    );
    assert!(said.contains("No recording is in progress"), "{said}");
    assert!(said.contains("status 1"), "{said}");
    let left = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(left("victim"), "PermitRootLogin no\n");
    assert_eq!(left("of-root.rec"), "sbc1 2 00000000 {}\n");
}

#[test]
fn directory_of_another_user_is_ignored() {
    testkit::needs!(can_play_users());
    let folder = Folder::new("stranger");
    let said = folder.script(
        "mkdir -m 1777 $F/tmp; export TMPDIR=$F/tmp; unset XDG_RUNTIME_DIR
        stranger='setpriv --reuid=65533 --regid=65533 --clear-groups'
        $stranger $B -m 0.1 --quiet --record $F/tmp/stranger.rec &
        until_there $F/tmp/sbc-bench-65533
        $stranger cp -r $F/tmp/sbc-bench-65533 $F/tmp/sbc-bench-65534
        chmod 755 $F/tmp/sbc-bench-65534; chmod 666 $F/tmp/stranger.rec $F/tmp/sbc-bench-65534/*
        $as_user $B mark 'a secret' || echo status $?
        kill $!; wait $! || true
        cp $F/tmp/stranger.rec $F/stranger.rec",
    );
    assert!(said.contains("status 1"), "{said}");
    let recording = text(&std::fs::read(folder.join("stranger.rec")).unwrap());
    assert!(!recording.contains("a secret"), "{recording}");
}

#[test]
fn root_marks_recordings_of_users() {
    testkit::needs!(can_play_users());
    let folder = Folder::new("own");
    folder.script(
        "export XDG_RUNTIME_DIR=$U
        $as_user $B -m 0.1 --quiet --record $U/own.rec &
        until_there $U/sbc-bench
        unset XDG_RUNTIME_DIR
        $B mark 'fan off'
        sleep 0.3; kill $!; wait $! || true
        cp $U/own.rec $F/own.rec",
    );
    let recording = text(&std::fs::read(folder.join("own.rec")).unwrap());
    assert!(recording.contains("\"text\":\"fan off\""), "{recording}");
}

#[test]
fn root_writes_no_announcement_in_user_directories() {
    testkit::needs!(can_play_users());
    let folder = Folder::new("sudo");
    let said = folder.script(
        "export XDG_RUNTIME_DIR=$U
        $B -m 0.1 --quiet --record $F/root.rec &
        until_there /run/sbc-bench
        echo here: $(ls /run/sbc-bench | wc -l) there: $(ls -A $U | wc -l)
        stat -c %a /run/sbc-bench
        $B mark 'by sudo'
        kill $!; wait $! || true",
    );
    assert!(said.contains("here: 1 there: 0\n700"), "{said}");
    let recording = text(&std::fs::read(folder.join("root.rec")).unwrap());
    assert!(recording.contains("by sudo"), "{recording}");
}

/// A recording of a few rows.
fn recorded(folder: &Folder) -> PathBuf {
    let path = folder.join("x.rec");
    let file = path.to_str().unwrap();
    let words = ["-m", "0.05", "--quiet", "--count", "3", "--record", file];
    assert!(folder.sbc_bench(&words).status.success());
    path
}

#[test]
fn mark_after_truncated_line_is_read() {
    let folder = Folder::new("torn");
    let path = recorded(&folder);
    let bytes = std::fs::read(&path).unwrap();
    // A loss of power in the middle of the last line.
    std::fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
    let file = path.to_str().unwrap();
    let marked = folder.sbc_bench(&["mark", "after\u{1b}[31m all", "--to", file]);
    assert!(marked.status.success(), "{}", text(&marked.stderr));
    let shown = folder.sbc_bench(&["monitor", "--replay", file, "--speed", "max", "--jsonl"]);
    let shown = text(&shown.stdout);
    assert!(shown.contains("\"text\":\"after\u{fffd}[31m all\""), "{shown}");
}

#[test]
fn only_recordings_are_marked_and_no_link_is_followed() {
    let folder = Folder::new("to");
    let path = recorded(&folder);
    let (link, pipe, other) = (folder.join("link"), folder.join("pipe"), folder.join("other"));
    symlink(&path, &link).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    std::fs::write(&other, "my thesis").unwrap();
    for (file, expected) in [
        (&link, "is a symbolic link; links are not followed here"),
        (&pipe, "is a named pipe, not a regular file"),
        (&other, "is not a recording"),
        (&folder.join("none"), "No such file"),
        (&folder.0.to_path_buf(), "is a directory, not a regular file"),
    ] {
        let marked = folder.sbc_bench(&["mark", "x", "--to", file.to_str().unwrap()]);
        let errors = text(&marked.stderr);
        assert_eq!(marked.status.code(), Some(1), "{errors}");
        assert!(errors.contains(expected), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
    assert_eq!(std::fs::read(&other).unwrap(), b"my thesis");
}
