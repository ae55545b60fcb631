//! Section: this board among known boards, a chart for each figure that has one. Choosing a figure works without a script.

use crate::{Section, Subject};
use compare::Neighbours;
use maud::{Markup, html};

pub(crate) const SECTION: Section = Section::of("neighbours", "Among known boards", body);

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let charts = &subject.ranking.neighbours;
    let first = charts.first()?;
    Some(html! {
        p { (facts::plain(&first.sentence())) }
        div.choice {
            @if charts.len() > 1 {
                @for (index, chart) in charts.iter().enumerate() {
                    input type="radio" name="chart" id={ "chart-" (index) } checked[index == 0];
                    label for={ "chart-" (index) } { (chart.figure) }
                }
            }
            @for chart in charts { (bars(chart)) }
        }
    })
}

/// Bars of this board and of those next to it.
fn bars(chart: &Neighbours) -> Markup {
    let most = chart.value_max();
    let percent = |value: f64| format!("{:.1}%", 100.0 * value / most);
    html! {
        table.boards {
            caption { (chart.caption()) ", place " (chart.place) " of " (chart.of) }
            @for bar in &chart.bars {
                tr class=[bar.is_this.then_some("this")] {
                    th scope="row" { (bar.label()) }
                    td { (bar.value_words(&chart.unit)) }
                    td {
                        div style={ "width:" (percent(bar.value)) } {}
                        @if let Some((low, high)) = bar.interval {
                            // An estimate: the value lies within the thin line.
                            hr style={ "margin-left:" (percent(low)) ";width:" (percent(high - low)) };
                        }
                    }
                }
            }
        }
    }
}
