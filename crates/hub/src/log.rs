//! The log: one JSON object a line, on standard error, for journald and its like.

use crate::clock;
use serde_json::{Map, Value};
use std::io::Write;

/// Writes one line. A log that nobody reads holds up nothing: a line that cannot be written is lost.
pub fn event(what: &str, fields: &[(&str, &str)]) {
    let mut line = Map::new();
    line.insert("utc_ms".into(), clock::now_utc_ms().into());
    line.insert("event".into(), what.into());
    for (name, value) in fields {
        line.insert((*name).to_owned(), Value::from(*value));
    }
    let text = format!("{}\n", Value::Object(line));
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
