//! Assembles the Record from all sections: CPUs of steps, states, missing facts.

use super::clusters::{cpu_count, find as find_clusters, policies as find_policies};
use super::draft::Draft;
use super::rows::StateDraft;
use super::topology::lscpu;
use super::{openssl, phases, sevenzip, timeline};
use record::{
    Cluster, Cpu, End, Fact, Machine, Mode, Outcome, Policy, Record, SCHEMA_VERSION, Source, Variant, WorkloadId,
};
use redact::{BLANK, names_a_model};

/// Assembles the Record from the draft.
pub(super) fn finish(mut draft: Draft) -> Record {
    let cpu_count = cpu_count(&draft);
    let clusters = find_clusters(&draft, cpu_count);
    let policies = find_policies(&mut draft, &clusters);
    phases::add_lost_steps(&mut draft, cpu_count);
    place_steps(&mut draft, &clusters, cpu_count);
    let samples = timeline::build(&mut draft, &clusters, &policies);
    blame_oom(&mut draft);
    let end_ms = samples.at_ms.last().copied().unwrap_or(0);
    let states = states(&mut draft, end_ms, &policies, cpu_count);
    let kernel_messages = kernel_messages(&mut draft);
    finish_run(&mut draft);
    let mut machine = std::mem::take(&mut draft.machine);
    name_x86(&mut machine);
    name_board(&mut machine);
    complete(&mut machine);
    machine.cpus = cpus(&draft, &machine, &clusters, cpu_count);
    machine.clusters = clusters;
    machine.policies = policies;
    Record {
        schema: SCHEMA_VERSION,
        source: Source::Log(draft.log),
        run: draft.run,
        gate: Fact::not_in_log(),
        machine,
        states,
        settings: Vec::new(),
        unmet_settings: Vec::new(),
        steps: draft.steps,
        samples,
        soc_temperature: Fact::not_reached(),
        marks: Vec::new(),
        surveys: Vec::new(),
        kernel_messages,
        probes: Vec::new(),
        unread: Vec::new(),
    }
}

/// Assigns CPUs to steps whose headings name none.
fn place_steps(draft: &mut Draft, clusters: &[Cluster], cpu_count: u32) {
    let steps = &mut draft.steps;
    let first_cpu =
        |cluster: Option<&Cluster>| cluster.and_then(|cluster| cluster.cpus.first()).copied().into_iter().collect();
    for (index, step) in steps.iter_mut().enumerate() {
        if step.workload.is_of_memory() && step.cpus.is_empty() {
            step.cpus = first_cpu(if draft.on_big_core.contains(&index) {
                clusters.last().filter(|_| clusters.len() > 1)
            } else {
                clusters.first()
            });
        }
    }
    for (index, core_type) in &draft.step_core_types {
        let cluster = clusters.iter().find(|cluster| cluster.core_type.known() == Some(core_type));
        if let Some(step) = steps.get_mut(*index) {
            step.cpus = first_cpu(cluster);
        }
    }
    openssl::place(steps, &draft.cipher_places, clusters, cpu_count);
    sevenzip::place(steps, clusters, cpu_count);
    for step in steps.iter_mut().filter(|step| step.cpus.is_empty() && step.variant != Variant::SINGLE) {
        use WorkloadId::{Cpuminer, Stockfish, StressNg};
        if let Some(Cpuminer | Stockfish | StressNg) = step.workload.id() {
            step.threads = step.threads.max(cpu_count);
        }
    }
}

/// Marks failed 7-zip runs as out of memory if the kernel killed 7-zip.
fn blame_oom(draft: &mut Draft) {
    let killed = draft.kernel_messages.as_ref().is_some_and(|messages| {
        messages.iter().any(|message| {
            message.text.contains("(7z") && (message.text.contains("Kill") || message.text.contains("kill"))
        })
    });
    for step in draft.steps.iter_mut().filter(|step| killed && step.workload == WorkloadId::SevenZip) {
        if let Outcome::Failed(failure) = &mut step.outcome {
            failure.kind = record::FailureKind::OutOfMemory;
            failure.message = "killed by the OOM killer".to_string();
        }
    }
}

/// States before and after the benchmarks; counters of the whole run belong to the last state.
fn states(draft: &mut Draft, end_ms: i64, policies: &[Policy], cpu_count: u32) -> Vec<record::State> {
    let mut drafts = std::mem::take(&mut draft.states);
    let counted = !draft.residencies.is_empty() || draft.firmware_bits.is_some();
    if counted && drafts.len() < 2 {
        drafts.push(StateDraft::default());
    }
    let last = drafts.len().saturating_sub(1);
    let mut states: Vec<record::State> = drafts
        .into_iter()
        .enumerate()
        .map(|(index, state)| {
            let before = index == 0 && state.line.is_some();
            let online_cpus = match state.online {
                // iostat counts CPUs and does not name them.
                Some(online) if online == cpu_count => (0..cpu_count).collect(),
                _ if index > 0 && index == last => draft.online_cpus.clone(),
                _ => Vec::new(),
            };
            record::State { online_cpus, ..state.finish(if before { 0 } else { end_ms }) }
        })
        .collect();
    if let Some(state) = states.get_mut(last) {
        for (line, mut residency) in std::mem::take(&mut draft.residencies) {
            if residency.cpus.is_empty()
                && let [only] = policies
            {
                residency.cpus.clone_from(&only.cpus);
            }
            state.line.get_or_insert(line);
            state.residencies.push(residency);
        }
        if let Some((line, bits)) = draft.firmware_bits {
            state.line.get_or_insert(line);
            state.firmware_throttle_bits = Fact::Known(bits);
        }
    }
    states
}

