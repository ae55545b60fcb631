//! The machine and the steps of a run in words.

use super::time_left;
use bench::Plan;
use facts::lines::listed;
use facts::view::step_words;
use record::{Step, Variant, WorkloadId, cpu_list};

/// Maximum number of workloads named.
const NAMED_MAX: usize = 6;

/// `Benchmarking Radxa ROCK 5B: 4 x Cortex-A55 at 1800 MHz, 4 x Cortex-A76 at 2400 MHz. Clock, AES and 7-zip; about 5 min left.`,
/// with advertised clocks.
pub(super) fn beginning(plan: &Plan<'_>, left_s: Option<u64>) -> String {
    let machine = plan.machine;
    let board = facts::machine_name(machine).map_or_else(|| "this machine".to_owned(), |name| facts::plain(name));
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for cluster in &machine.clusters {
        let Some(first) = cluster.cpus.first() else { continue };
        let policy = machine.policies.iter().find(|policy| policy.cpus.contains(first));
        let khz = policy.and_then(|policy| policy.clock_khz_max.known());
        let clock = khz.map_or_else(String::new, |khz| format!(" at {} MHz", khz / 1000));
        let kind = cluster.core_type.known().map_or_else(|| "CPU".to_owned(), |name| facts::plain(name)) + &clock;
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += cluster.cpus.len(),
            None => kinds.push((kind, cluster.cpus.len())),
        }
    }
    let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{count} x {kind}")).collect();
    let machine = if kinds.is_empty() { board } else { format!("{board}: {}", kinds.join(", ")) };
    let mut workloads: Vec<String> = plan.workloads.iter().map(|workload| workload.label().to_owned()).collect();
    workloads.dedup();
    if workloads.len() > NAMED_MAX {
        let more = workloads.len() - NAMED_MAX + 1;
        workloads.truncate(NAMED_MAX - 1);
        workloads.push(format!("{more} more"));
    }
    match (workloads.is_empty(), left_s) {
        (true, _) => format!("Benchmarking {machine}."),
        (false, None) => format!("Benchmarking {machine}. To do: {}.", listed(&workloads)),
        (false, left) => format!("Benchmarking {machine}. To do: {}; {}.", listed(&workloads), time_left(left)),
    }
}

/// `7-zip on all CPUs` for `sevenzip multi`; other names stay as they are.
pub(super) fn of_name(name: &str) -> String {
    let (workload, variant) = name.split_once(' ').unwrap_or((name, ""));
    match WorkloadId::of(workload) {
        Some(id @ (WorkloadId::OpenSsl | WorkloadId::Aes)) if variant.starts_with("aes-") => {
            format!("{} ({})", variant.to_uppercase(), if id == WorkloadId::Aes { "built-in" } else { "OpenSSL" })
        }
        Some(id) => step_words(&id.into(), &Variant::from(variant)),
        None => name.to_owned(),
    }
}

/// `7-zip on all CPUs, run 2 of 3: 8587 MIPS`.
pub(super) fn ended(name: &str, step: &Step, runs: u32) -> String {
    let mut words = of_name(name);
    if let (&[_], true) = (step.cpus.as_slice(), step.workload != WorkloadId::Clock) {
        words += &format!(" on CPU {}", cpu_list(&step.cpus));
    }
    match (step.repetition, runs) {
        (0, 0..=1) => {}
        (index, 0) => words += &format!(", run {}", index + 1),
        (index, runs) => words += &format!(", run {} of {runs}", index + 1),
    }
    format!("{words}: {}", facts::outcome(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Missing, Outcome};

    #[test]
    fn steps_have_words() {
        let outcome = Outcome::Skipped(Missing::unsupported("7z", "it is not installed"));
        let step = Step { repetition: 1, ..Step::new(WorkloadId::SevenZip, 16, Variant::MULTI, outcome) };
        for (runs, expected) in [(3, "7-zip on all CPUs, run 2 of 3: skipped: "), (0, "7-zip on all CPUs, run 2: ")] {
            assert!(ended("sevenzip multi", &step, runs).starts_with(expected));
        }
        for (name, expected) in [
            ("sevenzip multi", "7-zip on all CPUs"),
            (WorkloadId::MemoryLibc.as_str(), "libc memory bandwidth"),
            ("openssl aes-256-cbc", "AES-256-CBC (OpenSSL)"),
            ("heating with simd", "heating with simd"),
            ("clock of CPUs 0-3", "clock of CPUs 0-3"),
        ] {
            assert_eq!(of_name(name), expected);
        }
    }
}
