//! What code asks of a channel's id, in place of the beginnings and ends of its text.

use super::*;
use crate::{ChannelKind, Unit};

/// What a channel measures, regardless of what its unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Measurand {
    /// A clock that something runs at, or claims to.
    Clock,
    /// A limit of a clock.
    ClockLimit,
    /// A temperature.
    Temperature,
    /// A temperature at which something is done: set, not measured.
    TripPoint,
    /// Power.
    Power,
    /// A limit of power: set, not measured.
    PowerLimit,
    /// Energy.
    Energy,
    /// A voltage.
    Voltage,
    /// A current.
    Current,
    /// StepTime or share of time of CPUs, or of the threads on them.
    CpuTime,
    /// How many tasks run or wait, and for how long.
    Load,
    /// StepTime spent at a clock or in an idle state.
    Residency,
    /// That, how often or how long something was held back.
    Throttling,
    /// An alarm.
    Alarm,
    /// The speed of a fan.
    Fan,
    /// How full a battery is.
    Charge,
    /// A size of memory.
    Size,
    /// How late a reading was.
    Delay,
    /// A plain number.
    Count,
}

impl ChannelId {
    /// The unit of its values; none where it does not follow from the id.
    pub fn unit(&self) -> Option<Unit> {
        self.quantity().map(|(_, unit, _)| unit)
    }

    /// Whether its values count up; none where it does not follow from the id.
    pub fn kind(&self) -> Option<ChannelKind> {
        self.quantity().map(|(_, _, kind)| kind)
    }

    /// What it measures; none where it does not follow from the id.
    pub fn measurand(&self) -> Option<Measurand> {
        self.quantity().map(|(measurand, _, _)| measurand)
    }

    #[rustfmt::skip]
    fn quantity(&self) -> Option<(Measurand, Unit, ChannelKind)> {
        use {ChannelKind::*, Measurand as M};
        Some(match self {
            Self::AllCpus(AllCpus::StepTime(_)) => (M::CpuTime, Unit::Ticks, Counter),
            Self::AllCpus(AllCpus::Online) => (M::Count, Unit::Count, TemperatureReader),
            Self::AllCpus(AllCpus::Percent(_)) => (M::CpuTime, Unit::Percent, TemperatureReader),
            Self::Cpu(_, of) => of_cpu(*of),
            Self::Policy(_, OfPolicy::Claimed | OfPolicy::Average) => (M::Clock, Unit::Kilohertz, TemperatureReader),
            Self::Policy(_, OfPolicy::LimitMax) => (M::ClockLimit, Unit::Kilohertz, TemperatureReader),
            Self::Policy(_, OfPolicy::Residency(_)) => (M::Residency, Unit::Ticks, Counter),
            Self::BigLittle(_) => (M::Clock, Unit::Kilohertz, TemperatureReader),
            Self::Load(_) => (M::Load, Unit::Hundredths, TemperatureReader),
            Self::Memory(OfMemory::Available) => (M::Size, Unit::Kibibytes, TemperatureReader),
            Self::Memory(OfMemory::MajorFaults | OfMemory::OomKills) => (M::Count, Unit::Count, Counter),
            Self::Swap(OfSwap::Used) => (M::Size, Unit::Kibibytes, TemperatureReader),
            Self::Swap(OfSwap::In | OfSwap::Out) => (M::Size, Unit::Pages, Counter),
            Self::Zram(..) => (M::Size, Unit::Kibibytes, TemperatureReader),
            Self::Pressure(..) => (M::Load, Unit::Microseconds, Counter),
            Self::Zone(_, OfZone::Temperature) => (M::Temperature, Unit::Millicelsius, TemperatureReader),
            Self::Zone(_, OfZone::Trip(_)) => (M::TripPoint, Unit::Millicelsius, TemperatureReader),
            Self::Cooling(_) => (M::Throttling, Unit::Count, TemperatureReader),
            Self::Hwmon(_, OfHwmon::Sensor(kind, _)) => of_hwmon(*kind),
            Self::Hwmon(_, OfHwmon::Alarm) => (M::Alarm, Unit::Count, TemperatureReader),
            Self::Powercap(_, OfPowercap::Energy) => (M::Energy, Unit::Microjoules, Counter),
            Self::Powercap(_, OfPowercap::Power) => (M::Power, Unit::Microwatts, TemperatureReader),
            Self::Powercap(_, OfPowercap::Limit(_)) => (M::PowerLimit, Unit::Microwatts, TemperatureReader),
            Self::Devfreq(_, OfDevfreq::Claimed) => (M::Clock, Unit::Hertz, TemperatureReader),
            Self::Devfreq(_, OfDevfreq::Residency(_)) => (M::Residency, Unit::Milliseconds, Counter),
            Self::Supply(_, of) => of_supply(*of),
            Self::Adc { .. } | Self::BoardInput(_) => (M::Voltage, Unit::Microvolts, TemperatureReader),
            Self::RaspberryPi(of) => of_raspberry_pi(of),
            Self::Meter(_, of) => of_meter(*of),
            Self::LogMeter(_) => (M::Power, Unit::Milliwatts, TemperatureReader),
            Self::ControlGroup(OfControlGroup::Throttled) => (M::Throttling, Unit::Count, Counter),
            Self::ControlGroup(OfControlGroup::ThrottledTime) => (M::Throttling, Unit::Nanoseconds, Counter),
            Self::MeasuredThreads(_) | Self::Sampler(OfSampler::Cpu) => (M::CpuTime, Unit::Nanoseconds, Counter),
            Self::Sampler(OfSampler::Delay) => (M::Delay, Unit::Microseconds, TemperatureReader),
            Self::Soc => (M::Temperature, Unit::Millicelsius, TemperatureReader),
            Self::LogMonitor(_) => (M::Count, Unit::Count, TemperatureReader),
            Self::Policy(_, OfPolicy::Residencies) | Self::Other(_) => return None,
        })
    }

