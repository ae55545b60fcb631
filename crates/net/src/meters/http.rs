//! Asks a meter over HTTP: one short answer, bounded in time and size, without redirects and TLS.

use super::ANSWER_MAX;
use crate::address::agent;
use machine::Failure;

/// More than the longest answer of these meters.
const BODY_BYTES_MAX: u64 = 64 << 10;

/// Asks one host.
pub(super) struct Client {
    agent: ureq::Agent,
    host: String,
}

impl Client {
    pub(super) fn new(host: &str) -> Self {
        Self { agent: agent(ANSWER_MAX), host: host.to_owned() }
    }

    /// The body of the answer to `GET path`.
    pub(super) fn get(&self, path: &str) -> Result<String, Failure> {
        let url = format!("http://{}{path}", self.host);
        let mut response = self.agent.get(&url).call().map_err(|e| failure(&e))?;
        match response.status().as_u16() {
            200..=299 => {}
            401 | 403 => return Err(Failure::Errno(libc_errno::EACCES)),
            status => return Err(Failure::garbled(format!("HTTP {status}").as_bytes())),
        }
        let body = response.body_mut().with_config().limit(BODY_BYTES_MAX);
        body.read_to_string().map_err(|e| failure(&e))
    }

    /// The answer as JSON.
    pub(super) fn get_json(&self, path: &str) -> Result<serde_json::Value, Failure> {
        let text = self.get(path)?;
        serde_json::from_str(&text).map_err(|_| Failure::garbled(text.as_bytes()))
    }
}

/// The reason in plain numbers, so that it can be kept in a sample.
fn failure(error: &ureq::Error) -> Failure {
    match error {
        ureq::Error::Timeout(_) => Failure::Errno(libc_errno::ETIMEDOUT),
        ureq::Error::HostNotFound => Failure::garbled(b"no such host"),
        ureq::Error::Io(error) => match error.raw_os_error() {
            Some(errno) => Failure::Errno(errno),
            None => Failure::garbled(error.to_string().as_bytes()),
        },
        other => Failure::garbled(other.to_string().as_bytes()),
    }
}

/// Numbers of errors by their names.
mod libc_errno {
    use rustix::io::Errno;

    pub(super) const ETIMEDOUT: i32 = Errno::TIMEDOUT.raw_os_error();
    pub(super) const EACCES: i32 = Errno::ACCESS.raw_os_error();
}

/// A number of a JSON answer times `factor`, as a whole number.
pub(super) fn scaled(value: &serde_json::Value, factor: f64) -> Option<i64> {
    whole(value.as_f64()?, factor)
}

/// `number * factor` as a whole number, if it can be one.
pub(super) fn whole(number: f64, factor: f64) -> Option<i64> {
    let value = number * factor;
    // Far from the end of i64, so that sums and differences fit as well.
    (value.abs() < 1e18).then(|| value.round() as i64)
}
