//! Horizontal bars, each with its name on the left and its value on the right.

use super::{Area, Plot, Scale, WIDTH, axis_x, linear_ticks, n, named, width_of, word};
use maud::html;

const ROW: f64 = 24.0;
const LEFT: f64 = 400.0;
/// Space for the values.
const RIGHT: f64 = 120.0;
/// Maximum number of bars in a legible plot.
const ROWS_MAX: usize = 200;

/// One bar.
pub(crate) struct Bar {
    /// Name; cut if it is too long.
    pub(crate) name: String,
    /// Value with unit.
    pub(crate) words: String,
    /// Class of the style sheet.
    pub(crate) look: &'static str,
    /// Start and end, in the unit of the axis.
    pub(crate) from_to: (f64, f64),
}

/// Bars over an axis that starts at zero and has a label with its unit.
pub(crate) fn bars(id: &str, title: &str, axis: &str, bars: &[Bar]) -> Option<Plot> {
    let bars = &bars[..bars.len().min(ROWS_MAX)];
    let most = bars.iter().map(|bar| bar.from_to.1).filter(|value| value.is_finite()).reduce(f64::max)?;
    let area = Area { left: LEFT, right: WIDTH - RIGHT, top: 8.0, bottom: 8.0 + ROW * bars.len() as f64 };
    let ticks = linear_ticks((0.0, most.max(f64::MIN_POSITIVE)), 5);
    let scale = Scale::linear((0.0, *ticks.last()?), (area.left, area.right));
    let shapes = html! {
        @for (index, bar) in bars.iter().enumerate() {
            @let y = area.top + ROW * index as f64;
            @let (from, to) = (scale.at(bar.from_to.0), scale.at(bar.from_to.1));
            (word(area.left - 10.0, y + 16.0, "end", &cut(&bar.name, LEFT - 24.0)))
            rect.(bar.look) x=(n(from)) y=(n(y + 5.0)) width=(n((to - from).max(1.0))) height=(n(ROW - 9.0)) {}
            g.axis { (word(WIDTH - 4.0, y + 16.0, "end", &cut(&bar.words, RIGHT - 22.0))) }
        }
        (axis_x(area, &scale, &named(&ticks), axis))
    };
    Some(Plot::of(id, title, area.bottom + 44.0, shapes))
}

/// Cuts a name to the width.
fn cut(name: &str, width: f64) -> String {
    facts::shortened(&facts::plain(name), (width / width_of("n")) as usize)
}
