//! Sensor: how many CPUs are online. Some boards switch cores off when they get too hot.

use super::parse::take_number;
use super::{NONE, Probe, Sensor, gauge};
use crate::Root;
use record::Unit;

pub(super) const SENSOR: Sensor = Sensor {
    id: "cpu-online",
    about: "Number of CPUs that are online.",
    kernel_doc: "https://docs.kernel.org/admin-guide/cputopology.html",
    discover,
};

const PATH: &str = "/sys/devices/system/cpu/online";

/// Switching a CPU takes tens of milliseconds, and no kernel does it often.
const BEAT_MS: u32 = 1000;

fn discover(root: &Root) -> Vec<Probe> {
    if root.read(PATH).is_err() {
        return Vec::new();
    }
    let channel = gauge("cpu.online", Unit::Count);
    vec![Probe::file(PATH.into(), parse, channel).at_most_every_ms(BEAT_MS)]
}

/// Counts the CPUs of a list such as `0-3,6`.
fn parse(text: &[u8], values: &mut [i64]) {
    values[0] = count(text).unwrap_or(NONE);
}

fn count(text: &[u8]) -> Option<i64> {
    let mut total = 0;
    for range in text.trim_ascii().split(|byte| *byte == b',') {
        let (first, rest) = take_number(range)?;
        let (last, rest) = match rest.strip_prefix(b"-") {
            Some(rest) => take_number(rest)?,
            None => (first, rest),
        };
        if !rest.is_empty() || first < 0 || last < first {
            return None;
        }
        total += last.checked_sub(first)? + 1;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::super::check::parsed;
    use super::*;

    #[test]
    fn lists_are_counted() {
        for (text, value) in [
            ("0-1\n", 2),
            ("0\n", 1),
            ("0-3,6\n", 5),
            ("0,2-3,5-7\n", 6),
            ("\n", NONE),
            ("3-1\n", NONE),
            ("0-\n", NONE),
            ("0-x\n", NONE),
        ] {
            assert_eq!(parsed(parse, text, 1), [value], "{text:?}");
        }
    }
}
