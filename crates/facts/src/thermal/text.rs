//! The answer of a thermal test as text.

use super::fit::{Estimate, Reason};
use super::{ThermalResult, load, waits};
use crate::Facts;
use record::Series;
use std::fmt::Write;

/// The section of a report; empty for runs without a thermal test.
pub fn text(facts: &Facts<'_>) -> String {
    let (Some(result), Some((_, step, series))) = (facts.thermal(), load(facts)) else {
        return String::new();
    };
    let mut text = "Thermal test:\n\n".to_owned();
    let mut line = |name: &str, value: Option<String>| {
        let value = value.unwrap_or_else(|| "unknown".into());
        let _ = writeln!(text, "   {name:<22} {value}");
    };
    for (wait_step, wait) in waits(facts) {
        let (Some(start), Some(end)) = (wait.start_millicelsius.known(), wait.end_millicelsius.known()) else {
            continue;
        };
        let why = match &wait.not_reached {
            Some(why) => format!("; target not reached: {why}"),
            None => String::new(),
        };
        let words = format!(
            "{:.1} to {:.1} °C in {:.0} s{why}",
            *start as f64 / 1000.0,
            *end as f64 / 1000.0,
            wait_step.window.elapsed_ms() as f64 / 1000.0
        );
        line(wait_step.variant.as_str(), Some(words));
    }
    let seconds = step.window.elapsed_ms() as f64 / 1000.0;
    let early = result.ended_early.as_ref().map_or(String::new(), |why| format!(", stopped early: {why}"));
    line("load", Some(format!("{} for {seconds:.0} s{early}", step.variant)));
    rows(result, series, &mut line);
    text
}

fn rows(result: &ThermalResult, series: &Series, line: &mut dyn FnMut(&str, Option<String>)) {
    let degrees = result
        .temperature
        .map(|[start, max, steady]| format!("{start:.1} °C at start, {max:.1} °C maximum, {steady:.1} °C at end"));
    line("temperature", degrees);
    let held = match &result.throttle {
        Some(throttle) => format!("{:.1} s: {}", throttle.after_ms as f64 / 1000.0, throttle.sign),
        None => "not detected".into(),
    };
    line("first throttled after", Some(held));
    for (name, pair) in [("measured clock", result.measured_khz), ("reported clock", result.claimed_khz)] {
        let words = pair.map(|[cold, steady]| {
            let (cold, steady) = (cold / 1000.0, steady / 1000.0);
            format!("{cold:.0} MHz cold, {steady:.0} MHz sustained ({:.0} %)", 100.0 * steady / cold)
        });
        line(name, words);
    }
    let score = result.score.map(|[cold, steady]| {
        let percent = result.steady_score_percent(series).map(|percent| format!(" ({percent:.0} %)"));
        format!("{cold:.2} {} cold, {steady:.2} sustained{}", series.unit, percent.unwrap_or_default())
    });
    line("score", score);
    let power = result.milliwatts.map(|[cold, steady]| format!("{cold:.0} mW cold, {steady:.0} mW sustained"));
    line("power", power);
    let resistance = result.power_fit.map(|fit| {
        let at = fit.ambient_celsius;
        (
            format!("{} K/W", with_interval(fit.k_per_w, 2)),
            format!("{} °C (if the power meter has no offset)", with_interval(at, 1)),
        )
    });
    let above = result.above_idle_k.map(|k| format!("{k:.1} K at end"));
    line("above idle", Some(or_why(above)));
    line("thermal resistance", Some(or_why(resistance.clone().map(|(words, _)| words))));
    if let Ok((_, words)) = resistance {
        line("at zero power", Some(words));
    }
    let of_step = || result.step_fit.as_ref().map(|fit| fit.residual_k);
    let residual_k = result.power_fit.as_ref().map(|fit| fit.residual_k).or_else(|_| of_step());
    let tau = result.tau_s().map(|tau| {
        let residual = residual_k.map_or_else(|_| String::new(), |kelvin| format!("; model residual {kelvin:.1} K"));
        format!("{} s{residual}", with_interval(tau, 1))
    });
    line("time constant", Some(or_why(tau)));
}

/// `12.0 (11.8 to 12.3)`.
fn with_interval(estimate: Estimate, digits: usize) -> String {
    let Estimate { value, low, high } = estimate;
    format!("{value:.digits$} ({low:.digits$} to {high:.digits$})")
}

fn or_why(words: Result<String, Reason>) -> String {
    words.unwrap_or_else(|why| format!("unknown: {why}"))
}
