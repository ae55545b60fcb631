//! Resumption of a dead run: whether it is possible on this machine, and the remaining stages. Pure; the Record has the
//! completed parts.

use crate::plan::stage::{Stage, replace_program};
use crate::plan::standard::fallback_workload;
use record::{Machine, Policy, Record, Run, StartedStage};

/// Minimum difference of memory size; smaller ones are reservations of kernel and firmware.
const MEMORY_PERCENT_MIN: u64 = 2;

/// Difference that makes this another machine than that of the run; `None` if both can share a Record.
pub fn other_machine(before: &Machine, now: &Machine) -> Option<String> {
    if *before == Machine::default() {
        // It died before identification.
        return None;
    }
    let differs = |what: &str, before: Option<String>, now: Option<String>| {
        let shown = |value: Option<String>| value.unwrap_or_else(|| "unknown".into());
        (before != now).then(|| format!("{what} changed from {} to {}", shown(before), shown(now)))
    };
    let core_types = |machine: &Machine| {
        let known = |cluster: &record::Cluster| cluster.core_type.known().cloned();
        let types = machine.clusters.iter().map(|c| known(c).unwrap_or_default());
        Some(types.collect::<Vec<_>>().join(" and "))
    };
    let online = |machine: &Machine| {
        let online = machine.cpus.iter().filter(|cpu| cpu.online);
        Some(online.map(|cpu| cpu.cpu.to_string()).collect::<Vec<_>>().join(" "))
    };
    let governors = |machine: &Machine| of_policies(machine, |policy| policy.governors.join(" "));
    let opps = |machine: &Machine| of_policies(machine, |policy| format!("{:?}", policy.opps_khz));
    differs("the board", before.board.known().cloned(), now.board.known().cloned())
        .or_else(|| differs("the SoC", before.soc.known().cloned(), now.soc.known().cloned()))
        .or_else(|| differs("the core types", core_types(before), core_types(now)))
        .or_else(|| {
            let kernel = |machine: &Machine| machine.kernel_release.known().cloned();
            differs("the kernel", kernel(before), kernel(now))
        })
        .or_else(|| other_memory(before, now))
        .or_else(|| differs("the list of online CPUs", online(before), online(now)))
        .or_else(|| differs("the available governors", governors(before), governors(now)))
        .or_else(|| differs("the list of OPPs (kHz)", opps(before), opps(now)))
}

fn of_policies(machine: &Machine, words: impl Fn(&Policy) -> String) -> Option<String> {
    let all = machine.policies.iter().map(words);
    Some(all.collect::<Vec<_>>().join(", ")).filter(|words| !words.is_empty())
}

fn other_memory(before: &Machine, now: &Machine) -> Option<String> {
    let (before, now) = (*before.memory_kib.known()?, *now.memory_kib.known()?);
    let is_other = before.abs_diff(now) * 100 > before.max(now) * MEMORY_PERCENT_MIN;
    is_other.then(|| format!("the memory changed from {} MiB to {} MiB", before >> 10, now >> 10))
}

/// Completed stages and steps.
#[derive(Debug, Clone, Default)]
pub(crate) struct StageProgress {
    /// Completed stages.
    done: Vec<String>,
    /// Stage of the death, with its number of measured steps.
    open: Option<(String, usize)>,
}

/// Start of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StageStart {
    /// Not started before.
    New,
    /// Partly completed: number of measured steps.
    GoesOn(usize),
    /// Completed.
    Done,
}

impl StageProgress {
    /// Progress of the run with this Record.
    pub(crate) fn of(record: &Record) -> Self {
        let Some((open, done)) = record.run.stages.split_last() else { return Self::default() };
        let words = |stage: &StartedStage| stage.stage.clone();
        let steps = record.steps.len().saturating_sub(open.first_step);
        Self { done: done.iter().map(words).collect(), open: Some((words(open), steps)) }
    }

    /// Start of the stage with this key.
    pub(crate) fn beginning(&mut self, words: &str) -> StageStart {
        if let Some(at) = self.done.iter().position(|done| done == words) {
            self.done.remove(at);
            return StageStart::Done;
        }
        match self.open.take_if(|(open, _)| open == words) {
            Some((_, steps)) => StageStart::GoesOn(steps),
            None => StageStart::New,
        }
    }

    fn has(&self, words: &str) -> bool {
        let open = self.open.iter().map(|(open, _)| open);
        self.done.iter().chain(open).any(|begun| begun == words)
    }

    /// Remaining stages, with the settings that they need.
    pub(crate) fn left(&mut self, mut stages: Vec<Stage>) -> Vec<Stage> {
        self.replace_unusable(&mut stages);
        stages.retain(|stage| match stage.words() {
            Some(words) => match self.done.iter().position(|done| *done == words) {
                Some(at) => {
                    self.done.remove(at);
                    false
                }
                None => true,
            },
            None => true,
        });
        // Of successive settings, only the last take effect.
        let mut left: Vec<Stage> = Vec::new();
        for stage in stages {
            if let (Some(Stage::ApplySettings(_)), Stage::ApplySettings(_)) = (left.last(), &stage) {
                left.pop();
            }
            left.push(stage);
        }
        left
    }

    /// Replaces programs that failed in the earlier part.
    fn replace_unusable(&self, stages: &mut [Stage]) {
        let planned: Vec<Option<String>> = stages.iter().map(Stage::words).collect();
        for at in 0..stages.len() {
            let Stage::Job(job) = &stages[at] else { continue };
            let other = fallback_workload(job).and_then(|other| Stage::Job(other).words());
            if other.is_some_and(|other| self.has(&other) && !planned.contains(&Some(other))) {
                let program = job.workload;
                replace_program(&mut stages[at..], program);
            }
        }
    }
}

/// Reason to skip a step in which the machine died repeatedly.
pub(crate) fn why_left_out(run: &Run, step: &str) -> Option<String> {
    let is_deadly = run.deadly_steps().iter().any(|deadly| deadly == step);
    is_deadly.then(|| {
        let deaths = run.deaths().filter(|died| died.step.as_deref() == Some(step));
        format!("skipped because the board died in it {} times", deaths.count())
    })
}

#[cfg(test)]
mod tests;
