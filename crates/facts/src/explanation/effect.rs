//! What a cause can do to a figure: mechanism and size, from `data/effects.tsv`. Whether it did is decided by the callers.

use super::{Cause, Elasticity, Limiter};
use record::table::Table;
use record::{WorkloadId, WorkloadName};

const TABLE: Table = Table::of(include_str!("../../../../data/effects.tsv"));

/// Effect of a cause on figures of one workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// Mechanism, in words.
    pub mechanism: &'static str,
    /// Size of its effect on the figure.
    pub size: Size,
}

/// Size of an effect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// The part of a clock that is lost to the power of the elasticity: by what lowers the clock, and what lowers it on x86.
    Elastic(Limiter, Limiter),
    /// No more than this, as a natural logarithm.
    AtMost(f64),
    /// All that is missing.
    All,
    /// Loss according to the ledger of the run.
    Ledger,
    /// Not known.
    Unknown,
}

impl Effect {
    /// Effect of this cause on figures of this workload; `None` if it cannot lower them.
    pub fn of(cause: Cause, workload: &WorkloadName) -> Option<Self> {
        let mut rows = TABLE.rows().filter(|row| row.get("cause") == cause.as_str());
        let row = rows.find(|row| row.get("figures").split(',').any(|kind| kind == kind_of(workload)))?;
        Some(Self { mechanism: row.get("mechanism"), size: Size::parse(row.get("size"))? })
    }

    /// What lowers the clock, if that is how the cause works.
    pub fn limiter(self, is_x86: bool) -> Option<Limiter> {
        match self.size {
            Size::Elastic(_, limiter) if is_x86 => Some(limiter),
            Size::Elastic(limiter, _) => Some(limiter),
            _ => None,
        }
    }

    /// Largest loss of a figure at this loss of clock or memory, both as natural logarithms.
    pub fn log_max(self, lost: f64, workload: &WorkloadName, is_single: bool) -> f64 {
        match self.size {
            Size::Elastic(limiter, _) => lost * Elasticity::of_score(workload, is_single, limiter).value,
            Size::AtMost(log) => log,
            Size::All => f64::INFINITY,
            Size::Ledger | Size::Unknown => 0.0,
        }
    }
}

impl Size {
    fn parse(text: &str) -> Option<Self> {
        Some(match text.split_whitespace().collect::<Vec<_>>()[..] {
            ["elasticity", limiter] => Self::Elastic(Limiter::parse(limiter)?, Limiter::parse(limiter)?),
            ["elasticity", limiter, on_x86] => Self::Elastic(Limiter::parse(limiter)?, Limiter::parse(on_x86)?),
            ["at", "most", log] => Self::AtMost(log.parse().ok()?),
            ["all"] => Self::All,
            ["ledger"] => Self::Ledger,
            ["-"] => Self::Unknown,
            _ => return None,
        })
    }
}

fn kind_of(workload: &WorkloadName) -> &'static str {
    match workload.id() {
        Some(WorkloadId::Clock) => "clock",
        Some(WorkloadId::MemoryLatency) => "latency",
        Some(WorkloadId::MemoryBandwidth) => "bandwidth",
        Some(WorkloadId::MemoryLibc) => "libc",
        Some(WorkloadId::MemoryLoaded | WorkloadId::MemoryScaling) => "loaded",
        Some(WorkloadId::SevenZip | WorkloadId::Lzma) => "compression",
        Some(WorkloadId::OpenSsl | WorkloadId::Aes) => "ciphers",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_cause_kinds_and_a_size() {
        let kinds = ["clock", "latency", "bandwidth", "libc", "loaded", "compression", "ciphers", "other"];
        let mut pairs = Vec::new();
        for row in TABLE.rows() {
            assert!(Cause::of(row.get("cause")).is_some(), "line {}", row.line_number());
            assert!(Size::parse(row.get("size")).is_some(), "line {}", row.line_number());
            for kind in row.get("figures").split(',') {
                assert!(kinds.contains(&kind), "line {}: {kind}", row.line_number());
                let pair = (row.get("cause"), kind);
                assert!(!pairs.contains(&pair), "line {}: {pair:?} again", row.line_number());
                pairs.push(pair);
            }
        }
    }

    #[test]
    fn cause_lowers_figures_by_its_row() {
        let [clock, latency, zip, aes] =
            [WorkloadId::Clock, WorkloadId::MemoryLatency, WorkloadId::SevenZip, WorkloadId::Aes]
                .map(WorkloadName::from);
        let most = |cause, workload: &WorkloadName, is_single| {
            Some(Effect::of(cause, workload)?.log_max(0.5, workload, is_single))
        };
        for (cause, workload, is_single, expected) in [
            (Cause::Clock, &zip, true, Some(0.45)),
            (Cause::Clock, &zip, false, Some(0.425)),
            (Cause::Clock, &latency, true, Some(0.15)),
            (Cause::Clock, &aes, false, Some(0.5)),
            (Cause::DramClock, &zip, false, Some(0.225)),
            (Cause::DramClock, &latency, false, Some(f64::INFINITY)),
            (Cause::DramClock, &clock, false, None),
            (Cause::Userland, &latency, false, None),
            (Cause::Userland, &zip, false, Some(0.3)),
            (Cause::NotVisible, &zip, false, None),
        ] {
            assert_eq!(most(cause, workload, is_single), expected, "{cause:?} {workload:?}");
        }
        let heat = Effect::of(Cause::Heat, &zip);
        assert_eq!(heat.and_then(|heat| heat.limiter(true)), Some(Limiter::Package));
        assert_eq!(heat.and_then(|heat| heat.limiter(false)), Some(Limiter::Cores));
    }
}
