//! Meters with impossible readings: no power while a machine runs, the same power regardless of load, power that
//! exceeds or is far below the product of voltage and current (a driver with wrong units), and power outside of what
//! any machine draws. A plain gain error of a meter cannot be detected.

use super::samples::{gauge, whole_run};
use crate::Facts;
use crate::stats::median;
use record::{Channel, Record, Unit};

/// Reason why the power of a meter is implausible.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Doubt {
    /// It never was above zero.
    Zero,
    /// Constant reading, idle and under load, in mW.
    Constant(f64),
    /// Above the product of voltage and current: power and product, in mW.
    Impossible(f64, f64),
    /// Far below the product of voltage and current: power and product, in mW.
    TooLittle(f64, f64),
    /// Mean power below the plausible minimum, in mW.
    BelowAny(f64),
    /// Mean power above the plausible maximum of a machine with this number of CPUs, and that maximum, in mW.
    BeyondMachine(f64, f64),
}

/// Minimum number of readings before a constant meter is rejected.
const READINGS_MIN: usize = 5;
/// CPU use in percent above which a machine is under load.
const BUSY_PERCENT_MIN: f64 = 75.0;
const IDLE_PERCENT_MAX: f64 = 25.0;
/// Power, voltage and current are read one after the other and rounded; apart from that, real power never exceeds the
/// product of voltage and current, with direct or alternating current.
const IMPOSSIBLE_SHARE: f64 = 1.5;
/// With alternating current power is less than the product, by a power factor of 0.3 and more.
const TOO_LITTLE_SHARE: f64 = 0.1;

/// The smallest boards draw about 0.4 W when idle (Raspberry Pi documentation, "Typical power requirements": 80 to
/// 100 mA at 5 V of a Raspberry Pi Zero); an eighth of that is not a running machine, however its supply is measured.
pub const ANY_MW_MIN: f64 = 50.0;
/// Minimum power of a whole board.
pub(super) const ANY_BOARD_MW_MIN: f64 = 8.0 * ANY_MW_MIN;
/// No server draws more than 15 W for each CPU that Linux counts (two sockets of 64 cores with 400 W each, and as
/// much again for all else), and a graphics card or drives draw up to a few hundred regardless of the CPUs.
const OTHER_THAN_CPUS_MW: f64 = 400_000.0;
const CPU_MW_MAX: f64 = 15_000.0;

/// Reason why this channel cannot be the power of the machine, if any.
pub fn power_doubt(facts: &Facts<'_>, channel: &Channel) -> Option<Doubt> {
    let readings = gauge(facts, channel, whole_run());
    let scale = if channel.unit == Unit::Microwatts { 0.001 } else { 1.0 };
    if readings.len() < READINGS_MIN {
        return None;
    }
    if readings.iter().all(|reading| reading.value <= 0) {
        return Some(Doubt::Zero);
    }
    let first = readings[0].value;
    if readings.iter().all(|reading| reading.value == first) {
        let busy = facts.busy_percent_at();
        let count = |is: &dyn Fn(f64) -> bool| {
            let known = readings.iter().filter_map(|reading| *busy.get(reading.row)?);
            known.filter(|busy| is(*busy)).count()
        };
        let has_both = count(&|busy| busy >= BUSY_PERCENT_MIN) >= READINGS_MIN
            && count(&|busy| busy <= IDLE_PERCENT_MAX) >= READINGS_MIN;
        return has_both.then_some(Doubt::Constant(first as f64 * scale));
    }
    let typical = |channel: &Channel| {
        let values = gauge(facts, channel, whole_run()).into_iter();
        median(&values.map(|reading| reading.value as f64).collect::<Vec<_>>())
    };
    let power_mw = typical(channel)? * scale;
    let limit_mw = OTHER_THAN_CPUS_MW + CPU_MW_MAX * facts.machine.cpus.len() as f64;
    // Supplies of parts (`hwmon`) may draw nothing; a meter chosen by the user measures the machine.
    if channel.id.is_meter() && power_mw < ANY_MW_MIN {
        return Some(Doubt::BelowAny(power_mw));
    }
    if power_mw > limit_mw {
        return Some(Doubt::BeyondMachine(power_mw, limit_mw));
    }
    let (volts, amperes) = companions(facts, channel)?;
    let product_mw = typical(volts)? * typical(amperes)? / 1000.0;
    match power_mw / product_mw {
        _ if product_mw <= 0.0 => None,
        share if share > IMPOSSIBLE_SHARE => Some(Doubt::Impossible(power_mw, product_mw)),
        share if share < TOO_LITTLE_SHARE => Some(Doubt::TooLittle(power_mw, product_mw)),
        _ => None,
    }
}

