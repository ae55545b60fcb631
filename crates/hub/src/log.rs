//! The log: one JSON object a line, on standard error, for journald and its like. A thread of its own writes it: who does not
//! read the log holds up nothing.

use crate::clock;
use serde_json::{Map, Value};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

/// Lines that wait to be written; more than that are lost.
const LINES_MAX: usize = 1_000;
/// Patience with who reads the log when the hub ends.
const END_TIME_MAX: Duration = Duration::from_secs(1);

/// A line, or who waits until all before are written.
enum Entry {
    Line(String),
    End(SyncSender<()>),
}

fn writer() -> Option<&'static SyncSender<Entry>> {
    static WRITER: OnceLock<Option<SyncSender<Entry>>> = OnceLock::new();
    let start = || {
        let (give, take) = sync_channel(LINES_MAX);
        let write = move || {
            for entry in take {
                match entry {
                    Entry::Line(line) => drop(std::io::stderr().lock().write_all(line.as_bytes())),
                    Entry::End(written) => drop(written.try_send(())),
                }
            }
        };
        std::thread::Builder::new().name("log".to_owned()).spawn(write).ok().map(|_| give)
    };
    WRITER.get_or_init(start).as_ref()
}

/// Writes one line; one for which no room is left is lost.
pub fn event(what: &str, fields: &[(&str, &str)]) {
    let mut line = Map::new();
    line.insert("utc_ms".into(), clock::now_utc_ms().into());
    line.insert("event".into(), what.into());
    for (name, value) in fields {
        line.insert((*name).to_owned(), Value::from(*value));
    }
    let text = format!("{}\n", Value::Object(line));
    writer().and_then(|writer| writer.try_send(Entry::Line(text)).ok());
}

/// Waits until all lines are written, but not for long.
pub fn end() {
    let (give, take) = sync_channel(1);
    if writer().is_some_and(|writer| writer.try_send(Entry::End(give)).is_ok()) {
        let _ = take.recv_timeout(END_TIME_MAX);
    }
}
