//! Report: main figures in the metric format of Bencher (<https://bencher.dev/docs/reference/bencher-metric-format/>): one
//! benchmark for each figure, its unit as the measure, one standard deviation as bounds.

use super::json;
use super::scores::{Score, scores, slug};
use facts::{Explanation, Facts};
use rules::Report;
use serde_json::{Map, Value, json};

pub(super) const REPORT: Report = Report {
    id: "bencher",
    about: "Main figures in the metric format of Bencher.",
    for_programs: true,
    ..Report::of(render)
};

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    let of = |score: Score| {
        let metric = match score.bounds() {
            Some([low, high]) => json!({"value": score.figure.value, "lower_value": low, "upper_value": high}),
            None => json!({"value": score.figure.value}),
        };
        (score.name, Value::Object(Map::from_iter([(measure(&score.figure.unit), metric)])))
    };
    json(&scores(facts, explained).into_iter().map(of).collect::<Map<_, _>>())
}

/// Name of a unit in Bencher: its built-in `latency` is in nanoseconds; others are created by the first upload.
fn measure(unit: &str) -> String {
    match unit {
        "ns" => "latency".to_owned(),
        unit => slug(&[&unit.replace('/', " per ")]).replace('_', "-"),
    }
}
