//! Parses durations of the command line and of definitions.

use std::time::Duration;

/// Maximum duration: one year.
const SECONDS_MAX: f64 = 31_536_000.0;

/// Seconds, a number with its unit, or hours, minutes and seconds: `90`, `500ms`, `90s`, `10min`, `2h`, `1:23:45`.
///
/// # Errors
/// One sentence about its allowed values.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let seconds = if text.contains(':') { clock_s(text) } else { with_unit_s(text) };
    seconds
        .filter(|seconds| (0.0..=SECONDS_MAX).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("a time must be a number with unit such as 90s, 10min or 1h, not {text:?}"))
}

/// As [`parse_time`], with a minimum of one millisecond.
///
/// # Errors
/// One sentence about its allowed values.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    match parse_time(text)? {
        time if time < Duration::from_millis(1) => Err(format!("a time of a millisecond at least, not {text:?}")),
        time => Ok(time),
    }
}

/// `2:05`, `1:23:45`.
fn clock_s(text: &str) -> Option<f64> {
    let parts = text.split(':').map(|part| with_unit_s(part).filter(|_| !part.ends_with(char::is_alphabetic)));
    parts.take(4).enumerate().try_fold(0.0, |seconds, (place, part)| (place < 3).then_some(seconds * 60.0 + part?))
}

fn with_unit_s(text: &str) -> Option<f64> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let scale_s = match unit.trim() {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Some(digits.parse::<f64>().ok()? * scale_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_one_way_everywhere() {
        for (text, seconds) in [
            ("0", 0.0),
            ("0s", 0.0),
            ("90", 90.0),
            ("1.5s", 1.5),
            ("500ms", 0.5),
            ("5m", 300.0),
            ("2min", 120.0),
            ("10 min", 600.0),
            ("1h", 3600.0),
            ("2:05", 125.0),
            ("1:00:01", 3601.0),
        ] {
            assert_eq!(parse_time(text).map(|time| time.as_secs_f64()), Ok(seconds), "{text}");
            assert_eq!(parse_duration(text).is_ok(), seconds > 0.0, "{text}");
        }
        for text in ["", "-5", "soon", "1e400", "5mm", "nan", "1:", ":1", "1:2:3:4", "1m:2", "9999999999h"] {
            assert!(parse_time(text).is_err() && parse_duration(text).is_err(), "{text}");
        }
    }
}
