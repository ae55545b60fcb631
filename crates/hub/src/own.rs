//! Uploads of an owner, the newest first, including unlisted and quarantined ones, which no other list contains.

use crate::store::{Row, Session, StoreError};
use serde_json::{Value, json};

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

/// A page of an owner's results before number `before` as JSON, and the number at which the next page begins.
pub fn page(
    session: &mut dyn Session,
    owner: i64,
    before: i64,
    limit: i64,
    own_url: &str,
) -> Result<(Vec<Value>, Option<i64>), StoreError> {
    let sql = "SELECT id, slug, quarantined, listed, machine, verdict, received_utc_ms FROM result \
               WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    let mut rows = session.run(sql, &[owner.into(), before.into(), (limit + 1).into()])?;
    let has_more = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| has_more).and_then(|row| row.integer(0));
    let json = |row: &Row| {
        let (slug, quarantined) = (row.words(1), row.text(2));
        json!({
            "id": slug, "url": address(own_url, &slug, quarantined.is_some()),
            "state": state(quarantined.is_some(), row.flag(3)), "reason": quarantined, "machine": row.words(4),
            "verdict": row.words(5), "received_utc_ms": row.integer(6).unwrap_or(0),
        })
    };
    Ok((rows.iter().map(json).collect(), next))
}
