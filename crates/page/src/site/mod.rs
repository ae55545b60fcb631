//! A folder of results as a site: static files for any web server, or for a double click. Pure: which files there are and
//! what stands in them; who calls writes them.
//!
//! The pages of single results are [`crate::page`]; everything else is made here of their [`Entry`].

mod core;
mod feed;
mod figures;
mod group;
mod index;
mod names;
mod table;

pub use names::of_result;

use crate::document::{Frame, Part, Script};
use compare::trend::Trend;
use explain::results::{Entry, FORMATS, Table};
use maud::{Markup, html};
use std::collections::BTreeMap;

const STYLE: &str = include_str!("site.css");

/// A result with the name of its page.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    /// What is known of it.
    pub entry: &'a Entry,
    /// The name of its page without folder and ending, by [`of_result`].
    pub page: &'a str,
}

/// What results are put together by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A board, or what has no name.
    Board,
    /// A SoC.
    Soc,
    /// A core type.
    Core,
}

/// Results that have something in common.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// What that is.
    pub kind: Kind,
    /// Its name as most results spell it.
    pub name: String,
    /// Its file from the folder of the site.
    pub path: String,
    /// The results in the order of the site.
    pub results: Vec<Listed<'a>>,
}

/// All results of a site, in the order of its table.
#[derive(Debug)]
pub struct Site<'a> {
    results: Vec<Listed<'a>>,
    groups: BTreeMap<(Kind, String), Group<'a>>,
    /// Where it will be served, with a slash at its end.
    base: Option<String>,
    /// Pages that the caller adds.
    pages: Vec<Link>,
    /// The files that the results come from, where they are served.
    originals: Vec<Link>,
}

/// Something else that a site has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// From the folder of the site.
    pub path: String,
    /// What it is, or its name.
    pub words: String,
}

/// A file of a site.
#[derive(Debug)]
pub struct File {
    /// From the folder of the site.
    pub path: &'static str,
    /// All of it.
    pub text: String,
}

/// The file of the page of a result.
pub fn result_path(page: &str) -> String {
    format!("results/{page}.html")
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Board, Self::Soc, Self::Core];

    fn folder(self) -> &'static str {
        match self {
            Self::Board => "boards",
            Self::Soc => "socs",
            Self::Core => "cores",
        }
    }

    /// What results without a name of this kind are called; core types that are unknown have no page.
    fn nameless(self) -> Option<&'static str> {
        match self {
            Self::Board => Some("Board not reported"),
            Self::Soc => Some("SoC unknown"),
            Self::Core => None,
        }
    }

    fn names(self, entry: &Entry) -> Vec<&str> {
        match self {
            Self::Board => entry.row.board().or(self.nameless()).into_iter().collect(),
            Self::Soc => entry.row.soc.as_deref().or(self.nameless()).into_iter().collect(),
            Self::Core => entry.core_types.iter().map(String::as_str).collect(),
        }
    }
}

impl<'a> Site<'a> {
    /// A site of these results, to be served at this address if that is known.
    pub fn new(results: Vec<Listed<'a>>, base: Option<&str>) -> Self {
        let mut groups: BTreeMap<(Kind, String), Group<'a>> = BTreeMap::new();
        for kind in Kind::ALL {
            for listed in &results {
                for name in kind.names(listed.entry) {
                    let file = names::of(name);
                    let path = format!("{}/{file}.html", kind.folder());
                    let new = || Group { kind, name: name.to_owned(), path, results: Vec::new() };
                    let group = groups.entry((kind, file)).or_insert_with(new);
                    // Two core types may be one by name.
                    if group.results.last().is_none_or(|last| last.page != listed.page) {
                        group.results.push(*listed);
                    }
                }
            }
        }
        groups.values_mut().for_each(|group| group.name = usual_name(group));
        let base = base.map(|base| format!("{}/", base.trim_end_matches('/')));
        Self { results, groups, base, pages: Vec::new(), originals: Vec::new() }
    }

    /// The site with pages and original files that the caller adds to it; its first page leads to them.
    pub fn with(self, pages: Vec<Link>, originals: Vec<Link>) -> Self {
        Self { pages, originals, ..self }
    }

    /// Everything that has a page besides results.
    pub fn groups(&self) -> impl Iterator<Item = &Group<'a>> {
        self.groups.values()
    }

    /// The page of a group; of a board with its trends.
    pub fn group_page(&self, group: &Group<'_>, trends: &[Trend]) -> String {
        match group.kind {
            Kind::Core => core::page(self, group),
            Kind::Board | Kind::Soc => group::page(self, group, trends),
        }
    }

    /// The table with its filters, everything in one table, and the data of all results; for readers of feeds and for
    /// search engines what they need where the address of the site is known.
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

    /// The file of the group of this name.
    fn path_of(&self, kind: Kind, name: &str) -> Option<&str> {
        self.groups.get(&(kind, names::of(name))).map(|group| group.path.as_str())
    }

    fn groups_of(&self, kind: Kind) -> impl Iterator<Item = &Group<'a>> {
        self.groups.values().filter(move |group| group.kind == kind)
    }
}

/// The spelling that most results have.
fn usual_name(group: &Group<'_>) -> String {
    let file = names::of(&group.name);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for listed in &group.results {
        let same = group.kind.names(listed.entry).into_iter().filter(|name| names::of(name) == file);
        same.for_each(|name| *counts.entry(name).or_default() += 1);
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map_or_else(|| group.name.clone(), |(name, _)| name.to_owned())
}

/// A page of the site that lies in one of its folders, or at its top where `up` is empty.
fn page(name: &str, up: &str, top: &Markup, parts: &[(&'static str, &'static str, Option<Markup>)]) -> String {
    let present = parts.iter().filter_map(|(id, title, body)| Some(Part { id, title, body: body.clone()? }));
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
