//! Trends as text for a terminal.

use super::{Change, RESULTS_MIN, Trend};
use facts::change::signed_percent;
use facts::number::number;
use facts::{how_many, plain};
use std::fmt::Write;

/// Machines with their changes. Machines with too few results share one line.
pub fn text(trends: &[Trend]) -> String {
    let is_told = |trend: &&Trend| trends.len() == 1 || !trend.is_only_short();
    let mut parts: Vec<String> = trends.iter().filter(is_told).map(machine).collect();
    let untold = trends.len() - parts.len();
    if untold > 0 {
        parts.push(format!(
            "{} with fewer than {RESULTS_MIN} results: too few to tell a change from chance.\n",
            how_many(untold, if parts.is_empty() { "machine" } else { "other machine" })
        ));
    }
    parts.join("\n")
}

fn machine(trend: &Trend) -> String {
    let mut text = match (trend.results.first(), trend.results.last()) {
        (Some(first), Some(last)) => format!(
            "{}: {} from {} to {}, {}\n",
            plain(&trend.machine),
            how_many(trend.results.len(), "result"),
            first.date,
            last.date,
            how_many(trend.figures, "figure")
        ),
        _ => format!("{}: no usable results\n", plain(&trend.machine)),
    };
    if let Some(stability) = &trend.stability {
        let _ = writeln!(text, "   Stability: {}.", plain(&stability.words()));
    }
    if trend.results.len() < RESULTS_MIN {
        let _ = writeln!(text, "   Too few results (minimum {RESULTS_MIN}).");
    } else if trend.changes.is_empty() {
        text.push_str("   No figure changed.\n");
    }
    for changes in trend.changes.chunk_by(same_point) {
        text.push_str(&point(trend, changes));
    }
    for left_out in &trend.left_out {
        let _ = writeln!(text, "   Skipped: {} ({}).", plain(&left_out.what), plain(&left_out.why));
    }
    text
}

/// True for two changes between the same results.
fn same_point(a: &Change, b: &Change) -> bool {
    (a.last_before, a.first_after) == (b.last_before, b.first_after)
}

/// Changes between two results, with the settings that changed between them.
fn point(trend: &Trend, changes: &[Change]) -> String {
    let Some(first) = changes.first() else {
        return String::new();
    };
    let after = &trend.results[first.first_after];
    let mut text = format!("\n   Since {} ({}):\n", after.date, plain(&after.name));
    for change in changes {
        let _ = writeln!(
            text,
            "      {}: {} to {} {}, {} {} ({}{})",
            plain(&change.figure),
            number(change.before, &change.unit),
            number(change.after, &change.unit),
            plain(&change.unit),
            signed_percent(change.change_percent, 1),
            change.word,
            chance(change.p),
            if change.is_estimated { "; one of them estimated from another version" } else { "" }
        );
    }
    match first.settings.as_slice() {
        [] => text.push_str("      No known setting changed at this point.\n"),
        settings => {
            text.push_str("      Settings changed at this point:\n");
            for setting in settings {
                let _ = writeln!(
                    text,
                    "         {}: {} to {}",
                    setting.name,
                    plain(&setting.before),
                    plain(&setting.after)
                );
            }
        }
    }
    text
}

/// `p 0.00002`.
fn chance(p: f64) -> String {
    match p {
        p if p < 1e-6 => "p below 0.000001".to_owned(),
        p => format!("p {p:.6}"),
    }
}
