//! Throttling in the log: time at every OPP, health bits of the Raspberry Pi.
//!
//! The tables list the highest OPP first; time at that OPP is not throttled. The legend below the bits is wrong in
//! several versions; bits count from the right.

use super::draft::Draft;
use super::sections::{Line, Section};
use super::text;
use record::Residency;

/// Maximum plausible number of tables; logs have one per policy.
const TABLES_MAX: usize = 512;

/// Reads `Throttling statistics (time spent on each cpufreq OPP) for CPUs 4-7 (Cortex-A55):` with `1800 MHz: 1062.88
/// sec`, in 0.4 `1800 MHz: 86780` (milliseconds).
pub(super) fn read_statistics(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading();
    draft.verdict(&heading, heading.text.trim().trim_end_matches(':'));
    let cpus = heading.text.split_once("for CPUs ").and_then(|(_, rest)| {
        let end = rest.find([' ', ':']).unwrap_or(rest.len());
        text::cpu_ranges(&rest[..end])
    });
    let mut khz_ms = Vec::new();
    for line in section.body().iter().filter(|line| !line.is_blank()) {
        match residency(line) {
            Some(row) => khz_ms.push(row),
            None => draft.unread(line),
        }
    }
    if !khz_ms.is_empty() && draft.residencies.len() < TABLES_MAX {
        let residency = Residency { cpus: cpus.unwrap_or_default(), khz_ms };
        draft.residencies.push((heading.number, residency));
    }
}

fn residency(line: &Line<'_>) -> Option<(u32, u64)> {
    let (mhz, time) = line.text.trim().split_once("MHz:")?;
    let khz = mhz.trim().parse::<u32>().ok()?.checked_mul(1000)?;
    let time = time.trim();
    let ms = match time.strip_suffix("sec") {
        Some(seconds) => text::decimal(seconds)? * 1000.0,
        None => time.parse::<u64>().ok()? as f64,
    };
    // A residency of a hundred years is implausible.
    (0.0..3.2e12).contains(&ms).then_some((khz, ms.round() as u64))
}

/// Reads `Querying ThreadX on RPi for thermal or undervoltage issues:` with a row of bits.
pub(super) fn read_firmware_bits(section: &Section<'_, '_>, draft: &mut Draft) {
    let bits = section.body().iter().find(|line| !line.is_blank());
    draft.block("firmware-bits", section);
    let Some(line) = bits else { return };
    match u32::from_str_radix(line.text.trim(), 2) {
        Ok(bits) => draft.firmware_bits = Some((line.number, bits)),
        Err(_) => draft.unread(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_seconds_and_milliseconds() {
        for (text, expected) in [
            ("1800 MHz: 1062.88 sec", Some((1_800_000, 1_062_880))),
            (" 816 MHz:       0 sec", Some((816_000, 0))),
            ("1800 MHz:\t86780", Some((1_800_000, 86_780))),
            (" 200 MHz:         sec", None),
        ] {
            assert_eq!(residency(&Line { number: 1, text }), expected, "{text}");
        }
    }
}
