//! What can come to nothing on this machine is told before anything starts, in one sentence with the way out.
//! What may fail later, or in part, is not decided here: each step has its own reason then.

use crate::job::cpus::{online_cpus, settable_opps};
use crate::plan::stage::stages;
use crate::plan::standard::Available;
use crate::question::efficiency::{Efficiency, Sets};
use crate::question::review::watched_program;
use crate::question::sensitivity::{Load, Sensitivity};
use crate::question::{Stage, Task};
use crate::workloads::workload;
use crate::{Job, Options, Pinning, Site, Tools, WorkloadContext, sensitivity};
use machine::{Identified, Timeline};
use record::{Machine, Missing, Survey};
use std::sync::Arc;
use std::sync::atomic::AtomicI32;

/// Why a run for these options cannot come to anything here; nothing if it can.
pub fn refusal(identified: &Identified, options: &Options) -> Option<String> {
    let user = options.user.as_deref();
    let definitions = options.task.definitions();
    if let Some(why) = definitions.iter().find_map(|d| d.distrusted(user)) {
        return Some(why);
    }
    match &options.task {
        Task::Efficiency(walk) => no_walk(identified.machine(), walk),
        Task::Sensitivity(task) => no_comparison(identified, task, options),
        Task::Program(program) => {
            let no_place = || no_place(identified, [Some(&program.pinning)]);
            program.lacks_program(user).or_else(no_place)
        }
        Task::Ab(ab) => {
            let mut sides = ab.sides.iter();
            sides.find_map(|side| side.definition.lacks_program(user))
        }
        Task::Loads(loads) => {
            no_place(identified, loads.iter().map(|load| load.pinning.as_ref())).or_else(|| no_tool(loads, options))
        }
        Task::One(_) => no_workload(identified, options),
        Task::Review(review) => watched_program(review)?.lacks_program(user),
        _ => None,
    }
}

/// Programs that are to run on CPUs which are not there.
fn no_place<'a>(identified: &Identified, pinnings: impl IntoIterator<Item = Option<&'a Pinning>>) -> Option<String> {
    let lists = pinnings.into_iter().filter_map(|pinning| match pinning {
        Some(Pinning::Cpus(cpus)) => Some(cpus),
        _ => None,
    });
    // Only who names CPUs waits until the machine was looked at.
    let cpus: Vec<u32> = lists.flatten().copied().collect();
    let is_named = !cpus.is_empty();
    is_named.then(|| not_online(identified.machine(), &cpus))?
}

/// Loads of which none has its program here.
fn no_tool(loads: &[crate::Load], options: &Options) -> Option<String> {
    let tools = Tools::of_user(options.user.clone());
    let mut reasons = Vec::new();
    for load in loads {
        let kind = workload(load.workload)?.tool?;
        // One that is there is worth the run; the others give their reasons in it.
        let missing = tools.find(kind).err()?;
        let name = load.workload.as_str();
        reasons.push(format!("{name} cannot run here: {missing}"));
    }
    let way_out = "`sbc-bench list tools` says where to get it";
    (!reasons.is_empty()).then(|| format!("{}; {way_out}.", reasons.join("; ")))
}

fn no_walk(machine: &Machine, walk: &Efficiency) -> Option<String> {
    let policies = machine.policies.iter();
    if policies.clone().all(|policy| settable_opps(policy).is_empty()) {
        let way_out = "`sbc-bench sensitivity` emulates a slower clock by a CPU quota";
        return Some(format!("there is no cpufreq on this machine, so it has no OPPs to walk; {way_out}."));
    }
    match &walk.sets {
        Sets::Cpus(cpus) => not_online(machine, cpus),
        _ => None,
    }
}

fn no_comparison(identified: &Identified, task: &Sensitivity, options: &Options) -> Option<String> {
    let machine = identified.machine();
    let pinned = task.loads.iter().find_map(|load| match load {
        Load::Program(definition) => match &definition.pinning {
            Pinning::Cpus(cpus) => not_online(machine, cpus),
            _ => None,
        },
        _ => None,
    });
    if pinned.is_some() {
        return pinned;
    }
    let jobs = sensitivity::stages(machine, &Sensitivity { rounds: 1, ..task.clone() });
    none_runs(identified, jobs, options)
}

/// One workload that cannot run here.
fn no_workload(identified: &Identified, options: &Options) -> Option<String> {
    let stages = stages(identified.machine(), &Survey::default(), options, Available::default());
    none_runs(identified, stages, options)
}

