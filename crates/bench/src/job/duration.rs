//! A length of time as people write it: on the command line and in definitions. How one is shown is a
//! matter of reports.

use std::time::Duration;

/// Seconds, or a number with its unit: `90`, `500ms`, `90s`, `10min`, `2h`.
///
/// # Errors
/// One sentence about what it may be.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let scale_s = match unit.trim() {
        "" | "s" => Some(1.0),
        "ms" => Some(0.001),
        "m" | "min" => Some(60.0),
        "h" => Some(3600.0),
        _ => None,
    };
    let seconds = digits.parse::<f64>().ok().zip(scale_s);
    seconds
        .map(|(number, scale_s)| number * scale_s)
        .filter(|seconds| (0.001..=31_536_000.0).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("a time is a number with its unit such as 90s or 10min, not {text:?}"))
}
