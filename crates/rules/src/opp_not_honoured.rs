//! Rule: opp-not-honoured. Lower OPPs do not run at their clock.
//!
//! Other rules cover the highest OPP. Scores at full clock are unaffected; governors and tables of power per clock are.

use super::place::step_place;
use super::{Rule, Subject};
use facts::{Facts, Finding, Place, Quantity, Severity, view};
use record::{ClockPoint, Clocks, RuleId, Variant};

pub(super) const RULE: Rule = Rule { subjects: &[Subject::Clock], ..Rule::new(RuleId::own("opp-not-honoured"), check) };

/// Dividers of PLLs miss low clocks by a few percent by design.
const DEVIATION_PERCENT_MIN: f64 = 4.0;
/// A single wrong OPP may be a disturbed reading.
const WRONG_MIN: usize = 2;

/// Ratio above which two clocks are the same one.
const SAME_CLOCK: f64 = 0.98;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let mut wrong: Vec<WrongOpp> = Vec::new();
    let mut places = Vec::new();
    let mut tried = 0;
    for (step, clocks) in view::clock_passes(facts, &Variant::COLD) {
        for point in &clocks.points {
            let (Some(opp_khz), Some(measured_khz)) = (point.opp_khz, view::measured_khz(point)) else { continue };
            if view::is_top_point(clocks, point) || opp_khz == 0 {
                continue;
            }
            tried += 1;
            if is_cut(clocks, point, opp_khz, measured_khz) {
                continue;
            }
            let deviation = 100.0 * (f64::from(measured_khz) / f64::from(opp_khz) - 1.0);
            if deviation.abs() >= DEVIATION_PERCENT_MIN {
                wrong.push(WrongOpp { deviation, opp_khz, measured_khz, clocks, point });
                places.push(point.line.map_or_else(|| step_place(facts, step), Place::Line));
            }
        }
    }
    let worst = wrong.iter().max_by(|a, b| a.deviation.abs().total_cmp(&b.deviation.abs()));
    let Some(worst) = worst.filter(|_| wrong.len() >= WRONG_MIN) else { return Vec::new() };
    let is_fixed = |wrong: &WrongOpp| {
        let highest_khz = highest_khz(wrong.clocks, wrong.point.cpu);
        f64::from(wrong.measured_khz) >= SAME_CLOCK * f64::from(highest_khz)
    };
    let template = if wrong.iter().all(is_fixed) {
        "The clock does not follow cpufreq: [CPU {cpu}|the measured CPU] ran at {measured} where {opp} was set."
    } else if is_floor(&wrong) {
        "OPPs below {measured} run at {measured} as well; scores at the highest OPP are unaffected."
    } else if worst.deviation > 0.0 {
        "{wrong} of {tried} lower OPPs miss their nominal clock by {limit} or more; worst: [CPU {cpu}|the measured CPU] at {measured} instead of \
         {opp} (+{deviation})."
    } else {
        "{wrong} of {tried} lower OPPs miss their nominal clock by {limit} or more; worst: [CPU {cpu}|the measured CPU] at {measured} instead of \
         {opp} ({deviation})."
    };
    let finding = Finding::new(RULE.id, Severity::Info, template)
        .with("wrong", Quantity::Count(wrong.len() as i64))
        .with("tried", Quantity::Count(tried))
        .with("limit", Quantity::Percent(DEVIATION_PERCENT_MIN))
        .with_known("cpu", (!worst.point.is_cpu_unnamed).then(|| Quantity::Count(worst.point.cpu.into())))
        .with("measured", Quantity::Khz(worst.measured_khz))
        .with("opp", Quantity::Khz(worst.opp_khz))
        .with("deviation", Quantity::Percent(worst.deviation))
        .at_all(places);
    vec![finding]
}

/// True if all wrong OPPs run at one clock, and no OPP runs at a lower one.
fn is_floor(wrong: &[WrongOpp<'_>]) -> bool {
    let is_lowest = |one: &WrongOpp| {
        let of_cpu = one.clocks.points.iter().filter(|point| point.cpu == one.point.cpu);
        let lowest = of_cpu.filter_map(view::measured_khz).min().unwrap_or(0);
        one.deviation > 0.0 && f64::from(one.measured_khz) * SAME_CLOCK <= f64::from(lowest)
    };
    wrong.iter().all(is_lowest)
}

/// OPP that does not run at its clock.
struct WrongOpp<'a> {
    /// Deviation of the measured clock in percent.
    deviation: f64,
    opp_khz: u32,
    measured_khz: u32,
    clocks: &'a Clocks,
    point: &'a ClockPoint,
}

