//! Uploads results to a hub: by HTTP to this host, by HTTPS with verified certificates to others.

use super::address::{self, Address, is_plain};
use super::curl::{self, NoAnswer};
use machine::files::Folder;
use std::io::ErrorKind;
use std::path::PathBuf;
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
pub enum NotSent {
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

impl NotSent {
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
    ) -> Result<String, NotSent> {
        let mut pauses = PAUSES.iter();
        loop {
            let sent = if self.address.is_loopback {
                self.send_here(&spool.0, waiting)
            } else {
                self.send_by_curl(&spool.0, waiting)
            };
            match (sent, pauses.next()) {
                (Err(NotSent::Later(_, asked)), Some(pause))
                    if asked.is_none_or(|asked| asked <= RETRY_AFTER_MAX)
                        && may_go_on_after(asked.unwrap_or_default().max(*pause)) => {}
                (sent, _) => return sent,
            }
        }
    }

    fn send_here(&self, folder: &Folder, waiting: &SpoolFile) -> Result<String, NotSent> {
        let name = &waiting.name;
        let bytes = folder.read(name, BYTES_MAX as u64).map_err(|error| NotSent::of_content(error.to_string()))?;
        let mut request = address::agent(TIME_MAX).post(format!("{}/api/results{}", self.address.url, waiting.query));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let later = |error: ureq::Error| match &error {
            ureq::Error::Io(io) if is_end(io.kind()) => NotSent::ended(&self.address.url, &error.to_string()),
            error => NotSent::Later(format!("{}: {error}", self.address.url), None),
        };
        let mut response = request.send(&bytes[..]).map_err(later)?;
        let status = response.status().as_u16();
        let retry_after = response.headers().get("retry-after").and_then(|value| seconds(value.to_str().ok()?));
        let body = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string().map_err(later)?;
        self.judged(status, body, retry_after)
    }

    fn send_by_curl(&self, folder: &Folder, waiting: &SpoolFile) -> Result<String, NotSent> {
        let path: PathBuf = folder.path().join(&waiting.name);
        let path = path.to_str().filter(|path| !path.contains(['"', '\\', '\n']));
        let path =
            path.ok_or_else(|| NotSent::Held("The path of the state directory has odd characters.".to_owned()))?;
        let mut config = format!(
            "include\nsuppress-connect-headers\nurl = \"{}/api/results{}\"\nheader = \"Content-Type: application/octet-stream\"\ndata-binary = \"@{path}\"\n",
            self.address.url, waiting.query
        );
        if let Some(token) = &self.token {
            config.push_str(&format!("header = \"Authorization: Bearer {token}\"\n"));
        }
        match curl::ask(&config, TIME_MAX, ANSWER_BYTES_MAX) {
            Ok((status, answer)) => {
                let answer = String::from_utf8_lossy(&answer);
                let (retry_after, body) = parted(&answer);
                self.judged(status, body.to_owned(), retry_after)
            }
            Err(NoAnswer::NoCurl(why)) => Err(NotSent::Held(why)),
            Err(NoAnswer::Ended(why)) => Err(NotSent::ended(&self.address.url, &why)),
            Err(NoAnswer::Failed(why)) => Err(NotSent::Later(why, None)),
        }
    }

    /// Interprets a status: content errors concern this file, token and address errors all files. A proxy may answer
    /// instead of the hub for hours.
    fn judged(&self, status: u16, body: String, retry_after: Option<Duration>) -> Result<String, NotSent> {
        let said = || format!("{} answers {status}: {}", self.address.url, sentence(&body));
        match status {
            200 | 201 => Ok(body),
            408 | 429 | 500..=599 => Err(NotSent::Later(said(), retry_after)),
            400..=499 => Err(NotSent::Refused { why: said(), is_of_content: matches!(status, 400 | 413 | 422) }),
            _ => Err(NotSent::Held(said())),
        }
    }
}

/// True if the connection ended early.
fn is_end(kind: ErrorKind) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
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

/// Splits an answer into its requested pause and its body. A head of `100 Continue` may precede the last one.
fn parted(answer: &str) -> (Option<Duration>, &str) {
    let (mut retry_after, mut rest) = (None, answer);
    while let Some((head, body)) = rest.split_once("\r\n\r\n").filter(|_| rest.starts_with("HTTP/")) {
        let mut fields = head.lines().filter_map(|line| line.split_once(':'));
        retry_after =
            fields.find(|(name, _)| name.eq_ignore_ascii_case("retry-after")).and_then(|(_, value)| seconds(value));
        rest = body;
    }
    (retry_after, rest)
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
    fn answers_of_curl_are_parted_into_their_heads_and_body() {
        for (answer, expected) in [
            ("HTTP/2 201 \r\na: b\r\n\r\n{}", (None, "{}")),
            ("HTTP/1.1 503 x\r\nRetry-After: 7\r\n\r\nno\r\n\r\nno", (Some(7), "no\r\n\r\nno")),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 x\r\nretry-after: 9\r\n\r\n", (Some(9), "")),
            ("HTTP/1.1 503 x\r\nretry-after: Fri, 31 Dec 1999 23:59:59 GMT\r\n\r\nno", (None, "no")),
            ("no head", (None, "no head")),
        ] {
            let (retry_after, body) = parted(answer);
            assert_eq!((retry_after.map(|pause| pause.as_secs()), body), expected, "{answer:?}");
        }
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
