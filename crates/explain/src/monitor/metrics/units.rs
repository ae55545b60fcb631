//! Values and names in base units, as metrics want them: seconds, bytes, hertz, volts.

use record::Unit;

/// A value in the base unit. Divided instead of multiplied, so that 0.1 stays 0.1.
pub(super) fn in_base_unit(value: i64, unit: &Unit) -> f64 {
    let value = value as f64;
    match unit {
        Unit::Nanoseconds => value / 1e9,
        Unit::Microseconds | Unit::Microvolts | Unit::Microwatts | Unit::Microjoules => value / 1e6,
        Unit::Milliseconds | Unit::Millicelsius | Unit::Millivolts | Unit::Milliamperes | Unit::Milliwatts => {
            value / 1e3
        }
        Unit::Hundredths | Unit::Ticks | Unit::Percent => value / 1e2,
        Unit::Kilohertz => value * 1e3,
        Unit::Kibibytes => value * 1024.0,
        _ => value,
    }
}

/// The base unit as the end of a name.
pub(super) fn base_unit(unit: &Unit) -> &'static str {
    match unit {
        Unit::Nanoseconds | Unit::Microseconds | Unit::Milliseconds | Unit::Ticks => "seconds",
        Unit::Kilohertz | Unit::Hertz => "hertz",
        Unit::Millicelsius => "celsius",
        Unit::Millivolts | Unit::Microvolts => "volts",
        Unit::Milliamperes => "amperes",
        Unit::Milliwatts | Unit::Microwatts => "watts",
        Unit::Microjoules => "joules",
        Unit::Kibibytes => "bytes",
        Unit::Percent => "ratio",
        Unit::Pages => "pages",
        Unit::Bits => "bits",
        _ => "count",
    }
}
