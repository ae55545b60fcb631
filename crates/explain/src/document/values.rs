//! Values of a finding as an object: numbers under names that end with their unit.

use facts::Quantity;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// Names and values in the order of the finding.
pub(super) struct Values(Vec<(String, Value)>);

impl Values {
    /// Creates the object of these values.
    pub(super) fn of(values: &[(&'static str, Quantity)]) -> Self {
        Self(values.iter().map(|(name, quantity)| named(name, quantity)).collect())
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// `clock_before_mhz` and 1800.
fn named(name: &str, quantity: &Quantity) -> (String, Value) {
    let (unit, value) = unit_and_value(quantity);
    let has_unit = unit.is_empty() || name.ends_with(&format!("_{unit}"));
    (if has_unit { name.to_owned() } else { format!("{name}_{unit}") }, value)
}

fn unit_and_value(quantity: &Quantity) -> (String, Value) {
    match quantity {
        Quantity::Count(count) => (String::new(), json!(count)),
        Quantity::Decimal { value, unit, .. } => (in_key(unit), json!(value)),
        Quantity::Khz(khz) => ("mhz".into(), json!(f64::from(*khz) / 1000.0)),
        Quantity::Percent(percent) => ("percent".into(), json!(percent)),
        Quantity::Share(share) => ("percent".into(), json!(share.as_percent())),
        Quantity::Millicelsius(millicelsius) => ("celsius".into(), json!(*millicelsius as f64 / 1000.0)),
        Quantity::Ms(ms) => ("s".into(), json!(*ms as f64 / 1000.0)),
        Quantity::Kib(kib) => ("kib".into(), json!(kib)),
        Quantity::Mips(mips) => ("mips".into(), json!(mips)),
        Quantity::BytesPerS(rate) => ("mb_per_s".into(), json!(*rate as f64 / 1e6)),
        Quantity::Ns(ns) => ("ns".into(), json!(ns)),
        Quantity::Score(score, unit) => (in_key(unit), json!(score)),
        Quantity::Cpus(cpus) => (String::new(), json!(cpus)),
        Quantity::MbitPerS(rate) => ("mbit_per_s".into(), json!(rate)),
        Quantity::MegatransfersPerS(rate) => ("gt_per_s".into(), json!(f64::from(*rate) / 1000.0)),
        Quantity::List(list) => {
            let parts: Vec<(String, Value)> = list.iter().map(unit_and_value).collect();
            let unit = parts.first().map(|(unit, _)| unit.clone());
            let values: Vec<Value> = parts.into_iter().map(|(_, value)| value).collect();
            (unit.unwrap_or_default(), json!(values))
        }
        Quantity::Text(text) => (String::new(), json!(text)),
    }
}

/// Spells a unit for a key: `kh_per_s` for `kH/s`.
fn in_key(unit: &str) -> String {
    let words = unit.replace('/', " per ").replace('%', " percent ");
    let words = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_with_the_unit() {
        for (name, quantity, expected) in [
            ("clock_before", Quantity::Khz(1_800_000), ("clock_before_mhz", json!(1800.0))),
            ("deviation", Quantity::Percent(-0.06), ("deviation_percent", json!(-0.06))),
            ("temperature", Quantity::Millicelsius(83_800), ("temperature_celsius", json!(83.8))),
            ("first", Quantity::Ms(26_900), ("first_s", json!(26.9))),
            ("times", Quantity::Count(3), ("times", json!(3))),
            ("cpus", Quantity::Cpus(vec![0, 1]), ("cpus", json!([0, 1]))),
            ("ratio", Quantity::ratio(2.125, 2), ("ratio", json!(2.125))),
            ("current", Quantity::measured(3.0, "A", 1), ("current_a", json!(3.0))),
            ("early", Quantity::Score(2.5, "kH/s".into()), ("early_kh_per_s", json!(2.5))),
            ("now", Quantity::MbitPerS(480), ("now_mbit_per_s", json!(480))),
            ("scores", Quantity::numbers([9.5, 8.0], "MIPS", 0), ("scores_mips", json!([9.5, 8.0]))),
            ("score_mips", Quantity::Mips(5.0), ("score_mips", json!(5.0))),
        ] {
            let (name, value) = named(name, &quantity);
            assert_eq!((name.as_str(), value), expected);
        }
    }
}
