//! API for programs: JSON and CSV.

use super::answer::{Answer, Media, Refusal};
use super::ask::{self, Parameters};
use super::input::PendingRequest;
use crate::names::{Kind, slug_of};
use crate::query::{self, Cursor, ListRow, Page, Query, sort_of};
use crate::sorts::SORTS;
use crate::store::{first, read};
use crate::worker::View;
use crate::{changes, derive, originals, own, references};
use facts::Verdict;
use serde_json::{Value, json};
use std::time::Instant;

/// Verdict of results that show the ability of a machine.
const VALID: &str = "valid";

/// Parameters of lists.
pub(super) const FILTERS: [&str; 13] = [
    "board",
    "soc",
    "core",
    "cores",
    "kernel",
    "distribution",
    "verdict",
    "died",
    "q",
    "sort",
    "cursor",
    "limit",
    "format",
];

/// Parses the query of an address.
pub(super) fn query_of(parameters: &Parameters, limit: i64) -> Result<Query, Refusal> {
    // A name in any spelling becomes its slug; a slug is its own slug.
    let names = Kind::ALL.into_iter().filter_map(|kind| Some((kind, slug_of(kind, parameters.get(kind.word())?))));
    let verdict = match parameters.get("verdict") {
        Some(word) if !Verdict::ALL.iter().any(|verdict| verdict.to_string() == word) => {
            return Err(Refusal::bad("verdict is valid, unproven, degraded or invalid."));
        }
        word => word.map(str::to_owned),
    };
    let sort = parameters.get("sort").filter(|word| *word != "newest").map(|word| {
        sort_of(word).ok_or_else(|| {
            let known: Vec<&str> = SORTS.iter().map(|sort| sort.column).collect();
            Refusal::bad(format!("sort is newest, {}.", known.join(", ")))
        })
    });
    let cursor = parameters
        .get("cursor")
        .map(|text| Cursor::parse(text).ok_or_else(|| Refusal::bad("cursor is the one that an answer gave.")));
    let limit = match parameters.get("limit").map(str::parse::<i64>) {
        None => limit,
        Some(Ok(limit)) if (1..=query::LIMIT_MAX).contains(&limit) => limit,
        Some(_) => return Err(Refusal::bad(format!("limit is 1 to {}.", query::LIMIT_MAX))),
    };
    Ok(Query {
        names: names.collect(),
        verdict,
        died: parameters.flag("died")?,
        words: parameters.get("q").map(str::to_owned),
        sort: sort.transpose()?,
        cursor: cursor.transpose()?,
        limit,
    })
}

pub(super) fn page_of(ask: &PendingRequest, query: &Query) -> Result<Page, Refusal> {
    let counts = ask.hub.counts();
    Ok(read(&*ask.hub.store, |session| query::page(session, query, &counts))?)
}

/// `GET /api/results`
pub(super) fn results(ask: &PendingRequest) -> Result<Answer, Refusal> {
    let parameters = ask.parameters(&FILTERS)?;
    let is_csv = match parameters.get("format") {
        None | Some("json") => false,
        Some("csv") => true,
        Some(_) => return Err(Refusal::bad("format is json or csv.")),
    };
    let query = query_of(&parameters, 50)?;
    let page = page_of(ask, &query)?;
    let next =
        page.next.map(|cursor| format!("{}/api/results{}", ask.own_url, parameters.with("cursor", &cursor.text())));
    let answer = if is_csv {
        Answer::of(Media::Csv, csv(&page.rows))
    } else {
        Answer::json(&json!({
            "results": page.rows.iter().map(|row| row_json(row, &ask.own_url)).collect::<Vec<_>>(),
            "next": page.next.map(Cursor::text),
        }))
    };
    Ok(Answer { next, ..answer })
}

fn row_json(row: &ListRow, own_url: &str) -> Value {
    let mut value = json!({
        "id": row.slug,
        "url": format!("{own_url}/r/{}", row.slug),
        "kind": row.kind,
        "listed_utc_ms": row.listed_utc_ms,
        "started_utc_ms": row.started_utc_ms,
        "verdict": row.verdict,
        "died_in": row.died_in,
        "headline": row.headline,
        "cells": row.cells,
    });
    for (sort, figure) in SORTS.iter().zip(&row.figures) {
        value[sort.column] = json!(figure);
    }
    value
}

