//! Reads result files of newer versions: unknown parts are omitted and listed in the Record as unread.

use crate::json::from_value;
use crate::{Missing, Record, Run, SCHEMA_VERSION, Source};
use serde_json::Value;

/// Maximum number of unknown parts that are tried one by one.
const TRIES_MAX: usize = 4096;
/// Minimum number of tries. Each try reads everything known so far, so larger files get fewer.
const TRIES_MIN: usize = 32;
/// Maximum number of JSON values that all tries read together.
const VALUES_MAX: usize = 50_000_000;

/// Reads the Record of a file with a newer schema; `None` for other files, and without source and run.
pub(crate) fn known(file: &Value) -> Option<Record> {
    if file.get("schema")?.as_u64()? <= u64::from(SCHEMA_VERSION) {
        return None;
    }
    let source: Source = from_value(file.get("source")?).ok()?;
    let run: Run = from_value(file.get("run")?).ok()?;
    let mut reading = PartialRecord {
        base: serde_json::to_value(Record::new(source, run)).ok()?,
        unread: Vec::new(),
        tries_left: tries(file),
    };
    for (key, value) in file.as_object()? {
        reading.graft(&format!("/{key}"), value);
    }
    let mut record: Record = from_value(&reading.base).ok()?;
    let why = "it was written by a newer version of sbc-bench";
    record.unread.extend(reading.unread.iter().map(|place| Missing::unsupported(place, why)));
    Some(record)
}

/// Number of tries for a file.
fn tries(file: &Value) -> usize {
    let mut values = 0;
    let mut next = vec![file];
    while let Some(value) = next.pop() {
        values += 1;
        match value {
            Value::Array(inner) => next.extend(inner),
            Value::Object(inner) => next.extend(inner.values()),
            _ => {}
        }
    }
    (VALUES_MAX / values).clamp(TRIES_MIN, TRIES_MAX)
}

/// State of reading a file.
struct PartialRecord {
    /// Record as JSON; readable at any time.
    base: Value,
    /// Paths of unreadable parts.
    unread: Vec<String>,
    tries_left: usize,
}

impl PartialRecord {
    /// Inserts the readable parts of a value at a path. Fields that the Record lacks are ignored.
    fn graft(&mut self, place: &str, value: &Value) {
        if self.fits(place, value) {
            return;
        }
        match value {
            Value::Object(fields) if self.base.pointer(place).is_some_and(is_of_fields) => {
                fields.iter().for_each(|(key, value)| self.graft(&format!("{place}/{}", escaped(key)), value));
            }
            Value::Array(values) if self.base.pointer(place).is_some_and(Value::is_array) => {
                for (index, value) in values.iter().enumerate() {
                    let mut longer = self.base.pointer(place).cloned().unwrap_or_default();
                    longer.as_array_mut().into_iter().for_each(|known| known.push(value.clone()));
                    if !self.fits(place, &longer) {
                        self.unread.push(format!("{place}/{index}"));
                    }
                }
            }
            _ => self.unread.push(place.to_owned()),
        }
    }

    /// Inserts a value at a path if the Record can still be read.
    fn fits(&mut self, place: &str, value: &Value) -> bool {
        if self.tries_left == 0 {
            return false;
        }
        self.tries_left -= 1;
        let Some((parent, key)) = place.rsplit_once('/') else { return false };
        let key = key.replace("~1", "/").replace("~0", "~");
        let parent = if parent.is_empty() { Some(&mut self.base) } else { self.base.pointer_mut(parent) };
        let Some(fields) = parent.and_then(Value::as_object_mut) else { return false };
        let before = fields.insert(key.clone(), value.clone());
        if from_value::<Record>(&self.base).is_ok() {
            return true;
        }
        let parent = place.rsplit_once('/').map_or("", |(parent, _)| parent);
        if let Some(fields) = self.base.pointer_mut(parent).and_then(Value::as_object_mut) {
            match before {
                Some(before) => fields.insert(key, before),
                None => fields.remove(&key),
            };
        }
        false
    }
}

/// True for objects with fields; a missing fact is an object with the reason instead.
fn is_of_fields(known: &Value) -> bool {
    known.is_object() && known.get("missing").is_none()
}

/// Escapes a key for a JSON pointer (RFC 6901).
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use crate::{Fact, Machine, Outcome, Record, Run, Source, Step, Variant, WorkloadId, from_json};
    use serde_json::json;

    fn file() -> serde_json::Value {
        let mut record = Record::new(Source::Run { version: "9".into(), target: "x".into() }, Run::default());
        record.machine = Machine { board: Fact::Known("Board of tomorrow".into()), ..Machine::default() };
        let skipped = || Outcome::Skipped(crate::Missing::absent("/sys"));
        record.steps =
            [WorkloadId::Clock, WorkloadId::SevenZip].map(|id| Step::new(id, 0, Variant::ONLY, skipped())).to_vec();
        let mut value = serde_json::to_value(&record).unwrap();
        value["schema"] = json!(2);
        value
    }

    #[test]
    fn newer_files_are_read_as_far_as_they_are_known() {
        let mut value = file();
        value["warp_cores"] = json!([1, 2]);
        value["machine"]["soc"] = json!({"guessed": ["a", "b"]});
        value["steps"][1]["outcome"] = json!({"teleported": {"to": 1}});
        let record = from_json(&value.to_string()).unwrap();
        assert_eq!(record.machine.board.known().map(String::as_str), Some("Board of tomorrow"));
        assert_eq!(record.steps.len(), 1);
        let unread: Vec<String> = record.unread.iter().map(|missing| format!("{}: {missing}", missing.path)).collect();
        assert_eq!(unread.len(), 2, "{unread:?}");
        assert!(unread.iter().any(|line| line.contains("/steps/1") && line.contains("newer version")), "{unread:?}");
    }

    #[test]
    fn files_of_this_version_are_read_whole_or_not_at_all() {
        let mut value = file();
        value["steps"][1]["outcome"] = json!({"teleported": {"to": 1}});
        value["schema"] = json!(crate::SCHEMA_VERSION);
        assert!(from_json(&value.to_string()).is_err());
        for odd in
            [json!({"schema": 2}), json!({"schema": "2"}), json!([]), json!({"schema": 2, "source": 1, "run": 2})]
        {
            assert!(from_json(&odd.to_string()).is_err(), "{odd}");
        }
    }
}
