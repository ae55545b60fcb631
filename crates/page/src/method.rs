//! Section: method: programs, overhead of the sampler, and skipped measurements with the reason.

use crate::{Section, Subject};
use facts::view;
use maud::{Markup, html};
use record::Record;

pub(crate) const SECTION: Section = Section::folded("method", "How it was measured", body);

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let facts = subject.facts;
    let (tools, missing) = (tools(facts), missing(facts));
    let samples = facts.samples.at_ms.len();
    let cost = view::own_cost_percent(facts);
    if tools.is_empty() && missing.is_empty() && samples == 0 {
        return None;
    }
    Some(html! {
        @if samples > 0 {
            p {
                (samples) " samples of " (facts.samples.channels.len()) " channels"
                @if facts.samples.interval_ms > 0 { ", every " (facts.samples.interval_ms) " ms" }
                @if let Some(cost) = cost { "; sampling took " (format!("{cost:.3}")) " % of the CPU time" } "."
                @if facts.samples.folds > 0 { " " (explain::watched::folded(facts)) }
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
        let line = facts::plain(&format!("{} {}: {}", tool.name, tool.version, tool.argv.join(" ")));
        if !tools.contains(&line) {
            tools.push(line);
        }
    }
    tools
}

/// Steps without a result, then channels without a value, each with the reason.
fn missing(record: &Record) -> Vec<String> {
    let silent = record.samples.channels.iter().filter(|channel| channel.values.iter().all(Option::is_none));
    let silent = silent.filter_map(|channel| Some(format!("{}: {}", channel.id, channel.gaps.first()?.missing)));
    let mut lines: Vec<String> = Vec::new();
    for line in facts::unmeasured(record, None, &[]).into_iter().chain(silent) {
        let line = facts::plain(&line);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}
