//! Outputs of programs as text, and names that several tests use.

use rustix::process::{Pid, Signal, kill_process};
use std::process::{Child, Output};

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

/// Sends Ctrl-C.
pub(crate) fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

/// True where root can run programs in namespaces of their own; notes why not.
pub(crate) fn can_unshare(words: &[&str]) -> bool {
    let status = std::process::Command::new("unshare").args(words).arg("true").status();
    let can = machine::is_root() && status.is_ok_and(|status| status.success());
    if !can {
        testkit::skip("root and unshare are needed for namespaces");
    }
    can
}
