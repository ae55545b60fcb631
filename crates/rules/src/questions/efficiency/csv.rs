//! The points of an efficiency run as comma-separated values (RFC 4180), for spreadsheets and plots.

use super::{Anomaly, idle, walks};
use crate::tables::Report;
use facts::Facts;

pub(super) const REPORT: Report = Report {
    id: "efficiency-csv",
    about: "Every OPP of an efficiency run with clock, score, temperature and power, as CSV.",
    fits: |record| !walks(record).is_empty(),
    ..Report::of(|record, _explained| csv(record))
};

const HEADINGS: &str = "cpus,opp_khz,measured_khz,score,unit,values,half_width_percent,seconds,celsius,milliwatts,\
                        idle_milliwatts,millijoules_per_unit,sweet_spot,anomaly\n";

/// One row for each OPP of each set; unknown cells are empty.
pub fn csv(facts: &Facts<'_>) -> String {
    let idle = idle(facts);
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
    let mut text = HEADINGS.to_owned();
    for walk in walks(facts) {
        for (index, point) in walk.points.iter().enumerate() {
            let anomalies = walk.anomalies.iter().filter(|(at, _)| *at == index);
            let anomalies: Vec<&str> = anomalies.map(|(_, anomaly)| name(anomaly)).collect();
            let cells = [
                format!("\"{}\"", record::cpu_list(&walk.cpus)),
                point.opp_khz.to_string(),
                point.measured_khz.map_or(String::new(), |khz| khz.to_string()),
                format!("{:.3}", point.score),
                facts::plain::csv(&walk.unit),
                point.values.to_string(),
                number(point.half_width.map(|share| 100.0 * share)),
                number(Some(point.elapsed_ms as f64 / 1000.0)),
                number(point.celsius),
                number(point.milliwatts),
                number(idle.milliwatts),
                number(point.energy()),
                u8::from(walk.sweet_spot == Some(index)).to_string(),
                anomalies.join(" "),
            ];
            text.push_str(&cells.join(","));
            text.push('\n');
        }
    }
    text
}

fn name(anomaly: &Anomaly) -> &'static str {
    match anomaly {
        Anomaly::NotHonoured(_) => "not-honoured",
        Anomaly::HeldBack => "held-back",
        Anomaly::OutOfProportion(_) => "out-of-proportion",
        Anomaly::FlatVoltage(_) => "flat-voltage",
    }
}
