//! Reports for other systems.

use super::scores::{scores, slug};
use super::*;
use facts::{Explanation, Verdict};
use proptest::prelude::*;
use record::{ChannelId, MeterChannel, Missing, Outcome, Record, Step, Unit, Variant, WorkloadId};
use serde_json::Value;
use testkit::records::{compression, gauge_channel, own_run, with_message, with_scores, with_step};

fn run() -> Record {
    let mut record = with_scores(own_run(), 1420, &[5345, 5370, 5331]);
    let skipped = Outcome::Skipped(Missing::unsupported("PATH", "no openssl <1 & \"2\">"));
    record.steps.push(Step::new(WorkloadId::OpenSsl, 3, Variant::AES_256_CBC, skipped));
    record
}

fn text(id: &str, record: &Record) -> String {
    rendered(id, record, explain::explain(record).assessment)
}

fn rendered(id: &str, record: &Record, assessment: Explanation) -> String {
    ROWS.iter()
        .find(|report| report.id == id)
        .unwrap()
        .text(&facts::Explained { facts: facts::Facts::of(record), assessment }, compare::reference::Reference::builtin)
}

#[test]
fn names_stay_and_are_unique() {
    let record = run();
    let names: Vec<String> = scores(&facts::Facts::of(&record), &explain::explain(&record).assessment)
        .into_iter()
        .map(|score| score.name)
        .collect();
    assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("sevenzip_") && name.ends_with("_multi")), "{names:?}");
    assert_eq!(slug(&["AES-256-CBC", "", "64M"]), "aes_256_cbc_64m");
}

#[test]
fn power_and_energy_of_main_scores_are_tracked() {
    let power: Vec<i64> = (0..90).map(|row| 5_000 + row % 3).collect();
    let record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (10.0, 40.0), compression(5345));
    let record = gauge_channel(record, ChannelId::meter(MeterChannel::Power), Unit::Milliwatts, &power);
    let name = |what: &str| format!("power_1_sevenzip_1_multi_{what}_meter");
    for id in ["openmetrics", "lava", "junit", "otlp"] {
        let text = text(id, &record);
        for name in ["mean", "energy", "per_energy"].map(name) {
            assert!(text.contains(&name), "{id} {name}: {text}");
        }
    }
}

#[test]
fn lava_gets_a_signal_for_each_step_and_figure() {
    let text = text("lava", &run());
    assert!(text.contains("TEST_CASE_ID=sevenzip_multi_3 RESULT=pass>"), "{text}");
    assert!(text.contains("TEST_CASE_ID=openssl_aes_256_cbc RESULT=skip>"), "{text}");
    assert!(text.contains(" UNITS=MIPS MEASUREMENT="), "{text}");
    assert!(text.lines().all(|line| line.starts_with("<LAVA_SIGNAL_TESTCASE ") && line.ends_with('>')), "{text}");
}

#[test]
fn figures_of_invalid_results_are_withheld() {
    let record = run();
    let explained = Explanation { verdict: Verdict::Invalid, ..explain::explain(&record).assessment };
    let text = |id: &str, record: &Record| rendered(id, record, explained.clone());
    assert!(!text("lava", &record).contains("MEASUREMENT"));
    assert!(text("lava", &record).contains("TEST_CASE_ID=verdict_invalid RESULT=fail"));
    assert!(text("junit", &record).contains("failures=\"1\""));
    assert!(!text("otlp", &record).contains("sbc_bench.score"));
}

#[test]
fn github_gets_an_alert_of_the_verdict() {
    let text = text("github-summary", &run());
    assert!(text.contains("> [!NOTE]\n> ") || text.contains("> [!WARNING]\n> "), "{text}");
    assert!(text.contains("| sevenzip_"), "{text}");
    assert!(text.contains("| openssl_aes_256_cbc | skip |") && text.contains("no openssl &lt;1 &amp;"), "{text}");
    let explained = Explanation { verdict: Verdict::Invalid, ..explain::explain(run()).assessment };
    let invalid = rendered("github-summary", &run(), explained);
    assert!(invalid.contains("> [!CAUTION]\n") && !invalid.contains("MIPS |"), "{invalid}");
}

#[test]
fn junit_counts_what_it_lists() {
    let text = text("junit", &run());
    let cases = text.matches("<testcase ").count();
    assert!(text.contains(&format!("<testsuites name=\"sbc-bench\" tests=\"{cases}\" failures=\"0\"")), "{text}");
    assert!(text.contains("no openssl &lt;1 &amp; &quot;2&quot;&gt;"), "{text}");
}

#[test]
fn unknown_times_are_left_out() {
    let mut record = run();
    record.run.started = record::Fact::not_in_log();
    record.run.elapsed_ms = None;
    record.steps.iter_mut().for_each(|step| step.window = record::Window::default());
    let mut known = run();
    known.run.started = record::Fact::Known(1_700_000_000_000);
    for (id, words) in [("junit", "time=\""), ("otlp", "imeUnixNano")] {
        assert!(text(id, &known).contains(words), "{id}");
        assert!(!text(id, &record).contains(words), "{id}: {}", text(id, &record));
    }
}

#[test]
fn base_units_are_those_of_ucum() {
    let value: Value = serde_json::from_str(&text("otlp", &run())).unwrap();
    let metrics = &value["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
    let units: Vec<&str> = metrics.as_array().unwrap().iter().filter_map(|metric| metric["unit"].as_str()).collect();
    assert!(units.contains(&"{MIPS}") && units.ends_with(&["1"]), "{units:?}");
}

proptest! {
    #[test]
    fn systems_get_well_formed_text_of_any_name_never_panics(name: String, message: String) {
        let mut record = with_message(run(), &message);
        record.machine.board = record::Fact::Known(name.clone());
        record.steps.push(Step::new(name.as_str(), 1, Variant::ONLY, Outcome::Skipped(Missing::absent("x"))));
        let explained = explain::explain(&record);
        for report in ROWS {
            let text = report.text(&explained, compare::reference::Reference::builtin);
            if text.starts_with('{') {
                prop_assert!(serde_json::from_str::<Value>(&text).is_ok(), "{}", report.id);
            }
            prop_assert!(!text.trim_end_matches('\n').contains(|c: char| c != '\n' && c.is_control()), "{}", report.id);
        }
    }
}
