//! Cycle counter of one CPU for all tasks.

use super::pmu::{CALL, DEVICES, Pmu, READ_TIMES, core_pmus, event_number, refused, values};
use crate::Root;
use crate::syscall::{PerfAttributes, perf_event_open};
use record::{Missing, Reading, parse_cpu_list};
use std::os::fd::OwnedFd;

/// Counts the cycles of one CPU while it is not idle.
#[derive(Debug)]
pub struct CpuCycles {
    pmu: String,
    counter: OwnedFd,
}

impl CpuCycles {
    /// Opens the counter of a CPU.
    ///
    /// # Errors
    /// The CPU has none, permission is denied, or the root is a copy of a machine.
    pub fn open(root: &Root, cpu: u32) -> Reading<Self> {
        if !root.is_system() {
            let reason = "cycles can be counted on the running system only";
            return Err(Missing::unsupported(CALL, reason));
        }
        let mut refusal = refused(libc::ENOENT);
        for pmu in pmus_of(root, cpu) {
            let attributes = PerfAttributes {
                kind: pmu.kind,
                config: pmu.config,
                read_format: READ_TIMES,
                ..PerfAttributes::default()
            };
            match perf_event_open(&attributes, -1, Some(cpu)) {
                Ok(counter) => {
                    return Ok(Self { pmu: pmu.name, counter });
                }
                Err(errno) => refusal = refused(errno),
            }
        }
        Err(refusal)
    }

    /// Name of the PMU.
    pub fn pmu(&self) -> &str {
        &self.pmu
    }

    /// Cycles so far. Does not allocate.
    ///
    /// # Errors
    /// The errno.
    pub fn read(&self) -> Result<i64, i32> {
        let mut bytes = [0; 24];
        let count = rustix::io::read(&self.counter, &mut bytes).map_err(|e| e.raw_os_error())?;
        // An empty read means an error state, because the CPU went offline.
        if count != bytes.len() {
            return Err(libc::ENODEV);
        }
        Ok(values(&bytes).0 as i64)
    }
}

/// Counters for the cycles of a CPU, best first: the PMU of its kind of core, then `APERF` of x86, which counts in the
/// same way.
fn pmus_of(root: &Root, cpu: u32) -> Vec<Pmu> {
    let mut pmus = core_pmus(root);
    pmus.retain(|pmu| {
        let cpus = parse_cpu_list(&pmu.cpus).unwrap_or_default();
        cpus.is_empty() || cpus.contains(&cpu)
    });
    let value = |file: &str| root.read_value(&format!("{DEVICES}/msr/{file}")).ok();
    let aperf = value("events/aperf").and_then(|event| event_number(&event));
    let kind = value("type").and_then(|kind| kind.parse().ok());
    if let Some((config, kind)) = aperf.zip(kind) {
        pmus.push(Pmu { name: "msr aperf".into(), cpus: String::new(), kind, config });
    }
    pmus
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cpu_is_asked_at_its_own_pmu() {
        let board = "\
== /sys/bus/event_source/devices/cpu_core/type
4
== /sys/bus/event_source/devices/cpu_core/cpus
0-3
== /sys/bus/event_source/devices/cpu_core/events/cpu-cycles
event=0x3c
== /sys/bus/event_source/devices/cpu_atom/type
10
== /sys/bus/event_source/devices/cpu_atom/cpus
4-7
== /sys/bus/event_source/devices/cpu_atom/events/cpu-cycles
event=0x3c
== /sys/bus/event_source/devices/msr/type
9
== /sys/bus/event_source/devices/msr/events/aperf
event=0x01
";
        let root = Root::from_board(board).unwrap();
        for (cpu, expected) in [(1, ["cpu_core", "msr aperf"]), (5, ["cpu_atom", "msr aperf"])] {
            let pmus = pmus_of(&root, cpu);
            let names: Vec<&str> = pmus.iter().map(|pmu| pmu.name.as_str()).collect();
            assert_eq!(names, expected);
        }
        assert!(CpuCycles::open(&root, 0).is_err());
    }
}
