//! For tests: a bench on a made board, with programs that are a few lines of shell.

use crate::{Job, ScratchDirs, StepReport, Targets, Tools, WorkloadContext};
use machine::{Root, Timeline};
use record::{Cluster, Cpu, Fact, Machine, Missing, Outcome, Policy, Step, Variant, WorkloadName};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// Runs the body under the given name.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/testing/program.sh");

/// A program: its name and what its shell runs.
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) body: String,
}

/// A board with plenty of memory and one directory of programs.
pub(crate) struct Bench {
    pub(crate) root: Root,
    pub(crate) cancelled: AtomicI32,
    directory: PathBuf,
    tools: Tools,
}

impl Bench {
    pub(crate) fn new(programs: &[Program]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("sbc-bench-test-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).unwrap();
        for program in programs {
            let path = directory.join(&program.name);
            std::os::unix::fs::symlink(PROGRAM, &path).unwrap();
            std::fs::write(path.with_extension("body"), &program.body).unwrap();
        }
        let root = Root::from_board("== /proc/meminfo\nMemAvailable: 8000000 kB\n").unwrap();
        Self { root, cancelled: AtomicI32::new(0), tools: Tools::in_directories(vec![directory.clone()]), directory }
    }

    /// The directory of the programs.
    pub(crate) fn tools_directory(&self) -> &Path {
        &self.directory
    }

    /// Runs something at a place whose drive is under this folder, and removes what it has left there.
    pub(crate) fn with_targets<T>(
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

    /// Runs something at a place of this bench.
    pub(crate) fn with<T>(&self, job: &Job, work: impl FnOnce(&WorkloadContext, &mut StepReport) -> T) -> T {
        let (machine, timeline) = (Machine::default(), Timeline::start());
        let place = (&self.root, &machine, &timeline);
        work(&WorkloadContext::new(place, &self.tools, job, &self.cancelled, &|| {}), &mut StepReport::default())
    }
}

/// A machine of clusters: `(core type, number of CPUs, claimed MHz)`.
pub(crate) fn machine(clusters: &[(&str, u32, u32)]) -> Machine {
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

/// A step that was skipped, for tests that need only its name or fill in the rest.
pub(crate) fn step(workload: impl Into<WorkloadName>) -> Step {
    let outcome = Outcome::Skipped(Missing::absent("nothing"));
    Step::new(workload, 1, Variant::ONLY, outcome)
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
