//! What a channel of samples is of: `cpu3.idle`, `policy4.claimed`, `thermal_zone0.temp`.

mod attributes;
mod parts;
mod spelling;
#[cfg(test)]
mod tests;

pub use attributes::*;
pub use parts::*;

use std::borrow::Cow;

/// What a channel is of. Its text is a dotted path, thing first.
///
/// Numbers are those of the kernel: of a CPU, a cpufreq policy, a thermal zone, a chip of hwmon. Unit and kind of the
/// values follow from the id ([`ChannelId::unit`], [`ChannelId::kind`]).
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum ChannelId {
    /// All CPUs together: `cpu.idle`, `cpu.online`, `cpu.busy_percent`.
    AllCpus(AllCpus),
    /// One CPU: `cpu3.idle`.
    Cpu(u32, OfCpu),
    /// One cpufreq policy: `policy4.claimed`.
    Policy(u32, OfPolicy),
    /// The clock of a log that has one column for each kind of core: `big.claimed`.
    BigLittle(BigLittle),
    /// The load average: `load.1min`.
    Load(LoadSpan),
    /// `memory.available`, `memory.oom_kills`.
    Memory(OfMemory),
    /// `swap.used`, `swap.in`.
    Swap(OfSwap),
    /// A device of compressed memory: `zram0.used`.
    Zram(u32, OfZram),
    /// Pressure stall information: `psi.cpu.some`.
    Pressure(Resource, Stalled),
    /// A thermal zone: `thermal_zone0.temp`.
    Zone(u32, OfZone),
    /// The state of a cooling device: `cooling_device0.state`.
    Cooling(u32),
    /// A chip of hwmon: `hwmon0.in1`.
    Hwmon(u32, OfHwmon),
    /// A zone of powercap: `rapl0:1.energy`.
    Powercap(PowerZone, OfPowercap),
    /// A device whose clock follows its use: `devfreq.fb000000.gpu.claimed`.
    Devfreq(Box<str>, OfDevfreq),
    /// A battery or a power supply: `supply.BAT0.voltage`.
    Supply(Box<str>, OfSupply),
    /// An input of an analogue to digital converter: `iio0.in1`.
    Adc {
        /// Number of the converter.
        device: u32,
        /// Number of its input.
        input: u32,
    },
    /// The voltage at the input of the board.
    BoardInput(BoardInput),
    /// What the firmware of a Raspberry Pi tells: `rpi.throttled`.
    RaspberryPi(OfRaspberryPi),
    /// A power meter on the network: `meter.power`, `meter2.1.energy`.
    Meter(MeterOutput, OfMeter),
    /// The power in a log, by the number of its column from 1: `power.milliwatts`, `power.milliwatts.2`.
    LogMeter(u32),
    /// The control group in which the program runs: `cgroup.throttled`.
    ControlGroup(OfControlGroup),
    /// The threads that are measured: `measured.cpu`.
    MeasuredThreads(OfMeasured),
    /// The sampler itself: `sampler.delay`.
    Sampler(OfSampler),
    /// The temperature of a log, which has one: `soc.temp`.
    Soc,
    /// What is known of the monitor inside a log: `monitor.phase`.
    LogMonitor(OfLogMonitor),
    /// A sensor that no other code asks for by name, or a channel of a newer program.
    Other(Cow<'static, str>),
}

impl ChannelId {
    /// A gap that is one of all channels stands in the name of this one, which every run has.
    pub const ALL_CHANNELS_GAP: Self = Self::Sampler(OfSampler::Cpu);

    /// A word that its sensor alone knows. It must not be the spelling of another id.
    pub const fn own(text: &'static str) -> Self {
        Self::Other(Cow::Borrowed(text))
    }

    /// Time of all CPUs together: `cpu.idle`.
    pub const fn all_cpus(time: CpuTime) -> Self {
        Self::AllCpus(AllCpus::Time(time))
    }

    /// Time of one CPU: `cpu3.idle`.
    pub const fn cpu_time(cpu: u32, time: CpuTime) -> Self {
        Self::Cpu(cpu, OfCpu::Time(time))
    }

    /// The clock that cpufreq claims for a policy: `policy4.claimed`.
    pub const fn claimed(policy: u32) -> Self {
        Self::Policy(policy, OfPolicy::Claimed)
    }

    /// The highest clock that is allowed to a policy: `policy4.limit_max`.
    pub const fn limit_max(policy: u32) -> Self {
        Self::Policy(policy, OfPolicy::LimitMax)
    }

    /// The temperature of a thermal zone: `thermal_zone0.temp`.
    pub const fn zone_temperature(zone: u32) -> Self {
        Self::Zone(zone, OfZone::Temperature)
    }

    /// What the only output of the first power meter tells: `meter.power`.
    pub const fn meter(what: OfMeter) -> Self {
        Self::Meter(MeterOutput::of(1, None), what)
    }
}

spelled!(ChannelId);
