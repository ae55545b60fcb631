//! Plot: temperature, clocks, power and score of a thermal test over time.

use crate::tables::Plot;
use facts::plot::canvas::Canvas;
use facts::plot::chart::{Chart, Line, Style};
use facts::plot::{WIDTH, board};
use facts::{Facts, thermal, view};
use record::{ChannelId, Series, Window};

pub(super) const PLOT: Plot =
    Plot { id: "plot-thermal", about: "Temperature, clocks, power and score of a thermal test, as SVG.", draw };

const TITLE: f64 = 28.0;
const PANEL: f64 = 170.0;

fn draw(facts: &Facts<'_>) -> Option<String> {
    let (_, step, series) = thermal::load(facts)?;
    let result = facts.thermal().as_ref()?;
    let zero_ms = step.window.start_ms;
    let before_ms = thermal::waits(facts)
        .filter(|(wait, _)| wait.window.end_ms <= zero_ms)
        .map(|(wait, _)| wait.window.start_ms)
        .min();
    let after_ms = thermal::waits(facts).map(|(wait, _)| wait.window.end_ms).chain([step.window.end_ms]).max()?;
    let whole = Window { start_ms: before_ms.unwrap_or(zero_ms), end_ms: after_ms, ..Window::default() };
    let seconds = |at_ms: i64| at_ms.saturating_sub(zero_ms) as f64 / 1000.0;
    let x_range = (seconds(whole.start_ms), seconds(whole.end_ms));
    let mut marks: Vec<(f64, String)> = Vec::new();
    if let Some(throttle) = &result.throttle {
        marks.push((throttle.after_ms as f64 / 1000.0, "throttled".into()));
    }
    marks.push((seconds(step.window.end_ms), "load stops".into()));
    let panels = panels(facts, series, whole, zero_ms);
    let mut canvas = Canvas::new(
        WIDTH,
        TITLE + PANEL * panels.len() as f64,
        &format!("Thermal test: {}, {}", board(facts), step.variant),
    );
    for (index, (y_label, lines, from_zero)) in panels.into_iter().enumerate() {
        let chart = Chart {
            x_label: "seconds since the start of the load".into(),
            y_label,
            lines,
            from_zero,
            x_range: Some(x_range),
            marks: marks.clone(),
        };
        chart.draw(&mut canvas, TITLE + PANEL * index as f64, PANEL);
    }
    Some(canvas.finish())
}

type Panel = (String, Vec<Line>, bool);

fn panels(facts: &Facts<'_>, series: &Series, whole: Window, zero_ms: i64) -> Vec<Panel> {
    let line = |name: &str, points: Vec<(f64, f64)>, style| Line {
        name: name.into(),
        points,
        style,
        labels: Vec::new(),
        ringed: None,
    };
    let gauge = |channel: &record::Channel, scale: f64| -> Vec<(f64, f64)> {
        let readings = view::gauge(facts, channel, whole).into_iter();
        let place = |reading: view::Reading| {
            let at_s = reading.at_ms.saturating_sub(zero_ms) as f64 / 1000.0;
            (at_s, reading.value as f64 * scale)
        };
        readings.map(place).collect()
    };
    let mut panels: Vec<Panel> = Vec::new();
    if let Some(channel) = facts.soc_temperature() {
        let lines = vec![line(&channel.label, gauge(channel, 0.001), Style::Solid)];
        panels.push(("temperature (°C)".into(), lines, false));
    }
    let mut clocks: Vec<Line> = Vec::new();
    for (index, channel) in view::channels(facts, ChannelId::is_policy_claim).enumerate() {
        let style = if index == 0 { Style::Solid } else { Style::Dashed };
        let name = channel.id.policy().map(|policy| format!("policy{policy} reported"));
        clocks.push(line(&name.unwrap_or_default(), gauge(channel, 0.001), style));
    }
    if let Some(first) = series.clocks.first() {
        let times = series.at_ms.iter().zip(&first.khz);
        let points = times.map(|(at, khz)| (*at as f64 / 1000.0, f64::from(*khz) / 1000.0));
        let name = format!("CPU {} measured", first.cpu);
        clocks.push(line(&name, points.collect(), Style::Dotted));
    }
    clocks.retain(|line| !line.points.is_empty());
    if !clocks.is_empty() {
        panels.push(("clock (MHz)".into(), clocks, true));
    }
    let power: Vec<(f64, f64)> = facts
        .power_mw(&whole)
        .into_iter()
        .map(|(at, milliwatts)| {
            let at_s = at.saturating_sub(zero_ms) as f64 / 1000.0;
            (at_s, milliwatts / 1000.0)
        })
        .collect();
    if !power.is_empty() {
        panels.push(("power (W)".into(), vec![line("", power, Style::Solid)], true));
    }
    let score = series.at_ms.iter().zip(&series.values);
    let score: Vec<(f64, f64)> = score.map(|(at, value)| (*at as f64 / 1000.0, *value)).collect();
    if !score.is_empty() {
        let label = format!("score ({})", series.unit);
        panels.push((label, vec![line("", score, Style::Solid)], true));
    }
    panels
}
