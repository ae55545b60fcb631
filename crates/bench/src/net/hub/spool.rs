//! The folder of what waits to be sent. Each file waits for one hub, with the parameters it was agreed to: a later upload to
//! another hub, or one that lists results, does not take it along.

use super::Hub;
use machine::files::{Access, Error, Folder};
use sha2::{Digest, Sha256};
use std::ffi::{OsStr, OsString};

/// Ends the names of files that wait.
const WAITING: &str = ".upload";
/// Ends the names of files that say for which hub, with which parameters; a line each.
const DESTINATION: &str = ".to";
/// An address and parameters have some hundred bytes.
const DESTINATION_BYTES_MAX: u64 = 16 << 10;

/// The folder.
pub struct Spool(pub Folder);

/// A file that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its name here.
    pub name: OsString,
    /// The hub it waits for, without a slash at the end.
    pub url: String,
    pub(super) query: String,
}

impl Waiting {
    /// True if it waits for this hub.
    pub fn is_for(&self, hub: &Hub) -> bool {
        self.url == hub.address.url
    }
}

/// SHA-256 in hexadecimal digits: a shorter sum could give two results, or two hubs, one name.
fn digits(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Spool {
    /// Puts a result here: a crash loses nothing from here on. The same content for the same hub has the same name, which is
    /// returned.
    ///
    /// # Errors
    /// One sentence: it cannot be written.
    pub fn put(&self, hub: &Hub, bytes: &[u8]) -> Result<OsString, String> {
        let destination = format!("{}\n{}\n", hub.address.url, hub.query);
        let key = digits(destination.as_bytes());
        let name = OsString::from(format!("{key}-{}{WAITING}", digits(bytes)));
        let put = |name: &OsStr, bytes: &[u8]| self.0.replace(name, bytes, Access::Owner);
        let noted = put(OsStr::new(&format!("{key}{DESTINATION}")), destination.as_bytes());
        noted.and_then(|()| put(&name, bytes)).map(|()| name).map_err(|error| error.to_string())
    }

    /// All that waits, in the order of names.
    ///
    /// # Errors
    /// One sentence: the folder cannot be read.
    pub fn waiting(&self) -> Result<Vec<Waiting>, String> {
        let mut names = self.0.names().map_err(|error| error.to_string())?;
        names.sort();
        let waiting = names.into_iter().filter_map(|name| {
            let text = name.to_str()?;
            let key = text.strip_suffix(WAITING)?.split('-').next()?;
            let destination = self.0.read(OsStr::new(&format!("{key}{DESTINATION}")), DESTINATION_BYTES_MAX).ok()?;
            let destination = String::from_utf8(destination).ok()?;
            let mut lines = destination.lines().map(str::to_owned);
            let (url, query) = (lines.next()?, lines.next()?);
            Some(Waiting { name, url, query })
        });
        Ok(waiting.collect())
    }

    /// Removes a file that waits no more.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(&self, waiting: &Waiting) -> Result<(), Error> {
        self.0.remove(&waiting.name)
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
        // The CRC-32 of both words is 4ddb0c25.
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
}
