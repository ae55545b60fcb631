//! The site for people. Handlers gather what a page shows; `pages` renders it.

use super::answer::{Answer, Media, Refusal};
use super::ask::Parameters;
use super::input::PendingRequest;
use super::reading::{FILTERS, found, page_by_worker, page_of, query_of};
use crate::history;
use crate::log;
use crate::names::{Kind, slug_of};
use crate::page_store::PageSource;
use crate::pages;
use crate::query::{LIMIT_MAX, ListRow, Page, Query, sort_of};
use crate::results::NAMED;
use crate::sorts::{SORTS, Sort};
use crate::store::{first, read};
use crate::worker::View;

/// Maximum number of results compared; more columns do not fit a page.
const COMPARED_MAX: usize = 5;

fn html(page: String) -> Result<Answer, Refusal> {
    Ok(Answer::of(Media::Html, page))
}

/// The table of all results, and of search results.
pub(super) fn table(ask: &PendingRequest) -> Result<Answer, Refusal> {
    let parameters = ask.parameters(&FILTERS)?;
    listed(ask, "Results", &parameters, None)
}

/// Figures of the latest valid and listed results with a name.
fn spreads(ask: &PendingRequest, kind: Kind, slug: &str) -> Result<Vec<pages::Spread>, Refusal> {
    let names = vec![(kind, slug.to_owned())];
    let query = Query { names, verdict: Some("valid".to_owned()), limit: LIMIT_MAX, ..Query::default() };
    let rows = page_of(ask, &query)?.rows;
    let spread = |(at, sort): (usize, &Sort)| {
        let value = |row: &ListRow| Some((row.figures.get(at).copied().flatten()? / sort.divisor, row.slug.clone()));
        let mut values: Vec<(f64, String)> = rows.iter().filter_map(value).collect();
        values.sort_by(|a, b| b.0.total_cmp(&a.0));
        pages::Spread { heading: sort.heading, unit: sort.unit, values }
    };
    Ok(SORTS.iter().enumerate().map(spread).filter(|spread| !spread.values.is_empty()).collect())
}

fn listed(
    ask: &PendingRequest,
    title: &str,
    parameters: &Parameters,
    of: Option<(Kind, &str)>,
) -> Result<Answer, Refusal> {
    let mut query = query_of(parameters, 50)?;
    query.names.extend(of.map(|(kind, slug)| (kind, slug.to_owned())));
    let page = page_of(ask, &query)?;
    let next = page.next.map(|cursor| parameters.with("cursor", &cursor.text()));
    let chosen = FILTERS.iter().filter(|name| !["cursor", "limit", "format"].contains(name));
    let filters: Vec<(&str, Option<&str>)> = chosen.map(|name| (*name, parameters.get(name))).collect();
    let total = ask.hub.counts().total;
    // Figures of different boards do not form a distribution.
    let spreads = match of {
        Some((Kind::Board, slug)) => spreads(ask, Kind::Board, slug)?,
        _ => Vec::new(),
    };
    html(pages::table(title, &page, &filters, next.as_deref(), total, &spreads))
}

/// Results with a name.
pub(super) fn of_name(ask: &PendingRequest, kind: Kind) -> Result<Answer, Refusal> {
    let parameters = ask.parameters(&FILTERS)?;
    let has_one = |column: &str, of: &str| {
        // A scalar subquery, because PostgreSQL would join all results to find one.
        format!("(SELECT 1 FROM result WHERE listed = 1 AND {column} = {of} LIMIT 1) = 1")
    };
    let is_listed = match NAMED.iter().find(|(of, _)| *of == kind) {
        Some((_, column)) => has_one(column, "name.id"),
        None => {
            let has_one = has_one("cores_id", "name_core.cores_id");
            format!("EXISTS (SELECT 1 FROM name_core WHERE core_id = name.id AND {has_one})")
        }
    };
    // Names of unlisted results are not disclosed.
    let sql = format!("SELECT words FROM name WHERE kind = $1 AND slug = $2 AND {is_listed}");
    let slug = slug_of(kind, &ask.name);
    let values = [kind.word().into(), slug.as_str().into()];
    let words = read(&*ask.hub.store, |session| first(session, &sql, &values))?;
    let words = words.map(|row| row.words(0)).ok_or_else(Refusal::not_found)?;
    listed(ask, &words, &parameters, Some((kind, &slug)))
}

pub(super) fn names(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    let kind = Kind::of(&ask.name).ok_or_else(Refusal::not_found)?;
    html(pages::names(kind, ask.hub.counts().all(kind)))
}

pub(super) fn result(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    let found = found(ask)?;
    if let Some(why) = &found.quarantined {
        return html(pages::notice("In quarantine", &format!("This file was kept and cannot be read: {why}.")));
    }
    let (source, kept) = read(&*ask.hub.store, |session| {
        let Some(source) = PageSource::of(session, &ask.hub, &ask.name)? else { return Ok(None) };
        let kept = source.kept(session)?;
        Ok(Some((source, kept)))
    })?
    .ok_or_else(Refusal::not_found)?;
    let page = match kept {
        Some(page) => page,
        None => finish(ask, &source)?,
    };
    let tag = Some(source.key[..20].to_owned());
    Ok(Answer { tag, policy: Some(page::policy()), is_unlisted: !found.is_listed, ..Answer::of(Media::Html, page) })
}

