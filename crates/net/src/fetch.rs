//! Fetches files of a release.

use super::address::Address;
use super::curl::RequestFailure;
use super::request::Request;
use std::time::Duration;

/// Maximum time for one file.
const TIME_MAX: Duration = Duration::from_secs(300);

/// Address of the files of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Release(Address);

impl Release {
    /// Parses the address of a release.
    ///
    /// # Errors
    /// The address is neither HTTPS nor on this host; one sentence.
    pub(crate) fn at(url: &str) -> Result<Self, String> {
        Address::of(url, "a release, such as https://releases.example/sbc-bench").map(Self)
    }

    /// Address without a trailing slash.
    pub(crate) fn url(&self) -> &str {
        &self.0.url
    }

    /// Fetches a file of at most `bytes_max`. HTTP follows no redirect, HTTPS only to HTTPS.
    ///
    /// # Errors
    /// The file could not be fetched completely; one sentence.
    pub(crate) fn file(&self, name: &str, bytes_max: u64) -> Result<Vec<u8>, String> {
        let url = format!("{}/{name}", self.0.url);
        let request = Request::get(&self.0, format!("/{name}"), TIME_MAX, bytes_max);
        let request = Request { is_redirected: true, ..request };
        let answer = request.send().map_err(|no_answer| match no_answer {
            RequestFailure::NoCurl(why) => why,
            RequestFailure::Ended(why) | RequestFailure::Failed(why) => format!("{url} cannot be fetched: {why}."),
        })?;
        match answer.status {
            200 => Ok(answer.body),
            status @ 300..=399 => Err(format!("{url} answers {status}, a redirection, which is not followed.")),
            status => Err(format!("{url} answers {status}.")),
        }
    }
}
