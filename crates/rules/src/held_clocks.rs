//! Pairs of actual and expected clocks in the values of findings. Not a rule itself.

use facts::{Finding, Quantity};

/// Names of the two clocks among the values of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockPair {
    /// Measured clock and the clock claimed by the kernel.
    Claim,
    /// Clock permitted by a setting and the highest clock.
    Setting,
    /// Measured clock under load and cold.
    Load,
}

/// Clocks of some CPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldClock<'a> {
    /// The CPUs.
    pub cpus: &'a [u32],
    /// Ratio of actual to expected clock, at most 1.
    pub kept: f64,
    /// True if the ratio applies to every clock; false if only clocks above the actual one are reduced.
    pub is_factor: bool,
}

impl ClockPair {
    /// Clocks that a finding names, if any.
    pub fn of(self, finding: &Finding) -> Option<HeldClock<'_>> {
        let (low, high) = match self {
            Self::Claim => ("measured", "claimed"),
            Self::Setting => ("clock", "top"),
            Self::Load => ("hot", "cold"),
        };
        let khz = |name| match finding.value(name) {
            Some(Quantity::Khz(khz)) if *khz > 0 => Some(f64::from(*khz)),
            _ => None,
        };
        let Some(Quantity::Cpus(cpus)) = finding.value("cpus") else { return None };
        let is_factor = finding.value("factor").is_some();
        Some(HeldClock { cpus, kept: (khz(low)? / khz(high)?).min(1.0), is_factor })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::Severity;
    use record::RuleId;

    #[test]
    fn pairs_are_found_by_their_names() {
        let finding = Finding::new(RuleId::own("x"), Severity::Degraded, "So.")
            .with("cpus", Quantity::Cpus(vec![4, 5]))
            .with("clock", Quantity::Khz(900_000))
            .with("top", Quantity::Khz(1_800_000));
        assert_eq!(ClockPair::Setting.of(&finding), Some(HeldClock { cpus: &[4, 5], kept: 0.5, is_factor: false }));
        assert_eq!(ClockPair::Claim.of(&finding), None);
    }
}
