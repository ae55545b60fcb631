//! Section: every figure in one folded table.

use crate::draw::table::{cell, maybe, number, table, text};
use crate::{Section, Subject};
use facts::Figure;
use maud::{Markup, html};

pub(crate) const SECTION: Section = Section::folded("figures", "All figures", body);

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let figures = subject.facts.figures();
    if figures.is_empty() {
        return None;
    }
    let columns = [
        text("Figure"),
        number("Value"),
        text("Unit"),
        number("Repetitions"),
        number("Standard deviation"),
        text("Not comparable, because"),
        text("Key"),
    ];
    let row = |figure: &Figure| {
        vec![
            cell(facts::plain(&figure.name())),
            cell(facts::number(figure.value, &figure.unit)),
            cell(facts::plain(&figure.unit)),
            cell(figure.repetitions),
            maybe(figure.spread_percent.map(|spread| format!("{spread:.1} %"))),
            maybe(figure.not_comparable.as_ref().map(|why| facts::plain(why))),
            html! { code { (facts::plain(figure.key.as_str())) } },
        ]
    };
    let rows: Vec<_> = figures.iter().map(row).collect();
    Some(table("", &columns, &rows))
}
