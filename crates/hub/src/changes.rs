//! Permanent changes of the figures of a machine. Searched for when a result arrives, with the statistics of `trend`;
//! each change is reported once.

use crate::derive::{self, MainFigure, ResultSummary};
use crate::originals;
use crate::store::{Row, Session, StoreError, first};
use compare::settings;
use compare::trend::change_points;
use facts::Facts;
use facts::number::number;
use serde::Deserialize;
use serde_json::json;

/// Number of latest results that are searched.
const HISTORY_MAX: i64 = 50;
/// Minimum number of results of a search.
const HISTORY_MIN: usize = 6;
/// A change is at most this many results old when it is found; the same change found again is at most this far away.
const RECENT: usize = 10;
/// Minimum change in percent; less is rounding.
const CHANGE_PERCENT_MIN: f64 = 0.5;
/// Maximum probability that a change is random. Stricter than for a history that is read once, because every arrival
/// searches.
const P_MAX: f64 = 0.000_1;

#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub id: i64,
    /// Board and cores, or the alias.
    pub machine: String,
    pub figure: String,
    pub name: String,
    pub unit: String,
    pub before: f64,
    pub after: f64,
    /// Improvement in percent; negative if worse.
    pub gain_percent: f64,
    /// Settings that changed at the same time.
    pub cause: String,
    /// Slug of the first result after the change.
    pub slug: String,
    pub acknowledged_utc_ms: Option<i64>,
}

impl Change {
    pub fn json(&self) -> serde_json::Value {
        json!({
            "id": self.id, "machine": self.machine, "figure": self.figure, "name": self.name, "unit": self.unit,
            "before": self.before, "after": self.after,
            "gain_percent": self.gain_percent, "cause": self.cause, "result": self.slug,
            "acknowledged_utc_ms": self.acknowledged_utc_ms,
        })
    }

    /// Change, without the machine.
    fn phrase(&self) -> String {
        let word = if self.gain_percent < 0.0 { "worse" } else { "better" };
        let [before, after] = [self.before, self.after].map(|value| number(value, &self.unit));
        let percent = self.gain_percent.abs();
        format!("{} is {percent:.1} % {word} ({after} {unit}, before {before})", self.name, unit = self.unit)
    }
}

/// Changes of one machine in sentences, the largest first.
pub fn sentences(changes: &[Change]) -> String {
    let mut sorted: Vec<&Change> = changes.iter().collect();
    sorted.sort_by(|a, b| b.gain_percent.abs().total_cmp(&a.gain_percent.abs()));
    let Some(first) = sorted.first() else { return String::new() };
    let phrases: Vec<String> = sorted.iter().map(|change| change.phrase()).collect();
    let count = if sorted.len() > 1 { format!("{} figures changed: ", sorted.len()) } else { String::new() };
    format!("{}: {count}{}. {}", first.machine, phrases.join("; "), first.cause)
}

/// Change by its index in a series.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shift {
    index: usize,
    before: f64,
    after: f64,
}

/// Newest change of a series, if it is recent and significant.
fn newest(values: &[f64]) -> Option<Shift> {
    if values.len() < HISTORY_MIN {
        return None;
    }
    let points = change_points(values, CHANGE_PERCENT_MIN);
    let point = points.iter().rev().find(|point| point.index + RECENT >= values.len() && point.p < P_MAX)?;
    Some(Shift { index: point.index, before: point.before, after: point.after })
}

/// Searches the history of a machine including its newest result. Returns the number of new changes.
pub fn look(
    session: &mut dyn Session,
    owner: i64,
    result: i64,
    derived: &ResultSummary,
    now_utc_ms: i64,
) -> Result<usize, StoreError> {
    let takes_part = derived.started_utc_ms.is_some() && derived.died_in.is_none() && derived.verdict != "invalid";
    if !takes_part || derived.figures.is_empty() {
        return Ok(0);
    }
    let history = history(session, owner, &derived.machine, result)?;
    // A result that arrives late is not the end of its history.
    if history.last().is_none_or(|(id, _, _)| *id != result) || history.len() < HISTORY_MIN {
        return Ok(0);
    }
    let mut new = 0;
    for main in &derived.figures {
        let values = history.iter().filter_map(|(id, at, figures)| {
            let same = figures.iter().find(|figure| figure.key == main.key)?;
            Some((*id, *at, same.value))
        });
        let series: Vec<(i64, i64, f64)> = values.filter(|(_, _, value)| value.is_finite()).collect();
        let values: Vec<f64> = series.iter().map(|(_, _, value)| *value).collect();
        let Some(shift) = newest(&values) else { continue };
        let from = series[shift.index.saturating_sub(RECENT)].1;
        if is_known(session, owner, &derived.machine, &main.key, from, shift.after > shift.before)? {
            continue;
        }
        let ids = (series[shift.index - 1].0, series[shift.index].0);
        note(session, owner, derived, main, &shift, ids, now_utc_ms)?;
        new += 1;
    }
    Ok(new)
}

