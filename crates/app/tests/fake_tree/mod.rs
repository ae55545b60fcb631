//! Whole runs of the real program on a machine whose `/sys` is a folder: ended at every moment, and with every
//! kind of system call failing. Nothing measured may be lost, nothing changed may stay, nothing may be silent.
//!
//! Times are shortened and the workload is empty, so that a run takes a moment.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

mod agreement;
mod boards;
mod clocks;
mod errors;
mod hangs;
mod kills;
mod leftovers;
mod owners;
mod resume;
mod second;
mod thermometer;
mod tree;
