//! Reasons for throttling at one moment, in one vocabulary for x86, ARM and Raspberry Pi.
//!
//! Only live evidence counts, never a sticky bit. Rules decide whether it cost a run anything.

mod bits;
mod witness;

pub use witness::observable;

use record::{
    AllCpus, Channel, ChannelId, ControlGroupChannel, CpuChannel, HwmonChannel, PolicyChannel, PowercapChannel,
    RaspberryPiChannel, Record, Scope, StableSort, Unit, Window,
};

/// Reason for throttling of a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Too hot: the CPU or the kernel lowers the clock.
    Heat,
    /// Critical temperature: the CPU will be switched off.
    CriticalHeat,
    /// Warmer than the firmware's soft limit: the clock is lowered a little.
    SoftTemperatureLimit,
    /// The limit of power.
    PowerLimit,
    /// The limit of current.
    CurrentLimit,
    /// The input voltage is too low.
    LowVoltage,
    /// The firmware allows less than the highest clock.
    ClockCapped,
    /// The firmware runs a lower clock than requested.
    FirmwareThrottled,
    /// Another chip of the board asks for it (PROCHOT), usually the voltage regulator.
    External,
    /// Another part of the chip, such as the GPU, needs the power.
    OtherDomain,
    /// The kernel allows a lower clock than before.
    LimitLowered,
    /// CPUs were switched off.
    CpusOff,
    /// A CPU quota of the control group.
    Quota,
}

impl Reason {
    /// Every reason, the gravest first.
    pub const ALL: [Reason; 13] = [
        Reason::CriticalHeat,
        Reason::Heat,
        Reason::LowVoltage,
        Reason::SoftTemperatureLimit,
        Reason::PowerLimit,
        Reason::CurrentLimit,
        Reason::External,
        Reason::OtherDomain,
        Reason::FirmwareThrottled,
        Reason::ClockCapped,
        Reason::CpusOff,
        Reason::LimitLowered,
        Reason::Quota,
    ];

    /// The reason for programs: label of the metrics and of the monitor's JSON. Dashboards depend on it.
    pub fn id(self) -> &'static str {
        match self {
            Reason::Heat => "overheating",
            Reason::CriticalHeat => "critical_temperature",
            Reason::SoftTemperatureLimit => "soft_temperature_limit",
            Reason::PowerLimit => "power_limit",
            Reason::CurrentLimit => "current_limit",
            Reason::LowVoltage => "under_voltage",
            Reason::ClockCapped => "clock_capped",
            Reason::FirmwareThrottled => "firmware_throttled",
            Reason::External => "external",
            Reason::OtherDomain => "other_domain",
            Reason::LimitLowered => "clock_limit",
            Reason::CpusOff => "cpus_offline",
            Reason::Quota => "cpu_quota",
        }
    }

    /// The reason in words that follow "throttled: ".
    pub fn words(self) -> &'static str {
        match self {
            Reason::Heat => "overheating",
            Reason::CriticalHeat => "critical temperature",
            Reason::SoftTemperatureLimit => "soft temperature limit",
            Reason::PowerLimit => "power limit",
            Reason::CurrentLimit => "current limit",
            Reason::LowVoltage => "under-voltage",
            Reason::ClockCapped => "clock capped by firmware",
            Reason::FirmwareThrottled => "throttled by firmware",
            Reason::External => "external throttle signal (PROCHOT)",
            Reason::OtherDomain => "power budget used by another part of the SoC",
            Reason::LimitLowered => "clock limit lowered",
            Reason::CpusOff => "CPUs offline",
            Reason::Quota => "cgroup CPU quota",
        }
    }
}

/// A reason with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Throttle {
    /// Why.
    pub reason: Reason,
    /// Id of the reporting channel.
    pub channel: ChannelId,
}

/// Limit at which the power of a processor was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachedLimit {
    /// Channel of the limit.
    pub channel: ChannelId,
    /// Name that the firmware gives it, `long_term`.
    pub term: String,
    /// The limit in microwatts.
    pub microwatts: i64,
}

/// Share of the samples of a window with power at a limit from which on the limit holds for the window.
const LIMITED_SHARE_MIN: f64 = 0.5;

