//! Every parser of what a power meter says, as a function of text alone: for fuzzing.

use super::{netio, shelly, smartpower, sockets, tasmota};

/// A name, in kebab-case, and what is done with a text.
type Parser = (&'static str, fn(&str));

/// The parsers, by meter and form.
pub const PARSERS: &[Parser] = &[
    ("meter-http", sockets::http),
    ("meter-json", |text| {
        drop(netio::parse_json(text));
        if let Ok(value) = serde_json::from_str(text) {
            drop(shelly::outputs(&value));
            drop(tasmota::outputs(&value));
        }
    }),
    ("meter-lines", |text| {
        drop(smartpower::parse_2(text));
        drop(smartpower::parse_3(text));
    }),
    ("meter-telnet", sockets::telnet),
    ("meter-udp", sockets::udp),
    ("meter-xml", |text| drop(netio::parse_xml(text))),
];
