//! Items of a recording or of a Record: sessions, rows, and events between them. Callers pass bytes and determine the
//! timing.

use facts::watch::before_rows;
use record::recording::{Line, LineReader};
use record::{Event, Mark, Record, StableSort, nothing_known};
use std::io::BufRead;

/// Maximum length of a line of a recording in bytes.
const LINE_BYTES_MAX: usize = (64 << 20) + 64;

/// An item of a file.
#[derive(Debug)]
pub enum Item {
    /// A session begins.
    Begin(Box<Record>),
    /// A row.
    Row(i64, Vec<Option<i64>>),
    /// Anything else.
    Event(Box<Event>),
}

/// Reads the next line with its end, or the beginning of an overlong line. False at the end.
///
/// # Errors
/// Fails if the file cannot be read.
pub fn whole_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    loop {
        let bytes = match reader.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(bytes.len(), |end| end + 1);
        let room = LINE_BYTES_MAX.saturating_sub(line.len());
        line.extend_from_slice(&bytes[..used.min(room)]);
        reader.consume(used);
        if end.is_some() || used == 0 {
            return Ok(!line.is_empty());
        }
    }
}

/// Intact lines of a recording.
#[derive(Debug)]
pub struct RecordingLines<R> {
    reader: R,
    line: Vec<u8>,
    lines: LineReader,
    /// Items of the last line, in reverse.
    told: Vec<Line>,
    session: Option<Record>,
    at_ms: i64,
}

impl<R: BufRead> RecordingLines<R> {
    /// Reads from here on, line by line.
    pub fn new(reader: R) -> Self {
        Self { reader, line: Vec::new(), lines: LineReader::default(), told: Vec::new(), session: None, at_ms: 0 }
    }

    /// Item of an event; `None` for events that only prepare others.
    fn item(&mut self, event: Event) -> Option<Item> {
        match event {
            Event::Started { source, run, .. } => {
                self.session = Some(Record::new(source, *run));
                self.at_ms = 0;
                None
            }
            Event::Machine { machine } => {
                self.session.as_mut()?.machine = *machine;
                None
            }
            Event::Channels { interval_ms, channels } => {
                let mut record = self.session.take().unwrap_or_else(nothing_known);
                record.samples.interval_ms = interval_ms;
                record.samples.channels = channels;
                Some(Item::Begin(Box::new(record)))
            }
            // Notes keep their position, regardless of their writer's clock.
            Event::Mark { mut mark } => {
                mark.at_ms = mark.at_ms.max(self.at_ms);
                Some(Item::Event(Box::new(Event::Mark { mark })))
            }
            event => Some(Item::Event(Box::new(event))),
        }
    }
}

impl<R: BufRead> Iterator for RecordingLines<R> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            match self.told.pop() {
                Some(Line::Row(at_ms, values)) => {
                    self.at_ms = at_ms;
                    return Some(Item::Row(at_ms, values));
                }
                Some(Line::Event(event)) => {
                    if let Some(item) = self.item(*event) {
                        return Some(item);
                    }
                }
                Some(Line::Nothing) => {}
                None => {
                    // The first unreadable line is the end.
                    if !whole_line(&mut self.reader, &mut self.line).ok()? {
                        return None;
                    }
                    self.told = self.lines.read(&self.line, |_, _| {});
                    self.told.reverse();
                }
            }
        }
    }
}