/// Makes the page of a result and keeps it.
fn finish(ask: &PendingRequest, source: &PageSource) -> Result<Vec<u8>, Refusal> {
    let view = || Ok(View::Result(read(&*ask.hub.store, |session| source.context(session))?));
    let page = page_by_worker(ask, &format!("result {}", source.key), std::slice::from_ref(&source.hash), view)?;
    // A hub with a full disk still shows its results.
    if let Err(trouble) = source.keep(&ask.hub, &page) {
        log::event("store", &[("error", &trouble.message)]);
    }
    Ok(page)
}

/// Picture of a result for link previews.
pub(super) fn card(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    let found = found(ask)?;
    if found.quarantined.is_some() {
        return Err(Refusal::not_found());
    }
    let source = read(&*ask.hub.store, |session| PageSource::of(session, &ask.hub, &ask.name))?;
    let source = source.ok_or_else(Refusal::not_found)?;
    let view = || Ok(View::Card(read(&*ask.hub.store, |session| source.context(session))?));
    let picture = page_by_worker(ask, &format!("card {}", source.key), std::slice::from_ref(&source.hash), view)?;
    if picture.is_empty() {
        return Err(Refusal::not_found());
    }
    Ok(Answer { is_unlisted: !found.is_listed, ..Answer::of(Media::Png, picture) })
}

pub(super) fn compare(ask: &PendingRequest) -> Result<Answer, Refusal> {
    let parameters = ask.parameters(&["id"])?;
    let ids: Vec<&str> =
        parameters.all("id").iter().flat_map(|ids| ids.split([',', ' '])).filter(|id| !id.is_empty()).collect();
    if ids.len() < 2 {
        return html(pages::choose_compared(&ids));
    }
    if ids.len() > COMPARED_MAX {
        return Err(Refusal::bad(format!("2 to {COMPARED_MAX} results can be compared.")));
    }
    let ids: Vec<String> = ids.into_iter().map(str::to_owned).collect();
    let hashes: Result<Vec<String>, Refusal> =
        ids.iter().map(|id| Ok(found(&PendingRequest { name: id.clone(), ..ask.clone() })?.hash)).collect();
    let key = format!("compare {}", ids.join(" "));
    let page = page_by_worker(ask, &key, &hashes?, || Ok(View::Compared(ids)))?;
    Ok(Answer { policy: Some(page::policy()), ..Answer::of(Media::Html, page) })
}

pub(super) fn trend(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    let history = read(&*ask.hub.store, |session| history::of(session, &ask.name))?;
    let page = pages::trend(&history.ok_or_else(Refusal::not_found)?);
    // The results of a history may be unlisted.
    Ok(Answer { is_unlisted: true, ..Answer::of(Media::Html, page) })
}

pub(super) fn stability(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    html(pages::stability(ask.hub.counts().all(Kind::Board)))
}

pub(super) fn feed(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    let page: Page = page_of(ask, &Query { limit: 30, ..Query::default() })?;
    Ok(Answer::of(Media::Atom, pages::feed(&page.rows, ask.hub.settings.public_url.trim_end_matches('/'))))
}

/// Picture of the score of a result for a README.
pub(super) fn badge(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    let slug = ask.name.strip_suffix(".svg").ok_or_else(Refusal::not_found)?;
    let one = PendingRequest { name: slug.to_owned(), ..ask.clone() };
    let found = found(&one)?;
    let sql = "SELECT sevenzip_multi_mips, sevenzip_single_mips FROM result WHERE slug = $1";
    let row = read(&*ask.hub.store, |session| first(session, sql, &[slug.into()]))?.ok_or_else(Refusal::not_found)?;
    Ok(badge_of(row.real(0).or(row.real(1)), &found.kind, &found.verdict))
}

/// As [`badge`], of the newest listed result of a board.
pub(super) fn board_badge(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    let slug = ask.name.strip_suffix(".svg").ok_or_else(Refusal::not_found)?;
    let names = vec![(Kind::Board, slug_of(Kind::Board, slug))];
    let page = page_of(ask, &Query { names, limit: 1, ..Query::default() })?;
    let newest = page.rows.first().ok_or_else(Refusal::not_found)?;
    let score = |column| newest.figures[sort_of(column)?];
    let score = score("sevenzip_multi_mips").or_else(|| score("sevenzip_single_mips"));
    Ok(badge_of(score, &newest.kind, &newest.verdict))
}

fn badge_of(score: Option<f64>, kind: &str, verdict: &str) -> Answer {
    let score = score.map_or_else(|| kind.to_owned(), |mips| format!("{mips:.0} MIPS"));
    Answer::of(Media::Svg, pages::badge(&score, verdict))
}