/// Stages of which no step can run; the first reason.
fn none_runs(identified: &Identified, stages: Vec<Stage>, options: &Options) -> Option<String> {
    let jobs = stages.into_iter().filter_map(|stage| match stage {
        Stage::Job(job) | Stage::UntilSteady(job) => Some(job),
        _ => None,
    });
    let tools = Tools::of_user(options.user.clone());
    let mut reasons = Vec::new();
    for job in jobs {
        // One that can run is worth the run; the others give their reasons in it.
        let why = lacking(identified, &tools, &job, options)?;
        let name = job.workload.as_str();
        reasons.push(format!("{name} cannot run here: {why}"));
    }
    let first = reasons.first()?;
    Some(format!("{first}; `sbc-bench list workloads` says what can."))
}

fn lacking(identified: &Identified, tools: &Tools, job: &Job, options: &Options) -> Option<Missing> {
    let workload = workload(job.workload)?;
    let timeline = Timeline::start();
    let cancelled = AtomicI32::new(0);
    let places = (identified.root(), identified.machine(), &timeline);
    (workload.lacking)(&WorkloadContext {
        site: Arc::new(Site::of(&options.targets)),
        ..WorkloadContext::new(places, tools, job, &cancelled, &|| {})
    })
}

fn not_online(machine: &Machine, cpus: &[u32]) -> Option<String> {
    let online = online_cpus(machine);
    let missing = cpus.iter().find(|cpu| !online.contains(cpu))?;
    let online: Vec<String> = online.iter().map(u32::to_string).collect();
    let online = online.join(", ");
    Some(format!("there is no CPU {missing} online; {online} are."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::One;
    use crate::{Host, Targets};
    use machine::Root;
    use record::{Variant, WorkloadId};

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
== /sys/devices/system/cpu/cpufreq/policy0/scaling_available_frequencies
600000 1500000
";

    fn check(board: &str, task: Task, host: Option<&str>, expected: Option<&str>) {
        let root = Root::from_board(board).unwrap();
        let options = Options {
            task,
            targets: Targets { host: host.map(|host| Host::parse(host).unwrap()), ..Targets::default() },
            ..Options::default()
        };
        let found = refusal(&Identified::new(&root), &options);
        match (&found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) => assert!(found.contains(expected), "{found}"),
            _ => panic!("{found:?} instead of {expected:?}"),
        }
    }

    fn walk(sets: &str) -> Task {
        Task::Efficiency(Efficiency { sets: Sets::parse(sets).unwrap(), ..Efficiency::default() })
    }

    fn program(cpus: &[u32]) -> Task {
        Task::Program(crate::Definition {
            pinning: Pinning::Cpus(cpus.to_vec()),
            ..crate::Definition::of_command(vec!["true".into()])
        })
    }

    fn comparison(ids: &[WorkloadId]) -> Task {
        let loads = ids.iter().map(|id| Load::Workload(*id));
        Task::Sensitivity(Sensitivity { at: sensitivity::At::Extremes, loads: loads.collect(), rounds: 6 })
    }

    #[test]
    fn what_cannot_come_to_anything_is_refused() {
        let whole = BOARD.to_owned() + CPUFREQ;
        check(BOARD, walk(""), None, Some("no cpufreq"));
        check(&whole, walk(""), None, None);
        check(&whole, walk("0-1"), None, None);
        check(&whole, walk("1-2"), None, Some("no CPU 2 online; 0, 1 are."));
        check(BOARD, program(&[0, 1]), None, None);
        check(BOARD, program(&[7]), None, Some("no CPU 7 online"));
        let nothing = crate::Definition::of_command(vec!["/nowhere".into()]);
        check(BOARD, Task::Program(nothing), None, Some("there is no program /nowhere."));
        check(BOARD, comparison(&[WorkloadId::Lzma]), None, None);
        check(BOARD, comparison(&[WorkloadId::Network]), None, Some("network cannot run here: "));
        check(BOARD, comparison(&[WorkloadId::Network, WorkloadId::Lzma]), None, None);
        let one = |workload| Task::One(One { workload, variant: Variant::ONLY, cpus: Vec::new() });
        check(BOARD, one(WorkloadId::Network), None, Some("network cannot run here: "));
        check(BOARD, one(WorkloadId::MemoryLatency), None, None);
        check(BOARD, Task::Standard, None, None);
    }
}
