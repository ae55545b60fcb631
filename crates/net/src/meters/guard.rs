//! Rejects wrong answers of meters: constant time stamps, counters that fall or jump, and inconsistent values. A
//! rejected answer is a gap with its reason. Pure.
//!
//! Undetectable here: repeated values in a format without time stamps, since constant power looks the same; and a
//! changed unit or a jump of power below [`MILLIWATTS`] without voltage, current and counter.

use super::Output;
use machine::Failure;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// Range of possible power. Small negative values are an offset. Milliwatts read as watts and a reversed meter lie outside.
const MILLIWATTS: RangeInclusive<i64> = -1_000..=2_000_000;
/// Highest mains voltage with its tolerance.
const MILLIVOLTS_MAX: i64 = 300_000;
/// Time after which a repeated time stamp means that the meter has stopped.
const REPEATED_MAX: Duration = Duration::from_secs(5);
/// Maximum ratio of real to apparent power: both are rounded and read one after the other.
const ABOVE_APPARENT: f64 = 1.1;
/// Minimum current that meters measure reliably.
const MILLIAMPERES_STEP: f64 = 20.0;
/// Lowest power factor of a supply without load.
const FACTOR_MIN: f64 = 0.01;
/// Minimum apparent power for a meaningful power factor.
const APPARENT_MW_MIN: f64 = 2_000.0;
/// Tolerance of energy counters: two steps of up to 1 Wh between answers.
const MICROJOULES_STEP: i64 = 3_600_000_000;
/// Maximum growth of energy relative to the larger power of two answers.
const GROWTH_FACTOR: i64 = 10;
/// Minimum power assumed between two answers.
const MILLIWATTS_BETWEEN: i64 = 20_000;

const NO_VALUES: &str = "has no value for this output";
const STAMP_BACK: &str = "has gone back to an earlier time stamp";
const STAMP_MISSING: &str = "does not send its time stamp any more";
const STAMP_REPEATED: &str = "repeats an answer with an old time stamp";
const COUNTER_BACK: &str = "has an energy counter that went back; it is not used any more";
const COUNTER_JUMP: &str = "has an energy counter that rose by more than the power allows; it is not used any more";
const OUT_OF_RANGE: &str = "reports a power or voltage that no board has";
const UNFIT: &str = "reports a power that does not fit voltage and current";

/// Checks of successive answers, output by output.
#[derive(Debug, Default)]
pub(super) struct Guard {
    outputs: Vec<OutputGuard>,
}

#[derive(Debug, Clone, Copy, Default)]
struct OutputGuard {
    /// Last time stamp, and time of its first appearance.
    stamp: Option<(i64, Instant)>,
    counter: Counter,
}

/// Energy counter of an output.
#[derive(Debug, Clone, Copy, Default)]
struct Counter {
    /// Last value, power and time.
    last: Option<(i64, i64, Instant)>,
    is_broken: bool,
}

impl Guard {
    /// Returns the outputs with their new and plausible values, or `None` if no output has a new one. The first value with
    /// a time stamp is not known to be new.
    pub(super) fn check(&mut self, outputs: &[Output], now: Instant) -> Result<Option<Vec<Output>>, Failure> {
        if !outputs.iter().any(Output::has_values) {
            return Err(Failure::Doubtful(NO_VALUES));
        }
        self.outputs.resize(outputs.len(), OutputGuard::default());
        let checked = self.outputs.iter_mut().zip(outputs).map(|(guard, output)| guard.check(*output, now));
        let checked: Vec<Option<Output>> = checked.collect::<Result<_, _>>()?;
        let is_new = checked.iter().any(Option::is_some);
        Ok(is_new.then(|| checked.into_iter().map(Option::unwrap_or_default).collect()))
    }
}

impl OutputGuard {
    fn check(&mut self, mut output: Output, now: Instant) -> Result<Option<Output>, Failure> {
        if !output.has_values() || !self.is_new(output.clock, now)? {
            return Ok(None);
        }
        objection(&output).map_or(Ok(()), |why| Err(Failure::Doubtful(why)))?;
        self.counter.check(&mut output, now)?;
        Ok(Some(output))
    }

