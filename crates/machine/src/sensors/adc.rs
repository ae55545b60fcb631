//! Sensor: voltages of converters on a board's inputs (IIO), and of the power controller of the Allwinner A20.
//!
//! An IIO channel is the voltage at the pin of the chip. The divider between the board's input and that pin is known
//! for a few boards only; their channel is the input voltage.

use super::{Probe, Scale, Sensor, labelled, numbered};
use crate::Root;
use crate::number::number;
use record::{BoardInput, Channel, ChannelId};

pub(super) const SENSOR: Sensor = Sensor::new("adc", discover);

const DIRECTORY: &str = "/sys/bus/iio/devices";

/// A conversion may take milliseconds, during which the reader sleeps.
const INTERVAL_MS_MIN: u32 = 1000;

/// Boards with a known channel for the input voltage: model, channel, steps per volt at the input (sbc-bench's own
/// list; vendors' schematics have the dividers).
const INPUTS: [(&str, u32, f64); 4] =
    [("ROCK 5B", 6, 173.5), ("ROCK 5 ITX", 6, 173.5), ("NanoPi R6S", 2, 206.2), ("NanoPi R6C", 2, 206.2)];

/// AXP209 power controller under patched mainline kernels, in microvolts.
const AXP: [(&str, BoardInput); 2] =
    [("/sys/power/axp_pmu/ac/voltage", BoardInput::AxpAc), ("/sys/power/axp_pmu/vbus/voltage", BoardInput::AxpVbus)];

fn discover(root: &Root) -> Vec<Probe> {
    let model = root
        .read_value("/proc/device-tree/model")
        .or_else(|_| root.read_value("/sys/firmware/devicetree/base/model"))
        .unwrap_or_default();
    let mut probes = Vec::new();
    for (name, device) in numbered(root, DIRECTORY, "iio:device") {
        let directory = format!("{DIRECTORY}/{name}");
        for file in root.list(&directory).unwrap_or_default() {
            let input = file.strip_prefix("in_voltage");
            let input = input.and_then(|rest| rest.strip_suffix("_raw"));
            let Some(input) = input.and_then(|input| input.parse::<u32>().ok()) else { continue };
            let of_board = input_of(&model, device, input);
            let scale = match of_board {
                Some(steps_per_volt) => millionths(1e6 / steps_per_volt),
                None => scale(root, &directory, input),
            };
            // Steps of unknown size are useless.
            let Some(scale) = scale else { continue };
            let (id, label) = match of_board {
                Some(_) => (ChannelId::BoardInput(BoardInput::Adc), "DC in".to_owned()),
                None => {
                    let name = root.read_value(&format!("{directory}/name"));
                    (ChannelId::Adc { device, input }, name.unwrap_or_default())
                }
            };
            let channel = labelled(Channel::of(id), label);
            let probe = Probe::file(format!("{directory}/{file}"), number, channel);
            probes.push(probe.scaled(scale).min_interval_ms(INTERVAL_MS_MIN).blocking());
        }
    }
    for (path, input) in AXP {
        if root.read(path).is_ok() {
            let channel = labelled(Channel::of(ChannelId::BoardInput(input)), "axp209");
            let probe = Probe::file(path.into(), number, channel);
            probes.push(probe.min_interval_ms(INTERVAL_MS_MIN).blocking());
        }
    }
    probes
}

/// Steps per volt if this channel is the board's input.
fn input_of(model: &str, device: u32, channel: u32) -> Option<f64> {
    let mut boards = INPUTS.iter();
    let found = boards.find(|(board, of, _)| device == 0 && *of == channel && model.contains(board));
    found.map(|(_, _, steps_per_volt)| *steps_per_volt)
}

/// `in_voltage3_scale` or the common `in_voltage_scale`: millivolts per step; likewise for the offset.
fn scale(root: &Root, directory: &str, index: u32) -> Option<Scale> {
    let value = |what: &str| {
        let own = root.read_value(&format!("{directory}/in_voltage{index}_{what}"));
        let text = own.or_else(|_| root.read_value(&format!("{directory}/in_voltage_{what}")));
        text.ok()?.parse::<f64>().ok()
    };
    let Scale::Times { millionths, .. } = millionths(value("scale")? * 1000.0)? else { return None };
    let offset = value("offset").unwrap_or(0.0) as i64;
    Some(Scale::Times { offset, millionths })
}

/// Scale for this many microvolts per step.
fn millionths(microvolts: f64) -> Option<Scale> {
    let millionths = microvolts * 1e6;
    (millionths.is_finite() && millionths >= 1.0).then_some(Scale::Times { offset: 0, millionths: millionths as i64 })
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn voltages_at_pins_and_inputs() {
        let adc = |model: &str| {
            let device = format!("{DIRECTORY}/iio:device0");
            format!(
                "== /proc/device-tree/model\n{model}\n== {device}/name\nfec10000.saradc\n\
                 == {device}/in_voltage_scale\n0.439453125\n== {device}/in_voltage1_raw\n4095\n\
                 == {device}/in_voltage6_raw\n868\n== {device}/in_voltage1-voltage2_raw\n1\n"
            )
        };
        let elsewhere = check::found(&SENSOR, &adc("Some Board"));
        let expected = ["iio0.in1 fec10000.saradc 1799560", "iio0.in6 fec10000.saradc 381445"];
        assert_eq!(elsewhere, expected);
        let here = check::found(&SENSOR, &adc("Radxa ROCK 5B"));
        assert_eq!(here[1], "adc.input.voltage DC in 5002881");
    }

    #[test]
    fn unknown_scale_is_skipped() {
        let device = format!("{DIRECTORY}/iio:device1");
        for scale in ["", "0", "x", "inf"] {
            let board = format!("== {device}/in_voltage0_raw\n7\n== {device}/in_voltage_scale\n{scale}\n");
            assert_eq!(check::found(&SENSOR, &board), [""; 0], "{scale:?}");
        }
        let board = "== /sys/power/axp_pmu/ac/voltage\n5012000\n";
        assert_eq!(check::found(&SENSOR, board), ["axp.ac.voltage axp209 5012000"]);
    }
}
