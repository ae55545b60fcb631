//! Section: every figure in one folded table.

use crate::draw::wide;
use crate::{Section, Subject};
use facts::number;
use maud::{Markup, html};

pub(crate) const SECTION: Section = Section::of("figures", "All figures", body);

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let figures = subject.facts.figures();
    if figures.is_empty() {
        return None;
    }
    Some(html! {
        details {
            summary { (figures.len()) " figures" }
            (wide("All figures", &html! {
                table {
                    thead {
                        tr {
                            th scope="col" { "Figure" } th.number scope="col" { "Value" } th scope="col" { "Unit" }
                            th.number scope="col" { "Repetitions" } th.number scope="col" { "Standard deviation" } th scope="col" { "Key" }
                        }
                    }
                    tbody {
                        @for figure in figures {
                            tr {
                                th scope="row" { (facts::plain(&figure.name())) @if let Some(why) = &figure.not_comparable { span.soft { " (not comparable: " (facts::plain(why)) ")" } } }
                                td.number { (number(figure.value, &figure.unit)) } td { (facts::plain(&figure.unit)) } td.number { (figure.repetitions) }
                                td.number { (figure.spread_percent.map_or("-".into(), |spread| format!("{spread:.2} %"))) }
                                td.soft { (facts::plain(figure.key.as_str())) }
                            }
                        }
                    }
                }
            }))
        }
    })
}
