//! Output line of the program: number of calls, and the monotonic clock before and after them, in octal digits.

use crate::libc_loop::{WORDS_PRINTED, digits};

/// Result of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Number of calls.
    pub calls: u64,
    /// Total time of all calls in nanoseconds.
    pub elapsed_ns: u64,
}

/// Maximum plausible time, in seconds; a single call does not take longer.
const ELAPSED_S_MAX: u64 = 3600;
/// Maximum plausible number of calls in that time.
const CALLS_MAX: u64 = 1 << 40;

/// Parses the output of the program. Other lines, such as messages of the loader, are ignored.
///
/// # Errors
/// The line is missing or implausible. The text is a predicate without its full stop, whose subject is the program.
pub fn parse_line(text: &str) -> Result<Timing, String> {
    let mut lines = text.lines().filter_map(words);
    let Some([calls, begin_s, begin_ns, end_s, end_ns]) = lines.next() else {
        return Err("printed no times".into());
    };
    if lines.next().is_some() {
        return Err("printed its times twice".into());
    }
    let ns = |s: u64, ns: u64| s.checked_mul(1_000_000_000)?.checked_add((ns < 1_000_000_000).then_some(ns)?);
    let elapsed_ns = ns(end_s, end_ns).zip(ns(begin_s, begin_ns)).and_then(|(end, begin)| end.checked_sub(begin));
    // The sum of doubling numbers is one less than a power of two: 1, 3, 7 and so on.
    let is_possible = (1..CALLS_MAX).contains(&calls) && (calls + 1).is_power_of_two();
    match elapsed_ns {
        Some(elapsed_ns @ 1..) if is_possible && elapsed_ns < ELAPSED_S_MAX * 1_000_000_000 => {
            Ok(Timing { calls, elapsed_ns })
        }
        _ => Err(format!("reported {calls} calls between {begin_s} s {begin_ns} ns and {end_s} s {end_ns} ns")),
    }
}

/// Words of a line with the right number of words and digits.
fn words(line: &str) -> Option<[u64; WORDS_PRINTED]> {
    let mut values = [0; WORDS_PRINTED];
    let mut words = line.split(' ');
    for value in &mut values {
        let word = words.next()?;
        let is_whole = [digits(4), digits(8)].contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
        *value = is_whole.then(|| u64::from_str_radix(word, 8).ok()).flatten()?;
    }
    words.next().is_none().then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(words: [u64; WORDS_PRINTED], digits: usize) -> String {
        let words = words.map(|word| format!("{word:0digits$o}"));
        words.join(" ") + "\n"
    }

    #[test]
    fn times_are_read_in_words_of_both_lengths() {
        let expected = Timing { calls: 7, elapsed_ns: 1_100_000_000 };
        for digits in [11, 22] {
            let text = line([7, 100, 900_000_000, 102, 0], digits);
            assert_eq!(parse_line(&text), Ok(expected));
            assert_eq!(parse_line(&format!("ld.so: a remark\n{text}")), Ok(expected));
        }
    }

    #[test]
    fn impossible_lines_are_refused() {
        let check = |words, expected: &str| {
            let why = parse_line(&line(words, 22)).unwrap_err();
            assert!(why.contains(expected), "{why}");
        };
        check([0, 1, 0, 2, 0], "reported 0 calls");
        check([2, 1, 0, 2, 0], "reported 2 calls between 1 s 0 ns and 2 s 0 ns");
        check([u64::MAX, 1, 0, 2, 0], "reported 18446744073709551615 calls");
        check([1, 2, 0, 1, 0], "calls between 2 s");
        check([1, 1, 0, 1, 0], "reported 1 calls");
        check([1, 1, 1_000_000_000, 9, 0], "reported");
        check([1, 1, 0, u64::MAX, 0], "reported");
        check([1, 1, 0, 3601, 0], "reported");
        let good = line([1, 1, 0, 2, 0], 22);
        for text in ["", "1 1 0 2 0\n", &good.replace('1', "9"), &good.replace(' ', "  "), good.trim_end_matches("0\n")]
        {
            assert_eq!(parse_line(text), Err("printed no times".into()), "{text}");
        }
        assert_eq!(parse_line(&good.repeat(2)), Err("printed its times twice".into()));
    }

    proptest! {
        #[test]
        fn any_words_are_read(words in any::<[u64; WORDS_PRINTED]>(), text in "(\\PC|[0-7 \\n]){0,200}") {
            let _ = parse_line(&text);
            if let Ok(timed) = parse_line(&line(words, 22)) {
                prop_assert!(timed.calls > 0 && timed.elapsed_ns > 0);
            }
        }
    }
}
