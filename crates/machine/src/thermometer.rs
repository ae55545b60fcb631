//! One temperature, read when it is wanted: for tests that wait for one or must not exceed one.
//!
//! What this is not: the sampler. It opens its file anew for each reading, which is well enough for
//! one a second.

use crate::Root;
use crate::sensors::{NONE, Parser, Read, SENSORS, Scale, known};
use record::{Missing, Reading, soc_temperature};

/// The temperature of the SoC.
#[derive(Debug, Clone)]
pub struct Thermometer {
    path: String,
    parser: Parser,
    /// Thousandths of a degree, or whole degrees: what it told when it was found.
    scale: Scale,
    /// Place of the value among those that the file gives.
    place: usize,
    places: usize,
    why: String,
}

/// Sensors that have temperatures in files.
const KINDS: [&str; 2] = ["thermal-zones", "hwmon"];

impl Thermometer {
    /// The sensor that stands for the SoC, chosen as everywhere.
    ///
    /// # Errors
    /// The machine has no such sensor.
    pub fn find(root: &Root) -> Reading<Self> {
        let sensors = SENSORS.iter().filter(|sensor| KINDS.contains(&sensor.id));
        let probes: Vec<_> = sensors.flat_map(|sensor| (sensor.discover)(root)).collect();
        let mut channels = Vec::new();
        let mut found: Vec<Self> = Vec::new();
        for probe in &probes {
            let Read::File(parser) = probe.read else {
                continue;
            };
            for (place, channel) in probe.channels.iter().enumerate() {
                channels.push(channel.clone());
                found.push(Self {
                    path: probe.path.clone(),
                    parser,
                    scale: probe.scale.clone(),
                    place,
                    places: probe.channels.len(),
                    why: String::new(),
                });
            }
        }
        for thermometer in &mut found {
            if let Ok((_, mut values)) = thermometer.raw(root) {
                thermometer.scale.apply(&mut values);
            }
        }
        let choice = soc_temperature::choose(&channels, |index| found[index].millicelsius(root).ok(), |_| None)?;
        let place = choice.place(&channels).unwrap_or_default();
        Ok(Self { why: choice.sentence(&channels), ..found.swap_remove(place) })
    }

    /// Which sensor it is and why this one.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// The temperature now, in thousandths of a degree Celsius.
    ///
    /// # Errors
    /// The sensor does not answer, or nothing that could be a temperature.
    pub fn millicelsius(&self, root: &Root) -> Reading<i64> {
        let (bytes, mut values) = self.raw(root)?;
        self.scale.clone().apply(&mut values);
        known(values[self.place])
            .filter(|value| is_plausible(*value))
            .ok_or_else(|| Missing::garbled(self.path.clone(), &String::from_utf8_lossy(&bytes)))
    }

    /// What the file says, and its numbers.
    fn raw(&self, root: &Root) -> Reading<(Vec<u8>, Vec<i64>)> {
        let bytes = root.read_bytes(&self.path)?;
        let mut values = vec![NONE; self.places];
        (self.parser)(&bytes, &mut values);
        Ok((bytes, values))
    }
}

/// True if a sensor that is there and works can read so: exactly 0 is what absent ones read, and firmware is known
/// to answer -274 or 398 °C.
fn is_plausible(millicelsius: i64) -> bool {
    millicelsius != 0 && (-40_000..150_000).contains(&millicelsius)
}

/// The lowest temperature at which the kernel would cut the power, in thousandths of a degree: trip
/// points of type `critical` and the `crit` values of hwmon. (Kernel:
/// Documentation/driver-api/thermal/sysfs-api.rst.) Values that no chip survives are no limits.
pub fn critical_millicelsius(root: &Root) -> Option<i64> {
    let plausible = |value: &i64| (40_000..=150_000).contains(value);
    let zones = root.list("/sys/class/thermal").unwrap_or_default();
    let mut limits: Vec<i64> = Vec::new();
    for zone in zones.iter().filter(|zone| zone.starts_with("thermal_zone")) {
        let folder = format!("/sys/class/thermal/{zone}");
        let files = root.list(&folder).unwrap_or_default();
        let trips = files.iter().filter_map(|file| {
            let trip = file.strip_prefix("trip_point_")?.strip_suffix("_type")?;
            let kind = root.read_value(&format!("{folder}/{file}")).ok()?;
            (kind == "critical").then_some(trip)
        });
        limits
            .extend(trips.filter_map(|trip| root.read_number::<i64>(&format!("{folder}/trip_point_{trip}_temp")).ok()));
    }
    limits.into_iter().filter(plausible).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "\
== /sys/class/thermal/thermal_zone0/type
gpu-thermal
== /sys/class/thermal/thermal_zone0/temp
51000
== /sys/class/thermal/thermal_zone1/type
cpu-thermal
== /sys/class/thermal/thermal_zone1/temp
47500
== /sys/class/thermal/thermal_zone1/trip_point_0_type
passive
== /sys/class/thermal/thermal_zone1/trip_point_0_temp
80000
== /sys/class/thermal/thermal_zone1/trip_point_1_type
critical
== /sys/class/thermal/thermal_zone1/trip_point_1_temp
110000
";

    #[test]
    fn the_sensor_of_the_cpu_is_read() {
        let root = Root::from_board(BOARD).unwrap();
        let thermometer = Thermometer::find(&root).unwrap();
        assert_eq!(thermometer.millicelsius(&root), Ok(47_500));
        assert!(thermometer.why().contains("cpu-thermal"));
        let warmer = root.with_file("/sys/class/thermal/thermal_zone1/temp", b"91000\n");
        assert_eq!(thermometer.millicelsius(&warmer), Ok(91_000));
        for absurd in ["0", "-274000", "999000"] {
            let absurd = root.with_file("/sys/class/thermal/thermal_zone1/temp", absurd.as_bytes());
            assert!(thermometer.millicelsius(&absurd).is_err());
        }
        let broken = root.with_file("/sys/class/thermal/thermal_zone1/temp", b"hot\n");
        assert!(thermometer.millicelsius(&broken).is_err());
    }

    #[test]
    fn whole_degrees_are_known_by_the_first_reading() {
        let temp = "/sys/class/thermal/thermal_zone0/temp";
        let board = format!("== /sys/class/thermal/thermal_zone0/type\nsun8i_ths\n== {temp}\n47\n");
        let root = Root::from_board(&board).unwrap();
        let thermometer = Thermometer::find(&root).unwrap();
        assert_eq!(thermometer.millicelsius(&root), Ok(47_000));
        let hot = root.with_file(temp, b"101\n");
        assert_eq!(thermometer.millicelsius(&hot), Ok(101_000));
    }

    #[test]
    fn only_critical_trips_limit() {
        let root = Root::from_board(BOARD).unwrap();
        assert_eq!(critical_millicelsius(&root), Some(110_000));
        let none = Root::from_board("== /proc/stat\ncpu\n").unwrap();
        assert_eq!(critical_millicelsius(&none), None);
        assert!(Thermometer::find(&none).is_err());
    }
}
