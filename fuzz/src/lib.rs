//! What is done with every Record in fuzzing: everything that can be done with one.

use record::Record;

/// Every rule, every report, every figure, compared with itself.
pub fn explain_all(record: &Record) {
    let findings = explain::rules::check(record);
    for finding in &findings {
        finding.sentence();
    }
    for report in explain::report::REPORTS {
        (report.render)(record, &findings);
    }
    explain::figures::figures(record);
}