/// Voltage and current of the same meter and supply: those of one socket, or the only ones of a chip.
fn companions<'a>(record: &'a Record, power: &Channel) -> Option<(&'a Channel, &'a Channel)> {
    let of_meter = |unit: &Unit| {
        let mut found = record
            .samples
            .channels
            .iter()
            .filter(move |channel| channel.id.is_of_same_chip(&power.id) && channel.unit == *unit);
        let first = found.next();
        first.filter(|_| found.next().is_none())
    };
    // With several powers, the one that voltage and current belong to is unknown.
    of_meter(&power.unit)?;
    Some((of_meter(&Unit::Millivolts)?, of_meter(&Unit::Milliamperes)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{gauge_channel, own_run};
    use crate::view::power_sources;
    use record::{AllCpus, ChannelId, CpuPercent, HwmonChannel, HwmonKind, MeterChannel};

    const METER: ChannelId = ChannelId::meter(MeterChannel::Power);

    const fn of_chip(kind: HwmonKind) -> ChannelId {
        ChannelId::Hwmon(0, HwmonChannel::Sensor(kind, 1))
    }

    fn check(values: &[i64], busy: &[i64], current: &[i64], expected: Option<Doubt>) {
        let [power, voltage] = [HwmonKind::Power, HwmonKind::Voltage].map(of_chip);
        let mut record = gauge_channel(own_run(), power, Unit::Microwatts, values);
        record = gauge_channel(record, voltage, Unit::Millivolts, &[5000; 12]);
        if !current.is_empty() {
            let id = of_chip(HwmonKind::Current);
            record = gauge_channel(record, id, Unit::Milliamperes, current);
        }
        let id = ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy));
        record = gauge_channel(record, id, Unit::Count, busy);
        let found = power_doubt(&Facts::of(&record), &record.samples.channels[0]);
        assert_eq!(found, expected, "{values:?}");
        assert_eq!(power_sources(&Facts::of(&record)).is_empty(), expected.is_some());
    }

    #[test]
    fn wrong_unit_is_implausible_power() {
        // Watts reported as milliwatts, milliwatts as watts, and plausible values of boards and servers.
        for (id, milliwatts, is_believed) in [
            (METER, [2, 3, 4, 5, 6, 7], false),
            (METER, [400, 410, 400, 420, 400, 410], true),
            (METER, [2000, 3000, 4000, 5000, 6000, 7000], true),
            (METER, [2_000_000, 3_000_000, 4_000_000, 5_000_000, 6_000_000, 7_000_000], false),
            (METER, [300_000, 310_000, 300_000, 320_000, 300_000, 310_000], true),
            (of_chip(HwmonKind::Power), [2, 3, 4, 5, 6, 7], true),
        ] {
            let record = gauge_channel(own_run(), id.clone(), Unit::Milliwatts, &milliwatts);
            let found = power_doubt(&Facts::of(&record), &record.samples.channels[0]);
            assert_eq!(found.is_none(), is_believed, "{id} {milliwatts:?}: {found:?}");
        }
    }

    #[test]
    fn implausible_meters() {
        let work = [0, 0, 0, 0, 0, 0, 100, 100, 100, 100, 100, 100];
        let powers = [2, 2, 2, 2, 2, 2, 7, 7, 7, 7, 7, 7].map(|watts| watts * 1_000_000);
        let current = [400, 400, 400, 400, 400, 400, 1400, 1400, 1400, 1400, 1400, 1400];
        check(&powers, &work, &current, None);
        check(&powers, &work, &[], None);
        check(&[0; 12], &work, &[0; 12], Some(Doubt::Zero));
        check(&[2_000_000; 12], &work, &[], Some(Doubt::Constant(2000.0)));
        // The load did not change.
        check(&[2_000_000; 12], &[0; 12], &[], None);
        let tenfold = powers.map(|microwatts| 10 * microwatts);
        // Of 2 and 7 W the median is 4.5 W.
        check(&tenfold, &work, &current, Some(Doubt::Impossible(45_000.0, 4500.0)));
        // A driver that takes milliwatts for microwatts.
        let thousandth = powers.map(|microwatts| microwatts / 1000);
        check(&thousandth, &work, &current, Some(Doubt::TooLittle(4.5, 4500.0)));
        // Alternating current: less power than voltage and current make is usual.
        check(&powers, &work, &current.map(|current| 2 * current), None);
        check(&[0, 0], &work, &[], None);
    }
}