/// Replays a Record as a stream: rows, with starts of steps, gaps and marks between them.
pub fn items_of_record(record: Record) -> impl Iterator<Item = Item> {
    let mark = |at_ms: i64, text: String| {
        let mark = Mark { at_ms, text };
        (at_ms, Event::Mark { mark })
    };
    let begins = |step: &record::Step| {
        (step.window.start_ms, format!("{} begins", facts::view::step_words(&step.workload, &step.variant)))
    };
    let mut beginnings: Vec<(i64, String)> = Vec::new();
    for beginning in record.steps.iter().map(begins) {
        // The steps of a phase of a log have its time, and those of several cores one name.
        if !beginnings.contains(&beginning) {
            beginnings.push(beginning);
        }
    }
    let mut events: Vec<(i64, Event)> = beginnings.into_iter().map(|(at_ms, text)| mark(at_ms, text)).collect();
    events.extend(record.marks.iter().map(|m| mark(m.at_ms, m.text.clone())));
    for channel in &record.samples.channels {
        let gap = |gap: &record::Gap| {
            let (channel, gap) = (channel.id.clone(), gap.clone());
            (gap.at_ms, Event::Gap { channel, gap })
        };
        events.extend(channel.gaps.iter().map(gap));
    }
    events.stable_sort_by_key(|(at_ms, _)| *at_ms);
    let mut events = events.into_iter().peekable();
    let begin = before_rows(&record);
    let samples = record.samples;
    let rows = (0..samples.at_ms.len()).flat_map(move |row| {
        let at_ms = samples.at_ms[row];
        let mut items = Vec::new();
        while let Some((_, event)) = events.next_if(|(event_ms, _)| *event_ms <= at_ms) {
            items.push(Item::Event(Box::new(event)));
        }
        let value = |channel: &record::Channel| channel.values.get(row).copied().flatten();
        items.push(Item::Row(at_ms, samples.channels.iter().map(value).collect()));
        items
    });
    std::iter::once(Item::Begin(Box::new(begin))).chain(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::recording::{RowWriter, frame};
    use record::{Channel, ChannelId, ChannelKind, Fact, LoadSpan, Unit, read_stream};

    /// A recording of two rows with a mark between them, and one channel.
    fn recording() -> String {
        let load = ChannelId::Load(LoadSpan::One);
        let channel = Channel::new(load, Unit::Hundredths, ChannelKind::Gauge);
        let mut record = nothing_known();
        record.run.started = Fact::Known(1_000_000);
        record.samples.interval_ms = 500;
        record.samples.channels = vec![channel];
        let events = [
            Event::Started { schema: record.schema, source: record.source.clone(), run: Box::new(record.run.clone()) },
            Event::Channels { interval_ms: record.samples.interval_ms, channels: record.samples.channels.clone() },
        ];
        let json = |event: &Event| frame(&serde_json::to_string(event).unwrap());
        let mut text: String = events.iter().map(json).collect();
        let mut rows = RowWriter::default();
        text.push_str(&frame(&rows.row(0, [Some(10)])));
        let mark = Mark { at_ms: -7, text: "fan off".into() };
        text.push_str(&json(&Event::Mark { mark }));
        text.push_str(&frame(&rows.row(500, [Some(20)])));
        text
    }

    /// Values, and texts of marks, in their order.
    fn show(bytes: &[u8]) -> Vec<String> {
        let show = |item| match item {
            Item::Begin(_) => "begin".to_owned(),
            Item::Row(at_ms, values) => format!("{at_ms}: {:?}", values[0]),
            Item::Event(event) => match *event {
                Event::Mark { mark } => format!("{}: {}", mark.at_ms, mark.text),
                other => format!("{other:?}"),
            },
        };
        RecordingLines::new(bytes).map(show).collect()
    }

    const ALL: [&str; 4] = ["begin", "0: Some(10)", "0: fan off", "500: Some(20)"];

    #[test]
    fn truncated_recording_is_readable_and_appendable() {
        let text = recording();
        assert_eq!(show(text.as_bytes()), ALL);
        // The second line defines the channels.
        let ends: Vec<usize> = text.match_indices('\n').skip(1).map(|(at, _)| at).collect();
        for cut in 0..text.len() {
            let whole = ends.iter().filter(|end| **end <= cut).count();
            assert_eq!(show(&text.as_bytes()[..cut]), ALL[..whole], "{cut}");
            let continued = format!("{}\n{text}", &text[..cut]);
            let expected = [&ALL[..whole], &ALL[..]].concat();
            assert_eq!(show(continued.as_bytes()), expected, "{cut}");
        }
    }

    #[test]
    fn damaged_byte_loses_dependent_rows_only() {
        let text = recording();
        let first_row = text.find(" K 0").unwrap() + 1;
        let mut bytes = text.into_bytes();
        bytes[first_row + 4] ^= 1;
        assert_eq!(show(&bytes), ["begin", "0: fan off"]);
    }

    proptest::proptest! {
        #[test]
        fn replay_never_panics(bytes: Vec<u8>, cut: usize, change: u8) {
            let mut text = recording().into_bytes();
            let cut = cut % text.len();
            text[cut] ^= change;
            text.splice(cut..cut, bytes);
            let mut channels = 0;
            for item in RecordingLines::new(&text[..]) {
                match item {
                    Item::Begin(record) => channels = record.samples.channels.len(),
                    Item::Row(_, values) => assert_eq!(values.len(), channels),
                    Item::Event(_) => {}
                }
            }
        }
    }

    #[test]
    fn whole_recording_is_a_record() {
        let record = read_stream(recording().as_bytes()).unwrap();
        assert_eq!(record.samples.at_ms, [0, 500]);
        assert_eq!(record.samples.channels[0].values, [Some(10), Some(20)]);
        assert_eq!(record.marks.len(), 1);
        assert!(read_stream(b"sbc1 ").is_err());
    }
}
