//! Derives results of older builds again, one after the other, in a worker.

use crate::derive::ResultSummary;
use crate::log;
use crate::originals::{self, CompressedOriginal};
use crate::results::replace;
use crate::store::{Dialect, Session, Store, StoreError, first, number, read, write};
use crate::worker::{Stop, Workers};

/// Number of results derived by an older build.
pub fn count(store: &dyn Store, build: i64) -> Result<i64, StoreError> {
    number(store, "SELECT count(*) FROM result WHERE derived_by < $1", &[build.into()])
}

/// Derives one result of an older build again. False if none is left. A result that the database refuses is logged and
/// quarantined; otherwise it would stay the first, and no other would be derived.
pub fn derive_one(store: &dyn Store, workers: &Workers, stop: &Stop, build: i64) -> Result<bool, StoreError> {
    let mut taken = None;
    let derive = |found: &OldBuildResult| found.derived(workers, stop);
    match (derive_first(store, build, &derive, &mut taken), taken) {
        (Err(trouble), Some(id)) if !trouble.is_passing && !trouble.is_full && !trouble.is_slow => {
            log::event("underivable", &[("id", &id.to_string()), ("error", &trouble.message)]);
            let why = Err(format!("what is derived from it cannot be kept: {trouble}"));
            write(store, |session| replace(session, id, build, &why)).map(|()| true)
        }
        (done, _) => done,
    }
}

/// Derives a result; none if the hub ends.
type DeriveFunction<'a> = &'a dyn Fn(&OldBuildResult) -> Option<Result<ResultSummary, String>>;

fn derive_first(
    store: &dyn Store,
    build: i64,
    derive: DeriveFunction<'_>,
    taken: &mut Option<i64>,
) -> Result<bool, StoreError> {
    let dialect = store.dialect();
    if dialect == Dialect::Sqlite {
        // Does not hold the connection that writes while it derives: no other process derives.
        let Some(found) = read(store, |session| outdated_one(session, build, ""))? else { return Ok(false) };
        *taken = Some(found.id);
        let Some(derived) = derive(&found) else { return Ok(false) };
        return write(store, |session| replace(session, found.id, build, &derived)).map(|()| true);
    }
    write(store, |session| {
        let Some(found) = outdated_one(session, build, dialect.for_one_worker())? else { return Ok(false) };
        *taken = Some(found.id);
        let Some(derived) = derive(&found) else { return Ok(false) };
        replace(session, found.id, build, &derived).map(|()| true)
    })
}

/// A result of an older build.
struct OldBuildResult {
    id: i64,
    alias: String,
    received_utc_ms: i64,
    /// Reason of its quarantine.
    quarantined: Option<String>,
    /// The original, or the reason that it cannot be read.
    original: Result<CompressedOriginal, String>,
}

impl OldBuildResult {
    fn derived(&self, workers: &Workers, stop: &Stop) -> Option<Result<ResultSummary, String>> {
        let original = match &self.original {
            Ok(original) => original,
            Err(why) => return Some(Err(why.clone())),
        };
        match &self.quarantined {
            // The file could not be redacted on arrival, so its original is empty.
            Some(why) if original.size == 0 => Some(Err(why.clone())),
            _ => {
                let derived = workers.derive(stop, &self.alias, original)?;
                Some(derived.map(|derived| derived.came(self.received_utc_ms)))
            }
        }
    }
}

fn outdated_one(session: &mut dyn Session, build: i64, ending: &str) -> Result<Option<OldBuildResult>, StoreError> {
    let sql = format!(
        "SELECT id, hash, alias, received_utc_ms, quarantined FROM result WHERE derived_by < $1 \
         ORDER BY derived_by, id LIMIT 1{ending}"
    );
    let Some(row) = first(session, &sql, &[build.into()])? else { return Ok(None) };
    let original = match originals::packed(session, &row.words(1)) {
        Err(trouble) if trouble.is_passing => return Err(trouble),
        original => original.map_err(|trouble| trouble.message),
    };
    Ok(Some(OldBuildResult {
        id: row.integer(0).unwrap_or(0),
        alias: row.words(2),
        received_utc_ms: row.integer(3).unwrap_or(i64::MAX),
        quarantined: row.text(4).map(str::to_owned),
        original,
    }))
}