    /// The CPU that it is of.
    pub fn cpu(&self) -> Option<u32> {
        match self {
            Self::Cpu(cpu, _) => Some(*cpu),
            _ => None,
        }
    }

    /// The cpufreq policy that it is of.
    pub fn policy(&self) -> Option<u32> {
        match self {
            Self::Policy(policy, _) => Some(*policy),
            _ => None,
        }
    }

    /// The thermal zone that it is of.
    pub fn zone(&self) -> Option<u32> {
        match self {
            Self::Zone(zone, _) => Some(*zone),
            _ => None,
        }
    }

    /// True for the clock that cpufreq claims for a policy.
    pub fn is_policy_claim(&self) -> bool {
        matches!(self, Self::Policy(_, OfPolicy::Claimed))
    }

    /// True for any clock that something claims: a policy, the cores of one kind in a log, a device.
    pub fn is_any_claim(&self) -> bool {
        let is_of_cores = self.is_policy_claim() || matches!(self, Self::BigLittle(_));
        is_of_cores || matches!(self, Self::Devfreq(_, OfDevfreq::Claimed))
    }

    /// True for the clock that the firmware of a Raspberry Pi tells.
    pub fn is_firmware_clock(&self) -> bool {
        use OfRaspberryPi::{ArmClock, LogFirmwareClock};
        matches!(self, Self::RaspberryPi(ArmClock | LogFirmwareClock))
    }

    /// True for what a power meter on the network tells.
    pub fn is_meter(&self) -> bool {
        matches!(self, Self::Meter(..))
    }

    /// True for how often a CPU was throttled.
    pub fn is_throttle_count(&self) -> bool {
        matches!(self, Self::Cpu(_, OfCpu::Throttles(_)))
    }

    /// True for temperatures and powers that are set and not measured.
    pub fn is_set(&self) -> bool {
        let set = [Measurand::TripPoint, Measurand::PowerLimit];
        self.measurand().is_some_and(|measurand| set.contains(&measurand))
    }

