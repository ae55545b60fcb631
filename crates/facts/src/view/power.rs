//! Power of the machine, from the best available source: a meter at the wall, or a chip at the input of the board. Without
//! one, the power of a part of it: the energy counters of the processor, else a rail.

use super::power_doubt::power_doubt;
use super::samples::{Reading, counter_steps, gauge};
use crate::Facts;
use record::table::{Row, Table};
use record::{Channel, ChannelId, ChannelKind, OfRaspberryPi, Unit, Window};

/// What measures the power.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerSource {
    /// The channel.
    pub channel: usize,
    /// What it sees of the board, `the CPU`; `None` for the whole machine.
    pub part: Option<String>,
}

impl PowerSource {
    /// True if it sees everything that the machine draws.
    pub fn is_whole(&self) -> bool {
        self.part.is_none()
    }
}

/// Labels of power sensors.
const LABELS: Table = Table::of(include_str!("../../../../data/power_sensors.tsv"));
/// A chip without a label that measures so much voltage stands at an input: CPUs, memory and other rails have less.
const INPUT_MILLIVOLTS_MIN: f64 = 4_500.0;

/// The best source of power: a network meter, a chip at the input of the board, the processor's own counters, then a rail.
/// What cannot be right is none.
pub(crate) fn power_source(facts: &Facts<'_>) -> Option<PowerSource> {
    let channels = || facts.samples.channels.iter().enumerate();
    let has_values = |(_, channel): &(usize, &Channel)| channel.values.iter().any(Option::is_some);
    let is_believed = |(_, channel): &(usize, &Channel)| power_doubt(facts, channel).is_none();
    let gauges = || {
        let powers = channels().filter(|(_, channel)| channel.is_power());
        powers.filter(has_values).filter(is_believed)
    };
    let chips = || gauges().filter(|(_, channel)| channel.kind == ChannelKind::Gauge);
    let whole = gauges()
        .find(|(_, channel)| channel.id.is_meter())
        .or_else(|| chips().find(|(_, channel)| part_of(facts, channel).is_none()));
    if let Some((channel, _)) = whole {
        return Some(PowerSource { channel, part: None });
    }
    let energy = channels().filter(has_values).find(|(_, channel)| {
        let counts = channel.kind == ChannelKind::Counter && channel.unit == Unit::Microjoules;
        let is_named = matches!(&channel.id, ChannelId::Other(id) if id.contains("package"));
        counts && (channel.label.contains("package") || is_named)
    });
    let processor = energy.map(|(channel, _)| PowerSource { channel, part: Some("the processor".to_owned()) });
    let rail = || chips().next().map(|(index, channel)| PowerSource { channel: index, part: part_of(facts, channel) });
    processor.or_else(rail)
}

/// What a chip sees of the board; `None` for all of it.
fn part_of(facts: &Facts<'_>, channel: &Channel) -> Option<String> {
    let label = match channel.id {
        ChannelId::RaspberryPi(OfRaspberryPi::LogPmicPower) => "pmic".to_owned(),
        _ => channel.label.to_ascii_lowercase(),
    };
    let is_it = |row: &&Row<'_>| label.split(' ').any(|word| word == row.get("label"));
    if let Some(row) = LABELS.rows().find(|row| is_it(&row)) {
        return (row.get("role") != "board").then(|| row.get("part").to_owned());
    }
    let is_unlabelled = label.split(' ').count() == 1;
    if is_unlabelled && input_millivolts(facts, channel).is_some_and(|millivolts| millivolts >= INPUT_MILLIVOLTS_MIN) {
        return None;
    }
    let name = if channel.label.is_empty() { channel.id.to_string() } else { channel.label.clone() };
    Some(format!("a rail called {}", crate::plain(&name)))
}

/// Median of the first voltage of the same chip.
fn input_millivolts(facts: &Facts<'_>, channel: &Channel) -> Option<f64> {
    let ChannelId::Hwmon(chip, _) = &channel.id else { return None };
    let is_voltage = |other: &&Channel| {
        other.unit == Unit::Millivolts && matches!(&other.id, ChannelId::Hwmon(number, _) if number == chip)
    };
    let voltage = facts.samples.channels.iter().find(is_voltage)?;
    crate::stats::median(&voltage.values.iter().flatten().map(|value| *value as f64).collect::<Vec<_>>())
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
        assert!(!power_source(&Facts::of(&record)).unwrap().is_whole());
        // A limit is set, not measured.
        let id = rapl(OfPowercap::Limit("long_term".into()));
        record = gauge_channel(record, id, Unit::Microwatts, &[15_000_000; 4]);
        assert!(!power_source(&Facts::of(&record)).unwrap().is_whole());
        let id = ChannelId::Hwmon(0, OfHwmon::Sensor(HwmonKind::Power, 1));
        record = labelled(gauge_channel(record, id, Unit::Microwatts, &[3_000_000; 4]), "ina3221 VDD_IN");
        assert_eq!(mean_power_mw(&Facts::of(&record), all), Some(3000.0));
        let id = ChannelId::meter(OfMeter::Power);
        record = gauge_channel(record, id, Unit::Milliwatts, &[5000; 4]);
        assert_eq!(mean_power_mw(&Facts::of(&record), all), Some(5000.0));
        assert_eq!(power_source(&Facts::of(&own_run())), None);
    }

    #[test]
    fn rails_are_not_the_board() {
        let all = window(0.0, 10.0);
        for (label, volts, part) in [
            ("ina3221 VDD_IN", None, None),
            ("power_meter", None, None),
            ("ina226", Some(12_000), None),
            ("ina226", Some(900), Some("a rail called ina226")),
            ("ina226", None, Some("a rail called ina226")),
            ("ina3221 VDD_CPU_GPU_CV", Some(5_000), Some("the CPU and GPU")),
            ("scmi_sensors ddr", Some(5_000), Some("a rail called scmi_sensors ddr")),
        ] {
            let id = |kind| ChannelId::Hwmon(0, OfHwmon::Sensor(kind, 1));
            let mut record = gauge_channel(own_run(), id(HwmonKind::Power), Unit::Microwatts, &[440_000; 4]);
            record = labelled(record, label);
            if let Some(millivolts) = volts {
                record = gauge_channel(record, id(HwmonKind::Voltage), Unit::Millivolts, &[millivolts; 4]);
            }
            let facts = Facts::of(&record);
            assert_eq!(power_source(&facts).unwrap().part.as_deref(), part, "{label} {volts:?}");
            assert_eq!(mean_power_mw(&facts, all), Some(440.0));
        }
    }
}