/// Part of [`MainFigure`] that a history needs.
#[derive(Debug, Deserialize)]
struct Point {
    key: String,
    value: f64,
}

/// Number, start and figures of the latest results of a machine with the board of a result, the oldest first.
fn history(
    session: &mut dyn Session,
    owner: i64,
    machine: &str,
    result: i64,
) -> Result<Vec<(i64, i64, Vec<Point>)>, StoreError> {
    let sql = "SELECT id, started_utc_ms, figures FROM result WHERE owner = $1 AND machine = $2 AND quarantined IS NULL \
               AND died_in IS NULL AND verdict <> 'invalid' AND started_utc_ms IS NOT NULL \
               AND coalesce(board_id, 0) = (SELECT coalesce(board_id, 0) FROM result WHERE id = $4) \
               ORDER BY started_utc_ms DESC, id DESC LIMIT $3";
    let rows = session.run(sql, &[owner.into(), machine.into(), HISTORY_MAX.into(), result.into()])?;
    let one = |row: &Row| {
        let figures = serde_json::from_str(row.text(2).unwrap_or("[]")).unwrap_or_default();
        (row.integer(0).unwrap_or(0), row.integer(1).unwrap_or(0), figures)
    };
    Ok(rows.iter().rev().map(one).collect())
}

/// Whether the change was found before, perhaps a few results away.
fn is_known(
    session: &mut dyn Session,
    owner: i64,
    machine: &str,
    figure: &str,
    from: i64,
    rises: bool,
) -> Result<bool, StoreError> {
    let direction = if rises { ">" } else { "<" };
    let sql = format!(
        "SELECT 1 FROM change WHERE owner = $1 AND machine = $2 AND figure = $3 AND since_utc_ms >= $4 \
         AND value_after {direction} value_before"
    );
    let values = [owner.into(), machine.into(), figure.into(), from.into()];
    Ok(first(session, &sql, &values)?.is_some())
}

fn note(
    session: &mut dyn Session,
    owner: i64,
    derived: &ResultSummary,
    main: &MainFigure,
    shift: &Shift,
    (before, after): (i64, i64),
    now_utc_ms: i64,
) -> Result<(), StoreError> {
    let percent = 100.0 * (shift.after - shift.before) / shift.before;
    let gain_percent = if main.higher_is_better { percent } else { -percent };
    let started = first(session, "SELECT started_utc_ms FROM result WHERE id = $1", &[after.into()])?;
    let values = [
        owner.into(),
        derived.machine.as_str().into(),
        main.key.as_str().into(),
        after.into(),
        started.and_then(|row| row.integer(0)).unwrap_or(0).into(),
        shift.before.into(),
        shift.after.into(),
        gain_percent.into(),
        cause(session, before, after)?.into(),
        now_utc_ms.into(),
    ];
    let sql = "INSERT INTO change (owner, machine, figure, result_id, since_utc_ms, value_before, value_after, gain_percent, \
               cause, found_utc_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING id";
    let Some(id) = first(session, sql, &values)?.and_then(|row| row.integer(0)) else { return Ok(()) };
    let sql = "INSERT INTO notice (change_id, hook_id, tries, due_utc_ms) SELECT CAST($1 AS BIGINT), id, 0, CAST($2 AS BIGINT) FROM hook WHERE owner = $3 \
               ON CONFLICT DO NOTHING";
    session.run(sql, &[id.into(), now_utc_ms.into(), owner.into()]).map(drop)
}

/// Settings that differ between the results before and after a change.
fn cause(session: &mut dyn Session, before: i64, after: i64) -> Result<String, StoreError> {
    let mut records = Vec::new();
    for id in [before, after] {
        let row = first(session, "SELECT hash FROM result WHERE id = $1", &[id.into()])?;
        let bytes = originals::get(session, &row.map(|row| row.words(0)).unwrap_or_default())?;
        records.extend(derive::record(bytes).map(Facts::from));
    }
    let [before, after] = records.as_slice() else { return Ok("Likely cause: unknown.".to_owned()) };
    let word = |value: Option<&Option<String>>| value.and_then(Clone::clone).unwrap_or_else(|| "unknown".to_owned());
    let differ = settings(&[before, after]);
    let parts: Vec<String> = differ
        .iter()
        .take(5)
        .map(|setting| {
            let values = &setting.values;
            format!(
                "{} from {} to {}",
                setting.name,
                facts::plain(&word(values.first())),
                facts::plain(&word(values.get(1)))
            )
        })
        .collect();
    Ok(if parts.is_empty() {
        "Likely cause: unknown; no setting that is recorded changed.".to_owned()
    } else {
        format!("Changed at the same time: {}.", parts.join(", "))
    })
}

