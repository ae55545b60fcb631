//! The pages of sbc-bench in a browser: results are read and explained where the reader is, and sent nowhere.
//!
//! [`Results`] is what a reader has opened, and gives the same pages as the program. In a browser `bindings` hands it to
//! the script of the shell; elsewhere [`shell`] makes the one HTML file that holds both.

#![forbid(unsafe_code)]

#[cfg(target_arch = "wasm32")]
mod bindings;
mod machines;
mod results;
#[cfg(not(target_arch = "wasm32"))]
pub mod shell;
pub mod unpack;

pub use results::{Results, Selection};
