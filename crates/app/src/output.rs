//! Writing to standard output: a closed pipe ends quietly, anything else is an error.

use anyhow::Context;
use std::io::{ErrorKind, Write};

/// Writes text to standard output. Whoever closes the pipe early (`grep -q`, `head`) has seen enough.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    // Names of cards and messages of drivers are anybody's text: none of it may steer a terminal.
    let text = explain::harmless(text);
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("standard output cannot be written"),
    }
}

/// As [`print`], but tells whether somebody still reads.
pub(crate) fn print_while_read(text: &str) -> anyhow::Result<bool> {
    let mut out = std::io::stdout().lock();
    let text = explain::harmless(text);
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error).context("standard output cannot be written"),
    }
}

/// Says something beside the output, on standard error. If nobody listens there, nobody needs to know.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "sbc-bench: {text}");
}

/// A moment of a run as the time of day where it ran.
pub(crate) fn time_of_day(record: &record::Record, at_ms: i64) -> String {
    let started = record.run.started.known();
    let utc =
        started.and_then(|utc| jiff::Timestamp::from_millisecond(utc.saturating_add(at_ms)).ok());
    let offset = jiff::tz::Offset::from_seconds(record.run.utc_offset_minutes * 60);
    match utc.zip(offset.ok()) {
        Some((utc, offset)) => offset.to_datetime(utc).strftime("%H:%M:%S").to_string(),
        None => "--:--:--".to_owned(),
    }
}
