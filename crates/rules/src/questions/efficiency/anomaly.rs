//! Anomalies in a walk through all OPPs. Pure, over bare points, for tests with simulated curves.
//!
//! The measure is the energy of a unit of work above idle: at clock f and voltage V it is proportional to V^2 on every
//! chip. On a healthy curve it rises with the clock, more steeply towards the top; it is flat only at the bottom, where
//! the voltage is at its minimum.

use record::StableSort;

/// One OPP with the values that anomalies need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OppFigures {
    /// Requested clock in kHz.
    pub opp_khz: u32,
    /// Measured clock, and its tolerance in percent.
    pub measured: Option<(u32, f64)>,
    /// Work a second.
    pub score: f64,
    /// Power above idling, in milliwatts.
    pub net_mw: Option<f64>,
    /// True if a limit below this OPP was in effect during the measurement.
    pub is_limited: bool,
}

impl OppFigures {
    /// Actual clock: the measured one if it differs from the requested one.
    fn clock_khz(&self) -> u32 {
        match (clock_error(self), self.measured) {
            (Some(_), Some((khz, _))) => khz,
            _ => self.opp_khz,
        }
    }

    /// Energy above idling for a unit of work.
    fn net_energy(&self) -> Option<f64> {
        let energy = self.net_mw? / self.score;
        (energy > 0.0).then_some(energy)
    }
}

/// Anomaly of one OPP.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anomaly {
    /// Deviation of the measured clock from the requested one in percent; negative if lower.
    NotHonoured(f64),
    /// Lowered during the measurement: heat or a power limit.
    HeldBack,
    /// Excess energy per work in percent over what the neighbouring steps suggest.
    OutOfProportion(f64),
    /// From here down to the lowest OPP the voltage does not fall with the clock, over this span in kHz.
    FlatVoltage(u32),
}

/// A measured clock off by more than this, in percent, is another clock.
const CLOCK_PERCENT: f64 = 3.0;
/// Tolerated excess of the energy per unit of work over the expected value: the uncertainty of meters, scores and
/// leakage.
const OUT_PERCENT: f64 = 15.0;
/// Exponent of the energy of work over the clock that a voltage in proportion to the clock would give,
/// and steeper curves by their own steps.
const EXPONENT_MIN: f64 = 1.0;
const EXPONENT_MAX: f64 = 2.0;
/// A voltage does not fall if a unit of work gets cheaper by less than this, in percent ...
const FLAT_PERCENT: f64 = 4.0;
/// ... over this share of all clocks, from an OPP in the upper half down. Below that, all boards keep the
/// lowest voltage that their memory cells allow.
const FLAT_SPAN_SHARE: f64 = 0.5;
const FLAT_RUNGS_MIN: usize = 3;

/// Anomalies with the indices of their OPPs, lowest OPP first.
pub fn anomalies(opps: &[OppFigures]) -> Vec<(usize, Anomaly)> {
    let mut found = Vec::new();
    for (index, opp) in opps.iter().enumerate() {
        if opp.is_limited {
            found.push((index, Anomaly::HeldBack));
        } else if let Some(percent) = clock_error(opp) {
            found.push((index, Anomaly::NotHonoured(percent)));
        }
    }
    // A throttled measurement says nothing about the voltage.
    let sound: Vec<(usize, &OppFigures)> = opps.iter().enumerate().filter(|(_, opp)| !opp.is_limited).collect();
    found.extend(out_of_proportion(&sound));
    found.extend(flat_voltage(&sound));
    found.stable_sort_by_key(|(index, _)| *index);
    found
}

fn clock_error(opp: &OppFigures) -> Option<f64> {
    let (khz, tolerance_percent) = opp.measured?;
    let percent = 100.0 * (f64::from(khz) / f64::from(opp.opp_khz) - 1.0);
    (percent.abs() > tolerance_percent.max(CLOCK_PERCENT)).then_some(percent)
}

/// Steps whose energy per work exceeds what the step below or both neighbours suggest.
fn out_of_proportion(opps: &[(usize, &OppFigures)]) -> Vec<(usize, Anomaly)> {
    let points: Vec<(usize, f64, f64)> = opps
        .iter()
        .filter_map(|(index, opp)| Some((*index, f64::from(opp.clock_khz()).ln(), opp.net_energy()?.ln())))
        .collect();
    let slopes: Vec<f64> =
        points.windows(2).map(|pair| (pair[1].2 - pair[0].2) / (pair[1].1 - pair[0].1).max(1e-9)).collect();
    let mut found = Vec::new();
    let usual = facts::stats::median(&slopes).unwrap_or(EXPONENT_MIN);
    for at in 1..points.len() {
        let (index, clock, energy) = points[at];
        let below = points[at - 1];
        let expected = match points.get(at + 1) {
            // Between two neighbours the straight line holds, as the curve bends but little.
            Some(above) => {
                let share = (clock - below.1) / (above.1 - below.1).max(1e-9);
                below.2 + share * (above.2 - below.2)
            }
            // The highest OPP has one neighbour: the limit is the larger of the usual slope and the physical one.
            None => {
                let last = slopes.get(at.wrapping_sub(2)).copied().unwrap_or(usual);
                let exponent = usual.max(last).clamp(EXPONENT_MIN, EXPONENT_MAX);
                below.2 + exponent * (clock - below.1)
            }
        };
        let percent = 100.0 * ((energy - expected).exp() - 1.0);
        if percent > OUT_PERCENT {
            found.push((index, Anomaly::OutOfProportion(percent)));
        }
    }
    found
}

