//! Uploads results to a hub: by HTTP to this host, by HTTPS with verified certificates to others.

use super::address::{Address, is_plain};
use super::curl::RequestFailure;
use super::request::{Body, Request};
use machine::files::Folder;
use std::time::Duration;

mod spool;

pub use spool::{Spool, SpoolFile, TRIES_MAX};

/// Size limit of a hub for one file.
pub const BYTES_MAX: usize = 8 << 20;
/// Maximum time for one attempt.
const TIME_MAX: Duration = Duration::from_secs(120);
/// Maximum size of an answer; usual answers have a few hundred bytes.
const ANSWER_BYTES_MAX: u64 = 64 << 10;
/// Pauses between attempts.
const PAUSES: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4), Duration::from_secs(8)];
/// Maximum pause requested by a hub; after a longer one, the next upload tries again.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);
/// A hub, with the parameters of uploads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hub {
    address: Address,
    token: Option<String>,
    query: String,
}

/// Reason of a failed upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UploadError {
    /// The hub refused the file or closed the connection without an answer; a retry would fail as well. Other files may
    /// be accepted if the reason is the content.
    Refused {
        /// Reason.
        why: String,
        /// True if the reason is the content of the file.
        is_of_content: bool,
    },
    /// A retry may succeed, after the pause requested by the hub.
    Later(String, Option<Duration>),
    /// Proxy or curl must be repaired first.
    Held(String),
}

impl UploadError {
    fn of_content(why: String) -> Self {
        Self::Refused { why, is_of_content: true }
    }

    /// The hub closed the connection: it would refuse other files as well.
    fn ended(url: &str, why: &str) -> Self {
        Self::Refused { why: format!("{url} closed the connection without an answer: {why}"), is_of_content: false }
    }
}

impl Hub {
    /// Creates a hub with a token and the parameters of `POST /api/results`.
    ///
    /// # Errors
    /// The address is neither HTTPS nor on this host, or the token has invalid characters; one sentence.
    pub fn new(url: &str, token: Option<&str>, publish: bool, machine: Option<&str>) -> Result<Self, String> {
        let address = Address::of(url, "a hub, such as https://hub.example")?;
        if !token.is_none_or(|token| !token.is_empty() && is_plain(token)) {
            return Err("The token is not valid; pass the file that holds it, in one line.".to_owned());
        }
        let machine = machine.map(|machine| format!("&machine={}", percent_encoded(machine)));
        let query = format!("?publish={}{}", u8::from(publish), machine.unwrap_or_default());
        Ok(Self { address, token: token.map(str::to_owned), query })
    }

    /// Sends a waiting file with its stored parameters; retries with growing pauses. `may_go_on_after` waits and
    /// decides about another attempt. Returns the answer.
    ///
    /// # Errors
    /// The file was not sent and stays.
    pub fn send(
        &self,
        spool: &Spool,
        waiting: &SpoolFile,
        may_go_on_after: &dyn Fn(Duration) -> bool,
    ) -> Result<String, UploadError> {
        let mut pauses = PAUSES.iter();
        loop {
            match (self.send_once(&spool.0, waiting), pauses.next()) {
                (Err(UploadError::Later(_, asked)), Some(pause))
                    if asked.is_none_or(|asked| asked <= RETRY_AFTER_MAX)
                        && may_go_on_after(asked.unwrap_or_default().max(*pause)) => {}
                (sent, _) => return sent,
            }
        }
    }

    fn send_once(&self, folder: &Folder, waiting: &SpoolFile) -> Result<String, UploadError> {
        let url = &self.address.url;
        let body = if self.address.is_loopback {
            let bytes = folder.read(&waiting.name, BYTES_MAX as u64);
            Body::Bytes(bytes.map_err(|error| UploadError::of_content(error.to_string()))?)
        } else {
            let path = folder.path().join(&waiting.name);
            let path = path.to_str().filter(|path| !path.contains(['"', '\\', '\n']));
            let odd = || UploadError::Held("The path of the state directory has odd characters.".to_owned());
            Body::File(path.ok_or_else(odd)?.to_owned())
        };
        let path = format!("/api/results{}", waiting.query);
        let mut request = Request::get(&self.address, path, TIME_MAX, ANSWER_BYTES_MAX);
        request.headers.extend(self.token.as_ref().map(|token| ("Authorization", format!("Bearer {token}"))));
        request.body = Some(body);
        match request.send() {
            Ok(answer) => {
                let body = String::from_utf8_lossy(&answer.body).into_owned();
                self.upload_result(answer.status, body, seconds(answer.field("retry-after")))
            }
            Err(RequestFailure::NoCurl(why)) => Err(UploadError::Held(why)),
            Err(RequestFailure::Ended(why)) => Err(UploadError::ended(url, &why)),
            Err(RequestFailure::Failed(why)) if self.address.is_loopback => {
                Err(UploadError::Later(format!("{url}: {why}"), None))
            }
            Err(RequestFailure::Failed(why)) => Err(UploadError::Later(why, None)),
        }
    }

    /// Interprets a status: content errors concern this file, token and address errors all files. A proxy may answer
    /// instead of the hub for hours.
    fn upload_result(&self, status: u16, body: String, retry_after: Option<Duration>) -> Result<String, UploadError> {
        let said = || format!("{} answers {status}: {}", self.address.url, sentence(&body));
        match status {
            200 | 201 => Ok(body),
            408 | 429 | 500..=599 => Err(UploadError::Later(said(), retry_after)),
            400..=499 => Err(UploadError::Refused { why: said(), is_of_content: matches!(status, 400 | 413 | 422) }),
            _ => Err(UploadError::Held(said())),
        }
    }
}

/// Message of an answer; the whole answer if it is not a hub's.
fn sentence(body: &str) -> String {
    let value: Option<serde_json::Value> = serde_json::from_str(body).ok();
    value.and_then(|value| Some(value["error"].as_str()?.to_owned())).unwrap_or_else(|| body.trim().to_owned())
}

/// Parses `Retry-After` in seconds (RFC 9110, 10.2.3); dates are ignored.
fn seconds(value: &str) -> Option<Duration> {
    value.trim().parse().ok().map(Duration::from_secs)
}

/// Percent-encodes text (RFC 3986, 2.1).
fn percent_encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if is_plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_that_none_has_are_refused() {
        assert!(Hub::new("https://a", Some("sbch_1"), false, None).is_ok());
        assert!(Hub::new("https://a", Some("x\"\nurl"), false, None).is_err());
        assert!(Hub::new("https://a", Some(""), false, None).is_err());
    }

    #[test]
    fn pauses_are_seconds_and_no_dates() {
        assert_eq!(seconds(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!([seconds("Fri, 31 Dec 1999 23:59:59 GMT"), seconds("")], [None; 2]);
    }

    #[test]
    fn refusals_of_a_hub_are_its_sentence() {
        assert_eq!(sentence("{\"error\":\"Too large.\"}\n"), "Too large.");
        assert_eq!(sentence("<h1>404</h1>\n"), "<h1>404</h1>");
        assert_eq!(sentence("[1]"), "[1]");
    }

    #[test]
    fn names_of_machines_are_encoded() {
        let hub = Hub::new("https://a", None, true, Some("Küche & Bad")).unwrap();
        assert_eq!(hub.query, "?publish=1&machine=K%C3%BCche%20%26%20Bad");
    }
}
