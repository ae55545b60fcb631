//! Lists of results: filters, sorts and pages, each answered from an index at any size of the database.
//!
//! A page begins after a cursor, which names the last row before it. The index is chosen here and not by the database:
//! results of a rare name are sorted, and for a frequent name the index of the sort is read until a page is full.

use crate::counts::Counts;
use crate::names::Kind;
use crate::results::NAMED;
use crate::sorts::SORTS;
use crate::store::{Row, Session, StoreError, Value, first};
use std::collections::BTreeSet;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// Names by kind, as slugs.
    pub names: Vec<(Kind, String)>,
    /// `valid`, `unproven`, `degraded` or `invalid`.
    pub verdict: Option<String>,
    /// Only runs that died.
    pub died: bool,
    /// Words of boards, SoCs, kernels and others.
    pub words: Option<String>,
    /// Index in [`SORTS`]; the newest first without one.
    pub sort: Option<usize>,
    pub cursor: Option<Cursor>,
    /// Maximum number of rows.
    pub limit: i64,
}

/// Last row of the previous page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cursor {
    /// Value of the sort.
    pub value: f64,
    /// Number of the result.
    pub id: i64,
}

impl Cursor {
    pub fn text(self) -> String {
        format!("{}_{}", self.value, self.id)
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (value, id) = text.split_once('_')?;
        let value: f64 = value.parse().ok()?;
        value.is_finite().then_some(Self { value, id: id.parse().ok()? })
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct ListRow {
    pub id: i64,
    pub slug: String,
    pub listed_utc_ms: i64,
    pub started_utc_ms: Option<i64>,
    /// Mode of the run, or `log`.
    pub kind: String,
    pub verdict: String,
    /// Step in which the run died.
    pub died_in: Option<String>,
    /// First paragraph of the report.
    pub headline: String,
    /// Cells of the table of results.
    pub cells: Vec<String>,
    /// Figures in the order of [`SORTS`].
    pub figures: Vec<Option<f64>>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    pub rows: Vec<ListRow>,
    /// Cursor of the next page.
    pub next: Option<Cursor>,
}

/// The rarest verdict, which has indices of its own.
const INVALID: &str = "invalid";
/// Maximum number of rows of a page.
pub const LIMIT_MAX: i64 = 200;
/// Maximum number of names that words are searched in.
const WORD_NAMES_MAX: usize = 2_000;
/// Maximum number of name ids in a query.
const IDS_MAX: usize = 200;

/// A name is rare if at most one in this many results has it. Sorting its results takes tens of milliseconds at most;
/// in the index of a sort they could all be at the end.
const NAMES_PART: i64 = 10;

pub fn page(session: &mut dyn Session, query: &Query, counts: &Counts) -> Result<Page, StoreError> {
    let mut named_ones: Vec<Condition> = Vec::new();
    for (kind, slug) in &query.names {
        let Some(condition) = named(session, *kind, slug, counts)? else { return Ok(Page::default()) };
        named_ones.push(condition);
    }
    if let Some(words) = query.words.as_deref().filter(|words| !words.trim().is_empty()) {
        let Some(condition) = worded(session, words, counts)? else { return Ok(Page::default()) };
        named_ones.push(condition);
    }
    let limit = query.limit.clamp(1, LIMIT_MAX);
    let (sql, values) = statement(query, named_ones, counts.total, limit);
    let mut rows: Vec<ListRow> = session.run(&sql, &values)?.iter().map(listed).collect();
    let has_more = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| has_more).map(|row| Cursor {
        value: match query.sort {
            Some(sort) => row.figures[sort].unwrap_or(0.0),
            None => row.listed_utc_ms as f64,
        },
        id: row.id,
    });
    Ok(Page { rows, next })
}

/// The statement and its values. Indices alone find the ids of results; only the rows of a page are read.
fn statement(query: &Query, mut named_ones: Vec<Condition>, total: i64, limit: i64) -> (String, Vec<Value>) {
    let is_invalid = query.verdict.as_deref() == Some(INVALID) && !query.died;
    // Died runs and invalid results are few and have their own indices, which include the columns of names.
    let are_few = query.died || is_invalid;
    // The name with the fewest rows.
    named_ones.sort_by_key(|condition| condition.rows);
    let is_rare = |first: &Condition| !are_few && first.rows.saturating_mul(NAMES_PART) <= total;
    let by_names = named_ones.first().is_some_and(is_rare).then(|| named_ones.remove(0));
    // A sign before a column keeps the database from using that column's index.
    let sign = if by_names.is_some() { "+" } else { "" };
    let mut values: Vec<Value> = Vec::new();
    let mut conditions = vec![format!("{}listed = 1", if are_few { "+" } else { "" })];
    conditions.extend(named_ones.iter().map(Condition::sql));
    if is_invalid {
        // As a literal, so that the database recognises the condition of the partial index.
        conditions.push(format!("verdict = '{INVALID}'"));
    } else if let Some(verdict) = &query.verdict {
        values.push(verdict.as_str().into());
        conditions.push(format!("verdict = ${}", values.len()));
    }
    if query.died {
        conditions.push("died_in IS NOT NULL".to_owned());
    }
    let column = query.sort.and_then(|sort| SORTS.get(sort)).map_or("listed_utc_ms", |sort| sort.column);
    if query.sort.is_some() {
        conditions.push(format!("{column} IS NOT NULL"));
    }
    if let Some(cursor) = query.cursor {
        values.push(match query.sort {
            Some(_) => Value::Real(cursor.value),
            None => Value::Integer(cursor.value as i64),
        });
        values.push(cursor.id.into());
        let (value, id) = (values.len() - 1, values.len());
        conditions.push(format!("({sign}{column}, {sign}id) < (${value}, ${id})"));
    }
    values.push((limit + 1).into());
    let end = format!("ORDER BY {sign}{column} DESC, {sign}id DESC LIMIT ${}", values.len());
    let conditions = conditions.join(" AND ");
    // The first rows of each column of names include the first rows of all.
    let of_column = |column: &(&'static str, Vec<i64>)| format!("{conditions} AND {}", one_of("", column));
    let wheres =
        by_names.map_or_else(|| vec![conditions.clone()], |by_names| by_names.columns.iter().map(of_column).collect());
    let parts = wheres
        .iter()
        .enumerate()
        .map(|(at, wanted)| format!("SELECT id FROM (SELECT id FROM result WHERE {wanted} {end}) AS part{at}"));
    let sql = format!(
        "SELECT id, slug, listed_utc_ms, started_utc_ms, kind, verdict, died_in, headline, cells, {} FROM result \
         WHERE id IN ({}) ORDER BY +{column} DESC, +id DESC LIMIT ${}",
        SORTS.map(|sort| sort.column).join(", "),
        parts.collect::<Vec<_>>().join(" UNION "),
        values.len()
    );
    (sql, values)
}

/// Condition that a result has one of some names.
struct Condition {
    /// Columns of names, each with the accepted ids.
    columns: Vec<(&'static str, Vec<i64>)>,
    /// Number of matching rows.
    rows: i64,
}

impl Condition {
    /// SQL that does not use the indices of the columns.
    fn sql(&self) -> String {
        let parts: Vec<String> = self.columns.iter().map(|column| one_of("+", column)).collect();
        format!("({})", parts.join(" OR "))
    }
}

fn one_of(sign: &str, (column, ids): &(&'static str, Vec<i64>)) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("{sign}{column} IN ({})", ids.join(", "))
}

/// Condition of a name; none if no result has it.
fn named(session: &mut dyn Session, kind: Kind, slug: &str, counts: &Counts) -> Result<Option<Condition>, StoreError> {
    let sql = "SELECT id FROM name WHERE kind = $1 AND slug = $2";
    let Some(id) = first(session, sql, &[kind.word().into(), slug.into()])?.and_then(|row| row.integer(0)) else {
        return Ok(None);
    };
    let rows = counts.of_name(kind, id);
    let (column, ids) = match NAMED.iter().find(|(of, _)| *of == kind) {
        Some((_, column)) => (*column, vec![id]),
        None => {
            let sql = "SELECT cores_id FROM name_core WHERE core_id = $1 ORDER BY cores_id LIMIT $2";
            let sets = session.run(sql, &[id.into(), (IDS_MAX as i64).into()])?;
            ("cores_id", sets.iter().filter_map(|row| row.integer(0)).collect())
        }
    };
    Ok((!ids.is_empty()).then(|| Condition { columns: vec![(column, ids)], rows }))
}

/// Words in lower case, each once: thousands of repetitions would be looked for in every name.
fn distinct(words: &str) -> BTreeSet<String> {
    words.to_lowercase().split_whitespace().map(str::to_owned).collect()
}

/// Condition that some name contains all these words; none if no name does.
fn worded(session: &mut dyn Session, words: &str, counts: &Counts) -> Result<Option<Condition>, StoreError> {
    let wanted = distinct(words);
    let mut condition = Condition { columns: Vec::new(), rows: 0 };
    // Names added since the last count.
    let sql = "SELECT kind, id, words FROM name WHERE id > $1 ORDER BY id LIMIT $2";
    let new = session.run(sql, &[counts.last_name.into(), (IDS_MAX as i64).into()])?;
    for (kind, column) in NAMED {
        let has = |text: &str| {
            let text = text.to_lowercase();
            wanted.iter().all(|word| text.contains(word.as_str()))
        };
        let known = counts.all(kind).iter().take(WORD_NAMES_MAX).filter(|name| has(&name.words));
        let new = new.iter().filter(|row| row.text(0) == Some(kind.word()) && has(&row.words(2)));
        let mut found: Vec<(i64, i64)> = new.map(|row| (row.integer(1).unwrap_or(0), 0)).collect();
        found.extend(known.map(|name| (name.id, name.count)).take(IDS_MAX));
        if !found.is_empty() {
            condition.rows += found.iter().map(|(_, count)| count).sum::<i64>();
            condition.columns.push((column, found.iter().map(|(id, _)| *id).collect()));
        }
    }
    Ok((!condition.columns.is_empty()).then_some(condition))
}

fn listed(row: &Row) -> ListRow {
    let cells = serde_json::from_str(row.text(8).unwrap_or("[]")).unwrap_or_default();
    ListRow {
        id: row.integer(0).unwrap_or(0),
        slug: row.words(1),
        listed_utc_ms: row.integer(2).unwrap_or(0),
        started_utc_ms: row.integer(3),
        kind: row.words(4),
        verdict: row.words(5),
        died_in: row.text(6).map(str::to_owned),
        headline: row.words(7),
        cells,
        figures: (9..9 + SORTS.len()).map(|column| row.real(column)).collect(),
    }
}

/// Index in [`SORTS`] of a word in addresses.
pub fn sort_of(id: &str) -> Option<usize> {
    SORTS.iter().position(|sort| sort.column == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_words_are_looked_for_once() {
        assert_eq!(distinct(&"Pi 5 pi PI ".repeat(1_000)).into_iter().collect::<Vec<_>>(), ["5", "pi"]);
    }
}