/// A stretch from the upper half down over which the voltage stays.
fn flat_voltage(opps: &[(usize, &OppFigures)]) -> Option<(usize, Anomaly)> {
    let points: Vec<(usize, u32, f64)> =
        opps.iter().filter_map(|(index, opp)| Some((*index, opp.clock_khz(), opp.net_energy()?))).collect();
    let (lowest, highest) = (points.first()?.1, points.last()?.1);
    let middle = u32::midpoint(lowest, highest);
    let is_flat = |low: usize, high: usize| {
        let (low, high) = (points[low], points[high]);
        100.0 * (1.0 - low.2 / high.2) < FLAT_PERCENT
    };
    // From each OPP of the upper half, how far down does the energy of work stay?
    let stretches = (0..points.len()).filter(|high| points[*high].1 > middle);
    let mut longest: Option<(usize, u32)> = None;
    for high in stretches {
        let low = (0..high).rev().take_while(|low| is_flat(*low, high)).last();
        let Some(low) = low else { continue };
        let (index, top, _) = points[high];
        let span = top.saturating_sub(points[low].1);
        let wide = f64::from(span) >= FLAT_SPAN_SHARE * f64::from(highest.saturating_sub(lowest));
        if wide && high - low + 1 >= FLAT_RUNGS_MIN && longest.is_none_or(|(_, known)| span > known) {
            longest = Some((index, span));
        }
    }
    longest.map(|(index, span)| (index, Anomaly::FlatVoltage(span)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::Chance;

    /// A curve of `(MHz, V)` at 3 W for the highest clock at 1.2 V.
    fn curve(opps: &[(u32, f64)]) -> Vec<OppFigures> {
        let opp = |(mhz, volts): &(u32, f64)| {
            let clock = f64::from(*mhz) / 1800.0;
            OppFigures {
                opp_khz: mhz * 1000,
                measured: Some((mhz * 1000, 1.0)),
                score: 4000.0 * clock,
                net_mw: Some(3000.0 * clock * (volts / 1.2).powi(2)),
                is_limited: false,
            }
        };
        opps.iter().map(opp).collect()
    }

    const CLEAN: [(u32, f64); 8] =
        [(408, 0.80), (600, 0.80), (816, 0.85), (1008, 0.90), (1200, 0.97), (1416, 1.05), (1608, 1.13), (1800, 1.20)];

    /// OPP tables of well-known chips from their device trees in Linux (`arch/arm64/boot/dts`).
    const RK3399_BIG: [(u32, f64); 8] = [
        (408, 0.80),
        (600, 0.80),
        (816, 0.825),
        (1008, 0.875),
        (1200, 0.95),
        (1416, 1.025),
        (1608, 1.10),
        (1800, 1.20),
    ];
    const H6: [(u32, f64); 10] = [
        (480, 0.88),
        (720, 0.88),
        (816, 0.88),
        (888, 0.88),
        (1080, 0.94),
        (1320, 1.00),
        (1488, 1.06),
        (1608, 1.09),
        (1704, 1.12),
        (1800, 1.16),
    ];

    fn check(opps: &[OppFigures], expected: &[(usize, &str)]) {
        let found: Vec<(usize, String)> =
            anomalies(opps).into_iter().map(|(index, anomaly)| (index, format!("{anomaly:?}"))).collect();
        let is_same = found.len() == expected.len()
            && found.iter().zip(expected).all(|(f, e)| f.0 == e.0 && f.1.starts_with(e.1));
        assert!(is_same, "{found:?} instead of {expected:?}");
    }

    #[test]
    fn clean_curves_have_no_anomalies() {
        for opps in [&CLEAN[..], &RK3399_BIG, &H6, &CLEAN[..2], &CLEAN[..1], &[]] {
            check(&curve(opps), &[]);
        }
    }

    #[test]
    fn noise_of_real_meters_is_no_anomaly() {
        // Random deviations of 3 %, equal in each run.
        let mut chance = Chance(0x5bc);
        for _ in 0..200 {
            let mut opps = curve(&CLEAN);
            for opp in &mut opps {
                let noise = chance.uniform() - 0.5;
                opp.net_mw = opp.net_mw.map(|mw| mw * (1.0 + 0.06 * noise));
            }
            check(&opps, &[]);
        }
    }

    #[test]
    fn anomalies_are_found() {
        let mut opps = CLEAN;
        opps[7].1 = 1.45;
        check(&curve(&opps), &[(7, "OutOfProportion")]);
        let mut opps = CLEAN;
        opps[4].1 = 1.10;
        check(&curve(&opps), &[(4, "OutOfProportion")]);
        let flat: Vec<(u32, f64)> = CLEAN.iter().map(|(mhz, _)| (*mhz, 1.2)).collect();
        check(&curve(&flat), &[(7, "FlatVoltage")]);
        let mut fake = curve(&CLEAN);
        fake[7].measured = Some((1_500_000, 1.0));
        fake[7].score = fake[5].score;
        // A voltage for a clock that does not exist wastes energy.
        check(&fake, &[(7, "NotHonoured"), (7, "OutOfProportion")]);
        let mut hot = curve(&CLEAN);
        hot[7].is_limited = true;
        hot[7].score = hot[5].score;
        check(&hot, &[(7, "HeldBack")]);
    }

    #[test]
    fn anomalies_without_power_data() {
        let mut opps = curve(&CLEAN);
        opps.iter_mut().for_each(|opp| opp.net_mw = None);
        check(&opps, &[]);
        opps[2].measured = Some((700_000, 1.0));
        check(&opps, &[(2, "NotHonoured(-14.2")]);
        opps[2].measured = Some((700_000, 20.0));
        check(&opps, &[]);
    }
}
