//! HTTPS by the curl of the system with its certificates. A TLS library without C code that is maintained and audited
//! on all four architectures does not exist yet.

use std::io::Read;
use std::time::Duration;

/// Exit statuses of curl for a connection that ended early: empty reply, send failure, receive failure (curl(1)).
const CONNECTION_ENDED: [i32; 3] = [52, 55, 56];

/// Reason of a missing answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequestFailure {
    /// curl is missing.
    NoCurl(String),
    /// The server closed the connection; message of curl.
    Ended(String),
    /// Error message of curl.
    Failed(String),
}

/// Performs a request and returns its status and body of at most `bytes_max`. `config` has address and data, because
/// every user can read arguments.
///
/// # Errors
/// There was no answer.
pub(super) fn ask(config: &str, time_max: Duration, bytes_max: u64) -> Result<(u16, Vec<u8>), RequestFailure> {
    let config = format!(
        "{config}proto = \"=https\"\nproto-redir = \"=https\"\nmax-redirs = 5\nsilent\nshow-error\nmax-time = {}\n\
         write-out = \"\\n%{{http_code}}\"\n",
        time_max.as_secs()
    );
    let missing =
        |why: std::io::Error| RequestFailure::NoCurl(format!("HTTPS needs curl, which cannot be started: {why}."));
    let mut child = process::curl::start(&config).map_err(missing)?;
    let mut said = Vec::new();
    // The status follows the body on a separate line.
    let limit = bytes_max + 8;
    let read = child.stdout.take().map(|stdout| stdout.take(limit + 1).read_to_end(&mut said));
    if !matches!(read, Some(Ok(_))) || said.len() as u64 > limit {
        let _ = child.kill();
        let _ = child.wait();
        return Err(RequestFailure::Failed(format!("the answer has more than {bytes_max} bytes")));
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
            Err(if has_ended { RequestFailure::Ended(why) } else { RequestFailure::Failed(why) })
        }
    }
}
