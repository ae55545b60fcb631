//! Sources of power: meters, chips at the input of the board, and sensors of its parts. One of them is the source of a
//! run in every table.

use super::power_doubt::{ANY_BOARD_MW_MIN, power_doubt};
use super::samples::{Reading, counter_steps, gauge, whole_run};
use crate::Facts;
use crate::stats::{mean, median};
use record::{
    Channel, ChannelId, ChannelKind, Gap, HwmonChannel, INPUT_MILLIVOLTS_MIN, PowerRole, PowerSensor, RailKind,
    RaspberryPiChannel, StableSort, Unit, Window, voltage_of,
};

/// Sensor of the power.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerSource {
    reads: SourceChannels,
    /// Place of the measurement.
    pub role: PowerRole,
    /// Measured part of the board, such as `the CPU`; `None` for the whole machine.
    pub part: Option<String>,
    /// Consumers that the source does not measure.
    pub lacks: Option<&'static str>,
    /// Name of the sensor, for people.
    pub name: String,
}

/// Channels of a source.
#[derive(Debug, Clone, PartialEq)]
enum SourceChannels {
    /// Power reported by the sensor.
    Gauge(usize),
    /// Energy counters, which are added.
    Counters(Vec<usize>),
    /// Voltage and current of a chip without power.
    Product { volts: usize, amperes: usize },
}

impl PowerSource {
    /// True if it sees everything that the machine draws.
    pub fn is_whole(&self) -> bool {
        self.role.is_whole()
    }

    /// The sensor and what it measures: `ina3221 VDD_IN, the module without the carrier board and what it feeds`.
    pub fn words(&self) -> String {
        let name = &self.name;
        match (&self.part, self.lacks) {
            (None, _) => format!("{name} {}", self.role.words()),
            (Some(part), Some(lacks)) => format!("{name}, {part} without {lacks}"),
            // The name is in it.
            (Some(part), None) => part.clone(),
        }
    }

    /// Word of keys for the place of the measurement; only sources with equal words are compared.
    pub fn place(&self) -> String {
        match &self.part {
            // Parts of this role differ from board to board.
            Some(part) if self.role == PowerRole::Cpus => {
                let words = part.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
                words.collect::<Vec<_>>().join("-").to_lowercase()
            }
            _ => self.role.as_str().to_owned(),
        }
    }

    /// Id of its first channel.
    pub fn id<'a>(&self, facts: &'a Facts<'_>) -> &'a ChannelId {
        &facts.samples.channels[self.channel()].id
    }

    /// Gaps of the first channel.
    pub(super) fn gaps<'a>(&self, facts: &'a Facts<'_>) -> &'a [Gap] {
        &facts.samples.channels[self.channel()].gaps
    }

    fn channel(&self) -> usize {
        match &self.reads {
            SourceChannels::Gauge(index) | SourceChannels::Product { volts: index, .. } => *index,
            SourceChannels::Counters(all) => all.first().copied().unwrap_or_default(),
        }
    }
}

/// CPU use in percent above which a machine is under load.
const BUSY_PERCENT_MIN: f64 = 75.0;
const IDLE_PERCENT_MAX: f64 = 25.0;
/// Minimum ratio of power under load to power at rest of a supply that feeds the CPUs; boards reach 2 to 3.
const RISE_MIN: f64 = 1.2;
/// Minimum number of readings both under load and at rest.
const READINGS_MIN: usize = 3;
/// Largest distance of voltage and current readings of one chip; the voltage of a supply hardly changes within it.
const VOLTAGE_AGE_MS_MAX: i64 = 5_000;

