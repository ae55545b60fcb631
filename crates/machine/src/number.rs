//! Parsers of integers in bytes, for sensors and the firmware. They are pure and do not allocate.
//!
//! They are limited to the kernel's format: decimal numbers separated by blanks, one record per line.

/// Represents a missing value in a row of integers.
pub const NONE: i64 = i64::MIN;

/// Parses a single number, `45000\n`: the format of most files in `/sys`.
pub(crate) fn number(text: &[u8], values: &mut [i64]) {
    let Some((value, rest)) = take_number(text) else { return };
    if rest.iter().all(u8::is_ascii_whitespace) {
        values[0] = value;
    }
}

/// Parses numbers separated by blanks, one for each value; the rest of the text is ignored.
pub(crate) fn numbers(mut text: &[u8], values: &mut [i64]) {
    for value in values {
        let Some((number, rest)) = take_number(text) else { return };
        *value = number;
        text = rest;
    }
}

/// Parses lines `key value` in any order: one value for each key.
pub(crate) fn keyed(text: &[u8], keys: &[&str], values: &mut [i64]) {
    let begins = |line: &[u8], key: &str| {
        // Compares the first byte separately, because it differs in most lines and avoids a call.
        line.first() == key.as_bytes().first() && line.starts_with(key.as_bytes())
    };
    for line in lines(text) {
        let found = keys.iter().position(|key| begins(line, key));
        let Some(index) = found else { continue };
        let rest = &line[keys[index].len()..];
        // The key must end here: `swap` is a prefix of `swap_ra`.
        if rest.first().is_some_and(u8::is_ascii_whitespace)
            && let Some((value, _)) = take_number(rest)
            && let Some(out) = values.get_mut(index)
        {
            *out = value;
        }
    }
}

/// Lines of a text without line ends.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

/// Number at the beginning, after white space, and the rest of the text. `None` without a number, or if it overflows.
pub(crate) fn take_number(text: &[u8]) -> Option<(i64, &[u8])> {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        _ => (false, text),
    };
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 {
        return None;
    }
    let mut value: i64 = 0;
    for digit in &digits[..length] {
        value = value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
    }
    let value = if negative { -value } else { value };
    Some((value, &digits[length..]))
}

/// The value, unless it is [`NONE`].
pub fn known(value: i64) -> Option<i64> {
    (value != NONE).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensors::check::parsed;
    use proptest::prelude::*;

    #[test]
    fn number_stands_alone() {
        for (text, value) in [
            ("45000\n", 45000),
            (" -12 \n", -12),
            ("0", 0),
            ("", NONE),
            ("\n", NONE),
            ("-", NONE),
            ("12abc", NONE),
            ("1 2", NONE),
            ("<unsupported>", NONE),
            ("9223372036854775807", i64::MAX),
            ("18446744073709551615", NONE),
        ] {
            assert_eq!(parsed(number, text, 1), [value], "{text:?}");
        }
    }

    #[test]
    fn keys_are_whole_words() {
        let read = |text: &[u8], values: &mut [i64]| keyed(text, &["swap", "oom_kill"], values);
        let mut values = [NONE; 2];
        read(b"swap_ra 7\noom_kill 3\nswap 5\n", &mut values);
        assert_eq!(values, [5, 3]);
    }

    proptest! {
        #[test]
        fn every_number_is_read_back(value in -i64::MAX..=i64::MAX) {
            prop_assert_eq!(parsed(number, &format!("{value}\n"), 1), [value]);
        }

        #[test]
        fn parsers_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut values = [NONE; 3];
            number(&bytes, &mut values);
            numbers(&bytes, &mut values);
            keyed(&bytes, &["a", "1"], &mut values);
        }
    }
}
