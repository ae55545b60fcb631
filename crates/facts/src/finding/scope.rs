//! Subject, time and evidence of a finding.

use record::{ChannelId, Variant};
use serde::Serialize;

/// Measurements that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The machine: settings, tables, the log's own words. It holds for all that was measured.
    Machine,
    /// These steps: indices in `Record::steps`.
    Steps(Vec<usize>),
    /// No measurement: between two of them, or after the last one.
    Between,
}

/// From when to when, on the Record's own time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// First moment.
    pub from_ms: i64,
    /// Last moment.
    pub to_ms: i64,
}

impl Span {
    /// True if the two have a moment in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.from_ms <= other.to_ms && other.from_ms <= self.to_ms
    }

    /// From the first moment of both to the last.
    pub fn with(self, other: Self) -> Self {
        Self { from_ms: self.from_ms.min(other.from_ms), to_ms: self.to_ms.max(other.to_ms) }
    }
}

/// Sources of evidence, the strongest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvidenceSource {
    /// A cooling device that was at work.
    CoolingDevice(ChannelId),
    /// The highest clock allowed, which was lowered.
    LimitLowered(ChannelId),
    /// A counter of throttling.
    ThrottleCounter(ChannelId),
    /// The bits that the firmware of a Raspberry Pi keeps.
    FirmwareBits,
    /// Clock reported by the firmware.
    FirmwareClock(ChannelId),
    /// Time spent at each clock, of a cpufreq policy.
    Residency(u32),
    /// A clock that was measured, in a pass of this name.
    MeasuredClock(Variant),
    /// A clock that the kernel claims.
    ClaimedClock(ChannelId),
    /// A sensor.
    Temperature(ChannelId),
    /// A voltage.
    Voltage(ChannelId),
    /// Scores of repetitions, or values of a series.
    Scores,
    /// CPU time by its kinds.
    CpuTime,
    /// Pages that went to swap and came back.
    SwapTraffic,
    /// Time waited for a resource, as the kernel counts it.
    Pressure(ChannelId),
    /// Messages of the kernel.
    KernelLog,
    /// Statement of a log of an earlier version.
    LogSays,
    /// `config.txt` of a Raspberry Pi.
    ConfigTxt,
    /// Settings that were read.
    Settings,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_overlap_where_they_share_a_moment() {
        let span = |from_ms, to_ms| Span { from_ms, to_ms };
        for (a, b, expected) in
            [(span(0, 10), span(10, 20), true), (span(0, 10), span(11, 20), false), (span(0, 30), span(11, 20), true)]
        {
            assert_eq!((a.overlaps(b), b.overlaps(a)), (expected, expected), "{a:?} {b:?}");
        }
        assert_eq!(span(5, 10).with(span(0, 7)), span(0, 10));
    }
}
