//! Report: steps as tests, main figures as metrics and the machine as metadata, in the format of SQUAD
//! (<https://squad.readthedocs.io/en/latest/intro.html#submitting-results>): one object whose three keys are the three
//! files of a submission.

use super::json;
use super::scores::{TestOutcome, scores, tests};
use explain::document::Results;
use facts::{Explanation, Facts};
use rules::Report;
use serde_json::{Map, Value, json};

pub(super) const REPORT: Report = Report {
    id: "squad",
    about: "Tests, metrics and metadata for SQUAD, each under its key.",
    for_programs: true,
    ..Report::of(render)
};

/// Attributes that describe the machine rather than the result.
const METADATA: &[&str] = &["board", "soc", "distribution", "kernel", "governor", "date", "sbc_bench_version"];

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    let suite = |name: &str| format!("sbc-bench/{name}");
    let mut ends: Map<String, Value> =
        tests(facts).iter().map(|test| (suite(&test.name), test.outcome.word().into())).collect();
    ends.insert(suite("verdict"), TestOutcome::of(explained.verdict).word().into());
    let metric = |score: &super::scores::Score| json!({"value": score.figure.value, "unit": score.figure.unit});
    let metrics: Map<String, Value> =
        scores(facts, explained).iter().map(|score| (suite(&score.name), metric(score))).collect();
    let results = serde_json::to_value(Results::of(facts, explained)).unwrap_or_default();
    let of_machine = METADATA.iter().filter_map(|key| Some(((*key).to_owned(), results[key].as_str()?.into())));
    let mut metadata: Map<String, Value> = of_machine.collect();
    metadata.insert("verdict".into(), explained.verdict.to_string().into());
    json(&json!({"tests": ends, "metrics": metrics, "metadata": metadata}))
}
