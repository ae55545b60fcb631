//! Section: the run over time. Clocks, temperature, power and CPU use on one time axis, with phases in the background
//! and events on the axis.

mod lines;
mod strips;

use crate::draw::{Area, Plot, Scale, WIDTH, axis_x, clock_time, n, time_ticks, width_of, word};
use crate::{Section, Subject};
use facts::view::Phase;
use facts::{Explanation, Facts};
use maud::{Markup, html};
use record::{Record, Total, Window};

pub(crate) const SECTION: Section = Section {
    plots: |subject| plot(subject.facts, Some(subject.explained)).into_iter().collect(),
    ..Section::of("over-time", "The run over time", body)
};

const LEFT: f64 = 76.0;
const RIGHT: f64 = 16.0;
/// Height of a panel, including the space above it.
const PANEL: f64 = 170.0;
const HEAD: f64 = 30.0;
const FOOT: f64 = 46.0;
/// Maximum number of listed messages; further ones are counted.
const MESSAGES_MAX: usize = 200;

/// Time axis: moments of the run and their positions.
pub(crate) struct Axis {
    pub(crate) scale: Scale,
    pub(crate) from_ms: i64,
    pub(crate) to_ms: i64,
}

impl Axis {
    fn of(record: &Record, places: (f64, f64)) -> Option<Self> {
        let (from_ms, to_ms) = ends(record)?;
        let scale = Scale::linear((from_ms as f64 / 1000.0, to_ms as f64 / 1000.0), places);
        Some(Self { scale, from_ms, to_ms })
    }

    pub(crate) fn at(&self, at_ms: i64) -> f64 {
        self.scale.at(at_ms.clamp(self.from_ms, self.to_ms) as f64 / 1000.0)
    }
}

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let plot = plot(subject.facts, Some(subject.explained))?;
    Some(html! {
        @if let Some(sentence) = lines::flat_clock(subject.facts) { p { (sentence) } }
        (plot.on_page())
        (phase_list(&named(subject.facts.phases())))
        (happened(subject.facts))
    })
}

/// Plot of all panels and strips; without an explanation the strip of causes is omitted.
pub(crate) fn plot(facts: &Facts<'_>, explained: Option<&Explanation>) -> Option<Plot> {
    let axis = Axis::of(facts, (LEFT, WIDTH - RIGHT))?;
    let panels = lines::panels(facts);
    let strips = strips::strips(facts, explained, &axis);
    if panels.is_empty() && strips.is_empty() {
        return None;
    }
    let phases = facts.phases();
    let height_of_strips: f64 = strips.iter().map(strips::Strip::height).total();
    let bottom = HEAD + PANEL * panels.len() as f64 + height_of_strips;
    let height = bottom + FOOT;
    let mut top = HEAD;
    let mut shapes = vec![behind(&axis, &named(phases), bottom)];
    for panel in &panels {
        let area = Area { left: LEFT, right: WIDTH - RIGHT, top: top + 26.0, bottom: top + PANEL - 14.0 };
        shapes.push(lines::draw(panel, &axis, area));
        top += PANEL;
    }
    for strip in &strips {
        shapes.push(strip.draw(top));
        top += strip.height();
    }
    let area = Area { left: LEFT, right: WIDTH - RIGHT, top: HEAD, bottom };
    let ends = axis.scale.ends();
    let on_axis = on_axis(facts, &axis, bottom);
    let all = html! {
        @for shape in shapes { (shape) }
        (axis_x(area, &axis.scale, &time_ticks(ends, 10), "time since the start (minutes:seconds)"))
        (on_axis)
    };
    let title = format!("Plot over {}: {}", clock_time(ends.1 - ends.0), titles(&panels));
    Some(Plot {
        key: panels.iter().flat_map(lines::Panel::key).collect(),
        time: Some([ends.0, ends.1, LEFT, WIDTH - RIGHT]),
        ..Plot::of("timeline", &title, height, all)
    })
}

/// First panel with a time axis, and the styles and names of its lines.
pub(crate) fn first_panel(facts: &Facts<'_>, area: Area) -> Option<(Markup, Vec<(String, String)>)> {
    let axis = Axis::of(facts, (area.left, area.right))?;
    let panel = lines::panels(facts).into_iter().next()?;
    let shapes = html! {
        (behind(&axis, &named(facts.phases()), area.bottom))
        (lines::draw(&panel, &axis, area))
        (axis_x(area, &axis.scale, &time_ticks(axis.scale.ends(), 10), ""))
    };
    Some((shapes, panel.key()))
}

fn titles(panels: &[lines::Panel]) -> String {
    let titles: Vec<&str> = panels.iter().map(|panel| panel.title).collect();
    if titles.is_empty() { "use of each CPU and throttling".to_owned() } else { titles.join(", ") }
}

