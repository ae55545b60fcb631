//! CPUs switched off by the run itself, for programs that start a thread for each visible CPU. CPUs switched off by the
//! kernel are not included.

use record::Record;

/// Distance from a change within which samples are affected: switching takes hundredths of a second for each CPU,
/// longer on slow boards.
const AROUND_MS: i64 = 2000;

/// A CPU and the interval in which it was off, with a margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchedOffCpu {
    /// The CPU.
    pub cpu: u32,
    /// From here, in milliseconds of the run.
    pub from_ms: i64,
    /// To here.
    pub to_ms: i64,
}

impl SwitchedOffCpu {
    /// True if it was off or about to be switched off at this moment.
    pub fn is_at(&self, at_ms: i64) -> bool {
        (self.from_ms..=self.to_ms).contains(&at_ms)
    }
}

/// Every interval in which the run had switched off a CPU. Without a matching start, it ends at the end of the run, at
/// the last sample, or at the death of the run.
pub(crate) fn switched_off(record: &Record) -> Vec<SwitchedOffCpu> {
    let mut all: Vec<SwitchedOffCpu> = Vec::new();
    for change in &record.settings {
        let (Some(cpu), Some(at_ms)) = (cpu_of(&change.path), change.at_ms) else {
            continue;
        };
        match change.new.as_str() {
            "0" => all.push(SwitchedOffCpu { cpu, from_ms: at_ms - AROUND_MS, to_ms: died_after(record, at_ms) }),
            _ => {
                let last = all.iter_mut().rev().find(|off| off.cpu == cpu);
                last.into_iter().for_each(|off| off.to_ms = at_ms + AROUND_MS);
            }
        }
    }
    all
}

/// Time at which the run resumed after it had died with such a setting; `i64::MAX` if it did not.
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
