//! Puts the Record together once all sections are read: clusters, policies, places of steps,
//! times.

use super::draft::{ClusterSeen, Draft};
use super::tinymembench::PLACE_BIG;
use super::topology::TopologyRow;
use super::{openssl, sevenzip, timeline};
use record::{
    Cluster, Cpu, End, Fact, Machine, Outcome, Policy, Record, SCHEMA_VERSION, Source, Step,
};

/// The Record of everything that was read.
pub(super) fn finish(mut draft: Draft) -> Record {
    let cpu_count = cpu_count(&draft);
    let clusters = clusters(&draft, cpu_count);
    let policies = policies(&mut draft, &clusters);
    place_steps(&mut draft.steps, &draft.cipher_places, &clusters, cpu_count);
    let samples = timeline::build(&mut draft, &clusters, &policies);
    blame_oom(&mut draft);
    let end_ms = samples.at_ms.last().copied().unwrap_or(0);
    let states = states(&mut draft, end_ms, &policies);
    let kernel_messages = kernel_messages(&mut draft);
    finish_run(&mut draft);
    let mut machine = std::mem::take(&mut draft.machine);
    say_not_in_log(&mut machine);
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
        steps: draft.steps,
        samples,
        kernel_messages,
    }
}

fn cpu_count(draft: &Draft) -> u32 {
    let seen = draft
        .clusters
        .iter()
        .flat_map(|cluster| &cluster.cpus)
        .max();
    let rows = draft.topology.iter().map(|row| row.cpu).max();
    let highest = seen.copied().max(rows).map_or(0, |cpu| cpu + 1);
    highest.max(draft.cpu_count.unwrap_or(0).min(super::text::CPU_MAX + 1))
}

/// Clusters as the log measures them, else as its table of CPUs has them, else all CPUs as one.
fn clusters(draft: &Draft, cpu_count: u32) -> Vec<Cluster> {
    let named =
        !draft.clusters.is_empty() && draft.clusters.iter().all(|seen| !seen.cpus.is_empty());
    let groups: Vec<Vec<u32>> = if named {
        draft
            .clusters
            .iter()
            .map(|seen| seen.cpus.clone())
            .collect()
    } else if !draft.topology.is_empty() {
        topology_groups(&draft.topology)
    } else if cpu_count > 0 {
        vec![(0..cpu_count).collect()]
    } else {
        Vec::new()
    };
    groups
        .into_iter()
        .map(|cpus| {
            let row = draft
                .topology
                .iter()
                .find(|row| Some(&row.cpu) == cpus.first());
            let seen = seen_cluster(&draft.clusters, &cpus);
            let core_type = seen.and_then(|seen| seen.core_type.clone());
            let core_type = core_type.or_else(|| row.and_then(|row| row.core_type.clone()));
            Cluster {
                core_type: core_type.map_or_else(Fact::not_in_log, Fact::Known),
                policy: match row {
                    Some(row) => row.policy,
                    None if seen.is_some_and(|seen| !seen.opps_khz.is_empty()) => {
                        cpus.first().copied()
                    }
                    None => None,
                },
                cpus,
            }
        })
        .collect()
}

/// The measured cluster of these CPUs. A heading without CPUs means the one of CPU 0.
fn seen_cluster<'a>(seen: &'a [ClusterSeen], cpus: &[u32]) -> Option<&'a ClusterSeen> {
    seen.iter().find(|seen| match seen.cpus.first() {
        Some(first) => cpus.first() == Some(first),
        None => cpus.contains(&0),
    })
}

/// CPUs of one core type in one policy. Where every CPU has a policy of its own (x86), CPUs of
/// the same type and limits belong together.
fn topology_groups(rows: &[TopologyRow]) -> Vec<Vec<u32>> {
    let mut policies: Vec<u32> = rows.iter().filter_map(|row| row.policy).collect();
    policies.sort_unstable();
    policies.dedup();
    let own_policies = rows.len() > 1 && policies.len() == rows.len();
    let key = |row: &TopologyRow| {
        let policy = row.policy.filter(|_| !own_policies);
        (row.core_type.clone(), policy, row.khz_min, row.khz_max)
    };
    let mut groups: Vec<(_, Vec<u32>)> = Vec::new();
    for row in rows {
        let key = key(row);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, cpus)) => cpus.push(row.cpu),
            None => groups.push((key, vec![row.cpu])),
        }
    }
    groups.into_iter().map(|(_, cpus)| cpus).collect()
}