fn csv(rows: &[ListRow]) -> String {
    let heads = ["id", "board", "clocks", "kernel", "distribution", "verdict", "died_in"].map(str::to_owned);
    let line = |cells: Vec<String>| cells.iter().map(|cell| csv_cell(cell)).collect::<Vec<_>>().join(",") + "\r\n";
    let mut text = line(heads.into_iter().chain(SORTS.iter().map(|sort| sort.column.to_owned())).collect());
    for row in rows {
        let mut cells = vec![row.slug.clone()];
        cells.extend((0..4).map(|at| row.cells.get(at).cloned().unwrap_or_default()));
        cells.extend([row.verdict.clone(), row.died_in.clone().unwrap_or_default()]);
        cells.extend(row.figures.iter().map(|figure| figure.map_or_else(String::new, |value| value.to_string())));
        text.push_str(&line(cells));
    }
    text
}

/// A cell of RFC 4180. An apostrophe keeps a spreadsheet from running a name as a formula.
fn csv_cell(text: &str) -> String {
    let plain = facts::plain(text);
    let is_formula = plain.len() > 1 && plain.starts_with(['=', '+', '-', '@']);
    let plain = if is_formula { format!("'{plain}") } else { plain };
    if plain.contains(['"', ',', '\n']) { format!("\"{}\"", plain.replace('"', "\"\"")) } else { plain }
}

pub(super) struct ResultRow {
    pub(super) size: usize,
    pub(super) hash: String,
    pub(super) quarantined: Option<String>,
    pub(super) is_listed: bool,
    pub(super) kind: String,
    pub(super) verdict: String,
    pub(super) headline: String,
    pub(super) figures: Vec<derive::MainFigure>,
    pub(super) received_utc_ms: i64,
}

/// A result by its slug. A quarantined one exists for its owner alone.
pub(super) fn found(ask: &PendingRequest) -> Result<ResultRow, Refusal> {
    let sql = "SELECT hash, quarantined, listed, kind, verdict, headline, figures, received_utc_ms, owner, \
               (SELECT size FROM original WHERE original.hash = result.hash) FROM result WHERE slug = $1";
    let row = read(&*ask.hub.store, |session| first(session, sql, &[ask.name.as_str().into()]))?;
    let row = row.ok_or_else(Refusal::not_found)?;
    let quarantined = row.text(1).map(str::to_owned);
    if quarantined.is_some() {
        let token = ask::known(&ask.hub, &ask.headers)?;
        token.filter(|token| row.integer(8) == Some(token.id)).ok_or_else(Refusal::not_found)?;
    }
    Ok(ResultRow {
        size: usize::try_from(row.integer(9).unwrap_or(0)).unwrap_or(0),
        hash: row.words(0),
        quarantined,
        is_listed: row.flag(2),
        kind: row.words(3),
        verdict: row.words(4),
        headline: row.words(5),
        figures: serde_json::from_str(row.text(6).unwrap_or("[]")).unwrap_or_default(),
        received_utc_ms: row.integer(7).unwrap_or(0),
    })
}

/// A page made by a worker, or from the cache; `key` and `hashes` identify it.
pub(super) fn page_by_worker(
    ask: &PendingRequest,
    key: &str,
    hashes: &[String],
    view: impl FnOnce() -> Result<View, Refusal>,
) -> Result<Vec<u8>, Refusal> {
    let (key, now) = (format!("{key} {} {}", ask.hub.build, hashes.join(" ")), Instant::now());
    if let Some(page) = ask.hub.page_cache.get(&key, now) {
        return Ok(page);
    }
    let mut original = |number: usize| {
        let hash = hashes.get(number).map_or("", String::as_str);
        read(&*ask.hub.store, |session| originals::packed(session, hash))
    };
    let page = ask.hub.workers.show(&ask.stop, view()?, hashes.len(), &mut original);
    let page = page.map_err(|why| if are_kept(ask, hashes) { why.into() } else { Refusal::not_found() })?;
    ask.hub.page_cache.put(key, now, &page);
    Ok(page)
}

