//! Fetches reference data of a hub in pages, each with the tag of the stored copy.

use super::address::{self, Address};
use super::curl::{self, NoAnswer};
use std::time::Duration;

/// Maximum time for one page.
const TIME_MAX: Duration = Duration::from_secs(20);
/// Maximum size of a page; it has 200 rows of about 3 KiB.
const BYTES_MAX: u64 = 8 << 20;
/// Path on a hub.
const PATH: &str = "/api/references";

/// A page of reference data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReferencePage {
    /// Query of its address; empty for the first page.
    pub query: String,
    /// Entity tag of the content.
    pub tag: String,
    /// Query of the next page, if any.
    pub next: Option<String>,
    /// The table.
    pub table: String,
}

/// A hub with reference data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceHub(Address);

impl ReferenceHub {
    /// Parses the address of a hub.
    ///
    /// # Errors
    /// The address is neither HTTPS nor on this host; one sentence.
    pub fn at(url: &str) -> Result<Self, String> {
        Address::of(url, "a hub, such as https://hub.example").map(Self)
    }

    /// Address without a trailing slash.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// Fetches the page of a query; returns the stored page if it is unchanged.
    ///
    /// # Errors
    /// The page could not be fetched; a clause.
    pub fn page(&self, query: &str, known: Option<&ReferencePage>) -> Result<ReferencePage, String> {
        if !address::is_plain(query) {
            return Err("the address of its next page is not valid".to_owned());
        }
        let mark = if query.is_empty() { "" } else { "?" };
        let url = format!("{}{PATH}{mark}{query}", self.0.url);
        let tag = known.map(|page| page.tag.as_str()).filter(|tag| is_tag(tag));
        let (status, head, body) =
            if self.0.is_loopback { here(&url, tag).map_err(|error| error.to_string())? } else { by_curl(&url, tag)? };
        match (status, known) {
            (304, Some(known)) => Ok(known.clone()),
            (200, _) => Ok(ReferencePage {
                query: query.to_owned(),
                tag: head.tag,
                next: next_query(&head.link),
                table: String::from_utf8(body).map_err(|_| "the table is not UTF-8".to_owned())?,
            }),
            _ => Err(format!("it answers {status}")),
        }
    }
}

/// Values of the response header.
#[derive(Debug, Default, PartialEq, Eq)]
struct Head {
    tag: String,
    link: String,
}

fn here(url: &str, tag: Option<&str>) -> Result<(u16, Head, Vec<u8>), ureq::Error> {
    let request = address::agent(TIME_MAX).get(url);
    let request = match tag {
        Some(tag) => request.header("if-none-match", tag),
        None => request,
    };
    let mut response = request.call()?;
    let text = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let head = Head { tag: text("etag").to_owned(), link: text("link").to_owned() };
    let status = response.status().as_u16();
    Ok((status, head, response.body_mut().with_config().limit(BYTES_MAX).read_to_vec()?))
}

fn by_curl(url: &str, tag: Option<&str>) -> Result<(u16, Head, Vec<u8>), String> {
    // The quotes of a tag are escaped in a configuration of curl.
    let tag = tag.map(|tag| format!("header = \"If-None-Match: {}\"\n", tag.replace('"', "\\\"")));
    let config = format!("url = \"{url}\"\ninclude\nsuppress-connect-headers\n{}", tag.unwrap_or_default());
    let answer = curl::ask(&config, TIME_MAX, BYTES_MAX);
    let (status, said) = answer.map_err(|no_answer| match no_answer {
        NoAnswer::NoCurl(why) | NoAnswer::Ended(why) | NoAnswer::Failed(why) => why.trim_end_matches('.').to_owned(),
    })?;
    let (head, body) = parted(&said);
    Ok((status, head, body))
}

/// Splits an answer into head and body.
fn parted(said: &[u8]) -> (Head, Vec<u8>) {
    let end = said.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(said.len());
    let text = String::from_utf8_lossy(&said[..end]);
    let value = |name: &str| {
        let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
        let found = pairs.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let head = Head { tag: value("etag"), link: value("link") };
    (head, said.get(end + 4..).unwrap_or_default().to_vec())
}

/// True for `"..."` of characters that need no escaping in a header and in a configuration of curl.
fn is_tag(tag: &str) -> bool {
    let inner = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
    inner.is_some_and(address::is_plain)
}

/// Parses the query of `<ADDRESS?QUERY>; rel="next"` (RFC 8288, 3). The address is ignored: it must be that of the
/// named hub.
fn next_query(link: &str) -> Option<String> {
    let (address, relation) = link.strip_prefix('<')?.split_once('>')?;
    let (_, query) = address.split_once('?')?;
    (relation.contains("next") && !query.is_empty()).then(|| query.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn head_is_taken_from_an_answer() {
        let said =
            b"HTTP/2 200 \r\nETag: \"ab\"\r\nlink: <https://x/api/references?cursor=5>; rel=\"next\"\r\n\r\nboard\n";
        let (head, body) = parted(said);
        assert_eq!((head.tag.as_str(), body.as_slice()), ("\"ab\"", &b"board\n"[..]));
        assert_eq!(next_query(&head.link).as_deref(), Some("cursor=5"));
        assert!(is_tag("\"ab\"") && !is_tag("\"a\"\nurl = \"x\"") && !is_tag(""));
    }

    proptest! {
        #[test]
        fn any_answer_never_panics(said in proptest::collection::vec(any::<u8>(), 0..200), link in ".{0,40}") {
            let (head, body) = parted(&said);
            prop_assert!(body.len() <= said.len() && head.tag.len() <= 3 * said.len());
            let _ = next_query(&link);
            prop_assert!(!is_tag(&link) || !link.contains('\n'));
        }
    }
}
