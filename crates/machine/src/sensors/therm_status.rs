//! Sensor: thermal status registers of Intel CPUs, which contain the throttle reasons of a core.
//!
//! `IA32_THERM_STATUS` (0x19C) of each core and `IA32_PACKAGE_THERM_STATUS` (0x1B1) of each package, unchanged; readers
//! of the samples interpret the bits. Needs root and the module `msr`; the registers are never written, so that sticky
//! bits are preserved for others. Intel SDM volume 3, "Thermal monitoring and protection"; volume 4, table of
//! architectural MSRs.

use super::sensor::core_and_package;
use super::{Probe, ReadMethod, Sensor, numbered};
use crate::Root;
use crate::number::number;
use record::{Channel, ChannelId, CpuChannel, Scope};
use std::collections::BTreeSet;

pub(super) const SENSOR: Sensor = Sensor::new("therm-status", discover);

const IA32_THERM_STATUS: u32 = 0x19C;
const IA32_PACKAGE_THERM_STATUS: u32 = 0x1B1;

/// Each read interrupts the CPU.
const INTERVAL_MS_MIN: u32 = 1000;

fn discover(root: &Root) -> Vec<Probe> {
    let cpuinfo = root.read("/proc/cpuinfo").unwrap_or_default();
    if !cpuinfo.contains("GenuineIntel") {
        return Vec::new();
    }
    let mut probes = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, cpu) in numbered(root, "/dev/cpu", "") {
        let (core, package) = core_and_package(root, cpu);
        let mut add = |scope: Scope, register: u32| {
            let channel = Channel::of(ChannelId::Cpu(cpu, CpuChannel::ThermStatus(scope)));
            let probe = Probe {
                read: ReadMethod::Register(register),
                ..Probe::file(format!("/dev/cpu/{name}/msr"), number, channel)
            };
            probes.push(probe.min_interval_ms(INTERVAL_MS_MIN));
        };
        // Threads of a core share its register, and cores that of their package.
        if seen.insert(core) {
            add(Scope::Core, IA32_THERM_STATUS);
        }
        if seen.insert(package) {
            add(Scope::Package, IA32_PACKAGE_THERM_STATUS);
        }
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_register_per_core_and_package() {
        let mut board = "== /proc/cpuinfo\nvendor_id : GenuineIntel\n".to_owned();
        for (cpu, core) in [(0, 0), (1, 0), (2, 4)] {
            let topology = format!("/sys/devices/system/cpu/cpu{cpu}/topology");
            board += &format!("== /dev/cpu/{cpu}/msr\nx\n");
            board += &format!("== {topology}/core_id\n{core}\n");
            board += &format!("== {topology}/physical_package_id\n0\n");
        }
        let ids = |board: &str| -> Vec<ChannelId> {
            let probes = discover(&Root::from_board(board).unwrap());
            let channels = probes.into_iter().flat_map(|probe| probe.channels);
            channels.map(|channel| channel.id).collect()
        };
        let status = |cpu: u32, scope: Scope| ChannelId::Cpu(cpu, CpuChannel::ThermStatus(scope));
        let expected = [status(0, Scope::Core), status(0, Scope::Package), status(2, Scope::Core)];
        assert_eq!(ids(&board), expected);
        assert!(ids(&board.replace("Intel", "AMD")).is_empty());
    }
}
