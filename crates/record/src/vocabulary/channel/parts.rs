//! The parts of channel ids: what is asked of each thing.

/// Of all CPUs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AllCpus {
    /// Time spent in one way: `cpu.idle`.
    Time(CpuTime),
    /// How many are online: `cpu.online`.
    Online,
    /// Share of time spent in one way, in logs: `cpu.busy_percent`.
    Percent(CpuPercent),
}

words! {
    /// How CPUs spend their time: the columns of `/proc/stat`, in its order, and the sum of a log.
    pub enum CpuTime {
        User = "user",
        Nice = "nice",
        System = "system",
        Idle = "idle",
        Iowait = "iowait",
        Irq = "irq",
        Softirq = "softirq",
        Steal = "steal",
        /// All that is not idle, in logs.
        Busy = "busy",
    }
}

impl CpuTime {
    /// The kinds of ticks in a line of `/proc/stat`, in the kernel's order.
    pub const OF_KERNEL: [Self; 8] =
        [Self::User, Self::Nice, Self::System, Self::Idle, Self::Iowait, Self::Irq, Self::Softirq, Self::Steal];
    /// Where [`CpuTime::Idle`] stands in [`CpuTime::OF_KERNEL`].
    pub const IDLE: usize = 3;
    /// Where [`CpuTime::Iowait`] stands in it.
    pub const IOWAIT: usize = 4;
}

words! {
    /// The shares of time that a log prints.
    pub enum CpuPercent {
        Busy = "busy_percent",
        System = "system_percent",
        User = "user_percent",
        Nice = "nice_percent",
        Iowait = "iowait_percent",
        Irq = "irq_percent",
    }
}

/// Of one CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OfCpu {
    /// Time spent in one way: `cpu3.idle`.
    Time(CpuTime),
    /// Cycles: `cpu3.cycles`.
    Cycles,
    /// Time in the idle state of this number: `cpu3.idle_state.1`.
    IdleState(u32),
    /// How often it was throttled: `cpu3.throttle.core`.
    Throttles(Scope),
    /// For how long it was throttled: `cpu3.throttle_time.package`.
    ThrottleTime(Scope),
    /// Bits of its register of thermal status: `cpu3.therm_status`, `cpu3.therm_status.package`.
    ThermStatus(Scope),
}

words! {
    /// What was throttled: the core alone or the package that it is in.
    pub enum Scope { Core = "core", Package = "package", }
}

/// Of one cpufreq policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OfPolicy {
    /// The clock that it claims: `policy4.claimed`.
    Claimed,
    /// The clock by the driver's own average: `policy4.average`.
    Average,
    /// The highest clock that is allowed: `policy4.limit_max`.
    LimitMax,
    /// Time spent at a clock in kHz: `policy4.residency.1800000`.
    Residency(u32),
    /// The times at all clocks, as a place of evidence: `policy4.residency.`. No channel has this id.
    Residencies,
}

words! {
    /// Kinds of cores.
    pub enum BigLittle { Big = "big", Little = "little", }
}

words! {
    /// Over what time the load average is.
    pub enum LoadSpan { One = "1min", Five = "5min", Fifteen = "15min", }
}

words! {
    /// Of memory.
    pub enum OfMemory { Available = "available", MajorFaults = "faults.major", OomKills = "oom_kills", }
}

words! {
    /// Of swap.
    pub enum OfSwap { Used = "used", In = "in", Out = "out", }
}

words! {
    /// Of a device of compressed memory.
    pub enum OfZram { Original = "original", Compressed = "compressed", Used = "used", }
}

words! {
    /// What tasks wait for in pressure stall information.
    pub enum Resource { Cpu = "cpu", Io = "io", Memory = "memory", }
}

words! {
    /// Which tasks wait.
    pub enum Stalled { Some = "some", Full = "full", }
}

/// Of a thermal zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OfZone {
    /// What it measures: `thermal_zone0.temp`.
    Temperature,
    /// The trip point of this number, which is set and not measured: `thermal_zone0.trip1`.
    Trip(u32),
}

/// Of a chip of hwmon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OfHwmon {
    /// A sensor by kind and number: `hwmon0.temp1`.
    Sensor(HwmonKind, u32),
    /// The alarm of its first voltage: `hwmon0.in0.alarm`.
    Alarm,
}

