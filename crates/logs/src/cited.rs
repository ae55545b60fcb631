//! Which lines of a log its Record keeps word for word: those that a statement about it may quote.

use super::sections::Line;
use record::{LogLine, Measured, Outcome, Record, Source, Step};
use std::collections::BTreeSet;

/// At most so many lines are kept.
const LINES_MAX: usize = 400;
/// A longer line is cut to so many characters.
const LINE_CHARS: usize = 160;

/// Keeps the lines of steps, of clocks, of states and settings, and rows of the monitoring as far as there is room.
pub(super) fn keep(record: &mut Record, lines: &[Line<'_>]) {
    let first = lines.first().map_or(1, |line| line.number);
    let mut numbers: BTreeSet<u32> = record.steps.iter().flat_map(of_step).collect();
    numbers.extend(record.states.iter().filter_map(|state| state.line));
    let settings = record.machine.firmware.iter().chain(&record.machine.features);
    let messages = record.kernel_messages.known().into_iter().flatten();
    numbers.extend(messages.filter_map(|message| message.line));
    numbers.extend(settings.filter_map(|setting| setting.from.strip_prefix("line ")?.parse::<u32>().ok()));
    numbers = numbers.into_iter().take(LINES_MAX).collect();
    // Rows far apart tell more of a run than the same number of its first ones.
    let rows = &record.samples.lines;
    let room = LINES_MAX - numbers.len();
    let every = rows.len().div_ceil(room.max(1)).max(1);
    numbers.extend(rows.iter().step_by(every).take(room));
    let Source::Log(log) = &mut record.source else { return };
    log.cited = numbers
        .into_iter()
        .filter_map(|number| {
            let line = lines.get(number.checked_sub(first)? as usize)?;
            let text = line.text.trim();
            let end = text.char_indices().nth(LINE_CHARS).map_or(text.len(), |(end, _)| end);
            (!text.is_empty()).then(|| LogLine { line: number, text: text[..end].to_owned() })
        })
        .collect();
}

/// The line of a step, and those of its clocks: of memory, each step is one core, and its rows say nothing more.
fn of_step(step: &Step) -> Vec<u32> {
    let points = match &step.outcome {
        Outcome::Done(Measured::Clock(clocks)) => clocks.points.iter().filter_map(|point| point.line).collect(),
        _ => Vec::new(),
    };
    step.line.into_iter().chain(points).collect()
}
