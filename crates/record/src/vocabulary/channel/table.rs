//! All channel ids: text, measured quantity, unit and kind of their values. Only canonical text is parsed: `cpu007.idle`
//! and `meter1.power` are unknown ids, which are kept unchanged.

use super::*;
use crate::{ChannelKind, Unit};
use std::convert::Infallible;
use std::str::FromStr;

/// Rows `text => id, measurand unit kind`. The text consists of literals and of parts of the id.
macro_rules! table {
    ($($first:literal $($part:ident $($then:literal)?)* => $id:ident $(($($inner:tt)*))? $({$($field:ident),*})?,
        $measurand:ident $unit:ident $kind:ident;)*) => {
        impl ChannelId {
            /// Text of the id.
            #[allow(unused_mut, reason = "some ids have no parts")]
            pub(crate) fn text(&self) -> Cow<'_, str> {
                match self {
                    $(Self::$id $(($($inner)*))? $({$($field),*})? => {
                        let mut text = String::from($first);
                        $($part.spell(&mut text); text.push_str(concat!($($then)?));)*
                        text.into()
                    })*
                    Self::Other(text) => Cow::Borrowed(text),
                }
            }

            /// Known id with this text.
            fn known(text: &str) -> Option<Self> {
                $(
                    let id = text.strip_prefix($first).and_then(|rest| {
                        $(let ($part, rest) = take(rest, concat!($($then)?))?;)*
                        rest.is_empty().then_some(Self::$id $(($($inner)*))? $({$($field),*})?)
                    });
                    if id.as_ref().is_some_and(|id| id.text() == text) {
                        return id;
                    }
                )*
                None
            }

            /// Measured quantity, unit and kind; `None` if the id does not determine them.
            pub(super) fn quantity(&self) -> Option<(Measurand, Unit, ChannelKind)> {
                if matches!(self, Self::Policy(_, OfPolicy::Residencies)) {
                    return None;
                }
                match self {
                    Self::Other(_) => None,
                    $(Self::$id $(($($inner)*))? $({$($field),*})? => {
                        $(let _ = $part;)*
                        Some((Measurand::$measurand, Unit::$unit, ChannelKind::$kind))
                    })*
                }
            }
        }
    };
}

