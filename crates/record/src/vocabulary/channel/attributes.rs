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

    #[rustfmt::skip]
    fn quantity(&self) -> Option<(Measurand, Unit, ChannelKind)> {
        use {ChannelKind::*, Measurand as M};
        Some(match self {
            Self::AllCpus(AllCpus::Time(_)) => (M::CpuTime, Unit::Ticks, Counter),
            Self::AllCpus(AllCpus::Online) => (M::Count, Unit::Count, Gauge),
            Self::AllCpus(AllCpus::Percent(_)) => (M::CpuTime, Unit::Percent, Gauge),
            Self::Cpu(_, of) => of_cpu(*of),
            Self::Policy(_, OfPolicy::Claimed | OfPolicy::Average) => (M::Clock, Unit::Kilohertz, Gauge),
            Self::Policy(_, OfPolicy::LimitMax) => (M::ClockLimit, Unit::Kilohertz, Gauge),
            Self::Policy(_, OfPolicy::Residency(_)) => (M::Residency, Unit::Ticks, Counter),
            Self::BigLittle(_) => (M::Clock, Unit::Kilohertz, Gauge),
            Self::Load(_) => (M::Load, Unit::Hundredths, Gauge),
            Self::Memory(OfMemory::Available) => (M::Size, Unit::Kibibytes, Gauge),
            Self::Memory(OfMemory::MajorFaults | OfMemory::OomKills) => (M::Count, Unit::Count, Counter),
            Self::Swap(OfSwap::Used) => (M::Size, Unit::Kibibytes, Gauge),
            Self::Swap(OfSwap::In | OfSwap::Out) => (M::Size, Unit::Pages, Counter),
            Self::Zram(..) => (M::Size, Unit::Kibibytes, Gauge),
            Self::Pressure(..) => (M::Load, Unit::Microseconds, Counter),
            Self::Zone(_, OfZone::Temperature) => (M::Temperature, Unit::Millicelsius, Gauge),
            Self::Zone(_, OfZone::Trip(_)) => (M::TripPoint, Unit::Millicelsius, Gauge),
            Self::Cooling(_) => (M::Throttling, Unit::Count, Gauge),
            Self::Hwmon(_, OfHwmon::Sensor(kind, _)) => of_hwmon(*kind),
            Self::Hwmon(_, OfHwmon::Alarm) => (M::Alarm, Unit::Count, Gauge),
            Self::Powercap(_, OfPowercap::Energy) => (M::Energy, Unit::Microjoules, Counter),
            Self::Powercap(_, OfPowercap::Power) => (M::Power, Unit::Microwatts, Gauge),
            Self::Powercap(_, OfPowercap::Limit(_)) => (M::PowerLimit, Unit::Microwatts, Gauge),
            Self::Devfreq(_, OfDevfreq::Claimed) => (M::Clock, Unit::Hertz, Gauge),
            Self::Devfreq(_, OfDevfreq::Residency(_)) => (M::Residency, Unit::Milliseconds, Counter),
            Self::Supply(_, of) => of_supply(*of),
            Self::Adc { .. } | Self::BoardInput(_) => (M::Voltage, Unit::Microvolts, Gauge),
            Self::RaspberryPi(of) => of_raspberry_pi(of),
            Self::Meter(_, of) => of_meter(*of),
            Self::LogMeter(_) => (M::Power, Unit::Milliwatts, Gauge),
            Self::ControlGroup(OfControlGroup::Throttled) => (M::Throttling, Unit::Count, Counter),
            Self::ControlGroup(OfControlGroup::ThrottledTime) => (M::Throttling, Unit::Nanoseconds, Counter),
            Self::MeasuredThreads(_) | Self::Sampler(OfSampler::Cpu) => (M::CpuTime, Unit::Nanoseconds, Counter),
            Self::Sampler(OfSampler::Delay) => (M::Delay, Unit::Microseconds, Gauge),
            Self::Soc => (M::Temperature, Unit::Millicelsius, Gauge),
            Self::LogMonitor(_) => (M::Count, Unit::Count, Gauge),
            Self::Policy(_, OfPolicy::Residencies) | Self::Other(_) => return None,
        })
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
        matches!(self, Self::Policy(_, OfPolicy::Claimed))
    }

    /// True for any reported clock: of a policy, of a core kind in a log, of a device.
    pub fn is_any_claim(&self) -> bool {
        let is_of_cores = self.is_policy_claim() || matches!(self, Self::BigLittle(_));
        is_of_cores || matches!(self, Self::Devfreq(_, OfDevfreq::Claimed))
    }

    /// True for a clock reported by the firmware of a Raspberry Pi.
    pub fn is_firmware_clock(&self) -> bool {
        use OfRaspberryPi::{ArmClock, LogFirmwareClock};
        matches!(self, Self::RaspberryPi(ArmClock | LogFirmwareClock))
    }

    /// True for values of a power meter on the network.
    pub fn is_meter(&self) -> bool {
        matches!(self, Self::Meter(..))
    }

    /// True for the number of throttle events of a CPU.
    pub fn is_throttle_count(&self) -> bool {
        matches!(self, Self::Cpu(_, OfCpu::Throttles(_)))
    }

    /// True for temperatures and powers that are settings rather than measurements.
    pub fn is_set(&self) -> bool {
        let set = [Measurand::TripPoint, Measurand::PowerLimit];
        self.measurand().is_some_and(|measurand| set.contains(&measurand))
    }

    /// True for a memory clock, by the name of its device.
    pub fn is_memory_clock(&self) -> bool {
        let Self::Devfreq(device, OfDevfreq::Claimed) = self else { return false };
        ["dmc", "dram", "memory-controller"].iter().any(|memory| device.contains(memory))
    }

    /// True if both belong to the same supply, meter, chip or powercap zone.
    pub fn is_of_same_chip(&self, other: &Self) -> bool {
        use OfPowercap::{Energy, Power};
        match (self, other) {
            (Self::Hwmon(a, OfHwmon::Sensor(..)), Self::Hwmon(b, OfHwmon::Sensor(..))) => a == b,
            (Self::Meter(a, _), Self::Meter(b, _)) => a == b,
            (Self::Supply(a, _), Self::Supply(b, _)) => a == b,
            (Self::Powercap(a, Energy | Power), Self::Powercap(b, Energy | Power)) => a == b,
            (a, b) => a == b,
        }
    }
}

