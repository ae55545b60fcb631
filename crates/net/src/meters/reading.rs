//! Quantities, units, and readings in lines of text such as `5.02 V, 0.41 A` and `P1: 2.1 W DC`. Pure.

use super::Output;
use super::http::whole;

/// Quantity of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    Power,
    Energy,
    Voltage,
    Current,
    /// Ratio of real to apparent power; the last that is a number.
    Factor,
    /// Time stamp.
    Clock,
    /// False if the other values are invalid.
    Valid,
    /// Name of the meter.
    Name,
}

/// Unit with its name and its factor to the integers of [`Output`].
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) name: &'static str,
    pub(super) what: Quantity,
    pub(super) factor: f64,
}

const fn of(name: &'static str, what: Quantity, factor: f64) -> Unit {
    Unit { name, what, factor }
}

const UNITS: &[Unit] = &[
    of("W", Quantity::Power, 1e3),
    of("µW", Quantity::Power, 1e-3),
    of("uW", Quantity::Power, 1e-3),
    of("mW", Quantity::Power, 1.0),
    of("kW", Quantity::Power, 1e6),
    of("J", Quantity::Energy, 1e6),
    of("mJ", Quantity::Energy, 1e3),
    of("mWh", Quantity::Energy, 3.6e6),
    of("Wmin", Quantity::Energy, 6e7),
    of("Wh", Quantity::Energy, 3.6e9),
    of("kWh", Quantity::Energy, 3.6e12),
    of("V", Quantity::Voltage, 1e3),
    of("µV", Quantity::Voltage, 1e-3),
    of("uV", Quantity::Voltage, 1e-3),
    of("mV", Quantity::Voltage, 1.0),
    of("A", Quantity::Current, 1e3),
    of("µA", Quantity::Current, 1e-3),
    of("uA", Quantity::Current, 1e-3),
    of("mA", Quantity::Current, 1.0),
    of("pf", Quantity::Factor, 1.0),
    of("time", Quantity::Clock, 1.0),
    of("valid", Quantity::Valid, 1.0),
    of("name", Quantity::Name, 1.0),
];

/// The unit of this name.
pub(super) fn unit(name: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|unit| unit.name == name)
}

/// A finite number and the word behind it.
pub(super) fn number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    let end = text.find(|c| !is_number(c)).unwrap_or(text.len());
    let value = text[..end].parse::<f64>().ok().filter(|value| value.is_finite())?;
    Some((value, text[end..].split_whitespace().next().unwrap_or_default()))
}

/// Number of quantities with a number.
const NUMBERS: usize = Quantity::Factor as usize + 1;

/// Raw values of one output.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct RawOutput {
    /// Values by quantity, in the units of [`Output`].
    values: [Option<f64>; NUMBERS],
    /// True if the meter reports its values as invalid.
    pub(super) is_invalid: bool,
    pub(super) clock: Option<i64>,
}

/// Maximum direct voltage; higher is mains, where the product of voltage and current is not power.
const DIRECT_MILLIVOLTS_MAX: f64 = 60_000.0;

impl RawOutput {
    /// Keeps the first value of a quantity.
    pub(super) fn set(&mut self, unit: &Unit, value: Option<f64>) {
        if let Some(place) = self.values.get_mut(unit.what as usize) {
            *place = place.or(value);
        }
    }

    /// Adds values shared by all outputs: voltage and time stamp apply to each, the rest only to a single output.
    pub(super) fn with(mut self, shared: &Self, count: usize) -> Self {
        let is_only = count == 1;
        for (what, (own, shared)) in self.values.iter_mut().zip(shared.values).enumerate() {
            *own = own.or(shared.filter(|_| is_only || what == Quantity::Voltage as usize));
        }
        self.is_invalid |= is_only && shared.is_invalid;
        self.clock = self.clock.or(shared.clock);
        self
    }

    /// Integer values. With a power factor, power is the product of all three, because sockets round it to watts.
    /// Without power it is the product of direct voltage and current.
    pub(super) fn output(&self) -> Output {
        if self.is_invalid {
            return Output::default();
        }
        let [power, energy, volts, amperes, factor] = self.values;
        let apparent = volts.zip(amperes).map(|(volts, amperes)| volts * amperes / 1e3);
        let real = apparent.zip(factor).map(|(apparent, factor)| apparent * factor);
        let is_direct = volts.is_some_and(|volts| volts.abs() <= DIRECT_MILLIVOLTS_MAX);
        let direct = apparent.filter(|_| is_direct);
        let rounded = |value: Option<f64>| whole(value?, 1.0);
        Output {
            milliwatts: rounded(real.or(power).or(direct)),
            microjoules: rounded(energy),
            millivolts: rounded(volts),
            milliamperes: rounded(amperes),
            clock: self.clock,
        }
    }
}

/// A reading in a line: label and value.
#[derive(Debug, Clone)]
pub(super) struct LabelledValue {
    pub(super) label: String,
    pub(super) unit: &'static Unit,
    pub(super) value: f64,
}

/// Labels of USB data lines, which carry no power.
const OTHER_LABELS: [&str; 2] = ["D+", "D-"];

/// Readings of a line: labelled numbers with units, or a single number in watts.
pub(super) fn parse_readings(line: &str) -> Vec<LabelledValue> {
    let words: Vec<&str> = line.split([' ', '\t', ',', ';', '=', '\r']).filter(|word| !word.is_empty()).collect();
    if let ([word], Some(watts)) = (words.as_slice(), unit("W"))
        && let Some((value, "")) = number(word)
    {
        return vec![LabelledValue { label: String::new(), unit: watts, value: value * watts.factor }];
    }
    let (mut found, mut label) = (Vec::new(), "");
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let Some((value, name)) = number(word) else {
            label = word.trim_end_matches(':');
            continue;
        };
        let known = if name.is_empty() { words.peek().and_then(|next| unit(next)) } else { unit(name) };
        if let Some(unit) = known.filter(|_| !OTHER_LABELS.contains(&label)) {
            found.push(LabelledValue { label: label.to_owned(), unit, value: value * unit.factor });
        }
        label = "";
    }
    found
}
