//! `microbench`: the timed loops of sbc-bench and the inline assembly they are made of.
//!
//! Everything here answers one kind of question: how long does the machine take for a known amount
//! of work? The clock comes from chains of dependent operations ([`clock`]), bandwidth from
//! routines that each declare what a turn moves ([`memory`], [`routine`]), latency from a walk
//! along one random cycle ([`latency`]), the way between CPUs from a ball ([`core_to_core`]). Loads
//! that are not for measuring one thing alone are [`load`] and [`aes`].
//!
//! This crate does no I/O, knows no other crate of the project and allocates nothing inside a timed
//! region. It does not pin threads, judge figures or choose the best of several: callers pin, every
//! repetition is handed out, and judging is done elsewhere.
//!
//! It is the home of `unsafe`: [`arch`] holds the assembly, [`routine`] hands it slices, [`buffer`]
//! maps memory, [`latency`] follows pointers, [`timer`] makes one system call, and [`translation`] runs code that it wrote. All of
//! them offer safe functions only.

#![deny(unsafe_code)]

pub mod aes;
pub mod arch;
pub mod buffer;
pub mod clock;
pub mod core_to_core;
pub mod latency;
pub mod libc_loop;
pub mod load;
pub mod memory;
pub mod routine;
pub mod timer;
pub mod translation;

mod plain;
mod random;

pub use arch::isa_features;