    /// True for the clock of memory, by the name of its device.
    pub fn is_memory_clock(&self) -> bool {
        let Self::Devfreq(device, OfDevfreq::Claimed) = self else {
            return false;
        };
        ["dmc", "dram", "memory-controller"].iter().any(|memory| device.contains(memory))
    }

    /// True if both are told by the same supply, meter or chip, or by the same zone of powercap.
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
        OfCpu::StepTime(_) => (M::CpuTime, Unit::Ticks, Counter),
        OfCpu::Cycles => (M::Count, Unit::Count, Counter),
        OfCpu::IdleState(_) => (M::Residency, Unit::Microseconds, Counter),
        OfCpu::Throttles(_) => (M::Throttling, Unit::Count, Counter),
        OfCpu::ThrottleTime(_) => (M::Throttling, Unit::Milliseconds, Counter),
        OfCpu::ThermStatus(_) => (M::Throttling, Unit::Bits, TemperatureReader),
    }
}

fn of_hwmon(kind: HwmonKind) -> (Measurand, Unit, ChannelKind) {
    use {ChannelKind::*, Measurand as M};
    match kind {
        HwmonKind::Temperature => (M::Temperature, Unit::Millicelsius, TemperatureReader),
        HwmonKind::Voltage => (M::Voltage, Unit::Millivolts, TemperatureReader),
        HwmonKind::Current => (M::Current, Unit::Milliamperes, TemperatureReader),
        HwmonKind::Power => (M::Power, Unit::Microwatts, TemperatureReader),
        HwmonKind::Energy => (M::Energy, Unit::Microjoules, Counter),
        HwmonKind::Fan => (M::Fan, Unit::Count, TemperatureReader),
    }
}

fn of_supply(of: OfSupply) -> (Measurand, Unit, ChannelKind) {
    use {ChannelKind::*, Measurand as M};
    match of {
        OfSupply::Voltage => (M::Voltage, Unit::Microvolts, TemperatureReader),
        OfSupply::Current => (M::Current, Unit::Milliamperes, TemperatureReader),
        OfSupply::Power => (M::Power, Unit::Microwatts, TemperatureReader),
        OfSupply::Energy => (M::Energy, Unit::Microjoules, TemperatureReader),
        OfSupply::Capacity => (M::Charge, Unit::Percent, TemperatureReader),
        OfSupply::Online => (M::Count, Unit::Count, TemperatureReader),
    }
}

fn of_raspberry_pi(of: &OfRaspberryPi) -> (Measurand, Unit, ChannelKind) {
    use {ChannelKind::*, Measurand as M, OfRaspberryPi as Pi};
    match of {
        Pi::Throttled => (M::Throttling, Unit::Bits, TemperatureReader),
        Pi::ArmClock => (M::Clock, Unit::Hertz, TemperatureReader),
        Pi::LogFirmwareClock => (M::Clock, Unit::Kilohertz, TemperatureReader),
        Pi::CoreVoltage | Pi::LogCoreVoltage | Pi::Rail(_, RailKind::Voltage) => {
            (M::Voltage, Unit::Microvolts, TemperatureReader)
        }
        Pi::Rail(_, RailKind::Current) => (M::Current, Unit::Milliamperes, TemperatureReader),
        Pi::PmicPower => (M::Power, Unit::Microwatts, TemperatureReader),
        Pi::LogPmicPower => (M::Power, Unit::Milliwatts, TemperatureReader),
    }
}

fn of_meter(of: OfMeter) -> (Measurand, Unit, ChannelKind) {
    use {ChannelKind::*, Measurand as M};
    match of {
        OfMeter::Energy => (M::Energy, Unit::Microjoules, Counter),
        OfMeter::Power => (M::Power, Unit::Milliwatts, TemperatureReader),
        OfMeter::Voltage => (M::Voltage, Unit::Millivolts, TemperatureReader),
        OfMeter::Current => (M::Current, Unit::Milliamperes, TemperatureReader),
        OfMeter::Delay => (M::Delay, Unit::Milliseconds, TemperatureReader),
    }
}
