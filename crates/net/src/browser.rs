//! The desktop's browser, for an address that the user asked to be opened.

use process::search_path::search_path;
use std::process::{Command, Stdio};

/// Shows an address to people (<https://portland.freedesktop.org/doc/xdg-open.html>).
const PROGRAM: &str = "xdg-open";

/// Asks the desktop to show an address. Not waited for: it may last as long as the browser.
///
/// # Errors
/// Why it is not shown, in words: there is no such program, it cannot be started, or it would have to run as root.
pub fn open(address: &str) -> Result<(), String> {
    if machine::is_root() {
        return Err("no browser is started as root".to_owned());
    }
    let program = search_path().program(PROGRAM).ok_or_else(|| format!("{PROGRAM} is not installed"))?;
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop).map_err(|why| format!("cannot start {PROGRAM}: {why}"))
}