/// Policies of the table of CPUs, else one for every cluster with OPPs. Governors come from the
/// review, OPPs from the first clock pass.
fn policies(draft: &mut Draft, clusters: &[Cluster]) -> Vec<Policy> {
    let reviewed = std::mem::take(&mut draft.machine.policies);
    let mut policies: Vec<Policy> = Vec::new();
    for row in &draft.topology {
        let Some(number) = row.policy else { continue };
        match policies.iter_mut().find(|policy| policy.policy == number) {
            Some(policy) => policy.cpus.push(row.cpu),
            None => {
                let mut policy = empty_policy(number, vec![row.cpu]);
                policy.clock_khz_min = row.khz_min.map_or_else(Fact::not_in_log, Fact::Known);
                policy.clock_khz_max = row.khz_max.map_or_else(Fact::not_in_log, Fact::Known);
                policies.push(policy);
            }
        }
    }
    if draft.topology.is_empty() {
        for cluster in clusters {
            policies.extend(
                cluster
                    .policy
                    .map(|policy| empty_policy(policy, cluster.cpus.clone())),
            );
        }
    }
    for policy in &mut policies {
        let cluster = clusters.iter().find(|cluster| {
            policy
                .cpus
                .first()
                .is_some_and(|cpu| cluster.cpus.contains(cpu))
        });
        let seen = cluster.and_then(|cluster| seen_cluster(&draft.clusters, &cluster.cpus));
        policy.opps_khz = seen.map(|seen| seen.opps_khz.clone()).unwrap_or_default();
        if let Some(review) = reviewed
            .iter()
            .find(|review| review.policy == policy.policy)
        {
            policy.governor.clone_from(&review.governor);
            policy.governors.clone_from(&review.governors);
            if policy.opps_khz.is_empty() {
                policy.opps_khz.clone_from(&review.opps_khz);
            }
        }
        policy.opps_khz.sort_unstable();
        policy.opps_khz.dedup();
    }
    policies
}

fn empty_policy(policy: u32, cpus: Vec<u32>) -> Policy {
    Policy {
        policy,
        cpus,
        driver: Fact::not_in_log(),
        governor: Fact::not_in_log(),
        governors: Vec::new(),
        clock_khz_min: Fact::not_in_log(),
        clock_khz_max: Fact::not_in_log(),
        limit_khz_min: Fact::not_in_log(),
        limit_khz_max: Fact::not_in_log(),
        opps_khz: Vec::new(),
    }
}

/// Gives steps the CPUs that their headings leave open.
fn place_steps(steps: &mut [Step], rows: &[openssl::Place], clusters: &[Cluster], cpu_count: u32) {
    let first_cpu = |cluster: Option<&Cluster>| {
        cluster
            .and_then(|cluster| cluster.cpus.first())
            .copied()
            .into_iter()
            .collect()
    };
    for step in steps
        .iter_mut()
        .filter(|step| step.workload.starts_with("memory-") && step.cpus.is_empty())
    {
        let big = step
            .tool
            .as_mut()
            .is_some_and(|tool| tool.argv.iter().any(|word| word == PLACE_BIG));
        step.cpus = first_cpu(if big {
            clusters.last()
        } else {
            clusters.first()
        });
    }
    for step in steps
        .iter_mut()
        .filter(|step| step.workload.starts_with("memory-"))
    {
        if let Some(tool) = &mut step.tool {
            tool.argv.clear();
        }
    }
    openssl::place(steps, rows, clusters, cpu_count);
    sevenzip::place(steps, clusters, cpu_count);
    for step in steps
        .iter_mut()
        .filter(|step| step.cpus.is_empty() && step.variant != "single")
    {
        if matches!(
            step.workload.as_str(),
            "cpuminer" | "stockfish" | "stress-ng"
        ) {
            step.threads = step.threads.max(cpu_count);
        }
    }
}

