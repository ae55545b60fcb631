//! Conditions that end stages of a thermal test: a wait without progress, a load that gets too hot. Runs nothing.

use super::gauge::Gauge;
use crate::plan::heat::StartAt;
use record::Missing;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// Minimum change of a temperature within [`STILL_MS`], in thousandths of a degree; otherwise the target is out of
/// reach.
const STILL_MILLICELSIUS: i64 = 500;
/// Time for [`STILL_MILLICELSIUS`], in milliseconds.
const STILL_MS: i64 = 120_000;

/// A wait for a temperature.
pub(super) struct TargetWait {
    pub(super) start: StartAt,
    pub(super) began: i64,
    /// Last changed temperature and its time.
    pub(super) moved: (i64, i64),
}

impl TargetWait {
    /// Result at this temperature: `None` to go on, else the reason to stop, empty if the target is reached.
    pub(super) fn verdict(&mut self, now_ms: i64, millicelsius: i64, limit: Duration) -> Option<String> {
        let degrees = |value: i64| format!("{:.1} °C", value as f64 / 1000.0);
        let reached = match self.start {
            StartAt::CoolTo(target) => millicelsius <= target,
            StartAt::HeatTo(target) => millicelsius >= target,
        };
        if reached {
            return Some(String::new());
        }
        if (millicelsius - self.moved.0).abs() >= STILL_MILLICELSIUS {
            self.moved = (millicelsius, now_ms);
        }
        let (verb, how) = match self.start {
            StartAt::CoolTo(_) => ("cool", "use a fan, a cooler room or a higher target"),
            StartAt::HeatTo(_) => ("warm", "use less cooling or a lower target"),
        };
        if now_ms - self.moved.1 >= STILL_MS {
            return Some(format!(
                "the temperature stays at {} and does not {verb} further; {how}",
                degrees(millicelsius)
            ));
        }
        (now_ms - self.began >= limit.as_millis() as i64)
            .then(|| format!("after {} s the temperature is {}; {how}", limit.as_secs(), degrees(millicelsius)))
    }
}

/// Time without an answer after which a thermometer counts as broken, in milliseconds.
const BLIND_MS_MAX: i64 = 3_000;
/// Time without any change under full load after which a thermometer counts as broken, in milliseconds.
const STUCK_MS_MAX: i64 = 120_000;
/// Rise between two readings that the next reading must confirm.
const JUMP_MILLICELSIUS: i64 = 40_000;

/// Time since the last answer of a thermometer.
#[derive(Debug, Default)]
pub(super) struct SensorTimeout {
    blind_ms: Option<i64>,
}

impl SensorTimeout {
    /// Reason to consider it broken, if any.
    pub(super) fn lost(&mut self, now: &record::Reading<i64>, now_ms: i64) -> Option<String> {
        let Err(missing) = now else {
            self.blind_ms = None;
            return None;
        };
        let since_ms = *self.blind_ms.get_or_insert(now_ms);
        let is_lost = now_ms - since_ms >= BLIND_MS_MAX;
        is_lost.then(|| format!("the temperature sensor failed ({missing})"))
    }
}

/// Ends a load by time, temperature, a broken thermometer or an interruption.
pub(super) struct StopCondition<'a> {
    /// `None` without a thermometer: only time ends the load.
    pub(super) gauge: Option<Gauge<'a>>,
    pub(super) max: i64,
    pub(super) end_ms: i64,
    pub(super) sight: SensorTimeout,
    /// First reading and its time until the thermometer shows a change.
    pub(super) unmoved: Option<(i64, i64)>,
    pub(super) sensor_responds: bool,
    /// Previous reading.
    pub(super) before: Option<i64>,
    /// Signal number, 1 at a limit, or 0.
    pub(super) stop: AtomicI32,
    /// Reason of an early end.
    pub(super) why: Option<String>,
}

impl<'a> StopCondition<'a> {
    pub(super) fn new(gauge: Option<Gauge<'a>>, max: i64, end_ms: i64) -> Self {
        Self {
            gauge,
            max,
            end_ms,
            sight: SensorTimeout::default(),
            unmoved: None,
            sensor_responds: false,
            before: None,
            stop: AtomicI32::new(0),
            why: None,
        }
    }

    pub(super) fn now(&self) -> record::Reading<i64> {
        match &self.gauge {
            Some(gauge) => gauge.now(),
            None => Err(Missing::unsupported("/sys/class/thermal", "no temperature sensor")),
        }
    }

    /// Checks all conditions and returns the temperature; called periodically.
    pub(super) fn look(&mut self, now_ms: i64, cancelled: &AtomicI32) -> record::Reading<i64> {
        let now = self.now();
        let signal = cancelled.load(Ordering::Relaxed);
        if signal != 0 {
            self.why.get_or_insert("the run was interrupted".into());
            self.stop.store(signal, Ordering::Relaxed);
        } else if let Some(why) = self.too_hot(&now, now_ms) {
            self.why.get_or_insert(why);
            self.stop.store(1, Ordering::Relaxed);
        } else if now_ms >= self.end_ms {
            self.stop.store(1, Ordering::Relaxed);
        }
        now
    }

    /// Reason why this temperature, or its absence, ends the load.
    fn too_hot(&mut self, now: &record::Reading<i64>, now_ms: i64) -> Option<String> {
        let lost = self.sight.lost(now, now_ms);
        let Ok(value) = *now else { return lost.filter(|_| self.gauge.is_some()) };
        let before = self.before.replace(value).unwrap_or(value);
        if value >= self.max && value - before < JUMP_MILLICELSIUS {
            let degrees = |value: i64| value as f64 / 1000.0;
            return Some(format!(
                "the temperature reached {:.1} °C (limit {:.1} °C)",
                degrees(value),
                degrees(self.max)
            ));
        }
        self.stuck(value, now_ms)
    }

