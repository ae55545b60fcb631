//! Opens an address in the browser of the desktop.

use process::search_path::search_path;
use std::process::{Command, Stdio};

/// Program that opens addresses (<https://portland.freedesktop.org/doc/xdg-open.html>).
const PROGRAM: &str = "xdg-open";

/// Asks the desktop to open an address, without waiting for the browser.
///
/// # Errors
/// The program is missing, cannot start, or would run as root; in words.
pub fn open(address: &str) -> Result<(), String> {
    if machine::is_root() {
        return Err("no browser is started as root".to_owned());
    }
    let program = search_path().program(PROGRAM).ok_or_else(|| format!("{PROGRAM} is not installed"))?;
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop).map_err(|why| format!("cannot start {PROGRAM}: {why}"))
}
