//! Addresses named by the user: HTTPS to any host, HTTP to this host only.

use std::net::IpAddr;
use std::time::Duration;

/// Address without a trailing slash, and whether it is on this host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) url: String,
    pub(super) is_loopback: bool,
}

impl Address {
    /// Parses an address. `what` describes it in the error message, with an example.
    ///
    /// # Errors
    /// The address is neither HTTPS nor on this host; one sentence.
    pub(super) fn of(url: &str, what: &str) -> Result<Self, String> {
        let url = url.trim_end_matches('/');
        let (is_loopback, rest) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
            (Some(rest), _) => (false, rest),
            (None, Some(rest)) if is_loopback(rest) => (true, rest),
            (None, Some(_)) => return Err(format!("{url} is not on this host; use https://.")),
            (None, None) => return Err(format!("{url} is not an address of {what}.")),
        };
        if rest.is_empty() || rest.contains(['@', '?', '#']) || !is_plain(url) {
            return Err(format!("{url} is not an address of {what}."));
        }
        Ok(Self { url: url.to_owned(), is_loopback })
    }
}

/// HTTP client for this host and for meters: no redirects, no proxies, any status is an answer.
#[expect(clippy::disallowed_methods, reason = "the one place that makes an agent")]
pub(super) fn agent(time_max: Duration) -> ureq::Agent {
    let config = ureq::Agent::config_builder().timeout_global(Some(time_max)).max_redirects(0).proxy(None);
    config.http_status_as_error(false).build().into()
}

/// True for text that needs no escaping between quotes in a configuration of curl.
pub(super) fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\\'))
}

/// True if an address without its scheme is on this host.
fn is_loopback(rest: &str) -> bool {
    let authority = rest.split('/').next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
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
            assert_eq!(Address::of(url, "a hub").is_ok(), passes, "{url}");
        }
    }
}
