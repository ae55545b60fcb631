//! Pattern of the measured clocks of all OPPs of a cluster, which shows why clocks are below the advertised ones.

use super::clocks::{ClusterClock, clock_passes, point_clock};
use record::{Record, Variant};

/// Pattern in the measured clocks of all OPPs.
#[derive(Debug, Clone, PartialEq)]
pub enum OppShape {
    /// All clocks are this share of the nominal ones: the clock source differs from what the kernel assumes.
    OneFactor {
        /// Measured divided by named.
        factor: f64,
        /// Number of OPPs that show it.
        opps: usize,
    },
    /// All clocks are lower by the same few MHz: overhead of the measuring loop.
    OneOffset,
    /// These OPPs, lowest first, run at one clock.
    FlatTop {
        /// Their named clocks.
        opps_khz: Vec<u32>,
    },
}

/// Fewer OPPs have no shape.
const OPPS_MIN: usize = 3;
/// Points that lie this near to a line, as a share of the highest, are on it.
const ON_LINE: f64 = 0.01;
/// Maximum error of the measurement loop.
const OFFSET_KHZ_MAX: f64 = 20_000.0;
/// A slope this near to 1 counts as 1.
const SLOPE_OF_ONE: f64 = 0.01;
/// Factors above this are within the error of the measurement.
const FACTOR_MAX: f64 = 0.97;
/// Clocks that differ by less than this share are equal.
const SAME_CLOCK: f64 = 0.015;

/// Pattern of the cold clocks of a cluster, if there is one.
pub fn opp_shape(record: &Record, cluster: &ClusterClock) -> Option<OppShape> {
    let mut points: Vec<(u32, u32)> = clock_passes(record, &Variant::COLD)
        .flat_map(|(step, clocks)| clocks.points.iter().map(move |point| (step, point)))
        .filter(|(_, point)| point.cpu == cluster.cpu)
        .filter_map(|(step, point)| Some((point.opp_khz?, point_clock(record, step, point)?.measured_khz)))
        .collect();
    points.sort_unstable();
    points.dedup_by_key(|point| point.0);
    on_line(&points).or_else(|| flat_top(&points))
}

fn on_line(points: &[(u32, u32)]) -> Option<OppShape> {
    let (first, last) = (points.first()?, points.last()?);
    let wide = last.0 >= first.0.saturating_mul(2);
    if points.len() < OPPS_MIN || !wide {
        return None;
    }
    let slope = (f64::from(last.1) - f64::from(first.1)) / (f64::from(last.0) - f64::from(first.0));
    let offset = f64::from(last.1) - slope * f64::from(last.0);
    let is_on = |(opp, khz): &(u32, u32)| {
        let expected = slope * f64::from(*opp) + offset;
        (f64::from(*khz) - expected).abs() <= ON_LINE * f64::from(last.0)
    };
    if offset.abs() > OFFSET_KHZ_MAX || !points.iter().all(is_on) {
        return None;
    }
    if (slope - 1.0).abs() <= SLOPE_OF_ONE && offset < 0.0 {
        Some(OppShape::OneOffset)
    } else if slope <= FACTOR_MAX {
        Some(OppShape::OneFactor { factor: slope, opps: points.len() })
    } else {
        None
    }
}

fn flat_top(points: &[(u32, u32)]) -> Option<OppShape> {
    let top = f64::from(points.last()?.1);
    let is_same = |point: &&(u32, u32)| (f64::from(point.1) / top - 1.0).abs() <= SAME_CLOCK;
    let mut opps_khz: Vec<u32> = points.iter().rev().take_while(is_same).map(|point| point.0).collect();
    opps_khz.reverse();
    // If the lowest OPP already gives the highest clock, OPPs have no effect and nothing is capped.
    (opps_khz.len() > 1 && opps_khz.len() < points.len()).then_some(OppShape::FlatTop { opps_khz })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_tell_a_loss_of_the_loop_from_a_wrong_clock() {
        let shape = |points: &[(u32, u32)]| {
            let khz: Vec<(u32, u32)> = points.iter().map(|(opp, mhz)| (opp * 1000, mhz * 1000)).collect();
            match on_line(&khz).or_else(|| flat_top(&khz)) {
                None => "none".to_owned(),
                Some(OppShape::OneOffset) => "offset".to_owned(),
                Some(OppShape::OneFactor { factor, .. }) => format!("factor {factor:.2}"),
                Some(OppShape::FlatTop { opps_khz }) => format!("{} are one", opps_khz.len()),
            }
        };
        for (points, expected) in [
            (&[(400, 385), (800, 785), (1200, 1184), (1400, 1383)][..], "offset"),
            (&[(200, 153), (250, 192), (500, 391), (1000, 790)], "factor 0.80"),
            (&[(1416, 1372), (1536, 1488), (1752, 1490), (2016, 1487)], "3 are one"),
            (&[(408, 407), (816, 815), (1416, 1415), (1800, 1798)], "offset"),
            (&[(625, 5135), (5187, 5135)], "none"),
            (&[(408, 405), (1416, 1420), (1800, 1770), (1992, 1930)], "none"),
            (&[(667, 665), (1000, 1000), (1200, 1200), (1512, 1415)], "none"),
        ] {
            assert_eq!(shape(points), expected, "{points:?}");
        }
    }
}
