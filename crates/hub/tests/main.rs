//! Tests of the hub as clients and operators use it, one module per subject.

#![allow(clippy::disallowed_methods, reason = "tests make files for the hub")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests print figures that they do not assert")]

mod api;
mod begin;
mod changes;
mod common;
mod document;
mod faults;
mod finished;
mod folders;
mod hostile;
mod kills;
mod lists;
mod openapi;
mod operator;
mod power;
mod private;
mod schemathesis;
mod shares;
mod soak;
mod store;
mod workers;
