//! Meter: plugs and switches of Shelly, both generations of their interface.
//!
//! Which generation it is, the device itself says at `/shelly`. The first adds up watt minutes, its
//! devices with a meter of their own (EM) watt hours, the second watt hours with three decimals.

use super::http::{Client, scaled};
use super::{Address, Answer, Kind, Output, Source};
use machine::Failure;
use serde_json::Value;
use std::time::Duration;

pub(super) const KIND: Kind = Kind {
    id: "shelly",
    about: "Shelly plugs and switches, all generations.",
    document: "https://shelly-api-docs.shelly.cloud/",
    poll: Duration::from_secs(1),
    open,
};

const MICROJOULES_PER_WATT_MINUTE: f64 = 6e7;
const MICROJOULES_PER_WATT_HOUR: f64 = 3.6e9;

/// A device of four outputs is the largest.
const OUTPUTS_MAX: usize = 4;

struct Shelly {
    client: Client,
    /// `None` before the first request.
    description: Option<Value>,
}

fn open(address: &Address) -> Result<Box<dyn Source>, String> {
    Ok(Box::new(Shelly { client: Client::new(&address.host), description: None }))
}

impl Source for Shelly {
    fn read(&mut self) -> Result<Answer, Failure> {
        let description = match self.description.take() {
            Some(description) => description,
            None => self.client.get_json("/shelly")?,
        };
        let description = self.description.insert(description);
        let path = match description["gen"].as_u64() {
            Some(2..) => "/rpc/Shelly.GetStatus",
            _ => "/status",
        };
        let status = self.client.get_json(path)?;
        let outputs = outputs(&status);
        if outputs.is_empty() {
            return Err(Failure::garbled(status.to_string().as_bytes()));
        }
        let model = ["app", "model", "type"].iter().find_map(|key| description[key].as_str());
        Ok(Answer { name: format!("Shelly {}", model.unwrap_or_default()).trim().to_owned(), outputs })
    }
}

/// The outputs in a status of either generation.
pub(super) fn outputs(status: &Value) -> Vec<Output> {
    let first = |key: &str, per_unit: f64| -> Vec<Output> {
        let meters = status[key].as_array().into_iter().flatten();
        let valid = meters.filter(|meter| meter["is_valid"] != false);
        valid
            .map(|meter| Output {
                milliwatts: scaled(&meter["power"], 1e3),
                microjoules: scaled(&meter["total"], per_unit),
                millivolts: scaled(&meter["voltage"], 1e3),
                milliamperes: None,
            })
            .collect()
    };
    let energy_meters = first("emeters", MICROJOULES_PER_WATT_HOUR);
    if !energy_meters.is_empty() {
        return energy_meters;
    }
    let meters = first("meters", MICROJOULES_PER_WATT_MINUTE);
    if !meters.is_empty() {
        return meters;
    }
    let components = ["switch", "pm1"]
        .into_iter()
        .flat_map(|component| (0..OUTPUTS_MAX).map(move |index| &status[format!("{component}:{index}")]));
    components.filter_map(second).collect()
}

/// A component of the second generation; none if it has no meter.
fn second(component: &Value) -> Option<Output> {
    let milliwatts = scaled(&component["apower"], 1e3)?;
    Some(Output {
        milliwatts: Some(milliwatts),
        microjoules: scaled(&component["aenergy"]["total"], MICROJOULES_PER_WATT_HOUR),
        millivolts: scaled(&component["voltage"], 1e3),
        milliamperes: scaled(&component["current"], 1e3),
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{first_row, served};
    use super::*;
    use machine::sensors::NONE;

    /// Made after the documented examples.
    const PLUG_S: &str = r#"{"wifi_sta":{"connected":true},"relays":[{"ison":true}],
"meters":[{"power":4.27,"overpower":0.00,"is_valid":true,"timestamp":1700000000,"counters":[4.260,4.110,4.300],"total":12345}],"uptime":3600}"#;
    const EM: &str = r#"{"emeters":[{"power":12.5,"reactive":-3.1,"pf":0.97,"voltage":230.15,"is_valid":true,"total":77.4,"total_returned":0.0},
{"power":0.0,"voltage":230.1,"is_valid":false,"total":0.0}],"meters":[]}"#;
    const PLUS: &str = r#"{"sys":{"uptime":9},"switch:0":{"id":0,"source":"init","output":true,"apower":8.9,"voltage":237.5,"freq":50.0,"current":0.083,
"aenergy":{"total":6.532,"by_minute":[45.199,47.141,88.397],"minute_ts":1626935779},"temperature":{"tC":23.5,"tF":74.4}}}"#;

    #[test]
    fn devices_of_both_generations() {
        for (description, page, status, name_and_row) in [
            (r#"{"type":"SHPLG-S","mac":"A","auth":false}"#, "/status", PLUG_S, [740_700_000_000, 4_270, NONE, NONE]),
            (r#"{"type":"SHEM","mac":"A"}"#, "/status", EM, [278_640_000_000, 12_500, 230_150, NONE]),
            (
                r#"{"name":null,"app":"PlugS","model":"SNPL-00112EU","gen":2}"#,
                "/rpc/Shelly.GetStatus",
                PLUS,
                [23_515_200_000, 8_900, 237_500, 83],
            ),
        ] {
            served(&[("/shelly", description), (page, status)], |host| {
                assert_eq!(first_row(&format!("shelly:{host}"))[1..], name_and_row);
            });
        }
    }

    #[test]
    fn device_without_meter_has_no_outputs() {
        for text in ["{}", "[]", "null", r#"{"meters":5}"#, r#"{"switch:0":{"output":true}}"#] {
            let status: Value = serde_json::from_str(text).unwrap();
            assert_eq!(outputs(&status), [], "{text}");
        }
    }
}
