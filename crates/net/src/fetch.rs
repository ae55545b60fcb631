//! Fetches files of a release.

use super::address::{self, Address};
use super::curl::{self, NoAnswer};
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
        let (status, body) = if self.0.is_loopback {
            here(&url, bytes_max).map_err(|why| format!("{url} cannot be fetched: {why}."))?
        } else {
            let config = format!("url = \"{url}\"\nlocation\nmax-filesize = {bytes_max}\n");
            curl::ask(&config, TIME_MAX, bytes_max).map_err(|no_answer| match no_answer {
                NoAnswer::NoCurl(why) => why,
                NoAnswer::Ended(why) | NoAnswer::Failed(why) => format!("{url} cannot be fetched: {why}."),
            })?
        };
        match status {
            200 => Ok(body),
            300..=399 => Err(format!("{url} answers {status}, a redirection, which is not followed.")),
            _ => Err(format!("{url} answers {status}.")),
        }
    }
}

fn here(url: &str, bytes_max: u64) -> Result<(u16, Vec<u8>), ureq::Error> {
    let mut response = address::agent(TIME_MAX).get(url).call()?;
    let status = response.status().as_u16();
    Ok((status, response.body_mut().with_config().limit(bytes_max).read_to_vec()?))
}
