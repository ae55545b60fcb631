//! Plot: how much of the clock arrives in each workload, as bars with their intervals.

use crate::questions::sensitivity::results;
use crate::tables::Plot;
use facts::Facts;
use facts::plot::canvas::{Anchor, Canvas, text_width};
use facts::plot::{WIDTH, board};

pub(super) const PLOT: Plot = Plot { id: "plot-elasticity", about: "Clock elasticity of each workload, as SVG.", draw };

const TOP: f64 = 40.0;
const ROW: f64 = 34.0;
const BOTTOM: f64 = 48.0;
/// Names are cut to this, so that bars keep their room.
const NAME_CHARS: usize = 30;

fn draw(facts: &Facts<'_>) -> Option<String> {
    let results = results(facts);
    let bars: Vec<_> = results.iter().filter_map(|result| Some((result, result.elasticity?))).collect();
    if bars.is_empty() {
        return None;
    }
    let name = |text: &str| text.chars().take(NAME_CHARS).collect::<String>();
    let longest = bars.iter().map(|(result, _)| text_width(&name(&result.name))).fold(0.0, f64::max);
    let left = longest + 24.0;
    let words = |result: &crate::questions::sensitivity::Sensitivity, value: f64| {
        format!("{value:.2}, {}", result.limiter.words())
    };
    let widths = bars.iter();
    let widths = widths.map(|(result, found)| text_width(&words(result, found.value)));
    let right = WIDTH - 24.0 - widths.fold(0.0, f64::max);
    let ends = bars.iter().flat_map(|(_, elasticity)| {
        let [low, high] = elasticity.interval.unwrap_or([elasticity.value; 2]);
        [low, high, elasticity.value]
    });
    let (low, high) = ends.fold((0.0_f64, 1.0_f64), |(l, h), v| (l.min(v), h.max(v)));
    let (low, high) = ((low * 5.0).floor() / 5.0, (high * 5.0).ceil() / 5.0);
    let x = |value: f64| left + (value - low) / (high - low) * (right - left);
    let bottom = TOP + ROW * bars.len() as f64;
    let title = format!("Clock sensitivity: {}", board(facts));
    let mut canvas = Canvas::new(WIDTH, bottom + BOTTOM, &title);
    let steps = ((high - low) / 0.2).round() as i64;
    for step in 0..=steps {
        let value = low + 0.2 * step as f64;
        canvas.grid((x(value), TOP), (x(value), bottom));
        canvas.text((x(value), bottom + 17.0), &format!("{value:.1}"), Anchor::Middle);
    }
    canvas.line((x(1.0), TOP), (x(1.0), bottom), "4 3", 1.0);
    let label = "elasticity (0: independent of the clock, 1: proportional to it)";
    canvas.text(((left + right) / 2.0, bottom + 36.0), label, Anchor::Middle);
    for (index, (result, elasticity)) in bars.iter().enumerate() {
        let middle = TOP + ROW * (index as f64 + 0.5);
        canvas.text((left - 10.0, middle + 4.0), &name(&result.name), Anchor::End);
        let (from, to) = (x(0.0).min(x(elasticity.value)), x(0.0).max(x(elasticity.value)));
        canvas.shade((from, middle - 9.0), (to - from, 18.0), 0.3);
        canvas.frame((from, middle - 9.0), (to - from, 18.0));
        let mut end = to;
        if let Some([low, high]) = elasticity.interval {
            canvas.line((x(low), middle), (x(high), middle), "", 1.6);
            for at in [low, high] {
                canvas.line((x(at), middle - 5.0), (x(at), middle + 5.0), "", 1.6);
            }
            end = end.max(x(high));
        }
        let words = words(result, elasticity.value);
        canvas.text_where_free((end + 8.0, middle + 4.0), &words, Anchor::Start);
    }
    canvas.line((x(0.0), TOP), (x(0.0), bottom), "", 1.2);
    Some(canvas.finish())
}
