//! Refuses runs that cannot give a result on this machine before they start, in one sentence with the way out.
//! Later and partial failures are not decided here: each step has its own reason.

use super::Task;
use crate::plan::stage::Stage;
use crate::{Load, Options};
use machine::{LazyMachine, Timeline};
use process::scratch::ScratchDirs;
use process::tools::Tools;
use record::{Machine, Missing, WorkloadId};
use std::sync::Arc;
use std::sync::atomic::AtomicI32;
use workloads::job::Job;
use workloads::job::cpus::online_cpus;
use workloads::job::pinning::CpuSelection;
use workloads::measure::context::WorkloadContext;
use workloads::workload;

/// Facts known before a run starts.
#[derive(Debug, Clone, Copy)]
pub struct StartFacts<'a> {
    /// The machine, identified on first use.
    pub identified: &'a LazyMachine<'a>,
    /// Options of the run.
    pub options: &'a Options,
}

/// Reason to refuse a run of this task; `None` if it can start.
pub fn refusal(task: &dyn Task, identified: &LazyMachine, options: &Options) -> Option<String> {
    let user = options.user.as_deref();
    let definitions = task.definitions();
    let distrusted = definitions.iter().find_map(|definition| definition.distrusted(user));
    distrusted.or_else(|| task.refusal(&StartFacts { identified, options }))
}

/// Refuses programs pinned to absent CPUs.
pub(super) fn no_place<'a>(asked: &StartFacts, pinnings: impl IntoIterator<Item = &'a CpuSelection>) -> Option<String> {
    let lists = pinnings.into_iter().filter_map(|pinning| match pinning {
        CpuSelection::Cpus(cpus) => Some(cpus),
        _ => None,
    });
    // The machine is identified only if CPUs are named.
    let cpus: Vec<u32> = lists.flatten().copied().collect();
    let is_named = !cpus.is_empty();
    is_named.then(|| not_online(asked.identified.machine(), &cpus))?
}

/// Refuses loads if the programs of all of them are missing.
pub(super) fn no_tool(asked: &StartFacts, loads: &[Load]) -> Option<String> {
    let tools = Tools::of_user(asked.options.user.clone());
    let mut reasons = Vec::new();
    for load in loads {
        let kind = workload(load.workload)?.tool?;
        // One available program is enough; the steps of the others have their reasons.
        let missing = tools.find(kind).err()?;
        let name = load.workload.as_str();
        reasons.push(format!("{name} cannot run: {missing}"));
    }
    let way_out = "see `sbc-bench list tools`";
    (!reasons.is_empty()).then(|| format!("{}; {way_out}.", reasons.join("; ")))
}

/// Refuses a program named by a variable that is not of its kind.
pub(super) fn misnamed(asked: &StartFacts, id: WorkloadId) -> Option<String> {
    let tools = Tools::of_user(asked.options.user.clone());
    let missing = tools.misnamed(workload(id)?.tool?)?;
    Some(format!("{missing}."))
}

/// Refuses stages if no step can run, with the first reason.
pub(super) fn no_stage_runs(asked: &StartFacts, stages: Vec<Stage>) -> Option<String> {
    let jobs = stages.iter().filter_map(Stage::job);
    let tools = Tools::of_user(asked.options.user.clone());
    let mut reasons = Vec::new();
    for job in jobs {
        // One runnable step is enough; the others have their reasons.
        let why = lacking(asked, &tools, job)?;
        let name = job.workload.as_str();
        reasons.push(format!("{name} cannot run: {why}"));
    }
    let first = reasons.first()?;
    Some(format!("{first}; see `sbc-bench list workloads`."))
}

fn lacking(asked: &StartFacts, tools: &Tools, job: &Job) -> Option<Missing> {
    let workload = workload(job.workload)?;
    let timeline = Timeline::start();
    let cancelled = AtomicI32::new(0);
    let places = (asked.identified.root(), asked.identified.machine(), &timeline);
    workload.missing(&WorkloadContext {
        site: Arc::new(ScratchDirs::of(&asked.options.targets)),
        ..WorkloadContext::new(places, tools, job, &cancelled, &|| {})
    })
}

pub(super) fn not_online(machine: &Machine, cpus: &[u32]) -> Option<String> {
    let online = online_cpus(machine);
    let missing = cpus.iter().find(|cpu| !online.contains(cpu))?;
    let online: Vec<String> = online.iter().map(u32::to_string).collect();
    let online = online.join(", ");
    Some(format!("CPU {missing} is not online; online CPUs: {online}."))
}

