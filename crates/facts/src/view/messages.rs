//! Kernel messages about one kind of event.

use crate::Place;
use record::{KernelMessage, Record};

/// Messages that appeared during the run and that `is_wanted`, with their index.
pub fn matching_messages<'a>(
    record: &'a Record,
    is_wanted: impl Fn(&str) -> bool + 'a,
) -> Vec<(usize, &'a KernelMessage)> {
    let messages = record.kernel_messages.known().map_or(&[][..], Vec::as_slice);
    let during = messages
        .iter()
        .enumerate()
        .filter(move |(_, message)| message.at_ms.is_none_or(|at_ms| at_ms >= 0) && is_wanted(&message.text));
    during.collect()
}

/// Place of a message: line of a log, or index in a run of this program.
pub fn message_place((index, message): &(usize, &KernelMessage)) -> Place {
    match message.line {
        Some(line) => Place::Line(line),
        None => Place::KernelMessage(*index),
    }
}
