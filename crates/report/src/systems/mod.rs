//! Reports for other systems: labs, performance trackers, continuous integration. Each file names the format and its
//! documentation.

mod github;
mod junit;
mod lava;
mod openmetrics;
mod otlp;
mod scores;

pub use junit::{Case, junit};
use rules::Report;

/// Reports for other systems.
pub(super) const ROWS: &[Report] = &[github::REPORT, junit::REPORT, lava::REPORT, openmetrics::REPORT, otlp::REPORT];

#[cfg(test)]
mod tests;
