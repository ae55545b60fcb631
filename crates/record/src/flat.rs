//! JSON format for other programs: a missing value is `null`, and its reason has the same key with `_missing` appended,
//! so that an object never replaces a number. Files store `{"missing": ...}` instead; both can be read.

use crate::{Record, json, newer_schema};
use serde_json::{Map, Value};

/// Suffix of the key of a reason.
const SUFFIX: &str = "_missing";
/// Only key of the object that represents a missing value.
const MISSING: &str = "missing";

/// Additional keys of printed and saved Records. Their values are derived, so readers ignore them.
pub const DERIVED_KEYS: [&str; 10] = [
    "file",
    "verdict",
    "verdict_sentence",
    "results",
    "scores",
    "diagnoses",
    "ledger",
    "deficits",
    "energy",
    "findings",
];

/// Moves reasons next to the missing values in all objects.
pub fn flatten(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(flatten),
        Value::Object(fields) => {
            let mut reasons = Map::new();
            for (key, value) in fields.iter_mut() {
                match reason(value) {
                    Some(reason) => {
                        *value = Value::Null;
                        reasons.insert(format!("{key}{SUFFIX}"), reason);
                    }
                    None => flatten(value),
                }
            }
            fields.extend(reasons);
        }
        _ => {}
    }
}

/// Reason of an object that represents a missing value.
fn reason(value: &mut Value) -> Option<Value> {
    let fields = value.as_object_mut().filter(|fields| fields.len() == 1)?;
    fields.get_mut(MISSING).filter(|reason| reason.get("path").is_some()).map(Value::take)
}

/// Reverses [`flatten`].
fn restore(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(restore),
        Value::Object(fields) => {
            let missing = fields.iter().filter(|(_, value)| value.is_null()).map(|(key, _)| key.clone());
            for key in missing.collect::<Vec<_>>() {
                if let Some(reason) = fields.remove(&format!("{key}{SUFFIX}")) {
                    fields.insert(key, Value::Object(Map::from_iter([(MISSING.to_owned(), reason)])));
                }
            }
            fields.values_mut().for_each(restore);
        }
        _ => {}
    }
}

/// Parses a Record from a result file or from JSON printed for programs; of a file with a newer schema, the known
/// parts.
///
/// # Errors
/// The text is not JSON, or not a Record.
pub fn from_json(text: &str) -> serde_json::Result<Record> {
    serde_json::from_str(text).or_else(|error| {
        let Ok(mut value) = serde_json::from_str::<Value>(text) else { return Err(error) };
        restore(&mut value);
        json::from_value(&value).or_else(|_| newer_schema::known(&value).ok_or(error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fact, Missing, Run, Source};
    use serde_json::json;

    #[test]
    fn missing_values_stand_next_to_their_reason() {
        let reason = json!({"path": "/x", "why": "absent"});
        let mut value = json!({"a": {"missing": reason}, "b": [{"c": {"missing": reason}, "d": 1}], "missing": reason});
        let before = value.clone();
        flatten(&mut value);
        let expected = json!({
            "a": null, "a_missing": reason, "b": [{"c": null, "c_missing": reason, "d": 1}], "missing": reason
        });
        assert_eq!(value, expected);
        restore(&mut value);
        assert_eq!(value, before);
    }

    #[test]
    fn printed_records_are_read() {
        let mut record = Record::new(Source::Run { version: "1".into(), target: "x".into() }, Run::default());
        record.machine.board = Fact::Missing { missing: Missing::absent("/proc/device-tree/model") };
        let mut value = serde_json::to_value(&record).unwrap();
        flatten(&mut value);
        value["verdict"] = json!("valid");
        assert_eq!(from_json(&value.to_string()).unwrap(), record);
        assert_eq!(from_json(&serde_json::to_string(&record).unwrap()).unwrap(), record);
        assert!(from_json("{}").is_err() && from_json("{").is_err());
    }
}
