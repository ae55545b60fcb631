//! The door through which the strings of a Record come into text. A Record may be of any origin, and the kernel,
//! the firmware and programs that it quotes may say anything: a line feed in a name would begin a line that looks like
//! one of ours. Reports, comparisons and verdicts work on a Record in which every string is one line; the Record itself
//! stays as it is. No string is exempt, since no report prints an output of several lines.

use crate::plain::is_obeyed;
use record::{Log, Record, Run, Source};
use serde_json::Value;
use std::borrow::Cow;

/// The same text on one line: what a terminal or a reader of lines would obey becomes a blank.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    match text.contains(is_obeyed) {
        true => Cow::Owned(text.replace(is_obeyed, " ")),
        false => Cow::Borrowed(text),
    }
}

/// The same Record with every string on one line.
pub(crate) fn in_lines(record: &Record) -> Cow<'_, Record> {
    // Samples are most of a Record, and numbers.
    let mut bare = record.clone();
    let at_ms = std::mem::take(&mut bare.samples.at_ms);
    let channels = bare.samples.channels.iter_mut();
    let values: Vec<_> = channels.map(|channel| std::mem::take(&mut channel.values)).collect();
    let Ok(mut value) = serde_json::to_value(&bare) else {
        return Cow::Owned(nothing(record));
    };
    if !straighten(&mut value) {
        return Cow::Borrowed(record);
    }
    let Ok(mut made) = serde_json::from_value::<Record>(value) else {
        return Cow::Owned(nothing(record));
    };
    made.samples.at_ms = at_ms;
    for (channel, values) in made.samples.channels.iter_mut().zip(values) {
        channel.values = values;
    }
    Cow::Owned(made)
}

/// What stands for a Record whose strings cannot be made harmless: none of them gets through.
fn nothing(record: &Record) -> Record {
    let source = match &record.source {
        Source::Run { .. } => Source::Run { version: String::new(), target: String::new() },
        Source::Log(_) => Source::Log(Log::default()),
    };
    Record::new(source, Run::default())
}

/// True if something was changed.
fn straighten(value: &mut Value) -> bool {
    match value {
        Value::String(text) => match one_line(text) {
            Cow::Owned(line) => {
                *text = line;
                true
            }
            Cow::Borrowed(_) => false,
        },
        Value::Array(values) => values.iter_mut().fold(false, |any, value| straighten(value) | any),
        Value::Object(fields) => {
            let has_bent_names = fields.keys().any(|name| name.contains(is_obeyed));
            if has_bent_names {
                let all = std::mem::take(fields);
                fields.extend(all.into_iter().map(|(name, value)| (one_line(&name).into_owned(), value)));
            }
            fields.values_mut().fold(has_bent_names, |any, value| straighten(value) | any)
        }
        _ => false,
    }
}