table! {
    "cpu." time => AllCpus(AllCpus::Time(time)), CpuTime Ticks Counter;
    "cpu." percent => AllCpus(AllCpus::Percent(percent)), CpuTime Percent Gauge;
    "cpu.online" => AllCpus(AllCpus::Online), Count Count Gauge;
    "cpu" cpu "." time => Cpu(cpu, OfCpu::Time(time)), CpuTime Ticks Counter;
    "cpu" cpu ".cycles" => Cpu(cpu, OfCpu::Cycles), Count Count Counter;
    "cpu" cpu ".idle_state." state => Cpu(cpu, OfCpu::IdleState(state)), Residency Microseconds Counter;
    "cpu" cpu ".throttle." scope => Cpu(cpu, OfCpu::Throttles(scope)), Throttling Count Counter;
    "cpu" cpu ".throttle_time." scope => Cpu(cpu, OfCpu::ThrottleTime(scope)), Throttling Milliseconds Counter;
    "cpu" cpu ".therm_status" => Cpu(cpu, OfCpu::ThermStatus(Scope::Core)), Throttling Bits Gauge;
    "cpu" cpu ".therm_status.package" => Cpu(cpu, OfCpu::ThermStatus(Scope::Package)), Throttling Bits Gauge;
    "policy" policy ".claimed" => Policy(policy, OfPolicy::Claimed), Clock Kilohertz Gauge;
    "policy" policy ".average" => Policy(policy, OfPolicy::Average), Clock Kilohertz Gauge;
    "policy" policy ".limit_max" => Policy(policy, OfPolicy::LimitMax), ClockLimit Kilohertz Gauge;
    "policy" policy ".residency." => Policy(policy, OfPolicy::Residencies), Residency Ticks Counter;
    "policy" policy ".residency." khz => Policy(policy, OfPolicy::Residency(khz)), Residency Ticks Counter;
    "" cores ".claimed" => BigLittle(cores), Clock Kilohertz Gauge;
    "load." span => Load(span), Load Hundredths Gauge;
    "memory.available" => Memory(OfMemory::Available), Size Kibibytes Gauge;
    "memory.faults.major" => Memory(OfMemory::MajorFaults), Count Count Counter;
    "memory.oom_kills" => Memory(OfMemory::OomKills), Count Count Counter;
    "swap.used" => Swap(OfSwap::Used), Size Kibibytes Gauge;
    "swap.in" => Swap(OfSwap::In), Size Pages Counter;
    "swap.out" => Swap(OfSwap::Out), Size Pages Counter;
    "zram" device "." what => Zram(device, what), Size Kibibytes Gauge;
    "psi." resource "." stalled => Pressure(resource, stalled), Load Microseconds Counter;
    "thermal_zone" zone ".temp" => Zone(zone, OfZone::Temperature), Temperature Millicelsius Gauge;
    "thermal_zone" zone ".trip" trip => Zone(zone, OfZone::Trip(trip)), TripPoint Millicelsius Gauge;
    "cooling_device" device ".state" => Cooling(device), Throttling Count Gauge;
    "hwmon" chip ".in0.alarm" => Hwmon(chip, OfHwmon::Alarm), Alarm Count Gauge;
    "hwmon" chip ".temp" n => Hwmon(chip, OfHwmon::Sensor(HwmonKind::Temperature, n)), Temperature Millicelsius Gauge;
    "hwmon" chip ".in" n => Hwmon(chip, OfHwmon::Sensor(HwmonKind::Voltage, n)), Voltage Millivolts Gauge;
    "hwmon" chip ".curr" n => Hwmon(chip, OfHwmon::Sensor(HwmonKind::Current, n)), Current Milliamperes Gauge;
    "hwmon" chip ".power" n => Hwmon(chip, OfHwmon::Sensor(HwmonKind::Power, n)), Power Microwatts Gauge;
    "hwmon" chip ".energy" n => Hwmon(chip, OfHwmon::Sensor(HwmonKind::Energy, n)), Energy Microjoules Counter;
    "hwmon" chip ".fan" n => Hwmon(chip, OfHwmon::Sensor(HwmonKind::Fan, n)), Fan Count Gauge;
    "" zone ".energy" => Powercap(zone, OfPowercap::Energy), Energy Microjoules Counter;
    "" zone ".power" => Powercap(zone, OfPowercap::Power), Power Microwatts Gauge;
    "" zone ".limit." term => Powercap(zone, OfPowercap::Limit(term)), PowerLimit Microwatts Gauge;
    "devfreq." device ".claimed" => Devfreq(device, OfDevfreq::Claimed), Clock Hertz Gauge;
    "devfreq." device ".residency." hz => Devfreq(device, OfDevfreq::Residency(hz)), Residency Milliseconds Counter;
    "supply." supply ".voltage" => Supply(supply, OfSupply::Voltage), Voltage Microvolts Gauge;
    "supply." supply ".current" => Supply(supply, OfSupply::Current), Current Milliamperes Gauge;
    "supply." supply ".power" => Supply(supply, OfSupply::Power), Power Microwatts Gauge;
    "supply." supply ".energy" => Supply(supply, OfSupply::Energy), Energy Microjoules Gauge;
    "supply." supply ".capacity" => Supply(supply, OfSupply::Capacity), Charge Percent Gauge;
    "supply." supply ".online" => Supply(supply, OfSupply::Online), Count Count Gauge;
    "iio" device ".in" input => Adc { device, input }, Voltage Microvolts Gauge;
    "" input => BoardInput(input), Voltage Microvolts Gauge;
    "rpi.throttled" => RaspberryPi(OfRaspberryPi::Throttled), Throttling Bits Gauge;
    "rpi.clock.arm" => RaspberryPi(OfRaspberryPi::ArmClock), Clock Hertz Gauge;
    "rpi.voltage.core" => RaspberryPi(OfRaspberryPi::CoreVoltage), Voltage Microvolts Gauge;
    "rpi.pmic.power" => RaspberryPi(OfRaspberryPi::PmicPower), Power Microwatts Gauge;
    "rpi.pmic." rail ".voltage" => RaspberryPi(OfRaspberryPi::Rail(rail, RailKind::Voltage)), Voltage Microvolts Gauge;
    "rpi.pmic." rail ".current" => RaspberryPi(OfRaspberryPi::Rail(rail, RailKind::Current)), Current Milliamperes Gauge;
    "rpi.firmware_clock" => RaspberryPi(OfRaspberryPi::LogFirmwareClock), Clock Kilohertz Gauge;
    "rpi.core_voltage" => RaspberryPi(OfRaspberryPi::LogCoreVoltage), Voltage Microvolts Gauge;
    "rpi.pmic_power" => RaspberryPi(OfRaspberryPi::LogPmicPower), Power Milliwatts Gauge;
    "" output ".energy" => Meter(output, OfMeter::Energy), Energy Microjoules Counter;
    "" output ".power" => Meter(output, OfMeter::Power), Power Milliwatts Gauge;
    "" output ".voltage" => Meter(output, OfMeter::Voltage), Voltage Millivolts Gauge;
    "" output ".current" => Meter(output, OfMeter::Current), Current Milliamperes Gauge;
    "" output ".delay" => Meter(output, OfMeter::Delay), Delay Milliseconds Gauge;
    "power.milliwatts" => LogMeter(1), Power Milliwatts Gauge;
    "power.milliwatts." column => LogMeter(column), Power Milliwatts Gauge;
    "cgroup.throttled" => ControlGroup(OfControlGroup::Throttled), Throttling Count Counter;
    "cgroup.throttled_time" => ControlGroup(OfControlGroup::ThrottledTime), Throttling Nanoseconds Counter;
    "measured." what => MeasuredThreads(what), CpuTime Nanoseconds Counter;
    "sampler.cpu" => Sampler(OfSampler::Cpu), CpuTime Nanoseconds Counter;
    "sampler.delay" => Sampler(OfSampler::Delay), Delay Microseconds Gauge;
    "soc.temp" => Soc, Temperature Millicelsius Gauge;
    "monitor." what => LogMonitor(what), Count Count Gauge;
}

