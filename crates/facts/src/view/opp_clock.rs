//! Measured clock of an OPP, from the cold clock pass.

use super::clocks::{ClusterClock, clock_passes, point_clock};
use record::{Record, Variant};

/// Measured clock of one OPP.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OppClock {
    /// Measured.
    pub khz: u32,
    /// Largest distance from the OPP in percent at which the clock is still that OPP.
    pub tolerance_percent: f64,
}

/// Clock measured at this OPP in the cold pass, on the cluster of this CPU if one is given.
pub fn opp_clock(record: &Record, cpu: Option<u32>, opp_khz: u32) -> Option<OppClock> {
    let points = clock_passes(record, &Variant::COLD).flat_map(|(step, clocks)| {
        let points = clocks.points.iter();
        points.filter_map(move |point| Some((point.opp_khz?, point_clock(record, step, point)?)))
    });
    let of_cpu = |clock: &ClusterClock| cpu.is_none_or(|cpu| clock.cluster_cpus.contains(&cpu));
    let found = points
        .filter(|(opp, clock)| *opp == opp_khz && clock.is_steady && of_cpu(clock))
        .map(|(_, clock)| clock)
        .next()?;
    Some(OppClock { khz: found.measured_khz, tolerance_percent: found.tolerance_percent(1.0) })
}