/// Time of the first and the last sample or step; `None` if they are equal.
fn ends(record: &Record) -> Option<(i64, i64)> {
    let steps = record.steps.iter().map(|step| step.window).filter(|window| window.end_ms > window.start_ms);
    let of_steps = steps.flat_map(|window| [window.start_ms, window.end_ms]);
    let samples = &record.samples.at_ms;
    let moments = || of_steps.clone().chain(samples.first().copied()).chain(samples.last().copied());
    let (from, to) = (moments().min()?, moments().max()?);
    (to > from && to.checked_sub(from).is_some()).then_some((from, to))
}

/// Phases as stripes behind all panels, each with its name, or with its number where the name has no room.
fn behind(axis: &Axis, phases: &[(String, Window)], bottom: f64) -> Markup {
    let mut taken = f64::NEG_INFINITY;
    let stripe = |(index, (name, window)): (usize, &(String, Window))| {
        let (from, to) = (axis.at(window.start_ms), axis.at(window.end_ms));
        let number = (index + 1).to_string();
        let label = fitting(name, to - from).unwrap_or(number);
        let label = Some(label).filter(|_| from + 3.0 >= taken);
        taken = label.as_ref().map_or(taken, |label| from + 6.0 + width_of(label));
        (from, (to - from).max(0.5), label, facts::plain(name))
    };
    let stripes: Vec<_> = phases.iter().enumerate().map(stripe).collect();
    html! {
        @for (index, (from, width, _, title)) in stripes.iter().enumerate() {
            rect.phase.odd[index % 2 == 1] x=(n(*from)) y="4" width=(n(*width)) height=(n(bottom - 4.0)) { title { (title) } }
        }
        // Above all stripes, because a number may be wider than its own.
        @for (from, _, label, _) in &stripes { @if let Some(label) = label { (word(from + 3.0, 16.0, "start", label)) } }
    }
}

/// Phases with their names and times. Logs have one window for all measurements of a tool.
fn named(phases: &[Phase]) -> Vec<(String, Window)> {
    let mut named: Vec<(String, Window)> = Vec::new();
    for phase in phases.iter().filter(|phase| phase.window.end_ms > phase.window.start_ms) {
        match named.last_mut() {
            Some((name, window)) if *name == phase.name => {
                window.end_ms = window.end_ms.max(phase.window.end_ms);
            }
            _ => named.push((phase.name.clone(), phase.window)),
        }
    }
    named
}

/// Cuts a name to the width; `None` if less than a word remains.
fn fitting(name: &str, width: f64) -> Option<String> {
    if width_of(name) + 6.0 <= width {
        return Some(name.to_owned());
    }
    let first = name.split([',', ' ']).next()?;
    (width_of(first) + 6.0 <= width).then(|| first.to_owned())
}

/// Marks and kernel messages as strokes on the axis.
fn on_axis(record: &Record, axis: &Axis, bottom: f64) -> Markup {
    let messages = record.kernel_messages.known().map_or(&[][..], Vec::as_slice).iter();
    let timed = messages.filter_map(|message| Some((message.at_ms?, &message.text)));
    let shown = timed.filter(|(at_ms, _)| (axis.from_ms..=axis.to_ms).contains(at_ms)).take(MESSAGES_MAX);
    html! {
        @for mark in record.marks.iter().take(MESSAGES_MAX) {
            g {
                title { (facts::plain(&mark.text)) }
                line.mark x1=(n(axis.at(mark.at_ms))) x2=(n(axis.at(mark.at_ms))) y1=(n(HEAD)) y2=(n(bottom)) {}
            }
        }
        @for (at_ms, text) in shown {
            g {
                title { (facts::plain(text)) }
                line.message x1=(n(axis.at(at_ms))) x2=(n(axis.at(at_ms))) y1=(n(bottom - 9.0)) y2=(n(bottom)) {}
            }
        }
    }
}

pub(crate) fn moment(at_ms: i64) -> String {
    clock_time(at_ms as f64 / 1000.0)
}

/// All phases in one line.
fn phase_list(phases: &[(String, Window)]) -> Markup {
    html! {
        @if !phases.is_empty() {
            ol.phases {
                @for (name, window) in phases { li { (facts::plain(name)) " " span.soft { (moment(window.start_ms)) } } }
            }
        }
    }
}

/// Marks, then kernel messages.
fn happened(record: &Record) -> Markup {
    let messages = record.kernel_messages.known().map_or(&[][..], Vec::as_slice);
    html! {
        @if !record.marks.is_empty() {
            details open {
                summary { "Marks" }
                ul.notes { @for mark in &record.marks { li { (moment(mark.at_ms)) " " (facts::plain(&mark.text)) } } }
            }
        }
        @if !messages.is_empty() {
            details {
                summary { "Messages of the kernel: " (messages.len()) }
                ul.notes {
                    @for message in messages.iter().take(MESSAGES_MAX) {
                        li { @if let Some(at_ms) = message.at_ms { (moment(at_ms)) " " } (facts::plain(&message.text)) }
                    }
                    @if messages.len() > MESSAGES_MAX { li { "and " (messages.len() - MESSAGES_MAX) " more" } }
                }
            }
        }
    }
}
