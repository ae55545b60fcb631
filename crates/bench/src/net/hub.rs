//! Results on their way to a hub that the user named: to this host by HTTP, to any other by HTTPS with its certificate
//! verified. HTTPS is done by the machine's own curl and its store of certificates: a TLS library without C for all four
//! architectures, maintained and audited, does not exist yet.

use crate::process::search_path::search_path;
use machine::files::{Access, Folder};
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The limit of a hub for one file, as it is sent.
pub const BYTES_MAX: usize = 8 << 20;
/// Patience with one try.
const TIME_MAX: Duration = Duration::from_secs(120);
/// An answer has a few hundred bytes.
const ANSWER_BYTES_MAX: u64 = 64 << 10;
/// Pauses between tries; the last one is final.
const PAUSES: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4), Duration::from_secs(8)];
/// Ends the names of files that wait to be sent.
const WAITING: &str = ".upload";

/// A hub, and how results are sent to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hub {
    url: String,
    is_loopback: bool,
    token: Option<String>,
    query: String,
}

/// Why a result was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSent {
    /// The hub does not take it: the same would be refused again.
    Refused(String),
    /// It may work later.
    Later(String),
}

impl Hub {
    /// The hub of an address, with a token and the parameters of `POST /api/results`.
    ///
    /// # Errors
    /// One sentence: the address is neither HTTPS nor on this host, or the token has characters that none has.
    pub fn new(url: &str, token: Option<&str>, publish: bool, machine: Option<&str>) -> Result<Self, String> {
        let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\\'));
        let url = url.trim_end_matches('/');
        let (is_loopback, rest) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
            (Some(rest), _) => (false, rest),
            (None, Some(rest)) if is_loopback(rest) => (true, rest),
            (None, Some(_)) => return Err(format!("{url} is not on this host; use https://.")),
            (None, None) => return Err(format!("{url} is not an address of a hub, such as https://hub.example.")),
        };
        if rest.is_empty() || rest.contains(['@', '?', '#']) || !is_plain(url) {
            return Err(format!("{url} is not an address of a hub, such as https://hub.example."));
        }
        if !token.is_none_or(|token| !token.is_empty() && is_plain(token)) {
            return Err("The token is not valid; pass the file that holds it, in one line.".to_owned());
        }
        let machine = machine.map(|machine| format!("&machine={}", percent_encoded(machine)));
        let query = format!("?publish={}{}", u8::from(publish), machine.unwrap_or_default());
        Ok(Self { url: url.to_owned(), is_loopback, token: token.map(str::to_owned), query })
    }

    /// Sends a file that waits in a folder; tries again with growing pauses where that may help. Returns the answer.
    ///
    /// # Errors
    /// It was not sent; the file stays.
    pub fn send(&self, folder: &Folder, name: &OsStr) -> Result<String, NotSent> {
        let mut pauses = PAUSES.iter();
        loop {
            let sent = match self.is_loopback {
                true => self.send_here(folder, name),
                false => self.send_by_curl(folder, name),
            };
            match (sent, pauses.next()) {
                (Err(NotSent::Later(_)), Some(pause)) => std::thread::sleep(*pause),
                (sent, _) => return sent,
            }
        }
    }

    fn send_here(&self, folder: &Folder, name: &OsStr) -> Result<String, NotSent> {
        let bytes = folder.read(name, BYTES_MAX as u64).map_err(|error| NotSent::Refused(error.to_string()))?;
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(TIME_MAX))
            .max_redirects(0)
            .proxy(None)
            .http_status_as_error(false);
        let agent: ureq::Agent = config.build().into();
        let mut request = agent.post(format!("{}/api/results{}", self.url, self.query));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let later = |error: ureq::Error| NotSent::Later(format!("{}: {error}", self.url));
        let mut response = request.send(&bytes[..]).map_err(later)?;
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string().map_err(later)?;
        self.judged(status, body)
    }

    /// The token stands in no argument, which every user could see.
    fn send_by_curl(&self, folder: &Folder, name: &OsStr) -> Result<String, NotSent> {
        let path: PathBuf = folder.path().join(name);
        let path = path.to_str().filter(|path| !path.contains(['"', '\\', '\n']));
        let path =
            path.ok_or_else(|| NotSent::Refused("The path of the state directory has odd characters.".to_owned()))?;
        let mut config = format!(
            "url = \"{}/api/results{}\"\nproto = \"=https\"\nsilent\nshow-error\nmax-time = {}\n\
             header = \"Content-Type: application/octet-stream\"\ndata-binary = \"@{path}\"\nwrite-out = \"\\n%{{http_code}}\"\n",
            self.url,
            self.query,
            TIME_MAX.as_secs()
        );
        if let Some(token) = &self.token {
            config.push_str(&format!("header = \"Authorization: Bearer {token}\"\n"));
        }
        let mut curl = Command::new("curl");
        if machine::is_root() {
            curl.env("PATH", search_path().variable());
        }
        // -q: no configuration of the user changes what is verified.
        curl.args(["-q", "--config", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let missing =
            |why: std::io::Error| NotSent::Refused(format!("HTTPS needs curl, which cannot be started: {why}."));
        let mut child = curl.spawn().map_err(missing)?;
        if let Some(mut stdin) = child.stdin.take() {
            let _ = stdin.write_all(config.as_bytes());
        }
        let ended = child.wait_with_output().map_err(missing)?;
        let said = String::from_utf8_lossy(&ended.stdout);
        match (ended.status.success(), said.rsplit_once('\n')) {
            (true, Some((body, status))) => self.judged(status.trim().parse().unwrap_or(0), body.to_owned()),
            _ => Err(NotSent::Later(String::from_utf8_lossy(&ended.stderr).trim().to_owned())),
        }
    }

    fn judged(&self, status: u16, body: String) -> Result<String, NotSent> {
        let said = || format!("{} answers {status}: {}", self.url, body.trim());
        match status {
            200 | 201 => Ok(body),
            408 | 429 | 500..=599 => Err(NotSent::Later(said())),
            _ => Err(NotSent::Refused(said())),
        }
    }
}

/// True if a host and what follows it is this very host.
fn is_loopback(rest: &str) -> bool {
    let authority = rest.split('/').next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Text of an address (RFC 3986, 2.1).
fn percent_encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if is_plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Puts a result where it waits to be sent: a crash loses nothing from here on. The same content has the same name.
///
/// # Errors
/// One sentence: it cannot be written.
pub fn wait(folder: &Folder, bytes: &[u8], checksum: u32) -> Result<OsString, String> {
    let name = OsString::from(format!("{:08x}-{checksum:08x}{WAITING}", bytes.len()));
    folder.replace(&name, bytes, Access::Owner).map_err(|error| error.to_string())?;
    Ok(name)
}

/// Names of the files that wait, of a listing of their folder.
pub fn is_waiting(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.ends_with(WAITING))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_this_host_pass() {
        for (url, passes) in [
            ("https://hub.example", true),
            ("https://hub.example:8443/sbc/", true),
            ("http://localhost:8321", true),
            ("http://127.0.0.1:8321/", true),
            ("http://[::1]:8321", true),
            ("http://192.168.1.2", false),
            ("http://localhost.example", false),
            ("http://127.0.0.1@evil.example", false),
            ("http://localhost@evil.example", false),
            ("https://a\"\nurl = \"b", false),
            ("https://", false),
            ("ftp://localhost", false),
        ] {
            assert_eq!(Hub::new(url, None, false, None).is_ok(), passes, "{url}");
        }
        assert!(Hub::new("https://a", Some("sbch_1"), false, None).is_ok());
        assert!(Hub::new("https://a", Some("x\"\nurl"), false, None).is_err());
        assert!(Hub::new("https://a", Some(""), false, None).is_err());
    }

    #[test]
    fn names_of_machines_are_encoded() {
        let hub = Hub::new("https://a", None, true, Some("Küche & Bad")).unwrap();
        assert_eq!(hub.query, "?publish=1&machine=K%C3%BCche%20%26%20Bad");
    }
}
