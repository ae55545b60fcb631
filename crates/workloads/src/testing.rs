//! A board for tests, with shell scripts as programs.

use crate::job::Job;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::{Root, Timeline};
use process::scratch::{ScratchDirs, Targets};
pub use process::testing::{Program, Programs};
use process::tools::Tools;
use record::{Cluster, Cpu, Fact, Machine, Missing, Outcome, Policy, Step, Variant, WorkloadName};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicI32;

/// A board with plenty of memory and one directory of programs.
#[derive(Debug)]
pub struct Bench {
    /// Its files.
    pub root: Root,
    /// Signal that stops it; 0 for none.
    pub cancelled: AtomicI32,
    programs: Programs,
    tools: Tools,
}

impl Bench {
    /// A board with these programs.
    ///
    /// # Panics
    /// The programs cannot be written.
    pub fn new(programs: &[Program]) -> Self {
        let root = Root::from_board("== /proc/meminfo\nMemAvailable: 8000000 kB\n").unwrap();
        let programs = Programs::new(programs);
        Self { root, cancelled: AtomicI32::new(0), tools: programs.tools(), programs }
    }

    /// The directory of the programs.
    pub fn tools_directory(&self) -> &Path {
        self.programs.directory()
    }

    /// Calls `work` in a context with this folder as drive, and removes its files.
    pub fn with_targets<T>(
        &self,
        job: &Job,
        folder: Option<&Path>,
        work: impl FnOnce(&WorkloadContext, &mut StepReport) -> T,
    ) -> T {
        let targets = Targets { folder: folder.map(Path::to_owned), ..Targets::default() };
        self.with(job, |context, report| {
            work(&WorkloadContext { site: Arc::new(ScratchDirs::of(&targets)), ..context.clone() }, report)
        })
    }

    /// Calls `work` in a context of this board.
    pub fn with<T>(&self, job: &Job, work: impl FnOnce(&WorkloadContext, &mut StepReport) -> T) -> T {
        let (machine, timeline) = (Machine::default(), Timeline::start());
        let place = (&self.root, &machine, &timeline);
        work(&WorkloadContext::new(place, &self.tools, job, &self.cancelled, &|| {}), &mut StepReport::default())
    }
}

/// A machine of clusters: `(core type, number of CPUs, claimed MHz)`.
pub fn machine(clusters: &[(&str, u32, u32)]) -> Machine {
    let mut machine = Machine::default();
    for (index, (core_type, count, mhz)) in clusters.iter().enumerate() {
        let first = machine.cpus.len() as u32;
        let cpus: Vec<u32> = (first..first + count).collect();
        let core_type = Fact::Known((*core_type).to_owned());
        let online = |cpu: &u32| Cpu { cpu: *cpu, online: true, ..Cpu::default() };
        machine.cpus.extend(cpus.iter().map(online));
        machine.policies.push(Policy {
            policy: index as u32,
            clock_khz_max: Fact::Known(mhz * 1000),
            ..Policy::default()
        });
        machine.clusters.push(Cluster { cpus, core_type, policy: Some(index as u32) });
    }
    machine
}

/// A skipped step, for tests that need its name only or fill in the rest.
pub fn step(workload: impl Into<WorkloadName>) -> Step {
    let outcome = Outcome::Skipped(Missing::absent("nothing"));
    Step::new(workload, 1, Variant::ONLY, outcome)
}