/// Kernel messages count from boot, and the log gives the time since boot in minutes, so timestamps are accurate to a
/// minute.
fn kernel_messages(draft: &mut Draft) -> Fact<Vec<record::KernelMessage>> {
    let Some(mut messages) = draft.kernel_messages.take() else { return Fact::not_in_log() };
    let uptime = draft.run.uptime_ms.known().and_then(|up| i64::try_from(*up).ok());
    for message in &mut messages {
        message.at_ms = message.at_ms.zip(uptime).map(|(at, up)| at.saturating_sub(up));
    }
    Fact::Known(messages)
}

/// A log with a state after the benchmarks is complete; otherwise the run or its copy was cut.
fn finish_run(draft: &mut Draft) {
    let run = &mut draft.run;
    if run.mode == Mode::Unknown {
        run.mode = Mode::Standard;
    }
    // The bash program refuses to run without root.
    run.as_root = true;
    say_not_in_log(&mut run.started);
    say_not_in_log(&mut run.uptime_ms);
    say_not_in_log(&mut run.load_hundredths);
    run.end = if draft.finished { End::Finished } else { End::Died };
}

/// On x86 the name of the processor is the name of the SoC; elsewhere it names the core type.
fn name_x86(machine: &mut Machine) {
    let arch = machine.kernel_arch.known().map_or("", String::as_str);
    let is_x86 = arch.starts_with("x86") || arch.starts_with('i') && arch.ends_with("86");
    if is_x86
        && machine.soc.known().is_none()
        && let Some(name) = lscpu(machine, "Model name")
    {
        machine.soc = Fact::Known(name.to_string());
    }
}

/// Number of letters of a container id, which is the host name in a container.
const CONTAINER_ID_LETTERS: usize = 12;

/// Replaces the host name, which the scripts print for unknown boards, by the name from DMI or the device tree.
/// Published logs redact the host name.
fn name_board(machine: &mut Machine) {
    let is_hosts = |name: &str| {
        let host = machine.hostname.known().map_or("", |host| host.split('.').next().unwrap_or(host));
        let is_id = name.len() == CONTAINER_ID_LETTERS && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let first = name.split('.').next().unwrap_or(name);
        first == BLANK || is_id || first == host && !names_a_model(name)
    };
    if machine.board.known().is_none_or(|name| !is_hosts(name)) {
        return;
    }
    let dmi = |name: &str| {
        let pair = machine.firmware.iter().find(|pair| pair.name == name);
        pair.map(|pair| pair.value.trim()).filter(|value| !value.is_empty())
    };
    let product = dmi("device/Product Name").map(|product| match dmi("device/Manufacturer") {
        Some(maker) if !product.starts_with(maker) => format!("{maker} {product}"),
        _ => product.to_string(),
    });
    let tree = || machine.compatible.first().cloned();
    machine.board = product.or_else(tree).map_or_else(Fact::not_in_log, Fact::Known);
}

fn cpus(draft: &Draft, machine: &Machine, clusters: &[Cluster], cpu_count: u32) -> Vec<Cpu> {
    (0..cpu_count)
        .map(|number| {
            let row = draft.topology.iter().find(|row| row.cpu == number);
            let cluster = clusters.iter().find(|cluster| cluster.cpus.contains(&number));
            let known = machine.cpus.iter().find(|cpu| cpu.cpu == number);
            let core_type = row.and_then(|row| row.core_type.clone());
            let core_type = core_type.or_else(|| cluster?.core_type.known().cloned());
            let stepping = row.and_then(|row| row.stepping.clone());
            Cpu {
                cpu: number,
                online: draft.topology.is_empty() || row.is_some(),
                core_type: core_type.map_or_else(Fact::not_in_log, Fact::Known),
                stepping: stepping.map_or_else(Fact::not_in_log, Fact::Known),
                midr: Fact::not_in_log(),
                package: -1,
                cluster: row.map_or(-1, |row| row.cluster),
                core: -1,
                siblings: Vec::new(),
                capacity: Fact::not_in_log(),
                features: Vec::new(),
                caches: known.map(|cpu| cpu.caches.clone()).unwrap_or_default(),
            }
        })
        .collect()
}

fn say_not_in_log<T>(fact: &mut Fact<T>) {
    if fact.known().is_none() {
        *fact = Fact::not_in_log();
    }
}

/// Marks all unknown facts of the machine.
fn complete(machine: &mut Machine) {
    for fact in [
        &mut machine.board,
        &mut machine.soc,
        &mut machine.zswap,
        &mut machine.kernel_release,
        &mut machine.kernel_version,
        &mut machine.kernel_cmdline,
        &mut machine.kernel_arch,
        &mut machine.userland_arch,
        &mut machine.distribution,
        &mut machine.build_system,
        &mut machine.virtualisation,
        &mut machine.hostname,
        &mut machine.compiler,
    ] {
        say_not_in_log(fact);
    }
    say_not_in_log(&mut machine.memory_kib);
    say_not_in_log(&mut machine.page_size_bytes);
}
