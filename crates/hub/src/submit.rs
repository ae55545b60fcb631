//! The way of a file into the hub: unpacked within limits, redacted once more, read, explained, kept. What cannot be read is
//! kept as well, in quarantine with its reason, where only its owner sees it.

use crate::derive::{self, Derived};
use crate::limits::{Limits, Refused};
use crate::originals;
use crate::results::{self, Incoming, Kept};
use crate::store::{Session, Store, Trouble, read, write};
use crate::unpack;
use archive::Member;

/// How files are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Number of the sender's token.
    pub owner: i64,
    /// Whether all people may find them.
    pub publish: bool,
    /// What the sender calls the machine; empty for board and cores.
    pub alias: String,
    /// When they came, UTC in milliseconds.
    pub now_utc_ms: i64,
    /// Number of this build.
    pub build: i64,
}

/// Something that is done within the transaction of a new result.
pub type Also<'a> = &'a dyn Fn(&mut dyn Session, &Kept, &Derived) -> Result<(), Trouble>;

/// Keeps what a request holds: one file, or those of an archive. Each one is durable when this returns.
///
/// # Errors
/// Nothing of it was kept, or of an archive the files before the one that the database did not take.
pub fn submit(
    store: &dyn Store,
    body: Vec<u8>,
    sent: &Sent,
    limits: &Limits,
    also: Also<'_>,
) -> Result<Vec<(String, Kept)>, Refused> {
    let members = unpack::members(body, limits)?;
    if members.iter().any(|member| member.bytes.len() > limits.log_bytes_max && is_log(&member.bytes)) {
        return Err(Refused::TooLarge(format!("The limit of a log is {} KiB.", limits.log_bytes_max >> 10)));
    }
    let mut kept = Vec::with_capacity(members.len());
    for Member { name, bytes } in members {
        kept.push((name, keep(store, bytes, sent, also)?));
    }
    Ok(kept)
}

fn is_log(bytes: &[u8]) -> bool {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    first != Some(&b'{') && !record::is_stream(bytes)
}

fn keep(store: &dyn Store, bytes: Vec<u8>, sent: &Sent, also: Also<'_>) -> Result<Kept, Refused> {
    let received_hash = originals::hash(&bytes);
    if let Some(kept) = read(store, |session| results::known(session, sent.owner, &received_hash))? {
        return published(store, kept, sent);
    }
    let redacted = explain::redact::redact(&bytes).bytes;
    drop(bytes);
    let (hash, size, packed) = (originals::hash(&redacted), redacted.len(), originals::pack(&redacted));
    let alias = Some(sent.alias.as_str()).filter(|alias| !alias.is_empty());
    let derived = derive::record(redacted)
        .and_then(|record| derive::derive(&record, alias))
        .map(|derived| derived.came(sent.now_utc_ms));
    let incoming = Incoming {
        owner: sent.owner,
        received_hash,
        hash,
        size,
        packed,
        published: sent.publish,
        received_utc_ms: sent.now_utc_ms,
        derived,
        alias: sent.alias.clone(),
        build: sent.build,
    };
    let kept = write(store, |session| {
        let kept = results::keep(session, &incoming)?;
        if let (false, Ok(derived)) = (kept.was_there, &incoming.derived) {
            also(session, &kept, derived)?;
        }
        Ok(kept)
    })?;
    published(store, kept, sent)
}

/// What was there unlisted and is sent once more to be listed is listed.
fn published(store: &dyn Store, mut kept: Kept, sent: &Sent) -> Result<Kept, Refused> {
    if sent.publish && !kept.published {
        write(store, |session| results::publish(session, sent.owner, &kept.slug, Some(sent.now_utc_ms)))?;
        kept.published = true;
    }
    Ok(kept)
}
