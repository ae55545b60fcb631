//! The table of workloads. Each workload is one file with its documentation, code and tests.

#![forbid(unsafe_code)]
// Tests make their boards and programs by path, in folders of their own.
#![cfg_attr(any(test, feature = "testing"), allow(clippy::disallowed_methods))]

mod aes;
mod attributes;
mod copy;
mod core_to_core;
mod cpuminer;
mod defined;
mod drive;
mod flops;
pub mod foreign;
mod geekbench;
pub mod job;
mod lzma;
pub mod measure;
mod memory;
mod memory_bandwidth;
mod memory_copy;
mod memory_latency;
mod memory_libc;
mod memory_loaded;
mod memory_scaling;
mod network;
mod network_cpu;
mod opengl;
mod openssl;
pub mod packages;
mod phoronix;
mod program;
mod scored;
pub mod sevenzip;
mod simd;
mod ssh_copy;
mod stockfish;
pub mod survey;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod video;

pub use attributes::{Attributes, ClockForm, DurationRule, Needs, OppRepetitions};
pub(crate) use opengl::XVFB;

use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use process::tools::ToolKind;
use record::{Failure, Missing, Outcome, StableSort, StepMeasurement, Variant, WorkloadId};
use std::sync::LazyLock;

/// One kind of work that is measured.
#[derive(Debug, Clone, Copy)]
pub struct Workload {
    /// Name in the Record and on the command line, in kebab-case.
    pub id: WorkloadId,
    /// One sentence: its work and the meaning of its figures.
    pub about: &'static str,
    /// Link to its documentation.
    pub link: &'static str,
    /// The external program; `None` for built-in work.
    pub tool: Option<&'static ToolKind>,
    /// Shape of a run by name; `None` for workloads that run as in the standard run.
    pub shape: Option<Shape>,
    /// Further attributes.
    pub attributes: Attributes,
    /// Why it cannot run here although its tool is installed, such as too little memory. Called before every step.
    pub lacking: fn(&WorkloadContext) -> Option<Missing>,
    /// Runs it once; called by [`Workload::measure`].
    pub run: fn(&WorkloadContext, &mut StepReport) -> Result<StepMeasurement, Failure>,
}

/// Shape of a workload that is run by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Variants, all of which run by default; empty if one must be named.
    pub variants: &'static [Variant],
    /// CPUs of each variant.
    pub places: Places,
    /// Repetitions of each variant at each place.
    pub repetitions: u32,
    /// Expected duration of a repetition, in seconds.
    pub seconds: u64,
}

/// Sets of CPUs that a workload runs on in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// All CPUs.
    All,
    /// One CPU of every core type.
    OneOfEachType,
    /// One CPU of every core type, then all CPUs if there are several.
    OneOfEachTypeThenAll,
    /// All CPUs of every core type once, if there are several, with the other CPUs switched off if possible, for programs
    /// that start a thread for each online CPU regardless of affinity. Then all CPUs, repeated.
    EachTypeThenAll,
}

impl Workload {
    /// Defaults of the table's rows.
    const PLAIN: Self = Self {
        id: WorkloadId::Program,
        about: "",
        link: "",
        tool: None,
        shape: None,
        attributes: Attributes::PLAIN,
        lacking: |_| None,
        run: |_, _| unreachable!("every row has its own"),
    };

    /// Why it cannot run here: tool or memory is missing.
    pub fn missing(&self, context: &WorkloadContext) -> Option<Missing> {
        self.tool.and_then(|kind| context.tools.find(kind).err()).or_else(|| (self.lacking)(context))
    }

    /// Runs it once unless something is missing. Returns its report also after a failure.
    pub fn measure(&self, context: &WorkloadContext) -> (StepReport, Outcome) {
        let mut report = StepReport::new(context.not_comparable.clone());
        let outcome = match self.missing(context) {
            Some(missing) => Outcome::Skipped(missing),
            None => match (self.run)(context, &mut report) {
                Ok(measured) => Outcome::Done(measured),
                Err(failure) => Outcome::Failed(failure),
            },
        };
        (report, outcome)
    }
}

/// All workloads, by id.
pub static WORKLOADS: LazyLock<Vec<Workload>> = LazyLock::new(|| {
    let mut workloads: Vec<Workload> = CODED.iter().copied().chain(defined::workloads()).collect();
    workloads.stable_sort_by_key(|workload| workload.id.as_str());
    workloads
});

/// Workloads in code.
const CODED: &[Workload] = &[
    aes::AES,
    core_to_core::CORE_TO_CORE,
    cpuminer::CPUMINER,
    drive::DRIVE,
    flops::FLOPS,
    geekbench::GEEKBENCH,
    lzma::LZMA,
    memory_bandwidth::MEMORY_BANDWIDTH,
    memory_copy::MEMORY_COPY,
    memory_latency::MEMORY_LATENCY,
    memory_libc::MEMORY_LIBC,
    memory_loaded::MEMORY_LOADED,
    memory_scaling::MEMORY_SCALING,
    network::NETWORK,
    network_cpu::NETWORK_CPU,
    opengl::OPENGL,
    openssl::OPENSSL,
    phoronix::PHORONIX,
    program::PROGRAM,
    ssh_copy::RSYNC,
    sevenzip::SEVENZIP,
    ssh_copy::SFTP,
    simd::SIMD,
    stockfish::STOCKFISH,
    video::VIDEO,
];

/// The workload with this id.
pub fn workload(id: WorkloadId) -> Option<&'static Workload> {
    WORKLOADS.iter().find(|workload| workload.id == id)
}

/// The workload with this name.
pub fn named(name: &str) -> Option<&'static Workload> {
    let mut workloads = WORKLOADS.iter();
    workloads.find(|workload| workload.id.as_str() == name)
}

/// Whether a name has another meaning in Records.
pub fn is_taken(name: &str) -> bool {
    name == WorkloadId::Clock.as_str() || named(name).is_some()
}

/// Why a job between CPUs cannot run on one.
fn no_other_cpu(context: &WorkloadContext, so: &str) -> Option<Missing> {
    let why = || format!("there is only one CPU, so {so}");
    (context.job.cpus.len() < 2).then(|| Missing::unsupported(context.job.workload.as_str(), why()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::testing::Bench;

    #[test]
    fn table_is_sorted_and_complete() {
        for pair in WORKLOADS.windows(2) {
            let [before, id] = [pair[0].id, pair[1].id].map(WorkloadId::as_str);
            let known = WorkloadId::ALL.contains(&pair[1].id);
            assert!(known, "{id} is bound by something");
            assert!(before < id, "{before} before {id}");
        }
        for workload in WORKLOADS.iter() {
            let id = workload.id.as_str();
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(!id.is_empty() && id.chars().all(kebab), "{id:?}");
            assert!(workload.about.ends_with('.') && workload.about.len() > 30, "{id}");
            assert!(workload.link.starts_with("https://"), "{id}");
        }
    }

    #[test]
    fn no_other_cpu_on_single_core() {
        for id in [WorkloadId::CoreToCore, WorkloadId::MemoryLoaded] {
            let workload = workload(id).unwrap();
            let lacks = |cpus: &[u32]| {
                let job = Job { workload: id, cpus: cpus.to_vec(), ..Job::default() };
                Bench::new(&[]).with(&job, |context, _| workload.missing(context))
            };
            let why = lacks(&[3]).unwrap();
            assert_eq!(why.path, id.as_str());
            assert!(why.to_string().contains("only one CPU"), "{why}");
            assert_eq!(lacks(&[0, 1]), None, "{id:?}");
        }
    }
}
