//! The form in which a Record is printed for programs: where a value is missing stands `null`, and the reason next to
//! it under the same key with `_missing`, so that no object takes the place of a number. Files keep
//! `{"missing": ...}` in that place; both are read.

use crate::{Record, json, newer};
use serde_json::{Map, Value};

/// Behind the key of a value that is missing: the key of its reason.
const SUFFIX: &str = "_missing";
/// The only key of the object that stands for a missing value.
const MISSING: &str = "missing";

/// Keys next to those of a Record that printed and saved ones open with. They are derived from it, so that readers
/// pass over them.
pub const DERIVED_KEYS: [&str; 8] =
    ["file", "verdict", "verdict_sentence", "results", "scores", "diagnoses", "ledger", "findings"];

/// Moves reasons next to what is missing, in all objects.
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

/// The reason of an object that stands for a missing value.
fn reason(value: &mut Value) -> Option<Value> {
    let fields = value.as_object_mut().filter(|fields| fields.len() == 1)?;
    fields.get_mut(MISSING).filter(|reason| reason.get("path").is_some()).map(Value::take)
}

/// Moves reasons back.
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

/// A Record of a result file, or of what was printed for programs; of a file with a newer schema as much as is known.
///
/// # Errors
/// It is no JSON, or no Record.
pub fn from_json(text: &str) -> serde_json::Result<Record> {
    serde_json::from_str(text).or_else(|error| {
        let Ok(mut value) = serde_json::from_str::<Value>(text) else { return Err(error) };
        restore(&mut value);
        json::from_value(&value).or_else(|_| newer::known(&value).ok_or(error))
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
