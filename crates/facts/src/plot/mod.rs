//! Plots of thermal tests, efficiency walks and sensitivity tests as SVG: black and white, with units on every axis.
//! Pure functions of a Record; a plot without data is omitted.

pub mod canvas;
pub mod chart;
mod clip;
pub mod scale;

use record::Record;

/// Name of the machine in titles.
pub fn board(record: &Record) -> String {
    let machine = &record.machine;
    let name = machine.board.known().or(machine.soc.known());
    name.cloned().unwrap_or_else(|| "unknown board".into())
}

/// Width of every plot.
pub const WIDTH: f64 = 760.0;
