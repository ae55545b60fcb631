//! Meter: power sockets of NETIO, by their XML or JSON interface (it has to be switched on there).
//!
//! They add up energy in whole watt hours, which is coarse: 3600 J. Power is made from voltage,
//! current and power factor, because the power they tell is rounded to whole watts.

use super::http::{Client, whole};
use super::{Address, Answer, Kind, Output, Source};
use machine::Failure;
use quick_xml::events::Event;
use serde_json::Value;
use std::time::Duration;

pub(super) const KIND: Kind = Kind {
    id: "netio",
    about: "NETIO power sockets, XML interface.",
    document: "https://www.netio-products.com/files/download/sw/version/NETIO-M2M-API-Protocol-XML_1-6-1.pdf",
    poll: Duration::from_millis(800),
    open: |address| open(address, "/netio.xml", parse_xml),
};

pub(super) const KIND_JSON: Kind = Kind {
    id: "netio-json",
    about: "NETIO power sockets, JSON interface.",
    document: "https://www.netio-products.com/files/download/sw/version/JSON---description-of-NETIO-M2M-API-interface---PDF_1-1-6.pdf",
    poll: Duration::from_millis(800),
    open: |address| open(address, "/netio.json", parse_json),
};

const MICROJOULES_PER_WATT_HOUR: f64 = 3.6e9;

type Parser = fn(&str) -> Option<Answer>;

struct Netio {
    client: Client,
    path: &'static str,
    parser: Parser,
}

fn open(address: &Address, path: &'static str, parser: Parser) -> Result<Box<dyn Source>, String> {
    Ok(Box::new(Netio { client: Client::new(&address.host), path, parser }))
}

impl Source for Netio {
    fn read(&mut self) -> Result<Answer, Failure> {
        let text = self.client.get(self.path)?;
        (self.parser)(&text).ok_or_else(|| Failure::garbled(text.as_bytes()))
    }
}

/// Values of an output in its own units.
#[derive(Default)]
struct Raw {
    milliamperes: Option<f64>,
    power_factor: Option<f64>,
    load_watts: Option<f64>,
    watt_hours: Option<f64>,
}

impl Raw {
    fn output(&self, volts: Option<f64>) -> Output {
        let product = volts
            .zip(self.milliamperes)
            .zip(self.power_factor)
            .and_then(|((volts, milliamperes), factor)| whole(volts * milliamperes * factor, 1.0));
        Output {
            milliwatts: product.or(self.load_watts.and_then(|watts| whole(watts, 1e3))),
            microjoules: self.watt_hours.and_then(|hours| whole(hours, MICROJOULES_PER_WATT_HOUR)),
            millivolts: volts.and_then(|volts| whole(volts, 1e3)),
            milliamperes: self.milliamperes.and_then(|current| whole(current, 1.0)),
        }
    }
}

