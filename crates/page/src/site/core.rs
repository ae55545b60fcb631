//! Page of a core type: score of one core per MHz of its clock, and the SoCs that use it.

use super::figures::{distributions, series};
use super::group::summary;
use super::table::MARKS;
use super::{Group, Kind, Site};
use crate::draw::table::{cell, number, table, text};
use explain::results::EntryFigure;
use maud::html;
use std::collections::BTreeMap;

const UP: &str = "../";

pub(super) fn page(site: &Site<'_>, group: &Group<'_>) -> String {
    let file = super::names::of(&group.name);
    // Memory has a clock of its own.
    let per_mhz = |figure: &EntryFigure| {
        let is_own = figure.core_type.as_deref().is_some_and(|name| super::names::of(name) == file);
        let khz =
            figure.clock_khz.filter(|khz| *khz > 0 && is_own && figure.higher_is_better && !figure.is_of_memory)?;
        // A clock divided by a clock has no information.
        (figure.unit != "MHz").then(|| (figure.value * 1000.0 / f64::from(khz), format!("{} per MHz", figure.unit)))
    };
    let mut all = series(&group.results, per_mhz);
    all.iter_mut().for_each(|series| series.title = series.title.replace(&format!(", {}", group.name), ""));
    let name = facts::plain(&group.name);
    let mut socs: BTreeMap<&str, (String, usize)> = BTreeMap::new();
    for listed in &group.results {
        for soc in Kind::Soc.names(listed.entry) {
            if let Some(path) = site.path_of(Kind::Soc, &soc) {
                socs.entry(path).or_insert((soc, 0)).1 += 1;
            }
        }
    }
    let top = html! {
        h1 { (name) }
        p { (summary(&group.results)) }
        p.soft { (MARKS) }
    };
    let soc = |(path, (soc, count)): (&&str, &(String, usize))| {
        vec![html! { a href={ (UP) (path) } { (facts::plain(soc)) } }, cell(count)]
    };
    let of_socs: Vec<_> = socs.iter().map(soc).collect();
    let figures = distributions(&all, UP).unwrap_or_else(|| {
        html! { p { "None of its results has the score of one core together with the measured clock of that core." } }
    });
    let parts = [
        ("per-mhz", "Score per MHz of one core", Some(figures)),
        (
            "socs",
            "SoCs that have it",
            (!of_socs.is_empty()).then(|| table("", &[text("SoC"), number("Results")], &of_socs)),
        ),
        ("results", "Results", Some(super::table::table("Results", &group.results, UP))),
    ];
    super::page(&name, UP, &top, &parts)
}
