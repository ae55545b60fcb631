//! Parts of channel ids: values of each device.

/// Values of all CPUs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AllCpus {
    /// Time by use: `cpu.idle`.
    Time(CpuTime),
    /// Number of online CPUs: `cpu.online`.
    Online,
    /// Share of time by use, in logs: `cpu.busy_percent`.
    Percent(CpuPercent),
}

words! {
    /// CPU time by use: columns of `/proc/stat` in order, and the sum in logs.
    pub enum CpuTime {
        User = "user",
        Nice = "nice",
        System = "system",
        Idle = "idle",
        Iowait = "iowait",
        Irq = "irq",
        Softirq = "softirq",
        Steal = "steal",
        /// All except idle, in logs.
        Busy = "busy",
    }
}

impl CpuTime {
    /// Columns of a line of `/proc/stat`, in the kernel's order.
    pub const OF_KERNEL: [Self; 8] =
        [Self::User, Self::Nice, Self::System, Self::Idle, Self::Iowait, Self::Irq, Self::Softirq, Self::Steal];
    /// Index of [`CpuTime::Idle`] in [`CpuTime::OF_KERNEL`].
    pub const IDLE: usize = 3;
    /// Index of [`CpuTime::Iowait`] in [`CpuTime::OF_KERNEL`].
    pub const IOWAIT: usize = 4;
}

words! {
    /// Shares of CPU time in logs.
    pub enum CpuPercent {
        Busy = "busy_percent",
        System = "system_percent",
        User = "user_percent",
        Nice = "nice_percent",
        Iowait = "iowait_percent",
        Irq = "irq_percent",
    }
}

/// Values of one CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CpuChannel {
    /// Time by use: `cpu3.idle`.
    Time(CpuTime),
    /// Cycles: `cpu3.cycles`.
    Cycles,
    /// Time in the idle state with this number: `cpu3.idle_state.1`.
    IdleState(u32),
    /// Number of throttle events: `cpu3.throttle.core`.
    Throttles(Scope),
    /// Throttled time: `cpu3.throttle_time.package`.
    ThrottleTime(Scope),
    /// Bits of the thermal status register: `cpu3.therm_status`, `cpu3.therm_status.package`.
    ThermStatus(Scope),
}

words! {
    /// Scope of throttling: core or package.
    pub enum Scope { Core = "core", Package = "package", }
}

/// Values of one cpufreq policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PolicyChannel {
    /// Reported clock: `policy4.claimed`.
    Claimed,
    /// Average clock from the driver: `policy4.average`.
    Average,
    /// Upper clock limit: `policy4.limit_max`.
    LimitMax,
    /// Time at a clock in kHz: `policy4.residency.1800000`.
    Residency(u32),
    /// Times at all clocks, as a reference for evidence: `policy4.residency.`. No channel has this id.
    Residencies,
}

words! {
    /// Core kinds.
    pub enum BigLittle { Big = "big", Little = "little", }
}

words! {
    /// Period of a load average.
    pub enum LoadSpan { One = "1min", Five = "5min", Fifteen = "15min", }
}

/// Values of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryChannel {
    /// `available`
    Available,
    /// `faults.major`
    MajorFaults,
    /// `oom_kills`
    OomKills,
}

/// Values of swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SwapChannel {
    /// `used`
    Used,
    /// `in`
    In,
    /// `out`
    Out,
}

words! {
    /// Values of a zram device.
    pub enum ZramChannel { Original = "original", Compressed = "compressed", Used = "used", }
}

words! {
    /// Resource that tasks are stalled on, in pressure stall information.
    pub enum Resource { Cpu = "cpu", Io = "io", Memory = "memory", }
}

words! {
    /// Share of tasks that are stalled.
    pub enum StallKind { Some = "some", Full = "full", }
}

/// Values of a thermal zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ZoneChannel {
    /// Measured temperature: `thermal_zone0.temp`.
    Temperature,
    /// Trip point with this number, a setting: `thermal_zone0.trip1`.
    Trip(u32),
}

/// Values of an hwmon chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HwmonChannel {
    /// Sensor by kind and number: `hwmon0.temp1`.
    Sensor(HwmonKind, u32),
    /// Alarm of the first voltage: `hwmon0.in0.alarm`.
    Alarm,
}

/// Kinds of hwmon sensors, with the prefix of their files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HwmonKind {
    /// `temp`
    Temperature,
    /// `in`
    Voltage,
    /// `curr`
    Current,
    /// `power`
    Power,
    /// `energy`
    Energy,
    /// `fan`
    Fan,
}

