//! Section: how it was measured: programs, the sampler's own cost, and what was not measured, with the reason.

use crate::{Section, Subject};
use explain::view;
use maud::{Markup, html};
use record::{Outcome, Record};

pub(crate) const SECTION: Section = Section { id: "method", title: "How it was measured", body };

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let record = subject.record;
    let (tools, missing) = (tools(record), missing(record));
    let samples = record.samples.at_ms.len();
    let cost = view::own_cost_percent(record);
    if tools.is_empty() && missing.is_empty() && samples == 0 {
        return None;
    }
    Some(html! {
        @if samples > 0 {
            p {
                (samples) " samples of " (record.samples.channels.len()) " channels"
                @if record.samples.interval_ms > 0 { ", every " (record.samples.interval_ms) " ms" }
                @if let Some(cost) = cost { "; sampling took " (format!("{cost:.3}")) " % of the CPU time" } "."
            }
        }
        @if !tools.is_empty() {
            details {
                summary { "Programs and their command lines" }
                ul.notes { @for tool in tools { li { (tool) } } }
            }
        }
        @if !missing.is_empty() {
            h3 { "Not measured" }
            ul.notes { @for line in missing { li { (line) } } }
        }
    })
}

fn tools(record: &Record) -> Vec<String> {
    let mut tools: Vec<String> = Vec::new();
    for tool in record.steps.iter().filter_map(|step| step.tool.as_ref()) {
        let line = explain::plain(&format!("{} {}: {}", tool.name, tool.version, tool.argv.join(" ")));
        if !tools.contains(&line) {
            tools.push(line);
        }
    }
    tools
}

fn missing(record: &Record) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut tell = |line: String| {
        if !lines.contains(&line) {
            lines.push(line);
        }
    };
    for step in &record.steps {
        match &step.outcome {
            Outcome::Skipped(missing) => tell(explain::plain(&format!("{}: {missing}", view::step_name(step)))),
            Outcome::Failed(failure) => {
                tell(explain::plain(&format!("{}: {}", view::step_name(step), failure.message)))
            }
            Outcome::Done(_) => {}
        }
    }
    for channel in record.samples.channels.iter().filter(|channel| channel.values.iter().all(Option::is_none)) {
        if let Some(gap) = channel.gaps.first() {
            tell(explain::plain(&format!("{}: {}", channel.id, gap.missing)));
        }
    }
    lines
}
