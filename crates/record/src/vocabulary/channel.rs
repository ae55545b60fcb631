//! Ids of sample channels: `cpu3.idle`, `policy4.claimed`, `thermal_zone0.temp`.

mod attributes;
mod parts;
mod table;
#[cfg(test)]
mod tests;

pub use attributes::*;
pub use parts::*;

use std::borrow::Cow;

/// Id of a channel. Its text is a dotted path, device first.
///
/// Numbers are the kernel's numbers of CPUs, cpufreq policies, thermal zones and hwmon chips. Unit and kind of the
/// values follow from the id ([`ChannelId::unit`], [`ChannelId::kind`]).
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum ChannelId {
    /// All CPUs together: `cpu.idle`, `cpu.online`, `cpu.busy_percent`.
    AllCpus(AllCpus),
    /// One CPU: `cpu3.idle`.
    Cpu(u32, CpuChannel),
    /// One cpufreq policy: `policy4.claimed`.
    Policy(u32, PolicyChannel),
    /// Clock in a log with one column per core kind: `big.claimed`.
    BigLittle(BigLittle),
    /// Load average: `load.1min`.
    Load(LoadSpan),
    /// `memory.available`, `memory.oom_kills`.
    Memory(MemoryChannel),
    /// `swap.used`, `swap.in`.
    Swap(SwapChannel),
    /// zram device: `zram0.used`.
    Zram(u32, ZramChannel),
    /// Pressure stall information: `psi.cpu.some`.
    Pressure(Resource, StallKind),
    /// A thermal zone: `thermal_zone0.temp`.
    Zone(u32, ZoneChannel),
    /// State of a cooling device: `cooling_device0.state`.
    Cooling(u32),
    /// hwmon chip: `hwmon0.in1`.
    Hwmon(u32, HwmonChannel),
    /// powercap zone: `rapl0:1.energy`.
    Powercap(PowerZone, PowercapChannel),
    /// devfreq device: `devfreq.fb000000.gpu.claimed`.
    Devfreq(Box<str>, DevfreqChannel),
    /// Battery or power supply: `supply.BAT0.voltage`.
    Supply(Box<str>, SupplyChannel),
    /// Input of an analogue to digital converter: `iio0.in1`.
    Adc {
        /// Number of the converter.
        device: u32,
        /// Number of the input.
        input: u32,
    },
    /// Voltage at the input of the board.
    BoardInput(BoardInput),
    /// Values of a Raspberry Pi's firmware: `rpi.throttled`.
    RaspberryPi(RaspberryPiChannel),
    /// Power meter on the network: `meter.power`, `meter2.1.energy`.
    Meter(MeterOutput, MeterChannel),
    /// Power in a log, by the number of its column from 1: `power.milliwatts`, `power.milliwatts.2`.
    LogMeter(u32),
    /// cgroup of the program: `cgroup.throttled`.
    ControlGroup(ControlGroupChannel),
    /// Measured threads: `measured.cpu`.
    MeasuredThreads(MeasuredChannel),
    /// The sampler: `sampler.delay`.
    Sampler(SamplerChannel),
    /// The single temperature of a log: `soc.temp`.
    Soc,
    /// Monitor inside a log: `monitor.first_row`.
    LogMonitor(LogMonitorChannel),
    /// Private id of a sensor, or a channel of a newer program.
    Other(Cow<'static, str>),
}

impl ChannelId {
    /// Channel that gaps of all channels are assigned to; every run has it.
    pub const ALL_CHANNELS_GAP: Self = Self::Sampler(SamplerChannel::Cpu);

    /// Private id of a sensor. It must differ from the text of all other ids.
    pub const fn own(text: &'static str) -> Self {
        Self::Other(Cow::Borrowed(text))
    }

    /// Time of all CPUs: `cpu.idle`.
    pub const fn all_cpus(time: CpuTime) -> Self {
        Self::AllCpus(AllCpus::Time(time))
    }

    /// Time of one CPU: `cpu3.idle`.
    pub const fn cpu_time(cpu: u32, time: CpuTime) -> Self {
        Self::Cpu(cpu, CpuChannel::Time(time))
    }

    /// Clock reported by cpufreq for a policy: `policy4.claimed`.
    pub const fn claimed(policy: u32) -> Self {
        Self::Policy(policy, PolicyChannel::Claimed)
    }

    /// Upper clock limit of a policy: `policy4.limit_max`.
    pub const fn limit_max(policy: u32) -> Self {
        Self::Policy(policy, PolicyChannel::LimitMax)
    }

    /// Temperature of a thermal zone: `thermal_zone0.temp`.
    pub const fn zone_temperature(zone: u32) -> Self {
        Self::Zone(zone, ZoneChannel::Temperature)
    }

    /// Value of the only output of the first power meter: `meter.power`.
    pub const fn meter(what: MeterChannel) -> Self {
        Self::Meter(MeterOutput::of(1, None), what)
    }
}

spelled!(ChannelId);
