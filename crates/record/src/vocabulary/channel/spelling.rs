//! Text of channel ids, in both directions. Only canonical text is parsed: `cpu007.idle` and `meter1.power` are unknown
//! ids, which are kept unchanged.

use super::*;
use std::convert::Infallible;
use std::str::FromStr;

impl ChannelId {
    /// Text of the id.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        let text = match self {
            Self::Other(text) => return Cow::Borrowed(text),
            Self::Soc => return Cow::Borrowed("soc.temp"),
            Self::BoardInput(input) => return Cow::Borrowed(input.as_str()),
            Self::LogMeter(1) => return Cow::Borrowed("power.milliwatts"),
            Self::AllCpus(what) => format!("cpu.{}", of_all_cpus(*what)),
            Self::Cpu(cpu, what) => format!("cpu{cpu}.{}", of_cpu(*what)),
            Self::Policy(policy, what) => format!("policy{policy}.{}", of_policy(*what)),
            Self::BigLittle(cores) => format!("{}.claimed", cores.as_str()),
            Self::Load(span) => format!("load.{}", span.as_str()),
            Self::Memory(what) => format!("memory.{}", what.as_str()),
            Self::Swap(what) => format!("swap.{}", what.as_str()),
            Self::Zram(device, what) => format!("zram{device}.{}", what.as_str()),
            Self::Pressure(of, stalled) => format!("psi.{}.{}", of.as_str(), stalled.as_str()),
            Self::Zone(zone, OfZone::Temperature) => format!("thermal_zone{zone}.temp"),
            Self::Zone(zone, OfZone::Trip(trip)) => format!("thermal_zone{zone}.trip{trip}"),
            Self::Cooling(device) => format!("cooling_device{device}.state"),
            Self::Hwmon(chip, OfHwmon::Alarm) => format!("hwmon{chip}.in0.alarm"),
            Self::Hwmon(chip, OfHwmon::Sensor(kind, number)) => {
                format!("hwmon{chip}.{}{number}", kind.as_str())
            }
            Self::Powercap(zone, what) => {
                format!("{}{}.{}", zone.kind().as_str(), zone.number(), of_powercap(what))
            }
            Self::Devfreq(device, OfDevfreq::Claimed) => format!("devfreq.{device}.claimed"),
            Self::Devfreq(device, OfDevfreq::Residency(hz)) => {
                format!("devfreq.{device}.residency.{hz}")
            }
            Self::Supply(supply, what) => format!("supply.{supply}.{}", what.as_str()),
            Self::Adc { device, input } => format!("iio{device}.in{input}"),
            Self::RaspberryPi(what) => format!("rpi.{}", of_raspberry_pi(what)),
            Self::Meter(output, what) => of_meter(*output, *what),
            Self::LogMeter(column) => format!("power.milliwatts.{column}"),
            Self::ControlGroup(what) => format!("cgroup.{}", what.as_str()),
            Self::MeasuredThreads(what) => format!("measured.{}", what.as_str()),
            Self::Sampler(what) => format!("sampler.{}", what.as_str()),
            Self::LogMonitor(what) => format!("monitor.{}", what.as_str()),
        };
        Cow::Owned(text)
    }
}

fn of_all_cpus(what: AllCpus) -> &'static str {
    match what {
        AllCpus::Time(time) => time.as_str(),
        AllCpus::Online => "online",
        AllCpus::Percent(percent) => percent.as_str(),
    }
}

fn of_cpu(what: OfCpu) -> Cow<'static, str> {
    let text = match what {
        OfCpu::Time(time) => return time.as_str().into(),
        OfCpu::Cycles => return "cycles".into(),
        OfCpu::ThermStatus(Scope::Core) => return "therm_status".into(),
        OfCpu::ThermStatus(Scope::Package) => return "therm_status.package".into(),
        OfCpu::IdleState(state) => format!("idle_state.{state}"),
        OfCpu::Throttles(scope) => format!("throttle.{}", scope.as_str()),
        OfCpu::ThrottleTime(scope) => format!("throttle_time.{}", scope.as_str()),
    };
    text.into()
}

fn of_policy(what: OfPolicy) -> Cow<'static, str> {
    match what {
        OfPolicy::Claimed => "claimed".into(),
        OfPolicy::Average => "average".into(),
        OfPolicy::LimitMax => "limit_max".into(),
        OfPolicy::Residency(khz) => format!("residency.{khz}").into(),
        OfPolicy::Residencies => "residency.".into(),
    }
}

