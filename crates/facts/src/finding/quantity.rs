//! Values of findings with their units.

use crate::Share;
use crate::change::unsigned_zero;
use crate::foreign::one_line;
use crate::number::with_unit;
use serde::Serialize;
use std::fmt;

/// A value with its unit; its [`fmt::Display`] is how people read it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// A plain number.
    Count(i64),
    /// A measured number.
    Decimal {
        /// The number.
        value: f64,
        /// Its unit; none for a ratio.
        #[serde(skip_serializing_if = "str::is_empty")]
        unit: &'static str,
        /// Number of decimals that people read.
        #[serde(skip)]
        decimals: usize,
    },
    /// A clock.
    Khz(u32),
    /// A change, or a ratio to something else, in percent.
    Percent(f64),
    /// A share of time, of CPUs or of a score.
    Share(Share),
    /// A temperature.
    Millicelsius(i64),
    /// A duration.
    Ms(i64),
    /// Memory.
    Kib(u64),
    /// A 7-zip score.
    Mips(f64),
    /// Bytes per second.
    BytesPerS(u64),
    /// Time of one access.
    Ns(f64),
    /// A score in its own unit.
    Score(f64, String),
    /// CPU numbers.
    Cpus(Vec<u32>),
    /// Data rate of a link in megabits per second.
    MbitPerS(u32),
    /// Transfer rate of a link in megatransfers per second.
    MegatransfersPerS(u32),
    /// Values of one kind, for example of each run.
    List(Vec<Quantity>),
    /// Words: a name, a value of a setting.
    Text(String),
}

impl Quantity {
    /// A number without a unit, read with this many decimals.
    pub fn ratio(value: f64, decimals: usize) -> Self {
        Self::measured(value, "", decimals)
    }

    /// Numbers of one unit, read with this many decimals.
    pub fn numbers(values: impl IntoIterator<Item = f64>, unit: &'static str, decimals: usize) -> Self {
        Self::List(values.into_iter().map(|value| Self::measured(value, unit, decimals)).collect())
    }

    /// A number with a unit that has no variant.
    pub fn measured(value: f64, unit: &'static str, decimals: usize) -> Self {
        Self::Decimal { value, unit, decimals }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Count(n) => write!(f, "{n}"),
            Quantity::Decimal { value, unit: "", decimals } => {
                write!(f, "{:.decimals$}", unsigned_zero(*value, *decimals))
            }
            Quantity::Decimal { value, unit, decimals } => {
                write!(f, "{:.decimals$} {unit}", unsigned_zero(*value, *decimals))
            }
            Quantity::Khz(khz) => write!(f, "{} MHz", mhz(*khz)),
            Quantity::Percent(percent) if percent.abs() < 10.0 => write!(f, "{:.1} %", unsigned_zero(*percent, 1)),
            Quantity::Percent(percent) => write!(f, "{percent:.0} %"),
            Quantity::Share(share) => Quantity::Percent(share.as_percent()).fmt(f),
            Quantity::Millicelsius(temp) => write!(f, "{:.1} °C", unsigned_zero(*temp as f64 / 1000.0, 1)),
            Quantity::Ms(ms) if ms.unsigned_abs() < 1000 => write!(f, "{ms} ms"),
            Quantity::Ms(ms) => write!(f, "{:.1} s", *ms as f64 / 1000.0),
            Quantity::Kib(kib) if *kib < 10_240 => write!(f, "{kib} KiB"),
            Quantity::Kib(kib) => write!(f, "{} MiB", kib / 1024),
            Quantity::Mips(mips) => f.write_str(&with_unit(*mips, "MIPS")),
            Quantity::BytesPerS(rate) => f.write_str(&with_unit(*rate as f64 / 1e6, "MB/s")),
            Quantity::Ns(ns) => f.write_str(&with_unit(*ns, "ns")),
            Quantity::Score(score, unit) => f.write_str(&with_unit(*score, &one_line(unit))),
            Quantity::Cpus(cpus) => f.write_str(&record::cpu_words(cpus)),
            Quantity::MbitPerS(rate) if rate % 1000 == 0 => write!(f, "{}Gbps", rate / 1000),
            Quantity::MbitPerS(rate) => write!(f, "{rate}Mbps"),
            Quantity::MegatransfersPerS(rate) => write!(f, "{}GT/s", f64::from(*rate) / 1000.0),
            Quantity::List(list) => {
                let words: Vec<String> = list.iter().map(Quantity::to_string).collect();
                f.write_str(&words.join(", "))
            }
            // Names of cards and messages of drivers are arbitrary text of any length.
            Quantity::Text(text) => f.write_str(&crate::plain::cut(&one_line(text))),
        }
    }
}

/// A clock in MHz, rounded; any number, since files claim any.
pub fn mhz(khz: u32) -> u32 {
    khz.saturating_add(500) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_a_file_can_be_written() {
        for (quantity, expected) in [
            (Quantity::Khz(1_800_499), "1800 MHz"),
            (Quantity::Khz(1_800_500), "1801 MHz"),
            (Quantity::Khz(u32::MAX), "4294967 MHz"),
            (Quantity::Score(0.053_14, "s".into()), "0.0531 s"),
            (Quantity::Score(8.263, "s".into()), "8.26 s"),
            (Quantity::Score(133_828.5, "MIPS".into()), "133829 MIPS"),
            (Quantity::Mips(133_828.5), "133829 MIPS"),
            (Quantity::ratio(2.996, 2), "3.00"),
            (Quantity::ratio(-0.004, 2), "0.00"),
            (Quantity::Percent(-0.04), "0.0 %"),
            (Quantity::Percent(-0.06), "-0.1 %"),
            (Quantity::Millicelsius(-40), "0.0 °C"),
            (Quantity::measured(0.96, "A", 1), "1.0 A"),
            (Quantity::MbitPerS(480), "480Mbps"),
            (Quantity::MbitPerS(5000), "5Gbps"),
            (Quantity::MegatransfersPerS(2500), "2.5GT/s"),
            (Quantity::List(vec![Quantity::ratio(1.4, 0), Quantity::Count(2)]), "1, 2"),
            (Quantity::Ms(-5), "-5 ms"),
            (Quantity::Ms(i64::MIN), "-9223372036854776.0 s"),
        ] {
            assert_eq!(quantity.to_string(), expected);
        }
    }
}
