//! Directory of results as a site: static files for any web server or for local viewing. Pure: it returns names and
//! contents; the caller writes them.
//!
//! [`crate::page`] renders the pages of single results; this module renders all other pages from their [`Entry`].

mod core;
mod feed;
mod figures;
mod group;
mod index;
mod names;
mod table;

pub use names::of_result;

use crate::document::{Frame, Part, Script};
use compare::NamedBoard;
use explain::results::{Entry, FORMATS, Table};
use maud::{Markup, html};
use record::StableSort;
use std::collections::BTreeMap;

const STYLE: &str = include_str!("site.css");

/// Result with the name of its page.
#[derive(Debug, Clone, Copy)]
pub struct SiteResult<'a> {
    /// Summary of the result.
    pub entry: &'a Entry,
    /// Name of its page without directory and extension, from [`of_result`].
    pub page: &'a str,
}

/// Property by which results are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Board, or results without a name.
    Board,
    /// A SoC.
    Soc,
    /// A core type.
    Core,
}

/// Results that share a property.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// The property.
    pub kind: Kind,
    /// Name in its most common spelling.
    pub name: String,
    /// Path of its page relative to the site.
    pub path: String,
    /// Results in site order.
    pub results: Vec<SiteResult<'a>>,
}

/// All results of a site, in table order.
#[derive(Debug)]
pub struct Site<'a> {
    results: Vec<SiteResult<'a>>,
    groups: BTreeMap<(Kind, String), Group<'a>>,
    /// URL of the site, with a trailing slash.
    base: Option<String>,
    /// Additional pages of the caller.
    pages: Vec<Link>,
    /// Source files of the results, if the site includes them.
    originals: Vec<Link>,
}

/// Link to another file of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Path relative to the site.
    pub path: String,
    /// Description or name.
    pub words: String,
}

/// File of a site.
#[derive(Debug)]
pub struct File {
    /// Path relative to the site.
    pub path: &'static str,
    /// Content.
    pub text: String,
}

/// Path of a result's page.
pub fn result_path(page: &str) -> String {
    format!("results/{page}.html")
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Board, Self::Soc, Self::Core];

    fn folder(self) -> &'static str {
        match self {
            Self::Board => "boards",
            Self::Soc => "socs",
            Self::Core => "cores",
        }
    }

    /// Name of results without this property; unknown core types have no page.
    fn nameless(self) -> Option<&'static str> {
        match self {
            Self::Board => Some("Board not reported"),
            Self::Soc => Some("SoC unknown"),
            Self::Core => None,
        }
    }

    /// Names of this kind that a result has, for people.
    fn names(self, entry: &Entry) -> Vec<String> {
        match self {
            Self::Board => {
                let name = entry.row.board().map(|board| NamedBoard::of(board).name);
                name.or_else(|| self.nameless().map(str::to_owned)).into_iter().collect()
            }
            Self::Soc => entry.row.soc.as_deref().or(self.nameless()).map(str::to_owned).into_iter().collect(),
            Self::Core => entry.core_types.clone(),
        }
    }

    /// Key of a group; spellings of one board have one.
    fn key(self, name: &str) -> String {
        match self {
            Self::Board => NamedBoard::of(name).key,
            Self::Soc | Self::Core => names::of(name),
        }
    }
}

impl<'a> Site<'a> {
    /// Site of these results, those of unknown boards last; served at `base` if given.
    pub fn new(mut results: Vec<SiteResult<'a>>, base: Option<&str>) -> Self {
        results.stable_sort_by_key(|listed| listed.entry.row.board().is_none());
        let mut groups: BTreeMap<(Kind, String), Group<'a>> = BTreeMap::new();
        for kind in Kind::ALL {
            for listed in &results {
                for name in kind.names(listed.entry) {
                    let key = kind.key(&name);
                    let new = || Group { kind, name, path: String::new(), results: Vec::new() };
                    let group = groups.entry((kind, key)).or_insert_with(new);
                    // Two core types may share a name.
                    if group.results.last().is_none_or(|last| last.page != listed.page) {
                        group.results.push(*listed);
                    }
                }
            }
        }
        for group in groups.values_mut() {
            group.name = usual_name(group);
            group.path = format!("{}/{}.html", group.kind.folder(), names::of(&group.name));
        }
        let base = base.map(|base| format!("{}/", base.trim_end_matches('/')));
        Self { results, groups, base, pages: Vec::new(), originals: Vec::new() }
    }

    /// Adds pages and source files of the caller, which the first page links to.
    pub fn with(self, pages: Vec<Link>, originals: Vec<Link>) -> Self {
        Self { pages, originals, ..self }
    }

    /// All groups that have a page.
    pub fn groups(&self) -> impl Iterator<Item = &Group<'a>> {
        self.groups.values()
    }

    /// Page of a group.
    pub fn group_page(&self, group: &Group<'_>) -> String {
        match group.kind {
            Kind::Core => core::page(self, group),
            Kind::Board | Kind::Soc => group::page(self, group),
        }
    }

    /// Table with filters, table of all results, and their data; feed and sitemap if the site's URL is known.
    pub fn lists(&self) -> Vec<File> {
        let rows: Vec<_> = self.results.iter().map(|listed| listed.entry.row.clone()).collect();
        let table = Table { rows: &rows, columns: 0 };
        let written = |id: &str| FORMATS.iter().find(|format| format.id == id).map(|format| (format.write)(&table));
        let data = [("results.csv", "csv"), ("results.json", "json"), ("results.md", "md")];
        let data = data.into_iter().filter_map(|(path, id)| Some(File { path, text: written(id)? }));
        let pages = [("index.html", index::index(self)), ("all.html", index::all(self))];
        let pages = pages.map(|(path, text)| File { path, text });
        let feeds = self
            .base
            .iter()
            .flat_map(|base| [("feed.atom", feed::atom(self, base)), ("sitemap.xml", feed::sitemap(self, base))]);
        pages.into_iter().chain(data).chain(feeds.map(|(path, text)| File { path, text })).collect()
    }

    /// Path of the group with this name.
    fn path_of(&self, kind: Kind, name: &str) -> Option<&str> {
        self.groups.get(&(kind, kind.key(name))).map(|group| group.path.as_str())
    }

    fn groups_of(&self, kind: Kind) -> impl Iterator<Item = &Group<'a>> {
        self.groups.values().filter(move |group| group.kind == kind)
    }
}

/// Most common spelling of a name.
fn usual_name(group: &Group<'_>) -> String {
    let key = group.kind.key(&group.name);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for listed in &group.results {
        let same = group.kind.names(listed.entry).into_iter().filter(|name| group.kind.key(name) == key);
        same.for_each(|name| *counts.entry(name).or_default() += 1);
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map_or_else(|| group.name.clone(), |(name, _)| name)
}

/// Page in a directory of the site, or at its root if `up` is empty.
fn page(name: &str, up: &str, top: &Markup, parts: &[(&'static str, &'static str, Option<Markup>)]) -> String {
    let present = parts.iter().filter_map(|(id, title, body)| Some(Part::of(id, title, body.clone()?)));
    framed(name, up, top, &present.collect::<Vec<Part>>(), None, html! {})
}

fn framed(name: &str, up: &str, top: &Markup, parts: &[Part], script: Option<&Script>, head: Markup) -> String {
    let top = html! {
        @if !up.is_empty() { p.up { a href={ (up) "index.html" } { "All results" } } }
        (top)
    };
    let foot = "It loads nothing from other sites.";
    Frame { name, head, style: STYLE, top: &top, parts, nothing: "The site has no result.", foot, script }.page()
}