fn of_powercap(what: &OfPowercap) -> Cow<'static, str> {
    match what {
        OfPowercap::Energy => "energy".into(),
        OfPowercap::Power => "power".into(),
        OfPowercap::Limit(term) => format!("limit.{term}").into(),
    }
}

fn of_raspberry_pi(what: &OfRaspberryPi) -> Cow<'static, str> {
    match what {
        OfRaspberryPi::Throttled => "throttled".into(),
        OfRaspberryPi::ArmClock => "clock.arm".into(),
        OfRaspberryPi::CoreVoltage => "voltage.core".into(),
        OfRaspberryPi::PmicPower => "pmic.power".into(),
        OfRaspberryPi::LogFirmwareClock => "firmware_clock".into(),
        OfRaspberryPi::LogCoreVoltage => "core_voltage".into(),
        OfRaspberryPi::LogPmicPower => "pmic_power".into(),
        OfRaspberryPi::Rail(rail, kind) => format!("pmic.{rail}.{}", kind.as_str()).into(),
    }
}

fn of_meter(MeterOutput { meter, output }: MeterOutput, what: OfMeter) -> String {
    // The first meter has no number, because one meter is most common.
    let meter = if meter == 1 { String::new() } else { meter.to_string() };
    let output = output.map_or(String::new(), |output| format!(".{output}"));
    format!("meter{meter}{output}.{}", what.as_str())
}

impl FromStr for ChannelId {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let known =
            text.split_once('.').and_then(|(thing, what)| named(text, thing, what).or_else(|| numbered(thing, what)));
        Ok(known.unwrap_or_else(|| Self::Other(Cow::Owned(text.to_owned()))))
    }
}

/// Parses a canonical number: without a sign and leading zeros.
fn number<N: FromStr>(text: &str) -> Option<N> {
    let is_canonical = text == "0" || !text.starts_with('0');
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (is_canonical && is_digits).then(|| text.parse().ok())?
}

/// Devices without a number.
fn named(text: &str, thing: &str, what: &str) -> Option<ChannelId> {
    Some(match thing {
        "cpu" => ChannelId::AllCpus(all_cpus(what)?),
        "big" | "little" if what == "claimed" => ChannelId::BigLittle(BigLittle::of(thing)?),
        "load" => ChannelId::Load(LoadSpan::of(what)?),
        "memory" => ChannelId::Memory(OfMemory::of(what)?),
        "swap" => ChannelId::Swap(OfSwap::of(what)?),
        "psi" => {
            let (resource, stalled) = what.split_once('.')?;
            ChannelId::Pressure(Resource::of(resource)?, StallKind::of(stalled)?)
        }
        "devfreq" => devfreq(what)?,
        "supply" => {
            let (supply, what) = what.rsplit_once('.')?;
            ChannelId::Supply(supply.into(), OfSupply::of(what)?)
        }
        "adc" | "axp" | "dc" => ChannelId::BoardInput(BoardInput::of(text)?),
        "rpi" => ChannelId::RaspberryPi(raspberry_pi(what)?),
        "meter" => meter(1, what)?,
        "power" => match what.strip_prefix("milliwatts")? {
            "" => ChannelId::LogMeter(1),
            column => ChannelId::LogMeter(number(column.strip_prefix('.')?).filter(|n| *n != 1)?),
        },
        "cgroup" => ChannelId::ControlGroup(OfControlGroup::of(what)?),
        "measured" => ChannelId::MeasuredThreads(OfMeasured::of(what)?),
        "sampler" => ChannelId::Sampler(OfSampler::of(what)?),
        "soc" if what == "temp" => ChannelId::Soc,
        "monitor" => ChannelId::LogMonitor(OfLogMonitor::of(what)?),
        _ => return None,
    })
}

