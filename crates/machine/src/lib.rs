//! Access to Linux: root, identity, settings, sensors, sampler.
//!
//! The only crate that opens `/proc`, `/sys` and `/dev`. It never starts a process and never prints. Everything is read
//! through a [`Root`], so that a directory or a text file can replace a machine.

#![deny(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod aftermath;
mod available_memory;
pub mod cgroup;
pub mod cycles;
pub mod faults;
pub mod files;
pub mod foreign;
mod group;
mod huge_pages;
mod identified;
pub mod kernel_log;
mod number;
mod outbox;
pub mod perf;
mod power_supplies;
pub mod processes;
mod rights;
mod root;
mod sampler;
pub mod sensors;
pub mod settings;
pub mod signals;
mod snapshot;
mod state;
mod storage;
mod survey;
pub mod suspend;
pub mod switchable_device;
mod syscall;
mod terminal;
mod thermometer;
pub mod threads;
pub mod timeline;
pub mod vcio;

pub use ::identify::{BoardFile, Texts, is_cpuinfo};
pub use aftermath::aftermath;
pub use available_memory::available_kib;
pub use group::{Group, Membership};
pub use huge_pages::huge_kib;
pub use identified::{LazyMachine, identify, root_of_texts};
pub use kernel_log::KernelLog;
pub use outbox::Outbox;
pub use rights::{Accounts, Caller, Trust, caller, keep_descriptors};
pub use root::{Root, Source, WritePolicy};
pub use sampler::{
    Failure, IdleCpuAffinity, LatestValues, Options as SamplerOptions, Sampler, SamplerThread, raise_priority,
};
pub use snapshot::{snapshot, snapshot_of};
pub use state::{load_hundredths, on_battery, state, uptime_ms};
pub use storage::in_memory;
pub use survey::{denied_cpus, survey};
pub use terminal::{Terminal, terminal};
pub use thermometer::{Thermometer, critical_millicelsius};
pub use timeline::Timeline;

/// True if this process runs as root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
