//! `sbc-bench mark`: appends a note to the recordings that are being made, or to a given one.

use super::monitor::running::{self, Entry};
use anyhow::Context;
use record::recording::{frame, payload};
use record::{Event, Mark};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// The beginning of the payload that begins a session.
const STARTED: &str = "{\"event\":\"started\"";

pub(crate) fn run(text: &str, to: Option<&Path>) -> anyhow::Result<u8> {
    anyhow::ensure!(!text.trim().is_empty(), "a mark needs a text.");
    let running = running::recordings();
    if let Some(path) = to {
        let absolute = std::path::absolute(path)?;
        let entry = running.iter().find(|entry| entry.path == absolute);
        mark(path, text, entry)?;
        return Ok(0);
    }
    anyhow::ensure!(
        !running.is_empty(),
        "no recording is being made: sbc-bench -m --record FILE makes one."
    );
    for entry in &running {
        mark(&entry.path, text, Some(entry))?;
    }
    Ok(0)
}

fn mark(path: &Path, text: &str, running: Option<&Entry>) -> anyhow::Result<()> {
    let name = path.display();
    let file = File::options().append(true).read(true).open(path);
    let mut file = file.with_context(|| format!("{name} cannot be marked"))?;
    let at_ms = match running {
        Some(entry) => {
            let now_ms = (machine::timeline::monotonic_ns() / 1_000_000) as i64;
            now_ms - entry.start_mono_ms
        }
        // Nobody writes it any more: the time of day is all there is.
        None => {
            let started = started(&file).with_context(|| format!("{name} is no recording"))?;
            machine::Timeline::start().start_utc_ms() - started
        }
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let event = Event::Mark {
        mark: Mark { at_ms, text },
    };
    // One write, so that it cannot get into the middle of another line.
    let line = frame(&serde_json::to_string(&event)?);
    let written = file.write_all(line.as_bytes());
    written.with_context(|| format!("{name} cannot be marked"))
}

/// When the last session in this recording began, in UTC.
fn started(file: &File) -> Option<i64> {
    let mut reader = BufReader::new(file);
    let (mut line, mut started) = (Vec::new(), None);
    while reader.read_until(b'\n', &mut line).ok()? > 0 {
        if let Some(payload) = payload(&line).filter(|payload| payload.starts_with(STARTED))
            && let Ok(Event::Started { run, .. }) = serde_json::from_str(payload)
        {
            started = run.started.known().copied();
        }
        line.clear();
    }
    started
}