words! {
    /// Kinds of sensors of hwmon, as their files begin.
    pub enum HwmonKind {
        Temperature = "temp",
        Voltage = "in",
        Current = "curr",
        Power = "power",
        Energy = "energy",
        Fan = "fan",
    }
}

words! {
    /// Who counts the energy of a powercap zone.
    pub enum PowerZoneKind { Rapl = "rapl", Scmi = "scmi", }
}

/// A zone of powercap: `rapl0`, its part `rapl0:1`, `scmi2`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PowerZone {
    kind: PowerZoneKind,
    number: Box<str>,
}

impl PowerZone {
    /// The zone with the number that the kernel writes: digits, with colons before those of parts. None for other text.
    pub fn of(kind: PowerZoneKind, number: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit();
        let is_number =
            number.bytes().next().is_some_and(is_digit) && number.bytes().all(|byte| is_digit(byte) || byte == b':');
        is_number.then(|| Self { kind, number: number.into() })
    }

    /// Who counts.
    pub fn kind(&self) -> PowerZoneKind {
        self.kind
    }

    /// Its number in the kernel's words.
    pub fn number(&self) -> &str {
        &self.number
    }

    /// True if another zone counts its energy as well: `rapl0:1` is a part of `rapl0`.
    pub fn is_part(&self) -> bool {
        self.number.contains(':')
    }
}

/// Of a powercap zone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OfPowercap {
    /// `rapl0.energy`
    Energy,
    /// `scmi0.power`
    Power,
    /// The limit of this name, or number where it has none, which is set and not measured: `rapl0.limit.long_term`.
    Limit(Box<str>),
}

/// Of a device of devfreq.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OfDevfreq {
    /// The clock that it claims: `devfreq.dmc.claimed`.
    Claimed,
    /// Time spent at a clock in Hz: `devfreq.dmc.residency.528000000`.
    Residency(u64),
}

words! {
    /// Of a battery or power supply.
    pub enum OfSupply {
        Voltage = "voltage",
        Current = "current",
        Power = "power",
        Energy = "energy",
        Capacity = "capacity",
        Online = "online",
    }
}

words! {
    /// Where the voltage at the input of a board is read.
    pub enum BoardInput {
        Adc = "adc.input.voltage",
        AxpAc = "axp.ac.voltage",
        AxpVbus = "axp.vbus.voltage",
        /// The column of a log.
        Log = "dc.in_voltage",
    }
}

/// Of the firmware of a Raspberry Pi.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OfRaspberryPi {
    /// Bits: `rpi.throttled`.
    Throttled,
    /// `rpi.clock.arm`
    ArmClock,
    /// `rpi.voltage.core`
    CoreVoltage,
    /// The sum of all rails: `rpi.pmic.power`.
    PmicPower,
    /// A rail of the power chip: `rpi.pmic.ext5v.voltage`.
    Rail(Box<str>, RailKind),
    /// The clock in a log: `rpi.firmware_clock`.
    LogFirmwareClock,
    /// The voltage in a log: `rpi.core_voltage`.
    LogCoreVoltage,
    /// The power in a log: `rpi.pmic_power`.
    LogPmicPower,
}

words! {
    /// Of a rail of a Raspberry Pi's power chip.
    pub enum RailKind { Voltage = "voltage", Current = "current", }
}

/// An output of a power meter: `meter`, `meter.1`, `meter2`, `meter2.2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MeterOutput {
    /// Which of the meters that the user named, from 1.
    pub meter: u32,
    /// Which of its outputs, from 1; none if it has one.
    pub output: Option<u32>,
}

impl MeterOutput {
    /// This output of this meter.
    pub const fn of(meter: u32, output: Option<u32>) -> Self {
        Self { meter, output }
    }
}

words! {
    /// Of an output of a power meter.
    pub enum OfMeter {
        Energy = "energy",
        Power = "power",
        Voltage = "voltage",
        Current = "current",
        /// How late its last answer was.
        Delay = "delay",
    }
}

words! {
    /// Of the control group in which the program runs.
    pub enum OfControlGroup { Throttled = "throttled", ThrottledTime = "throttled_time", }
}

words! {
    /// Of the threads that are measured.
    pub enum OfMeasured { Cpu = "cpu", RunDelay = "run_delay", }
}

words! {
    /// Of the sampler.
    pub enum OfSampler { Cpu = "cpu", Delay = "delay", }
}

words! {
    /// Of the monitor inside a log.
    pub enum OfLogMonitor { FirstRow = "first_row", Phase = "phase", }
}
