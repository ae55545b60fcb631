//! Intervals during which CPUs were offline, except those that the run itself switched off.

use super::{Reading, SwitchedOffCpu, gauge, matching_messages, whole_run};
use crate::Facts;
use record::{AllCpus, ChannelId, CpuChannel, CpuTime, KernelMessage, Window};

/// A stretch of time in which CPUs were away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostCpus {
    /// Start: the last moment at which they may have been online.
    pub from_ms: i64,
    /// Time of the first sample without them.
    pub seen_ms: i64,
    /// End; `None` if they did not return.
    pub to_ms: Option<i64>,
    /// Maximum number.
    pub count: i64,
}

impl LostCpus {
    /// True if they were away during a part of the window.
    pub fn is_in(&self, window: Window) -> bool {
        self.from_ms < window.end_ms && self.to_ms.is_none_or(|to_ms| to_ms > window.start_ms)
    }
}

/// `CPU3: shutdown` (arm, arm64) and `psci: CPU3 killed` name the CPU.
pub fn killed_cpu(text: &str) -> Option<u32> {
    // Called for every message: `split_once` takes longer to begin than most messages to be searched.
    let cpu = text.match_indices('C').find_map(|(at, _)| text[at..].strip_prefix("CPU"));
    let rest = cpu?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = rest.split_at(digits);
    let is_killed = rest.starts_with(": shutdown") || rest.starts_with(" killed");
    is_killed.then(|| number.parse().ok()).flatten()
}

/// Kernel messages about CPUs that the run itself had not switched off.
pub fn kill_messages<'a>(facts: &'a Facts<'_>) -> Vec<(usize, &'a KernelMessage)> {
    let ours = facts.switched_off();
    let is_ours = |message: &KernelMessage| {
        let (cpu, at_ms) = (killed_cpu(&message.text), message.at_ms);
        // A message without a time counts as one of this run, if the run has any.
        let is_of = |off: &SwitchedOffCpu| at_ms.is_none_or(|at_ms| off.is_at(at_ms));
        ours.iter().any(|off| Some(off.cpu) == cpu && is_of(off))
    };
    let mut messages = matching_messages(facts, |text| killed_cpu(text).is_some());
    messages.retain(|(_, message)| !is_ours(message));
    messages
}

/// CPUs that were offline at a reading: those without CPU time in a row in which others have some, or, if times are
/// those of all CPUs together, those in kernel messages up to then.
pub fn cpus_away(facts: &Facts<'_>, reading: &Reading) -> Vec<u32> {
    let idle = facts.samples.channels.iter().filter_map(|channel| match channel.id {
        ChannelId::Cpu(cpu, CpuChannel::Time(CpuTime::Idle)) => Some((cpu, channel.values.get(reading.row)?.is_some())),
        _ => None,
    });
    let (there, away): (Vec<_>, Vec<_>) = idle.partition(|(_, is_there)| *is_there);
    if !there.is_empty() {
        return away.into_iter().map(|(cpu, _)| cpu).collect();
    }
    let messages = kill_messages(facts);
    let before = messages.iter().filter(|(_, message)| message.at_ms.is_some_and(|at_ms| at_ms <= reading.at_ms));
    let mut cpus: Vec<u32> = before.filter_map(|(_, message)| killed_cpu(&message.text)).collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

/// All such intervals in samples, in order. Runs sample the number of online CPUs in the channel `cpu.online`.
pub(crate) fn lost_cpus(facts: &Facts<'_>) -> Vec<LostCpus> {
    let online = ChannelId::AllCpus(AllCpus::Online);
    let Some(channel) = facts.samples.channel(&online) else {
        return Vec::new();
    };
    let readings = gauge(facts, channel, whole_run());
    let ours = facts.switched_off();
    // Without CPUs that the run itself switched off.
    let count = |reading: &Reading| {
        let off = ours.iter().filter(|off| off.is_at(reading.at_ms));
        reading.value + off.count() as i64
    };
    let Some(before) = readings.first().map(|first| first.value) else {
        return Vec::new();
    };
    let mut stretches: Vec<LostCpus> = Vec::new();
    let mut last_ms = readings[0].at_ms;
    let mut is_away = false;
    for reading in &readings {
        let lost = before - count(reading);
        match (lost > 0, is_away) {
            (true, false) => {
                stretches.push(LostCpus { from_ms: last_ms, seen_ms: reading.at_ms, to_ms: None, count: lost })
            }
            (true, true) => {
                if let Some(stretch) = stretches.last_mut() {
                    stretch.count = stretch.count.max(lost);
                }
            }
            (false, true) => {
                if let Some(stretch) = stretches.last_mut() {
                    stretch.to_ms = Some(reading.at_ms);
                }
            }
            (false, false) => {}
        }
        is_away = lost > 0;
        last_ms = reading.at_ms;
    }
    stretches
}

/// Number of CPUs online before and after the run, if it lacked some at its end that it had not switched off itself.
pub fn offline_by_states(facts: &Facts<'_>) -> Option<(i64, i64)> {
    let mut counts = facts.states.iter().map(|state| state.online_cpus.len() as i64);
    let before = counts.next().filter(|before| *before > 0)?;
    let after = counts.next_back().filter(|after| *after > 0)?;
    // A CPU that stayed offline is reported by the rules on settings.
    let ours = facts.switched_off().iter();
    let after = after + ours.filter(|off| off.to_ms == i64::MAX).count() as i64;
    (after < before).then_some((before, after))
}

/// True if a CPU went or stayed away while this step ran: threads then shared the CPUs that were left.
pub fn is_short_of_cpus(facts: &Facts<'_>, step: usize) -> bool {
    let Some(step) = facts.steps.get(step) else {
        return false;
    };
    let window = step.window;
    let by_message = kill_messages(facts)
        .iter()
        .any(|(_, message)| message.at_ms.is_some_and(|at_ms| (window.start_ms..=window.end_ms).contains(&at_ms)));
    by_message || facts.lost_cpus().iter().any(|lost| lost.is_in(window))
}
