//! Firmware of a Raspberry Pi: throttle bits and its own clock.
//!
//! Bits of the mailbox property `0x00030046` (get throttled): 0 under-voltage, 1 frequency capped, 2 throttled, 3 soft
//! temperature limit, all live; 16 to 19 the same since boot.

use super::clock_gauge::{clock_gauge, is_wild};
use super::clocks::{clock_passes, measured_khz};
use super::samples::{channels, gauge, spans_a_death, states_of_last_part, whole_run};
use crate::Facts;
use record::table::Table;
use record::{Channel, ChannelId, RaspberryPiChannel, Record, Source, Unit, Variant, WorkloadId};
use std::collections::BTreeSet;

/// State of one bit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FirmwareBits {
    /// Not set in any sample.
    Clear,
    /// Not read.
    Unknown,
    /// Set in `samples` of `of` samples, first at this moment.
    Live {
        /// Samples with the bit set.
        samples: usize,
        /// All samples.
        of: usize,
        /// First moment.
        first_ms: i64,
    },
    /// Not set in samples, but the sticky bit rose during the run.
    RoseDuringRun,
    /// The sticky bit is set after the run; its state before the run is unknown (logs).
    SinceBoot,
}

const THROTTLED: ChannelId = ChannelId::RaspberryPi(RaspberryPiChannel::Throttled);

/// State of a live bit 0 to 3 and of its sticky twin, 16 higher.
pub(crate) fn firmware_bits(record: &Record, bit: u32) -> FirmwareBits {
    let (live, sticky) = (1_i64 << bit, 1_u32 << (bit + 16));
    if let Some(channel) = record.samples.channel(&THROTTLED) {
        let readings = gauge(record, channel, whole_run());
        let set = readings.iter().filter(|reading| reading.value & live != 0);
        if let Some(first) = set.clone().next() {
            return FirmwareBits::Live { samples: set.count(), of: readings.len(), first_ms: first.at_ms };
        }
        let stuck = |reading: &super::Reading| reading.value & i64::from(sticky) != 0;
        // A new start of the machine clears what stuck before.
        let rose = readings.windows(2).any(|pair| {
            let is_one_part = !spans_a_death(record, pair[0].at_ms, pair[1].at_ms);
            is_one_part && !stuck(&pair[0]) && stuck(&pair[1])
        });
        return match readings.first() {
            Some(_) if rose => FirmwareBits::RoseDuringRun,
            Some(_) => FirmwareBits::Clear,
            None => FirmwareBits::Unknown,
        };
    }
    let states = states_of_last_part(record).iter();
    let mut states = states.map(|state| state.firmware_throttle_bits.known().copied());
    let before = states.next().flatten();
    let after = states.next_back().flatten();
    match (before, after) {
        (_, Some(after)) if after & live as u32 != 0 => {
            FirmwareBits::Live { samples: 1, of: 1, first_ms: record.states.last().map_or(0, |state| state.at_ms) }
        }
        (Some(before), Some(after)) if after & sticky != 0 && before & sticky == 0 => FirmwareBits::RoseDuringRun,
        (None, Some(after)) if after & sticky != 0 => FirmwareBits::SinceBoot,
        (_, Some(_)) => FirmwareBits::Clear,
        _ if bit == 0 && under_voltage_line(record).is_some() => FirmwareBits::SinceBoot,
        _ => FirmwareBits::Unknown,
    }
}

/// Line of a log's own verdict on under-voltage: "Throttling / frequency capping (under-voltage) occured".
fn under_voltage_line(record: &Record) -> Option<u32> {
    let Source::Log(log) = &record.source else { return None };
    log.verdicts.iter().find(|line| line.text.contains("(under-voltage) occured")).map(|line| line.line)
}

/// Line of a log with the throttle bits, or with its own verdict on under-voltage.
pub fn firmware_bits_line(record: &Record) -> Option<u32> {
    let Source::Log(log) = &record.source else { return None };
    let block = log.blocks.iter().find(|block| block.heading == "firmware-bits");
    let is_bits = |text: &str| u32::from_str_radix(text.trim(), 2).is_ok();
    let bits = block.and_then(|block| Some(block.line.saturating_add(block.text.lines().position(is_bits)? as u32)));
    bits.or_else(|| under_voltage_line(record))
}

/// Samples in which the firmware ran a lower clock than the kernel claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct FirmwareClock {
    /// Id of the firmware's channel.
    pub channel: ChannelId,
    /// Samples in which the firmware's clock was lower.
    pub samples: usize,
    /// All samples.
    pub of: usize,
    /// Steps with such samples: indices in `Record::steps`.
    pub steps: Vec<usize>,
    /// First moment.
    pub first_ms: i64,
    /// Last moment.
    pub last_ms: i64,
    /// Clock claimed by the kernel at the largest distance.
    pub claimed_khz: u32,
    /// Clock reported by the firmware there.
    pub firmware_khz: u32,
    /// Whether that is its clock during under-voltage.
    pub is_of_supply: bool,
}