/// All sources with values, best first: those of the whole machine, meters before chips.
pub(crate) fn power_sources(facts: &Facts<'_>) -> Vec<PowerSource> {
    let channels = &facts.samples.channels;
    let mut sources: Vec<PowerSource> = Vec::new();
    for (index, channel) in channels.iter().enumerate() {
        if channel.values.iter().all(Option::is_none) {
            continue;
        }
        let reads = match (channel.kind, &channel.unit) {
            (ChannelKind::Gauge, _) if channel.is_power() => {
                Some(SourceChannels::Gauge(index)).filter(|_| power_doubt(facts, channel).is_none())
            }
            // Energy of a meter, and of a chip with power, belongs to its power.
            (ChannelKind::Counter, Unit::Microjoules) if energy_of(channels, index).is_none() => {
                Some(SourceChannels::Counters(vec![index]))
            }
            (ChannelKind::Gauge, Unit::Milliamperes) => {
                voltage_of(channels, channel).map(|volts| SourceChannels::Product { volts, amperes: index })
            }
            _ => None,
        };
        sources.extend(reads.map(|reads| source(channels, reads)));
    }
    sources.retain(|source| !is_zero(facts, source));
    add_packages(&mut sources);
    name_outputs(channels, &mut sources);
    find_input(facts, &mut sources);
    let is_meter = |source: &PowerSource| channels[source.channel()].id.is_meter();
    sources.stable_sort_by_key(|source| (!source.is_whole(), !is_meter(source), source.role));
    sources
}

/// Source of the run: the best one that includes at least the CPUs. Other parts do not reflect the load.
pub(crate) fn power_source(facts: &Facts<'_>) -> Option<PowerSource> {
    facts.power_sources().first().filter(|source| source.role.has_cpus()).cloned()
}

fn source(channels: &[Channel], reads: SourceChannels) -> PowerSource {
    let mut source = PowerSource { reads, role: PowerRole::Part, part: None, lacks: None, name: String::new() };
    let channel = &channels[source.channel()];
    let PowerSensor { role, part, lacks, .. } = PowerSensor::of(channel);
    source.name = crate::plain(channel.name().split(", shunt").next().unwrap_or_default());
    (source.role, source.part, source.lacks) = (role, part.map(|part| crate::plain(&part)), lacks);
    if channel.id == ChannelId::RaspberryPi(RaspberryPiChannel::PmicPower) {
        let is_current =
            |id: &ChannelId| matches!(id, ChannelId::RaspberryPi(RaspberryPiChannel::Rail(_, RailKind::Current)));
        let rails = channels.iter().filter(|channel| is_current(&channel.id)).count();
        source.part = Some(format!("the sum of {rails} rails"));
    }
    source
}

/// Power with values, of the same output of a meter or the same input of a chip as an energy counter.
fn energy_of(channels: &[Channel], energy: usize) -> Option<usize> {
    let energy = &channels[energy].id;
    let has_values = |channel: &Channel| channel.values.iter().any(Option::is_some);
    channels.iter().position(|channel| channel.is_power() && has_values(channel) && belongs(energy, &channel.id))
}

/// True if both are of one input of a chip or one output of a meter.
fn belongs(energy: &ChannelId, power: &ChannelId) -> bool {
    match (energy, power) {
        (ChannelId::Hwmon(a, HwmonChannel::Sensor(_, first)), ChannelId::Hwmon(b, HwmonChannel::Sensor(_, second))) => {
            a == b && first == second
        }
        _ => energy.is_of_same_chip(power),
    }
}

/// Energy counter of a source, if any.
pub(super) fn energy_channel<'a>(facts: &'a Facts<'_>, source: &PowerSource) -> Option<&'a Channel> {
    let power = &facts.samples.channels[source.channel()].id;
    let is_it = |channel: &&Channel| {
        channel.kind == ChannelKind::Counter && channel.unit == Unit::Microjoules && belongs(&channel.id, power)
    };
    facts.samples.channels.iter().find(is_it)
}

/// True if no current flows: the input is not connected.
fn is_zero(facts: &Facts<'_>, source: &PowerSource) -> bool {
    matches!(source.reads, SourceChannels::Product { .. })
        && source.readings(facts, whole_run()).iter().all(|(_, mw)| *mw <= 0.0)
}

/// Adds up packages, which are one processor.
fn add_packages(sources: &mut Vec<PowerSource>) {
    let mut packages = Vec::new();
    sources.retain(|source| match &source.reads {
        SourceChannels::Counters(one) if source.role == PowerRole::Processor => {
            packages.extend(one);
            packages.len() == 1
        }
        _ => true,
    });
    let is_package = |source: &&mut PowerSource| source.role == PowerRole::Processor;
    if let Some(first) = sources.iter_mut().find(is_package).filter(|_| packages.len() > 1) {
        first.reads = SourceChannels::Counters(packages);
    }
}

