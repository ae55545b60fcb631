//! File format of a recording: lines with length and checksum, and compact rows of samples. Works on bytes; other
//! crates open files.
//!
//! ```text
//! sbc1 55 7c4130d7 {"event":"mark","mark":{"at_ms":4200,"text":"fan off"}}
//! sbc1 23 0da3a602 K 5000 4= 1 5 -3 10= 2-
//! ```
//!
//! A line is the word `sbc1`, the length of its payload in bytes, the CRC-32 of the payload in hex, the payload, and a
//! newline, which never occurs in a payload. Each line is appended in one write, so that several programs can append to
//! one recording. A cut (power loss, full disk) or damage affects only one line: readers continue with the next
//! complete line, and a file that ends with a partial line is continued after a newline.
//!
//! A payload is an [`crate::Event`] as JSON, or a row of samples: see [`RowWriter`].

use crate::Event;
use crate::moments::can_be;

/// First word of each line.
const MAGIC: &str = "sbc1";
/// Maximum length of the words before a payload: 4, 8 and 8 letters, and blanks.
const HEAD_BYTES_MAX: usize = 24;
/// Maximum length of a payload, which limits memory for damaged files.
const PAYLOAD_BYTES_MAX: usize = 64 << 20;

/// Formats a payload as a line. Newlines in the payload are replaced by blanks, because they would end the line.
pub fn frame(payload: &str) -> String {
    let payload = payload.replace('\n', " ");
    let checksum = checksum(payload.as_bytes());
    format!("{MAGIC} {} {checksum:08x} {payload}\n", payload.len())
}

/// Checksum of a line, also used as a name for arbitrary bytes.
pub fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// Payload of a line, with or without its newline; `None` if the line is incomplete or damaged.
pub fn payload(line: &[u8]) -> Option<&str> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let (payload, length) = whole(line, &mut usize::MAX.clone())?;
    (length == line.len()).then_some(payload)
}

/// False for text that cannot contain a line of this format; a search of the whole text is much faster than one of each
/// line.
pub(crate) fn may_hold_lines(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or(true, |text| text.contains(MAGIC))
}

/// Line at the beginning of the bytes: payload, and length without the newline.
fn whole<'a>(bytes: &'a [u8], budget: &mut usize) -> Option<(&'a str, usize)> {
    // Fast path, because most lines of other texts are not of this format.
    if !bytes.starts_with(MAGIC.as_bytes()) {
        return None;
    }
    let head = &bytes[..bytes.len().min(HEAD_BYTES_MAX)];
    let mut words = head.splitn(4, |byte| *byte == b' ');
    let mut word = || std::str::from_utf8(words.next()?).ok();
    let magic = word()?;
    let (length, checksum) = (word()?, word()?);
    let start = magic.len() + length.len() + checksum.len() + 3;
    let length: usize = length.parse().ok()?;
    let checksum = u32::from_str_radix(checksum, 16).ok()?;
    if magic != MAGIC || length > PAYLOAD_BYTES_MAX {
        return None;
    }
    let payload = bytes.get(start..start + length)?;
    *budget = budget.checked_sub(length)?;
    let is_whole = crc32fast::hash(payload) == checksum;
    let payload = std::str::from_utf8(payload).ok().filter(|_| is_whole)?;
    Some((payload, start + length))
}

/// Offset of the next possible line.
fn find(bytes: &[u8]) -> Option<usize> {
    bytes.windows(MAGIC.len()).position(|word| word == MAGIC.as_bytes())
}

/// Content of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// An event.
    Event(Box<Event>),
    /// Row of samples: time, and a value for each channel of the last channel list.
    Row(i64, Vec<Option<i64>>),
    /// No content: the line is from a newer program, or depends on a lost row.
    Nothing,
}

