//! Report: the points of an efficiency run as comma-separated values.

use super::Report;

pub(super) const REPORT: Report = Report {
    id: "efficiency-csv",
    about: "Every OPP of an efficiency run with clock, score, temperature and power, as CSV.",
    render: |record, _findings| crate::questions::efficiency::csv(record),
};
