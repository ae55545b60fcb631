//! The columns of the classic rows: chosen once from what is sampled, so that header and rows agree.

use super::clocks::Clocks;
use super::{Watch, local_time};
use crate::view;
use record::{Channel, Record, Unit};
use std::fmt::Write;

/// Width of `HH:MM:SS: `.
const TIME_WIDTH: usize = 10;
/// Kinds of ticks in `/proc/stat`.
const TICKS: [&str; 8] = [
    "cpu.user",
    "cpu.nice",
    "cpu.system",
    "cpu.idle",
    "cpu.iowait",
    "cpu.irq",
    "cpu.softirq",
    "cpu.steal",
];

/// Gives something of the channel at a place.
pub(super) type Lookup<'a> = &'a dyn Fn(usize) -> Option<i64>;

/// What stands in the rows of one monitor.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    clocks: Clocks,
    load: Option<usize>,
    ticks: [Option<usize>; TICKS.len()],
    temperature: Option<usize>,
    extras: Vec<Extra>,
}

/// A column after the temperature.
#[derive(Debug, Clone, PartialEq)]
struct Extra {
    name: &'static str,
    width: usize,
    /// Their values are added up.
    channels: Vec<usize>,
}

impl Columns {
    /// The columns for what is sampled. `temperature` is the place of the channel that stands for
    /// the SoC; without it, the hottest of its sensors is taken.
    pub fn of(record: &Record, temperature: Option<usize>) -> Self {
        let place = |id: &str| {
            let mut channels = record.samples.channels.iter();
            channels.position(|channel| channel.id == id)
        };
        let clocks = Clocks::of(record);
        let hottest = || place(&view::soc_temperature(record)?.id);
        Self {
            load: place("load.1min"),
            ticks: TICKS.map(place),
            temperature: temperature.or_else(hottest),
            extras: extras(record),
            clocks,
        }
    }

    /// How many policies stand behind how many shown clocks.
    pub(super) fn policies_and_clocks(&self) -> (usize, usize) {
        (self.clocks.policies, self.clocks.clocks.len())
    }

    /// Place of the channel that stands for the SoC's temperature.
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
        // The name stands above the number, not above its unit.
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
        let growth = |place: usize| Some(value(place)? - value_at(channels.get(place)?, first)?);
        self.text(record, record.samples.at_ms[last], &value, &growth)
    }

    /// The row of this moment.
    pub fn line(&self, watch: &Watch) -> String {
        let value = |place| watch.value(place);
        let growth = |place| watch.growth(place);
        self.text(watch.record(), watch.at_ms(), &value, &growth)
    }

    fn text(&self, record: &Record, at_ms: i64, value: Lookup<'_>, growth: Lookup<'_>) -> String {
        let time = local_time(record, at_ms).map(|at| at.strftime("%H:%M:%S").to_string());
        let time = time.unwrap_or_else(|| "--:--:--".to_owned());
        let clocks = self.clocks_text(record, value);
        let load = self.load.and_then(value);
        let load = load.map_or("-".to_owned(), |h| format!("{}.{:02}", h / 100, h % 100));
        let percent = self.percentages(growth);
        let temp = self.temperature.and_then(value);
        let temp = temp.map_or("-".to_owned(), |t| format!("{:.1}°C", t as f64 / 1000.0));
        let width = self.clocks_width();
        let mut text = format!("{time}: {clocks:<width$} {load:>5} {percent}");
        let _ = write!(text, "{temp:>0$}", self.temperature_width());
        for extra in &self.extras {
            let _ = write!(text, "{:>1$}", extra.text(record, value), extra.width);
        }
        text
    }

    /// Five clocks leave one column less for the temperature.
    fn temperature_width(&self) -> usize {
        if self.clocks.clocks.len() > 4 { 7 } else { 8 }
    }

    fn clocks_width(&self) -> usize {
        let values = self.clocks.clocks.len().max(1) * 5 - 1 + "MHz".len();
        values.max(self.clocks.label.len())
    }

    fn clocks_text(&self, record: &Record, value: Lookup<'_>) -> String {
        let clocks = self.clocks.clocks.iter().map(|clock| {
            let khz = clock.khz(record, value);
            let mhz = khz.map_or("n/a".to_owned(), |khz| ((khz + 500) / 1000).to_string());
            format!("{mhz:>4}")
        });
        let clocks: Vec<String> = clocks.collect();
        if clocks.is_empty() {
            return " n/aMHz".to_owned();
        }
        format!("{}MHz", clocks.join("/"))
    }

    /// `100%   0%  99%   0%   0%   0%`: busy, system, user, nice, I/O wait, interrupts.
    fn percentages(&self, growth: Lookup<'_>) -> String {
        // A counter that went backwards started anew, as those of a CPU that comes back do.
        let growth = |place: &Option<usize>| place.and_then(growth).unwrap_or(0).max(0);
        let ticks: Vec<i64> = self.ticks.iter().map(growth).collect();
        let all: i64 = ticks.iter().sum();
        if all <= 0 {
            return "  -    -    -    -    -    - ".to_owned();
        }
        let percent = |part: i64| (part * 100 + all / 2) / all;
        let [user, nice, system, idle, iowait, irq, softirq] = std::array::from_fn(|i| ticks[i]);
        format!(
            "{:>3}% {:>3}% {:>3}% {:>3}% {:>3}% {:>3}%",
            percent(all - idle),
            percent(system),
            percent(user),
            percent(nice),
            percent(iowait),
            percent(irq + softirq)
        )
    }
}

impl Extra {
    fn text(&self, record: &Record, value: Lookup<'_>) -> String {
        let channels = &record.samples.channels;
        let known = |place: &usize| Some(base_units(value(*place)?, channels.get(*place)?.unit));
        let values: Vec<f64> = self.channels.iter().filter_map(known).collect();
        if values.is_empty() {
            return "-".to_owned();
        }
        let sum: f64 = values.iter().sum();
        match self.name {
            "VCore" => format!("{sum:.4}V"),
            "DC(V)" => format!("{sum:.2}V"),
            "mW" => format!("{:.0}", sum * 1000.0),
            _ => format!("{sum:.1}W"),
        }
    }
}

/// A value in volts, watts, ...
fn base_units(value: i64, unit: Unit) -> f64 {
    let factor = match unit {
        Unit::Millivolts | Unit::Milliamperes | Unit::Milliwatts => 1e-3,
        Unit::Microvolts | Unit::Microwatts => 1e-6,
        _ => 1.0,
    };
    value as f64 * factor
}

/// The columns after the temperature that this machine has.
fn extras(record: &Record) -> Vec<Extra> {
    let channels = record.samples.channels.iter().enumerate();
    let of = |name, width, wanted: fn(&Channel) -> bool| {
        let channels = channels.clone().filter(|(_, channel)| wanted(channel));
        let channels: Vec<usize> = channels.map(|(place, _)| place).collect();
        (!channels.is_empty()).then_some(Extra {
            name,
            width,
            channels,
        })
    };
    let columns = [
        of("VCore", 9, |channel| channel.id == "rpi.voltage.core"),
        of("PMIC", 8, |channel| channel.id == "rpi.pmic.power"),
        of("DC(V)", 8, |channel| channel.id == "input.voltage"),
    ];
    columns.into_iter().flatten().collect()
}

/// The last known value at or before a row: slow channels are not read at every tick.
fn value_at(channel: &Channel, row: usize) -> Option<i64> {
    let values = channel.values.get(..=row)?;
    values.iter().rev().find_map(|value| *value)
}
