//! HTTPS by the machine's own curl and its store of certificates: a TLS library without C for all four architectures,
//! maintained and audited, does not exist yet.

use process::search_path::search_path;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Exit statuses of curl for a connection that ended early: empty reply, send failure, receive failure (curl(1)).
const CONNECTION_ENDED: [i32; 3] = [52, 55, 56];

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// There is no curl that could ask.
    NoCurl(String),
    /// The other side closed the connection, in the words of curl.
    Ended(String),
    /// Error message of curl.
    Failed(String),
}

/// The status of an answer, and its body of at most so many bytes. The configuration names the address and what is sent; it
/// stands in no argument, which every user could see.
///
/// # Errors
/// There was no answer.
pub(super) fn ask(config: &str, time_max: Duration, bytes_max: u64) -> Result<(u16, Vec<u8>), NoAnswer> {
    let config = format!(
        "{config}proto = \"=https\"\nproto-redir = \"=https\"\nmax-redirs = 5\nsilent\nshow-error\nmax-time = {}\n\
         write-out = \"\\n%{{http_code}}\"\n",
        time_max.as_secs()
    );
    let mut curl = Command::new("curl");
    if machine::is_root() {
        curl.env("PATH", search_path().variable());
    }
    // -q: no configuration of the user changes what is verified.
    curl.args(["-q", "--config", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let missing = |why: std::io::Error| NoAnswer::NoCurl(format!("HTTPS needs curl, which cannot be started: {why}."));
    let mut child = curl.spawn().map_err(missing)?;
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(config.as_bytes());
    }
    let mut said = Vec::new();
    // The status follows the body, in a line of its own.
    let limit = bytes_max + 8;
    let read = child.stdout.take().map(|stdout| stdout.take(limit + 1).read_to_end(&mut said));
    if !matches!(read, Some(Ok(_))) || said.len() as u64 > limit {
        let _ = child.kill();
        let _ = child.wait();
        return Err(NoAnswer::Failed(format!("the answer has more than {bytes_max} bytes")));
    }
    let ended = child.wait_with_output().map_err(missing)?;
    let status_at = said.iter().rposition(|byte| *byte == b'\n');
    match (ended.status.success(), status_at) {
        (true, Some(at)) => {
            let status = String::from_utf8_lossy(&said[at + 1..]).trim().parse().unwrap_or(0);
            said.truncate(at);
            Ok((status, said))
        }
        _ => {
            let why = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
            let has_ended = ended.status.code().is_some_and(|code| CONNECTION_ENDED.contains(&code));
            Err(if has_ended { NoAnswer::Ended(why) } else { NoAnswer::Failed(why) })
        }
    }
}