    /// Reason to consider a constant thermometer broken, if any.
    fn stuck(&mut self, value: i64, now_ms: i64) -> Option<String> {
        let (first, since_ms) = *self.unmoved.get_or_insert((value, now_ms));
        self.sensor_responds &= value == first;
        (self.sensor_responds && now_ms - since_ms >= STUCK_MS_MAX).then(|| {
            format!(
                "the sensor reported a constant {:.1} °C for {} s under load; it does not measure the SoC",
                first as f64 / 1000.0,
                STUCK_MS_MAX / 1000
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Root;

    /// Checks once a second; the text is empty for a reached temperature.
    fn check(start: StartAt, temperatures: impl Fn(i64) -> i64, expected: (i64, &str)) {
        let mut waiting = TargetWait { start, began: 0, moved: (temperatures(0), 0) };
        let limit = Duration::from_secs(600);
        let ended = (0..1000).find_map(|second| {
            let verdict = waiting.verdict(second * 1000, temperatures(second), limit)?;
            Some((second, verdict))
        });
        let (second, why) = ended.unwrap();
        assert_eq!(second, expected.0, "{why}");
        assert!(why.contains(expected.1) && (!expected.1.is_empty() || why.is_empty()));
    }

    fn brake_of(root: &Root, max: i64, end_ms: i64) -> StopCondition<'_> {
        StopCondition::new(Gauge::find(root, None).ok(), max, end_ms)
    }

    #[test]
    fn waits_are_bounded_and_give_their_reason() {
        let (cool, heat) = (StartAt::CoolTo(50_000), StartAt::HeatTo(70_000));
        check(cool, |_| 45_000, (0, ""));
        check(cool, |second| 70_000 - 100 * second, (200, ""));
        check(cool, |second| (70_000 - 100 * second).max(60_000), (220, "stays at 60.0 °C"));
        check(cool, |second| 80_000 - 10 * second, (600, "after 600 s"));
        check(heat, |second| 40_000 + 1000 * second, (30, ""));
        check(heat, |second| (40_000 + 1000 * second).min(65_000), (145, "less cooling"));
    }

    #[test]
    fn stop_condition_at_limit() {
        let board = "== /sys/class/thermal/thermal_zone0/type\ncpu-thermal\n\
                     == /sys/class/thermal/thermal_zone0/temp\n80000\n";
        let root = Root::from_board(board).unwrap();
        let check = |max: i64, now_ms: i64, signal: i32, expected: (i32, bool)| {
            let mut brake = brake_of(&root, max, 1000);
            drop(brake.look(now_ms, &AtomicI32::new(signal)));
            assert_eq!((brake.stop.into_inner(), brake.why.is_some()), expected);
        };
        check(90_000, 500, 0, (0, false));
        check(90_000, 1000, 0, (1, false));
        check(80_000, 500, 0, (1, true));
        check(90_000, 500, 15, (15, true));
    }
    #[test]
    fn stop_condition_on_sensor_failure() {
        const TEMP: &str = "/sys/class/thermal/thermal_zone0/temp";
        let board = format!("== /sys/class/thermal/thermal_zone0/type\ncpu-thermal\n== {TEMP}\n60000\n");
        let root = Root::from_board(&board).unwrap();
        let not_cancelled = AtomicI32::new(0);
        let mut brake = brake_of(&root, 90_000, 60_000);
        let mut stops_at = |temperature: &str, at_ms: &[i64]| {
            root.write(TEMP, temperature).unwrap();
            let stopped = at_ms.iter().find(|at_ms| {
                drop(brake.look(**at_ms, &not_cancelled));
                brake.stop.load(Ordering::Relaxed) != 0
            });
            stopped.copied()
        };
        // Single failures between answers do not count.
        assert_eq!(stops_at("60000", &[0]), None);
        assert_eq!(stops_at("?", &[1000, 2000, 3000]), None);
        assert_eq!(stops_at("61000", &[4000]), None);
        assert_eq!(stops_at("?", &[5000, 6000, 7000, 8000, 9000]), Some(8000));
        let why = brake.why.unwrap();
        assert!(why.contains("sensor failed"), "{why}");
        // A thermometer that never changes under load is broken; one that changed once works.
        for (sensor_responds, second, expected) in
            [(true, "50000", Some(121_000)), (false, "50000", None), (true, "51000", None)]
        {
            root.write(TEMP, "50000").unwrap();
            let mut brake = brake_of(&root, 90_000, 600_000);
            brake.sensor_responds = sensor_responds;
            let stopped = [1000, 61_000, 121_000].into_iter().find(|at_ms| {
                drop(brake.look(*at_ms, &not_cancelled));
                root.write(TEMP, second).unwrap();
                brake.stop.load(Ordering::Relaxed) != 0
            });
            assert_eq!(stopped, expected);
        }
        // One implausible reading does not end the load; two do.
        let mut brake = brake_of(&root, 90_000, 600_000);
        let readings = ["60000", "125000", "60000", "125000", "125000"];
        let stopped = readings.iter().position(|reading| {
            root.write(TEMP, reading).unwrap();
            drop(brake.look(1000, &not_cancelled));
            brake.stop.load(Ordering::Relaxed) != 0
        });
        assert_eq!(stopped, Some(4));
        // Without a thermometer, the load ends by time only.
        let none = Root::from_board("== /proc/stat\ncpu\n").unwrap();
        let mut brake = brake_of(&none, 90_000, 60_000);
        for at_ms in [0, 10_000, 50_000] {
            drop(brake.look(at_ms, &not_cancelled));
        }
        assert_eq!(brake.stop.load(Ordering::Relaxed), 0);
    }
}
