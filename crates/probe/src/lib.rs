//! `probe`: a program of a few kilobytes that calls `memcpy` or `memset` of the machine's own C library, made at run
//! time.
//!
//! A static program carries the C library that it was built with; the programs of a distribution use another one, and
//! on some machines a third more or less of what the memory can do. So that one is measured by a program which the
//! distribution's own loader binds to the distribution's own library. No compiler makes it: [`parse_program`] reads what
//! programs of this distribution look like (instruction set, loader, name of the library), [`image`] writes one like
//! them around the loop of `microbench::libc_loop`, and [`parse_line`] reads what that prints.
//!
//! Everything here is a function of bytes: no files, no processes, no clock. The process that calls reads the pattern, keeps the
//! image in memory and starts the loader.

#![forbid(unsafe_code)]

mod elf;
mod image;
mod line;
mod pattern;
mod tables;

pub use image::image;
pub use line::{Timed, parse_line};
pub use pattern::{Pattern, parse_program};
pub use tables::Call;