/// If several outputs of one meter draw power, the output that feeds the board is unknown.
fn name_outputs(channels: &[Channel], sources: &mut [PowerSource]) {
    let meter = |source: &PowerSource| match &channels[source.channel()].id {
        ChannelId::Meter(output, _) => Some(i64::from(output.meter)),
        ChannelId::LogMeter(_) => Some(-1),
        _ => None,
    };
    let meters: Vec<Option<i64>> = sources.iter().map(meter).collect();
    for (source, own) in sources.iter_mut().zip(&meters).filter(|(_, own)| own.is_some()) {
        if meters.iter().filter(|other| *other == own).count() > 1 {
            source.role = PowerRole::Part;
            source.part = Some(format!("what {} feeds, one of several outputs", channels[source.channel()].id));
        }
    }
}

/// The only chip of a machine is at its input if it has no label, the voltage of an input, more power than a rail of an
/// idle machine, and power that follows the load: a USB supply has the same voltage.
fn find_input(facts: &Facts<'_>, sources: &mut [PowerSource]) {
    let is_chip =
        |source: &&mut PowerSource| matches!(facts.samples.channels[source.channel()].id, ChannelId::Hwmon(..));
    let mut chips = sources.iter_mut().filter(is_chip);
    let (Some(only), None) = (chips.next(), chips.next()) else { return };
    let channel = &facts.samples.channels[only.channel()];
    let is_nameless = PowerSensor::of(channel).is_unlabelled_chip(channel);
    let has_voltage = input_millivolts(facts, channel).is_some_and(|mv| mv >= f64::from(INPUT_MILLIVOLTS_MIN));
    let follows = || rest_and_load_mw(facts, &only.readings(facts, whole_run()));
    let is_input = |[rest, load]: [f64; 2]| rest >= ANY_BOARD_MW_MIN && load >= RISE_MIN * rest;
    if is_nameless && has_voltage && follows().is_some_and(is_input) {
        (only.role, only.part, only.lacks) = (PowerRole::Input, None, None);
    }
}

fn rest_and_load_mw(facts: &Facts<'_>, power: &[(i64, f64)]) -> Option<[f64; 2]> {
    let busy = facts.busy_percent_at();
    let of = |is_wanted: &dyn Fn(f64) -> bool| {
        let is_then = |at_ms: i64| {
            let row = facts.samples.at_ms.binary_search(&at_ms).ok();
            row.and_then(|row| *busy.get(row)?).is_some_and(is_wanted)
        };
        let mw: Vec<f64> = power.iter().filter(|(at_ms, _)| is_then(*at_ms)).map(|(_, mw)| *mw).collect();
        mean(&mw).filter(|_| mw.len() >= READINGS_MIN)
    };
    Some([of(&|busy| busy <= IDLE_PERCENT_MAX)?, of(&|busy| busy >= BUSY_PERCENT_MIN)?])
}

/// Median of the first voltage of the same chip.
fn input_millivolts(facts: &Facts<'_>, channel: &Channel) -> Option<f64> {
    let ChannelId::Hwmon(chip, _) = &channel.id else { return None };
    let is_voltage = |other: &&Channel| {
        other.unit == Unit::Millivolts && matches!(&other.id, ChannelId::Hwmon(number, _) if number == chip)
    };
    let voltage = facts.samples.channels.iter().find(is_voltage)?;
    median(&voltage.values.iter().flatten().map(|value| *value as f64).collect::<Vec<_>>())
}

