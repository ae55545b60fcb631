//! Tests of the JSON document.

use super::*;
use crate::test_support::{compression, own_run, with_scores, with_step};
use record::{Fact, Missing, Variant, WorkloadId};

fn board() -> Record {
    let mut record = with_scores(own_run(), 1420, &[5345, 5370, 5331]);
    record.machine.distribution = Fact::Missing { missing: Missing::absent("/etc/os-release") };
    record
}

#[test]
fn most_important_finding_comes_first() {
    let record = board();
    let explained = crate::diagnosis::explain(&record);
    let text = Document::printed(&explained.facts, &explained.assessment);
    let keys = ["\"verdict\":", "\"results\":", "\"diagnoses\":", "\"findings\":", "\"machine\":", "\"samples\":"];
    let places: Vec<usize> = keys.iter().map(|key| text.find(key).unwrap_or_else(|| panic!("{key}"))).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn no_object_takes_the_place_of_a_number() {
    let record = board();
    let explained = crate::diagnosis::explain(&record);
    let value: Value = serde_json::from_str(&Document::printed(&explained.facts, &explained.assessment)).unwrap();
    let results = &value["results"];
    assert_eq!(results["sevenzip_multi_mips"], 5349);
    assert_eq!(results["aes_256_cbc_kb_per_s"], Value::Null);
    assert_eq!(results["aes_256_cbc_kb_per_s_missing"], "not measured");
    assert_eq!(value["machine"]["distribution"], Value::Null);
    assert_eq!(value["machine"]["distribution_missing"]["path"], "/etc/os-release");
    let known: Value = serde_json::from_str(&Document::saved(&explained.facts, &explained.assessment)).unwrap();
    assert_eq!(known["machine"]["distribution"]["missing"]["path"], "/etc/os-release");
    assert_eq!(known["results"], *results);
}

/// A verdict by a comparison with similar boards has its number and its cause in JSON.
#[test]
fn a_deficit_is_in_the_document() {
    let record = with_scores(board(), 1420, &[8753]);
    let mut explained = crate::diagnosis::explain(&record);
    let record = explained.facts.clone();
    let check = |explained: &facts::Explained<'_>, expected: serde_json::Value| {
        let document = serde_json::to_value(Document::of(&explained.facts, &explained.assessment)).unwrap();
        assert_eq!(document["deficits"], expected);
    };
    check(&explained, serde_json::json!([]));
    for (cause, degrades) in [(Cause::NoOpps, true), (Cause::HighestOpp, false)] {
        explained.assessment.deficit = Some(Deficit {
            sentence: "7-zip on all CPUs is 47 % below the others.".into(),
            figure: "7-zip on all CPUs".into(),
            change_percent: -47,
            figures: Vec::new(),
            scores: vec![ScoreKey::of(&record.steps[1]); 2],
            is_news: true,
            cause: Some(cause),
        });
        let expected = serde_json::json!([{
            "figure": "7-zip on all CPUs",
            "change_percent": -47,
            "cause": cause,
            "name": cause.words(),
            "degrades": degrades,
            "holds_for": ["sevenzip-multi"],
            "sentence": "7-zip on all CPUs is 47 % below the others.",
        }]);
        check(&explained, expected);
    }
}

#[test]
fn printed_and_saved_documents_are_records() {
    let record = with_step(board(), WorkloadId::Lzma, Variant::MULTI, &[], (0.0, 1.0), compression(7));
    let explained = crate::diagnosis::explain(&record);
    for text in [
        Document::printed(&explained.facts, &explained.assessment),
        Document::saved(&explained.facts, &explained.assessment),
    ] {
        assert_eq!(record::from_json(&text).unwrap(), record);
    }
}

#[test]
fn derived_keys_are_those_that_are_left_out_by_redaction() {
    let record = board();
    let explained = crate::diagnosis::explain(&record);
    let document = serde_json::to_value(Document::of(&explained.facts, &explained.assessment).from_file("x")).unwrap();
    let mut keys: Vec<&str> = document.as_object().unwrap().keys().map(String::as_str).collect();
    let mut known = record::DERIVED_KEYS.to_vec();
    keys.sort_unstable();
    known.sort_unstable();
    assert_eq!(keys, known);
    let fields = serde_json::to_value(&record).unwrap();
    assert!(known.iter().all(|key| fields.get(key).is_none()), "a Record has a key of these");
}
