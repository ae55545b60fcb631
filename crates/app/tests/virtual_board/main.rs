//! The program on boards that throttle, report wrong clocks and lose cores: its results must match the truth of the board.
//!
//! A virtual board takes root, FUSE, mount namespaces and control groups; without them these
//! tests are skipped. What was true is in the file of the board and in its trace, never in the clock of
//! this machine, so that neighbours may be as noisy as they like.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

mod documented;
mod faults;
mod findings;
mod power;
mod rig;
mod settings;
mod thermal;

/// This machine may do other things meanwhile: figures are only held to be of the right size.
const IS_EXACT: bool = false;
