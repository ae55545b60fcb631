//! Timed loops in inline assembly: clock, memory bandwidth, memory latency, core-to-core latency, load.
//!
//! All code here measures the time for a known amount of work. The clock comes from chains of dependent operations
//! ([`clock`]), bandwidth from routines that declare the bytes per turn ([`memory`], [`routine`]), latency from a
//! pointer chase along one random cycle ([`latency`]), core-to-core latency from a shared cache line
//! ([`core_to_core`]). General workloads are [`load`] and [`aes`].
//!
//! This crate does no I/O, depends on no other crate of the project and does not allocate inside a timed region. It
//! neither pins threads nor interprets figures: callers pin, and every repetition is returned to them.
//!
//! All `unsafe` code of the project outside of system calls is here: [`arch`] contains the assembly, [`routine`] passes
//! slices to it, [`buffer`] maps memory, [`latency`] follows pointers, [`timer`] makes one system call, and
//! [`translation`] runs generated code. All of them export safe functions only.

#![deny(unsafe_code)]

pub mod aes;
pub mod arch;
pub mod buffer;
pub mod clock;
pub mod core_to_core;
pub mod flops;
pub mod latency;
pub mod libc_loop;
pub mod load;
pub mod memory;
pub mod probe;
pub mod routine;
pub mod timer;
pub mod translation;

mod plain;
mod random;

pub use arch::isa_features;