/// Simultaneous readings of one clock differ by rounding and by changes in between; from here a clock counts as lower.
const LOWER_PERCENT: i64 = 2;

/// Channel of the firmware's clock, if it was sampled.
pub fn firmware_clock_channel(record: &Record) -> Option<&Channel> {
    record
        .samples
        .channels
        .iter()
        .find(|channel| matches!(channel.unit, Unit::Kilohertz | Unit::Hertz) && channel.id.is_firmware_clock())
}

/// Samples of workloads in which the firmware's own clock was below the kernel's claim; those of under-voltage only if
/// there are no others.
pub(crate) fn firmware_clocks(facts: &Facts<'_>) -> Option<FirmwareClock> {
    lower_clocks(facts, facts.under_voltage_rows()).or_else(|| lower_clocks(facts, &BTreeSet::new()))
}

fn lower_clocks(facts: &Facts<'_>, left_out: &BTreeSet<usize>) -> Option<FirmwareClock> {
    let firmware = firmware_clock_channel(facts)?;
    let per_khz = if firmware.unit == Unit::Hertz { 1000 } else { 1 };
    let claimed = channels(facts, ChannelId::is_policy_claim).next()?;
    let mut seen: Option<FirmwareClock> = None;
    // A row between two phases belongs to both, and counts once.
    let mut rows = BTreeSet::new();
    for phase in facts.phases().iter().filter(|phase| phase.workload != WorkloadId::Clock) {
        for reading in clock_gauge(facts, firmware, phase.window) {
            let claim = claimed.values.get(reading.row).copied().flatten();
            let Some(claim) = claim.filter(|_| !is_wild(claimed, reading.row)) else {
                continue;
            };
            let is_new = rows.insert(reading.row);
            let khz = reading.value / per_khz;
            if khz <= 0 || khz * 100 >= claim * (100 - LOWER_PERCENT) || left_out.contains(&reading.row) {
                continue;
            }
            let low = seen.get_or_insert_with(|| FirmwareClock {
                channel: firmware.id.clone(),
                samples: 0,
                of: 0,
                steps: Vec::new(),
                first_ms: reading.at_ms,
                last_ms: reading.at_ms,
                claimed_khz: claim as u32,
                firmware_khz: khz as u32,
                is_of_supply: false,
            });
            low.samples += usize::from(is_new);
            if !phase.steps.iter().all(|step| low.steps.contains(step)) {
                low.steps.extend(&phase.steps);
            }
            low.last_ms = reading.at_ms;
            if khz < i64::from(low.firmware_khz) {
                (low.claimed_khz, low.firmware_khz) = (claim as u32, khz as u32);
            }
        }
    }
    let supply_khz = supply_khz(facts);
    seen.map(|clock| {
        let is_of_supply = supply_khz.is_some_and(|supply_khz| f64::from(clock.firmware_khz) <= supply_khz);
        FirmwareClock { of: rows.len(), is_of_supply, ..clock }
    })
}

const SOFT_LIMITS: Table = Table::of(include_str!("../../../../data/soft_limits.tsv"));

/// Temperature from which the firmware of a board lowers the clock by design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoftLimit {
    /// The temperature, in thousandths of a degree.
    pub millicelsius: i64,
    /// The clock above it.
    pub khz: u32,
}

/// Soft temperature limit of a Raspberry Pi whose firmware has one. Old versions do not report that limit, and a run that
/// starts above it shows no drop.
pub fn soft_limit(record: &Record) -> Option<SoftLimit> {
    firmware_clock_channel(record)?;
    let claims = channels(record, ChannelId::is_policy_claim);
    let readings = claims.flat_map(|channel| clock_gauge(record, channel, whole_run()));
    let highest_khz = readings.map(|reading| reading.value).max()?;
    SOFT_LIMITS.rows().find_map(|row| {
        let is_of_it = row.number("highest_mhz").is_some_and(|mhz| mhz as i64 * 1000 == highest_khz);
        let (celsius, mhz) = (row.number("from_celsius")?, row.number("to_mhz")?);
        is_of_it.then_some(SoftLimit { millicelsius: celsius as i64 * 1000, khz: mhz as u32 * 1000 })
    })
}

/// A clock this near to the lowest one, as a share, is that clock.
const LOWEST_SHARE: f64 = 1.02;
/// Lowest clock that the firmware of any Raspberry Pi chooses by itself (`arm_freq_min`; raspberrypi.com, documentation
/// of `config.txt`).
const SUPPLY_KHZ_MIN: u32 = 600_000;

