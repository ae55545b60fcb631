//! Axes with their numbers, units and grid.

use super::{Scale, n, width_of, word};
use maud::{Markup, html};

/// Rectangle of the values in a plot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// Vertical axis: numbers on the left with a grid line each, the unit above them.
pub(crate) fn axis_y(area: Area, scale: &Scale, ticks: &[(f64, String)], unit: &str) -> Markup {
    html! {
        g.axis {
            @for (value, words) in ticks {
                line.grid x1=(n(area.left)) x2=(n(area.right)) y1=(n(scale.at(*value))) y2=(n(scale.at(*value))) {}
                (word(area.left - 8.0, scale.at(*value) + 4.0, "end", words))
            }
            g.unit { (word(area.left - 8.0, area.top - 10.0, "end", unit)) }
        }
    }
}

/// Horizontal axis. Numbers that would overlap their neighbour are omitted.
pub(crate) fn axis_x(area: Area, scale: &Scale, ticks: &[(f64, String)], label: &str) -> Markup {
    let mut end = f64::NEG_INFINITY;
    let mut told: Vec<(f64, &str)> = Vec::new();
    for (value, words) in ticks {
        let (at, half) = (scale.at(*value), width_of(words) / 2.0);
        if at - half > end + 6.0 && at + half <= (area.right + 24.0).min(super::WIDTH) {
            end = at + half;
            told.push((at, words));
        }
    }
    html! {
        g.axis {
            line.edge x1=(n(area.left)) x2=(n(area.right)) y1=(n(area.bottom)) y2=(n(area.bottom)) {}
            @for (at, words) in told {
                line.edge x1=(n(at)) x2=(n(at)) y1=(n(area.bottom)) y2=(n(area.bottom + 5.0)) {}
                (word(at, area.bottom + 18.0, "middle", words))
            }
            g.unit { (word(f64::midpoint(area.left, area.right), area.bottom + 36.0, "middle", label)) }
        }
    }
}
