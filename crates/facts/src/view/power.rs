//! Power of the machine, from the best available source: a meter at the wall or a chip on the board, else
//! the energy counters of the processor.

use super::power_doubt::power_doubt;
use super::samples::{Reading, counter_steps, gauge};
use crate::Facts;
use record::{Channel, ChannelId, ChannelKind, Unit, Window};

/// What measures the power: the channel, and whether it is that of the whole machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerSource {
    /// The channel.
    pub channel: usize,
    /// False for the counters of a processor, which do not see the rest of the board.
    pub is_whole: bool,
}

/// The best source of power: a network meter, then a chip, then the processor's own counters. What
/// cannot be right is none.
pub(crate) fn power_source(facts: &Facts<'_>) -> Option<PowerSource> {
    let channels = || facts.samples.channels.iter().enumerate();
    let has_values = |(_, channel): &(usize, &Channel)| channel.values.iter().any(Option::is_some);
    let is_believed = |(_, channel): &(usize, &Channel)| power_doubt(facts, channel).is_none();
    let gauges = || {
        let powers = channels().filter(|(_, channel)| channel.is_power());
        powers.filter(has_values).filter(is_believed)
    };
    let whole = gauges()
        .find(|(_, channel)| channel.id.is_meter())
        .or_else(|| gauges().find(|(_, channel)| channel.kind == ChannelKind::Gauge));
    if let Some((channel, _)) = whole {
        return Some(PowerSource { channel, is_whole: true });
    }
    let energy = channels().filter(has_values).find(|(_, channel)| {
        let counts = channel.kind == ChannelKind::Counter && channel.unit == Unit::Microjoules;
        let is_named = matches!(&channel.id, ChannelId::Other(id) if id.contains("package"));
        counts && (channel.label.contains("package") || is_named)
    });
    energy.map(|(channel, _)| PowerSource { channel, is_whole: false })
}

/// Power within a window in milliwatts, reading by reading.
pub(crate) fn power_mw(facts: &Facts<'_>, window: Window) -> Vec<(i64, f64)> {
    let Some(source) = facts.power_source() else {
        return Vec::new();
    };
    let channel = &facts.samples.channels[source.channel];
    let scale = match channel.unit {
        Unit::Microwatts => 0.001,
        _ => 1.0,
    };
    if channel.kind == ChannelKind::Gauge {
        let readings = gauge(facts, channel, window).into_iter();
        return readings.map(|reading| (reading.at_ms, reading.value as f64 * scale)).collect();
    }
    let mut last_ms = None;
    let mut power = Vec::new();
    for Reading { at_ms, value, .. } in counter_steps(facts, channel, window) {
        // The first step has no beginning of its own here.
        if let Some(before) = last_ms.replace(at_ms).filter(|before| at_ms > *before) {
            power.push((at_ms, value as f64 / (at_ms - before) as f64));
        }
    }
    power
}

/// Mean power within a window in milliwatts.
pub fn mean_power_mw(facts: &Facts<'_>, window: Window) -> Option<f64> {
    let power: Vec<f64> = facts.power_mw(&window).iter().map(|(_, mw)| *mw).collect();
    crate::stats::mean(&power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{counter, gauge_channel, labelled, own_run, rapl, window};
    use record::{HwmonKind, OfHwmon, OfMeter, OfPowercap};

    #[test]
    fn meter_comes_before_a_chip_and_a_chip_before_counters() {
        let energy = [0, 1_000_000, 2_000_000, 3_000_000];
        let mut record = counter(own_run(), rapl(OfPowercap::Energy), Unit::Microjoules, &energy);
        record = labelled(record, "package-0");
        let all = window(0.0, 10.0);
        assert_eq!(power_mw(&Facts::of(&record), all), [(1000, 2000.0), (1500, 2000.0)]);
        assert!(!power_source(&Facts::of(&record)).unwrap().is_whole);
        // A limit is set, not measured.
        let id = rapl(OfPowercap::Limit("long_term".into()));
        record = gauge_channel(record, id, Unit::Microwatts, &[15_000_000; 4]);
        assert!(!power_source(&Facts::of(&record)).unwrap().is_whole);
        let id = ChannelId::Hwmon(0, OfHwmon::Sensor(HwmonKind::Power, 1));
        record = gauge_channel(record, id, Unit::Microwatts, &[3_000_000; 4]);
        assert_eq!(mean_power_mw(&Facts::of(&record), all), Some(3000.0));
        let id = ChannelId::meter(OfMeter::Power);
        record = gauge_channel(record, id, Unit::Milliwatts, &[5000; 4]);
        assert_eq!(mean_power_mw(&Facts::of(&record), all), Some(5000.0));
        assert_eq!(power_source(&Facts::of(&own_run())), None);
    }
}
