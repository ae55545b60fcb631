//! Strips over time: use of each CPU, throttling, and occurrences of each cause.

use super::{Axis, moment};
use crate::draw::{n, word};
use explain::monitor::Watch;
use facts::{Explanation, throttle, view};
use maud::{Markup, html};
use record::{Channel, Record, Window};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Height of a row.
const ROW: f64 = 16.0;
/// Maximum number of CPUs with a row of their own.
const CPUS_MAX: usize = 64;
/// Strip with a title and rows.
pub(super) struct Strip {
    title: String,
    rows: Vec<Row>,
}

/// Row: name and content, drawn from its upper edge at 0.
struct Row {
    name: String,
    shapes: Markup,
}

impl Strip {
    pub(super) fn height(&self) -> f64 {
        28.0 + ROW * self.rows.len() as f64
    }

    pub(super) fn draw(&self, top: f64) -> Markup {
        html! {
            g.unit { (word(8.0, top + 16.0, "start", &self.title)) }
            @for (index, row) in self.rows.iter().enumerate() {
                @let at = top + 22.0 + ROW * index as f64;
                g.axis { (word(super::LEFT - 8.0, at + 12.0, "end", &row.name)) }
                g transform={ "translate(0 " (n(at)) ")" } { (row.shapes) }
            }
        }
    }
}

/// Strips with at least one row.
pub(super) fn strips(record: &Record, explained: Option<&Explanation>, axis: &Axis) -> Vec<Strip> {
    let causes = explained.map_or_else(Vec::new, |explained| causes(explained, axis));
    let causes = Strip { title: "causes".into(), rows: causes };
    let cpus = Strip { title: "use of each CPU".into(), rows: cpu_use(record, axis) };
    let strips = [causes].into_iter().chain(throttling(record, axis)).chain([cpus]);
    strips.filter(|strip| !strip.rows.is_empty()).collect()
}

/// Occurrences of each cause, linked to it.
fn causes(explained: &Explanation, axis: &Axis) -> Vec<Row> {
    let seen = explained.diagnoses.iter().enumerate().filter_map(|(index, diagnosis)| {
        let finding = &explained.findings[diagnosis.root];
        let span = finding.span?;
        let (from, to) = (axis.at(span.from_ms), axis.at(span.to_ms));
        let shapes = html! {
            a href={ "#cause-" (index) } id={ "over-time-cause-" (index) } {
                rect.span x=(n(from)) y="3" width=(n((to - from).max(3.0))) height="10" {
                    title { (moment(span.from_ms)) " to " (moment(span.to_ms)) ": " (facts::plain(&finding.sentence())) }
                }
            }
        };
        Some(Row { name: format!("cause {}", index + 1), shapes })
    });
    seen.collect()
}

/// Strip for each throttle reason with its text, as in the monitor, from the channels for throttling.
fn throttling(record: &Record, axis: &Axis) -> Vec<Strip> {
    let telling: Vec<&Channel> =
        record.samples.channels.iter().filter(|channel| throttle::is_told_by(channel)).collect();
    if telling.is_empty() {
        return Vec::new();
    }
    let mut head = Record::new(record.source.clone(), record.run.clone());
    head.samples.interval_ms = record.samples.interval_ms;
    let empty = |channel: &&Channel| Channel {
        label: channel.label.clone(),
        ..Channel::new(channel.id.clone(), channel.unit.clone(), channel.kind)
    };
    head.samples.channels = telling.iter().map(empty).collect();
    let mut watch = Watch::new(head);
    let times = &record.samples.at_ms;
    let mut reasons: Vec<(&'static str, Vec<(i64, i64)>)> = Vec::new();
    for (row, at_ms) in times.iter().enumerate() {
        let next = times.get(row + 1).copied().unwrap_or(*at_ms);
        watch.row(*at_ms, telling.iter().map(|channel| channel.values.get(row).copied().flatten()));
        for throttle in watch.throttled() {
            let words = throttle.reason.words();
            let index = reasons.iter().position(|(known, _)| *known == words).unwrap_or_else(|| {
                reasons.push((words, Vec::new()));
                reasons.len() - 1
            });
            match reasons[index].1.last_mut() {
                Some((_, end)) if *end >= *at_ms => *end = next,
                _ => reasons[index].1.push((*at_ms, next)),
            }
        }
    }
    let strip = |(words, spans): (&'static str, Vec<(i64, i64)>)| {
        let mut bands = String::new();
        // Merges bands that cannot be distinguished, because a day has thousands.
        let mut shown: Vec<(f64, f64)> = Vec::new();
        for (from, to) in &spans {
            let (from, to) = (axis.at(*from), axis.at(*to).max(axis.at(*from) + 1.0));
            match shown.last_mut() {
                Some((_, end)) if from - *end < 0.5 => *end = to.max(*end),
                _ => shown.push((from, to)),
            }
        }
        for (from, to) in shown {
            let _ = write!(bands, "M{} 3h{}v10h-{}z", n(from), n(to - from), n(to - from));
        }
        let shapes = html! { path.band d=(bands) { title { (words) ", " (spans.len()) " times" } } };
        Strip { title: format!("throttled by: {words}"), rows: vec![Row { name: String::new(), shapes }] }
    };
    reasons.into_iter().map(strip).collect()
}

/// Row for each CPU, darker if busier: the mean of the seconds in one unit of the plot.
fn cpu_use(record: &Record, axis: &Axis) -> Vec<Row> {
    let window = Window { start_ms: axis.from_ms, end_ms: axis.to_ms, ..Window::default() };
    let left = axis.at(axis.from_ms);
    let columns = (axis.at(axis.to_ms) - left).max(1.0) as usize;
    let mut sums: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    for (at_ms, uses) in view::core_use_by_second(record, window) {
        let (from, to) = (axis.at(at_ms.saturating_sub(1000)) - left, axis.at(at_ms) - left);
        for (cpu, percent) in uses {
            let of_cpu = sums.entry(cpu).or_insert_with(|| vec![(0.0, 0.0); columns + 1]);
            for (sum, count) in &mut of_cpu[(from as usize).min(columns)..=(to as usize).min(columns)] {
                *sum += percent;
                *count += 1.0;
            }
        }
    }
    let row = |(cpu, sums): (&u32, &Vec<(f64, f64)>)| Row { name: format!("CPU {cpu}"), shapes: shaded(sums, left) };
    sums.iter().take(CPUS_MAX).map(row).collect()
}

/// Mean percentages in five shades; neighbours of the same shade are merged.
fn shaded(sums: &[(f64, f64)], left: f64) -> Markup {
    let shade = |(sum, count): &(f64, f64)| match *count {
        count if count > 0.0 => (sum / count / 20.0).clamp(0.0, 5.0).round() as usize,
        _ => 0,
    };
    let shades: Vec<usize> = sums.iter().map(shade).collect();
    let mut paths: [String; 6] = Default::default();
    let mut begin = 0;
    for end in 1..=shades.len() {
        if end == shades.len() || shades[end] != shades[begin] {
            let width = end - begin;
            let _ = write!(paths[shades[begin]], "M{} 2h{width}v12h-{width}z", n(left + begin as f64));
            begin = end;
        }
    }
    html! {
        @for (shade, path) in paths.iter().enumerate().skip(1) {
            @if !path.is_empty() { path class={ "h" (shade) } d=(path) {} }
        }
    }
}
