//! Parts of a request: parameters, token and client address.

use super::answer::Refusal;
use crate::address::encode;
use crate::hub_state::{Hub, Tally};
use crate::store::read;
use crate::tokens::{self, Scope, Token};
use axum::http::{HeaderMap, StatusCode, header};
use std::net::IpAddr;

/// Parameters that sites and programs of mail append to addresses that are posted there; they are left out. Those of
/// campaigns begin with `utm_`.
const APPENDED: [&str; 6] = ["fbclid", "gclid", "igshid", "mc_cid", "mc_eid", "msclkid"];

/// Parameters of an address in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Parses the query string; refuses names that are not `known`.
    pub(crate) fn parse(query: Option<&str>, known: &[&str]) -> Result<Self, Refusal> {
        let mut pairs = Vec::new();
        for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = decode(name).zip(decode(value));
            let (name, value) = decoded.ok_or_else(|| Refusal::bad("The address is not valid UTF-8."))?;
            if APPENDED.contains(&name.as_str()) || name.starts_with("utm_") {
                continue;
            }
            if !known.contains(&name.as_str()) {
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(Refusal::bad(format!("Unknown parameter; known parameters: {known}.")));
            }
            pairs.push((name, value));
        }
        Ok(Self(pairs))
    }

    /// The last value of a name, unless it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let values = self.0.iter().rev().filter(|(known, _)| known == name);
        values.map(|(_, value)| value.as_str()).next().filter(|value| !value.is_empty())
    }

    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.0.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
    }

    pub(crate) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.get(name) {
            None | Some("0" | "false") => Ok(false),
            Some("1" | "true") => Ok(true),
            Some(_) => Err(Refusal::bad(format!("{name} is 0 or 1."))),
        }
    }

    /// The query string with one value replaced.
    pub(crate) fn with(&self, name: &str, value: &str) -> String {
        let kept = self.0.iter().filter(|(known, value)| known != name && !value.is_empty());
        let kept = kept.map(|(name, value)| (name.as_str(), value.as_str()));
        let pairs = kept.chain(Some((name, value)).filter(|(_, value)| !value.is_empty()));
        let parts: Vec<String> = pairs.map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
        format!("?{}", parts.join("&"))
    }
}

/// Decodes percent-encoding (RFC 3986, 2.1); none if the text is not UTF-8.
fn decode(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        // `from_str_radix` accepts a sign.
        let hex = text.get(at + 1..at + 3).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match (byte, hex.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(value)) => {
                out.push(value);
                at += 2;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(*byte),
        }
        at += 1;
    }
    String::from_utf8(out).ok()
}

/// The token of a request, if it has the scope.
pub(crate) fn allowed(hub: &Hub, headers: &HeaderMap, scope: Scope) -> Result<Token, Refusal> {
    let token = owner(hub, headers)?;
    if token.scopes.contains(&scope) {
        Ok(token)
    } else {
        Err(Refusal::new(StatusCode::FORBIDDEN, format!("The token has not the scope {}.", scope.word())))
    }
}

/// The token of a request that needs one.
pub(crate) fn owner(hub: &Hub, headers: &HeaderMap) -> Result<Token, Refusal> {
    known(hub, headers)?.ok_or_else(|| {
        let why = match secret(headers) {
            Some(_) => "The token of this request is unknown or was revoked.",
            None => "A token is needed: Authorization: Bearer TOKEN.",
        };
        Refusal::new(StatusCode::UNAUTHORIZED, why)
    })
}

fn secret(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// The token of a request, if it has a valid one.
pub(crate) fn known(hub: &Hub, headers: &HeaderMap) -> Result<Option<Token>, Refusal> {
    let Some(secret) = secret(headers) else { return Ok(None) };
    Ok(read(&*hub.store, |session| tokens::find(session, secret.trim()))?)
}

/// Address of this hub for the client.
pub(crate) fn own_url(hub: &Hub, headers: &HeaderMap) -> String {
    if !hub.settings.public_url.is_empty() {
        return hub.settings.public_url.trim_end_matches('/').to_owned();
    }
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-.:[]".contains(c);
    if !host.is_empty() && host.chars().all(is_plain) { format!("http://{host}") } else { String::new() }
}

/// Address of the client, or the one reported by the proxy in front of this hub.
pub(crate) fn sender(hub: &Hub, headers: &HeaderMap, address: IpAddr) -> IpAddr {
    if hub.settings.behind_proxy { forwarded(headers, address) } else { address }
}

fn forwarded(headers: &HeaderMap, address: IpAddr) -> IpAddr {
    // The last entry is the one that the proxy added, to the received line or as its own line.
    let said = headers.get_all("x-forwarded-for").iter().next_back().and_then(|value| value.to_str().ok());
    said.and_then(|said| said.rsplit(',').next()?.trim().parse().ok()).unwrap_or(address)
}

/// Applies the rate limit of requests.
pub(crate) fn rated(hub: &Hub, address: IpAddr) -> Result<(), Refusal> {
    let taken = hub.rates.request(address, hub.settings.requests_per_minute, crate::clock::monotonic_ms());
    taken.map_err(|seconds| too_often(hub, seconds))
}

pub(crate) fn too_often(hub: &Hub, seconds: u64) -> Refusal {
    Tally::add(&hub.tally.limited);
    let message = format!("Too many requests; try again in {seconds} s.");
    Refusal { retry_after_s: Some(seconds), ..Refusal::new(StatusCode::TOO_MANY_REQUESTS, message) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn address_that_a_proxy_added_last_counts() {
        let own = IpAddr::from([127, 0, 0, 1]);
        for (lines, expected) in [
            (&[][..], "127.0.0.1"),
            (&["1.2.3.4, 5.6.7.8"], "5.6.7.8"),
            (&["1.2.3.4", "5.6.7.8"], "5.6.7.8"),
            (&["5.6.7.8", "nonsense"], "127.0.0.1"),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append("x-forwarded-for", HeaderValue::from_static(line));
            }
            assert_eq!(forwarded(&headers, own).to_string(), expected, "{lines:?}");
        }
    }

    #[test]
    fn parameters_are_decoded_and_unknown_ones_refused() {
        let parse = |text: &str| Parameters::parse(Some(text), &["a", "b"]);
        let found = parse("a=1+2%20%C3%A4&b=&a=x%2").unwrap();
        assert_eq!(found.all("a"), ["1 2 ä", "x%2"]);
        assert_eq!(parse("a=%+f%-1%ä").unwrap().all("a"), ["% f%-1%ä"], "a sign is no digit");
        assert_eq!((found.get("a"), found.get("b"), found.get("c")), (Some("x%2"), None, None));
        assert!(parse("c=1").is_err());
        assert!(parse("a=%ff").is_err());
        assert_eq!(parse("a=1&b=2").unwrap().with("a", "<&>"), "?b=2&a=%3C%26%3E");
        assert_eq!(parse("a=1&b=2").unwrap().with("a", ""), "?b=2");
    }
}