words! {
    /// Framework that counts the energy of a powercap zone.
    pub enum PowerZoneKind { Rapl = "rapl", Scmi = "scmi", }
}

/// powercap zone: `rapl0`, its subzone `rapl0:1`, `scmi2`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PowerZone {
    pub(super) kind: PowerZoneKind,
    /// Number in the kernel's format.
    pub(super) number: Box<str>,
}

impl PowerZone {
    /// Zone with a number in the kernel's format: digits, with colons before subzones. `None` for other text.
    pub fn of(kind: PowerZoneKind, number: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit();
        let is_number =
            number.bytes().next().is_some_and(is_digit) && number.bytes().all(|byte| is_digit(byte) || byte == b':');
        is_number.then(|| Self { kind, number: number.into() })
    }

    /// Framework of the zone.
    pub fn kind(&self) -> PowerZoneKind {
        self.kind
    }

    /// True for a subzone, whose energy is included in another zone: `rapl0:1` is part of `rapl0`.
    pub fn is_part(&self) -> bool {
        self.number.contains(':')
    }
}

/// Values of a powercap zone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PowercapChannel {
    /// `rapl0.energy`
    Energy,
    /// `scmi0.power`
    Power,
    /// Limit with this name, or its number if it has none; a setting: `rapl0.limit.long_term`.
    Limit(Box<str>),
}

/// Values of a devfreq device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DevfreqChannel {
    /// Reported clock: `devfreq.dmc.claimed`.
    Claimed,
    /// Time at a clock in Hz: `devfreq.dmc.residency.528000000`.
    Residency(u64),
}

/// Values of a battery or power supply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SupplyChannel {
    /// `voltage`
    Voltage,
    /// `current`
    Current,
    /// `power`
    Power,
    /// `energy`
    Energy,
    /// `capacity`
    Capacity,
    /// `online`
    Online,
}

words! {
    /// Source of the board's input voltage.
    pub enum BoardInput {
        Adc = "adc.input.voltage",
        AxpAc = "axp.ac.voltage",
        AxpVbus = "axp.vbus.voltage",
        /// Column of a log.
        Log = "dc.in_voltage",
    }
}

/// Values of a Raspberry Pi's firmware.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RaspberryPiChannel {
    /// Throttle bits: `rpi.throttled`.
    Throttled,
    /// `rpi.clock.arm`
    ArmClock,
    /// `rpi.voltage.core`
    CoreVoltage,
    /// Sum of all rails: `rpi.pmic.power`.
    PmicPower,
    /// Rail of the power chip: `rpi.pmic.ext5v.voltage`.
    Rail(Box<str>, RailKind),
    /// Clock in a log: `rpi.firmware_clock`.
    LogFirmwareClock,
    /// Voltage in a log: `rpi.core_voltage`.
    LogCoreVoltage,
    /// Power in a log: `rpi.pmic_power`.
    LogPmicPower,
}

/// Values of a rail of a Raspberry Pi's power chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RailKind {
    /// `voltage`
    Voltage,
    /// `current`
    Current,
}

/// Output of a power meter: `meter`, `meter.1`, `meter2`, `meter2.2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MeterOutput {
    /// Number of the meter on the command line, from 1.
    pub meter: u32,
    /// Number of the output, from 1; `None` if the meter has a single one.
    pub output: Option<u32>,
}

impl MeterOutput {
    /// Output of a meter.
    pub const fn of(meter: u32, output: Option<u32>) -> Self {
        Self { meter, output }
    }
}

/// Values of an output of a power meter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MeterChannel {
    /// `energy`
    Energy,
    /// `power`
    Power,
    /// `voltage`
    Voltage,
    /// `current`
    Current,
    /// `delay`: delay of the last answer.
    Delay,
}

/// Values of the program's cgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ControlGroupChannel {
    /// `throttled`
    Throttled,
    /// `throttled_time`
    ThrottledTime,
}

words! {
    /// Values of the measured threads.
    pub enum MeasuredChannel { Cpu = "cpu", RunDelay = "run_delay", }
}

/// Values of the sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SamplerChannel {
    /// `cpu`
    Cpu,
    /// `delay`
    Delay,
}

words! {
    /// Values of the monitor inside a log.
    pub enum LogMonitorChannel { FirstRow = "first_row", Phase = "phase", }
}