/// A run of 7-zip that ended early while the kernel killed it was short of memory.
fn blame_oom(draft: &mut Draft) {
    let killed = draft.kernel_messages.as_ref().is_some_and(|messages| {
        messages.iter().any(|message| {
            message.text.contains("(7z")
                && (message.text.contains("Kill") || message.text.contains("kill"))
        })
    });
    for step in draft
        .steps
        .iter_mut()
        .filter(|step| killed && step.workload == "sevenzip")
    {
        if let Outcome::Failed(failure) = &mut step.outcome {
            failure.kind = record::FailureKind::OutOfMemory;
            failure.message = "the kernel killed it because memory ran out".to_string();
        }
    }
}

/// The states before and after; what was counted over the run belongs to the last one.
fn states(draft: &mut Draft, end_ms: i64, policies: &[Policy]) -> Vec<record::State> {
    let mut drafts = std::mem::take(&mut draft.states);
    let counted = !draft.residencies.is_empty() || draft.firmware_bits.is_some();
    if drafts.is_empty() && counted || drafts.len() == 1 && counted {
        drafts.push(super::states::StateDraft::default());
    }
    let last = drafts.len().saturating_sub(1);
    let mut states: Vec<record::State> = drafts
        .into_iter()
        .enumerate()
        .map(|(index, state)| state.finish(if index == 0 { 0 } else { end_ms }))
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

/// Kernel messages count from boot; the log tells the time since boot to the minute only, so
/// their moments are right to the minute.
fn kernel_messages(draft: &mut Draft) -> Fact<Vec<record::KernelMessage>> {
    let Some(mut messages) = draft.kernel_messages.take() else {
        return Fact::not_in_log();
    };
    let uptime = draft
        .run
        .uptime_ms
        .known()
        .and_then(|up| i64::try_from(*up).ok());
    for message in &mut messages {
        message.at_ms = message
            .at_ms
            .zip(uptime)
            .map(|(at, up)| at.saturating_sub(up));
    }
    Fact::Known(messages)
}

/// A log with a state after the benchmarks was finished; one without ends where the run or the
/// copy of it was cut.
fn finish_run(draft: &mut Draft) {
    let run = &mut draft.run;
    if run.mode.is_empty() {
        run.mode = "standard".to_string();
    }
    // The bash program refuses to run without root.
    run.as_root = true;
    for fact in [&mut run.started] {
        if fact.known().is_none() {
            *fact = Fact::not_in_log();
        }
    }
    if run.uptime_ms.known().is_none() {
        run.uptime_ms = Fact::not_in_log();
    }
    if run.load_hundredths.known().is_none() {
        run.load_hundredths = Fact::not_in_log();
    }
    run.end = if draft.finished {
        End::Finished
    } else {
        End::Died
    };
}

fn cpus(draft: &Draft, machine: &Machine, clusters: &[Cluster], cpu_count: u32) -> Vec<Cpu> {
    (0..cpu_count)
        .map(|number| {
            let row = draft.topology.iter().find(|row| row.cpu == number);
            let cluster = clusters
                .iter()
                .find(|cluster| cluster.cpus.contains(&number));
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

/// What was not found is missing because the log does not say it, not because the run ended.
fn say_not_in_log(machine: &mut Machine) {
    let Machine {
        board,
        soc,
        zswap,
        kernel_release,
        kernel_version,
        kernel_cmdline,
        kernel_arch,
        userland_arch,
        distribution,
        build_system,
        virtualisation,
        hostname,
        compiler,
        ..
    } = machine;
    for fact in [
        board,
        soc,
        zswap,
        kernel_release,
        kernel_version,
        kernel_cmdline,
        kernel_arch,
        userland_arch,
        distribution,
        build_system,
        virtualisation,
        hostname,
        compiler,
    ] {
        if fact.known().is_none() {
            *fact = Fact::not_in_log();
        }
    }
    if machine.memory_kib.known().is_none() {
        machine.memory_kib = Fact::not_in_log();
    }
    if machine.page_size_bytes.known().is_none() {
        machine.page_size_bytes = Fact::not_in_log();
    }
}