fn of_cpu(of: OfCpu) -> (Measurand, Unit, ChannelKind) {
    use {ChannelKind::*, Measurand as M};
    match of {
        OfCpu::Time(_) => (M::CpuTime, Unit::Ticks, Counter),
        OfCpu::Cycles => (M::Count, Unit::Count, Counter),
        OfCpu::IdleState(_) => (M::Residency, Unit::Microseconds, Counter),
        OfCpu::Throttles(_) => (M::Throttling, Unit::Count, Counter),
        OfCpu::ThrottleTime(_) => (M::Throttling, Unit::Milliseconds, Counter),
        OfCpu::ThermStatus(_) => (M::Throttling, Unit::Bits, Gauge),
    }
}

fn of_hwmon(kind: HwmonKind) -> (Measurand, Unit, ChannelKind) {
    use {ChannelKind::*, Measurand as M};
    match kind {
        HwmonKind::Temperature => (M::Temperature, Unit::Millicelsius, Gauge),
        HwmonKind::Voltage => (M::Voltage, Unit::Millivolts, Gauge),
        HwmonKind::Current => (M::Current, Unit::Milliamperes, Gauge),
        HwmonKind::Power => (M::Power, Unit::Microwatts, Gauge),
        HwmonKind::Energy => (M::Energy, Unit::Microjoules, Counter),
        HwmonKind::Fan => (M::Fan, Unit::Count, Gauge),
    }
}

fn of_supply(of: OfSupply) -> (Measurand, Unit, ChannelKind) {
    use {ChannelKind::*, Measurand as M};
    match of {
        OfSupply::Voltage => (M::Voltage, Unit::Microvolts, Gauge),
        OfSupply::Current => (M::Current, Unit::Milliamperes, Gauge),
        OfSupply::Power => (M::Power, Unit::Microwatts, Gauge),
        OfSupply::Energy => (M::Energy, Unit::Microjoules, Gauge),
        OfSupply::Capacity => (M::Charge, Unit::Percent, Gauge),
        OfSupply::Online => (M::Count, Unit::Count, Gauge),
    }
}

fn of_raspberry_pi(of: &OfRaspberryPi) -> (Measurand, Unit, ChannelKind) {
    use {ChannelKind::*, Measurand as M, OfRaspberryPi as Pi};
    match of {
        Pi::Throttled => (M::Throttling, Unit::Bits, Gauge),
        Pi::ArmClock => (M::Clock, Unit::Hertz, Gauge),
        Pi::LogFirmwareClock => (M::Clock, Unit::Kilohertz, Gauge),
        Pi::CoreVoltage | Pi::LogCoreVoltage | Pi::Rail(_, RailKind::Voltage) => (M::Voltage, Unit::Microvolts, Gauge),
        Pi::Rail(_, RailKind::Current) => (M::Current, Unit::Milliamperes, Gauge),
        Pi::PmicPower => (M::Power, Unit::Microwatts, Gauge),
        Pi::LogPmicPower => (M::Power, Unit::Milliwatts, Gauge),
    }
}

fn of_meter(of: OfMeter) -> (Measurand, Unit, ChannelKind) {
    use {ChannelKind::*, Measurand as M};
    match of {
        OfMeter::Energy => (M::Energy, Unit::Microjoules, Counter),
        OfMeter::Power => (M::Power, Unit::Milliwatts, Gauge),
        OfMeter::Voltage => (M::Voltage, Unit::Millivolts, Gauge),
        OfMeter::Current => (M::Current, Unit::Milliamperes, Gauge),
        OfMeter::Delay => (M::Delay, Unit::Milliseconds, Gauge),
    }
}
