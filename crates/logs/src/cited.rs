//! Selects the lines of a log that its Record keeps verbatim, so that findings can quote them.

use super::sections::Line;
use record::{LogLine, Outcome, Record, Source, Step, StepMeasurement};
use std::collections::BTreeSet;

/// Maximum number of lines kept.
const LINES_MAX: usize = 400;
/// Maximum number of characters of a line; longer lines are cut.
const LINE_CHARS: usize = 160;

/// Keeps lines of steps, clocks, states and settings, and as many rows of the monitoring as fit.
pub(super) fn keep(record: &mut Record, lines: &[Line<'_>]) {
    let mut numbers: BTreeSet<u32> = record.steps.iter().flat_map(of_step).collect();
    numbers.extend(record.states.iter().filter_map(|state| state.line));
    let settings = record.machine.firmware.iter().chain(&record.machine.features);
    let messages = record.kernel_messages.known().into_iter().flatten();
    numbers.extend(messages.filter_map(|message| message.line));
    if let Source::Log(log) = &record.source {
        let bits = log.blocks.iter().filter(|block| block.heading == "firmware-bits");
        numbers.extend(bits.flat_map(|block| (block.line..).zip(block.text.lines()).map(|(number, _)| number)));
    }
    numbers.extend(settings.filter_map(|setting| setting.from.strip_prefix("line ")?.parse::<u32>().ok()));
    numbers = numbers.into_iter().take(LINES_MAX).collect();
    // Rows spread over the run are more informative than the first rows.
    let rows = &record.samples.lines;
    let room = LINES_MAX - numbers.len();
    let every = rows.len().div_ceil(room.max(1)).max(1);
    numbers.extend(rows.iter().step_by(every).take(room));
    let Source::Log(log) = &mut record.source else { return };
    log.cited = numbers
        .into_iter()
        .filter_map(|number| {
            let line = lines[lines.binary_search_by_key(&number, |line| line.number).ok()?];
            let text = line.text.trim();
            let is_long = text.len() > LINE_CHARS;
            let end = is_long.then(|| text.char_indices().nth(LINE_CHARS)).flatten().map_or(text.len(), |(end, _)| end);
            (!text.is_empty()).then(|| LogLine { line: number, text: text[..end].to_owned() })
        })
        .collect();
}

/// Lines of a step and of its clocks. A memory step measures one core, so its other rows add nothing.
fn of_step(step: &Step) -> Vec<u32> {
    let points = match &step.outcome {
        Outcome::Done(StepMeasurement::Clock(clocks)) => clocks.points.iter().filter_map(|point| point.line).collect(),
        _ => Vec::new(),
    };
    step.line.into_iter().chain(points).collect()
}
