//! Meters read over HTTP: each kind has addresses with paths of values in the language of `--meter json:`. The first
//! address with values is used from then on.
//!
//! Energy counters: NETIO counts whole watt hours, Shelly's first generation watt minutes, its EM devices watt hours,
//! the second generation watt hours with three decimals, Tasmota kilowatt hours with three decimals, or five with
//! `EnergyRes 5`. Another sbc-bench reports its meters, never its own board.

use super::fields::{Fields, Format};
use super::http::Client;
use super::{Address, Answer, OpenResult, Source};
use machine::{Caller, Failure};

/// Addresses and values of one kind.
struct Place {
    kind: &'static str,
    /// Default name of the meter.
    name: &'static str,
    format: Format,
    rows: &'static [&'static str],
}

const PLACES: [Place; 5] = [
    Place { kind: "netio", name: "", format: Format::Xml, rows: &[NETIO_XML] },
    Place { kind: "netio-json", name: "", format: Format::Json, rows: &[NETIO_OUTPUTS] },
    Place { kind: SBC_BENCH, name: "", format: Format::Metrics, rows: &[OTHER] },
    Place { kind: "shelly", name: "Shelly", format: Format::Json, rows: &SHELLY_OUTPUTS },
    Place { kind: "tasmota", name: "Tasmota", format: Format::Json, rows: &[TASMOTA_OUTPUTS] },
];

/// Another sbc-bench.
const SBC_BENCH: &str = "sbc-bench";

const NETIO_XML: &str = "/netio.xml#$.Root.Outputs.Output[*].Current:mA,$.Root.Outputs.Output[*].PowerFactor:pf,\
    $.Root.Outputs.Output[*].Load:W,$.Root.Outputs.Output[*].Energy:Wh,$.Root.GlobalMeasure.Voltage:V,\
    $.Root.Agent.Model:name";
const NETIO_OUTPUTS: &str = "/netio.json#$.Outputs[*].Current:mA,$.Outputs[*].PowerFactor:pf,$.Outputs[*].Load:W,\
    $.Outputs[*].Energy:Wh,$.GlobalMeasure.Voltage:V,$.Agent.Model:name";
const SHELLY_OUTPUTS: [&str; 4] = [
    "/rpc/Shelly.GetStatus#$.switch:*.apower:W,$.switch:*.aenergy.total:Wh,$.switch:*.voltage:V,$.switch:*.current:A,\
     $.sys.uptime:time",
    "/rpc/Shelly.GetStatus#$.pm1:*.apower:W,$.pm1:*.aenergy.total:Wh,$.pm1:*.voltage:V,$.pm1:*.current:A,\
     $.sys.uptime:time",
    "/status#$.emeters[*].power:W,$.emeters[*].total:Wh,$.emeters[*].voltage:V,$.emeters[*].is_valid:valid,$.uptime:time",
    "/status#$.meters[*].power:W,$.meters[*].total:Wmin,$.meters[*].is_valid:valid,$.uptime:time",
];
const TASMOTA_OUTPUTS: &str = "/cm?cmnd=Status%208#$.StatusSNS.ENERGY.Power:W,$.StatusSNS.ENERGY.Total:kWh,\
    $.StatusSNS.ENERGY.Voltage:V,$.StatusSNS.ENERGY.Current:A,$.StatusSNS.Time:time";
const OTHER: &str = "/metrics#sbc_bench_channel_watts{channel=\"meter*.power\"}:W,\
    sbc_bench_channel_joules_total{channel=\"meter*.energy\"}:J,sbc_bench_channel_volts{channel=\"meter*.voltage\"}:V,\
    sbc_bench_channel_amperes{channel=\"meter*.current\"}:A,sbc_bench_meter_time_seconds{channel=\"meter*.power\"}:time";
/// A metric that every sbc-bench exports.
const OWN_METRIC: &str = "\nsbc_bench_sampler_ticks_total ";
/// Default port of `monitor --prometheus` in the documentation.
const OTHER_PORT: u16 = 9478;

fn with_port(host: &str) -> String {
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()) && !host.ends_with(']');
    if has_port { host.to_owned() } else { format!("{host}:{OTHER_PORT}") }
}

/// Source of one meter.
struct Page {
    client: Client,
    name: &'static str,
    format: Format,
    /// True for another sbc-bench.
    passes_on_meters: bool,
    /// Addresses with their values; reduced to the first that answers.
    places: Vec<(String, Fields)>,
}

/// Opens a user's address of JSON.
pub(super) fn open_json(address: &Address, _: Option<&Caller>) -> OpenResult {
    own(address, Format::Json)
}

/// Opens a user's address of metrics.
pub(super) fn open_metrics(address: &Address, _: Option<&Caller>) -> OpenResult {
    own(address, Format::Metrics)
}

fn own(address: &Address, format: Format) -> OpenResult {
    let fields = address.fields.clone().ok_or("no path")?;
    let places = vec![(address.host.clone(), fields)];
    Ok(Box::new(Page { client: Client::new(), name: "", format, passes_on_meters: false, places }))
}

/// Opens a kind of meter on a host.
pub(super) fn open(address: &Address, _: Option<&Caller>) -> OpenResult {
    let kind = address.kind.id;
    let Place { name, format, rows, .. } = PLACES.iter().find(|place| place.kind == kind).ok_or("no address")?;
    let passes_on_meters = kind == SBC_BENCH;
    let host = if passes_on_meters { with_port(&address.host) } else { address.host.clone() };
    let places = rows.iter().filter_map(|row| {
        let (path, fields) = row.split_once('#')?;
        Some((format!("http://{host}{}{path}", address.path), Fields::parse(fields).ok()?))
    });
    Ok(Box::new(Page { client: Client::new(), name, format: *format, passes_on_meters, places: places.collect() }))
}

impl Source for Page {
    fn read(&mut self) -> Result<Option<Answer>, Failure> {
        let mut failure = Failure::NotNamed;
        let mut fetched: Option<(&str, String)> = None;
        for (place, (url, fields)) in self.places.iter().enumerate() {
            let text = match fetched.take().filter(|(of, _)| of == url) {
                Some((_, text)) => text,
                None => match self.client.get(url) {
                    Ok(text) => text,
                    // The device may have the next address.
                    Err(why @ Failure::Garbled(_)) => {
                        failure = why;
                        continue;
                    }
                    Err(why) => return Err(why),
                },
            };
            match fields.answer(self.format, &text) {
                Ok(mut answer) => {
                    if answer.name.is_empty() {
                        self.name.clone_into(&mut answer.name);
                    }
                    let found = self.places.swap_remove(place);
                    self.places = vec![found];
                    return Ok(Some(answer));
                }
                Err(_) if self.passes_on_meters && text.contains(OWN_METRIC) => {
                    return Err(Failure::Doubtful("passes on no reading of a power meter"));
                }
                Err(why) if self.places.len() == 1 => return Err(why),
                Err(_) => failure = Failure::garbled(text.as_bytes()),
            }
            fetched = Some((url, text));
        }
        Err(failure)
    }
}

#[cfg(test)]
mod tests;
