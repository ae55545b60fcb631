//! `probe`: generates a program of a few kilobytes that calls `memcpy` or `memset` of the machine's own C library.
//!
//! A static program contains the C library that it was built with. The distribution's programs use another one, and on
//! some machines its bandwidth differs by a third or more. To measure it, the distribution's loader links a generated
//! program to the distribution's library. No compiler is needed: [`parse_program`] reads properties of the
//! distribution's programs (instruction set, loader, name of the library), [`image`] builds a similar program around
//! the loop of [`crate::libc_loop`], and [`parse_line`] parses its output.
//!
//! All functions are pure functions of bytes: no files, processes or clocks. The caller reads the pattern, keeps the
//! image in memory and starts the loader.

mod elf;
mod image;
mod line;
mod pattern;
mod tables;

pub use image::image;
pub use line::{Timing, parse_line};
pub use pattern::{Pattern, parse_program};
pub use tables::Call;
