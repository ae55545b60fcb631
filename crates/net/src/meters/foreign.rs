//! Parsers of meter answers as functions of text, for fuzzing.

use super::fields::{Fields, Format};
use super::{fnirsi, lines, smartpower, sockets};

/// Name in kebab-case, and parser.
type Parser = (&'static str, fn(&str));

/// Paths with every kind of step.
const PATHS: &str = "$.Outputs[*].Load:W,$.switch:*.apower:W,$.ENERGY.Power:W,$.ENERGY.Voltage:V,$[0][\"a\"]:mA,$.Time:time,\
    $:J,$.ok:valid,$.name:name,$.factor:pf";
const METRICS: &str = "sbc_bench_channel_watts{channel=\"meter*.power\"}:W,power_watts:W,time:time";

/// All parsers.
pub const PARSERS: &[Parser] = &[
    ("meter-http", sockets::http),
    ("meter-json", |text| feed(Format::Json, PATHS, text)),
    ("meter-lines", |text| {
        drop(smartpower::parse_2(text));
        drop(smartpower::parse_3(text));
        lines::foreign(text);
    }),
    ("meter-metrics", |text| feed(Format::Metrics, METRICS, text)),
    ("meter-paths", |text| drop(Fields::parse(text))),
    // Reports of hidraw in hexadecimal.
    ("meter-report", |text| {
        let digit = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Vec<u8> = text.trim().as_bytes().chunks(2).filter_map(digit).collect();
        let _ = fnirsi::parse_report(&bytes);
    }),
    ("meter-telnet", sockets::telnet),
    ("meter-udp", sockets::udp),
    ("meter-xml", |text| feed(Format::Xml, "$.Root.Outputs.Output[*].Load:W,$.Root.GlobalMeasure.Voltage:V", text)),
];

fn feed(format: Format, paths: &str, text: &str) {
    let _ = Fields::parse(paths).map(|fields| fields.answer(format, text).ok());
}
