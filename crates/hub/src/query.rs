//! Lists of results: filters, sorts and pages, each answered from an index at any size of the database.
//!
//! A page begins after a cursor, which names the last row before it. Which index serves is chosen here and not left to
//! the database: of a rare name its few rows are sorted, of a frequent one the sorted index is read until a page is full.

use crate::counts::Counts;
use crate::names::Kind;
use crate::results::NAMED;
use crate::sorts::SORTS;
use crate::store::{Row, Session, Trouble, Value, first};

/// What is asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// Names by kind, as slugs.
    pub names: Vec<(Kind, String)>,
    /// `valid`, `degraded` or `invalid`.
    pub verdict: Option<String>,
    /// Only runs that died.
    pub died: bool,
    /// Words of boards, SoCs, kernels and others.
    pub words: Option<String>,
    /// Index in [`SORTS`]; none for the newest first.
    pub sort: Option<usize>,
    /// Where the page begins.
    pub cursor: Option<Cursor>,
    /// Rows of a page.
    pub limit: i64,
}

/// The last row of the page before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cursor {
    /// Its value of what is sorted by.
    pub value: f64,
    /// Its number.
    pub id: i64,
}

impl Cursor {
    /// As it stands in addresses.
    pub fn text(self) -> String {
        format!("{}_{}", self.value, self.id)
    }

    /// From an address.
    pub fn parse(text: &str) -> Option<Self> {
        let (value, id) = text.split_once('_')?;
        let value: f64 = value.parse().ok()?;
        value.is_finite().then_some(Self { value, id: id.parse().ok()? })
    }
}

/// A row of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Number.
    pub id: i64,
    /// Short name.
    pub slug: String,
    /// When it was listed.
    pub listed_utc_ms: i64,
    /// When its run began.
    pub started_utc_ms: Option<i64>,
    /// The mode of its run, or `log`.
    pub kind: String,
    /// Its verdict.
    pub verdict: String,
    /// The step in which it died.
    pub died_in: Option<String>,
    /// The paragraph at the top of its report.
    pub headline: String,
    /// Cells of the table of results.
    pub cells: Vec<String>,
    /// What tables are sorted by.
    pub figures: Vec<Option<f64>>,
}

/// A page of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// Its rows.
    pub rows: Vec<Listed>,
    /// Where the next page begins, if there is one.
    pub next: Option<Cursor>,
}

/// The verdict of few results.
const INVALID: &str = "invalid";
/// Rows of a page at most.
pub const LIMIT_MAX: i64 = 200;
/// Names that words are looked for in at most.
const WORD_NAMES_MAX: usize = 2_000;
/// Numbers of names in one query at most.
const IDS_MAX: usize = 200;

