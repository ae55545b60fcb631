//! Properties of channel ids, which replace comparisons of their text.

use super::*;
use crate::{ChannelKind, Unit};

/// Measured quantity of a channel, independent of its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Measurand {
    /// Actual or reported clock.
    Clock,
    /// Clock limit.
    ClockLimit,
    /// Temperature.
    Temperature,
    /// Trip point: a setting rather than a measurement.
    TripPoint,
    /// Power.
    Power,
    /// Power limit: a setting rather than a measurement.
    PowerLimit,
    /// Energy.
    Energy,
    /// A voltage.
    Voltage,
    /// A current.
    Current,
    /// Time or share of time of CPUs or threads.
    CpuTime,
    /// Number of runnable or waiting tasks, and their waiting time.
    Load,
    /// Time at a clock or in an idle state.
    Residency,
    /// State, number or duration of throttling.
    Throttling,
    /// An alarm.
    Alarm,
    /// Fan speed.
    Fan,
    /// Charge of a battery.
    Charge,
    /// Amount of memory.
    Size,
    /// Delay of a reading.
    Delay,
    /// Plain number.
    Count,
}

impl ChannelId {
    /// Unit of its values; `None` if the id does not determine it.
    pub fn unit(&self) -> Option<Unit> {
        self.quantity().map(|(_, unit, _)| unit)
    }

    /// Kind of its values; `None` if the id does not determine it.
    pub fn kind(&self) -> Option<ChannelKind> {
        self.quantity().map(|(_, _, kind)| kind)
    }

    /// Measured quantity; `None` if the id does not determine it.
    pub fn measurand(&self) -> Option<Measurand> {
        self.quantity().map(|(measurand, _, _)| measurand)
    }

    /// CPU of the channel.
    pub fn cpu(&self) -> Option<u32> {
        match self {
            Self::Cpu(cpu, _) => Some(*cpu),
            _ => None,
        }
    }

    /// cpufreq policy of the channel.
    pub fn policy(&self) -> Option<u32> {
        match self {
            Self::Policy(policy, _) => Some(*policy),
            _ => None,
        }
    }

    /// Thermal zone of the channel.
    pub fn zone(&self) -> Option<u32> {
        match self {
            Self::Zone(zone, _) => Some(*zone),
            _ => None,
        }
    }

    /// True for the clock reported by cpufreq for a policy.
    pub fn is_policy_claim(&self) -> bool {
        matches!(self, Self::Policy(_, PolicyChannel::Claimed))
    }

    /// True for any reported clock: of a policy, of a core kind in a log, of a device.
    pub fn is_any_claim(&self) -> bool {
        let is_of_cores = self.is_policy_claim() || matches!(self, Self::BigLittle(_));
        is_of_cores || matches!(self, Self::Devfreq(_, DevfreqChannel::Claimed))
    }

    /// True for a clock reported by the firmware of a Raspberry Pi.
    pub fn is_firmware_clock(&self) -> bool {
        use RaspberryPiChannel::{ArmClock, LogFirmwareClock};
        matches!(self, Self::RaspberryPi(ArmClock | LogFirmwareClock))
    }

    /// True for values of a power meter on the network.
    pub fn is_meter(&self) -> bool {
        matches!(self, Self::Meter(..))
    }

    /// True for the number of throttle events of a CPU.
    pub fn is_throttle_count(&self) -> bool {
        matches!(self, Self::Cpu(_, CpuChannel::Throttles(_)))
    }

    /// True for temperatures and powers that are settings rather than measurements.
    pub fn is_set(&self) -> bool {
        let set = [Measurand::TripPoint, Measurand::PowerLimit];
        self.measurand().is_some_and(|measurand| set.contains(&measurand))
    }

    /// True for a memory clock, by the name of its device.
    pub fn is_memory_clock(&self) -> bool {
        let Self::Devfreq(device, DevfreqChannel::Claimed) = self else { return false };
        ["dmc", "dram", "memory-controller"].iter().any(|memory| device.contains(memory))
    }

    /// True if both belong to the same supply, meter, chip or powercap zone.
    pub fn is_of_same_chip(&self, other: &Self) -> bool {
        use PowercapChannel::{Energy, Power};
        match (self, other) {
            (Self::Hwmon(a, HwmonChannel::Sensor(..)), Self::Hwmon(b, HwmonChannel::Sensor(..))) => a == b,
            (Self::Meter(a, _), Self::Meter(b, _)) => a == b,
            (Self::Supply(a, _), Self::Supply(b, _)) => a == b,
            (Self::Powercap(a, Energy | Power), Self::Powercap(b, Energy | Power)) => a == b,
            (a, b) => a == b,
        }
    }
}
