//! PMUs of each kind of core, and reasons why the kernel does not count.

use crate::Root;
use record::{Missing, MissingReason};

/// Directory of PMUs.
pub(super) const DEVICES: &str = "/sys/bus/event_source/devices";
pub(super) const CALL: &str = "perf_event_open";

const TYPE_HARDWARE: u32 = 0;
const HARDWARE_CPU_CYCLES: u64 = 0;
/// `PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING`
pub(super) const READ_TIMES: u64 = 3;

/// PMU of a kind of core with its cycle event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pmu {
    pub(super) name: String,
    pub(super) cpus: String,
    pub(super) kind: u32,
    pub(super) config: u64,
}

/// Reason why the kernel does not count.
pub(super) fn refused(errno: i32) -> Missing {
    let reason = match errno {
        libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP => {
            "the kernel provides no cycle counter on this machine (common in virtual machines)"
        }
        libc::ENOSYS => "the kernel was built without perf events",
        libc::ESRCH => "the process has exited",
        libc::EACCES | libc::EPERM => {
            return Missing { path: CALL.into(), why: MissingReason::Denied };
        }
        errno => {
            return Missing { path: CALL.into(), why: MissingReason::Io(errno) };
        }
    };
    Missing::unsupported(CALL, reason)
}

/// PMU of each kind of core: PMUs with a CPU list and a cycle event; without any, the kernel's default.
pub(super) fn core_pmus(root: &Root) -> Vec<Pmu> {
    let names = root.list(DEVICES).unwrap_or_default();
    let mut pmus: Vec<Pmu> = names.iter().filter_map(|name| core_pmu(root, name)).collect();
    if pmus.is_empty() {
        pmus.push(Pmu { name: "cpu".into(), cpus: String::new(), kind: TYPE_HARDWARE, config: HARDWARE_CPU_CYCLES });
    }
    pmus
}

pub(super) fn core_pmu(root: &Root, name: &str) -> Option<Pmu> {
    let directory = format!("{DEVICES}/{name}");
    // PMUs of buses and caches have a `cpumask` instead.
    let cpus = root.read_value(&format!("{directory}/cpus")).ok()?;
    let kind = root.read_number(&format!("{directory}/type")).ok()?;
    // ARM uses an underscore in the name, x86 a hyphen.
    let event = ["cpu_cycles", "cpu-cycles"]
        .iter()
        .find_map(|event| root.read_value(&format!("{directory}/events/{event}")).ok())?;
    let config = event_number(&event)?;
    Some(Pmu { name: name.to_owned(), cpus, kind, config })
}

/// Number of an event without further parameters: `event=0x0011`.
pub(super) fn event_number(text: &str) -> Option<u64> {
    let number = text.strip_prefix("event=0x")?;
    u64::from_str_radix(number, 16).ok()
}

/// Value, enabled time and running time.
pub(super) fn values(bytes: &[u8; 24]) -> (u64, u64, u64) {
    let word = |index: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[index * 8..index * 8 + 8]);
        u64::from_ne_bytes(word)
    };
    (word(0), word(1), word(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_core_has_its_pmu() {
        let root = Root::from_board(
            "\
== /sys/bus/event_source/devices/armv8_cortex_a55/type
8
== /sys/bus/event_source/devices/armv8_cortex_a55/cpus
0-3
== /sys/bus/event_source/devices/armv8_cortex_a55/events/cpu_cycles
event=0x0011
== /sys/bus/event_source/devices/armv8_cortex_a76/type
9
== /sys/bus/event_source/devices/armv8_cortex_a76/cpus
4-7
== /sys/bus/event_source/devices/armv8_cortex_a76/events/cpu_cycles
event=0x0011
== /sys/bus/event_source/devices/arm_dsu_0/type
10
== /sys/bus/event_source/devices/arm_dsu_0/cpumask
0
== /sys/bus/event_source/devices/software/type
1
",
        )
        .unwrap();
        let pmu = |name: &str, cpus: &str, kind| Pmu { name: name.into(), cpus: cpus.into(), kind, config: 0x11 };
        let expected = [pmu("armv8_cortex_a55", "0-3", 8), pmu("armv8_cortex_a76", "4-7", 9)];
        assert_eq!(core_pmus(&root), expected);
    }

    #[test]
    fn kernel_chooses_pmu_without_names() {
        let root = Root::from_board("== /sys/bus/event_source/devices/cpu/type\n4\n").unwrap();
        let pmus = core_pmus(&root);
        assert_eq!((pmus.len(), pmus[0].kind, pmus[0].config), (1, 0, 0));
    }

    #[test]
    fn events_are_plain_numbers() {
        for (text, number) in [
            ("event=0x0011", Some(0x11)),
            ("event=0x3c", Some(0x3c)),
            ("event=0x3c,umask=0x01", None),
            ("config=1", None),
        ] {
            assert_eq!(event_number(text), number, "{text}");
        }
    }
}
