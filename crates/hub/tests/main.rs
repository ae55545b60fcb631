//! Tests of the hub as clients and operators use it, one module per subject.

mod api;
mod begin;
mod changes;
mod common;
mod faults;
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
