//! The folder of what waits to be sent. Each file waits for one hub, with the parameters it was agreed to: a later upload to
//! another hub, or one that lists results, does not take it along.

use super::Hub;
use machine::files::{Access, Error, Folder};
use record::recording::checksum;
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

impl Spool {
    /// Puts a result here: a crash loses nothing from here on. The same content for the same hub has the same name, which is
    /// returned.
    ///
    /// # Errors
    /// One sentence: it cannot be written.
    pub fn put(&self, hub: &Hub, bytes: &[u8]) -> Result<OsString, String> {
        let destination = format!("{}\n{}\n", hub.address.url, hub.query);
        let key = format!("{:08x}", checksum(destination.as_bytes()));
        let name = OsString::from(format!("{key}-{:08x}-{:08x}{WAITING}", bytes.len(), checksum(bytes)));
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
