//! Sizes and speeds in the words of reports.

use facts::Quantity;

/// `58.2 GB`: units of 1024, one decimal, as the bash program printed.
pub(crate) fn size_name(bytes: u64) -> String {
    const UNITS: &[&str] = &["B", "KB", "MB", "GB", "TB", "PB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let text = format!("{value:.1}");
    format!("{}{}", text.strip_suffix(".0").unwrap_or(&text), UNITS[unit])
}

/// `8GT/s` of 8000 MT/s.
pub(crate) fn gigatransfers(rate_mt: u32) -> String {
    Quantity::MegatransfersPerS(rate_mt).to_string()
}

/// `480Mbps`, `5Gbps`.
pub(crate) fn speed_name(mbit_per_s: u32) -> String {
    Quantity::MbitPerS(mbit_per_s).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_speeds_have_short_names() {
        for (bytes, expected) in [(0, "0B"), (1 << 20, "1MB"), (62_537_072_640, "58.2GB"), (u64::MAX, "16384PB")] {
            assert_eq!(size_name(bytes), expected);
        }
        assert_eq!((speed_name(480), speed_name(5000)), ("480Mbps".into(), "5Gbps".into()));
        assert_eq!(gigatransfers(2500), "2.5GT/s");
    }
}