/// Maximum number of channels; a board with 256 cores and all sensors has some 3000.
const CHANNELS_MAX: usize = 16 << 10;
/// Maximum number of values in all rows between two newlines (16 MB), which is one row, or a few if newlines were lost.
/// A short row can represent as many values as there are channels.
const VALUES_MAX: usize = 1 << 20;
/// Maximum number of passes over the bytes, independent of the lengths in them.
const SEARCHES_MAX: usize = 4;

/// Reads a file line by line. After damage, reading continues with the next complete line.
#[derive(Debug, Default)]
pub struct LineReader {
    rows: RowReader,
    channels: usize,
}

impl LineReader {
    /// Reads bytes up to a newline: one line, or several if a newline was lost. Calls `unreadable` with offset and
    /// length of other bytes.
    pub fn read(&mut self, bytes: &[u8], mut unreadable: impl FnMut(usize, usize)) -> Vec<Line> {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let (mut lines, mut from, mut looked) = (Vec::new(), 0, 0);
        let mut budget = bytes.len().saturating_mul(SEARCHES_MAX);
        let mut values = 0_usize;
        while let Some(found) = find(&bytes[looked..]) {
            looked += found;
            match whole(&bytes[looked..], &mut budget) {
                Some((payload, _)) if is_row(payload) && values >= VALUES_MAX => looked += 1,
                Some((payload, length)) => {
                    if looked > from {
                        self.rows.mark_lost();
                        unreadable(from, looked - from);
                    }
                    let line = self.line(payload);
                    if let Line::Row(_, row) = &line {
                        values += row.len();
                    }
                    lines.push(line);
                    looked += length;
                    from = looked;
                }
                None => looked += 1,
            }
        }
        if from < bytes.len() {
            self.rows.mark_lost();
            unreadable(from, bytes.len() - from);
        }
        lines
    }

    fn line(&mut self, payload: &str) -> Line {
        if is_row(payload) {
            let row = self.rows.row(payload, self.channels);
            return row.map_or(Line::Nothing, |(at_ms, values)| Line::Row(at_ms, values));
        }
        let Ok(event) = serde_json::from_str::<Event>(payload) else { return Line::Nothing };
        if let Event::Channels { channels, .. } = &event {
            if channels.len() > CHANNELS_MAX {
                return Line::Nothing;
            }
            self.channels = channels.len();
            self.rows = RowReader::default();
        }
        Line::Event(Box::new(event))
    }
}

/// True if a file with this beginning is a recording.
pub fn is_recording(beginning: &[u8]) -> bool {
    beginning.starts_with(MAGIC.as_bytes())
}

/// True if a payload is a row of samples rather than an event.
pub fn is_row(payload: &str) -> bool {
    payload.starts_with(['K', 'R'])
}

/// Number of rows after which a row does not depend on earlier ones, so that reading can continue after a damaged line.
const ROWS_PER_KEY: u32 = 100;

/// Writes rows of samples. `K 5000 4= 1 5 -3 10= 2-` means: time 5000 ms, 4 unchanged channels, 3 channels that differ
/// by 1, 5 and -3 from their last known value, 10 unchanged, and 2 without a value. Rows with `R` depend on the
/// previous rows, those with `K` on zeros.
#[derive(Debug, Default)]
pub struct RowWriter {
    before: Vec<i64>,
    rows_until_key: u32,
}

impl RowWriter {
    /// Payload of a row.
    pub fn row(&mut self, at_ms: i64, values: impl IntoIterator<Item = Option<i64>>) -> String {
        use std::fmt::Write;
        let key = self.rows_until_key == 0;
        self.rows_until_key = if key { ROWS_PER_KEY } else { self.rows_until_key } - 1;
        if key {
            self.before.fill(0);
        }
        let mut text = format!("{} {at_ms}", if key { 'K' } else { 'R' });
        let mut run = (0_u32, '=');
        let close = |text: &mut String, run: &mut (u32, char)| {
            if run.0 > 0 {
                let _ = write!(text, " {}{}", run.0, run.1);
            }
            run.0 = 0;
        };
        for (place, value) in values.into_iter().enumerate() {
            if place == self.before.len() {
                self.before.push(0);
            }
            let before = &mut self.before[place];
            let kind = match value {
                None => '-',
                Some(value) if value == *before => '=',
                Some(value) => {
                    close(&mut text, &mut run);
                    let _ = write!(text, " {}", value.wrapping_sub(*before));
                    *before = value;
                    continue;
                }
            };
            if run.1 != kind {
                close(&mut text, &mut run);
                run.1 = kind;
            }
            run.0 += 1;
        }
        close(&mut text, &mut run);
        text
    }

