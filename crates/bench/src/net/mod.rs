//! The only sockets of the program: power meters that the user named, and metrics served where the user said so.

pub mod exporter;
pub mod meters;
