//! Uploads of an owner, the newest first, including unlisted and quarantined ones, which no other list contains.

use crate::store::{Row, Session, Trouble};
use serde_json::json;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnResult {
    pub slug: String,
    /// Reason of its quarantine.
    pub quarantined: Option<String>,
    pub is_listed: bool,
    /// Board and cores, or the alias.
    pub machine: String,
    pub verdict: String,
    pub received_utc_ms: i64,
}

impl OwnResult {
    /// `quarantined`, `listed` or `unlisted`.
    pub fn state(&self) -> &'static str {
        state(self.quarantined.is_some(), self.is_listed)
    }

    pub fn json(&self, own_url: &str) -> serde_json::Value {
        json!({
            "id": self.slug, "url": address(own_url, &self.slug, self.quarantined.is_some()), "state": self.state(),
            "reason": self.quarantined, "machine": self.machine, "verdict": self.verdict,
            "received_utc_ms": self.received_utc_ms,
        })
    }
}

/// Visibility of a result in one word.
pub fn state(is_quarantined: bool, is_listed: bool) -> &'static str {
    match (is_quarantined, is_listed) {
        (true, _) => "quarantined",
        (false, true) => "listed",
        (false, false) => "unlisted",
    }
}

/// Address of a result. A quarantined one has no page; its owner reads it through the API.
pub fn address(own_url: &str, slug: &str, is_quarantined: bool) -> String {
    format!("{own_url}{}/{slug}", if is_quarantined { "/api/results" } else { "/r" })
}

/// A page of an owner's results before number `before`, and the number at which the next page begins.
pub fn page(
    session: &mut dyn Session,
    owner: i64,
    before: i64,
    limit: i64,
) -> Result<(Vec<OwnResult>, Option<i64>), Trouble> {
    let sql = "SELECT id, slug, quarantined, listed, machine, verdict, received_utc_ms FROM result \
               WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    let mut rows = session.run(sql, &[owner.into(), before.into(), (limit + 1).into()])?;
    let has_more = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| has_more).and_then(|row| row.integer(0));
    Ok((rows.iter().map(own).collect(), next))
}

fn own(row: &Row) -> OwnResult {
    OwnResult {
        slug: row.words(1),
        quarantined: row.text(2).map(str::to_owned),
        is_listed: row.flag(3),
        machine: row.words(4),
        verdict: row.words(5),
        received_utc_ms: row.integer(6).unwrap_or(0),
    }
}
