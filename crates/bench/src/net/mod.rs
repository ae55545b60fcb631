//! The only sockets of the program: power meters and hubs that the user named; pages and metrics served where the user said so.

pub mod browser;
pub mod exporter;
pub mod hub;
pub mod meters;
pub mod server;
