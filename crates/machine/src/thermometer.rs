//! Temperature on demand, for waits and limits. It reopens its file for each reading, which is sufficient for one a
//! second; the sampler is for more.

use crate::Root;
use crate::sensors::{self, NONE, Parser, ReadMethod, SENSORS, Scale, known};
use record::soc_temperature::{SocTemperature, choose, is_reading};
use record::{Channel, Missing, Reading};

/// Temperature of the SoC.
#[derive(Debug, Clone)]
pub struct Thermometer {
    path: String,
    parser: Parser,
    /// Thousandths of a degree or whole degrees, as learnt when it was found.
    scale: Scale,
    /// Index of the value among those of the file.
    place: usize,
    places: usize,
    why: String,
}

/// Sensors with temperatures in files.
const KINDS: [&str; 2] = ["thermal-zones", "hwmon"];

impl Thermometer {
    /// Finds the sensor of the SoC, with the common choice.
    ///
    /// # Errors
    /// The machine has no sensor for the SoC.
    pub fn find(root: &Root) -> Reading<Self> {
        let (channels, mut found) = Self::all(root);
        for thermometer in &mut found {
            thermometer.learn_scale(root);
        }
        let choice = choose(&channels, |place| found[place].millicelsius(root).ok(), |_| None)?;
        let place = choice.place(&channels).unwrap_or_default();
        Ok(Self { why: choice.sentence(&channels), ..found.swap_remove(place) })
    }

    /// Sensor of an earlier choice.
    ///
    /// # Errors
    /// The sensor is not in a file: network meters also have temperatures.
    pub fn of(root: &Root, choice: &SocTemperature) -> Reading<Self> {
        let (channels, mut found) = Self::all(root);
        let no_file = || Missing::unsupported(choice.channel.to_string(), "it has no file of its own");
        let place = choice.place(&channels).ok_or_else(no_file)?;
        let mut thermometer = Self { why: choice.sentence(&channels), ..found.swap_remove(place) };
        thermometer.learn_scale(root);
        Ok(thermometer)
    }

    /// All temperatures in files, with their channels.
    fn all(root: &Root) -> (Vec<Channel>, Vec<Self>) {
        let kinds = SENSORS.iter().filter(|sensor| KINDS.contains(&sensor.id));
        let probes: Vec<_> = sensors::discover(kinds, root).collect();
        let mut channels = Vec::new();
        let mut found: Vec<Self> = Vec::new();
        for probe in &probes {
            let ReadMethod::File(parser) = probe.read else { continue };
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
        (channels, found)
    }

    /// Learns from the first reading whether values are whole degrees.
    fn learn_scale(&mut self, root: &Root) {
        if let Ok((_, mut values)) = self.raw(root) {
            self.scale.apply(&mut values);
        }
    }

    /// Sensor and reason of the choice.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Current temperature in thousandths of a degree Celsius.
    ///
    /// # Errors
    /// The sensor does not respond, or its value is not plausible.
    pub fn millicelsius(&self, root: &Root) -> Reading<i64> {
        let (bytes, mut values) = self.raw(root)?;
        self.scale.clone().apply(&mut values);
        known(values[self.place])
            .filter(|value| is_reading(*value))
            .ok_or_else(|| Missing::garbled(self.path.clone(), &String::from_utf8_lossy(&bytes)))
    }

    /// Content of the file, and its numbers.
    fn raw(&self, root: &Root) -> Reading<(Vec<u8>, Vec<i64>)> {
        let bytes = root.read_bytes(&self.path)?;
        let mut values = vec![NONE; self.places];
        (self.parser)(&bytes, &mut values);
        Ok((bytes, values))
    }
}

/// Lowest temperature at which the kernel shuts down, in thousandths of a degree: trip points of type `critical` and
/// the `crit` values of hwmon. (Kernel: Documentation/driver-api/thermal/sysfs-api.rst.) Implausibly high values are
/// ignored.
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
    use record::ChannelId;
    use record::soc_temperature::SocReason;

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
    fn sensor_of_the_cpu_is_read() {
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
    fn the_sensor_that_a_run_has_chosen_is_read() {
        let root = Root::from_board(BOARD).unwrap();
        let (channels, _) = Thermometer::all(&root);
        let choice = |zone| {
            let (channel, why) = (ChannelId::zone_temperature(zone), SocReason::Name { about: "x".into() });
            SocTemperature { channel, why }
        };
        assert_eq!(channels.len(), 2);
        let thermometer = Thermometer::of(&root, &choice(0)).unwrap();
        assert_eq!((thermometer.millicelsius(&root), thermometer.why().contains("gpu-thermal")), (Ok(51_000), true));
        assert!(Thermometer::of(&root, &choice(2)).is_err());
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
