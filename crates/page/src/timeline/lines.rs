//! Panels of lines over time: clocks, temperature, power, voltage.

use super::Axis;
use crate::draw::{Area, LOOKS, Scale, axis_y, linear_ticks, n, named, path, reduced};
use facts::Facts;
use facts::view::PowerSource;
use facts::view::{self, whole_run};
use maud::{Markup, html};
use record::{Channel, ChannelId, Outcome, PolicyChannel, Record, StepMeasurement, Unit};

/// One panel.
pub(super) struct Panel {
    pub(super) title: &'static str,
    unit: &'static str,
    lines: Vec<Line>,
    /// Single measurements: time and value.
    dots: Vec<(i64, f64)>,
    dots_name: &'static str,
}

/// One line of a panel.
struct Line {
    name: String,
    look: String,
    points: Vec<(i64, f64)>,
}

/// Maximum number of other sensors, which are drawn as thin lines.
const OTHERS_MAX: usize = 6;

/// Unit of the panel of clocks.
const CLOCK_UNIT: &str = "MHz";
/// Maximum ratio of reported and measured clocks that are one clock.
const FLAT_RATIO_MAX: f64 = 1.01;

impl Panel {
    /// The clock in MHz, if it never moved.
    fn flat_mhz(&self) -> Option<f64> {
        let all = || self.lines.iter().flat_map(|line| &line.points).chain(&self.dots).map(|(_, value)| *value);
        let (low, high) = (all().reduce(f64::min)?, all().reduce(f64::max)?);
        (self.unit == CLOCK_UNIT && high <= low * FLAT_RATIO_MAX).then_some(high)
    }

    /// Styles and names of its lines.
    pub(super) fn key(&self) -> Vec<(String, String)> {
        let lines = self.lines.iter().map(|line| (line.look.clone(), line.name.clone()));
        let dots = (!self.dots.is_empty()).then(|| ("dot".to_owned(), self.dots_name.to_owned()));
        lines.chain(dots).collect()
    }
}

/// Panels with at least one line. Clocks that never moved have none, because a sentence says as much, unless nothing else was
/// sampled.
pub(super) fn panels(facts: &Facts<'_>) -> Vec<Panel> {
    let panels = [clocks(facts), temperatures(facts), power(facts), voltages(facts)];
    let mut panels: Vec<Panel> =
        panels.into_iter().filter(|panel| !panel.lines.is_empty() || !panel.dots.is_empty()).collect();
    if panels.len() > 1 {
        panels.retain(|panel| panel.flat_mhz().is_none());
    }
    panels
}

/// Sentence about clocks that never moved and have no panel.
pub(super) fn flat_clock(facts: &Facts<'_>) -> Option<String> {
    let mhz = clocks(facts).flat_mhz()?;
    let has_panel = panels(facts).iter().any(|panel| panel.unit == CLOCK_UNIT);
    (!has_panel).then(|| format!("The clock was {mhz:.0} MHz in every sample and measurement."))
}

fn values(record: &Record, channel: &Channel, per_unit: f64) -> Vec<(i64, f64)> {
    let readings = view::gauge(record, channel, whole_run());
    readings.into_iter().map(|reading| (reading.at_ms, reading.value as f64 / per_unit)).collect()
}

fn cpus_of(record: &Record, policy: u32) -> String {
    let found = record.machine.policies.iter().find(|known| known.policy == policy);
    match found.filter(|known| !known.cpus.is_empty()) {
        Some(known) => format!("CPU {}", record::cpu_list(&known.cpus)),
        None => format!("policy {policy}"),
    }
}

/// Reported clocks and their limits as lines, measured clocks as dots.
fn clocks(record: &Record) -> Panel {
    let mut lines: Vec<Line> = Vec::new();
    for channel in &record.samples.channels {
        let what = match &channel.id {
            ChannelId::Policy(policy, PolicyChannel::Claimed) => cpus_of(record, *policy),
            ChannelId::Policy(policy, PolicyChannel::LimitMax) if moves(channel) => cpus_of(record, *policy),
            id if id.is_any_claim() && !id.is_set() => facts::plain(&id.to_string()),
            id if id.is_firmware_clock() => "firmware".to_owned(),
            _ => continue,
        };
        let is_limit = matches!(channel.id, ChannelId::Policy(_, PolicyChannel::LimitMax));
        let per_mhz = if channel.unit == Unit::Hertz { 1e6 } else { 1e3 };
        let look = if is_limit { "limit".to_owned() } else { format!("look{}", lines.len() % LOOKS) };
        let name = if is_limit { format!("limit of {what}") } else { format!("{what} reported") };
        let points = values(record, channel, per_mhz);
        if !points.is_empty() {
            lines.push(Line { name, look, points });
        }
    }
    let dots = record.steps.iter().filter_map(|step| match &step.outcome {
        Outcome::Done(StepMeasurement::Clock(clocks)) => {
            let middle = i64::midpoint(step.window.start_ms, step.window.end_ms);
            let points = clocks.points.iter().filter(|point| view::is_top_point(clocks, point));
            Some(
                points
                    .filter_map(view::measured_khz)
                    .map(move |khz| (middle, f64::from(khz) / 1e3))
                    .collect::<Vec<_>>(),
            )
        }
        _ => None,
    });
    let dots = dots.flatten().filter(|_| !lines.is_empty()).collect();
    Panel { title: "clocks", unit: CLOCK_UNIT, lines, dots, dots_name: "measured clock" }
}