/// Refuses a question about several CPUs if there is only one.
pub(super) fn fewer_than_two(machine: &Machine, wanted: &[u32], about: &str) -> Option<String> {
    let online = online_cpus(machine);
    match (&online[..], wanted) {
        ([only], _) => Some(format!("It takes two CPUs to measure {about}; only CPU {only} is online.")),
        (_, [only]) => Some(format!("It takes two CPUs to measure {about}; --cpus leaves only CPU {only}.")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::variant::{Form, RepeatedWorkload};
    use crate::question::ab::{Ab, Side};
    use crate::question::efficiency::{CpuSets, Efficiency};
    use crate::question::program::Program;
    use crate::question::sensitivity::{ClockSelection, Sensitivity};
    use crate::question::standard::Standard;
    use crate::question::thermal::Thermal;
    use crate::question::workload::SingleWorkload;
    use machine::Root;
    use process::scratch::Targets;
    use process::scratch::host::Host;
    use record::Variant;
    use workloads::job::definition::Definition;
    use workloads::job::setting::Setting;

    const BOARD: &str = "\
== /sys/devices/system/cpu/online
0-1
== /sys/devices/system/cpu/present
0-1
== /proc/cpuinfo
processor\t: 0
processor\t: 1
";
    const CPUFREQ: &str = "\
== /sys/devices/system/cpu/cpufreq/policy0/related_cpus
0 1
== /sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq
1500000
== /sys/devices/system/cpu/cpufreq/policy0/cpuinfo_min_freq
600000
== /sys/devices/system/cpu/cpufreq/policy0/scaling_available_frequencies
600000 1500000
";

    fn check(board: &str, task: impl Task, host: Option<&str>, expected: Option<&str>) {
        let root = Root::from_board(board).unwrap();
        let options = Options {
            targets: Targets { host: host.map(|host| Host::parse(host).unwrap()), ..Targets::default() },
            ..Options::default()
        };
        let found = refusal(&task, &LazyMachine::new(&root), &options);
        match (&found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) => assert!(found.contains(expected), "{found}"),
            _ => panic!("{found:?} instead of {expected:?}"),
        }
    }

    fn walk(sets: &str) -> Efficiency {
        Efficiency { sets: CpuSets::parse(sets).unwrap(), ..Efficiency::default() }
    }

    fn program(cpus: &[u32]) -> Program {
        Program(Definition {
            pinning: CpuSelection::Cpus(cpus.to_vec()),
            ..Definition::of_command(vec!["true".into()])
        })
    }

    /// Sides without and with these settings.
    fn sides(settings: &str) -> Ab {
        let definition = workloads::job::definition::Definition::of_command(vec!["true".into()]);
        let settings = Setting::parse_list(settings).unwrap().unwrap();
        let side = |settings| Side { words: String::new(), settings, definition: definition.clone() };
        Ab { sides: [side(Vec::new()), side(settings)], blocks: 6 }
    }

    fn comparison(ids: &[WorkloadId]) -> Sensitivity {
        let load = |id: &WorkloadId| RepeatedWorkload::Form(Form { workload: *id, variant: Variant::ONLY });
        Sensitivity { at: ClockSelection::Extremes, loads: ids.iter().map(load).collect(), rounds: 6 }
    }

    #[test]
    fn impossible_tasks_are_refused() {
        let whole = BOARD.to_owned() + CPUFREQ;
        check(BOARD, walk(""), None, Some("no cpufreq"));
        check(&whole, walk(""), None, None);
        check(&whole, walk("0-1"), None, None);
        check(&whole, walk("1-2"), None, Some("CPU 2 is not online; online CPUs: 0, 1."));
        check(BOARD, program(&[0, 1]), None, None);
        check(BOARD, program(&[7]), None, Some("CPU 7 is not online"));
        let nothing = workloads::job::definition::Definition::of_command(vec!["/nowhere".into()]);
        check(BOARD, Program(nothing), None, Some("Program /nowhere not found."));
        check(BOARD, comparison(&[WorkloadId::Lzma]), None, None);
        check(BOARD, comparison(&[WorkloadId::Network]), None, Some("network cannot run: "));
        check(BOARD, comparison(&[WorkloadId::Network, WorkloadId::Lzma]), None, None);
        let one = |workload| SingleWorkload { workload, variant: Variant::ONLY, cpus: CpuSelection::All };
        check(BOARD, one(WorkloadId::Network), None, Some("network cannot run: "));
        check(BOARD, one(WorkloadId::MemoryLatency), None, None);
        check(BOARD, Standard, None, None);
        let network = Form { workload: WorkloadId::Network, variant: Variant::own("send") };
        let of_network = Efficiency { load: Some(network.clone()), ..Efficiency::default() };
        check(&whole, of_network, None, Some("network cannot run: "));
        let heat = |load| Thermal { load, ..Thermal::default() };
        check(BOARD, heat(RepeatedWorkload::Form(network)), None, Some("network cannot run: "));
        check(BOARD, Thermal::default(), None, None);
        let nothing = Box::new(workloads::job::definition::Definition::of_command(vec!["/nowhere".into()]));
        check(BOARD, heat(RepeatedWorkload::Program(nothing)), None, Some("Program /nowhere not found."));
        let huge_pages = BOARD.to_owned() + "== /sys/kernel/mm/transparent_hugepage/enabled\nalways [madvise] never\n";
        check(&huge_pages, sides("thp=never"), None, None);
        check(&huge_pages, sides("thp=bla"), None, Some("bla is not one of always [madvise] never"));
        check(BOARD, sides("thp=never"), None, Some("does not exist"));
        check(BOARD, sides("governor=powersave"), None, Some("no cpufreq"));
        check(&whole, sides("maxkhz=2000000"), None, Some("2000000 kHz is outside 600000 to 1500000 kHz"));
        check(BOARD, sides("cpus=9"), None, Some("CPU 9 is not online; online CPUs: 0, 1."));
        check(BOARD, sides("cpus=1"), None, None);
    }
}