/// Highest clock of the firmware during under-voltage: its lowest clock. The kernel of a Raspberry Pi 5 lists OPPs below
/// it, which run at that clock. `None` if no OPP is known.
fn supply_khz(record: &Record) -> Option<f64> {
    let points = clock_passes(record, &Variant::COLD).flat_map(|(_, clocks)| &clocks.points);
    let measured = points.filter_map(measured_khz).min();
    let listed = || record.machine.policies.iter().flat_map(|policy| policy.opps_khz.iter().copied());
    let lowest = measured.or_else(|| listed().filter(|khz| *khz > 0).min())?;
    Some(f64::from(lowest.max(SUPPLY_KHZ_MIN)) * LOWEST_SHARE)
}

/// Rows in which a weak supply held the clock: the firmware then uses its lowest clock. Logs lack the bits of each row;
/// if they record under-voltage, rows count whose firmware clock is at the lowest one and below that of the kernel. If
/// no OPP is known, every lower clock counts.
pub(crate) fn under_voltage_rows(record: &Record) -> BTreeSet<usize> {
    match firmware_bits(record, 0) {
        FirmwareBits::Clear | FirmwareBits::Unknown => BTreeSet::new(),
        _ => rows_at_supply_clock(record),
    }
}

/// Temperature in m°C from which firmware of a Raspberry Pi lowers the clock by more than its soft limit
/// (raspberrypi.com, documentation of `temp_limit`, less 5 °C for the slow reading of logs).
const HARD_LIMIT_MIN: i64 = 80_000;

/// Rows whose lower clock is not shown to be of heat: those of under-voltage, and where its bits are unknown those at the
/// clock of under-voltage below the hard limit of temperature.
pub(crate) fn rows_not_of_heat(facts: &Facts<'_>) -> BTreeSet<usize> {
    if firmware_bits(facts, 0) != FirmwareBits::Unknown {
        return facts.under_voltage_rows().clone();
    }
    let mut rows = rows_at_supply_clock(facts);
    let temperature = |row: &usize| facts.soc_temperature()?.values.get(*row).copied().flatten();
    rows.retain(|row| temperature(row).is_some_and(|millicelsius| millicelsius < HARD_LIMIT_MIN));
    rows
}

fn rows_at_supply_clock(record: &Record) -> BTreeSet<usize> {
    let (Some(firmware), Some(claimed)) =
        (firmware_clock_channel(record), channels(record, ChannelId::is_policy_claim).next())
    else {
        return BTreeSet::new();
    };
    let limit_khz = supply_khz(record);
    let per_khz = if firmware.unit == Unit::Hertz { 1000 } else { 1 };
    let is_held = |reading: &super::Reading| {
        let khz = reading.value / per_khz;
        let claim = claimed.values.get(reading.row).copied().flatten();
        match (limit_khz, claim) {
            _ if reading.value <= 0 => false,
            (Some(limit_khz), Some(claim)) => khz as f64 <= limit_khz && claim as f64 > limit_khz,
            (None, Some(claim)) => khz < claim,
            (_, None) => false,
        }
    };
    gauge(record, firmware, whole_run()).iter().filter(|reading| is_held(reading)).map(|reading| reading.row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{gauge_channel, log, own_run, state};

    /// Some logs have a sentence instead of the bits.
    #[test]
    fn under_voltage_that_a_log_states_was_recorded() {
        for (text, expected) in [
            ("Throttling / frequency capping (under-voltage) occured -> https://x.y", FirmwareBits::SinceBoot),
            ("Throttling occured", FirmwareBits::Unknown),
        ] {
            let mut record = log("0.9.65");
            let Source::Log(log) = &mut record.source else { unreachable!() };
            log.verdicts = vec![record::LogLine { line: 9, text: text.into() }];
            assert_eq!(firmware_bits(&record, 0), expected, "{text}");
            assert_eq!(firmware_bits_line(&record), (expected == FirmwareBits::SinceBoot).then_some(9), "{text}");
        }
    }

    #[test]
    fn old_sticky_bits_never_count() {
        for (values, expected) in [
            (&[0x50000, 0x50000][..], FirmwareBits::Clear),
            (&[0x0, 0x50000], FirmwareBits::RoseDuringRun),
            (&[0x0, 0x50005, 0x50000], FirmwareBits::Live { samples: 1, of: 3, first_ms: 500 }),
        ] {
            let record = gauge_channel(own_run(), THROTTLED, Unit::Bits, values);
            assert_eq!(firmware_bits(&record, 0), expected);
        }
    }

    #[test]
    fn log_cannot_tell_when_a_sticky_bit_rose() {
        let mut record = log("0.9.72");
        record.states = vec![state(None), state(Some(0x80000))];
        assert_eq!(firmware_bits(&record, 3), FirmwareBits::SinceBoot);
        assert_eq!(firmware_bits(&record, 0), FirmwareBits::Clear);
        record.states.clear();
        assert_eq!(firmware_bits(&record, 0), FirmwareBits::Unknown);
    }
}
