//! Columns of the classic rows, chosen once from the sampled channels so that header and rows agree.

use super::clocks::{Clocks, Lookup};
use super::{Watch, cells, push_time_of_day};
use record::{
    AllCpus, Channel, ChannelId, CpuPercent, CpuTime, LoadSpan, MeterChannel, RailKind, RaspberryPiChannel, Record,
    Total, Unit,
};
use std::fmt::Write;

/// Width of `HH:MM:SS: `.
const TIME_WIDTH: usize = 10;
/// Initial capacity of a row in bytes.
const ROW_BYTES: usize = 160;

/// Percentages that logs have printed, in the order of the columns.
const PRINTED: [CpuPercent; 6] =
    [CpuPercent::Busy, CpuPercent::System, CpuPercent::User, CpuPercent::Nice, CpuPercent::Iowait, CpuPercent::Irq];

/// Columns of a monitor.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    clocks: Clocks,
    load: Option<usize>,
    online: Option<usize>,
    ticks: [Option<usize>; CpuTime::OF_KERNEL.len()],
    printed: [Option<usize>; PRINTED.len()],
    temperature: Option<usize>,
    extras: Vec<ExtraColumn>,
}

/// A column after the temperature.
#[derive(Debug, Clone, PartialEq)]
struct ExtraColumn {
    name: &'static str,
    width: usize,
    /// Shows the highest value: of several inputs, one is in use.
    channels: Vec<usize>,
}

impl Columns {
    /// Columns for the sampled channels. `temperature` is the index of the SoC's temperature channel.
    pub fn of(record: &Record, temperature: Option<usize>) -> Self {
        let place = |id: &ChannelId| {
            let mut channels = record.samples.channels.iter();
            channels.position(|channel| channel.id == *id)
        };
        let clocks = Clocks::of(record);
        Self {
            load: place(&ChannelId::Load(LoadSpan::One)),
            online: place(&ChannelId::AllCpus(AllCpus::Online)),
            ticks: CpuTime::OF_KERNEL.map(|time| place(&ChannelId::all_cpus(time))),
            printed: PRINTED.map(|of| place(&ChannelId::AllCpus(AllCpus::Percent(of)))),
            temperature,
            extras: extras(record),
            clocks,
        }
    }

    /// Number of policies and number of clocks shown.
    pub(super) fn policies_and_clocks(&self) -> (usize, usize) {
        (self.clocks.policies, self.clocks.clocks.len())
    }

    /// Index of the SoC's temperature channel.
    pub fn temperature(&self) -> Option<usize> {
        self.temperature
    }

    /// The header: every name above its values.
    pub fn heading(&self) -> String {
        let width = self.clocks_width();
        let label = &self.clocks.label;
        let before = (width - label.len()) / 2;
        let label = format!("{:before$}{label}", "");
        let percentages = "%cpu %sys %usr %nice %io %irq";
        let temp_width = self.temperature_width();
        let mut text = format!("{:<TIME_WIDTH$}{label:<width$}  load {percentages}", "Time");
        // Aligns the name with the number, not with its unit.
        let _ = write!(text, "{:>1$}", "Temp", temp_width - 1);
        if !self.extras.is_empty() {
            text.push(' ');
        }
        for extra in &self.extras {
            let _ = write!(text, "{:>1$}", extra.name, extra.width);
        }
        text
    }

    /// A row from one sample to a later one (indexes of rows); with the same sample twice it has no
    /// percentages.
    pub fn row(&self, record: &Record, first: usize, last: usize) -> String {
        let channels = &record.samples.channels;
        let value = |place: usize| value_at(channels.get(place)?, last);
        let growth = |place: usize| value(place)?.checked_sub(value_at(channels.get(place)?, first)?);
        let mut text = String::with_capacity(ROW_BYTES);
        self.push(&mut text, record, record.samples.at_ms[last], &value, &growth);
        text
    }