/// Limit at which the power of a processor was for most of a window; of several, the one of most samples.
pub fn limit_within(record: &Record, window: Window) -> Option<ReachedLimit> {
    let rows = record.samples.at_ms.iter().enumerate().filter(|(_, at_ms)| window.contains(**at_ms));
    let rows: Vec<usize> = rows.map(|(row, _)| row).collect();
    let of_zone = |channel: &Channel| {
        let reached = rows.iter().filter_map(|row| {
            let limits = limits_reached(record, channel, *row);
            // Power may exceed a limit of a longer term for a while.
            limits.into_iter().max_by_key(|limit| limit.microwatts)
        });
        let reached: Vec<ReachedLimit> = reached.collect();
        let count = |limit: &ReachedLimit| reached.iter().filter(|other| *other == limit).count();
        let most = reached.iter().max_by_key(|limit| count(limit))?;
        (count(most) as f64 >= LIMITED_SHARE_MIN * rows.len() as f64).then(|| most.clone())
    };
    record.samples.channels.iter().find_map(of_zone)
}

/// Largest age of a value for a moment: the slowest of these channels is read every 2 s, and less often on slow boards.
const AGE_MS_MAX: i64 = 5_000;

/// A power this close to its limit is at it: RAPL lets averages swing by some percent.
const AT_LIMIT_PERCENT: i64 = 97;

/// Reasons for throttling at the sample of this row, gravest first, each once.
pub fn now(record: &Record, row: usize) -> Vec<Throttle> {
    let mut found: Vec<Throttle> = Vec::new();
    for channel in &record.samples.channels {
        for reason in reasons(record, channel, row) {
            if !found.iter().any(|known| known.reason == reason) {
                let channel = channel.id.clone();
                found.push(Throttle { reason, channel });
            }
        }
    }
    let rank = |reason: Reason| Reason::ALL.iter().position(|known| *known == reason);
    found.stable_sort_by_key(|throttle| rank(throttle.reason));
    found
}

/// True if this channel reports throttling, or is necessary to detect it. A reader with a short memory keeps these.
pub fn is_told_by(channel: &Channel) -> bool {
    matches!(
        channel.id,
        ChannelId::RaspberryPi(RaspberryPiChannel::Throttled)
            | ChannelId::Cpu(_, CpuChannel::ThermStatus(_) | CpuChannel::Throttles(_))
            | ChannelId::Hwmon(_, HwmonChannel::Alarm)
            | ChannelId::Cooling(_)
            | ChannelId::ControlGroup(ControlGroupChannel::Throttled)
            | ChannelId::Policy(_, PolicyChannel::LimitMax)
            | ChannelId::AllCpus(AllCpus::Online)
            | ChannelId::Powercap(_, PowercapChannel::Energy | PowercapChannel::Limit(_))
    )
}

/// Reasons reported by one channel in one row.
fn reasons(record: &Record, channel: &Channel, row: usize) -> Vec<Reason> {
    let latest = || latest(record, channel, row).map(|(_, value)| value);
    let told = |table: &[(u32, Reason)]| latest().map_or(Vec::new(), |bits| bits::reasons(bits, table));
    let one = |reason: Reason, holds: bool| if holds { vec![reason] } else { Vec::new() };
    match &channel.id {
        ChannelId::RaspberryPi(RaspberryPiChannel::Throttled) => told(&bits::FIRMWARE),
        ChannelId::Cpu(_, CpuChannel::ThermStatus(Scope::Core)) => told(&bits::CORE),
        ChannelId::Cpu(_, CpuChannel::ThermStatus(Scope::Package)) => told(&bits::PACKAGE),
        ChannelId::Hwmon(_, HwmonChannel::Alarm) => one(Reason::LowVoltage, latest() > Some(0)),
        ChannelId::Cooling(_) => one(Reason::Heat, channel.cools_cpus() && latest() > Some(0)),
        ChannelId::Cpu(_, CpuChannel::Throttles(_)) => one(Reason::Heat, growth(record, channel, row) > Some(0)),
        ChannelId::ControlGroup(ControlGroupChannel::Throttled) => {
            one(Reason::Quota, growth(record, channel, row) > Some(0))
        }
        ChannelId::Policy(_, PolicyChannel::LimitMax) => one(Reason::LimitLowered, below_highest(record, channel, row)),
        ChannelId::AllCpus(AllCpus::Online) => one(Reason::CpusOff, below_highest(record, channel, row)),
        ChannelId::Powercap(_, PowercapChannel::Energy) => {
            one(Reason::PowerLimit, !limits_reached(record, channel, row).is_empty())
        }
        _ => Vec::new(),
    }
}

