//! Verifies a database: every result has its original, and every original matches its hash.

use crate::originals;
use crate::store::{Store, StoreError, each_row};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    pub results: i64,
    pub originals: i64,
    /// Problems in sentences.
    pub problems: Vec<String>,
}

pub fn verify(store: &dyn Store) -> Result<VerifyReport, StoreError> {
    let mut checked = VerifyReport::default();
    let sql = "SELECT hash, size, packed FROM original WHERE hash > $1 ORDER BY hash LIMIT $2";
    each_row(store, sql, "".into(), |row| {
        checked.originals += 1;
        let unpacked = originals::unpack(row.bytes(2), row.integer(1).unwrap_or(0).max(0) as usize, &row.words(0));
        checked.problems.extend(unpacked.err().map(|trouble| trouble.message));
        Ok(())
    })?;
    let sql = "SELECT result.id, result.slug, original.hash FROM result LEFT JOIN original \
               ON original.hash = result.hash WHERE result.id > $1 ORDER BY result.id LIMIT $2";
    each_row(store, sql, 0.into(), |row| {
        checked.results += 1;
        if row.text(2).is_none() {
            checked.problems.push(format!("The result {} has no original.", row.words(1)));
        }
        Ok(())
    })?;
    Ok(checked)
}
