//! The one summary line, in the column order that lists of results have used for years.
//!
//! `| device | clock | kernel | distribution arch | 7-zip multi | 7-zip single | aes-256 | memcpy |
//! memset | kH/s |`. What was not measured is `-`.

use facts::figures::main::{
    cipher_kb_per_s, memory_mb_per_s, or_dash, series_median, sevenzip_multi_mips, sevenzip_single_mips, tens,
};
use facts::plain::is_obeyed;
use facts::{Explanation, Facts};
use record::{MemoryOperation, Record, Variant, WorkloadId};

/// A measured clock this far from the advertised one is shown instead of it.
const CLAIM_TOLERANCE: f64 = 0.02;

/// Summary line without a newline; `None` if no score was measured. An emulated CPU is marked.
pub fn line(facts: &Facts<'_>, explained: &Explanation) -> Option<String> {
    let columns = columns(facts, explained);
    says_something(facts, &columns[COLUMNS_OF_MACHINE..]).then(|| format!("| {} |", columns.join(" | ")))
}

/// Number of columns before the scores.
const COLUMNS_OF_MACHINE: usize = 4;

/// Whether the summary line of this Record has a value.
pub fn has_line(facts: &Facts<'_>) -> bool {
    says_something(facts, &scores(facts))
}

fn says_something(record: &Record, scores: &[String]) -> bool {
    scores.iter().any(|score| score != "-") || record.machine.emulated_by().is_some()
}

/// Its columns, without anything that could end a cell or a line.
pub(super) fn columns(facts: &Facts<'_>, explained: &Explanation) -> [String; 10] {
    let machine = &facts.machine;
    let name = facts::machine_name(machine);
    let of_machine = [
        or_dash(name),
        clock(facts, explained),
        or_dash(machine.kernel_release.known().map(|release| major_minor(release))),
        system(facts),
    ];
    let mut cells = of_machine.into_iter().chain(scores(facts));
    std::array::from_fn(|_| cells.next().map_or_else(String::new, |cell| one_line(&cell)))
}

fn scores(facts: &Facts<'_>) -> [String; 6] {
    let figures = facts.figures();
    [
        or_dash(sevenzip_multi_mips(facts, figures).map(|mips| tens(mips.into()))),
        or_dash(sevenzip_single_mips(figures)),
        or_dash(cipher_kb_per_s(figures, &Variant::AES_256_CBC).map(tens)),
        or_dash(memory_mb_per_s(facts, figures, MemoryOperation::Copy).map(tens)),
        or_dash(memory_mb_per_s(facts, figures, MemoryOperation::Fill).map(tens)),
        or_dash(series_median(figures, WorkloadId::Cpuminer).map(|rate| format!("{rate:.2}"))),
    ]
}

/// Pipes and line breaks in any text would shift the columns.
fn one_line(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c == '|' || is_obeyed(c) { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn major_minor(release: &str) -> String {
    let end = release.match_indices('.').nth(1).map_or(release.len(), |(at, _)| at);
    release[..end].split('-').next().unwrap_or(release).to_owned()
}

fn system(record: &Record) -> String {
    let machine = &record.machine;
    let distribution = or_dash(machine.distribution.known());
    let userland = machine.userland_arch.known().cloned();
    let kernel = machine.kernel_arch.known().map(|arch| debian_arch(arch).to_owned());
    let arch = match (kernel, userland) {
        (Some(kernel), Some(userland)) if kernel != userland => format!("{kernel}/{userland}"),
        (kernel, userland) => or_dash(userland.or(kernel)),
    };
    format!("{distribution} {arch}")
}

/// `uname -m` in the words of Debian's ports.
fn debian_arch(machine: &str) -> &str {
    match machine {
        "aarch64" => "arm64",
        "armv7l" | "armv8l" => "armhf",
        "x86_64" => "amd64",
        "i686" => "i386",
        other => other,
    }
}

/// Claimed clocks where measurement agrees, else the measured ones with a tilde.
fn clock(facts: &Facts<'_>, explained: &Explanation) -> String {
    if facts.machine.emulated_by().is_some() {
        return "emulated".to_owned();
    }
    let mut claimed: Vec<u32> = Vec::new();
    let mut measured: Vec<u32> = Vec::new();
    for clock in facts.cluster_clocks(&Variant::COLD) {
        claimed.extend(clock.claimed_khz);
        measured.push(clock.measured_khz);
    }
    let agree = !claimed.is_empty()
        && claimed.len() == measured.len()
        && claimed
            .iter()
            .zip(&measured)
            .all(|(claimed, measured)| (f64::from(*measured) / f64::from(*claimed) - 1.0).abs() <= CLAIM_TOLERANCE);
    let shown = if agree || measured.is_empty() { &claimed } else { &measured };
    let mhz = |khz: &u32| facts::finding::mhz(*khz);
    let text = match (shown.iter().max(), shown.iter().min()) {
        (Some(max), Some(min)) if mhz(max) == mhz(min) => format!("{} MHz", mhz(max)),
        (Some(max), Some(min)) => format!("{}/{} MHz", mhz(max), mhz(min)),
        _ => return "-".to_owned(),
    };
    let tilde = if agree || measured.is_empty() { "" } else { "~" };
    let throttled = explained.harms_main(|finding| rules::throttles(finding).is_of_the_clock());
    format!("{tilde}{text}{}", if throttled { " (throttled)" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_release_is_shortened() {
        for (release, expected) in
            [("6.6.31+rpt-rpi-v8", "6.6"), ("5.15.147", "5.15"), ("6.18", "6.18"), ("7.0-rc1", "7.0"), ("odd", "odd")]
        {
            assert_eq!(major_minor(release), expected);
        }
    }

    #[test]
    fn name_cannot_shift_the_columns() {
        assert_eq!(one_line("Evil | board\nname  x"), "Evil board name x");
    }
}
