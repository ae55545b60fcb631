//! Formats numbers of figures with the same digits everywhere.

/// Units with a fixed number of decimals, as printed by tools and logs.
const DECIMALS: [(&str, usize); 7] =
    [("MIPS", 0), ("MB/s", 0), ("kB/s", 0), ("MHz", 0), ("ns", 1), ("°C", 1), ("kH/s", 2)];

/// Number of a figure with this unit. Other units have four significant digits, and none after the decimal point from
/// 1000 on; halves round up. A single digit gets decimals too: 1.4 MB/s is not 1 MB/s.
pub fn number(value: f64, unit: &str) -> String {
    let known = DECIMALS.iter().find(|(known, _)| *known == unit).map(|(_, decimals)| *decimals);
    let decimals = match (known, value.abs()) {
        (Some(0), size) if size >= 9.5 || size == 0.0 => return format!("{}", value.round()),
        (Some(decimals), _) if decimals > 0 => decimals,
        (_, size) if size >= 1000.0 => return format!("{}", value.round()),
        (_, size) if size >= 10.0 => 1,
        (_, size) if size >= 1.0 || size == 0.0 => 2,
        // 0.053 s and 0.063 s must not become 0.05 s and 0.06 s.
        (_, size) => (2 - size.log10().floor() as i32).clamp(2, 9) as usize,
    };
    format!("{value:.decimals$}")
}

/// The number with its unit: `8.90 kH/s`.
pub fn with_unit(value: f64, unit: &str) -> String {
    format!("{} {unit}", number(value, unit)).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_unit_and_size() {
        for (value, unit, expected) in [
            (133_828.5, "MIPS", "133829 MIPS"),
            (977.4, "MIPS", "977 MIPS"),
            (9.6, "MB/s", "10 MB/s"),
            (1.372, "MB/s", "1.37 MB/s"),
            (0.0, "MB/s", "0 MB/s"),
            (8.9, "kH/s", "8.90 kH/s"),
            (118.571, "kH/s", "118.57 kH/s"),
            (1118.571, "kH/s", "1118.57 kH/s"),
            (343.64, "ns", "343.6 ns"),
            (99.996, "ns", "100.0 ns"),
            (0.053_14, "s", "0.0531 s"),
            (0.999_96, "s", "1.000 s"),
            (8.263, "s", "8.26 s"),
            (12.345, "s", "12.3 s"),
            (1234.5, "s", "1235 s"),
            (3.0, "", "3.00"),
            (0.0, "s", "0.00 s"),
        ] {
            assert_eq!(with_unit(value, unit), expected);
        }
        assert!(!number(f64::MAX, "kH/s").is_empty() && number(f64::NAN, "s") == "NaN");
    }
}
