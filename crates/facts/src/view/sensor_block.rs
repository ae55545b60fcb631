//! Temperatures of the CPU that `sensors` of lm-sensors printed before and right after the load of a log.

use record::{Record, Source, soc_temperature};

/// Highest CPU temperature in each of the two outputs of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SensorBlocks {
    /// Before the benchmarks, in thousandths of a degree.
    pub before_millicelsius: i64,
    /// Right after the last load.
    pub after_millicelsius: i64,
}

/// Temperatures that `sensors` printed in a log. `None` unless two outputs have a CPU temperature.
pub fn sensor_blocks(record: &Record) -> Option<SensorBlocks> {
    let Source::Log(log) = &record.source else { return None };
    let blocks = log.blocks.iter().filter(|block| block.heading == "sensors");
    let mut found = blocks.filter_map(|block| parse_sensors(&block.text));
    Some(SensorBlocks { before_millicelsius: found.next()?, after_millicelsius: found.next_back()? })
}

/// Highest temperature of a CPU in one output, in thousandths of a degree: a line `NAME-BUS-ADDRESS` opens a chip, and
/// lines such as `temp1:        +55.5°C` follow.
pub fn parse_sensors(text: &str) -> Option<i64> {
    let mut chip = "";
    let mut highest: Option<i64> = None;
    for line in text.lines() {
        let Some((label, value)) = line.split_once(':') else {
            if !line.trim().is_empty() && !line.starts_with(char::is_whitespace) {
                chip = line.trim();
            }
            continue;
        };
        let name = chip.rsplitn(3, '-').last().unwrap_or(chip);
        let value = value.trim_start();
        let end = value.find(|c: char| !c.is_ascii_digit() && !"+-.,".contains(c)).unwrap_or(value.len());
        let (number, unit) = value.split_at(end);
        let is_celsius = unit.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).starts_with('C');
        let celsius: Option<f64> = number.replace(',', ".").parse().ok();
        let millicelsius = celsius.map(|celsius| (celsius * 1000.0).round() as i64);
        let Some(millicelsius) = millicelsius.filter(|value| is_celsius && soc_temperature::is_reading(*value)) else {
            continue;
        };
        if soc_temperature::is_name_of_soc(name, label.trim()) {
            highest = highest.max(Some(millicelsius));
        }
    }
    highest
}

#[cfg(test)]
mod tests {
    use super::parse_sensors;
    use proptest::prelude::*;

    #[test]
    fn temperatures_of_the_cpu_are_read() {
        for (text, expected) in [
            ("cpu-hwmon-virtual-0\nCPU 0 Temperature:  +31.0 C  \n", Some(31_000)),
            (
                "ddr_thermal-virtual-0\ntemp1:        +66.5°C\n\nbigcore_thermal-virtual-0\ntemp1:        +67,5°C\n",
                Some(67_500),
            ),
            ("coretemp-isa-0000\nCore 0:       +41.0°C  (crit = +90.0°C)\nCore 1:       +43.0°C\n", Some(43_000)),
            (
                "nvme-pci-0400\nComposite:    +52.9°C  (low  = -273.1°C)\n                       (crit = +84.8°C)\n",
                None,
            ),
            ("rpi_volt-isa-0000\nin0:              N/A\n", None),
            ("cpu_thermal-virtual-0\ntemp1:         +0.0°C\n", None),
        ] {
            assert_eq!(parse_sensors(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in r"(?s)(coretemp-isa-0000\n|Core [0-9]: |[+-]?[0-9.,]{0,25}|°C|\n|.){0,40}") {
            prop_assert!(parse_sensors(&text).is_none_or(|value| (-300_000..=1_000_000).contains(&value)));
        }
    }
}
