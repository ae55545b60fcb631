//! What a run runs on: board, CPUs, clusters, cpufreq policies, memory, kernel, distribution.
//!
//! Everything is read from files through the [`Root`]; nothing is measured, nothing asked of
//! other programs, nothing evaluated. What cannot be read is missing with its reason, and no
//! failure stops the rest. Concluding the SoC from scores of hints is not done here.

mod board;
mod caches;
mod chip;
mod clusters;
mod core_type;
mod cpu_files;
mod cpufreq;
mod cpuinfo;
mod cpus;
pub(crate) mod data;
mod distribution;
mod features;
mod hybrid;
mod memory;
mod os;
mod soc;
mod virtualisation;

pub(crate) use board::compatible;
pub(crate) use chip::{heads as chip_heads, with_amlogic_id};
pub(crate) use cpu_files::read_list;
pub(crate) use cpufreq::residencies;
pub(crate) use cpus::online;
pub(crate) use memory::{memory as memory_state, swaps};
pub(crate) use os::{hostname, kernel_release, page_size_bytes};

use crate::Root;
use cpuinfo::CpuInfo;
use record::{Fact, Machine, Missing};
use std::sync::OnceLock;

/// A root in which only these texts are known: `/proc/cpuinfo`, the strings of the device tree's
/// `compatible`, and its model. With a base, they stand in the places of its files.
pub fn root_of_texts(base: Option<&Root>, cpuinfo: Option<&[u8]>, compatible: &[String], model: Option<&str>) -> Root {
    let mut root = base.cloned().unwrap_or_else(Root::empty);
    if let Some(text) = cpuinfo {
        root = root.with_file("/proc/cpuinfo", text);
    }
    if !compatible.is_empty() {
        let path = format!("{}/compatible", board::DEVICE_TREE);
        root = root.with_file(&path, compatible.join("\0").as_bytes());
    }
    if let Some(model) = model {
        root = root.with_file(&format!("{}/model", board::DEVICE_TREE), model.as_bytes());
    }
    root
}

/// The machine behind a root, identified once, when it is first asked for: the process that has to know it before a run asks the
/// same that goes to the Record.
#[derive(Debug)]
pub struct Identified<'a> {
    root: &'a Root,
    found: OnceLock<Machine>,
}

impl<'a> Identified<'a> {
    /// Nothing is looked at yet.
    pub fn new(root: &'a Root) -> Self {
        Self { root, found: OnceLock::new() }
    }

    /// Where everything is read.
    pub fn root(&self) -> &'a Root {
        self.root
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        self.found.get_or_init(|| identify(self.root))
    }
}

/// Identifies the machine behind this root. Takes a few milliseconds, on servers with hundreds of
/// CPUs a few dozen.
pub fn identify(root: &Root) -> Machine {
    let info = CpuInfo::parse(&root.read("/proc/cpuinfo").unwrap_or_default());
    let policies = cpufreq::policies(root, &cpus::present(root, &info));
    let cpus = cpus::cpus(root, &info, &policies);
    let compatible = board::compatible(root);
    let mut features = features::features(root);
    features.extend(distribution::details(root));
    let mut firmware = board::firmware(root);
    firmware.extend(crate::vcio::firmware(root));
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
        // It shows in code that runs, not in files.
        emulation: Fact::not_reached(),
        hostname: os::hostname(root),
        compiler: Fact::Missing {
            missing: Missing::unsupported("", "only the original sbc-bench builds its own tools"),
        },
        features,
    }
}
