//! Terminal of the user: streams, signals, progress, monitor. Only this crate prints.

#![forbid(unsafe_code)]

pub mod input;
pub mod monitor;
pub mod output;
mod paint;
pub mod progress;
pub mod read;
pub mod run_screen;
mod run_watch;
pub mod signals;
pub mod status;
pub mod stderr;
pub mod terminal_caps;
pub mod wrap;
mod write;
