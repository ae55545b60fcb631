//! Meters whose values are in a text that is fetched over HTTP: each kind is addresses with the paths of its values, in the
//! language of `--meter json:`. The first address with values is asked from then on.
//!
//! NETIO adds up energy in whole watt hours, which is coarse: 3600 J. Shelly's first generation adds up watt minutes, its
//! devices with a meter of their own (EM) watt hours, the second generation watt hours with three decimals. Tasmota adds
//! up kilowatt hours with three decimals unless `EnergyRes` is set to 5. Another sbc-bench tells the values of its own
//! meters, never those of its own board.

use super::fields::{Fields, Format};
use super::http::Client;
use super::{Address, Answer, Kind, NETWORK, Opened, Source, Takes};
use machine::Failure;
use std::time::Duration;

pub(super) const JSON: Kind = Kind {
    id: "json",
    usage: "json:http://HOST/PATH#$.power:W",
    about: "Any JSON over HTTP: a path with its unit for each value, as $.power:mW,$.energy.total:Wh,$.time:time.",
    needs: "nothing",
    quality: "that of its source; energy and time stamp where a path names them",
    document: "https://www.rfc-editor.org/rfc/rfc8259",
    takes: Takes::Url,
    open: |address, _| own(address, Format::Json),
    ..NETWORK
};

pub(super) const PROMETHEUS: Kind = Kind {
    id: "prometheus",
    usage: "prometheus:http://HOST:PORT/metrics#NAME{LABEL=\"VALUE\"}:W",
    about: "Any exporter of metrics: name, labels and unit of each value.",
    needs: "nothing",
    quality: "that of its source; energy and time stamp where a metric has them",
    document: "https://prometheus.io/docs/instrumenting/exposition_formats/",
    takes: Takes::Url,
    open: |address, _| own(address, Format::Metrics),
    ..NETWORK
};

pub(super) const SBC_BENCH: Kind = Kind {
    id: "sbc-bench",
    usage: "sbc-bench:HOST[:PORT][/N|/all]",
    about: "The meters of another sbc-bench, from its monitor with --prometheus, or with --web and the path of its page.",
    needs: "on the other machine: sbc-bench monitor --quiet --meter ... --prometheus 0.0.0.0:9478",
    quality: "1 mW, once per second, energy counter where that meter has one",
    document: "https://prometheus.io/docs/instrumenting/exposition_formats/",
    takes: Takes::HostAndPath,
    open: |address, _| Ok(pages(&with_port(&address.host), address, "", Format::Metrics, &[OTHER])),
    ..NETWORK
};

pub(super) const NETIO: Kind = Kind {
    id: "netio",
    about: "NETIO power sockets, XML interface.",
    usage: "netio:HOST[/N|/all]",
    needs: "the XML API switched on in its web interface",
    quality: "about 10 mW, once per second, energy counter of 1 Wh",
    document: "https://www.netio-products.com/files/download/sw/version/NETIO-M2M-API-Protocol-XML_1-6-1.pdf",
    poll: Duration::from_millis(800),
    open: |address, _| Ok(pages(&address.host, address, "", Format::Xml, &[NETIO_XML])),
    ..NETWORK
};

pub(super) const NETIO_JSON: Kind = Kind {
    id: "netio-json",
    about: "NETIO power sockets, JSON interface.",
    usage: "netio-json:HOST[/N|/all]",
    needs: "the JSON API switched on in its web interface",
    document: "https://www.netio-products.com/files/download/sw/version/JSON---description-of-NETIO-M2M-API-interface---PDF_1-1-6.pdf",
    open: |address, _| Ok(pages(&address.host, address, "", Format::Json, &[NETIO_OUTPUTS])),
    ..NETIO
};

pub(super) const SHELLY: Kind = Kind {
    id: "shelly",
    about: "Shelly plugs and switches, all generations.",
    usage: "shelly:HOST[/N|/all]",
    needs: "no password on the device",
    quality: "10 to 100 mW, once per second, energy counter of 1 mWh to 17 mWh",
    document: "https://shelly-api-docs.shelly.cloud/",
    open: |address, _| Ok(pages(&address.host, address, "Shelly", Format::Json, &SHELLY_OUTPUTS)),
    ..NETWORK
};

pub(super) const TASMOTA: Kind = Kind {
    id: "tasmota",
    about: "Plugs with Tasmota firmware.",
    usage: "tasmota:HOST[/N|/all]",
    needs: "no password on the device",
    quality: "1 W (100 mW after the command WattRes 1), once per second, energy counter of 1 Wh (10 mWh after EnergyRes 5)",
    document: "https://tasmota.github.io/docs/Commands/#power-monitoring",
    open: |address, _| Ok(pages(&address.host, address, "Tasmota", Format::Json, &[TASMOTA_OUTPUTS])),
    ..NETWORK
};

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
    sbc_bench_channel_amperes{channel=\"meter*.current\"}:A,sbc_bench_sample_time_seconds:time";
/// Port of the examples of `monitor --prometheus`.
const OTHER_PORT: u16 = 9478;

fn with_port(host: &str) -> String {
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()) && !host.ends_with(']');
    if has_port { host.to_owned() } else { format!("{host}:{OTHER_PORT}") }
}

/// A text that is fetched, by its addresses.
struct Page {
    client: Client,
    name: &'static str,
    format: Format,
    /// Addresses with their values; only the one that had some, once that is known.
    places: Vec<(String, Fields)>,
}

/// The address that the user gave.
fn own(address: &Address, format: Format) -> Opened {
    let fields = address.fields.clone().ok_or("no path")?;
    Ok(Box::new(Page { client: Client::new(), name: "", format, places: vec![(address.host.clone(), fields)] }))
}

/// The addresses of a kind on a host.
fn pages(host: &str, address: &Address, name: &'static str, format: Format, rows: &[&str]) -> Box<dyn Source> {
    let places = rows.iter().filter_map(|row| {
        let (path, fields) = row.split_once('#')?;
        Some((format!("http://{host}{}{path}", address.path), Fields::parse(fields).ok()?))
    });
    Box::new(Page { client: Client::new(), name, format, places: places.collect() })
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
                    // A device without this address may have the next one.
                    Err(why @ Failure::Garbled(_)) => {
                        failure = why;
                        continue;
                    }
                    Err(why) => return Err(why),
                },
            };
            if let Some(mut answer) = fields.answer(self.format, &text) {
                if answer.name.is_empty() {
                    self.name.clone_into(&mut answer.name);
                }
                let found = self.places.swap_remove(place);
                self.places = vec![found];
                return Ok(Some(answer));
            }
            failure = Failure::garbled(text.as_bytes());
            fetched = Some((url, text));
        }
        Err(failure)
    }
}

#[cfg(test)]
mod tests;
