//! Strips over time: use of each CPU, throttling, and occurrences of each cause.

use super::{Axis, moment};
use crate::draw::{n, width_of, word};
use explain::monitor::Watch;
use facts::view::ScoreKey;
use facts::{Diagnosis, Explanation, throttle, view};
use maud::{Markup, html};
use record::{Channel, Record, Total, Window};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Height of a row.
const ROW: f64 = 16.0;
/// Height of a row with a name above its bar.
const CAUSE_ROW: f64 = 28.0;
/// A cause that acts before and after a shorter pause acts throughout.
const PAUSE_MS_MAX: i64 = 10_000;
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
    height: f64,
    shapes: Markup,
}

impl Strip {
    pub(super) fn height(&self) -> f64 {
        28.0 + self.rows.iter().map(|row| row.height).total()
    }

    pub(super) fn draw(&self, top: f64) -> Markup {
        html! {
            g.unit { (word(8.0, top + 16.0, "start", &self.title)) }
            @for (row, at) in self.rows.iter().zip(self.tops(top + 22.0)) {
                g.axis { (word(super::LEFT - 8.0, at + 12.0, "end", &row.name)) }
                g transform={ "translate(0 " (n(at)) ")" } { (row.shapes) }
            }
        }
    }

    /// Upper edge of each row.
    fn tops(&self, first: f64) -> Vec<f64> {
        let place = |next: &mut f64, row: &Row| {
            let top = *next;
            *next += row.height;
            Some(top)
        };
        self.rows.iter().scan(first, place).collect()
    }
}

/// Strips with at least one row.
pub(super) fn strips(record: &Record, explained: Option<&Explanation>, axis: &Axis) -> Vec<Strip> {
    let causes = explained.map_or_else(Vec::new, |explained| causes(record, explained, axis));
    let causes = Strip { title: "causes".into(), rows: causes };
    let cpus = Strip { title: "use of each CPU".into(), rows: cpu_use(record, axis) };
    let strips = [causes].into_iter().chain(throttling(record, axis)).chain([cpus]);
    strips.filter(|strip| !strip.rows.is_empty()).collect()
}

/// Each cause by name for as long as it acted, linked to it.
fn causes(record: &Record, explained: &Explanation, axis: &Axis) -> Vec<Row> {
    let row = |(index, diagnosis): (usize, &Diagnosis)| {
        let spans = spans(record, explained, diagnosis);
        let begin = axis.at(spans.first()?.0);
        let name = diagnosis.cause.words();
        let root = facts::plain(&explained.findings[diagnosis.root].sentence());
        // The name is above the bar and must not leave the plot.
        let (at, anchor) =
            if begin + width_of(name) > axis.at(axis.to_ms) { (axis.at(axis.to_ms), "end") } else { (begin, "start") };
        let shapes = html! {
            a href={ "#cause-" (index) } id={ "over-time-cause-" (index) } {
                (word(at, 12.0, anchor, name))
                @for (from, to) in &spans {
                    rect.span x=(n(axis.at(*from))) y="17" width=(n((axis.at(*to) - axis.at(*from)).max(3.0))) height="8" {
                        title { (moment(*from)) " to " (moment(*to)) ": " (root) }
                    }
                }
            }
        };
        Some(Row { name: String::new(), height: CAUSE_ROW, shapes })
    };
    explained.diagnoses.iter().enumerate().filter_map(row).collect()
}

/// Times during which a cause acted: those of its findings, and the scores that lost something to it.
fn spans(record: &Record, explained: &Explanation, diagnosis: &Diagnosis) -> Vec<(i64, i64)> {
    let findings = diagnosis.members().filter_map(|index| explained.findings[index].span);
    let of_findings = findings.map(|span| (span.from_ms, span.to_ms));
    let has_lost = |score: &ScoreKey| {
        let parts = explained.ledger(score).map_or(&[][..], |ledger| &ledger.parts);
        parts.iter().any(|part| part.cause == diagnosis.cause)
    };
    let steps = record.steps.iter().filter(|step| step.window.elapsed_ms() > 0 && has_lost(&ScoreKey::of(step)));
    let of_steps = steps.map(|step| (step.window.start_ms, step.window.end_ms));
    let has_time = diagnosis.span.is_some();
    let mut all: Vec<(i64, i64)> = of_findings.chain(of_steps.filter(|_| has_time)).collect();
    all.sort_unstable();
    merged(all.into_iter(), |end, from| from <= end + PAUSE_MS_MAX)
}

/// Merges intervals that are near each other, in order of their starts.
fn merged<T: Copy + PartialOrd>(all: impl Iterator<Item = (T, T)>, is_near: impl Fn(T, T) -> bool) -> Vec<(T, T)> {
    let mut merged: Vec<(T, T)> = Vec::new();
    for (from, to) in all {
        match merged.last_mut() {
            Some((_, end)) if is_near(*end, from) => *end = if to > *end { to } else { *end },
            _ => merged.push((from, to)),
        }
    }
    merged
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
        let places = spans.iter().map(|(from, to)| (axis.at(*from), axis.at(*to).max(axis.at(*from) + 1.0)));
        // Bands that cannot be distinguished are one, because a day has thousands.
        for (from, to) in merged(places, |end, from| from - end < 0.5) {
            let _ = write!(bands, "M{} 3h{}v10h-{}z", n(from), n(to - from), n(to - from));
        }
        let shapes = html! { path.band d=(bands) { title { (words) ", " (spans.len()) " times" } } };
        Strip { title: format!("throttled by: {words}"), rows: vec![Row { name: String::new(), height: ROW, shapes }] }
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
    let row = |(cpu, sums): (&u32, &Vec<(f64, f64)>)| Row {
        name: format!("CPU {cpu}"),
        height: ROW,
        shapes: shaded(sums, left),
    };
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
