//! Verifies a database: every result has its original, and every original matches its hash.

use crate::originals;
use crate::store::{Store, Trouble, read_all};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    pub results: i64,
    pub originals: i64,
    /// Problems in sentences.
    pub problems: Vec<String>,
}

/// Rows of one query; bounds the memory at any size of the database.
const PAGE: i64 = 100;

pub fn verify(store: &dyn Store) -> Result<VerifyReport, Trouble> {
    let mut checked = VerifyReport::default();
    let mut last = String::new();
    loop {
        let sql = "SELECT hash, size, packed FROM original WHERE hash > $1 ORDER BY hash LIMIT $2";
        let rows = read_all(store, |session| session.run(sql, &[last.as_str().into(), PAGE.into()]))?;
        let Some(end) = rows.last() else { break };
        last = end.words(0);
        for row in &rows {
            checked.originals += 1;
            let hash = row.words(0);
            let unpacked = originals::unpack(row.bytes(2), row.integer(1).unwrap_or(0).max(0) as usize, &hash);
            checked.problems.extend(unpacked.err().map(|trouble| trouble.message));
        }
    }
    let mut last = 0;
    loop {
        let sql = "SELECT result.id, result.slug, original.hash FROM result LEFT JOIN original \
                   ON original.hash = result.hash WHERE result.id > $1 ORDER BY result.id LIMIT $2";
        let rows = read_all(store, |session| session.run(sql, &[last.into(), PAGE.into()]))?;
        let Some(end) = rows.last() else { break };
        last = end.integer(0).unwrap_or(i64::MAX);
        for row in &rows {
            checked.results += 1;
            if row.text(2).is_none() {
                checked.problems.push(format!("The result {} has no original.", row.words(1)));
            }
        }
    }
    Ok(checked)
}