/// The latest value up to a row that is not too old, and its row.
fn latest(record: &Record, channel: &Channel, row: usize) -> Option<(usize, i64)> {
    let at_ms = *record.samples.at_ms.get(row)?;
    let mut known = known_until(channel, row);
    let (of, value) = known.next()?;
    (at_ms - record.samples.at_ms.get(of)? <= AGE_MS_MAX).then_some((of, value))
}

/// Values up to a row with their rows, the latest first.
fn known_until(channel: &Channel, row: usize) -> impl Iterator<Item = (usize, i64)> {
    let until = channel.values.get(..=row).unwrap_or(&channel.values);
    let rows = until.iter().enumerate().rev();
    rows.filter_map(|(row, value)| value.map(|value| (row, value)))
}

/// Growth of a counter to its latest value.
fn growth(record: &Record, channel: &Channel, row: usize) -> Option<i64> {
    let (of, value) = latest(record, channel, row)?;
    let (_, before) = known_until(channel, of).nth(1)?;
    Some(value - before)
}

/// True if a value that represents full speed was higher before.
fn below_highest(record: &Record, channel: &Channel, row: usize) -> bool {
    let highest = known_until(channel, row).map(|(_, value)| value).max();
    latest(record, channel, row).is_some_and(|(_, value)| Some(value) < highest)
}

