//! One chart of lines over a common axis, as a piece of SVG. Pure; it knows nothing of Records.
//!
//! Everything is black on white: lines are told apart by dashes and marks, not by colours. Text is
//! placed where no other text stands, or left out.

use super::canvas::{Anchor, Canvas};

/// A line through points.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// Its name in the legend.
    pub(crate) name: String,
    /// The points, in the units of the axes.
    pub(crate) points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub(crate) style: Style,
    /// A label next to a point, by its index.
    pub(crate) labels: Vec<(usize, String)>,
    /// A point with a ring around it.
    pub(crate) ringed: Option<usize>,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Solid,
    Dashed,
    Dotted,
    /// A solid line with a mark at each point.
    Marked,
}

/// One chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chart {
    /// Axis labels with their units.
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    /// The lines.
    pub(crate) lines: Vec<Line>,
    /// True if the vertical axis begins at zero.
    pub(crate) from_zero: bool,
    /// Ends of the horizontal axis, where charts share it.
    pub(crate) x_range: Option<(f64, f64)>,
    /// Moments that are marked: `(x, word)`.
    pub(crate) marks: Vec<(f64, String)>,
}

const LEFT: f64 = 78.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 42.0;

/// From a value to its place.
struct Scale {
    from: (f64, f64),
    to: (f64, f64),
}

impl Scale {
    fn at(&self, value: f64) -> f64 {
        let share = (value - self.from.0) / (self.from.1 - self.from.0);
        self.to.0 + share * (self.to.1 - self.to.0)
    }
}

impl Chart {
    /// Draws the chart into a part of the canvas.
    pub(crate) fn draw(&self, canvas: &mut Canvas, top: f64, height: f64) {
        let points = || self.lines.iter().flat_map(|line| line.points.iter());
        let Some(x_range) = self.x_range.or_else(|| range(points().map(|point| point.0), false)) else {
            return;
        };
        let Some(y_range) = range(points().map(|point| point.1), self.from_zero) else {
            return;
        };
        let (x_ticks, y_ticks) = (ticks(x_range, 8), ticks(y_range, 5));
        let (first, last) = (y_ticks.first().copied(), y_ticks.last().copied());
        let y_range = (y_range.0.min(first.unwrap_or(y_range.0)), y_range.1.max(last.unwrap_or(y_range.1)));
        let x = Scale { from: x_range, to: (LEFT, canvas.width - RIGHT) };
        let y = Scale { from: y_range, to: (top + height - BOTTOM, top + TOP) };
        self.axes(canvas, (&x, &y), (&x_ticks, &y_ticks), top);
        for line in &self.lines {
            draw_line(canvas, line, &x, &y);
        }
        for (at, word) in &self.marks {
            let place = x.at(*at);
            canvas.line((place, y.to.1), (place, y.to.0), "1 3", 1.0);
            canvas.text_where_free((place + 4.0, y.to.1 + 12.0), word, Anchor::Start);
        }
        for line in &self.lines {
            for (index, word) in &line.labels {
                if let Some((px, py)) = line.points.get(*index) {
                    canvas.label((x.at(*px), y.at(*py)), word);
                }
            }
        }
    }

    fn axes(&self, canvas: &mut Canvas, (x, y): (&Scale, &Scale), ticks: (&[f64], &[f64]), top: f64) {
        let (left, right, bottom, upper) = (x.to.0, x.to.1, y.to.0, y.to.1);
        for tick in ticks.1 {
            let place = y.at(*tick);
            canvas.grid((left, place), (right, place));
            canvas.text((left - 6.0, place + 4.0), &tick_words(*tick, ticks.1), Anchor::End);
        }
        for tick in ticks.0 {
            let place = x.at(*tick);
            canvas.line((place, bottom), (place, bottom + 4.0), "", 1.0);
            canvas.text((place, bottom + 17.0), &tick_words(*tick, ticks.0), Anchor::Middle);
        }
        canvas.line((left, bottom), (right, bottom), "", 1.2);
        canvas.line((left, bottom), (left, upper), "", 1.2);
        canvas.text(((left + right) / 2.0, bottom + 34.0), &self.x_label, Anchor::Middle);
        canvas.upright((16.0, (bottom + upper) / 2.0), &self.y_label);
        let mut place = left;
        for line in self.lines.iter().filter(|line| !line.name.is_empty()) {
            canvas.line((place, top + 11.0), (place + 30.0, top + 11.0), dashes(line.style), 1.6);
            if line.style == Style::Marked {
                canvas.dot((place + 15.0, top + 11.0), 3.0);
            }
            canvas.text((place + 36.0, top + 15.0), &line.name, Anchor::Start);
            place += 60.0 + super::canvas::text_width(&line.name);
        }
    }
}

