//! Plots of a result as separate files.

use crate::{SECTIONS, Subject, card, ledger, raster, summary};

/// Pixels per SVG unit of a plot, for screens of high density and for print. The card is sized in pixels.
const PLOT_SCALE: f32 = 2.0;

/// Name of the picture for links among the [`drawings`](crate::drawings).
pub const CARD: &str = "card";

/// Picture as a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// File name without extension: `timeline`.
    pub name: String,
    /// Picture as SVG.
    pub svg: String,
    /// Pixels per SVG unit.
    scale: f32,
}

impl Drawing {
    fn of(name: &str, svg: String) -> Self {
        Self { name: name.to_owned(), svg, scale: PLOT_SCALE }
    }

    /// Renders the picture as a PNG file.
    ///
    /// # Errors
    /// A sentence if the picture is too large.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        raster::png(&self.svg, self.scale)
    }
}

/// The card, then every plot of a result.
pub(crate) fn drawings(subject: &Subject<'_>) -> Vec<Drawing> {
    let board = summary::name(subject.facts);
    let card = Drawing { scale: 1.0, ..Drawing::of(CARD, card::card(subject)) };
    let plots = ledger::plots(subject).into_iter().chain(SECTIONS.iter().flat_map(|section| (section.plots)(subject)));
    let plots = plots.map(|plot| Drawing::of(&plot.id, plot.picture(&board)));
    let of_questions = rules::plots(subject.facts).into_iter().map(|(name, svg)| Drawing::of(name, svg));
    [card].into_iter().chain(plots).chain(of_questions).collect()
}