    /// Row of the current values.
    pub fn line(&self, watch: &Watch) -> String {
        let mut text = String::with_capacity(ROW_BYTES);
        self.push_line(&mut text, watch);
        text
    }

    /// Appends the row of the current values, without allocating if the capacity suffices.
    pub fn push_line(&self, text: &mut String, watch: &Watch) {
        let value = |place| watch.value(place);
        let growth = |place| watch.growth(place);
        self.push(text, watch.record(), watch.at_ms(), &value, &growth);
    }

    fn push(&self, text: &mut String, record: &Record, at_ms: i64, value: Lookup<'_>, growth: Lookup<'_>) {
        push_time_of_day(text, record, at_ms);
        text.push_str(": ");
        self.push_clocks(text, record, value);
        text.push(' ');
        match self.load.and_then(value).map(i64::unsigned_abs) {
            Some(hundredths) => {
                cells::number(text, hundredths / 100, 2);
                text.push('.');
                cells::two_digits(text, hundredths % 100);
            }
            None => cells::right(text, "-", 5),
        }
        self.push_percentages(text, value, growth);
        match self.temperature.and_then(value) {
            Some(temp) => cells::degrees(text, temp, self.temperature_width()),
            None => cells::right(text, "-", self.temperature_width()),
        }
        for extra in &self.extras {
            cells::right(text, &extra.text(record, value), extra.width);
        }
    }

    /// Five clocks leave one column less for the temperature.
    fn temperature_width(&self) -> usize {
        if self.clocks.clocks.len() > 4 { 7 } else { 8 }
    }

    fn clocks_width(&self) -> usize {
        let values = self.clocks.clocks.len().max(1) * 5 - 1 + "MHz".len();
        values.max(self.clocks.label.len())
    }

    /// `1200/1416MHz`, filled up to the width of the column.
    fn push_clocks(&self, text: &mut String, record: &Record, value: Lookup<'_>) {
        let start = text.len();
        for (place, clock) in self.clocks.clocks.iter().enumerate() {
            if place > 0 {
                text.push('/');
            }
            match clock.khz(record, value).map(i64::unsigned_abs) {
                Some(khz) => cells::number(text, khz.saturating_add(500) / 1000, 4),
                None => cells::right(text, "n/a", 4),
            }
        }
        if self.clocks.clocks.is_empty() {
            text.push_str(" n/a");
        }
        text.push_str("MHz");
        cells::fill(text, start, self.clocks_width());
    }

    /// ` 100%   0%  99%   0%   0%   0%`: busy, system, user, nice, I/O wait, interrupts.
    fn push_percentages(&self, text: &mut String, value: Lookup<'_>, growth: Lookup<'_>) {
        let percentages = match self.printed[0] {
            Some(_) => self.printed.map(|place| place.and_then(value)),
            None if self.cpus_came_or_went(value, growth) => [None; PRINTED.len()],
            None => self.computed_percentages(growth),
        };
        for percent in percentages.map(|percent| percent.map(i64::unsigned_abs)) {
            text.push(' ');
            match percent {
                Some(percent) => {
                    cells::number(text, percent, 3);
                    text.push('%');
                }
                None => text.push_str("  - "),
            }
        }
    }

    /// Whether the number of CPUs changed since the previous reading: sums of their times are then not comparable.
    fn cpus_came_or_went(&self, value: Lookup<'_>, growth: Lookup<'_>) -> bool {
        let changed = |place| value(place).is_some() && growth(place) != Some(0);
        self.online.is_some_and(changed)
    }