impl FromStr for ChannelId {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::known(text).unwrap_or_else(|| Self::Other(Cow::Owned(text.to_owned()))))
    }
}

/// Part of an id and its text.
trait Part: Sized {
    /// Appends the text.
    fn spell(&self, text: &mut String);
    /// Part with this text.
    fn of_text(text: &str) -> Option<Self>;
    /// Start of the literal after the part. Names of devices may contain the literal.
    fn end(text: &str, then: &str) -> Option<usize> {
        text.find(then)
    }
}

/// Splits off a part with the literal after it.
fn take<'a, P: Part>(text: &'a str, then: &str) -> Option<(P, &'a str)> {
    let end = if then.is_empty() { text.len() } else { P::end(text, then)? };
    Some((P::of_text(&text[..end])?, &text[end + then.len()..]))
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl Part for $number {
            fn spell(&self, text: &mut String) {
                text.push_str(&self.to_string());
            }

            fn of_text(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        })*
    };
}

numbers!(u32 u64);

macro_rules! word_parts {
    ($($word:ty)*) => {
        $(impl Part for $word {
            fn spell(&self, text: &mut String) {
                text.push_str(self.as_str());
            }

            fn of_text(text: &str) -> Option<Self> {
                Self::of(text)
            }
        })*
    };
}

word_parts!(CpuTime CpuPercent Scope BigLittle LoadSpan OfZram Resource StallKind BoardInput OfMeasured OfLogMonitor);

impl Part for Box<str> {
    fn spell(&self, text: &mut String) {
        text.push_str(self);
    }

    fn of_text(text: &str) -> Option<Self> {
        Some(text.into())
    }

    fn end(text: &str, then: &str) -> Option<usize> {
        text.rfind(then)
    }
}

impl Part for PowerZone {
    fn spell(&self, text: &mut String) {
        text.push_str(self.kind.as_str());
        text.push_str(&self.number);
    }

    fn of_text(text: &str) -> Option<Self> {
        let (kind, number) = text.split_at(text.find(|letter: char| letter.is_ascii_digit())?);
        Self::of(PowerZoneKind::of(kind)?, number)
    }
}

impl Part for MeterOutput {
    fn spell(&self, text: &mut String) {
        text.push_str("meter");
        // The first meter has no number, because one meter is most common.
        if self.meter != 1 {
            self.meter.spell(text);
        }
        if let Some(output) = self.output {
            text.push('.');
            output.spell(text);
        }
    }

    fn of_text(text: &str) -> Option<Self> {
        let text = text.strip_prefix("meter")?;
        let (meter, output) = match text.split_once('.') {
            Some((meter, output)) => (meter, Some(output.parse().ok()?)),
            None => (text, None),
        };
        Some(Self::of(if meter.is_empty() { 1 } else { meter.parse().ok()? }, output))
    }
}
