//! History of a machine: each main figure over time, with its permanent changes.

use crate::derive::MainFigure;
use crate::store::{Row, Session, StoreError, first};
use compare::trend::{ChangePoint, change_points};

/// Maximum number of results, the latest ones.
const RESULTS_MAX: i64 = 200;
/// Minimum change in percent; less is rounding.
const CHANGE_PERCENT_MIN: f64 = 0.5;

#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Board and cores, or the alias.
    pub machine: String,
    pub board: Option<String>,
    /// Number of results of other boards with the same machine name.
    pub others: usize,
    /// Slug and start of each result, the oldest first.
    pub results: Vec<(String, i64)>,
    /// Figures of at least two results.
    pub series: Vec<Series>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub name: String,
    pub unit: String,
    /// Index into `results`, and value.
    pub values: Vec<(usize, f64)>,
    /// Permanent changes; indices into `values`.
    pub changes: Vec<ChangePoint>,
}

/// The listed results of the machine of a result, and the result itself.
pub fn of(session: &mut dyn Session, slug: &str) -> Result<Option<History>, StoreError> {
    let sql = "SELECT owner, machine, board_id, (SELECT words FROM name WHERE id = board_id) FROM result \
               WHERE slug = $1 AND quarantined IS NULL";
    let Some(one) = first(session, sql, &[slug.into()])? else { return Ok(None) };
    let sql = "SELECT slug, started_utc_ms, figures, board_id FROM result WHERE owner = $1 AND machine = $2 \
               AND started_utc_ms IS NOT NULL AND (listed = 1 OR slug = $3) AND died_in IS NULL AND verdict <> 'invalid' \
               ORDER BY started_utc_ms DESC, id DESC LIMIT $4";
    let values = [one.0[0].clone(), one.0[1].clone(), slug.into(), RESULTS_MAX.into()];
    let mut rows = session.run(sql, &values)?;
    rows.reverse();
    // A difference between two boards is not a change of a machine.
    let all = rows.len();
    rows.retain(|row| row.integer(3) == one.integer(2));
    let results = rows.iter().map(|row| (row.words(0), row.integer(1).unwrap_or(0))).collect();
    let (board, others) = (one.text(3).map(str::to_owned), all - rows.len());
    Ok(Some(History { machine: one.words(1), board, others, results, series: series(&rows) }))
}

fn series(rows: &[Row]) -> Vec<Series> {
    let mut all: Vec<(String, Series)> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        for main in serde_json::from_str::<Vec<MainFigure>>(row.text(2).unwrap_or("[]")).unwrap_or_default() {
            if !main.value.is_finite() {
                continue;
            }
            match all.iter_mut().find(|(key, _)| *key == main.key) {
                Some((_, series)) => series.values.push((index, main.value)),
                None => {
                    let values = vec![(index, main.value)];
                    all.push((main.key, Series { name: main.name, unit: main.unit, values, changes: Vec::new() }));
                }
            }
        }
    }
    let mut series: Vec<Series> =
        all.into_iter().map(|(_, series)| series).filter(|one| one.values.len() > 1).collect();
    for one in &mut series {
        let values: Vec<f64> = one.values.iter().map(|(_, value)| *value).collect();
        one.changes = change_points(&values, CHANGE_PERCENT_MIN);
    }
    series
}
