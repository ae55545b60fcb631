//! Trends of small Records.

use super::*;
use crate::test_support::{compression, died_run, gauge_channel, own_run, resumed_run, with_step};
use crate::tests::explained_by;
use expect_test::expect;
use facts::{Explanation, Finding, Severity};
use record::{ChannelId, Fact, Record, Run, Unit, Variant, WorkloadId};

/// Result of this day since 2023-11-14 with this kernel and score.
fn result(board: &str, day: Option<i64>, kernel: &str, mips: u32) -> Record {
    let mut record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 1.0), compression(mips));
    record.machine.board = Fact::Known(board.into());
    record.machine.kernel_release = Fact::Known(kernel.into());
    if let Some(day) = day {
        record.run.started = Fact::Known(1_700_000_000_000 + day * 86_400_000);
    }
    record
}

fn text_of(records: &[(&str, Record, Explanation)]) -> String {
    let facts: Vec<Facts<'_>> = records.iter().map(|(_, record, _)| Facts::of(record)).collect();
    let samples = records.iter().zip(&facts);
    let samples: Vec<Sample<'_>> = samples
        .map(|((name, _, explained), facts)| Sample { name: (*name).to_owned(), facts, verdict: explained.verdict })
        .collect();
    text(&trends(&samples))
}

#[test]
fn kernel_update_is_named_with_change() {
    let mut records: Vec<(&str, Record, Explanation)> = Vec::new();
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let scores = [5345, 5340, 5350, 5338, 5100, 5105, 5095, 5102];
    for (index, (name, mips)) in names.into_iter().zip(scores).enumerate() {
        let kernel = if index < 4 { "6.1.0" } else { "6.6.0" };
        let record = result("Board", Some(index as i64), kernel, mips);
        records.push((name, record, explained_by(Vec::new())));
    }
    // The order of files is irrelevant.
    records.reverse();
    records.push(("undated", result("Board", None, "6.6.0", 1), explained_by(Vec::new())));
    let mut unset = result("Board", None, "6.6.0", 1);
    unset.run.started = record::Fact::Known(95_000);
    records.push(("1970", unset, explained_by(Vec::new())));
    let invalid = Finding::new(record::RuleId::own("x"), Severity::Invalid, "It was so.");
    let invalid = explained_by(vec![invalid]);
    records.push(("broken", result("Board", Some(3), "6.6.0", 1), invalid));
    records.push(("other", result("Other board", Some(3), "6.6.0", 1), explained_by(Vec::new())));
    expect![[r#"
        Board (4x Cortex-A53): 8 results from 2023-11-14 to 2023-11-21, 1 figure

           Since 2023-11-18 (e):
              7-zip, all CPUs: 5343 to 5101 MIPS, -4.5 % worse (p below 0.000001)
              Settings changed at this point:
                 kernel: 6.1.0 to 6.6.0
           Skipped: undated (no date).
           Skipped: 1970 (the clock of the machine was not set).
           Skipped: broken (results invalid).

        1 other machine with fewer than 4 results: too few to tell a change from chance.
    "#]]
    .assert_eq(&text_of(&records));
}

#[test]
fn steady_results_have_no_change() {
    let scores = [5345, 5340, 5350, 5338, 5352, 5341];
    let records: Vec<(&str, Record, Explanation)> = (0..)
        .zip(scores)
        .map(|(day, mips)| ("x", result("Board", Some(day), "6.1.0", mips), explained_by(Vec::new())))
        .collect();
    expect![[r#"
        Board (4x Cortex-A53): 6 results from 2023-11-14 to 2023-11-19, 1 figure
           No figure changed.
    "#]]
    .assert_eq(&text_of(&records));
}

#[test]
fn stability_summary() {
    let run = |day| result("Board", Some(day), "6.1.0", 5345);
    let death = |restarted, hottest| {
        let mut record = gauge_channel(
            died_run(restarted),
            ChannelId::zone_temperature(0),
            Unit::Millicelsius,
            &[60_000, 80_000, 85_000, hottest],
        );
        record.machine.board = Fact::Known("Board".into());
        record
    };
    let check = |records: Vec<Record>, expected: &str| {
        let records = records.into_iter().enumerate();
        let named: Vec<(String, Record)> = records.map(|(i, r)| (i.to_string(), r)).collect();
        let named = named.iter();
        let all: Vec<(&str, Record, Explanation)> =
            named.map(|(name, record)| (name.as_str(), record.clone(), explain::explain(record).assessment)).collect();
        let text = text_of(&all);
        let line = text.lines().find(|line| line.contains("Stability"));
        assert_eq!(line.unwrap_or_default().trim(), expected, "{text}");
        assert_eq!(text.contains("it died during stockfish, run 2"), !expected.is_empty());
    };
    check(vec![run(1), run(2)], "");
    check(
        vec![run(1), run(2), death(Some(true), 88_100), death(Some(true), 86_000), death(None, 85_400)],
        "Stability: died 3 of 5 times, always during stockfish, at 85 °C or more.",
    );
    let mut elsewhere = death(Some(true), 90_000);
    elsewhere.run.died_in.as_mut().unwrap().step = Some("network send".into());
    check(vec![run(1), elsewhere, death(Some(true), 91_000)], "Stability: died 2 of 3 times, at 90 °C or more.");
    // The first part of a resumed run counts once, whether it is present or not.
    let mut whole = resumed_run();
    whole.machine.board = Fact::Known("Board".into());
    let mut part = whole.clone();
    part.run = Run { started: whole.run.started.clone(), boot_id: "first".into(), ..died_run(Some(true)).run };
    for results in [vec![whole.clone()], vec![part, whole]] {
        let named: Vec<(&str, Record, Explanation)> =
            results.into_iter().map(|record| ("x", record, explained_by(Vec::new()))).collect();
        let text = text_of(&named);
        assert!(text.contains("died 1 of 2 times"), "{text}");
        assert!(!text.contains("it died during"), "{text}");
    }
    // A run that the user killed does not count.
    check(
        vec![run(1), death(Some(false), 40_000), death(Some(true), 90_000)],
        "Stability: died 1 of 2 times, last seen at 90 °C.",
    );
}
