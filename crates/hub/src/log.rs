//! Log on standard error: one JSON object a line, for journald and the like. A separate thread writes it, so that a
//! slow reader of the log delays nothing.

use crate::clock;
use serde_json::{Map, Value};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

/// Maximum number of lines in the queue; further lines are dropped.
const LINES_MAX: usize = 1_000;
/// Maximum wait for the reader of the log when the hub ends.
const END_TIME_MAX: Duration = Duration::from_secs(1);

/// A line, or a request to report that all lines before it are written.
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

/// Writes a line; drops it if the queue is full.
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

/// Waits until all lines are written, at most [`END_TIME_MAX`].
pub fn end() {
    let (give, take) = sync_channel(1);
    if writer().is_some_and(|writer| writer.try_send(Entry::End(give)).is_ok()) {
        let _ = take.recv_timeout(END_TIME_MAX);
    }
}
