//! CPU lists: parsed and formatted as in the kernel, and in words.

use std::ops::RangeInclusive;

/// Maximum number of CPUs of Linux (NR_CPUS is at most 8192); lists with larger numbers are invalid.
pub const CPUS_MAX: u32 = 8192;

/// Parses a CPU list in the kernel's format: `0-3,8` or `0 1 2 3`. `None` if it is invalid.
pub fn parse_cpu_list(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    let separators = |c: char| c == ',' || c.is_whitespace() || c == '\0';
    for part in text.split(separators).filter(|part| !part.is_empty()) {
        cpus.extend(parse_cpu_range(part)?);
        // Limits memory for lists that repeat CPUs.
        if cpus.len() > 8 * CPUS_MAX as usize {
            cpus.sort_unstable();
            cpus.dedup();
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    Some(cpus)
}

/// Parses one element of a list: `3` or `0-3`.
pub fn parse_cpu_range(text: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
    (first <= last && last < CPUS_MAX).then_some(first..=last)
}

/// Formats CPU numbers like the kernel: `0-3,6`.
pub fn cpu_list(cpus: &[u32]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = cpus;
    while let [first, ..] = rest {
        let run = rest.iter().zip(*first..=u32::MAX).take_while(|(cpu, expected)| *cpu == expected).count();
        let last = rest[run - 1];
        parts.push(if run == 1 { first.to_string() } else { format!("{first}-{last}") });
        rest = &rest[run..];
    }
    parts.join(",")
}

/// Formats CPU numbers for a sentence: `CPU 7`, `CPUs 0-3,6`.
pub fn cpu_words(cpus: &[u32]) -> String {
    let plural = if cpus.len() == 1 { "" } else { "s" };
    format!("CPU{plural} {}", cpu_list(cpus))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus() {
        for (text, cpus) in [
            ("0-3,8", Some(vec![0, 1, 2, 3, 8])),
            ("0 1 2 3 \n", Some(vec![0, 1, 2, 3])),
            ("127-129", Some(vec![127, 128, 129])),
            ("\n", Some(vec![])),
            ("0-4294967295", None),
            ("3-1", None),
            ("0-", None),
            ("нет", None),
        ] {
            assert_eq!(parse_cpu_list(text), cpus, "{text}");
        }
    }

    #[test]
    fn cpu_lists_are_written_as_the_kernel_does() {
        for (cpus, expected) in [
            (&[][..], ""),
            (&[3], "3"),
            (&[0, 1, 2, 3], "0-3"),
            (&[0, 2, 3, 7], "0,2-3,7"),
            (&[u32::MAX - 1, u32::MAX, 0], "4294967294-4294967295,0"),
        ] {
            assert_eq!(cpu_list(cpus), expected);
        }
        assert_eq!(cpu_words(&[7]), "CPU 7");
        assert_eq!(cpu_words(&[0, 1]), "CPUs 0-1");
    }

    proptest::proptest! {
        #[test]
        fn any_list_is_parsed(text in "[0-9, \\-\n]{0,30}|\\PC{0,10}") {
            parse_cpu_list(&text);
        }
    }
}
