//! Report: use of each core, second by second, at the highest and the lowest clock.

use super::Report;

pub(super) const REPORT: Report = Report {
    id: "core-use",
    about: "Use of each core of a sensitivity run, second by second, at the highest and lowest clock.",
    render: |record, _findings| match crate::questions::sensitivity::seconds(record) {
        text if text.is_empty() => "This result compares no clocks.\n".into(),
        text => text,
    },
};
