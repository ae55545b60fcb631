//! Meter: plugs with the firmware Tasmota, by the command `Status 8` over HTTP.
//!
//! It adds up energy in kilowatt hours, with three decimals unless `EnergyRes` is set to 5: set it,
//! and energy is known to 0.01 Wh.

use super::http::{Client, scaled};
use super::{Address, Answer, Kind, Output, Source};
use machine::Failure;
use serde_json::Value;
use std::time::Duration;

pub(super) const KIND: Kind = Kind {
    id: "tasmota",
    about: "Plugs with Tasmota firmware.",
    document: "https://tasmota.github.io/docs/Commands/#power-monitoring",
    poll: Duration::from_secs(1),
    open,
};

const MICROJOULES_PER_KILOWATT_HOUR: f64 = 3.6e12;

struct Tasmota(Client);

fn open(address: &Address) -> Result<Box<dyn Source>, String> {
    Ok(Box::new(Tasmota(Client::new(&address.host))))
}

impl Source for Tasmota {
    fn read(&mut self) -> Result<Answer, Failure> {
        let status = self.0.get_json("/cm?cmnd=Status%208")?;
        let outputs = outputs(&status["StatusSNS"]["ENERGY"]);
        if outputs.is_empty() {
            return Err(Failure::garbled(status.to_string().as_bytes()));
        }
        Ok(Answer { name: "Tasmota".into(), outputs })
    }
}

/// Each value stands alone, or is a list with one for each output.
pub(super) fn outputs(energy: &Value) -> Vec<Output> {
    let count = match &energy["Power"] {
        Value::Array(list) => list.len(),
        Value::Number(_) => 1,
        _ => 0,
    };
    let value = |key: &str, index: usize, factor: f64| match &energy[key] {
        Value::Array(list) => scaled(list.get(index)?, factor),
        // What is measured for all outputs together, as the voltage, holds for each; energy and
        // current do only where there is one output.
        alone if count == 1 || key == "Voltage" => scaled(alone, factor),
        _ => None,
    };
    let output = |index| Output {
        milliwatts: value("Power", index, 1e3),
        microjoules: value("Total", index, MICROJOULES_PER_KILOWATT_HOUR),
        millivolts: value("Voltage", index, 1e3),
        milliamperes: value("Current", index, 1e3),
    };
    (0..count).map(output).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{first_row, served};
    use super::*;
    use machine::sensors::NONE;

    #[test]
    fn one_output_and_several() {
        let alone = r#"{"StatusSNS":{"Time":"2026-01-01T00:00:00","ENERGY":{"TotalStartTime":"2025-01-01T00:00:00","Total":1.23456,"Yesterday":0.003,"Today":0.1,"Power":5.3,"ApparentPower":9,"ReactivePower":8,"Factor":0.57,"Voltage":235,"Current":0.041}}}"#;
        let several = r#"{"StatusSNS":{"ENERGY":{"Total":1.5,"Power":[3,7],"Voltage":230,"Current":[0.02,0.05]}}}"#;
        for (page, output, expected) in
            [(alone, 1, [4_444_416_000_000, 5_300, 235_000, 41]), (several, 2, [NONE, 7_000, 230_000, 50])]
        {
            served(&[("/cm?cmnd=Status%208", page)], |host| {
                assert_eq!(first_row(&format!("tasmota:{host}/{output}"))[1..], expected);
            });
        }
    }

    #[test]
    fn device_without_meter_has_no_outputs() {
        for text in ["{}", "null", "{\"Power\":\"x\"}", "{\"Power\":[]}"] {
            let energy: Value = serde_json::from_str(text).unwrap();
            assert_eq!(outputs(&energy), [], "{text}");
        }
    }
}
