//! Evidence of an explanation: every finding with its rule, its confidence and the quoted lines of the log or result
//! file.

use explain::monitor::time_of_day;
use facts::foreign::one_line;
use facts::lines::wrapped_at;
use facts::plain::cut;
use facts::{Explanation, Finding, Place, view};
use record::{Channel, Record, Source, Unit};
use std::fmt::Write;

/// Maximum number of listed places per finding; further ones are counted.
const PLACES_MAX: usize = 6;

/// Section `Evidence`.
pub(super) fn details(record: &Record, explained: &Explanation, columns: usize) -> String {
    let mut text =
        wrapped_at("Evidence (rules.md of the package, or docs/rules of the source, explains each rule):", 0, columns)
            + "\n";
    for diagnosis in explained.worst_first() {
        let heading = facts::lines::capitalised(diagnosis.cause.words());
        let heading = format!("   {heading} ({} % confidence)", diagnosis.confidence_percent);
        text.push_str(&(wrapped_at(&heading, 6, columns) + "\n"));
        for index in diagnosis.members() {
            // The paragraph of the cause starts with the sentence of its root.
            evidence(&mut text, columns, record, &explained.findings[index], index != diagnosis.root);
        }
    }
    let others: Vec<usize> = explained.answers.iter().chain(&explained.notes).copied().collect();
    if !others.is_empty() {
        let _ = writeln!(text, "   Notes");
    }
    others.iter().for_each(|index| evidence(&mut text, columns, record, &explained.findings[*index], false));
    text
}

fn evidence(text: &mut String, columns: usize, record: &Record, finding: &Finding, with_sentence: bool) {
    let sentence = if with_sentence { format!(": {}", finding.sentence()) } else { String::new() };
    let line = format!("      {} ({} %){sentence}", finding.rule, finding.confidence_percent);
    let _ = writeln!(text, "{}", wrapped_at(&line, 9, columns));
    for place in finding.places.iter().take(PLACES_MAX) {
        let _ = writeln!(text, "{}", wrapped_at(&format!("         {}", words(record, place)), 12, columns));
    }
    if finding.places.len() > PLACES_MAX {
        let _ = writeln!(text, "         and {} more places", finding.places.len() - PLACES_MAX);
    }
}

/// Text at a place.
fn words(record: &Record, place: &Place) -> String {
    match place {
        Place::Line(number) => line(record, *number),
        Place::Step(index) => match record.steps.get(*index) {
            Some(step) => step_words(record, step),
            None => format!("step {index}"),
        },
        Place::Samples { channel, start_ms, end_ms } => {
            let from_to = format!("{} {}-{}", channel, time_of_day(record, *start_ms), time_of_day(record, *end_ms));
            let channel = record.samples.channel(channel);
            match channel.and_then(|channel| values(record, channel, *start_ms, *end_ms)) {
                Some(values) => format!("{from_to}: {values}"),
                None => from_to,
            }
        }
        Place::KernelMessage(index) => {
            let messages = record.kernel_messages.known();
            let message = messages.and_then(|messages| messages.get(*index));
            message.map_or_else(|| format!("kernel message {index}"), |message| quoted("kernel", &message.text))
        }
        Place::Setting(index) => match record.settings.get(*index) {
            Some(change) => one_line(&format!("{}: {} -> {}", change.path, change.old, change.new)).into_owned(),
            None => format!("setting {index}"),
        },
        Place::Field(path) => format!("{path} in the result file"),
    }
}

fn line(record: &Record, number: u32) -> String {
    let place = format!("line {number}");
    let text = match &record.source {
        Source::Log(log) => log.line(number),
        Source::Run { .. } => None,
    };
    text.map_or_else(|| place.clone(), |text| quoted(&place, text))
}

fn step_words(record: &Record, step: &record::Step) -> String {
    let name = view::step_name(step);
    match step.line {
        Some(number) => format!("{name}, {}", line(record, number)),
        None if step.window.elapsed_ms() > 0 => {
            let [from, to] = [step.window.start_ms, step.window.end_ms].map(|at_ms| time_of_day(record, at_ms));
            format!("{name}, {from}-{to}")
        }
        None => name,
    }
}

/// First, minimum and maximum value of a channel between two moments.
fn values(record: &Record, channel: &Channel, start_ms: i64, end_ms: i64) -> Option<String> {
    let rows = record.samples.at_ms.iter().zip(&channel.values);
    let there = rows.filter(|(at_ms, _)| (start_ms..=end_ms).contains(*at_ms));
    let values: Vec<i64> = there.filter_map(|(_, value)| *value).collect();
    let first = *values.first()?;
    let [least, greatest] = [values.iter().min()?, values.iter().max()?].map(|value| number(channel, *value));
    let last = number(channel, *values.last()?);
    let first = number(channel, first);
    if least == greatest { Some(first) } else { Some(format!("{first} to {last} ({least} to {greatest})")) }
}

fn number(channel: &Channel, value: i64) -> String {
    match channel.unit {
        Unit::Kilohertz => format!("{} MHz", value / 1000),
        Unit::Millicelsius => format!("{:.1} °C", value as f64 / 1000.0),
        _ => value.to_string(),
    }
}

/// Untrusted text on one line, cut to a maximum length.
fn quoted(place: &str, text: &str) -> String {
    format!("{place}: \"{}\"", cut(&one_line(text.trim())))
}