impl PowerSource {
    /// Power within a window in milliwatts, reading by reading.
    pub fn readings(&self, facts: &Facts<'_>, window: Window) -> Vec<(i64, f64)> {
        let channels = &facts.samples.channels;
        match &self.reads {
            SourceChannels::Gauge(index) => {
                let channel = &channels[*index];
                let scale = if channel.unit == Unit::Microwatts { 0.001 } else { 1.0 };
                let readings = gauge(facts, channel, window).into_iter();
                readings.map(|reading| (reading.at_ms, reading.value as f64 * scale)).collect()
            }
            SourceChannels::Product { volts, amperes } => {
                let volts = gauge(facts, &channels[*volts], whole_run());
                let near = |at_ms: i64| {
                    let after = volts.partition_point(|reading| reading.at_ms <= at_ms);
                    let known = volts.get(after.saturating_sub(1))?;
                    (known.at_ms.abs_diff(at_ms) <= VOLTAGE_AGE_MS_MAX as u64).then_some(known.value as f64)
                };
                let currents = gauge(facts, &channels[*amperes], window).into_iter();
                let product = |now: Reading| Some((now.at_ms, near(now.at_ms)? * now.value as f64 / 1000.0));
                // The sign of a current at the input is the direction in which the meter is plugged in.
                let signed = |(at_ms, mw): (i64, f64)| (at_ms, if self.is_whole() { mw.abs() } else { mw });
                currents.filter_map(product).map(signed).collect()
            }
            SourceChannels::Counters(all) => all
                .iter()
                .map(|index| counted_mw(facts, &channels[*index], window))
                .reduce(|mut sum, other| {
                    // Packages are read at the same moments.
                    sum.retain_mut(|(at_ms, mw)| {
                        let same = other.binary_search_by_key(at_ms, |(at_ms, _)| *at_ms).ok();
                        *mw += same.map_or(0.0, |index| other[index].1);
                        same.is_some()
                    });
                    sum
                })
                .unwrap_or_default(),
        }
    }
}

fn counted_mw(facts: &Facts<'_>, channel: &Channel, window: Window) -> Vec<(i64, f64)> {
    let mut last_ms = None;
    let mut power = Vec::new();
    for Reading { at_ms, value, .. } in counter_steps(facts, channel, window) {
        // The first interval has no start.
        if let Some(before) = last_ms.replace(at_ms).filter(|before| at_ms > *before) {
            power.push((at_ms, value as f64 / at_ms.saturating_sub(before) as f64));
        }
    }
    power
}

/// Power of the run's source within a window in milliwatts, reading by reading.
pub(crate) fn power_mw(facts: &Facts<'_>, window: Window) -> Vec<(i64, f64)> {
    facts.power_source().as_ref().map_or_else(Vec::new, |source| source.readings(facts, window))
}

