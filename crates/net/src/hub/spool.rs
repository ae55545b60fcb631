//! Directory of files waiting for upload. Each waits for one hub with agreed parameters; uploads to other hubs do not
//! include it. A refused file is retried with growing pauses, then set aside; only the user deletes it.

use super::Hub;
use machine::files::{Access, Error, Folder};
use record::hex;
use sha2::{Digest, Sha256};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// Suffix of waiting files.
const WAITING: &str = ".upload";
/// Suffix of files with hub and parameters, one per line.
const DESTINATION: &str = ".to";
/// Suffix of notes about refused attempts: times in seconds of UTC, one per line.
const TRIES: &str = ".tries";
/// Suffix of files set aside.
const ASIDE: &str = ".aside";
/// Maximum number of attempts for a refused file.
pub const TRIES_MAX: usize = 3;
/// Pauses between attempts.
const DISTANCES: [Duration; TRIES_MAX - 1] = [Duration::from_secs(60), Duration::from_secs(3600)];
/// Maximum size of a note.
const TRIES_BYTES_MAX: u64 = 4 << 10;
/// Maximum size of a file with hub and parameters.
const DESTINATION_BYTES_MAX: u64 = 16 << 10;

/// The directory.
pub struct Spool(pub Folder);

/// A waiting file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpoolFile {
    /// File name.
    pub name: OsString,
    /// Address of its hub without a trailing slash.
    pub url: String,
    pub(super) query: String,
    /// Times of refused attempts in seconds of UTC.
    tries: Vec<i64>,
}

impl SpoolFile {
    /// True if it waits for this hub.
    pub fn is_for(&self, hub: &Hub) -> bool {
        self.url == hub.address.url
    }

    /// Time until the next attempt; `None` if due. A clock that was set back does not delay it.
    pub fn rests_for(&self, now_utc_s: i64) -> Option<Duration> {
        let distance = DISTANCES.get(self.tries.len().checked_sub(1)?)?;
        let since = u64::try_from(now_utc_s - self.tries.last()?).ok()?;
        distance.checked_sub(Duration::from_secs(since)).filter(|left| !left.is_zero())
    }

    fn with_end(&self, end: &str) -> OsString {
        with_end(&self.name, end)
    }
}

/// Name of another file about the same result.
fn with_end(name: &OsStr, end: &str) -> OsString {
    OsString::from(name.to_string_lossy().trim_end_matches(WAITING).to_owned() + end)
}

/// SHA-256 in hexadecimal digits: shorter sums could collide.
fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

impl Spool {
    /// Stores a result, which survives crashes from then on. Equal content for the same hub has the same name. Returns
    /// the name.
    ///
    /// # Errors
    /// The file cannot be written; one sentence.
    pub fn put(&self, hub: &Hub, bytes: &[u8]) -> Result<OsString, String> {
        let destination = format!("{}\n{}\n", hub.address.url, hub.query);
        let key = sha256(destination.as_bytes());
        let name = OsString::from(format!("{key}-{}{WAITING}", sha256(bytes)));
        let put = |name: &OsStr, bytes: &[u8]| self.0.replace(name, bytes, Access::Owner);
        let noted = put(OsStr::new(&format!("{key}{DESTINATION}")), destination.as_bytes());
        noted.and_then(|()| put(&name, bytes)).map_err(|error| error.to_string())?;
        // A file uploaded again is no longer set aside.
        let _ = self.0.remove(&with_end(&name, ASIDE));
        Ok(name)
    }

    /// Waiting files, sorted by name.
    ///
    /// # Errors
    /// The directory cannot be read; one sentence.
    pub fn waiting(&self) -> Result<Vec<SpoolFile>, String> {
        let mut names = self.0.names().map_err(|error| error.to_string())?;
        names.sort();
        let waiting = names.into_iter().filter_map(|name| {
            let text = name.to_str()?;
            let key = text.strip_suffix(WAITING)?.split('-').next()?;
            let destination = self.0.read(OsStr::new(&format!("{key}{DESTINATION}")), DESTINATION_BYTES_MAX).ok()?;
            let destination = String::from_utf8(destination).ok()?;
            let mut lines = destination.lines().map(str::to_owned);
            let (url, query) = (lines.next()?, lines.next()?);
            let tries = self.0.read(&with_end(&name, TRIES), TRIES_BYTES_MAX).unwrap_or_default();
            let tries = String::from_utf8_lossy(&tries).lines().filter_map(|line| line.parse().ok()).collect();
            Some(SpoolFile { name, url, query, tries })
        });
        Ok(waiting.collect())
    }

