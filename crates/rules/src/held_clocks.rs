//! The clocks that findings name in their values: which one some CPUs had, and which they should have had. Not a rule
//! itself.

use facts::{Finding, Quantity};

/// Which values of a finding are the two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockPair {
    /// The measured clock and the one that the kernel claims.
    Claim,
    /// The clock that a setting left and the highest one.
    Setting,
    /// The measured clock under load and the cold one.
    Load,
}

/// Clocks of some CPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldClock<'a> {
    /// The CPUs.
    pub cpus: &'a [u32],
    /// What they had of the clock that they should have had, at most all of it.
    pub kept: f64,
    /// True if they had as much of any clock; false if clocks below what they had are not lowered.
    pub is_factor: bool,
}

impl ClockPair {
    /// The clocks that a finding names, if it does.
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
        let Some(Quantity::Cpus(cpus)) = finding.value("cpus") else {
            return None;
        };
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
