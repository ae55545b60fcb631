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
                if matches!(self, Self::Policy(_, PolicyChannel::Residencies)) {
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
    "cpu" cpu "." time => Cpu(cpu, CpuChannel::Time(time)), CpuTime Ticks Counter;
    "cpu" cpu ".cycles" => Cpu(cpu, CpuChannel::Cycles), Count Count Counter;
    "cpu" cpu ".idle_state." state => Cpu(cpu, CpuChannel::IdleState(state)), Residency Microseconds Counter;
    "cpu" cpu ".throttle." scope => Cpu(cpu, CpuChannel::Throttles(scope)), Throttling Count Counter;
    "cpu" cpu ".throttle_time." scope => Cpu(cpu, CpuChannel::ThrottleTime(scope)), Throttling Milliseconds Counter;
    "cpu" cpu ".therm_status" => Cpu(cpu, CpuChannel::ThermStatus(Scope::Core)), Throttling Bits Gauge;
    "cpu" cpu ".therm_status.package" => Cpu(cpu, CpuChannel::ThermStatus(Scope::Package)), Throttling Bits Gauge;
    "policy" policy ".claimed" => Policy(policy, PolicyChannel::Claimed), Clock Kilohertz Gauge;
    "policy" policy ".average" => Policy(policy, PolicyChannel::Average), Clock Kilohertz Gauge;
    "policy" policy ".limit_max" => Policy(policy, PolicyChannel::LimitMax), ClockLimit Kilohertz Gauge;
    "policy" policy ".residency." => Policy(policy, PolicyChannel::Residencies), Residency Ticks Counter;
    "policy" policy ".residency." khz => Policy(policy, PolicyChannel::Residency(khz)), Residency Ticks Counter;
    "" cores ".claimed" => BigLittle(cores), Clock Kilohertz Gauge;
    "load." span => Load(span), Load Hundredths Gauge;
    "memory.available" => Memory(MemoryChannel::Available), Size Kibibytes Gauge;
    "memory.faults.major" => Memory(MemoryChannel::MajorFaults), Count Count Counter;
    "memory.oom_kills" => Memory(MemoryChannel::OomKills), Count Count Counter;
    "swap.used" => Swap(SwapChannel::Used), Size Kibibytes Gauge;
    "swap.in" => Swap(SwapChannel::In), Size Pages Counter;
    "swap.out" => Swap(SwapChannel::Out), Size Pages Counter;
    "zram" device "." what => Zram(device, what), Size Kibibytes Gauge;
    "psi." resource "." stalled => Pressure(resource, stalled), Load Microseconds Counter;
    "thermal_zone" zone ".temp" => Zone(zone, ZoneChannel::Temperature), Temperature Millicelsius Gauge;
    "thermal_zone" zone ".trip" trip => Zone(zone, ZoneChannel::Trip(trip)), TripPoint Millicelsius Gauge;
    "cooling_device" device ".state" => Cooling(device), Throttling Count Gauge;
    "hwmon" chip ".in0.alarm" => Hwmon(chip, HwmonChannel::Alarm), Alarm Count Gauge;
    "hwmon" chip ".temp" n => Hwmon(chip, HwmonChannel::Sensor(HwmonKind::Temperature, n)), Temperature Millicelsius Gauge;
    "hwmon" chip ".in" n => Hwmon(chip, HwmonChannel::Sensor(HwmonKind::Voltage, n)), Voltage Millivolts Gauge;
    "hwmon" chip ".curr" n => Hwmon(chip, HwmonChannel::Sensor(HwmonKind::Current, n)), Current Milliamperes Gauge;
    "hwmon" chip ".power" n => Hwmon(chip, HwmonChannel::Sensor(HwmonKind::Power, n)), Power Microwatts Gauge;
    "hwmon" chip ".energy" n => Hwmon(chip, HwmonChannel::Sensor(HwmonKind::Energy, n)), Energy Microjoules Counter;
    "hwmon" chip ".fan" n => Hwmon(chip, HwmonChannel::Sensor(HwmonKind::Fan, n)), Fan Count Gauge;
    "" zone ".energy" => Powercap(zone, PowercapChannel::Energy), Energy Microjoules Counter;
    "" zone ".power" => Powercap(zone, PowercapChannel::Power), Power Microwatts Gauge;
    "" zone ".limit." term => Powercap(zone, PowercapChannel::Limit(term)), PowerLimit Microwatts Gauge;
    "devfreq." device ".claimed" => Devfreq(device, DevfreqChannel::Claimed), Clock Hertz Gauge;
    "devfreq." device ".residency." hz => Devfreq(device, DevfreqChannel::Residency(hz)), Residency Milliseconds Counter;
    "supply." supply ".voltage" => Supply(supply, SupplyChannel::Voltage), Voltage Microvolts Gauge;
    "supply." supply ".current" => Supply(supply, SupplyChannel::Current), Current Milliamperes Gauge;
    "supply." supply ".power" => Supply(supply, SupplyChannel::Power), Power Microwatts Gauge;
    "supply." supply ".energy" => Supply(supply, SupplyChannel::Energy), Energy Microjoules Gauge;
    "supply." supply ".capacity" => Supply(supply, SupplyChannel::Capacity), Charge Percent Gauge;
    "supply." supply ".online" => Supply(supply, SupplyChannel::Online), Count Count Gauge;
    "iio" device ".in" input => Adc { device, input }, Voltage Microvolts Gauge;
    "" input => BoardInput(input), Voltage Microvolts Gauge;
    "rpi.throttled" => RaspberryPi(RaspberryPiChannel::Throttled), Throttling Bits Gauge;
    "rpi.clock.arm" => RaspberryPi(RaspberryPiChannel::ArmClock), Clock Hertz Gauge;
    "rpi.voltage.core" => RaspberryPi(RaspberryPiChannel::CoreVoltage), Voltage Microvolts Gauge;
    "rpi.pmic.power" => RaspberryPi(RaspberryPiChannel::PmicPower), Power Microwatts Gauge;
    "rpi.pmic." rail ".voltage" => RaspberryPi(RaspberryPiChannel::Rail(rail, RailKind::Voltage)), Voltage Microvolts Gauge;
    "rpi.pmic." rail ".current" => RaspberryPi(RaspberryPiChannel::Rail(rail, RailKind::Current)), Current Milliamperes Gauge;
    "rpi.firmware_clock" => RaspberryPi(RaspberryPiChannel::LogFirmwareClock), Clock Kilohertz Gauge;
    "rpi.core_voltage" => RaspberryPi(RaspberryPiChannel::LogCoreVoltage), Voltage Microvolts Gauge;
    "rpi.pmic_power" => RaspberryPi(RaspberryPiChannel::LogPmicPower), Power Milliwatts Gauge;
    "" output ".energy" => Meter(output, MeterChannel::Energy), Energy Microjoules Counter;
    "" output ".power" => Meter(output, MeterChannel::Power), Power Milliwatts Gauge;
    "" output ".voltage" => Meter(output, MeterChannel::Voltage), Voltage Millivolts Gauge;
    "" output ".current" => Meter(output, MeterChannel::Current), Current Milliamperes Gauge;
    "" output ".delay" => Meter(output, MeterChannel::Delay), Delay Milliseconds Gauge;
    "power.milliwatts" => LogMeter(1), Power Milliwatts Gauge;
    "power.milliwatts." column => LogMeter(column), Power Milliwatts Gauge;
    "cgroup.throttled" => ControlGroup(ControlGroupChannel::Throttled), Throttling Count Counter;
    "cgroup.throttled_time" => ControlGroup(ControlGroupChannel::ThrottledTime), Throttling Nanoseconds Counter;
    "measured." what => MeasuredThreads(what), CpuTime Nanoseconds Counter;
    "sampler.cpu" => Sampler(SamplerChannel::Cpu), CpuTime Nanoseconds Counter;
    "sampler.delay" => Sampler(SamplerChannel::Delay), Delay Microseconds Gauge;
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

word_parts!(CpuTime CpuPercent Scope BigLittle LoadSpan ZramChannel Resource StallKind BoardInput MeasuredChannel LogMonitorChannel);

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
