//! Reads streams of runs and monitors: the format of [`crate::recording`], or the plain JSON lines of older versions.
//! All readable parts are kept if others are cut or damaged; the latter are listed ([`crate::UnreadableRange`]).

mod folding;

use crate::event::SettingRestores;
use crate::recording::{Line, LineReader, is_recording, may_hold_lines, payload};
use crate::{Event, Fact, Missing, Mode, Reading, Record, Run, Source, UnreadableRange, json};
use folding::RowFolder;

/// Maximum number of values of a recording in the memory of a small board (16 bytes each): a night of 300 channels,
/// twice a second.
pub const VALUES_MAX: usize = 40 << 20;
/// Maximum number of listed damaged places.
const UNREADABLE_MAX: usize = 100;
/// Prefix of files of older versions: one JSON event per line, without length and checksum.
const OLD: &[u8] = b"{\"event\"";

/// True for bytes of a stream or a recording, even if the beginning is damaged.
pub fn is_stream(bytes: &[u8]) -> bool {
    let whole = |line: &[u8]| payload(line).is_some();
    let has_whole = || may_hold_lines(bytes) && bytes.split(|byte| *byte == b'\n').any(whole);
    is_recording(bytes) || bytes.starts_with(OLD) || has_whole()
}

/// Reads the Record of a stream or a recording; of several sessions in one file, the last one with data.
///
/// # Errors
/// It has no complete line.
pub fn read_stream(bytes: &[u8]) -> Reading<Record> {
    read_stream_within(bytes, VALUES_MAX)
}

/// As [`read_stream`], with at most `values_max` sample values, because a few bytes of a recording can represent
/// hundreds. Rows of longer recordings are folded ([`crate::Samples::folds`]).
///
/// # Errors
/// As [`read_stream`].
pub fn read_stream_within(bytes: &[u8], values_max: usize) -> Reading<Record> {
    let mut reading = StreamReader { values_max, ..StreamReader::default() };
    let (mut from, mut lines) = (0_u64, LineReader::default());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match json::from_bytes(line) {
            Ok(event) if line.starts_with(OLD) => reading.event(event),
            _ => {
                let is_cut = line.last() != Some(&b'\n');
                let mut damaged = Vec::new();
                for told in lines.read(line, |at, bytes| damaged.push((at, bytes))) {
                    reading.take(told);
                }
                damaged.retain(|(at, _)| !(is_cut && is_half(&line[*at..])));
                for (at, bytes) in damaged {
                    reading.unreadable(from + at as u64, bytes as u64);
                }
            }
        }
        from += line.len() as u64;
    }
    reading.end()
}

/// True for the beginning of a line, as left by a cut.
fn is_half(rest: &[u8]) -> bool {
    let begins = |word: &[u8]| rest.starts_with(word) || word.starts_with(rest);
    let is_text = match std::str::from_utf8(rest) {
        Ok(text) => !text.contains('\0'),
        // Cut within a character.
        Err(error) => error.error_len().is_none(),
    };
    is_text && (begins(b"sbc1 ") || begins(OLD))
}

/// Record without any data.
pub fn nothing_known() -> Record {
    let source = Source::Run { version: String::new(), target: String::new() };
    let run = Run { started: Fact::not_reached(), mode: Mode::Monitor, ..Run::default() };
    Record::new(source, run)
}

/// State of reading a stream.
#[derive(Default)]
struct StreamReader {
    record: Option<Record>,
    /// Last session that was followed by another.
    before: Option<Record>,
    unreadable: Vec<UnreadableRange>,
    /// Maximum number of sample values.
    values_max: usize,
    /// Rows of this session that wait to be folded.
    folding: RowFolder,
    /// True if even a few rows of this session exceed the limit.
    is_too_wide: bool,
    /// Restored settings of this session.
    restores: SettingRestores,
}

impl StreamReader {
    fn take(&mut self, told: Line) {
        match told {
            Line::Event(event) => self.event(*event),
            Line::Row(at_ms, values) => {
                let record = self.record.get_or_insert_with(nothing_known);
                self.is_too_wide |= !self.folding.append(record, (at_ms, values), self.values_max);
            }
            Line::Nothing => {}
        }
    }

    fn flush(&mut self) {
        if let Some(record) = &mut self.record {
            self.folding.flush(record);
        }
    }

    fn record(&mut self) -> &mut Record {
        self.record.get_or_insert_with(nothing_known)
    }

    fn event(&mut self, event: Event) {
        // Rows of other channels or sessions, or of older versions, come after the waiting rows.
        if matches!(event, Event::Started { .. } | Event::Channels { .. } | Event::Samples { .. }) {
            self.flush();
        }
        match event {
            Event::Started { schema, source, run } => {
                let mut record = Record::new(source, *run);
                record.schema = schema;
                self.begin(record);
            }
            // The start of another monitor session is lost.
            Event::Channels { .. } if self.is_watching() => {
                self.begin(nothing_known());
                self.record().apply(event);
            }
            // A mark belongs where it was written, regardless of its writer's clock.
            Event::Mark { mut mark } => {
                let waiting_ms = self.folding.last_ms();
                let record = self.record();
                let last_ms = waiting_ms.or(record.samples.at_ms.last().copied()).unwrap_or(0);
                mark.at_ms = mark.at_ms.max(last_ms);
                record.apply(Event::Mark { mark });
            }
            event => {
                let record = self.record.get_or_insert_with(nothing_known);
                self.restores.apply(record, event);
            }
        }
    }

    /// True if the channels of a monitor are known, which occur once per session.
    fn is_watching(&self) -> bool {
        let watches = |record: &Record| record.run.mode == Mode::Monitor && !record.samples.channels.is_empty();
        self.record.as_ref().is_some_and(watches)
    }

    fn begin(&mut self, record: Record) {
        let tells = |record: &Record| !record.steps.is_empty() || !record.samples.at_ms.is_empty();
        self.is_too_wide = false;
        if let Some(record) = &mut self.record {
            self.restores.end(record);
        }
        if let Some(before) = self.record.replace(record).filter(tells) {
            self.before = Some(before);
        }
    }

    /// Merges adjacent damaged lines.
    fn unreadable(&mut self, from_byte: u64, bytes: u64) {
        let is_full = self.unreadable.len() >= UNREADABLE_MAX;
        match self.unreadable.last_mut() {
            Some(last) if last.from_byte + last.bytes + 1 >= from_byte => {
                last.bytes = from_byte + bytes - last.from_byte;
            }
            _ if is_full => {}
            _ => self.unreadable.push(UnreadableRange { from_byte, bytes }),
        }
    }

    fn end(mut self) -> Reading<Record> {
        let tells = |record: &Record| !record.steps.is_empty() || !record.samples.at_ms.is_empty();
        self.flush();
        if self.is_too_wide {
            let why = "this recording has too many channels to load; use `monitor --replay`";
            return Err(Missing::unsupported("recording", why));
        }
        let mut last = self.record.take();
        if let Some(record) = &mut last {
            self.restores.end(record);
        }
        let record = match (last, self.before) {
            (Some(last), Some(before)) if !tells(&last) => Some(before),
            (last, _) => last,
        };
        let nothing = || Missing::unsupported("event stream", "the event stream contains no complete line");
        let mut record = record.ok_or_else(nothing)?;
        record.run.unreadable = self.unreadable;
        record.close();
        Ok(record)
    }
}

#[cfg(test)]
mod tests;