/// Reads a page.
///
/// # Errors
/// As [`Session::run`].
pub fn page(session: &mut dyn Session, query: &Query, counts: &Counts) -> Result<Page, Trouble> {
    // A sign before a column keeps the database from reading that column's index. Runs that died and invalid ones are few:
    // they have indices of their own, which also have these columns.
    let is_invalid = query.verdict.as_deref() == Some(INVALID) && !query.died;
    let are_few = query.died || is_invalid;
    let of_few = if are_few { "+" } else { "" };
    let mut conditions: Vec<String> = vec![format!("{of_few}listed = 1")];
    let mut values: Vec<Value> = Vec::new();
    // The fewest rows that one of the names leaves.
    let mut rows_max = counts.total;
    for (kind, slug) in &query.names {
        let Some((condition, rows)) = named(session, *kind, slug, counts, of_few)? else { return Ok(Page::default()) };
        rows_max = rows_max.min(rows);
        conditions.push(condition);
    }
    if let Some(words) = &query.words {
        let Some((condition, rows)) = worded(words, counts, of_few) else { return Ok(Page::default()) };
        rows_max = rows_max.min(rows);
        conditions.push(condition);
    }
    if is_invalid {
        // As a word and not as a value, so that the database sees that the index of these has them all.
        conditions.push(format!("verdict = '{INVALID}'"));
    } else if let Some(verdict) = &query.verdict {
        values.push(verdict.as_str().into());
        conditions.push(format!("{of_few}verdict = ${}", values.len()));
    }
    if query.died {
        conditions.push("died_in IS NOT NULL".to_owned());
    }
    let column = query.sort.and_then(|sort| SORTS.get(sort)).map_or("listed_utc_ms", |sort| sort.column);
    if query.sort.is_some() {
        conditions.push(format!("{column} IS NOT NULL"));
    }
    // Of n rows in an order, a name with m of them fills a page of p rows after about p * n / m rows.
    let limit = query.limit.clamp(1, LIMIT_MAX);
    let is_rare = rows_max.saturating_mul(rows_max) < limit.saturating_mul(counts.total.max(1));
    let sign = if is_rare && conditions.len() > 1 && !are_few { "+" } else { "" };
    if let Some(cursor) = query.cursor {
        let value = match query.sort {
            Some(_) => Value::Real(cursor.value),
            None => Value::Integer(cursor.value as i64),
        };
        values.push(value);
        values.push(cursor.id.into());
        let (value, id) = (values.len() - 1, values.len());
        conditions.push(format!("({sign}{column}, {sign}id) < (${value}, ${id})"));
    }
    let figures: Vec<&str> = SORTS.iter().map(|sort| sort.column).collect();
    values.push((limit + 1).into());
    let sql = format!(
        "SELECT id, slug, listed_utc_ms, started_utc_ms, kind, verdict, died_in, headline, cells, {} FROM result \
         WHERE {} ORDER BY {sign}{column} DESC, {sign}id DESC LIMIT ${}",
        figures.join(", "),
        conditions.join(" AND "),
        values.len()
    );
    let mut rows: Vec<Listed> = session.run(&sql, &values)?.iter().map(listed).collect();
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

/// The condition of a name and how many rows it leaves; none if no result has it. `sign` stands before its column.
fn named(
    session: &mut dyn Session,
    kind: Kind,
    slug: &str,
    counts: &Counts,
    sign: &str,
) -> Result<Option<(String, i64)>, Trouble> {
    let sql = "SELECT id FROM name WHERE kind = $1 AND slug = $2";
    let Some(id) = first(session, sql, &[kind.word().into(), slug.into()])?.and_then(|row| row.integer(0)) else {
        return Ok(None);
    };
    let rows = counts.of_name(kind, id);
    match NAMED.iter().find(|(of, _)| *of == kind) {
        Some((_, column)) => Ok(Some((format!("{sign}{column} = {id}"), rows))),
        None => {
            let sql = "SELECT cores_id FROM name_core WHERE core_id = $1 ORDER BY cores_id LIMIT $2";
            let sets = session.run(sql, &[id.into(), (IDS_MAX as i64).into()])?;
            let ids: Vec<String> = sets.iter().filter_map(|row| Some(row.integer(0)?.to_string())).collect();
            Ok(Some((format!("{sign}cores_id IN ({})", ids.join(", ")), rows)).filter(|_| !ids.is_empty()))
        }
    }
}

/// The condition that some name has all these words, and how many rows it leaves. `sign` stands before its columns.
fn worded(words: &str, counts: &Counts, sign: &str) -> Option<(String, i64)> {
    let wanted: Vec<String> = words.to_lowercase().split_whitespace().map(str::to_owned).collect();
    if wanted.is_empty() {
        return Some(("1 = 1".to_owned(), counts.total));
    }
    let mut rows = 0;
    let mut conditions: Vec<String> = Vec::new();
    for (kind, column) in NAMED {
        let has = |text: &str| {
            let text = text.to_lowercase();
            wanted.iter().all(|word| text.contains(word))
        };
        let found: Vec<_> =
            counts.all(kind).iter().take(WORD_NAMES_MAX).filter(|name| has(&name.words)).take(IDS_MAX).collect();
        if !found.is_empty() {
            let ids: Vec<String> = found.iter().map(|name| name.id.to_string()).collect();
            rows += found.iter().map(|name| name.count).sum::<i64>();
            conditions.push(format!("{sign}{column} IN ({})", ids.join(", ")));
        }
    }
    (!conditions.is_empty()).then(|| (format!("({})", conditions.join(" OR ")), rows))
}

fn listed(row: &Row) -> Listed {
    let cells = serde_json::from_str(row.text(8).unwrap_or("[]")).unwrap_or_default();
    Listed {
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

/// The sort of a word in addresses.
pub fn sort_of(id: &str) -> Option<usize> {
    SORTS.iter().position(|sort| sort.column == id)
}