    fn is_new(&mut self, clock: Option<i64>, now: Instant) -> Result<bool, Failure> {
        match (self.stamp, clock) {
            (None, None) => Ok(true),
            (Some(_), None) => Err(Failure::Doubtful(STAMP_MISSING)),
            (Some((last, since)), Some(clock)) if clock == last => {
                let is_old = now.duration_since(since) > REPEATED_MAX;
                if is_old { Err(Failure::Doubtful(STAMP_REPEATED)) } else { Ok(false) }
            }
            (last, Some(clock)) => {
                self.stamp = Some((clock, now));
                match last {
                    None => Ok(false),
                    Some((last, _)) if clock < last => Err(Failure::Doubtful(STAMP_BACK)),
                    Some(_) => Ok(true),
                }
            }
        }
    }
}

fn objection(output: &Output) -> Option<&'static str> {
    let volts_ok = output.millivolts.is_none_or(|volts| volts.unsigned_abs() <= MILLIVOLTS_MAX.unsigned_abs());
    if !volts_ok || output.milliwatts.is_some_and(|power| !MILLIWATTS.contains(&power)) {
        return Some(OUT_OF_RANGE);
    }
    let (power, volts, amperes) = (output.milliwatts?, output.millivolts?, output.milliamperes?);
    let (power, volts, amperes) = (power as f64, volts.abs() as f64 / 1e3, amperes.abs() as f64);
    let apparent = volts * amperes;
    let is_above = power > apparent * ABOVE_APPARENT + volts * MILLIAMPERES_STEP;
    let is_below = power > 0.0 && power < apparent * FACTOR_MIN && apparent > APPARENT_MW_MIN;
    (is_above || is_below).then_some(UNFIT)
}

