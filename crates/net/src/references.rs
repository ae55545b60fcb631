//! Fetches reference data of a hub in pages, each with the tag of the stored copy.

use super::address::{self, Address};
use super::curl::RequestFailure;
use super::request::Request;
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
        let tag = known.map(|page| page.tag.clone()).filter(|tag| is_tag(tag));
        let mut request = Request::get(&self.0, format!("{PATH}{mark}{query}"), TIME_MAX, BYTES_MAX);
        request.headers.extend(tag.map(|tag| ("If-None-Match", tag)));
        let answer = request.send().map_err(|no_answer| match no_answer {
            RequestFailure::NoCurl(why) | RequestFailure::Ended(why) | RequestFailure::Failed(why) => {
                why.trim_end_matches('.').to_owned()
            }
        })?;
        match (answer.status, known) {
            (304, Some(known)) => Ok(known.clone()),
            (200, _) => Ok(ReferencePage {
                query: query.to_owned(),
                tag: answer.field("etag").to_owned(),
                next: next_query(answer.field("link")),
                table: String::from_utf8(answer.body).map_err(|_| "the table is not UTF-8".to_owned())?,
            }),
            (status, _) => Err(format!("it answers {status}")),
        }
    }
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
    fn next_page_is_taken_from_the_link() {
        assert_eq!(next_query("<https://x/api/references?cursor=5>; rel=\"next\"").as_deref(), Some("cursor=5"));
        assert!(is_tag("\"ab\"") && !is_tag("\"a\"\nurl = \"x\"") && !is_tag(""));
    }

    proptest! {
        #[test]
        fn any_link_never_panics(link in ".{0,40}") {
            let _ = next_query(&link);
            prop_assert!(!is_tag(&link) || !link.contains('\n'));
        }
    }
}
