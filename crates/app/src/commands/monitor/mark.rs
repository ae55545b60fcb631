//! `sbc-bench monitor mark`: appends a mark to the recordings in progress, or to a given one.

use crate::commands::Command;
use anyhow::Context;
use console::monitor::running::{self, has_recording_header};
use explain::monitor::whole_line;
use machine::files;
use record::Event;
use record::recording::{frame, payload};
use std::fs::File;
use std::io::{BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Beginning of the first event of a session.
const STARTED: &str = "{\"event\":\"started\"";

/// Add a mark to the current recording
#[derive(Debug, clap::Args)]
pub(crate) struct Mark {
    /// Text of the mark
    #[arg(required = true, value_name = "TEXT")]
    words: Vec<String>,
    /// Mark this recording instead of those in progress
    #[arg(long = "record", alias = "to", value_name = "FILE")]
    to: Option<PathBuf>,
}

impl Command for Mark {
    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        let text = facts::plain(&self.words.join(" "));
        anyhow::ensure!(!text.is_empty(), "A mark needs a text.");
        let now_ms = (machine::timeline::monotonic_ns() / 1_000_000) as i64;
        let mut running = running::recordings();
        if let Some(path) = &self.to {
            let absolute = std::path::absolute(path)?;
            running.retain(|entry| entry.path == absolute);
            if running.is_empty() {
                mark_inactive(path, &text)?;
                return Ok(0);
            }
        }
        let whose = if machine::is_root() { "" } else { " of yours" };
        anyhow::ensure!(
            !running.is_empty(),
            "No recording{whose} is in progress; start one with `sbc-bench -m --record FILE`."
        );
        for entry in &running {
            append(&entry.file, now_ms - entry.start_mono_ms, &text)
                .with_context(|| format!("Cannot add a mark to {}", entry.path.display()))?;
        }
        Ok(0)
    }
}

/// Marks a recording that is not in progress, by the time of day.
fn mark_inactive(path: &Path, text: &str) -> anyhow::Result<()> {
    let name = path.display();
    let file = files::existing(path).with_context(|| format!("Cannot add a mark to {name}"))?;
    let started = has_recording_header(&file).then(|| started(&file)).flatten();
    let started = started.with_context(|| format!("{name} is not a recording"))?;
    let at_ms = machine::Timeline::start().start_utc_ms() - started;
    append(&file, at_ms, text).with_context(|| format!("Cannot add a mark to {name}"))
}

/// Appends a mark with one write, so that it cannot split another line. After half a line, left by a loss of power or a full
/// disk, it begins a new one.
fn append(mut file: &File, at_ms: i64, text: &str) -> anyhow::Result<()> {
    let text = text.to_owned();
    let event = Event::Mark { mark: record::Mark { at_ms, text } };
    let mut line = frame(&serde_json::to_string(&event)?);
    let length = file.metadata()?.len();
    let mut last = [b'\n'];
    if length > 0 {
        file.read_at(&mut last, length - 1)?;
    }
    if last != *b"\n" {
        line.insert(0, '\n');
    }
    Ok(file.write_all(line.as_bytes())?)
}

/// Start of the last session of a recording, in ms since 1970.
fn started(file: &File) -> Option<i64> {
    let mut reader = BufReader::new(file);
    let (mut line, mut started) = (Vec::new(), None);
    while whole_line(&mut reader, &mut line).ok()? {
        if let Some(payload) = payload(&line).filter(|payload| payload.starts_with(STARTED))
            && let Ok(Event::Started { run, .. }) = serde_json::from_str(payload)
        {
            started = run.started.known().copied();
        }
    }
    started
}