/// Devices with a number.
fn numbered(thing: &str, what: &str) -> Option<ChannelId> {
    let digits_from = thing.find(|letter: char| letter.is_ascii_digit())?;
    let (kind, digits) = thing.split_at(digits_from);
    if let Some(kind) = PowerZoneKind::of(kind) {
        let what = match what {
            "energy" => OfPowercap::Energy,
            "power" => OfPowercap::Power,
            limit => OfPowercap::Limit(limit.strip_prefix("limit.")?.into()),
        };
        return Some(ChannelId::Powercap(PowerZone::of(kind, digits)?, what));
    }
    let nth = number(digits)?;
    Some(match kind {
        "cpu" => ChannelId::Cpu(nth, cpu(what)?),
        "policy" => ChannelId::Policy(nth, policy(what)?),
        "zram" => ChannelId::Zram(nth, OfZram::of(what)?),
        "thermal_zone" if what == "temp" => ChannelId::Zone(nth, OfZone::Temperature),
        "thermal_zone" => ChannelId::Zone(nth, OfZone::Trip(number(what.strip_prefix("trip")?)?)),
        "cooling_device" if what == "state" => ChannelId::Cooling(nth),
        "hwmon" => ChannelId::Hwmon(nth, hwmon(what)?),
        "iio" => ChannelId::Adc { device: nth, input: number(what.strip_prefix("in")?)? },
        "meter" if nth != 1 => meter(nth, what)?,
        _ => return None,
    })
}

fn all_cpus(what: &str) -> Option<AllCpus> {
    let other = || (what == "online").then_some(AllCpus::Online);
    let percent = || CpuPercent::of(what).map(AllCpus::Percent);
    CpuTime::of(what).map(AllCpus::Time).or_else(percent).or_else(other)
}

fn cpu(what: &str) -> Option<OfCpu> {
    let Some((first, rest)) = what.split_once('.') else {
        return match what {
            "cycles" => Some(OfCpu::Cycles),
            "therm_status" => Some(OfCpu::ThermStatus(Scope::Core)),
            _ => CpuTime::of(what).map(OfCpu::Time),
        };
    };
    match first {
        "idle_state" => number(rest).map(OfCpu::IdleState),
        "throttle" => Scope::of(rest).map(OfCpu::Throttles),
        "throttle_time" => Scope::of(rest).map(OfCpu::ThrottleTime),
        "therm_status" if rest == "package" => Some(OfCpu::ThermStatus(Scope::Package)),
        _ => None,
    }
}

fn policy(what: &str) -> Option<OfPolicy> {
    Some(match what {
        "claimed" => OfPolicy::Claimed,
        "average" => OfPolicy::Average,
        "limit_max" => OfPolicy::LimitMax,
        "residency." => OfPolicy::Residencies,
        _ => OfPolicy::Residency(number(what.strip_prefix("residency.")?)?),
    })
}

fn hwmon(what: &str) -> Option<OfHwmon> {
    if what == "in0.alarm" {
        return Some(OfHwmon::Alarm);
    }
    let (kind, digits) = what.split_at(what.find(|letter: char| letter.is_ascii_digit())?);
    Some(OfHwmon::Sensor(HwmonKind::of(kind)?, number(digits)?))
}

/// Device names may contain dots: `fb000000.gpu`.
fn devfreq(what: &str) -> Option<ChannelId> {
    let (before, last) = what.rsplit_once('.')?;
    if last == "claimed" {
        return Some(ChannelId::Devfreq(before.into(), OfDevfreq::Claimed));
    }
    let device = before.strip_suffix(".residency")?;
    Some(ChannelId::Devfreq(device.into(), OfDevfreq::Residency(number(last)?)))
}

fn raspberry_pi(what: &str) -> Option<OfRaspberryPi> {
    Some(match what {
        "throttled" => OfRaspberryPi::Throttled,
        "clock.arm" => OfRaspberryPi::ArmClock,
        "voltage.core" => OfRaspberryPi::CoreVoltage,
        "pmic.power" => OfRaspberryPi::PmicPower,
        "firmware_clock" => OfRaspberryPi::LogFirmwareClock,
        "core_voltage" => OfRaspberryPi::LogCoreVoltage,
        "pmic_power" => OfRaspberryPi::LogPmicPower,
        _ => {
            let (rail, kind) = what.strip_prefix("pmic.")?.rsplit_once('.')?;
            OfRaspberryPi::Rail(rail.into(), RailKind::of(kind)?)
        }
    })
}

fn meter(meter: u32, what: &str) -> Option<ChannelId> {
    let (output, what) = match what.split_once('.') {
        Some((output, what)) => (Some(number(output)?), what),
        None => (None, what),
    };
    Some(ChannelId::Meter(MeterOutput::of(meter, output), OfMeter::of(what)?))
}
