//! Programs that tests put into a directory and start. Another process writes them: a test that starts a program at the
//! same moment would hand down a file open for writing, which the kernel refuses to execute (ETXTBSY).

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Copies the program under test.
pub(crate) fn copy_program(to: impl AsRef<Path>) {
    let status = Command::new("cp").arg(env!("CARGO_BIN_EXE_sbc-bench")).arg(to.as_ref()).status().unwrap();
    assert!(status.success(), "{}: {status}", to.as_ref().display());
}

/// Writes a script that every user may execute.
pub(crate) fn write_script(to: impl AsRef<Path>, text: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"]).arg(to.as_ref()).stdin(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{}", to.as_ref().display());
}
