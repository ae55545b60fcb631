//! One temperature, read when it is wanted: for tests that wait for one or must not exceed one.
//!
//! What this is not: the sampler. It reopens its file for each reading, which is well enough for
//! one a second.

use crate::Root;
use crate::sensors::{NONE, Parser, Read, SENSORS, Scale, known};
use record::soc_temperature::{SocTemperature, choose, is_reading};
use record::{Channel, Missing, Reading};

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
        let (channels, mut found) = Self::all(root);
        for thermometer in &mut found {
            thermometer.learn_scale(root);
        }
        let choice = choose(&channels, |place| found[place].millicelsius(root).ok(), |_| None)?;
        let place = choice.place(&channels).unwrap_or_default();
        Ok(Self { why: choice.sentence(&channels), ..found.swap_remove(place) })
    }

    /// The sensor that was chosen before.
    ///
    /// # Errors
    /// It is none that can be read alone: a power meter in the network has a temperature, too.
    pub fn of(root: &Root, choice: &SocTemperature) -> Reading<Self> {
        let (channels, mut found) = Self::all(root);
        let no_file = || Missing::unsupported(choice.channel.to_string(), "it has no file of its own");
        let place = choice.place(&channels).ok_or_else(no_file)?;
        let mut thermometer = Self { why: choice.sentence(&channels), ..found.swap_remove(place) };
        thermometer.learn_scale(root);
        Ok(thermometer)
    }

    /// All temperatures that are in files, with their channels.
    fn all(root: &Root) -> (Vec<Channel>, Vec<Self>) {
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
        (channels, found)
    }

    /// The first reading tells whether these are whole degrees.
    fn learn_scale(&mut self, root: &Root) {
        if let Ok((_, mut values)) = self.raw(root) {
            self.scale.apply(&mut values);
        }
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
            .filter(|value| is_reading(*value))
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
