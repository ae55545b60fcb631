//! Sanitises the strings of a Record for text. A Record may have any origin, and the kernel, firmware and programs that
//! it quotes may contain anything: a line feed in a name would forge a line of a report. Reports, comparisons and
//! verdicts use a Record in which every string is one line; the Record itself is unchanged. No string is exempt,
//! because no report prints output of several lines.

use crate::plain::is_obeyed;
use record::{Log, Record, Run, Source};
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};
use std::borrow::Cow;
use std::io::{self, Write};

/// The text on one line, with control characters replaced by blanks.
pub fn one_line(text: &str) -> Cow<'_, str> {
    // Nearly every text is ASCII, which bytes show faster than characters.
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.contains(is_obeyed);
    if is_plain { Cow::Borrowed(text) } else { Cow::Owned(text.replace(is_obeyed, " ")) }
}

/// The Record with every string on one line.
pub fn in_lines(record: &Record) -> Cow<'_, Record> {
    // Samples are most of a Record, and numbers.
    let mut bare = record.clone();
    let at_ms = std::mem::take(&mut bare.samples.at_ms);
    let channels = bare.samples.channels.iter_mut();
    let values: Vec<_> = channels.map(|channel| std::mem::take(&mut channel.values)).collect();
    let (mut json, mut is_bent) = (Vec::new(), false);
    let mut writer = Serializer::with_formatter(&mut json, OneLineFormatter { is_bent: &mut is_bent });
    if bare.serialize(&mut writer).is_err() {
        return Cow::Owned(nothing(record));
    }
    if !is_bent {
        return Cow::Borrowed(record);
    }
    let Ok(mut made) = record::json::from_bytes::<Record>(&json) else {
        return Cow::Owned(nothing(record));
    };
    made.samples.at_ms = at_ms;
    for (channel, values) in made.samples.channels.iter_mut().zip(values) {
        channel.values = values;
    }
    Cow::Owned(made)
}

/// Replacement for a Record whose strings cannot be made harmless.
fn nothing(record: &Record) -> Record {
    let source = match &record.source {
        Source::Run { .. } => Source::Run { version: String::new(), target: String::new() },
        Source::Log(_) => Source::Log(Log::default()),
    };
    Record::new(source, Run::default())
}

struct OneLineFormatter<'a> {
    /// True once a string was not.
    is_bent: &'a mut bool,
}

impl Formatter for OneLineFormatter<'_> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let line = one_line(fragment);
        *self.is_bent |= matches!(line, Cow::Owned(_));
        writer.write_all(line.as_bytes())
    }

    /// JSON escapes quotes, backslashes and control characters.
    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        match escape {
            CharEscape::Quote | CharEscape::ReverseSolidus | CharEscape::Solidus => {
                CompactFormatter.write_char_escape(writer, escape)
            }
            _ => {
                *self.is_bent = true;
                writer.write_all(b" ")
            }
        }
    }
}
