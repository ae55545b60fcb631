//! Small parsers for all sections: numbers with units, CPU ranges, dates.
//!
//! All return `None` for text that they do not understand; none guesses.

use jiff::civil::Date;

/// Parses `1397.027` (MHz) to kHz. A comma counts as decimal point. Negative values and values above 1 THz are
/// rejected.
pub(super) fn mhz_to_khz(text: &str) -> Option<u32> {
    let mhz = decimal(text)?;
    (0.0..=1_000_000.0).contains(&mhz).then(|| (mhz * 1000.0).round() as u32)
}

/// Parses a decimal number with a point or a comma.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    if !text.bytes().next()?.is_ascii_digit() && !text.starts_with(['-', '+', '.']) {
        return None;
    }
    let number: f64 = match text.find(',') {
        None => text.parse().ok()?,
        Some(_) => text.replacen(',', ".", 1).parse().ok()?,
    };
    number.is_finite().then_some(number)
}

/// Index of the first of these starts that a text has. Called for every line: it compares the first byte before the rest.
pub(super) fn start_of(text: &str, starts: &[&str]) -> Option<usize> {
    let first = text.as_bytes().first()?;
    starts.iter().position(|start| start.as_bytes().first() == Some(first) && text.starts_with(start))
}

/// Splits the unsigned number at the start of a text from the rest.
pub(super) fn leading_number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(|byte| byte.is_ascii_digit()).count();
    Some((text.get(..digits)?.parse().ok()?, &text[digits..]))
}

/// Parses a size as printed by `free -h` (`5.8Gi`, `283M`, `0B`, `2,9G`) to KiB. Every unit is a power of 1024, with
/// and without the `i`, as in procps.
pub(super) fn size_kib(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')).count();
    let value = decimal(text.get(..digits)?)?;
    let kib = match text[digits..].trim_end_matches(['i', 'B']) {
        "" if text.ends_with('B') => value / 1024.0,
        "K" | "k" => value,
        "M" => value * 1024.0,
        "G" => value * 1024.0 * 1024.0,
        "T" => value * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some(kib.round() as u64)
}

/// Maximum plausible CPU number. Also bounds the memory that damaged or hostile text can allocate.
pub(super) const CPU_MAX: u32 = 4095;

/// Parses CPU numbers: `0-3`, `4`, `0-3,6`, `cpu0-cpu3`, `cpu4`.
pub(super) fn cpu_ranges(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',') {
        let ends: Vec<&str> = part.split('-').map(|end| end.trim()).collect();
        let ends: Vec<&str> = ends.iter().map(|end| end.strip_prefix("cpu").unwrap_or(end)).collect();
        let range = record::parse_cpu_range(&ends.join("-")).filter(|range| *range.end() <= CPU_MAX)?;
        cpus.extend(range);
        if cpus.len() > CPU_MAX as usize {
            return None;
        }
    }
    Some(cpus)
}

/// Text in the last pair of parentheses of a heading: the core type in `... on cpu0 (Cortex-A55):`.
pub(super) fn trailing_parenthesis(text: &str) -> Option<&str> {
    let text = text.trim_end().trim_end_matches(':').strip_suffix(')')?;
    let open = text.find(" (")?;
    Some(text[open + 2..].trim())
}

/// Parses `14:32:16` to milliseconds since midnight.
pub(super) fn time_of_day_ms(text: &str) -> Option<i64> {
    let mut parts = text.trim().splitn(3, ':');
    let mut part = |limit: i64| {
        let value: i64 = parts.next()?.parse().ok()?;
        (0..limit).contains(&value).then_some(value)
    };
    let (hours, minutes, seconds) = (part(24)?, part(60)?, part(61)?);
    Some(((hours * 60 + minutes) * 60 + seconds) * 1000)
}

/// Parses `Sun, 29 Jul 2018 12:34:58 +0000` to milliseconds since 1970 and the offset in minutes. The weekday is not
/// checked: clocks of boards without battery are often wrong.
pub(super) fn rfc2822(text: &str) -> Option<(i64, i32)> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = text.trim();
    let text = text.split_once(", ").map_or(text, |(_, date)| date);
    let mut words = text.split_whitespace();
    let day: i8 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|known| *known == month)? as i8 + 1;
    let year: i16 = words.next()?.parse().ok()?;
    let time_ms = time_of_day_ms(words.next()?)?;
    let offset = offset_minutes(words.next()?)?;
    Some((day_ms(year, month, day)? + time_ms - i64::from(offset) * 60_000, offset))
}

/// Parses `2026-04-30 12:17:29` as UTC to milliseconds since 1970.
pub(super) fn local_ms(text: &str) -> Option<i64> {
    let (date, time) = text.trim().split_once(' ')?;
    let mut parts = date.splitn(3, '-');
    let year: i16 = parts.next()?.parse().ok()?;
    let month: i8 = parts.next()?.parse().ok()?;
    let day: i8 = parts.next()?.parse().ok()?;
    Some(day_ms(year, month, day)? + time_of_day_ms(time)?)
}

fn day_ms(year: i16, month: i8, day: i8) -> Option<i64> {
    const EPOCH: Date = Date::constant(1970, 1, 1);
    Some(Date::new(year, month, day).ok()?.duration_since(EPOCH).as_secs() * 1000)
}

fn offset_minutes(text: &str) -> Option<i32> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+')?),
    };
    if digits.len() != 4 || !digits.is_ascii() {
        return None;
    }
    let hours: i32 = digits[..2].parse().ok()?;
    let minutes: i32 = digits[2..].parse().ok()?;
    (hours < 15 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_free() {
        for (text, kib) in [
            ("5.8Gi", Some(6_081_741)),
            ("283Mi", Some(289_792)),
            ("0B", Some(0)),
            ("2,9G", Some(3_040_870)),
            ("584Ki", Some(584)),
            ("12", None),
            ("", None),
            ("Gi", None),
        ] {
            assert_eq!(size_kib(text), kib, "{text}");
        }
    }

    #[test]
    fn ranges_of_cpus() {
        for (text, cpus) in [
            ("0-3", Some(vec![0, 1, 2, 3])),
            ("cpu4-cpu5", Some(vec![4, 5])),
            ("cpu7", Some(vec![7])),
            ("0,2-3", Some(vec![0, 2, 3])),
            ("3-0", None),
            ("0-99999999", None),
            ("x", None),
        ] {
            assert_eq!(cpu_ranges(text), cpus, "{text}");
        }
    }

    #[test]
    fn dates() {
        let (ms, offset) = rfc2822("Sun, 29 Jul 2018 12:34:58 +0200").unwrap();
        assert_eq!((ms, offset), (1_532_860_498_000, 120));
        assert_eq!(rfc2822("Sun, 31 Feb 2018 12:34:58 +0200"), None);
        assert_eq!(local_ms("1970-01-02 00:00:01"), Some(86_401_000));
        assert_eq!(local_ms("1970-13-02 00:00:01"), None);
    }

    #[test]
    fn core_types_in_headings() {
        assert_eq!(trailing_parenthesis("Executing benchmark on cpu0 (Cortex-A55):"), Some("Cortex-A55"));
        assert_eq!(trailing_parenthesis("Executing benchmark on cpu0:"), None);
    }
}