    /// Fractions of the time since the previous reading.
    fn computed_percentages(&self, growth: Lookup<'_>) -> [Option<i64>; PRINTED.len()] {
        // A counter that went backwards restarted, as those of a CPU that comes back do.
        let growth = |place: Option<usize>| place.and_then(growth).unwrap_or(0).max(0) as f64;
        let ticks = self.ticks.map(growth);
        let all: f64 = ticks.iter().total();
        if all <= 0.0 {
            return [None; PRINTED.len()];
        }
        let [user, nice, system, idle, iowait, irq, softirq, _steal] = ticks;
        let parts = [all - idle, system, user, nice, iowait, irq + softirq];
        parts.map(|part| Some((part * 100.0 / all + 0.5) as i64))
    }
}

impl ExtraColumn {
    fn text(&self, record: &Record, value: Lookup<'_>) -> String {
        let channels = &record.samples.channels;
        let known = |place: &usize| Some(base_units(value(*place)?, &channels.get(*place)?.unit));
        let highest = self.channels.iter().filter_map(known).reduce(f64::max);
        let Some(value) = highest else { return "-".to_owned() };
        match self.name {
            "VCore" => format!("{value:.4}V"),
            "DC(V)" => format!("{value:.2}V"),
            "mW" => format!("{:.0}", value * 1000.0),
            _ => format!("{value:.1}W"),
        }
    }
}

/// A value in volts, watts, ...
fn base_units(value: i64, unit: &Unit) -> f64 {
    let factor = match unit {
        Unit::Millivolts | Unit::Milliamperes | Unit::Milliwatts => 1e-3,
        Unit::Microvolts | Unit::Microwatts => 1e-6,
        _ => 1.0,
    };
    value as f64 * factor
}

/// True for the voltage at a board's input.
fn is_input(id: &ChannelId) -> bool {
    match id {
        ChannelId::BoardInput(_) => true,
        ChannelId::RaspberryPi(RaspberryPiChannel::Rail(rail, RailKind::Voltage)) => &**rail == "ext5v",
        _ => false,
    }
}

/// Columns after the temperature on this machine.
fn extras(record: &Record) -> Vec<ExtraColumn> {
    use RaspberryPiChannel::{CoreVoltage, LogCoreVoltage, LogPmicPower, PmicPower};
    let places = |wanted: fn(&ChannelId) -> bool| -> Vec<usize> {
        let channels = record.samples.channels.iter().enumerate();
        let wanted = channels.filter(|(_, channel)| wanted(&channel.id));
        wanted.map(|(place, _)| place).collect()
    };
    let mut columns = Vec::new();
    for (name, width, channels) in [
        ("VCore", 9, places(|id| matches!(id, ChannelId::RaspberryPi(CoreVoltage | LogCoreVoltage)))),
        ("PMIC", 7, places(|id| matches!(id, ChannelId::RaspberryPi(PmicPower | LogPmicPower)))),
        ("DC(V)", 8, places(is_input)),
    ] {
        if !channels.is_empty() {
            columns.push(ExtraColumn { name, width, channels });
        }
    }
    // A column for each output of a power meter.
    let outputs = places(|id| matches!(id, ChannelId::LogMeter(_) | ChannelId::Meter(_, MeterChannel::Power)));
    columns.extend(outputs.into_iter().map(|place| ExtraColumn { name: "mW", width: 8, channels: vec![place] }));
    columns
}