/// True if the values differ.
fn moves(channel: &Channel) -> bool {
    let mut known = channel.values.iter().flatten();
    let first = known.next();
    first.is_some_and(|first| known.any(|value| value != first))
}

/// SoC temperature as a thick line, other temperatures as thin lines.
fn temperatures(facts: &Facts<'_>) -> Panel {
    let soc = facts.soc_temperature();
    let line = |channel: &Channel, look: &str, what: Option<&str>| {
        let readings = view::temperatures(facts, channel, whole_run()).into_iter();
        let name = what.map_or_else(|| facts::plain(&channel.name()), str::to_owned);
        Line { name, look: look.to_owned(), points: readings.map(|r| (r.at_ms, r.value as f64 / 1e3)).collect() }
    };
    let others =
        facts.samples.channels.iter().filter(|channel| {
            channel.is_temperature() && moves(channel) && Some(&channel.id) != soc.map(|soc| &soc.id)
        });
    let first = soc.map(|soc| line(soc, "thick", Some("SoC temperature")));
    let lines = first.into_iter().chain(others.take(OTHERS_MAX).map(|channel| line(channel, "thin", None)));
    let lines = lines.filter(|line| !line.points.is_empty()).collect();
    Panel { title: "temperature", unit: "°C", lines, dots: Vec::new(), dots_name: "" }
}

fn power(facts: &Facts<'_>) -> Panel {
    let points: Vec<(i64, f64)> =
        facts.power_mw(&whole_run()).into_iter().map(|(at_ms, mw)| (at_ms, mw / 1e3)).collect();
    let name = match facts.power_source() {
        Some(PowerSource { part: Some(part), .. }) => format!("power of {part} alone"),
        Some(PowerSource { role, .. }) => format!("power {}", role.words()),
        None => String::new(),
    };
    let line = (!points.is_empty()).then(|| Line { name, look: "look3".into(), points });
    Panel { title: "power", unit: "W", lines: line.into_iter().collect(), dots: Vec::new(), dots_name: "" }
}

fn voltages(record: &Record) -> Panel {
    let per_volt = |unit: &Unit| match unit {
        Unit::Millivolts => Some(1e3),
        Unit::Microvolts => Some(1e6),
        _ => None,
    };
    let channels = record.samples.channels.iter().filter(|channel| !channel.id.is_set() && moves(channel));
    let lines = channels.filter_map(|channel| {
        let points = values(record, channel, per_volt(&channel.unit)?);
        (!points.is_empty()).then(|| (facts::plain(&channel.name()), points))
    });
    let lines = lines.take(LOOKS).enumerate();
    let lines = lines.map(|(index, (name, points))| Line { name, look: format!("look{index}"), points }).collect();
    Panel { title: "voltage", unit: "V", lines, dots: Vec::new(), dots_name: "" }
}

/// Draws the panel in its area.
pub(super) fn draw(panel: &Panel, axis: &Axis, area: Area) -> Markup {
    let all = || panel.lines.iter().flat_map(|line| &line.points).chain(&panel.dots).map(|(_, value)| *value);
    let finite = || all().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f64::MAX, f64::min), finite().fold(f64::MIN, f64::max));
    // A wider scale, so that small changes of a clock or power do not look large.
    let low = if panel.unit == "°C" { low } else { low.min(high * 0.8) };
    let ticks = linear_ticks((low, high), 4);
    let ends = (ticks.first().copied().unwrap_or(low), ticks.last().copied().unwrap_or(high));
    let scale = Scale::linear(ends, (area.bottom, area.top));
    let data = format!("{} {} {} {} {}", ends.0, ends.1, n(area.bottom), n(area.top), panel.unit);
    html! {
        (axis_y(area, &scale, &named(&ticks), panel.unit))
        @for line in &panel.lines {
            @let places: Vec<(f64, f64)> = line.points.iter().map(|(at_ms, value)| (axis.at(*at_ms), scale.at(*value))).collect();
            path.(line.look) data-name=(line.name) data-scale=(data) d=(path(&reduced(&places))) { title { (line.name) } }
        }
        @for (at_ms, value) in &panel.dots {
            circle.dot cx=(n(axis.at(*at_ms))) cy=(n(scale.at(*value))) r="4" { title { "measured: " (format!("{value:.0} MHz")) } }
        }
    }
}
