//! Pages of sbc-bench in a browser, which explain results locally.
//! Nothing is uploaded.
//!
//! [`Results`] holds the files that a reader has opened and renders the same pages as the program. In a browser
//! `bindings` exposes it to the script of the shell; on other targets [`shell`] builds the HTML file that contains
//! both.

#![forbid(unsafe_code)]

#[cfg(target_arch = "wasm32")]
mod bindings;
mod machines;
mod results;
#[cfg(not(target_arch = "wasm32"))]
pub mod shell;
pub mod unpack;

pub use results::{Results, Selection};