const COLUMNS: &str = "SELECT change.id, change.machine, change.figure, value_before, value_after, gain_percent, cause, \
                       result.slug, acknowledged_utc_ms, result.figures FROM change JOIN result ON result.id = change.result_id";

fn change(row: &Row) -> Change {
    let mut figures: Vec<MainFigure> = serde_json::from_str(row.text(9).unwrap_or("[]")).unwrap_or_default();
    figures.retain(|main| Some(main.key.as_str()) == row.text(2));
    // A figure that this program no longer makes has only its key.
    let (name, unit) = figures.pop().map_or_else(|| (row.words(2), String::new()), |main| (main.name, main.unit));
    Change {
        name,
        unit,
        id: row.integer(0).unwrap_or(0),
        machine: row.words(1),
        figure: row.words(2),
        before: row.real(3).unwrap_or(0.0),
        after: row.real(4).unwrap_or(0.0),
        gain_percent: row.real(5).unwrap_or(0.0),
        cause: row.words(6),
        slug: row.words(7),
        acknowledged_utc_ms: row.integer(8),
    }
}

pub fn all(session: &mut dyn Session, owner: i64) -> Result<Vec<Change>, StoreError> {
    let sql = format!("{COLUMNS} WHERE change.owner = $1 ORDER BY change.id DESC LIMIT 200");
    Ok(session.run(&sql, &[owner.into()])?.iter().map(change).collect())
}

pub fn one(session: &mut dyn Session, id: i64) -> Result<Option<Change>, StoreError> {
    Ok(first(session, &format!("{COLUMNS} WHERE change.id = $1"), &[id.into()])?.as_ref().map(change))
}

/// Acknowledges a change and drops its unsent notices. False if the owner has no such change.
pub fn acknowledge(session: &mut dyn Session, owner: i64, id: i64, now_utc_ms: i64) -> Result<bool, StoreError> {
    let sql = "UPDATE change SET acknowledged_utc_ms = coalesce(acknowledged_utc_ms, $1) WHERE id = $2 AND owner = $3 RETURNING id";
    if session.run(sql, &[now_utc_ms.into(), id.into(), owner.into()])?.is_empty() {
        return Ok(false);
    }
    let sql = "UPDATE notice SET sent_utc_ms = $1 WHERE change_id = $2 AND sent_utc_ms IS NULL";
    session.run(sql, &[now_utc_ms.into(), id.into()]).map(|_| true)
}

#[cfg(test)]
#[allow(clippy::print_stderr, reason = "the test prints its rate of detection")]
mod tests {
    use super::*;

    /// Reproducible random numbers (xorshift64*).
    struct Chance(u64);

    impl Chance {
        fn uniform(&mut self) -> f64 {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
        }

        /// Normal noise (Box and Muller).
        fn normal(&mut self) -> f64 {
            (-2.0 * (self.uniform() + 1e-18).ln()).sqrt() * (2.0 * std::f64::consts::PI * self.uniform()).cos()
        }
    }

    /// Index at which the arrival of a value first shows a change, and the index of that change.
    fn alarms(values: &[f64]) -> Vec<(usize, usize)> {
        let mut known: Vec<(usize, usize, bool)> = Vec::new();
        for count in 1..=values.len() {
            let from = count.saturating_sub(HISTORY_MAX as usize);
            let Some(shift) = newest(&values[from..count]) else { continue };
            let (at, rises) = (from + shift.index, shift.after > shift.before);
            if !known.iter().any(|(_, old, same)| *same == rises && old + RECENT >= at) {
                known.push((count - 1, at, rises));
            }
        }
        known.into_iter().map(|(count, at, _)| (count, at)).collect()
    }

    #[test]
    fn shifts_of_3_percent_are_found_within_5_runs_and_noise_is_not() {
        const HISTORIES: usize = 200;
        const RUNS: usize = 60;
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
        let (mut found, mut wrong) = (0, 0);
        for history in 0..HISTORIES {
            let at = 20 + history % 30;
            let values: Vec<f64> =
                (0..RUNS).map(|run| if run < at { 1000.0 } else { 970.0 } * (1.0 + 0.01 * chance.normal())).collect();
            let alarms = alarms(&values);
            found += usize::from(alarms.iter().any(|(count, _)| (at..at + 5).contains(count)));
            wrong += alarms.iter().filter(|(count, place)| *count < at || place.abs_diff(at) > 5).count();
        }
        for _ in 0..HISTORIES {
            let values: Vec<f64> = (0..RUNS).map(|_| 1000.0 * (1.0 + 0.01 * chance.normal())).collect();
            wrong += alarms(&values).len();
        }
        eprintln!("{found} of {HISTORIES} shifts within 5 runs; {wrong} wrong in {} runs", 2 * HISTORIES * RUNS);
        assert!(found * 100 >= HISTORIES * 95, "{found}");
        assert!(wrong * 2000 < 2 * HISTORIES * RUNS, "{wrong}");
    }
}