    /// Removes a file.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(&self, waiting: &SpoolFile) -> Result<(), Error> {
        // A remaining note is harmless.
        let _ = self.0.remove(&waiting.with_end(TRIES));
        self.0.remove(&waiting.name)
    }

    /// Notes a refusal, which delays the next attempt. After the last attempt, sets the file aside and returns its new
    /// path.
    ///
    /// # Errors
    /// It can neither be noted nor set aside.
    pub fn refused(&self, waiting: &SpoolFile, now_utc_s: i64) -> Result<Option<PathBuf>, Error> {
        let mut tries = waiting.tries.clone();
        tries.push(now_utc_s);
        let text: String = tries.iter().map(|at| format!("{at}\n")).collect();
        let noted = self.0.replace(&waiting.with_end(TRIES), text.as_bytes(), Access::Owner);
        // Without countable attempts, a file is set aside at once.
        if noted.is_ok() && tries.len() < TRIES_MAX {
            return Ok(None);
        }
        let aside = waiting.with_end(ASIDE);
        self.0.rename(&waiting.name, &aside)?;
        Ok(Some(self.0.path().join(aside)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Scratch;

    #[test]
    fn results_and_hubs_of_one_crc_32_are_kept_apart() {
        let place = Scratch::new("spool-apart");
        let spool = Spool(Folder::open(&place).unwrap());
        // Both words have CRC-32 4ddb0c25.
        let hubs =
            ["plumless", "buckeroo"].map(|name| Hub::new(&format!("https://{name}"), None, false, None).unwrap());
        for hub in &hubs {
            for bytes in [b"plumless", b"buckeroo"] {
                spool.put(hub, bytes).unwrap();
                spool.put(hub, bytes).unwrap();
            }
        }
        let waiting = spool.waiting().unwrap();
        assert_eq!(waiting.len(), 4);
        for hub in &hubs {
            assert_eq!(waiting.iter().filter(|one| one.is_for(hub)).count(), 2, "{hub:?}");
        }
    }

    #[test]
    fn results_that_an_older_version_left_are_found() {
        let place = Scratch::new("spool-older");
        std::fs::write(place.join("0a1b2c3d.to"), "https://hub.example\n?publish=1\n").unwrap();
        std::fs::write(place.join("0a1b2c3d-00000003-4e5f6071.upload"), "log").unwrap();
        let spool = Spool(Folder::open(&place).unwrap());
        let waiting = spool.waiting().unwrap();
        assert_eq!((waiting[0].url.as_str(), waiting[0].query.as_str()), ("https://hub.example", "?publish=1"));
        spool.remove(&waiting[0]).unwrap();
        assert!(spool.waiting().unwrap().is_empty());
    }

    /// A refused file waits no longer than its distance after a clock step.
    #[test]
    fn a_clock_that_is_set_delays_no_try() {
        const DAY_S: i64 = 86_400;
        let place = Scratch::new("spool-clock");
        let spool = Spool(Folder::open(&place).unwrap());
        let hub = Hub::new("https://hub.example", None, false, None).unwrap();
        spool.put(&hub, b"log").unwrap();
        let waiting = || spool.waiting().unwrap().remove(0);
        assert_eq!(waiting().rests_for(0), None);
        let refused_s = 1_800_000_000;
        assert_eq!(spool.refused(&waiting(), refused_s).unwrap(), None);
        assert_eq!(waiting().rests_for(refused_s), Some(DISTANCES[0]));
        for step_s in [DAY_S, -DAY_S, -1] {
            assert_eq!(waiting().rests_for(refused_s + step_s), None, "{step_s} s");
        }
    }
}
