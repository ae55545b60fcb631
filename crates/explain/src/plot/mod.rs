//! Plots as SVG and PNG: what a thermal test, an efficiency walk and a sensitivity test found, legible in black
//! and white, with units on every axis. Pure functions of a Record; each gives nothing where the Record
//! has nothing to show.

mod canvas;
mod chart;
mod clip;
mod cores;
mod efficiency;
mod elasticity;
mod letters;
mod raster;
mod svg;
mod thermal;

pub use canvas::Picture;
pub use raster::Raster;

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
pub const PLOTS: &[Plot] = &[cores::PLOT, efficiency::PLOT, elasticity::PLOT, thermal::PLOT];

/// Every plot that a Record has, with its id.
pub fn plots(record: &Record) -> Vec<(&'static str, Picture)> {
    let drawn = PLOTS.iter();
    drawn.filter_map(|plot| Some((plot.id, (plot.draw)(record)?))).collect()
}

/// What the machine is called in titles.
fn board(record: &Record) -> String {
    let machine = &record.machine;
    let name = machine.board.known().or(machine.soc.known());
    name.cloned().unwrap_or_else(|| "unknown board".into())
}

/// Width of every plot.
const WIDTH: f64 = 760.0;

#[cfg(test)]
mod tests;