/// Mean power within a window in milliwatts.
pub fn mean_power_mw(facts: &Facts<'_>, window: Window) -> Option<f64> {
    let power: Vec<f64> = facts.power_mw(&window).iter().map(|(_, mw)| *mw).collect();
    mean(&power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{counter, gauge_channel, labelled, own_run, rapl, window};
    use record::{AllCpus, CpuPercent, HwmonKind, MeterChannel, PowercapChannel, Record};

    const fn hwmon(kind: HwmonKind, number: u32) -> ChannelId {
        ChannelId::Hwmon(0, HwmonChannel::Sensor(kind, number))
    }

    #[test]
    fn meter_comes_before_a_chip_and_a_chip_before_counters() {
        let energy = [0, 1_000_000, 2_000_000, 3_000_000];
        let mut record = counter(own_run(), rapl(PowercapChannel::Energy), Unit::Microjoules, &energy);
        record = labelled(record, "package-0");
        let all = window(0.0, 10.0);
        assert_eq!(power_mw(&Facts::of(&record), all), [(1000, 2000.0), (1500, 2000.0)]);
        assert!(!power_source(&Facts::of(&record)).unwrap().is_whole());
        // A limit is set, not measured.
        let id = rapl(PowercapChannel::Limit("long_term".into()));
        record = gauge_channel(record, id, Unit::Microwatts, &[15_000_000; 4]);
        assert!(!power_source(&Facts::of(&record)).unwrap().is_whole());
        let id = hwmon(HwmonKind::Power, 1);
        record = labelled(gauge_channel(record, id, Unit::Microwatts, &[3_000_000; 4]), "power_meter");
        assert_eq!(mean_power_mw(&Facts::of(&record), all), Some(3000.0));
        let id = ChannelId::meter(MeterChannel::Power);
        record = gauge_channel(record, id, Unit::Milliwatts, &[5000; 4]);
        assert_eq!(mean_power_mw(&Facts::of(&record), all), Some(5000.0));
        assert_eq!(power_source(&Facts::of(&own_run())), None);
    }

    fn with_load(record: Record) -> Record {
        let id = ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy));
        gauge_channel(record, id, Unit::Percent, &[0, 0, 0, 0, 100, 100, 100, 100])
    }

    #[test]
    fn rails_are_not_the_board() {
        let follows = [2_000_000, 2_000_000, 2_000_000, 2_000_000, 5_000_000, 5_000_000, 5_000_000, 5_000_000];
        for (label, volts, power, role, part) in [
            ("ina3221 VDD_IN", None, follows, PowerRole::Module, Some("the module")),
            ("power_meter", None, follows, PowerRole::Input, None),
            ("ina226", Some(12_000), follows, PowerRole::Input, None),
            // A supply of USB, a small rail, too little voltage, a rail with a name.
            ("ina226", Some(5_000), [2_000_000; 8], PowerRole::Part, Some("a rail called ina226")),
            ("ina226", Some(5_000), follows.map(|uw| uw / 10), PowerRole::Part, Some("a rail called ina226")),
            ("ina226", Some(900), follows, PowerRole::Part, Some("a rail called ina226")),
            ("ina226", None, follows, PowerRole::Part, Some("a rail called ina226")),
            ("ina226 5v0", Some(5_000), follows, PowerRole::Part, Some("a rail called ina226 5v0")),
            ("ina3221 VDD_CPU_GPU_CV", Some(5_000), follows, PowerRole::Cpus, Some("the CPU, GPU and CV engines")),
            ("scmi_sensors ddr", Some(5_000), follows, PowerRole::Part, Some("a rail called scmi_sensors ddr")),
        ] {
            let mut record = gauge_channel(own_run(), hwmon(HwmonKind::Power, 1), Unit::Microwatts, &power);
            record = labelled(record, label);
            if let Some(millivolts) = volts {
                record = gauge_channel(record, hwmon(HwmonKind::Voltage, 1), Unit::Millivolts, &[millivolts; 8]);
            }
            let record = with_load(record);
            let facts = Facts::of(&record);
            let sources = facts.power_sources();
            assert_eq!((sources[0].role, sources[0].part.as_deref()), (role, part), "{label} {volts:?}");
            assert_eq!(facts.power_source().is_some(), role != PowerRole::Part, "{label} {volts:?}");
        }
    }

    #[test]
    fn volts_and_amperes_make_watts() {
        let mut record = own_run();
        for (number, label, millivolts, milliamperes) in
            [(1, "ina3221 VDD_IN", 5_000, 1_000), (2, "ina3221 VDD_SOC", 5_000, 300), (4, "ina3221", 12, 1_500)]
        {
            let voltage = gauge_channel(record, hwmon(HwmonKind::Voltage, number), Unit::Millivolts, &[millivolts; 4]);
            let current = hwmon(HwmonKind::Current, number);
            let voltage = labelled(voltage, label);
            record = labelled(gauge_channel(voltage, current, Unit::Milliamperes, &[milliamperes; 4]), "ina3221");
        }
        let facts = Facts::of(&record);
        let found: Vec<String> = facts.power_sources().iter().map(PowerSource::words).collect();
        let expected = [
            "ina3221 VDD_IN, the module without the carrier board and what it feeds",
            "ina3221 VDD_SOC, the rest of the SoC without CPU, GPU and board",
        ];
        assert_eq!(found, expected);
        assert_eq!(mean_power_mw(&facts, window(0.0, 10.0)), Some(5000.0));
    }

    #[test]
    fn sum_of_rails_and_outputs_of_a_meter_are_parts() {
        let id = ChannelId::RaspberryPi(RaspberryPiChannel::PmicPower);
        let record = labelled(gauge_channel(own_run(), id, Unit::Microwatts, &[3_000_000; 4]), "sum of all rails");
        let source = power_source(&Facts::of(&record)).unwrap();
        assert!(!source.is_whole() && source.words().contains("what hangs on the 5 V input"), "{}", source.words());
        let mut record = own_run();
        for (output, milliwatts) in [(1, 4_000), (2, 9_000)] {
            let id = ChannelId::Meter(record::MeterOutput::of(1, Some(output)), MeterChannel::Power);
            record = gauge_channel(record, id, Unit::Milliwatts, &[milliwatts; 6]);
        }
        assert_eq!(power_source(&Facts::of(&record)), None);
        record.samples.channels[1].values.fill(Some(0));
        assert_eq!(mean_power_mw(&Facts::of(&record), window(0.0, 10.0)), Some(4000.0));
    }
}
