//! The table of reports. One report is one file: a Record and its findings in, text out.

use crate::Finding;
use record::Record;

/// A way to write a Record.
pub struct Report {
    /// Kebab-case name, unique.
    pub id: &'static str,
    /// One sentence on what it is for.
    pub about: &'static str,
    /// The text.
    pub render: fn(&Record, &[Finding]) -> String,
}

/// All reports, sorted by id.
pub const REPORTS: &[Report] = &[];