/// Whether all originals belong to a result. One may be deleted after it was found.
fn are_kept(ask: &PendingRequest, hashes: &[String]) -> bool {
    let sql = "SELECT 1 FROM result WHERE hash = $1";
    let is_kept = |hash: &String| read(&*ask.hub.store, |session| first(session, sql, &[hash.into()]));
    hashes.iter().all(|hash| !matches!(is_kept(hash), Ok(None)))
}

/// `GET /api/results/ID`
pub(super) fn result(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    let found = found(ask)?;
    Ok(Answer::json(&json!({
        "id": ask.name,
        "url": own::address(&ask.own_url, &ask.name, found.quarantined.is_some()),
        "state": own::state(found.quarantined.is_some(), found.is_listed),
        "reason": found.quarantined,
        "kind": found.kind,
        "verdict": found.verdict,
        "headline": found.headline,
        "figures": found.figures,
        "received_utc_ms": found.received_utc_ms,
        "sha256": found.hash,
    })))
}

/// `GET /api/results/ID/original`: hash and size.
pub(super) fn original(ask: &PendingRequest) -> Result<(String, usize), Refusal> {
    ask.parameters(&[])?;
    let found = found(ask)?;
    Ok((found.hash, found.size))
}

/// `GET /api/results/ID/findings`
pub(super) fn findings(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    let found = found(ask)?;
    if let Some(why) = &found.quarantined {
        return Err(Refusal::new(axum::http::StatusCode::CONFLICT, format!("The result is quarantined: {why}.")));
    }
    Ok(Answer::of(Media::Json, page_by_worker(ask, "findings", &[found.hash], || Ok(View::Findings))?))
}

/// `GET /api/names/KIND`
pub(super) fn names(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    let kind = Kind::of(&ask.name).ok_or_else(Refusal::not_found)?;
    let counts = ask.hub.counts();
    let names = counts.all(kind).iter();
    let names =
        names.map(|name| json!({"id": name.slug, "name": name.words, "results": name.count, "died": name.died}));
    Ok(Answer::json(&json!({"names": names.collect::<Vec<_>>()})))
}

/// `GET /api/references`: valid results in the form of the built-in reference data.
pub(super) fn references(ask: &PendingRequest) -> Result<Answer, Refusal> {
    let parameters = ask.parameters(&["board", "soc", "core", "cursor"])?;
    let mut query = query_of(&parameters, query::LIMIT_MAX)?;
    query.verdict = Some(VALID.to_owned());
    let page = page_of(ask, &query)?;
    let ids: Vec<i64> = page.rows.iter().map(|row| row.id).collect();
    let table = read(&*ask.hub.store, |session| references::table(session, &ids))?;
    let next =
        page.next.map(|cursor| format!("{}/api/references{}", ask.own_url, parameters.with("cursor", &cursor.text())));
    Ok(Answer { next, ..Answer::of(Media::Tsv, table) })
}

/// `GET /api/mine`: all results of the owner, including unlisted and quarantined ones.
pub(super) fn mine(ask: &PendingRequest) -> Result<Answer, Refusal> {
    let parameters = ask.parameters(&["cursor", "limit"])?;
    let token = ask::owner(&ask.hub, &ask.headers)?;
    let query = query_of(&parameters, 50)?;
    let before = query.cursor.map_or(i64::MAX, |cursor| cursor.id);
    let (rows, next) =
        read(&*ask.hub.store, |session| own::page(session, token.id, before, query.limit, &ask.own_url))?;
    let cursor = next.map(|id| Cursor { value: 0.0, id }.text());
    let next = cursor.as_ref().map(|cursor| format!("{}/api/mine{}", ask.own_url, parameters.with("cursor", cursor)));
    Ok(Answer { next, ..Answer::json(&json!({"results": rows, "next": cursor})) })
}

/// `GET /api/changes`: changes of the owner's machines.
pub(super) fn changes(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    let token = ask::owner(&ask.hub, &ask.headers)?;
    let all = read(&*ask.hub.store, |session| changes::all(session, token.id))?;
    Ok(Answer::json(&json!({"changes": all.iter().map(changes::Change::json).collect::<Vec<_>>()})))
}
