//! One JSON object per line: rows of values by channel, and between them the events of the stream in the form of the Record.

use super::args::JsonlRows;
use super::rows::RowPrinter;
use super::{Viewer, live};
use crate::output;
use explain::monitor::{LatestValues, Watch};
use record::{Event, Record};
use serde_json::{Map, Value, json};

pub(super) struct Jsonl {
    pub(super) holds: JsonlRows,
    pub(super) rows: RowPrinter,
}

impl Viewer for Jsonl {
    fn begin(&mut self, watch: &Watch) -> anyhow::Result<()> {
        for event in beginning(watch.record()) {
            let event = without_unknown(serde_json::to_value(&event)?);
            output::print(&format!("{event}\n"))?;
        }
        Ok(())
    }

    fn row(&mut self, watch: &Watch) -> anyhow::Result<bool> {
        let mut text = happened(watch)?;
        let values: Map<String, Value> = match self.holds {
            JsonlRows::Read => {
                let read = watch.channels().iter().zip(watch.read());
                read.filter_map(|(channel, value)| Some((channel.id.to_string(), Value::from((*value)?)))).collect()
            }
            JsonlRows::Full => {
                let all = watch.channels().iter().enumerate();
                all.filter_map(|(place, channel)| Some((channel.id.to_string(), watch.value(place)?.into()))).collect()
            }
        };
        let started = watch.record().run.started.known();
        let mut row = json!({
            "event": "row",
            "at_ms": watch.at_ms(),
            "utc_ms": started.map(|started| started.saturating_add(watch.at_ms())),
            "values": values,
        });
        if self.holds == JsonlRows::Full {
            row["now"] =
                serde_json::to_value(LatestValues::of(watch, live::temperature(watch).map(|(place, _)| place)))?;
        }
        text.push_str(&format!("{row}\n"));
        self.rows.print(&text)
    }

    fn take_notes(&mut self, notes: &mut Vec<String>) {
        self.rows.take_notes(notes);
    }

    /// Events after the last row.
    fn end(&mut self, watch: &Watch) -> anyhow::Result<()> {
        self.rows.print(&happened(watch)?).map(|_| ())
    }
}

/// Removes values of an event that are unknown before the first row, above all the end: in files, a run without an end died.
fn without_unknown(mut event: Value) -> Value {
    if let Some(Value::Object(run)) = event.get_mut("run") {
        run.remove("end");
        run.retain(|_, value| !value.is_null() && value.get("missing").is_none());
    }
    event
}

/// Events since the previous row.
fn happened(watch: &Watch) -> anyhow::Result<String> {
    let mut text = String::new();
    for event in watch.happened() {
        text.push_str(&serde_json::to_string(event)?);
        text.push('\n');
    }
    Ok(text)
}

/// Events before the first row: start, machine, channels.
pub(super) fn beginning(record: &Record) -> [Event; 3] {
    [
        Event::Started { schema: record.schema, source: record.source.clone(), run: Box::new(record.run.clone()) },
        Event::Machine { machine: Box::new(record.machine.clone()) },
        Event::Channels { interval_ms: record.samples.interval_ms, channels: record.samples.channels.clone() },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_event_has_no_end() {
        let [started, ..] = beginning(&record::nothing_known());
        let whole = serde_json::to_value(&started).unwrap();
        assert_eq!(whole["run"]["end"], "died");
        let event = without_unknown(whole);
        assert_eq!(event["event"], "started");
        let run = event["run"].as_object().unwrap();
        assert!(!run.contains_key("end") && !run.contains_key("uptime_ms"), "{run:?}");
        assert!(run.contains_key("mode"));
    }
}
