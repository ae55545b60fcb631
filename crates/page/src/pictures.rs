//! Every plot of a result as a file of its own.

use crate::{SECTIONS, Subject, card, raster, top};

/// Pixels for a unit of a plot: sharp on screens of high density and on paper. The card has its size in pixels.
const PLOT_SCALE: f32 = 2.0;

/// Name of the picture for links among the [`drawings`](crate::drawings).
pub const CARD: &str = "card";

/// A picture that is a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// What its file is called, without an ending: `timeline`.
    pub name: String,
    /// It as SVG.
    pub svg: String,
    /// Pixels for a unit.
    scale: f32,
}

impl Drawing {
    fn of(name: &str, svg: String) -> Self {
        Self { name: name.to_owned(), svg, scale: PLOT_SCALE }
    }

    /// It as a PNG file.
    ///
    /// # Errors
    /// One sentence, where it is far too large.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        raster::png(&self.svg, self.scale)
    }
}

/// The card, then every plot of a result.
pub(crate) fn drawings(subject: &Subject<'_>) -> Vec<Drawing> {
    let board = top::name(subject.record);
    let card = Drawing { scale: 1.0, ..Drawing::of(CARD, card::card(subject)) };
    let plots = SECTIONS.iter().flat_map(|section| (section.plots)(subject));
    let plots = plots.map(|plot| Drawing::of(&plot.id, plot.picture(&board)));
    let of_questions = explain::plots(subject.record).into_iter();
    let of_questions = of_questions.map(|(name, picture)| Drawing::of(name, picture.svg()));
    [card].into_iter().chain(plots).chain(of_questions).collect()
}
