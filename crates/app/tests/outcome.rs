//! Outputs of programs as text, and names that several tests use.

use record::Record;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Text without line breaks: one blank between words.
fn unbroken(bytes: &[u8]) -> String {
    text(bytes).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Standard error without line breaks.
pub(crate) fn errors(output: &Output) -> String {
    unbroken(&output.stderr)
}

/// Both outputs without line breaks.
pub(crate) fn said(output: &Output) -> String {
    unbroken(&[&output.stdout[..], &output.stderr[..]].concat())
}

/// Exit status, or -1 after a signal, and both outputs.
pub(crate) fn texts(output: &Output) -> (i32, String, String) {
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// Path of a board file.
pub(crate) fn board(name: &str) -> String {
    format!("{}/../../boards/{name}.board", env!("CARGO_MANIFEST_DIR"))
}

/// The program with these words, without tuning and in haste.
pub(crate) fn sbc_bench<Word: AsRef<OsStr>>(words: impl IntoIterator<Item = Word>) -> Command {
    testkit::untuned_command(env!("CARGO_BIN_EXE_sbc-bench"), words)
}

/// Output of a command that must not hang.
pub(crate) fn finished(command: &mut Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(testkit::ended(&mut child).is_some(), "it hangs: {command:?}");
    child.wait_with_output().unwrap()
}

/// A result file.
pub(crate) fn record(path: impl AsRef<Path>) -> Record {
    let path = path.as_ref();
    let json = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&json).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Puts a program of a few lines of shell into a directory. The shell reads the lines, because another test's fork may hold a
/// program open for a moment.
pub(crate) fn put_tool(folder: &Path, name: &str, body: &str) {
    std::fs::create_dir_all(folder).unwrap();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../process/src/testing/program.sh");
    std::fs::write(folder.join(format!("{name}.body")), body).unwrap();
    symlink(program.canonicalize().unwrap(), folder.join(name)).unwrap();
}

/// Makes `full`, `null` and `other`, which are devices, and `stdout`, a link to one. False if the test is skipped.
pub(crate) fn has_devices(folder: &Path) -> bool {
    for (name, minor) in [("full", "7"), ("null", "3"), ("other", "8")] {
        let path = folder.join(name);
        let made = Command::new("mknod").arg(&path).args(["c", "1", minor]).status();
        if !made.is_ok_and(|made| made.success()) || File::options().write(true).open(path).is_err() {
            testkit::skip("no device can be made here");
            return false;
        }
    }
    symlink("/proc/self/fd/1", folder.join("stdout")).unwrap();
    true
}

/// Returns whether the test runs as root, which can also run programs as another user. Skips the test otherwise.
pub(crate) fn is_root() -> bool {
    if !machine::is_root() {
        testkit::skip("root, callable by a user");
    }
    machine::is_root()
}

pub(crate) fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

/// True where root can run programs in namespaces of their own; notes why not.
pub(crate) fn can_unshare(words: &[&str]) -> bool {
    let status = Command::new("unshare").args(words).arg("true").status();
    let can = machine::is_root() && status.is_ok_and(|status| status.success());
    if !can {
        testkit::skip("root and unshare are needed for namespaces");
    }
    can
}
