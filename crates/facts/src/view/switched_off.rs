//! CPUs that the run itself has switched off, for programs that start a thread for each CPU they see. Those
//! that a kernel switches off by itself are not here.

use record::Record;

/// Switching takes some hundredths of a second for each CPU; on slow boards the kernel waits for longer.
/// What is seen so near to a change is its work.
const AROUND_MS: i64 = 2000;

/// A CPU and when it was off, with what is near to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchedOff {
    /// The CPU.
    pub cpu: u32,
    /// From here, in milliseconds of the run.
    pub from_ms: i64,
    /// To here.
    pub to_ms: i64,
}

impl SwitchedOff {
    /// True if it was off, or about to be, at this moment.
    pub fn is_at(&self, at_ms: i64) -> bool {
        (self.from_ms..=self.to_ms).contains(&at_ms)
    }
}

/// Every time the run has switched a CPU off. One that it did not switch on again came back at the end of the
/// run, after the last sample, or when the run died.
pub(crate) fn switched_off(record: &Record) -> Vec<SwitchedOff> {
    let mut all: Vec<SwitchedOff> = Vec::new();
    for change in &record.settings {
        let (Some(cpu), Some(at_ms)) = (cpu_of(&change.path), change.at_ms) else {
            continue;
        };
        match change.new.as_str() {
            "0" => all.push(SwitchedOff { cpu, from_ms: at_ms - AROUND_MS, to_ms: died_after(record, at_ms) }),
            _ => {
                let last = all.iter_mut().rev().find(|off| off.cpu == cpu);
                last.into_iter().for_each(|off| off.to_ms = at_ms + AROUND_MS);
            }
        }
    }
    all
}

/// When the run went on after it had died with such a setting; never, if it did not.
fn died_after(record: &Record, at_ms: i64) -> i64 {
    let mut parts = record.run.resumed.iter().map(|part| part.at_ms);
    parts.find(|part_ms| at_ms < *part_ms).unwrap_or(i64::MAX)
}

/// The CPU of `/sys/devices/system/cpu/cpu3/online`.
fn cpu_of(path: &str) -> Option<u32> {
    let rest = path.strip_prefix("/sys/devices/system/cpu/cpu")?;
    rest.strip_suffix("/online")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{own_run, with_cpu_switched};

    #[test]
    fn times_begin_and_end_with_the_changes() {
        let record = with_cpu_switched(own_run(), 3, 10_000, Some(20_000));
        let record = with_cpu_switched(record, 2, 30_000, None);
        let found: Vec<_> = switched_off(&record).iter().map(|off| (off.cpu, off.from_ms, off.to_ms)).collect();
        assert_eq!(found, [(3, 8_000, 22_000), (2, 28_000, i64::MAX)]);
        assert_eq!(cpu_of("/sys/devices/system/cpu/cpufreq/policy0/online"), None);
    }
}
