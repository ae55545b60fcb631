//! Hides and deletes results, for their owner and for the operator.

use crate::originals;
use crate::quota;
use crate::results::{self, NAMED};
use crate::store::{Row, Session, Store, StoreError, Value, erase, first};

/// Maximum number of results deleted in one transaction; writers wait for it.
const TOGETHER_MAX: i64 = 50;

/// Deletes a result of an owner with its original, changes and names. False if the owner has no such result.
pub fn delete(session: &mut dyn Session, owner: i64, slug: &str) -> Result<bool, StoreError> {
    let rows = removed(session, "owner = $1 AND slug = $2", &[owner.into(), slug.into()])?;
    Ok(!rows.is_empty())
}

/// Deletes results of any owner, all or none, and returns their number.
pub fn delete_all(session: &mut dyn Session, slugs: &[String]) -> Result<usize, StoreError> {
    each(session, slugs, |session, owner, slug| delete(session, owner, slug))
}

/// Hides results of any owner from all lists, all or none, and returns their number.
pub fn hide_all(session: &mut dyn Session, slugs: &[String]) -> Result<usize, StoreError> {
    each(session, slugs, |session, owner, slug| results::publish(session, owner, slug, None))
}

/// Deletes the results of a token; those deleted before an error stay deleted. Returns their number, and the value of
/// [`Store::erase`].
pub fn delete_all_of(store: &dyn Store, token: &str) -> Result<(usize, bool), StoreError> {
    let mut count = 0;
    loop {
        let (deleted, is_gone) = erase(store, |session| {
            let row = first(session, "SELECT id FROM token WHERE name = $1", &[token.into()])?;
            let owner = row.ok_or_else(|| StoreError::of(format!("No token named {token}.")))?;
            let some = "id IN (SELECT id FROM result WHERE owner = $1 ORDER BY id LIMIT $2)";
            removed(session, some, &[owner.0[0].clone(), TOGETHER_MAX.into()])
        })?;
        count += deleted.len();
        if deleted.is_empty() {
            return Ok((count, is_gone));
        }
    }
}

fn each(
    session: &mut dyn Session,
    slugs: &[String],
    act: impl Fn(&mut dyn Session, i64, &str) -> Result<bool, StoreError>,
) -> Result<usize, StoreError> {
    for slug in slugs {
        let row = first(session, "SELECT owner FROM result WHERE slug = $1", &[slug.as_str().into()])?;
        let owner = row.and_then(|row| row.integer(0));
        let is_there = owner.map(|owner| act(session, owner, slug)).transpose()?.unwrap_or(false);
        if !is_there {
            return Err(StoreError::of(format!("No result {}; nothing was changed.", facts::plain(slug))));
        }
    }
    Ok(slugs.len())
}

/// Deletes the results that match a condition, with their originals, changes and names.
fn removed(session: &mut dyn Session, condition: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
    let columns: Vec<&str> = NAMED.iter().map(|(_, column)| *column).collect();
    let sql =
        format!("DELETE FROM result WHERE {condition} RETURNING id, hash, owner, kept_bytes, {}", columns.join(", "));
    let rows = session.run(&sql, values)?;
    let mut ids = Vec::new();
    for row in &rows {
        let id = [Value::from(row.integer(0))];
        let notices = "DELETE FROM notice WHERE change_id IN (SELECT id FROM change WHERE result_id = $1)";
        session.run(notices, &id)?;
        session.run("DELETE FROM change WHERE result_id = $1", &id)?;
        originals::forget(session, &row.words(1))?;
        if let Some(owner) = row.integer(2) {
            quota::give_back(session, owner, row.integer(3).unwrap_or(0))?;
        }
        ids.extend((4..4 + NAMED.len()).filter_map(|at| row.integer(at)));
    }
    ids.sort_unstable();
    ids.dedup();
    if without_use(session, ids)? {
        // Stored counts contain the names.
        session.run("DELETE FROM counted", &[])?;
    }
    Ok(rows)
}

/// Removes the names that no result has. True if any was removed.
fn without_use(session: &mut dyn Session, mut ids: Vec<i64>) -> Result<bool, StoreError> {
    let of_results = NAMED.iter().map(|(_, column)| format!("EXISTS (SELECT 1 FROM result WHERE {column} = $1)"));
    let used: Vec<String> =
        of_results.chain(["EXISTS (SELECT 1 FROM name_core WHERE core_id = $1)".to_owned()]).collect();
    let unused = format!("DELETE FROM name WHERE id = $1 AND NOT ({}) RETURNING id", used.join(" OR "));
    let lock = format!("SELECT id FROM name WHERE id = $1{}", session.dialect().to_remove());
    let mut removed = false;
    // A fixed order prevents deadlocks.
    ids.sort_unstable_by(|a, b| b.cmp(a));
    while let Some(id) = ids.pop() {
        session.run(&lock, &[id.into()])?;
        if session.run(&unused, &[id.into()])?.is_empty() {
            continue;
        }
        removed = true;
        // Core types that only this set of cores had.
        let sql = "DELETE FROM name_core WHERE cores_id = $1 RETURNING core_id";
        ids.extend(session.run(sql, &[id.into()])?.iter().filter_map(|row| row.integer(0)));
    }
    Ok(removed)
}
