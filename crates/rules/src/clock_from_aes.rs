//! Rule: clock-from-aes. Derives the clock from the throughput of AES instructions if no clock was measured.
//!
//! Cores with AES instructions encrypt a constant number of bytes per cycle with large blocks in the cache, so other
//! results with the same core type give the clock. It is marked as derived.

use super::Rule;
use compare::reference::{Reference, Row};
use facts::figures::FigureKey;
use facts::stats::median;
use facts::{Facts, Figure, Finding, Quantity, Severity};
use record::{RuleId, Variant, WorkloadId};

pub(super) const RULE: Rule = Rule::new(RuleId::own("clock-from-aes"), check);

/// Minimum number of other results.
const ROWS_MIN: usize = 3;
/// Maximum distance of their ratios for a core type with a constant one.
const SPREAD_MAX: f64 = 0.08;
/// Ratio in kB/s per MHz from which a core has AES instructions: 16 bytes in 50 cycles.
const RATIO_MIN: f64 = 320.0;
/// Block size of the throughput.
const BLOCK_BYTES: &str = "16384";

fn is_aes(key: &FigureKey) -> bool {
    key.is_of(WorkloadId::OpenSsl) && key.is_form(&Variant::from("aes-256-cbc")) && key.name() == BLOCK_BYTES
}

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let figures = facts.known_figures();
    let has_clock = figures.iter().any(|figure| figure.key.is_of(WorkloadId::Clock));
    if has_clock {
        return Vec::new();
    }
    figures.iter().filter(|figure| is_aes(&figure.key)).filter_map(finding).collect()
}

fn finding(figure: &Figure) -> Option<Finding> {
    let core_type = figure.core.as_ref()?.core_type.as_ref()?;
    let ratios: Vec<f64> = Reference::builtin().rows().flat_map(|row| ratios(row, core_type)).collect();
    let usual = median(&ratios).filter(|ratio| ratios.len() >= ROWS_MIN && *ratio >= RATIO_MIN)?;
    let near: Vec<f64> = ratios.into_iter().filter(|ratio| (ratio / usual - 1.0).abs() <= SPREAD_MAX).collect();
    let lowest = near.iter().copied().fold(usual, f64::min);
    let highest = near.iter().copied().fold(usual, f64::max);
    let mhz = |ratio: f64| Quantity::Khz((figure.value / ratio * 1000.0).round() as u32);
    Some(
        Finding::new(
            RULE.id,
            Severity::Info,
            "No clock was measured. AES-256 of {core_type} with {rate} means about {clock} (derived; {low} to {high} by \
             {results} other results).",
        )
        .confidence(75)
        .with("core_type", Quantity::Text(core_type.clone()))
        .with("rate", Quantity::Score(figure.value, figure.unit.clone()))
        .with("clock", mhz(usual))
        .with("low", mhz(highest))
        .with("high", mhz(lowest))
        .with("results", Quantity::Count(near.len() as i64)),
    )
}

/// AES throughput per clock of the clusters of a row with this core type.
fn ratios<'a>(row: &'a Row, core_type: &'a str) -> impl Iterator<Item = f64> + 'a {
    let of = |is_wanted: fn(&FigureKey) -> bool, cluster: usize| {
        let figures = row.figures.iter().filter(move |(key, _)| is_wanted(key)).flat_map(|(_, figures)| figures);
        figures
            .filter(move |figure| figure.cluster == Some(cluster) && figure.sound)
            .map(|figure| figure.value)
            .next_back()
    };
    let clusters = row.cores.iter().enumerate();
    clusters.filter(move |(_, core)| core.core_type.as_deref() == Some(core_type)).filter_map(move |(cluster, _)| {
        let clock = of(|key| key.is_of(WorkloadId::Clock) && key.name() == Variant::COLD.as_str(), cluster)?;
        let aes = of(is_aes, cluster)?;
        Some(aes / clock)
    })
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::sentences;

    #[test]
    fn console_output_has_no_clock() {
        let text = |core: &str, rate: &str| {
            format!(
                "OpenSSL results:\ntype  16 bytes 64 bytes 256 bytes 1024 bytes 8192 bytes 16384 bytes\n\
                 aes-256-cbc 1.00k 2.00k 3.00k 4.00k 5.00k {rate}k ({core})\n"
            )
        };
        let found = sentences(RULE.id, &logs::read(&text("Cortex-A76", "1337540.00")));
        assert!(
            found[0].starts_with("No clock was measured. AES-256 of Cortex-A76 with 1337540 kB/s means about 23"),
            "{found:?}"
        );
        assert_eq!(sentences(RULE.id, &logs::read(&text("Cortex-A99", "1337540.00"))), [""; 0]);
    }
}