fn dashes(style: Style) -> &'static str {
    match style {
        Style::Solid | Style::Marked => "",
        Style::Dashed => "7 4",
        Style::Dotted => "2 3",
    }
}

fn draw_line(canvas: &mut Canvas, line: &Line, x: &Scale, y: &Scale) {
    let points: Vec<(f64, f64)> = line
        .points
        .iter()
        .filter(|(px, py)| px.is_finite() && py.is_finite())
        .map(|(px, py)| (x.at(*px), y.at(*py)))
        .collect();
    canvas.polyline(&points, dashes(line.style), 1.6);
    if line.style == Style::Marked {
        for point in &points {
            canvas.dot(*point, 3.0);
        }
    }
    if let Some((px, py)) = line.ringed.and_then(|index| line.points.get(index)) {
        canvas.ring((x.at(*px), y.at(*py)), 8.0);
    }
}

/// The range of the values, with a little room; none without two ends.
fn range(values: impl Iterator<Item = f64>, from_zero: bool) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return None;
    }
    let low = if from_zero { low.min(0.0) } else { low };
    match high - low {
        span if span > 0.0 => Some((low, high)),
        _ => Some((low - 1.0, high + 1.0)),
    }
}

/// Round numbers that hold the range: steps of 1, 2 or 5 times a power of ten.
fn ticks((low, high): (f64, f64), wanted: usize) -> Vec<f64> {
    let rough = (high - low) / wanted as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough)
        .unwrap_or(10.0 * power);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    // Numbers so large that steps between them are lost have no ticks, and neither has what is no number.
    if !step.is_finite() || first.unsigned_abs().max(last.unsigned_abs()) > 1 << 50 {
        return Vec::new();
    }
    let mut ticks: Vec<f64> = (first..=last).map(|index| index as f64 * step).collect();
    // The axis ends at ticks, so that no value lies beyond the last.
    if ticks.last().is_some_and(|last| *last < high) && wanted < 8 {
        ticks.push((last + 1) as f64 * step);
    }
    if ticks.first().is_some_and(|first| *first > low) && wanted < 8 {
        ticks.insert(0, (first - 1) as f64 * step);
    }
    ticks
}

/// As many decimals as the steps need.
fn tick_words(tick: f64, ticks: &[f64]) -> String {
    let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).next().unwrap_or(1.0);
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    format!("{tick:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_hold_the_range() {
        for (range, expected) in [
            ((0.0, 10.0), &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0][..]),
            ((43.2, 79.9), &[40.0, 50.0, 60.0, 70.0, 80.0]),
            ((0.61, 1.02), &[0.6, 0.7, 0.8, 0.9, 1.0, 1.1]),
        ] {
            let found = ticks(range, 5);
            let same = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(same, "{range:?}: {found:?}");
        }
        assert_eq!(tick_words(0.6, &[0.6, 0.7]), "0.6");
        assert_eq!(tick_words(40.0, &[40.0, 50.0]), "40");
    }

    #[test]
    fn chart_without_points_is_empty() {
        let chart = Chart {
            x_label: String::new(),
            y_label: String::new(),
            lines: Vec::new(),
            from_zero: false,
            x_range: None,
            marks: Vec::new(),
        };
        let mut canvas = Canvas::new(700.0, 300.0, "");
        let before = canvas.clone().finish();
        chart.draw(&mut canvas, 0.0, 300.0);
        assert_eq!(canvas.finish(), before);
    }
}
