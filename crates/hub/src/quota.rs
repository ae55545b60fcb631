//! Quota of a token: compressed originals and a fixed size for each result, counted in the transaction that adds or
//! deletes the result.

use crate::store::{Session, StoreError, first};

/// Default quota in bytes: about 100,000 results.
const BYTES: i64 = 4 << 30;

/// Use and quota of a token in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    pub kept: i64,
    pub most: i64,
}

impl Quota {
    /// Fails if the quota is used up.
    pub fn check(self) -> Result<(), StoreError> {
        if self.kept < self.most { Ok(()) } else { Err(self.over()) }
    }

    fn over(self) -> StoreError {
        let [kept, most] = [self.kept, self.most].map(|bytes| bytes >> 20);
        let message = format!(
            "This token keeps {kept} MiB of {most} MiB: nothing was kept. Delete results, or ask for a larger quota (`token quota`)."
        );
        StoreError { is_over_quota: true, ..StoreError::of(message) }
    }
}

pub fn of(session: &mut dyn Session, token: i64) -> Result<Quota, StoreError> {
    let row = first(session, "SELECT kept_bytes, quota_bytes FROM token WHERE id = $1", &[token.into()])?;
    let [kept, most] = [0, 1].map(|column| row.as_ref().and_then(|row| row.integer(column)));
    Ok(Quota { kept: kept.unwrap_or(0), most: most.unwrap_or(BYTES) })
}

/// False if no token has this name.
pub fn set(session: &mut dyn Session, name: &str, bytes: i64) -> Result<bool, StoreError> {
    let sql = "UPDATE token SET quota_bytes = $1 WHERE name = $2 RETURNING id";
    Ok(!session.run(sql, &[bytes.into(), name.into()])?.is_empty())
}

/// Adds to the use of a token; fails beyond the quota, with the transaction.
pub fn take(session: &mut dyn Session, token: i64, bytes: i64) -> Result<(), StoreError> {
    let sql = "UPDATE token SET kept_bytes = kept_bytes + $1 WHERE id = $2 RETURNING kept_bytes, quota_bytes";
    let Some(row) = first(session, sql, &[bytes.into(), token.into()])? else { return Ok(()) };
    let kept = row.integer(0).unwrap_or(0);
    let most = row.integer(1).unwrap_or(BYTES);
    if kept <= most { Ok(()) } else { Err(Quota { kept: kept - bytes, most }.over()) }
}

/// Subtracts from the use of a token.
pub fn give_back(session: &mut dyn Session, token: i64, bytes: i64) -> Result<(), StoreError> {
    session.run("UPDATE token SET kept_bytes = kept_bytes - $1 WHERE id = $2", &[bytes.into(), token.into()]).map(drop)
}
