//! Reports for other systems: labs, performance trackers, continuous integration. Each file names the format and its
//! documentation.

mod bencher;
mod github;
mod junit;
mod kcidb;
mod lava;
mod openmetrics;
mod otava;
mod otlp;
mod phoronix;
mod scores;
mod squad;

use rules::Report;
use serde::Serialize;

/// Reports for other systems.
pub(super) const ROWS: &[Report] = &[
    bencher::REPORT,
    github::REPORT,
    junit::REPORT,
    kcidb::REPORT,
    lava::REPORT,
    openmetrics::REPORT,
    otava::REPORT,
    otlp::REPORT,
    phoronix::REPORT,
    squad::REPORT,
];

/// JSON with a trailing newline.
fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests;
