//! Start of the system's curl. Options are passed on standard input, because every user can see arguments.

use crate::search_path::search_path;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};

/// Starts curl with these lines of its configuration. As root, only directories that no other user can write are
/// searched for it.
///
/// # Errors
/// curl cannot be started.
pub fn start(config: &str) -> io::Result<Child> {
    let mut curl = Command::new("curl");
    if machine::is_root() {
        curl.env("PATH", search_path().variable());
    }
    // -q: the user's configuration must not weaken the verification.
    curl.args(["-q", "--config", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = curl.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A curl that ended early says why on its standard error.
        let _ = stdin.write_all(config.as_bytes());
    }
    Ok(child)
}