    /// Makes the next row independent; called if a row was not written.
    pub fn start_again(&mut self) {
        self.rows_until_key = 0;
    }
}

/// Reads rows.
#[derive(Debug, Default)]
pub struct RowReader {
    before: Vec<i64>,
    lost: bool,
}

impl RowReader {
    /// Time and values of a row with `channels` channels; `None` if it is not a row, or depends on lost rows.
    pub fn row(&mut self, payload: &str, channels: usize) -> Option<(i64, Vec<Option<i64>>)> {
        let mut words = payload.split(' ');
        match words.next()? {
            "K" => {
                self.before = vec![0; channels];
                self.lost = false;
            }
            "R" if !self.lost && self.before.len() == channels => {}
            _ => return None,
        }
        let row = self.values(words, channels);
        self.lost = row.is_none();
        row
    }

    /// A line was damaged: rows that depend on it are not readable.
    pub fn mark_lost(&mut self) {
        self.lost = true;
    }

    fn values<'a>(
        &mut self,
        mut words: impl Iterator<Item = &'a str>,
        channels: usize,
    ) -> Option<(i64, Vec<Option<i64>>)> {
        let at_ms = words.next()?.parse().ok().filter(|at_ms| can_be(*at_ms))?;
        let mut values = Vec::with_capacity(channels);
        for word in words {
            let count = |run: &str| -> Option<usize> {
                let count: usize = run.parse().ok()?;
                (count <= channels - values.len()).then_some(count)
            };
            if let Some(run) = word.strip_suffix('=') {
                let from = values.len();
                values.extend(self.before[from..from + count(run)?].iter().copied().map(Some));
            } else if let Some(run) = word.strip_suffix('-') {
                let to = values.len() + count(run)?;
                values.resize(to, None);
            } else {
                let before = self.before.get_mut(values.len())?;
                *before = before.wrapping_add(word.parse().ok()?);
                values.push(Some(*before));
            }
        }
        (values.len() == channels).then_some((at_ms, values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn line_framing() {
        let line = frame("{\"event\":\"mark\"}\n");
        assert_eq!(line, "sbc1 17 e030fa7b {\"event\":\"mark\"} \n");
        assert_eq!(payload(line.as_bytes()), Some("{\"event\":\"mark\"} "));
        for end in 0..line.len() - 1 {
            assert_eq!(payload(&line.as_bytes()[..end]), None, "{end}");
        }
        for (place, byte) in line.bytes().enumerate().filter(|(_, byte)| *byte != b'\n') {
            let mut damaged = line.clone().into_bytes();
            damaged[place] = byte ^ 1;
            assert_eq!(payload(&damaged), None, "{place}");
        }
    }

    #[test]
    fn rows_that_lost_their_newlines_ask_for_little_memory() {
        let channels: Vec<crate::Channel> = (0..CHANNELS_MAX)
            .map(|n| {
                let id = crate::ChannelId::Other(n.to_string().into());
                crate::Channel::new(id, crate::Unit::Count, crate::ChannelKind::Gauge)
            })
            .collect();
        let event = Event::Channels { interval_ms: 1000, channels };
        let mut reader = LineReader::default();
        reader.read(frame(&serde_json::to_string(&event).unwrap()).as_bytes(), |_, _| ());
        let row = frame(&format!("K 1 {CHANNELS_MAX}-"));
        let line = row.trim_end().repeat(2000);
        let mut unreadable = 0;
        let lines = reader.read(line.as_bytes(), |_, bytes| unreadable += bytes);
        assert_eq!(lines.len(), VALUES_MAX / CHANNELS_MAX);
        assert_eq!(unreadable, (2000 - lines.len()) * row.trim_end().len());
        // The next line is readable.
        assert_eq!(reader.read(row.as_bytes(), |_, _| ()).len(), 1);
    }

    #[test]
    fn row_is_short() {
        let mut writer = RowWriter::default();
        let mut row = |at_ms, values: &[i64]| {
            let known = |value: &i64| (*value >= 0).then_some(*value);
            writer.row(at_ms, values.iter().map(known))
        };
        assert_eq!(row(0, &[7, 0, 0, -1, -1]), "K 0 7 2= 2-");
        assert_eq!(row(500, &[7, 5, 0, -1, 3]), "R 500 1= 5 1= 1- 3");
        assert_eq!(row(1000, &[7, 4, 0, 9, 3]), "R 1000 1= -1 1= 9 1=");
        writer.start_again();
        assert_eq!(writer.row(1500, [Some(7)]), "K 1500 7");
    }

    #[test]
    fn rows_after_lost_row_need_key_row() {
        let mut writer = RowWriter::default();
        let rows: Vec<String> = (0..250).map(|at| writer.row(at, [Some(at * 3)])).collect();
        let mut reader = RowReader::default();
        let mut read = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            if index == 150 {
                reader.mark_lost();
                continue;
            }
            read.extend(reader.row(row, 1));
        }
        let expected = (0..150).chain(200..250);
        let expected: Vec<_> = expected.map(|at| (at, vec![Some(at * 3)])).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn invalid_rows_are_rejected() {
        for text in ["", "K", "K x", "R 5 1=", "K 5 3=", "K 5 2= 1", "K 5 99999999999=", "Q 5 2="] {
            assert_eq!(RowReader::default().row(text, 2), None, "{text:?}");
        }
    }

    fn value() -> impl Strategy<Value = Option<i64>> {
        prop_oneof![
            Just(None),
            Just(Some(0)),
            Just(Some(i64::MAX)),
            Just(Some(i64::MIN)),
            (-1000_i64..1000).prop_map(Some)
        ]
    }

    proptest! {
        #[test]
        fn rows_survive(rows in proptest::collection::vec(proptest::collection::vec(value(), 6), 1..130)) {
            let (mut writer, mut reader) = (RowWriter::default(), RowReader::default());
            for (at_ms, row) in rows.into_iter().enumerate() {
                let text = writer.row(at_ms as i64, row.iter().copied());
                prop_assert_eq!(reader.row(&text, 6), Some((at_ms as i64, row)));
            }
        }

        #[test]
        fn text_round_trip(text in "\\PC*") {
            let line = frame(&text);
            prop_assert_eq!(payload(line.as_bytes()), Some(text.as_str()));
        }

        #[test]
        fn damage_is_detected(text: String, at: usize, byte: u8) {
            let mut line = frame(&text).into_bytes();
            let expected = text.replace('\n', " ");
            prop_assert_eq!(payload(&line), Some(expected.as_str()));
            let at = at % (line.len() - 1);
            prop_assume!(line[at] != byte);
            line[at] = byte;
            // The same number of the length and the checksum has several spellings.
            prop_assert!(payload(&line).is_none_or(|read| read == expected));
        }

        #[test]
        fn incomplete_rows_are_rejected(
            row in "[KR] -?[0-9]{1,3}( -?[0-9]{1,20}| [0-9]{1,3}[=-]){0,9}",
            channels in 0_usize..9,
        ) {
            let mut reader = RowReader::default();
            let zeros = format!("K 0 {channels}=");
            let (_, values) = reader.row(zeros.trim_end_matches(" 0="), channels).unwrap();
            prop_assert_eq!(values, vec![Some(0); channels]);
            if let Some((_, values)) = reader.row(&row, channels) {
                prop_assert_eq!(values.len(), channels);
            }
        }
    }
}
