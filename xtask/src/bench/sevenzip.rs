//! Compares ratings of 7-zip 16.02 estimated from another version with measured ones. Both versions run in turns on this
//! machine, on one CPU and on all. The machine has to be idle.

use anyhow::{Context, Result, ensure};
use facts::Facts;
use facts::figures::equivalent::equivalents;
use record::{Record, Variant, WorkloadId};
use std::path::Path;
use std::process::Command;

/// Minimum share of measured values within their interval.
const INSIDE_SHARE_MIN: f64 = 0.9;
/// Maximum half-width of an interval, in percent.
const HALF_WIDTH_PERCENT_MAX: f64 = 8.0;

/// Paths of the compared programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Versions<'a> {
    /// 7-zip 16.02.
    pub(super) listed: &'a str,
    /// Another version.
    pub(super) other: &'a str,
}

/// An estimate and the measured value, in MIPS.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pair {
    low: f64,
    estimated: f64,
    high: f64,
    real: f64,
}

impl Pair {
    fn is_inside(&self) -> bool {
        self.low <= self.real && self.real <= self.high
    }

    fn half_width_percent(&self) -> f64 {
        100.0 * (self.high / self.estimated - 1.0).max(1.0 - self.low / self.estimated)
    }
}

pub(super) fn main(binary: &Path, versions: Versions<'_>, pairs: usize) -> Result<()> {
    for variant in [Variant::SINGLE, Variant::MULTI] {
        let mut all = Vec::new();
        for _ in 0..pairs {
            let pair = pair(binary, versions, &variant)?;
            let inside = if pair.is_inside() { "" } else { "   OUTSIDE" };
            println!(
                "  {variant:6} {:6.0} ({:.0} to {:.0}), 16.02 itself {:.0}{inside}",
                pair.estimated, pair.low, pair.high, pair.real
            );
            all.push(pair);
        }
        println!("{}", summary(&variant, &all));
    }
    Ok(())
}

fn summary(variant: &Variant, pairs: &[Pair]) -> String {
    let inside = pairs.iter().filter(|pair| pair.is_inside()).count();
    let width = pairs.iter().map(Pair::half_width_percent).fold(0.0, f64::max);
    let is_met = inside as f64 >= INSIDE_SHARE_MIN * pairs.len() as f64 && width <= HALF_WIDTH_PERCENT_MAX;
    let missed = if is_met { "" } else { "   MISSED" };
    format!(
        "{variant}: {inside} of {} inside, interval +-{width:.1} % (9 of 10 and {HALF_WIDTH_PERCENT_MAX} %){missed}",
        pairs.len()
    )
}

fn pair(binary: &Path, versions: Versions<'_>, variant: &Variant) -> Result<Pair> {
    let other = measured(binary, versions.other, variant)?;
    let listed = measured(binary, versions.listed, variant)?;
    let estimates = equivalents(&other, &Facts::of(&other).figures().clone());
    let estimated = estimates.iter().find(|figure| figure.is_main && figure.key.is_of(WorkloadId::SevenZip));
    let estimated = estimated.with_context(|| format!("no ratio is known for {}", versions.other))?;
    let estimate = estimated.estimate.as_ref().context("the first program is no 16.02, or both are")?;
    let real = Facts::of(&listed).figures().clone();
    let real = real.iter().find(|figure| figure.key == estimated.key).context("the first program is no 16.02")?;
    Ok(Pair { low: estimate.low, estimated: estimated.value, high: estimate.high, real: real.value })
}

/// Runs the workload with this program.
fn measured(binary: &Path, program: &str, variant: &Variant) -> Result<Record> {
    let mut command = Command::new(binary);
    command.args(["workload", WorkloadId::SevenZip.as_str(), variant.as_str(), "--json"]);
    let output = command.env("SEVENZIP", program).output().with_context(|| binary.display().to_string())?;
    // Accepts degraded and invalid runs, which are usual on a machine in use.
    ensure!(matches!(output.status.code(), Some(0 | 2 | 3)), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(record::from_json(&String::from_utf8(output.stdout)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_of_ten_in_a_narrow_interval() {
        let pair = |real: f64, apart: f64| Pair { low: 1000.0 / apart, estimated: 1000.0, high: 1000.0 * apart, real };
        let check = |pairs: &[Pair], expected: &str| assert_eq!(summary(&Variant::SINGLE, pairs), expected);
        check(&[pair(1010.0, 1.05)], "single: 1 of 1 inside, interval +-5.0 % (9 of 10 and 8 %)");
        check(&[pair(1080.0, 1.05)], "single: 0 of 1 inside, interval +-5.0 % (9 of 10 and 8 %)   MISSED");
        check(&[pair(1080.0, 1.1)], "single: 1 of 1 inside, interval +-10.0 % (9 of 10 and 8 %)   MISSED");
    }
}
