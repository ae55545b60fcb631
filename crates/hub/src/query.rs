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
    let is_invalid = query.verdict.as_deref() == Some(INVALID) && !query.died;
    // Runs that died and invalid ones are few: they have indices of their own, which also have the columns of names.
    let are_few = query.died || is_invalid;
    let mut named_ones: Vec<Condition> = Vec::new();
    for (kind, slug) in &query.names {
        let Some(condition) = named(session, *kind, slug, counts)? else { return Ok(Page::default()) };
        named_ones.push(condition);
    }
    if let Some(words) = query.words.as_deref().filter(|words| !words.trim().is_empty()) {
        let Some(condition) = worded(words, counts) else { return Ok(Page::default()) };
        named_ones.push(condition);
    }
    // The fewest rows that one of the names leaves. Of n rows in an order, a name with m of them fills a page of p rows after
    // about p * n / m rows.
    let rows_max = named_ones.iter().map(|condition| condition.rows).fold(counts.total, i64::min);
    let limit = query.limit.clamp(1, LIMIT_MAX);
    let is_rare = rows_max.saturating_mul(rows_max) < limit.saturating_mul(counts.total.max(1));
    // A sign before a column keeps the database from reading that column's index: an OR of names would have it read all their
    // rows.
    let reads_names = is_rare && !named_ones.is_empty() && !are_few;
    let (sign, name_sign) = if reads_names { ("+", "") } else { ("", "+") };
    let of_few = if are_few { "+" } else { "" };
    let mut conditions: Vec<String> = vec![format!("{of_few}listed = 1")];
    let mut values: Vec<Value> = Vec::new();
    conditions.extend(named_ones.iter().map(|condition| condition.sql(name_sign)));
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

/// That a result has one of some names.
struct Condition {
    /// Columns of names, each with the numbers of which it has one.
    columns: Vec<(&'static str, Vec<i64>)>,
    /// How many rows it leaves.
    rows: i64,
}

impl Condition {
    /// `sign` stands before its columns.
    fn sql(&self, sign: &str) -> String {
        let one = |(column, ids): &(&str, Vec<i64>)| {
            let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
            format!("{sign}{column} IN ({})", ids.join(", "))
        };
        format!("({})", self.columns.iter().map(one).collect::<Vec<_>>().join(" OR "))
    }
}

/// The condition of a name; none if no result has it.
fn named(session: &mut dyn Session, kind: Kind, slug: &str, counts: &Counts) -> Result<Option<Condition>, Trouble> {
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

/// The condition that some name has all these words; none if none has.
fn worded(words: &str, counts: &Counts) -> Option<Condition> {
    let wanted: Vec<String> = words.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let mut condition = Condition { columns: Vec::new(), rows: 0 };
    for (kind, column) in NAMED {
        let has = |text: &str| {
            let text = text.to_lowercase();
            wanted.iter().all(|word| text.contains(word))
        };
        let found: Vec<_> =
            counts.all(kind).iter().take(WORD_NAMES_MAX).filter(|name| has(&name.words)).take(IDS_MAX).collect();
        if !found.is_empty() {
            condition.rows += found.iter().map(|name| name.count).sum::<i64>();
            condition.columns.push((column, found.iter().map(|name| name.id).collect()));
        }
    }
    (!condition.columns.is_empty()).then_some(condition)
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
