//! Numbers and words in cells of a given width, appended to a row.
//!
//! A monitor writes a row per second for days at minimal cost. After a second of sleep the caches are cold, so the
//! amount of code matters: this is less code than the formatting of the standard library.

/// Appends a number, with blanks before it up to `width`.
pub(super) fn number(out: &mut String, value: u64, width: usize) {
    let mut digits = [b' '; 24];
    let mut at = digits.len();
    let mut rest = value;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let first = at.min(digits.len() - width.min(digits.len()));
    digits[first..].iter().for_each(|digit| out.push(char::from(*digit)));
}

/// Appends a number of two digits.
pub(super) fn two_digits(out: &mut String, value: u64) {
    let digit = |value: u64| char::from(b'0' + (value % 10) as u8);
    out.push(digit(value / 10));
    out.push(digit(value));
}

/// Appends a word, with blanks before it up to `width`.
pub(super) fn right(out: &mut String, word: &str, width: usize) {
    blanks(out, width.saturating_sub(facts::lines::width(word)));
    out.push_str(word);
}

/// Appends a temperature as `79.3°C`, with blanks before it up to `width`.
pub(super) fn degrees(out: &mut String, millicelsius: i64, width: usize) {
    let tenths = millicelsius.unsigned_abs().saturating_add(50) / 100;
    let width = width.saturating_sub(".0°C".chars().count());
    if millicelsius < 0 && tenths > 0 {
        right(out, "-", width.saturating_sub(digits(tenths / 10)));
        number(out, tenths / 10, 0);
    } else {
        number(out, tenths / 10, width);
    }
    out.push('.');
    number(out, tenths % 10, 0);
    out.push_str("°C");
}

fn digits(value: u64) -> usize {
    value.checked_ilog10().map_or(1, |digits| digits as usize + 1)
}

/// Appends blanks until the ASCII text from `start` has this width.
pub(super) fn fill(out: &mut String, start: usize, width: usize) {
    blanks(out, (start + width).saturating_sub(out.len()));
}

fn blanks(out: &mut String, count: usize) {
    (0..count).for_each(|_| out.push(' '));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures() {
        for (millicelsius, expected) in [
            (79_300, "  79.3°C"),
            (0, "   0.0°C"),
            (-40, "   0.0°C"),
            (-7_000, "  -7.0°C"),
            (-12_345, " -12.3°C"),
            (99_960, " 100.0°C"),
            (123_456_789, "123456.8°C"),
        ] {
            let mut out = String::new();
            degrees(&mut out, millicelsius, 8);
            assert_eq!(out, expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn number_format_matches_std(value: u64, word in "[ -~]{0,9}", width in 0..20_usize) {
            let mut out = "x".to_owned();
            number(&mut out, value, width);
            right(&mut out, &word, width);
            two_digits(&mut out, value);
            let digits = value % 100;
            let expected = format!("x{value:>width$}{word:>width$}{digits:02}");
            proptest::prop_assert_eq!(out, expected);
        }

        #[test]
        fn cells_are_padded(word in "[a-z]{0,9}", width in 0..20_usize) {
            let mut out = format!("xy{word}");
            fill(&mut out, 2, width);
            proptest::prop_assert_eq!(out, format!("xy{word:<width$}"));
        }
    }
}
