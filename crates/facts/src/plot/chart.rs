//! One line chart as a piece of SVG. Pure and independent of Records.
//!
//! Everything is black on white: lines differ by dashes and marks. Text that would overlap is omitted.

use super::canvas::{Anchor, Canvas};
use super::scale::{Scale, linear_ticks, named, wide};

/// A line through points.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// The points, in the units of the axes.
    pub points: Vec<(f64, f64)>,
    /// Line style.
    pub style: Style,
    /// A label next to a point, by its index.
    pub labels: Vec<(usize, String)>,
    /// A point with a ring around it.
    pub ringed: Option<usize>,
}

/// Style of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A solid line.
    Solid,
    /// Long dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// A solid line with a mark at each point.
    Marked,
}

/// One chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Label of the horizontal axis with its unit.
    pub x_label: String,
    /// Label of the vertical axis with its unit.
    pub y_label: String,
    /// The lines.
    pub lines: Vec<Line>,
    /// True if the vertical axis begins at zero.
    pub from_zero: bool,
    /// Ends of a shared horizontal axis.
    pub x_range: Option<(f64, f64)>,
    /// Moments that are marked: `(x, word)`.
    pub marks: Vec<(f64, String)>,
}

const LEFT: f64 = 78.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 42.0;

impl Chart {
    /// Draws the chart into a part of the canvas.
    pub fn draw(&self, canvas: &mut Canvas, top: f64, height: f64) {
        let points = || self.lines.iter().flat_map(|line| line.points.iter());
        let Some(x_range) = self.x_range.or_else(|| range(points().map(|point| point.0), false)) else {
            return;
        };
        let Some(y_range) = range(points().map(|point| point.1), self.from_zero) else {
            return;
        };
        // The horizontal axis ends with the values, the vertical one at ticks, so that no value exceeds the last tick.
        let is_within = |tick: &f64| (x_range.0..=x_range.1).contains(tick);
        let x_ticks: Vec<f64> = linear_ticks(x_range, 8).into_iter().filter(is_within).collect();
        let y_ticks = linear_ticks(y_range, 5);
        let y_range = (y_ticks.first().map_or(y_range.0, |t| *t), y_ticks.last().map_or(y_range.1, |t| *t));
        let x = Scale::linear(x_range, (LEFT, canvas.width - RIGHT));
        let y = Scale::linear(y_range, (top + height - BOTTOM, top + TOP));
        self.axes(canvas, (&x, &y), (&x_ticks, &y_ticks), top);
        for line in &self.lines {
            draw_line(canvas, line, &x, &y);
        }
        for (at, word) in &self.marks {
            let place = x.at(*at);
            canvas.line((place, y.places().1), (place, y.places().0), "1 3", 1.0);
            canvas.text_where_free((place + 4.0, y.places().1 + 12.0), word, Anchor::Start);
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
        let ((left, right), (bottom, upper)) = (x.places(), y.places());
        for (tick, words) in named(ticks.1) {
            let place = y.at(tick);
            canvas.grid((left, place), (right, place));
            canvas.text((left - 6.0, place + 4.0), &words, Anchor::End);
        }
        for (tick, words) in named(ticks.0) {
            let place = x.at(tick);
            canvas.line((place, bottom), (place, bottom + 4.0), "", 1.0);
            canvas.text((place, bottom + 17.0), &words, Anchor::Middle);
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

/// Range of the values with a margin; `None` with fewer than two distinct ends.
fn range(values: impl Iterator<Item = f64>, from_zero: bool) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return None;
    }
    let low = if from_zero { low.min(0.0) } else { low };
    Some(wide((low, high)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
