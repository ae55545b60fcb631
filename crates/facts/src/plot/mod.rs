//! Plots as SVG: what a thermal test, an efficiency walk and a sensitivity test found, legible in black
//! and white, with units on every axis. Pure functions of a Record; each gives nothing where the Record
//! has nothing to show.

pub mod canvas;
pub mod chart;
mod clip;
pub mod scale;
mod svg;

pub use canvas::Picture;

use record::Record;

/// What the machine is called in titles.
pub fn board(record: &Record) -> String {
    let machine = &record.machine;
    let name = machine.board.known().or(machine.soc.known());
    name.cloned().unwrap_or_else(|| "unknown board".into())
}

/// Width of every plot.
pub const WIDTH: f64 = 760.0;
