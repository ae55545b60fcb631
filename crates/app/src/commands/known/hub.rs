//! Results of a hub among the known ones: fetched each time, and cached in the state directory for when the hub does not respond.

use crate::paths::Paths;
use compare::reference::{Row, parse};
use console::output;
use machine::Timeline;
use machine::files::{Access, Folder};
use net::references::{ReferenceHub, ReferencePage};
use record::recording::checksum;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::Path;

/// Maximum number of pages of 200 results, so that a comparison is short.
const PAGES_MAX: usize = 25;
/// Directory of the cache, next to the runs.
const FOLDER: &str = "hub-references";
/// Maximum size of the cache of one hub.
const BYTES_MAX: u64 = 64 << 20;

/// Cached results of one hub.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct HubCache {
    fetched_utc_ms: i64,
    pages: Vec<(String, String, Option<String>, String)>,
}

/// True for the address of a hub.
pub(super) fn is_address(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.starts_with("https://") || text.starts_with("http://"))
}

/// Rows of all results that a hub lists.
///
/// # Errors
/// The hub does not respond, and nothing is cached.
pub(super) fn rows(url: &Path) -> anyhow::Result<Vec<Row>> {
    let hub = ReferenceHub::at(&url.to_string_lossy()).map_err(anyhow::Error::msg)?;
    let folder = Folder::state(&Paths::choose(machine::is_root(), None).history.with_file_name(FOLDER));
    let name = OsString::from(format!("{:08x}.json", checksum(hub.url().as_bytes())));
    let now_utc_ms = Timeline::start().start_utc_ms();
    let read = folder.as_ref().ok().and_then(|folder| folder.read(&name, BYTES_MAX).ok());
    let kept = read.and_then(|bytes| record::json::from_bytes::<HubCache>(&bytes).ok());
    let known: Vec<ReferencePage> = kept.iter().flat_map(|kept| &kept.pages).cloned().map(page).collect();
    match fetched(&hub, &known) {
        Ok((pages, rows)) => {
            let pages = pages.into_iter().map(|page| (page.query, page.tag, page.next, page.table)).collect();
            let text = serde_json::to_vec(&HubCache { fetched_utc_ms: now_utc_ms, pages })?;
            let written = folder.and_then(|folder| folder.replace_unsynced(&name, &text, Access::Owner));
            if let Err(error) = written {
                output::note(&format!("The results of {} are not kept for later: {error}.", hub.url()));
            }
            Ok(rows)
        }
        Err(why) => {
            let Some(kept) = kept else {
                anyhow::bail!("{} gives no results to compare with: {why}.", hub.url());
            };
            let rows = all_rows(&hub, &known).map_err(anyhow::Error::msg)?;
            let age_ms = now_utc_ms.saturating_sub(kept.fetched_utc_ms);
            let age = match age_ms {
                // The clock was set back since then.
                ..0 => "an unknown time ago".to_owned(),
                age_ms => format!("{} ago", facts::duration(age_ms)),
            };
            output::note(&format!(
                "{} gives no results now: {why}. The {} results fetched {age} are used.",
                hub.url(),
                rows.len()
            ));
            Ok(rows)
        }
    }
}

fn page((query, tag, next, table): (String, String, Option<String>, String)) -> ReferencePage {
    ReferencePage { query, tag, next, table }
}

/// All pages, and their rows.
fn fetched(hub: &ReferenceHub, known: &[ReferencePage]) -> Result<(Vec<ReferencePage>, Vec<Row>), String> {
    let mut pages: Vec<ReferencePage> = Vec::new();
    let mut query = Some(String::new());
    while let Some(asked) = query.take() {
        let page = hub.page(&asked, known.iter().find(|page| page.query == asked))?;
        query = page.next.clone();
        pages.push(page);
        if pages.len() == PAGES_MAX && query.is_some() {
            output::note(&format!("{} has more results; the newest {PAGES_MAX} pages are compared with.", hub.url()));
            break;
        }
    }
    let rows = all_rows(hub, &pages)?;
    Ok((pages, rows))
}

fn all_rows(hub: &ReferenceHub, pages: &[ReferencePage]) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for page in pages {
        let parsed = parse(&page.table).map_err(|why| format!("its table cannot be read ({why})"))?;
        // A result of a hub may be of the board under comparison, unlike published ones.
        rows.extend(parsed.into_iter().map(|row| Row {
            name: None,
            is_published: false,
            source: format!("{}/r/{}", hub.url(), row.source),
            ..row
        }));
    }
    Ok(rows)
}
