//! States of a power measurement: idle with several governors and without devices, loads, and sleep.

use super::{Part, Power};
use crate::plan::stage::{PowerLoad, PowerState, Stage, at_once};
use crate::plan::variant::Form;
use record::{Machine, Variant, WorkloadId};
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::{cpus_by_speed, numbers_of_cpus};
use workloads::job::setting::Setting;

/// Maximum time of an idle state, of each load, and of a machine that is off.
const IDLE_LIMIT: Duration = Duration::from_secs(40);
const LOAD_LIMIT: Duration = Duration::from_secs(16);
pub(super) const OFF_LIMIT: Duration = Duration::from_secs(60);
/// One repetition of a load: even a meter with one reading per second gives several.
const LOAD_TIME: Duration = Duration::from_secs(8);
/// Time asleep: energy counters of meters have grown measurably then.
const SLEEP_TIME: Duration = Duration::from_secs(20);

pub(super) fn idle(name: Variant, limit: Duration) -> Stage {
    Stage::Power(PowerState { name, load: PowerLoad::Idle, limit })
}

/// All states in their order, with the settings between them.
pub(super) fn stages(power: &Power, machine: &Machine, can_set: bool) -> Vec<Stage> {
    let has = |part: Part| power.parts.contains(&part);
    let governor = |name: &str| {
        let is_offered =
            can_set && machine.policies.iter().any(|policy| policy.governors.iter().any(|own| own == name));
        is_offered.then(|| Stage::ApplySettings(vec![Setting::Governor(name.to_owned())]))
    };
    let mut stages = vec![Stage::LoadStep];
    if has(Part::Idle) || has(Part::Devices) {
        stages.push(idle(Variant::IDLE, IDLE_LIMIT));
    }
    for name in ["performance", "powersave"].into_iter().filter(|_| has(Part::Idle)) {
        if let Some(side) = governor(name) {
            stages.extend([side, idle(format!("idle, {name}").into(), IDLE_LIMIT)]);
        }
    }
    for device in power.devices.iter().filter(|_| can_set) {
        stages.push(Stage::ApplySettings(vec![Setting::Node(device.node(), device.off.clone())]));
        stages.push(idle(format!("idle, {} off", device.label).into(), IDLE_LIMIT));
    }
    if has(Part::Load) {
        stages.push(governor("performance").unwrap_or(Stage::ApplySettings(Vec::new())));
        stages.extend(loads(machine).into_iter().map(Stage::Power));
    }
    stages.push(Stage::ApplySettings(Vec::new()));
    for sleep in &power.sleeps {
        if let Some((node, kind)) = sleep.setting() {
            stages.push(Stage::ApplySettings(vec![Setting::Node(node, kind)]));
        }
        stages.push(Stage::Suspend(sleep.clone(), SLEEP_TIME));
    }
    if !power.sleeps.is_empty() {
        stages.push(Stage::ApplySettings(Vec::new()));
    }
    stages
}

/// Integer, SIMD and memory load on each number of CPUs, then all loads at once with the drive and the GPU.
fn loads(machine: &Machine) -> Vec<PowerState> {
    let cpus = cpus_by_speed(machine);
    let mut states = Vec::new();
    let job = |workload: WorkloadId, variant: Variant, cpus: &[u32]| Job {
        time: Some(LOAD_TIME),
        ..Job::on(workload, variant, cpus.to_vec())
    };
    let jobs = |cpus: &[u32]| {
        let lzma = if cpus.len() == 1 { Variant::SINGLE } else { format!("on-{}-cpus", cpus.len()).into() };
        [
            job(WorkloadId::Lzma, lzma, cpus),
            job(WorkloadId::Flops, Variant::own("fp64"), cpus),
            job(WorkloadId::MemoryCopy, Variant::ONLY, cpus),
        ]
    };
    for count in numbers_of_cpus(cpus.len()) {
        let on = if count == 1 { "1 CPU".to_owned() } else { format!("{count} CPUs") };
        states.extend(jobs(&cpus[..count]).map(|job| PowerState {
            name: format!("{} on {on}", job.workload.label()).into(),
            load: PowerLoad::Job(job),
            limit: LOAD_LIMIT,
        }));
    }
    let gpu = Form::first(WorkloadId::OpenGl.as_str()).ok().flatten();
    let drive = Form { workload: WorkloadId::Drive, variant: Variant::own("read") };
    let others = [drive].into_iter().chain(gpu).map(|form| form.job(cpus.clone()));
    let jobs: Vec<Job> = jobs(&cpus).into_iter().chain(others).collect();
    let name = at_once(jobs.iter().map(|job| job.workload));
    states.push(PowerState { name, load: PowerLoad::Together(jobs), limit: LOAD_LIMIT });
    states
}
