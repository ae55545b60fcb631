//! What is done with every Record in fuzzing: everything that can be done with one.

use explain::monitor::{Columns, Watch, cores, metrics, tracks};
use record::{Channel, Record};

/// Every view of the monitor, row by row.
fn watch_all(record: &Record) {
    let mut watch = Watch::new(record.clone());
    for (row, at_ms) in record.samples.at_ms.iter().enumerate() {
        let value = |channel: &Channel| channel.values.get(row).copied().flatten();
        watch.row(*at_ms, record.samples.channels.iter().map(value));
        let columns = Columns::of(record, None);
        (columns.heading(), columns.line(&watch), metrics(&watch));
        for track in tracks(&watch, None).iter().chain(&cores(&watch)) {
            track.text(track.value(&watch));
        }
    }
}

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
    watch_all(record);
}
