//! Thermometer of a stress load, read by its own thread so that a hanging sensor does not delay the end of the load.

use machine::{Root, Thermometer};
use record::soc_temperature::SocTemperature;
use record::{Missing, Reading};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Interval between reads.
const BEAT: Duration = Duration::from_millis(250);
/// Maximum age of a valid temperature.
const AGE_MAX: Duration = Duration::from_secs(2);

/// Source of the latest temperature.
pub(super) enum Gauge<'a> {
    /// Read directly: board files answer at once.
    Here(&'a Root, Thermometer),
    /// Latest value of a thread that reads until this is dropped.
    SlowSource(Arc<LatestReading>),
}

/// Last reading with its time.
type LatestReading = Mutex<(Reading<i64>, Instant)>;

impl<'a> Gauge<'a> {
    /// Thermometer of the SoC: the sensor chosen by the run, or, before its first row, the one it would choose.
    ///
    /// # Errors
    /// The machine has no such sensor.
    pub(super) fn find(root: &'a Root, chosen: Option<&SocTemperature>) -> Reading<Self> {
        let chosen = chosen.and_then(|choice| Thermometer::of(root, choice).ok());
        let thermometer = chosen.map_or_else(|| Thermometer::find(root), Ok)?;
        if root.is_board() {
            return Ok(Self::Here(root, thermometer));
        }
        let first = thermometer.millicelsius(root);
        let latest = Arc::new(Mutex::new((first, Instant::now())));
        let (kept, own, there) = (Arc::downgrade(&latest), thermometer.clone(), root.clone());
        let builder = std::thread::Builder::new().name("slow-sensors".into());
        let started = builder.spawn(move || follow(&kept, || own.millicelsius(&there)));
        // Reads in this thread if the kernel refuses another one.
        Ok(match started {
            Ok(_) => Self::SlowSource(latest),
            Err(_) => Self::Here(root, thermometer),
        })
    }

    /// The temperature now, in thousandths of a degree Celsius.
    pub(super) fn now(&self) -> Reading<i64> {
        match self {
            Self::Here(root, thermometer) => thermometer.millicelsius(root),
            Self::SlowSource(latest) => {
                let latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
                match latest.1.elapsed() {
                    age if age > AGE_MAX => Err(Missing::unsupported(
                        "the temperature sensor",
                        format!("no reading for {} s", age.as_secs()),
                    )),
                    _ => latest.0.clone(),
                }
            }
        }
    }
}

fn follow(kept: &Weak<LatestReading>, read: impl Fn() -> Reading<i64>) {
    while kept.strong_count() > 0 {
        std::thread::sleep(BEAT);
        let now = read();
        if let Some(latest) = kept.upgrade() {
            *latest.lock().unwrap_or_else(PoisonError::into_inner) = (now, Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hanging_sensor_does_not_block() {
        let long_ago = Instant::now().checked_sub(AGE_MAX * 2).unwrap();
        let gauge = Gauge::SlowSource(Arc::new(Mutex::new((Ok(40_000), long_ago))));
        let why = gauge.now().unwrap_err().to_string();
        assert!(why.contains("no reading for 4 s"), "{why}");
    }

    #[test]
    fn thread_ends_with_its_gauge() {
        let latest = Arc::new(Mutex::new((Ok(1), Instant::now())));
        let kept = Arc::downgrade(&latest);
        let thread = std::thread::spawn(move || follow(&kept, || Ok(2)));
        while latest.lock().unwrap().0 != Ok(2) {
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(latest);
        thread.join().unwrap();
    }
}