/// True for an OPP above the highest clock of its CPU, which `clock-below-claim` reports.
fn is_cut(clocks: &Clocks, point: &ClockPoint, opp_khz: u32, measured_khz: u32) -> bool {
    let highest_khz = highest_khz(clocks, point.cpu);
    opp_khz > highest_khz && f64::from(measured_khz) >= SAME_CLOCK * f64::from(highest_khz)
}

fn highest_khz(clocks: &Clocks, cpu: u32) -> u32 {
    clocks.points.iter().filter(|point| point.cpu == cpu).filter_map(view::measured_khz).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, point, with_clocks};
    use crate::tests::sentences;
    use record::Variant;

    #[test]
    fn unnamed_cpu_has_no_number() {
        let mut points =
            vec![point(0, 2_400_000, 3_269_000), point(0, 1_700_000, 3_271_000), point(0, 1_400_000, 3_270_000)];
        points.iter_mut().for_each(|point| point.is_cpu_unnamed = true);
        assert_eq!(
            sentences(RULE.id, &with_clocks(own_run(), Variant::COLD, points)),
            ["The clock does not follow cpufreq: the measured CPU ran at 3270 MHz where 1400 MHz was set."]
        );
    }

    #[test]
    fn several_wrong_opps_are_named() {
        let points = vec![
            point(0, 1_800_000, 1_934_000),
            point(0, 1_608_000, 1_800_000),
            point(0, 1_416_000, 1_698_000),
            point(0, 408_000, 407_000),
        ];
        assert_eq!(
            sentences(RULE.id, &with_clocks(own_run(), Variant::COLD, points)),
            [
                "2 of 3 lower OPPs miss their nominal clock by 4.0 % or more; worst: CPU 0 at 1698 MHz instead of 1416 MHz (+20 %)."
            ]
        );
    }

    #[test]
    fn a_clock_that_never_changes_is_told_as_that() {
        let points = [1_800_000, 1_416_000, 816_000].map(|opp_khz| point(0, opp_khz, 1_800_000));
        assert_eq!(
            sentences(RULE.id, &with_clocks(own_run(), Variant::COLD, points.to_vec())),
            ["The clock does not follow cpufreq: CPU 0 ran at 1800 MHz where 816 MHz was set."]
        );
    }

    #[test]
    fn lowest_clock_is_told_as_that() {
        let points = |opps: &[(u32, u32)]| opps.iter().map(|(opp, measured)| point(0, *opp, *measured)).collect();
        let floor: Vec<_> =
            points(&[(2_400_000, 2_398_000), (1_500_000, 1_498_000), (1_400_000, 1_498_000), (1_000_000, 1_498_000)]);
        assert_eq!(
            sentences(RULE.id, &with_clocks(own_run(), Variant::COLD, floor)),
            ["OPPs below 1498 MHz run at 1498 MHz as well; scores at the highest OPP are unaffected."]
        );
    }

    #[test]
    fn opps_above_the_highest_clock_are_told_once() {
        let capped = |lowest_khz| {
            let opps = [2_091_000, 1_989_000, 1_887_000, 1_785_000];
            let mut points = opps.map(|opp_khz| point(0, opp_khz, 1_783_000)).to_vec();
            points.extend([point(0, 816_000, lowest_khz), point(0, 408_000, lowest_khz / 2)]);
            sentences(RULE.id, &with_clocks(own_run(), Variant::COLD, points)).len()
        };
        assert_eq!((capped(815_000), capped(600_000)), (0, 1));
    }

    #[test]
    fn small_distances_at_low_clocks_are_dividers() {
        let points = vec![point(0, 1_800_000, 1_000_000), point(0, 200_000, 194_000)];
        assert_eq!(sentences(RULE.id, &with_clocks(own_run(), Variant::COLD, points)), [""; 0]);
    }
}
