//! Adds a file to the hub: a worker unpacks, redacts, reads and explains it, and this module stores it. An unreadable
//! file is quarantined with the reason and visible to its owner alone.

use crate::derive::ResultSummary;
use crate::limits::LimitRefusal;
use crate::results::{self, IncomingFile, StoredResult};
use crate::store::{Session, Store, StoreError, read, write};
use crate::worker::{Stop, UploadFile, UploadVisitor, Workers};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadOptions {
    /// Id of the sender's token.
    pub owner: i64,
    /// Whether the results are listed.
    pub publish: bool,
    /// Sender's name of the machine; empty to identify it by board and cores.
    pub alias: String,
    /// Time of arrival.
    pub now_utc_ms: i64,
    /// Number of the running build.
    pub build: i64,
    /// Whether unreadable files are stored in quarantine.
    pub quarantines: bool,
}

/// Name of a file in an archive, and its result or the reason that it was not stored.
pub type SubmitResult = (String, Result<StoredResult, String>);

/// Work within the transaction of a new result.
pub type ExtraWork<'a> = &'a dyn Fn(&mut dyn Session, &StoredResult, &ResultSummary) -> Result<(), StoreError>;

/// Stores the files of a request; each is durable when this returns. If the database refuses one, those before it stay.
pub fn submit(
    store: &dyn Store,
    workers: &Workers,
    stop: &Stop,
    body: &[u8],
    sent: &UploadOptions,
    also: ExtraWork<'_>,
) -> Result<Vec<SubmitResult>, LimitRefusal> {
    let mut keeping = StoreWriter { store, sent, also, kept: Vec::new() };
    workers.upload(stop, body, &sent.alias, &mut keeping)?;
    Ok(keeping.kept)
}

struct StoreWriter<'a> {
    store: &'a dyn Store,
    sent: &'a UploadOptions,
    also: ExtraWork<'a>,
    kept: Vec<SubmitResult>,
}

impl UploadVisitor for StoreWriter<'_> {
    fn wants(&mut self, name: &str, received_hash: &str) -> Result<bool, LimitRefusal> {
        let known = read(self.store, |session| results::known(session, self.sent.owner, received_hash))?;
        let Some(kept) = known else { return Ok(true) };
        self.kept.push((name.to_owned(), Ok(updated(self.store, kept, self.sent)?)));
        Ok(false)
    }

    fn take(&mut self, read: UploadFile) -> Result<(), LimitRefusal> {
        let sent = self.sent;
        if let (false, Err(why)) = (sent.quarantines, &read.derived) {
            self.kept.push((read.name, Err(why.clone())));
            return Ok(());
        }
        let incoming = IncomingFile {
            owner: sent.owner,
            received_hash: read.received_hash,
            original: read.original,
            published: sent.publish,
            received_utc_ms: sent.now_utc_ms,
            derived: read.derived.map(|derived| derived.came(sent.now_utc_ms)),
            alias: sent.alias.clone(),
            build: sent.build,
        };
        let kept = write(self.store, |session| {
            let kept = results::keep(session, &incoming)?;
            if let (false, Ok(derived)) = (kept.was_there, &incoming.derived) {
                (self.also)(session, &kept, derived)?;
            }
            Ok(kept)
        })?;
        self.kept.push((read.name, Ok(updated(self.store, kept, sent)?)));
        Ok(())
    }
}

/// Lists an unlisted result that is sent again for listing, and names its machine as it is named now.
fn updated(store: &dyn Store, mut kept: StoredResult, sent: &UploadOptions) -> Result<StoredResult, LimitRefusal> {
    if sent.publish && !kept.published {
        write(store, |session| results::publish(session, sent.owner, &kept.slug, Some(sent.now_utc_ms)))?;
        kept.published = true;
    }
    if kept.was_there && !sent.alias.is_empty() {
        write(store, |session| results::name_machine(session, sent.owner, &kept.slug, &sent.alias))?;
    }
    Ok(kept)
}