/// The last known value at or before a row: slow channels are not read at every tick.
fn value_at(channel: &Channel, row: usize) -> Option<i64> {
    let values = channel.values.get(..=row)?;
    values.iter().rev().find_map(|value| *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{counter, gauge_channel, own_run};
    use record::{CpuTime, MeterOutput};

    /// Header and second row of these channels and values.
    fn check(channels: &[(ChannelId, Unit, i64)], expected: [&str; 2]) {
        let mut record = own_run();
        record.run.started = record::Fact::Known(0);
        for (id, unit, value) in channels {
            record = match unit {
                Unit::Ticks => counter(record, id.clone(), unit.clone(), &[0, *value]),
                _ => gauge_channel(record, id.clone(), unit.clone(), &[*value, *value]),
            };
        }
        let columns = Columns::of(&record, *facts::Facts::of(&record).soc_channel());
        let shown = [columns.heading(), columns.row(&record, 0, 1)];
        assert_eq!(shown, expected, "\n{}\n{}", shown[0], shown[1]);
        let mut watch = Watch::new(record.clone());
        for row in 0..2 {
            let values = record.samples.channels.iter().map(|channel| channel.values[row]);
            watch.row(row as i64 * 500, values);
        }
        assert_eq!(columns.line(&watch), expected[1], "live as in the log");
    }

    const TICKS: [(ChannelId, Unit, i64); 3] = [
        (ChannelId::all_cpus(CpuTime::User), Unit::Ticks, 30),
        (ChannelId::all_cpus(CpuTime::System), Unit::Ticks, 20),
        (ChannelId::all_cpus(CpuTime::Idle), Unit::Ticks, 50),
    ];

    #[test]
    fn board_with_one_policy() {
        let more = [
            (ChannelId::claimed(0), Unit::Kilohertz, 1_296_000),
            (ChannelId::Load(LoadSpan::One), Unit::Hundredths, 118),
            (ChannelId::zone_temperature(0), Unit::Millicelsius, 43_600),
        ];
        check(
            &[&TICKS[..], &more].concat(),
            [
                "Time        CPU    load %cpu %sys %usr %nice %io %irq   Temp",
                "00:00:00: 1296MHz  1.18  50%  20%  30%   0%   0%   0%  43.6°C",
            ],
        );
    }

    #[test]
    fn sums_of_other_cpus_are_no_percentages() {
        let heading = "Time      CPU n/a  load %cpu %sys %usr %nice %io %irq   Temp";
        for (online, row) in [
            (0, "00:00:00:  n/aMHz     -  50%  20%  30%   0%   0%   0%       -"),
            (1, "00:00:00:  n/aMHz     -   -    -    -    -    -    -        -"),
        ] {
            // The helper's first value of ticks is 0.
            let online = (ChannelId::AllCpus(AllCpus::Online), Unit::Ticks, online);
            check(&[&TICKS[..], &[online]].concat(), [heading, row]);
        }
    }

    #[test]
    fn raspberry_pi_and_a_meter_with_two_outputs() {
        let pi = ChannelId::RaspberryPi;
        let output = |number| ChannelId::Meter(MeterOutput::of(1, Some(number)), MeterChannel::Power);
        let input = RaspberryPiChannel::Rail("ext5v".into(), RailKind::Voltage);
        let more = [
            (ChannelId::claimed(0), Unit::Kilohertz, 2_400_000),
            (pi(RaspberryPiChannel::ArmClock), Unit::Hertz, 600_117_184),
            (ChannelId::Load(LoadSpan::One), Unit::Hundredths, 401),
            (ChannelId::zone_temperature(0), Unit::Millicelsius, 50_700),
            (pi(RaspberryPiChannel::CoreVoltage), Unit::Microvolts, 868_400),
            (pi(RaspberryPiChannel::PmicPower), Unit::Microwatts, 5_812_000),
            (pi(input), Unit::Microvolts, 5_140_000),
            (output(1), Unit::Milliwatts, 7010),
            (output(2), Unit::Milliwatts, 0),
        ];
        check(
            &[&TICKS[..], &more].concat(),
            [
                "Time       fake/real    load %cpu %sys %usr %nice %io %irq   Temp     VCore   PMIC   DC(V)      mW      mW",
                "00:00:00: 2400/ 600MHz  4.01  50%  20%  30%   0%   0%   0%  50.7°C  0.8684V   5.8W   5.14V    7010       0",
            ],
        );
    }

    #[test]
    fn columns_with_few_sensors() {
        check(
            &TICKS,
            [
                "Time      CPU n/a  load %cpu %sys %usr %nice %io %irq   Temp",
                "00:00:00:  n/aMHz     -  50%  20%  30%   0%   0%   0%       -",
            ],
        );
    }
}