/// Limits of its zone that the power of this channel has reached. Power in microwatts is energy in microjoules over time in
/// seconds.
fn limits_reached(record: &Record, energy: &Channel, row: usize) -> Vec<ReachedLimit> {
    let ChannelId::Powercap(zone, PowercapChannel::Energy) = &energy.id else { return Vec::new() };
    let power = latest(record, energy, row).filter(|_| energy.unit == Unit::Microjoules).and_then(|(of, after)| {
        let (from, before) = known_until(energy, of).nth(1)?;
        let times = &record.samples.at_ms;
        let elapsed_ms = times.get(of)?.saturating_sub(*times.get(from)?);
        (elapsed_ms > 0).then(|| after.saturating_sub(before).saturating_mul(1000) / elapsed_ms)
    });
    let Some(power) = power else { return Vec::new() };
    let limit = |channel: &Channel| match &channel.id {
        ChannelId::Powercap(of, PowercapChannel::Limit(term)) if of == zone => {
            // Limits are read every few seconds and hold until changed.
            let (_, microwatts) = known_until(channel, row).next()?;
            let is_reached = microwatts > 0 && power.saturating_mul(100) >= microwatts.saturating_mul(AT_LIMIT_PERCENT);
            is_reached.then(|| ReachedLimit { channel: channel.id.clone(), term: crate::plain(term), microwatts })
        }
        _ => None,
    };
    record.samples.channels.iter().filter_map(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{counter, gauge_channel, labelled, own_run, rapl};

    const BITS_OF_PI: ChannelId = ChannelId::RaspberryPi(RaspberryPiChannel::Throttled);
    const CORE_THROTTLED: ChannelId = ChannelId::Cpu(0, CpuChannel::Throttles(Scope::Core));

    /// Reasons at the last sample; two samples per second.
    fn reasons_of(record: &Record) -> Vec<&'static str> {
        let last = record.samples.at_ms.len() - 1;
        let found = now(record, last).into_iter();
        found.map(|throttle| throttle.reason.words()).collect()
    }

    #[test]
    fn reason_ids_are_labels() {
        let mut ids: Vec<&str> = Reason::ALL.map(Reason::id).to_vec();
        assert!(ids.iter().all(|id| id.chars().all(|c| c.is_ascii_lowercase() || c == '_')), "{ids:?}");
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), Reason::ALL.len());
    }

    #[test]
    fn every_reason_is_in_the_list_once_with_words_of_its_own() {
        let mut words: Vec<&str> = Reason::ALL.iter().map(|reason| reason.words()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Reason::ALL.len());
    }

    #[test]
    fn each_source_has_its_reason() {
        let none: &[&str] = &[];
        for (id, label, unit, values, expected) in [
            (BITS_OF_PI, "", Unit::Bits, [0x50000, 0x50005], &["under-voltage", "throttled by firmware"][..]),
            (BITS_OF_PI, "", Unit::Bits, [0x50005, 0x50000], none),
            (
                ChannelId::Cpu(0, CpuChannel::ThermStatus(Scope::Core)),
                "",
                Unit::Bits,
                [0, 0x8800_0400],
                &["power limit"],
            ),
            (ChannelId::Cpu(0, CpuChannel::ThermStatus(Scope::Package)), "", Unit::Bits, [0, 1], &["overheating"]),
            (ChannelId::Cooling(3), "cpufreq-cpu0", Unit::Count, [0, 2], &["overheating"]),
            (ChannelId::Cooling(3), "cpufreq-cpu0", Unit::Count, [2, 0], none),
            (ChannelId::Cooling(0), "pwm-fan", Unit::Count, [0, 3], none),
            (ChannelId::Cooling(0), "intel_powerclamp", Unit::Count, [-1, 20], &["overheating"]),
            (CORE_THROTTLED, "", Unit::Count, [7, 9], &["overheating"]),
            (CORE_THROTTLED, "", Unit::Count, [9, 9], none),
            (ChannelId::ControlGroup(ControlGroupChannel::Throttled), "", Unit::Count, [1, 2], &["cgroup CPU quota"]),
            (ChannelId::limit_max(4), "", Unit::Kilohertz, [2_304_000, 1_200_000], &["clock limit lowered"]),
            (ChannelId::limit_max(4), "", Unit::Kilohertz, [1_200_000, 2_304_000], none),
            (ChannelId::AllCpus(AllCpus::Online), "", Unit::Count, [4, 3], &["CPUs offline"]),
            (ChannelId::Hwmon(1, HwmonChannel::Alarm), "rpi_volt", Unit::Count, [0, 1], &["under-voltage"]),
        ] {
            let record = gauge_channel(own_run(), id.clone(), unit, &values);
            assert_eq!(reasons_of(&labelled(record, label)), expected, "{id} {values:?}");
        }
    }

    #[test]
    fn power_at_its_limit_is_a_reason() {
        // Half a second at 15 W is 7.5 J.
        for (joules, expected) in [(7_400_000, &["power limit"][..]), (6_900_000, &[])] {
            let energy = rapl(PowercapChannel::Energy);
            let record = counter(own_run(), energy, Unit::Microjoules, &[0, joules]);
            let limit = [15_000_000, 15_000_000];
            let id = rapl(PowercapChannel::Limit("long_term".into()));
            let record = gauge_channel(record, id, Unit::Microwatts, &limit);
            assert_eq!(reasons_of(&record), expected, "{joules}");
        }
    }

    #[test]
    fn limit_of_a_window_is_the_one_that_holds_most_of_it() {
        // Samples twice a second: watts of each half second.
        for (watts, expected) in [
            ([25, 25, 25, 15, 15, 15, 15, 15], Some((15_000_000, "long_term"))),
            ([25, 25, 25, 25, 25, 15, 15, 15], Some((25_000_000, "short_term"))),
            ([9, 9, 9, 9, 9, 15, 15, 9], None),
        ] {
            let joules = watts.iter().scan(0, |sum, watts| {
                *sum += watts * 500_000;
                Some(*sum)
            });
            let joules: Vec<i64> = joules.collect();
            let mut record = counter(own_run(), rapl(PowercapChannel::Energy), Unit::Microjoules, &joules);
            for (term, limit) in [("long_term", 15_000_000), ("short_term", 25_000_000)] {
                let id = rapl(PowercapChannel::Limit(term.into()));
                record = gauge_channel(record, id, Unit::Microwatts, &[limit; 8]);
            }
            let window = Window { start_ms: 500, end_ms: 3_500, ..Window::default() };
            let found = limit_within(&record, window);
            let found = found.as_ref().map(|limit| (limit.microwatts, limit.term.as_str()));
            assert_eq!(found, expected, "{watts:?}");
        }
    }

    #[test]
    fn gravest_reason_comes_first_and_old_values_do_not_count() {
        let record = gauge_channel(own_run(), BITS_OF_PI, Unit::Bits, &[0xf, 0xf]);
        let mut record = counter(record, CORE_THROTTLED, Unit::Count, &[0, 1]);
        let reasons = reasons_of(&record);
        assert_eq!(reasons[..2], ["overheating", "under-voltage"]);
        // Values older than a minute do not count.
        record.samples.at_ms.push(60_000);
        for channel in &mut record.samples.channels {
            channel.values.push(None);
        }
        assert!(reasons_of(&record).is_empty());
        assert!(now(&record, 99).is_empty());
    }
}