impl Counter {
    fn check(&mut self, output: &mut Output, now: Instant) -> Result<(), Failure> {
        if self.is_broken {
            output.microjoules = None;
        }
        let Some(energy) = output.microjoules else {
            return Ok(());
        };
        let power = output.milliwatts.unwrap_or(*MILLIWATTS.end());
        let last = self.last.replace((energy, power, now));
        let Some((before, power_before, since)) = last else {
            return Ok(());
        };
        let between_mw = (power.max(power_before) * GROWTH_FACTOR).max(MILLIWATTS_BETWEEN);
        let between = now.duration_since(since).as_millis() as i64;
        let growth_max = between_mw.saturating_mul(between).saturating_add(2 * MICROJOULES_STEP);
        let why = match energy.saturating_sub(before) {
            ..0 => COUNTER_BACK,
            growth if growth > growth_max => COUNTER_JUMP,
            _ => return Ok(()),
        };
        self.is_broken = true;
        Err(Failure::Doubtful(why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds since the first answer, its time stamp, and power, voltage, current and energy of an output.
    type Row = (f64, Option<i64>, [Option<i64>; 4]);

    /// Energy of a row, nothing new, or a gap with words of the reason.
    type ExpectedEnergy<'a> = Result<Option<Option<i64>>, &'a str>;

    fn check(rows: &[(Row, ExpectedEnergy)]) {
        let (mut guard, begin) = (Guard::default(), Instant::now());
        for ((seconds, clock, [milliwatts, millivolts, milliamperes, microjoules]), expected) in rows {
            let outputs = vec![Output {
                milliwatts: *milliwatts,
                microjoules: *microjoules,
                millivolts: *millivolts,
                milliamperes: *milliamperes,
                clock: *clock,
            }];
            let got = guard.check(&outputs, begin + Duration::from_secs_f64(*seconds));
            let got = got.map(|outputs| outputs.map(|outputs| outputs[0].microjoules));
            match (got, expected) {
                (Err(failure), Err(words)) => {
                    let text = failure.missing("the meter").to_string();
                    assert!(text.contains(words), "{text}");
                }
                (got, expected) => assert_eq!(got.map_err(|_| "a gap"), *expected, "{rows:?}"),
            }
        }
    }

    #[test]
    fn time_stamps_have_to_move() {
        let row = |seconds, clock| (seconds, clock, [Some(5_000), None, None, None]);
        check(&[
            (row(0.0, Some(100)), Ok(None)),
            (row(1.0, Some(101)), Ok(Some(None))),
            (row(2.0, Some(101)), Ok(None)),
            (row(7.0, Some(101)), Err("old time stamp")),
            (row(8.0, Some(102)), Ok(Some(None))),
            (row(9.0, Some(3)), Err("gone back")),
            (row(10.0, Some(4)), Ok(Some(None))),
            (row(11.0, None), Err("any more")),
        ]);
        check(&[(row(0.0, None), Ok(Some(None))), (row(1.0, None), Ok(Some(None)))]);
    }

    /// Watts and time stamps of two outputs, and the watts that are new.
    #[test]
    fn outputs_have_time_stamps_of_their_own() {
        let (mut guard, begin) = (Guard::default(), Instant::now());
        let output = |watts: Option<i64>, clock| Output {
            milliwatts: watts.map(|watts| 1_000 * watts),
            clock: Some(clock),
            ..Output::default()
        };
        for (second, outputs, expected) in [
            (0, [(Some(4), 10), (Some(7), 10)], Ok(None)),
            (1, [(Some(4), 11), (Some(7), 10)], Ok(Some([Some(4), None]))),
            (2, [(Some(4), 12), (None, 10)], Ok(Some([Some(4), None]))),
            (9, [(Some(4), 19), (None, 10)], Ok(Some([Some(4), None]))),
            (10, [(None, 19), (Some(8), 20)], Ok(Some([None, Some(8)]))),
            (11, [(None, 19), (None, 20)], Err("no value")),
            (30, [(Some(4), 40), (Some(8), 20)], Err("old time stamp")),
        ] {
            let outputs = outputs.map(|(watts, clock)| output(watts, clock));
            let got = guard.check(&outputs, begin + Duration::from_secs(second));
            let watts = |outputs: Vec<Output>| [0, 1].map(|at| Some(outputs[at].milliwatts? / 1_000));
            match (got, expected) {
                (Err(failure), Err(words)) => assert!(failure.missing("it").to_string().contains(words), "{second}"),
                (got, expected) => {
                    assert_eq!(got.map(|outputs| outputs.map(watts)).map_err(|_| ""), expected, "{second}");
                }
            }
        }
    }

    #[test]
    fn broken_counters_stay_unused_and_power_stays() {
        let row = |seconds, energy| (seconds, None, [Some(5_000), None, None, Some(energy)]);
        check(&[
            (row(0.0, 1_000_000), Ok(Some(Some(1_000_000)))),
            (row(1.0, 6_000_000), Ok(Some(Some(6_000_000)))),
            (row(2.0, 1_000), Err("went back")),
            (row(3.0, 5_001_000), Ok(Some(None))),
        ]);
        // Steps of 1 Wh do not count as a jump; kilowatt hours instead of watt hours do.
        check(&[
            (row(0.0, 0), Ok(Some(Some(0)))),
            (row(1.0, 3_600_000_000), Ok(Some(Some(3_600_000_000)))),
            (row(2.0, 3_600_000_000_000), Err("power allows")),
            (row(3.0, 3_600_000_000_001), Ok(Some(None))),
        ]);
    }

    #[test]
    fn values_have_to_fit_each_other() {
        let row = |milliwatts, millivolts, milliamperes| {
            (0.0, None, [Some(milliwatts), Some(millivolts), Some(milliamperes), None])
        };
        for (row, expected) in [
            (row(5_300, 235_000, 41), Ok(Some(None))),
            (row(0, 235_000, 60), Ok(Some(None))),
            (row(2_400, 5_100, 470), Ok(Some(None))),
            // One of the values in another unit.
            (row(5_300_000, 235_000, 41), Err("no board")),
            (row(53_000, 235_000, 41), Err("does not fit")),
            (row(5, 5_100, 1_000), Err("does not fit")),
            (row(5_300, 235_000_000, 41), Err("no board")),
            (row(-5_300, 5_100, 1_000), Err("no board")),
        ] {
            check(&[(row, expected)]);
        }
    }
}
