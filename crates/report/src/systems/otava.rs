//! Report: the main results as one line of CSV under its head, as Apache Otava reads histories
//! (<https://otava.apache.org/docs/csv>): the time, attributes of the software, then numbers. The columns are fixed, so
//! that lines of several results can be concatenated.

use super::scores::{RFC_3339, utc};
use explain::document::Results;
use facts::plain::csv;
use facts::{Explanation, Facts, Verdict};
use rules::Report;
use serde_json::Value;

pub(super) const REPORT: Report = Report {
    id: "otava-csv",
    about: "Main results as a line of CSV for Apache Otava, with its head.",
    for_programs: true,
    ..Report::of(render)
};

/// Attributes of the machine and its software.
const ATTRIBUTES: &[&str] = &["board", "kernel", "distribution", "governor", "sbc_bench_version"];

/// Numbers; a cell is empty if the value is missing.
const METRICS: &[&str] = &[
    "sevenzip_multi_mips",
    "sevenzip_single_mips",
    "memory_copy_mb_per_s",
    "memory_fill_mb_per_s",
    "memory_latency_ns",
    "aes_256_cbc_kb_per_s",
    "cpuminer_kh_per_s",
    "clock_measured_mhz",
    "temperature_max_celsius",
    "power_mean_watt",
];

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    let columns = ["time"].iter().chain(ATTRIBUTES).chain(METRICS).copied();
    let head: Vec<&str> = columns.collect();
    let results = serde_json::to_value(Results::of(facts, explained)).unwrap_or_default();
    let time = utc(facts, 0, RFC_3339).unwrap_or_default();
    let attribute = |key: &&str| csv(results[key].as_str().unwrap_or_default());
    let metric = |key: &&str| match &results[key] {
        Value::Number(number) if explained.verdict != Verdict::Invalid => number.to_string(),
        _ => String::new(),
    };
    let cells = ATTRIBUTES.iter().map(attribute).chain(METRICS.iter().map(metric));
    let row: Vec<String> = std::iter::once(time).chain(cells).collect();
    format!("{}\n{}\n", head.join(","), row.join(","))
}
