//! Plots as SVG and PNG: what a thermal test, an efficiency walk and a sensitivity test found, legible in black
//! and white, with units on every axis. Pure functions of a Record; each gives nothing where the Record
//! has nothing to show.

pub(crate) mod canvas;
pub(crate) mod chart;
mod clip;
mod letters;
mod raster;
mod svg;

pub use canvas::Picture;
pub use raster::Raster;

use crate::questions::{core_use, efficiency, sensitivity, thermal};
use record::Record;

/// One plot.
pub struct Plot {
    /// Kebab-case name, unique.
    pub id: &'static str,
    /// One sentence on what it shows.
    pub about: &'static str,
    /// The plot, if the Record has it.
    pub draw: fn(&Record) -> Option<Picture>,
}

/// All plots, sorted by id.
pub const PLOTS: &[Plot] = &[core_use::PLOT, efficiency::plot::PLOT, sensitivity::plot::PLOT, thermal::plot::PLOT];

/// Every plot that a Record has, with its id.
pub fn plots(record: &Record) -> Vec<(&'static str, Picture)> {
    let drawn = PLOTS.iter();
    drawn.filter_map(|plot| Some((plot.id, (plot.draw)(record)?))).collect()
}

/// What the machine is called in titles.
pub(crate) fn board(record: &Record) -> String {
    let machine = &record.machine;
    let name = machine.board.known().or(machine.soc.known());
    name.cloned().unwrap_or_else(|| "unknown board".into())
}

/// Width of every plot.
pub(crate) const WIDTH: f64 = 760.0;

#[cfg(test)]
mod tests;
