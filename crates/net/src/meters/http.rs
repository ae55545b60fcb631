//! HTTP requests to meters: bounded in time and size, without redirects and TLS.

use super::ANSWER_MAX;
use crate::address::agent;
use machine::Failure;

/// Maximum size of an answer.
const BODY_BYTES_MAX: u64 = 1 << 20;

/// HTTP client.
pub(super) struct Client {
    agent: ureq::Agent,
}

impl Client {
    pub(super) fn new() -> Self {
        Self { agent: agent(ANSWER_MAX) }
    }

    /// Fetches an address and returns the body.
    pub(super) fn get(&self, url: &str) -> Result<String, Failure> {
        let mut response = self.agent.get(url).call().map_err(|e| failure(&e))?;
        match response.status().as_u16() {
            200..=299 => {}
            401 | 403 => return Err(Failure::Errno(libc_errno::EACCES)),
            status => return Err(Failure::garbled(format!("HTTP {status}").as_bytes())),
        }
        let body = response.body_mut().with_config().limit(BODY_BYTES_MAX);
        body.read_to_string().map_err(|e| failure(&e))
    }
}

/// Converts an error to a failure that fits into a sample.
fn failure(error: &ureq::Error) -> Failure {
    match error {
        ureq::Error::Timeout(_) => Failure::Errno(libc_errno::ETIMEDOUT),
        // The error text contains the password.
        ureq::Error::BadUri(_) => Failure::garbled(b"not a URL"),
        ureq::Error::HostNotFound => Failure::garbled(b"no such host"),
        ureq::Error::Io(error) => match error.raw_os_error() {
            Some(errno) => Failure::Errno(errno),
            None => Failure::garbled(error.to_string().as_bytes()),
        },
        other => Failure::garbled(other.to_string().as_bytes()),
    }
}

/// Error numbers by name.
mod libc_errno {
    use rustix::io::Errno;

    pub(super) const ETIMEDOUT: i32 = Errno::TIMEDOUT.raw_os_error();
    pub(super) const EACCES: i32 = Errno::ACCESS.raw_os_error();
}

/// `number * factor` as an integer, if it is in range.
pub(super) fn whole(number: f64, factor: f64) -> Option<i64> {
    let value = number * factor;
    // Sums and differences must fit into i64.
    (value.abs() < 1e18).then(|| value.round() as i64)
}
