//! Hardware cycle counters for the calling thread: a second method to measure a clock.
//!
//! Three kinds, best first: the performance counters of the kernel (`perf_event_open`, one PMU for each kind of core),
//! `IA32_APERF` of x86 (`/dev/cpu/N/msr`, Intel SDM volume 3, section 16.2: counts at the clock that the core really
//! has), and the driver's average from such counters (`cpuinfo_avg_freq`,
//! <https://docs.kernel.org/admin-guide/pm/cpufreq.html>). The caller computes the clock.

use crate::Root;
use crate::faults::{self, Call};
use crate::perf::{Counters, Target};
use identify::missing_errno;
use record::{Missing, Reading};
use rustix::fs::{Mode, OFlags};
use std::os::fd::OwnedFd;

/// Register of x86 that counts cycles at the actual clock.
const IA32_APERF: u64 = 0xe8;

/// Counter that the opening thread can read repeatedly.
#[derive(Debug)]
pub struct CycleCounter(Kind);

#[derive(Debug)]
enum Kind {
    Perf(Counters),
    Aperf(OwnedFd),
}

impl CycleCounter {
    /// Counters of the calling thread, one of each available kind, with names. The thread must stay on `cpu`.
    pub fn all(root: &Root, cpu: u32) -> Vec<(&'static str, Reading<CycleCounter>)> {
        vec![("perf", Self::perf(root)), ("aperf", Self::aperf(root, cpu))]
    }

    fn perf(root: &Root) -> Reading<Self> {
        let counters = Counters::open_user(root, Target::ThisThread);
        counters.read().cycles?;
        Ok(Self(Kind::Perf(counters)))
    }

    fn aperf(root: &Root, cpu: u32) -> Reading<Self> {
        let path = format!("/dev/cpu/{cpu}/msr");
        if !root.is_system() {
            let why = "MSRs can be read on the running system only";
            return Err(Missing::unsupported(path, why));
        }
        if !cfg!(target_arch = "x86_64") {
            return Err(Missing::unsupported(path, "only x86 has IA32_APERF"));
        }
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let open = || rustix::fs::open(path.as_str(), flags, Mode::empty());
        let file = faults::pass(Call::Open, &path, open).map_err(|errno| missing_errno(&path, errno.raw_os_error()))?;
        let counter = Self(Kind::Aperf(file));
        match counter.cycles() {
            Some(0) | None => Err(Missing::unsupported(path, "IA32_APERF does not count here")),
            Some(_) => Ok(counter),
        }
    }

    /// Cycles so far; `None` if the counter stopped working.
    pub fn cycles(&self) -> Option<u64> {
        match &self.0 {
            Kind::Perf(counters) => counters.read().cycles_total().ok(),
            Kind::Aperf(file) => {
                let mut bytes = [0; 8];
                let count =
                    faults::pass_open(Call::Read, file, || rustix::io::pread(file, &mut bytes, IA32_APERF)).ok()?;
                (count == bytes.len()).then(|| u64::from_ne_bytes(bytes))
            }
        }
    }

    /// Source of the count: the PMU that saw this thread, or the register.
    pub fn name(&self) -> String {
        match &self.0 {
            Kind::Aperf(_) => "IA32_APERF".into(),
            Kind::Perf(counters) => {
                let cycles = counters.read().cycles.unwrap_or_default();
                let most = cycles.into_iter().max_by_key(|cycles| cycles.cycles);
                format!("perf {}", most.map_or("cycles".into(), |cycles| cycles.pmu))
            }
        }
    }
}

/// Recent average clock from the driver's counters, in kHz.
///
/// # Errors
/// The driver does not report it (most do not; some since about Linux 6.14).
pub fn average_khz(root: &Root, cpu: u32) -> Reading<u32> {
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/cpuinfo_avg_freq");
    root.read_number(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn board_file_has_no_cycle_counters() {
        let root = Root::from_board("== /sys/devices/system/cpu/cpu2/cpufreq/cpuinfo_avg_freq\n1799000\n").unwrap();
        for (name, counter) in CycleCounter::all(&root, 2) {
            let why = counter.err().unwrap().to_string();
            assert!(why.contains("running system"), "{name}: {why}");
        }
        assert_eq!(average_khz(&root, 2), Ok(1_799_000));
        assert!(average_khz(&root, 3).is_err());
    }
}
