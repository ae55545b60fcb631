//! Identifies a machine from its files: board, CPUs, clusters, cpufreq policies, memory, kernel, distribution.
//!
//! All files are read through a [`Tree`]: the running system or a directory (`machine::Root`), or one text that
//! contains a machine's files ([`BoardFile`]), so that identification works without the machine. The crate starts no
//! programs, measures nothing and evaluates no scripts. A fact that cannot be read is missing with its reason, and no
//! failure stops the others. Concluding the SoC from scored hints is done elsewhere.

#![forbid(unsafe_code)]

mod board;
mod board_file;
mod caches;
mod chip;
mod clusters;
mod core_type;
mod cpu_files;
mod cpufreq;
mod cpuinfo;
mod cpus;
mod data;
mod distribution;
mod errno;
mod features;
mod hybrid;
mod kmsg;
mod memory;
mod order;
mod os;
mod soc;
mod texts;
mod tree;
mod virtualisation;

pub use board::compatible;
pub use board_file::{BoardFile, Entry, normal};
pub use chip::{heads as chip_heads, with_amlogic_id};
pub use cpu_files::read_list;
pub use cpufreq::residencies;
pub use cpus::online;
pub use errno::{ERRORS, missing_errno};
pub use kmsg::{KmsgRecord, boot_messages, parse_kmsg};
pub use memory::{memory as memory_state, swaps, unescape_octal};
pub use order::natural_key;
pub use os::{hostname, kernel_release, page_size_bytes};
pub use texts::{Texts, is_cpuinfo};
pub use tree::{RunningSystem, Tree};

use cpuinfo::CpuInfo;
use record::{Fact, Machine, Missing};

/// Identifies the machine behind these files. Takes a few milliseconds, on servers with hundreds of CPUs several dozen.
pub fn identify(root: &dyn Tree) -> Machine {
    let info = CpuInfo::parse(&root.read("/proc/cpuinfo").unwrap_or_default());
    let policies = cpufreq::policies(root, &cpus::present(root, &info));
    let cpus = cpus::cpus(root, &info, &policies);
    let compatible = board::compatible(root);
    let mut features = features::features(root);
    features.extend(distribution::details(root));
    let mut firmware = board::firmware(root);
    firmware.extend(root.running().map(RunningSystem::firmware).unwrap_or_default());
    Machine {
        board: board::board(root).into(),
        soc: soc::soc(root, &compatible, &info).into(),
        chip: chip::chip(root, &info),
        compatible,
        firmware,
        clusters: clusters::clusters(&cpus, &policies),
        cpus,
        policies,
        memory_kib: memory::memory(root).map(|memory| memory.total_kib).into(),
        zswap: memory::zswap(root).into(),
        kernel_release: os::kernel_release(root).into(),
        kernel_version: os::kernel_version(root).into(),
        kernel_cmdline: os::kernel_cmdline(root).into(),
        kernel_arch: os::kernel_arch(root, &info).into(),
        userland_arch: os::userland_arch(root).into(),
        page_size_bytes: os::page_size_bytes(root).into(),
        distribution: distribution::distribution(root).into(),
        build_system: distribution::build_system(root).into(),
        virtualisation: virtualisation::virtualisation(root, &info).into(),
        // Emulation is detected by running code, which this crate does not do.
        emulation: match root.running() {
            Some(_) => Fact::not_reached(),
            None => Missing::unsupported("", "only running code shows it; these are the files of a machine").into(),
        },
        hostname: os::hostname(root),
        compiler: Fact::Missing {
            missing: Missing::unsupported("", "only the original sbc-bench builds its own tools"),
        },
        features,
        // The inspection of a machine reads them.
        supplies: Vec::new(),
    }
}