/// The XML answer: elements with one value each.
pub(super) fn parse_xml(text: &str) -> Option<Answer> {
    let mut reader = quick_xml::Reader::from_str(text);
    let (mut path, mut value) = (Vec::<String>::new(), String::new());
    let (mut name, mut volts, mut raws) = (String::new(), None, Vec::new());
    loop {
        match reader.read_event().ok()? {
            Event::Start(element) => {
                let within = path.last().map(String::as_str);
                let is_output = element.local_name().as_ref() == "Output";
                let is_listed = is_output && within == Some("Outputs");
                path.push(element.local_name().as_ref().to_owned());
                value.clear();
                if is_listed {
                    raws.push(Raw::default());
                }
            }
            Event::Text(text) => value.push_str(&text),
            Event::End(_) => {
                let element = path.pop()?;
                let number = value.trim().parse::<f64>().ok().filter(|n| n.is_finite());
                let within = path.last().map(String::as_str);
                match (within, element.as_str()) {
                    (Some("Agent"), "Model") => name = value.trim().to_owned(),
                    (Some("GlobalMeasure"), "Voltage") => volts = number,
                    (Some("Output"), element) => set(raws.last_mut()?, element, number),
                    _ => {}
                }
                value.clear();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    answer(name, volts, &raws)
}

fn set(raw: &mut Raw, element: &str, number: Option<f64>) {
    match element {
        "Current" => raw.milliamperes = number,
        "PowerFactor" => raw.power_factor = number,
        "Load" => raw.load_watts = number,
        "Energy" => raw.watt_hours = number,
        _ => {}
    }
}

/// The JSON answer.
pub(super) fn parse_json(text: &str) -> Option<Answer> {
    let answered: Value = serde_json::from_str(text).ok()?;
    let volts = answered["GlobalMeasure"]["Voltage"].as_f64();
    let outputs = answered["Outputs"].as_array()?.iter();
    let raws: Vec<Raw> = outputs
        .map(|output| Raw {
            milliamperes: output["Current"].as_f64(),
            power_factor: output["PowerFactor"].as_f64(),
            load_watts: output["Load"].as_f64(),
            watt_hours: output["Energy"].as_f64(),
        })
        .collect();
    let name = answered["Agent"]["Model"].as_str().unwrap_or_default();
    answer(name.to_owned(), volts, &raws)
}

fn answer(name: String, volts: Option<f64>, raws: &[Raw]) -> Option<Answer> {
    let outputs: Vec<Output> = raws.iter().map(|raw| raw.output(volts)).collect();
    (!outputs.is_empty()).then_some(Answer { name, outputs })
}

/// Made after the documented example of the JSON interface.
#[cfg(test)]
pub(super) const EXAMPLE_JSON: &str = r#"{"Agent":{"Model":"NETIO 4All","Version":"3.0.1","JSONVer":"2.1","DeviceName":"bench","NumOutputs":2},
"GlobalMeasure":{"Voltage":231.4,"TotalCurrent":52,"OverallPowerFactor":0.47,"TotalLoad":5,"TotalEnergy":1300,"Frequency":50.0},
"Outputs":[{"ID":1,"Name":"board","State":1,"Action":6,"Delay":500,"Current":52,"PowerFactor":0.47,"Load":5,"Energy":1234},
{"ID":2,"Name":"other","State":0,"Action":6,"Delay":500,"Current":0,"PowerFactor":0.0,"Load":0,"Energy":66}]}"#;

#[cfg(test)]
mod tests {
    use super::super::testing::{check, served};
    use super::*;

    /// Made after the documented example of the XML interface.
    const XML: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<set:Root xmlns:set="http://www.netio-products.com/XMLSchema/NetioProducts.xsd">
<Agent><Model>NETIO 4All</Model><DeviceName>bench</DeviceName><Version>3.0.1</Version><XmlVer>2.0</XmlVer><NumOutputs>2</NumOutputs></Agent>
<GlobalMeasure><Voltage>231.4</Voltage><Frequency>50.0</Frequency><TotalCurrent>52</TotalCurrent><OverallPowerFactor>0.47</OverallPowerFactor><TotalLoad>5</TotalLoad><TotalEnergy>1300</TotalEnergy></GlobalMeasure>
<Outputs>
<Output><ID>1</ID><Name>board</Name><State>1</State><Action>6</Action><Delay>500</Delay><Current>52</Current><PowerFactor>0.47</PowerFactor><Load>5</Load><Energy>1234</Energy></Output>
<Output><ID>2</ID><Name>other</Name><State>0</State><Action>6</Action><Delay>500</Delay><Current>0</Current><PowerFactor>0.00</PowerFactor><Load>0</Load><Energy>66</Energy></Output>
</Outputs>
</set:Root>"#;

    use super::EXAMPLE_JSON as JSON;
    fn expected() -> Answer {
        let output = |milliwatts, watt_hours: i64, milliamperes| Output {
            milliwatts: Some(milliwatts),
            microjoules: Some(watt_hours * 3_600_000_000),
            millivolts: Some(231_400),
            milliamperes: Some(milliamperes),
        };
        Answer {
            name: "NETIO 4All".into(),
            // 231.4 V * 52 mA * 0.47 = 5655 mW, where the rounded load is 5 W.
            outputs: vec![output(5_655, 1_234, 52), output(0, 66, 0)],
        }
    }

    #[test]
    fn both_interfaces_say_the_same() {
        assert_eq!(parse_xml(XML), Some(expected()));
        assert_eq!(parse_json(JSON), Some(expected()));
    }

    #[test]
    fn rounded_load_without_power_factor() {
        let old = XML.replace("<PowerFactor>0.47</PowerFactor>", "");
        let answer = parse_xml(&old).unwrap();
        assert_eq!(answer.outputs[0].milliwatts, Some(5_000));
        let wild = JSON.replace("\"Load\":5", "\"Load\":\"x\"");
        assert_eq!(parse_json(&wild).unwrap(), expected());
    }

    #[test]
    fn garbled_answers_are_refused() {
        check(
            &[parse_xml, parse_json],
            &["", "<a>", "<a/>", "{}", "[]", "{\"Outputs\":[]}", "</Output>", "<Output><Load>1</Load></Output>"],
        );
    }

    #[test]
    fn meter_is_polled_over_the_network() {
        let pages = [("/netio.xml", XML), ("/netio.json", JSON)];
        for kind in ["netio", "netio-json"] {
            served(&pages, |host| {
                let row = super::super::testing::first_row(&format!("{kind}:{host}/1"));
                assert_eq!(row[1..], [1_234 * 3_600_000_000, 5_655, 231_400, 52]);
            });
        }
    }
}
