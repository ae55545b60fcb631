//! The table of CPUs with their clusters, policies, clocks and core types, in the classic layout.

use record::{Cpu, Machine, cpu_list};
use std::fmt::Write;

/// Maximum number of lines; above it, consecutive equal CPUs share a line.
const LINES_MAX: usize = 24;

/// `CPU sysfs topology (clusters, cpufreq members, clockspeeds)` with one line for each CPU, or for consecutive equal
/// CPUs if there are many.
pub fn topology(machine: &Machine) -> String {
    let mut text = "CPU sysfs topology (clusters, cpufreq members, clockspeeds)\n\
                    \x20                cpufreq   min    max\n\
                    \x20CPU    cluster  policy   speed  speed   core type\n"
        .to_owned();
    let many = machine.cpus.len() > LINES_MAX;
    // First CPU of a row, its line, and all CPUs of the row.
    let mut rows: Vec<(String, Vec<u32>)> = Vec::new();
    for cpu in &machine.cpus {
        let line = line(machine, cpu, many);
        match rows.last_mut().filter(|(known, _)| many && *known == line) {
            Some((_, cpus)) => cpus.push(cpu.cpu),
            None => rows.push((line, vec![cpu.cpu])),
        }
    }
    for (line, cpus) in rows {
        let _ = writeln!(text, "{:>3} {line}", cpu_list(&cpus));
    }
    if machine.cpus.is_empty() {
        text.push_str("  (not reported)\n");
    }
    text
}

/// Columns after the number of the CPU. With many CPUs, the numbers of clusters and policies, which make every line
/// differ, are left out.
fn line(machine: &Machine, cpu: &Cpu, many: bool) -> String {
    let policy = machine.policies.iter().find(|p| p.cpus.contains(&cpu.cpu));
    let mhz = |khz: Option<&u32>| khz.map_or("-".to_owned(), |khz| (khz / 1000).to_string());
    let mut core_type = cpu.core_type.known().cloned().unwrap_or_else(|| "-".into());
    if let Some(stepping) = cpu.stepping.known() {
        let _ = write!(core_type, " / {stepping}");
    }
    if !cpu.online {
        core_type.push_str(" (offline)");
    }
    // Kernels number clusters of one CPU each, or none at all: the index in the Record counts.
    let known = machine.clusters.iter().position(|cluster| cluster.cpus.contains(&cpu.cpu));
    let cluster = known.map_or_else(|| cpu.cluster.to_string(), |index| index.to_string());
    let (cluster, number) = match policy {
        _ if many => ("-".to_owned(), "-".to_owned()),
        None => (cluster, "-".to_owned()),
        Some(policy) => (cluster, policy.policy.to_string()),
    };
    format!(
        "{cluster:>8} {number:>8} {:>8} {:>7}   {core_type}",
        mhz(policy.and_then(|policy| policy.clock_khz_min.known())),
        mhz(policy.and_then(|policy| policy.clock_khz_max.known())),
    )
}
