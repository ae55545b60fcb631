//! The only sockets of the program: power meters, hubs and releases that the user named; pages and metrics served where the
//! user said so.

mod address;
pub mod browser;
mod curl;
pub mod exporter;
pub(crate) mod fetch;
pub mod hub;
pub mod meters;
pub mod references;
pub mod server;
