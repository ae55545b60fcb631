//! Paths of `view`: the pages of a site, rendered on request, and the original files.

use crate::commands::known;
use compare::trend::{Sample, trends};
use compare::{Side, compare};
use console::input;
use explain::results::{Entry, USUAL_ORDER, order};
use facts::Explained;
use net::server::{Answer, Site as RunningServer, TEXT};
use page::site::{Link, Site, SiteResult, of_result, result_path};
use record::StableSort;
use std::path::Path;

/// All results side by side.
const COMPARISON: &str = "compare.html";
/// By date, with what changed.
const TRENDS: &str = "trend.html";
/// The original files.
const ORIGINALS: &str = "files/";
/// Maximum size of an original file.
const FILE_BYTES_MAX: u64 = 256 << 20;
const NOTHING: Answer = Answer::NotFound("There is no such page.\n");

/// Results in memory.
pub(super) struct SiteCache {
    results: Vec<CachedResult>,
}

/// A result with its entry in lists.
struct CachedResult {
    /// File as the user named it.
    file: String,
    explained: Explained<'static>,
    entry: Entry,
    /// Name of its page.
    page: String,
}

impl SiteCache {
    /// Results with their files, in the usual order of tables.
    pub(super) fn of(results: Vec<(String, Explained<'static>)>) -> Self {
        let held = |(index, (file, explained)): (usize, (String, Explained<'static>))| {
            let entry = Entry::of(&explained, &file);
            // Files of the same name have different pages.
            let page = of_result(&file, &format!("{index:010x}"));
            CachedResult { file, explained, entry, page }
        };
        let mut results: Vec<CachedResult> = results.into_iter().enumerate().map(held).collect();
        if let Some(order) = order(USUAL_ORDER) {
            results.stable_sort_by(|a, b| order(&a.entry.row, &b.entry.row));
        }
        Self { results }
    }

    fn site(&self) -> Site<'_> {
        let is_part = |held: &&CachedResult| self.results.iter().any(|other| held.entry.is_part_of(&other.entry));
        let whole = self.results.iter().filter(|held| !is_part(held));
        let listed = whole.map(|held| SiteResult { entry: &held.entry, page: &held.page }).collect();
        let link = |path: &str, words: &str| Link { path: path.to_owned(), words: words.to_owned() };
        let pages = match self.results.len() {
            0 | 1 => Vec::new(),
            _ => vec![link(COMPARISON, "All results side by side"), link(TRENDS, "Changes over time")],
        };
        let originals = self.results.iter().filter(|held| held.file != "-");
        let originals = originals.map(|held| link(&format!("{ORIGINALS}{}", held.page), &held.file)).collect();
        Site::new(listed, None).with(pages, originals)
    }

    fn result_page(&self, path: &str) -> Option<String> {
        let held = self.results.iter().find(|held| result_path(&held.page) == path)?;
        Some(page::page(&held.explained, known::reference()))
    }

    fn comparison(&self) -> String {
        let held = self.results.iter();
        let sides = held.map(|held| Side { name: held.file.clone(), explained: &held.explained });
        page::comparison(&compare(&sides.collect::<Vec<_>>()))
    }

    fn samples(&self) -> Vec<Sample<'_>> {
        self.results
            .iter()
            .map(|held| Sample {
                name: held.file.clone(),
                facts: &held.explained.facts,
                verdict: held.explained.assessment.verdict,
            })
            .collect()
    }

    /// Current content of a file.
    fn original(&self, page: &str) -> Answer {
        let held = self.results.iter().find(|held| held.page == page && held.file != "-");
        match held.map(|held| input::read(Path::new(&held.file), FILE_BYTES_MAX)) {
            None => NOTHING,
            Some(Err(_)) => Answer::NotFound("The file cannot be read any more.\n"),
            Some(Ok(body)) => {
                let kind = if std::str::from_utf8(&body).is_ok() { TEXT } else { "application/octet-stream" };
                Answer::File { kind, body }
            }
        }
    }
}

impl RunningServer for SiteCache {
    fn answer(&mut self, path: &str) -> Answer {
        let path = path.trim_start_matches('/');
        let path = if path.is_empty() { "index.html" } else { path };
        if let Some(page) = path.strip_prefix(ORIGINALS) {
            return self.original(page);
        }
        if let Some(page) = self.result_page(path) {
            return Answer::page(page);
        }
        let site = self.site();
        let group = site.groups().find(|group| group.path == path);
        let text = match (path, group) {
            (_, Some(group)) => Some(site.group_page(group)),
            (COMPARISON, _) if self.results.len() > 1 => Some(self.comparison()),
            (TRENDS, _) if self.results.len() > 1 => Some(page::trends(&trends(&self.samples()))),
            _ => site.lists().into_iter().find(|file| file.path == path).map(|file| file.text),
        };
        match text {
            None => NOTHING,
            Some(text) if path.ends_with(".html") => Answer::page(text),
            Some(text) if path.ends_with(".json") => Answer::File { kind: "application/json", body: text.into_bytes() },
            Some(text) => Answer::File { kind: TEXT, body: text.into_bytes() },
        }
    }
}
