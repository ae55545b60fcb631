//! Phases: intervals of the run with one workload.

use record::{Outcome, Record, Step, Variant, Window, WorkBound, WorkloadId, WorkloadName};

/// Consecutive steps of the same workload, variant and CPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// Indexes in `Record::steps`.
    pub steps: Vec<usize>,
    /// Id of the workload.
    pub workload: WorkloadName,
    /// Limiting resource.
    pub bound: WorkBound,
    /// In words for people.
    pub name: String,
    /// From the start of the first to the end of the last step.
    pub window: Window,
    /// CPUs that the workload itself can keep busy.
    pub busy_cpus: u32,
}

impl Phase {
    /// True if the workload keeps one CPU busy and all others idle.
    pub fn is_single_threaded(&self) -> bool {
        self.busy_cpus == 1 && self.workload.id().is_some_and(WorkloadId::is_single_threaded)
    }

    /// True if the workload keeps all of `cpu_count` CPUs busy. Loads on a drive or a network do not, regardless of
    /// their threads.
    pub fn is_full_load(&self, cpu_count: u32) -> bool {
        let computes = matches!(self.bound, WorkBound::Cpu | WorkBound::Memory | WorkBound::Unknown);
        let is_wide = cpu_count > 0 && self.busy_cpus >= cpu_count;
        is_wide && computes && self.workload != WorkloadId::Clock
    }
}

/// All phases in order. Steps without a window of their own (some logs) are in none.
pub(crate) fn phases(record: &Record) -> Vec<Phase> {
    let online = super::cpu_use::cpu_count(record).unwrap_or(1);
    let mut phases: Vec<Phase> = Vec::new();
    for (index, step) in record.steps.iter().enumerate() {
        let was_run = !matches!(step.outcome, Outcome::Skipped(_));
        // Monitoring alone is not a workload.
        let is_own = !step.workload.is_within_another() && step.workload != WorkloadId::Watch;
        if !was_run || !is_own || step.window.elapsed_ms() <= 0 {
            continue;
        }
        let busy_cpus = if step.variant.is_multi_of_any_kind() && step.cpus.is_empty() {
            // A failed run in a log has no number of threads.
            busy_cpus_expected(step).max(online)
        } else {
            busy_cpus_expected(step)
        };
        match phases.last_mut() {
            Some(last)
                if last.workload == step.workload
                    && last.busy_cpus == busy_cpus
                    && (last.window == step.window || last.name == phase_name(step)) =>
            {
                // Logs have one window for all algorithms or sizes of a workload.
                let label = step.workload.label();
                if last.name != label && last.name != phase_name(step) {
                    last.name = label.to_owned();
                }
                last.steps.push(index);
                last.window.start_ms = last.window.start_ms.min(step.window.start_ms);
                last.window.end_ms = last.window.end_ms.max(step.window.end_ms);
            }
            _ => phases.push(Phase {
                steps: vec![index],
                workload: step.workload.clone(),
                bound: WorkBound::of(&step.workload, &step.variant),
                name: phase_name(step),
                window: step.window,
                busy_cpus,
            }),
        }
    }
    phases
}

/// Name of the workload, for people; tools with several memory figures have their own name.
fn phase_name(step: &Step) -> String {
    const TOOLS: [&str; 2] = ["tinymembench", "ramlat"];
    let variant = step.variant.as_str();
    let mut tools = TOOLS.iter().filter(|tool| step.workload.is_of_memory() && variant.starts_with(**tool));
    tools.next().map_or_else(|| step_name(step), |tool| (*tool).to_owned())
}

/// CPUs that a step keeps busy by itself: its threads, but at most the CPUs that it was pinned to. Old versions pinned
/// several threads of 7-zip to one CPU.
pub fn busy_cpus_expected(step: &Step) -> u32 {
    let threads = step.threads.max(1);
    match step.cpus.len() as u32 {
        0 => threads,
        pinned => threads.min(pinned),
    }
}

/// A step in words for people.
pub fn step_name(step: &Step) -> String {
    step_words(&step.workload, &step.variant)
}

/// A form of a workload in words for people.
pub fn step_words(workload: &WorkloadName, variant: &Variant) -> String {
    let workload = workload.label();
    if variant.is_only() {
        workload.to_owned()
    } else if *variant == Variant::SINGLE {
        format!("{workload} single-threaded")
    } else if *variant == Variant::OTHER_VERSION {
        format!("{workload} of another version, single-threaded")
    } else if *variant == Variant::MULTI {
        format!("{workload} on all CPUs")
    } else if workload == WorkloadId::Clock.label() && !variant.as_str().contains("CPU") {
        format!("{workload} {}", variant.as_str().replace('-', " "))
    } else {
        format!("{workload} {variant}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, own_run, with_step};

    #[test]
    fn equal_steps_in_a_row_are_one_phase() {
        let mut record = own_run();
        record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 10.0), compression(2000));
        for run in 0..3 {
            let start = 20.0 + 10.0 * f64::from(run);
            let window = (start, start + 9.0);
            record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], window, compression(7000));
        }
        let phases = phases(&record);
        assert_eq!(phases.len(), 2);
        assert!(phases[0].is_single_threaded() && !phases[0].is_full_load(4));
        assert!(phases[1].is_full_load(4));
        assert_eq!(phases[1].steps, [1, 2, 3]);
        assert_eq!(phases[1].window.end_ms, 49_000);
        assert_eq!(phases[1].name, "7-zip on all CPUs");
    }

    #[test]
    fn threads_pinned_to_one_cpu_keep_one_cpu_busy() {
        let mut record = own_run();
        record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 10.0), compression(2000));
        record.steps[0].threads = 4;
        assert_eq!(busy_cpus_expected(&record.steps[0]), 1);
    }
}
