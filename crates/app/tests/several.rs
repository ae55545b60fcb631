//! The verbs that look at several results, from the outside.

use record::{Compression, Fact, Measured, Outcome, Record, Run, Source, Step, Variant, WorkloadId};
use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder with results of one board, one a day, removed at its end.
struct Results(PathBuf);

impl Results {
    fn new(name: &str, scores: &[u32]) -> Self {
        let path = std::env::temp_dir().join(format!("sbc-bench-several-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        for (day, mips) in scores.iter().enumerate() {
            let text = serde_json::to_string(&record(day as i64, *mips)).unwrap();
            std::fs::write(path.join(format!("{day}.json")), text).unwrap();
        }
        Self(path)
    }

    fn run(&self, words: &[&str], files: usize) -> Output {
        let files = (0..files).map(|day| self.0.join(format!("{day}.json")));
        let mut command = Command::new(env!("CARGO_BIN_EXE_sbc-bench"));
        command.args(words).args(files).output().unwrap()
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn record(day: i64, mips: u32) -> Record {
    let source = Source::Run { version: "1.0.0".into(), target: "x".into() };
    let run = Run {
        started: Fact::Known(1_700_000_000_000 + day * 86_400_000),
        end: record::End::Finished,
        ..Run::default()
    };
    let mut record = Record::new(source, run);
    record.machine.board = Fact::Known("Some | board".into());
    record.machine.kernel_release = Fact::Known(if day < 4 { "6.1.0" } else { "6.6.0" }.into());
    let outcome = Outcome::Done(Measured::Compression(Compression { total_mips: mips, ..Compression::default() }));
    record.steps.push(Step { threads: 4, ..Step::new(WorkloadId::SevenZip, 16, Variant::MULTI, outcome) });
    record
}

fn check(output: &Output, expected: &[&str]) {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    for words in expected {
        assert!(text.contains(words), "{words:?} is not in:\n{text}");
    }
}

#[test]
fn compare_ranks_one_and_compares_several() {
    let results = Results::new("compare", &[5000, 4000]);
    check(&results.run(&["compare"], 1), &["sevenzip@16 multi", "5000 MIPS", "reference results: degraded"]);
    check(&results.run(&["compare"], 2), &["A  ", "B  ", "-20.0 % *", "No difference in known settings."]);
    for files in [1, 2] {
        let output = results.run(&["compare", "--json"], files);
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(json["left_out"].is_array());
    }
}

#[test]
fn tables_are_sorted_and_escaped() {
    let results = Results::new("results", &[4000, 5000]);
    let output = results.run(&["results", "--sort", "7zip-multi"], 2);
    check(&output, &["| Some board | - | 6.1 |", "| 5000 |", "| 4000 |"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.find("| 5000 |") < text.find("| 4000 |"), "{text}");
    for (words, expected) in
        [(["results", "--sort", "colour"], "7zip-multi"), (["results", "--format", "xls"], "csv, html, json, md")]
    {
        let output = results.run(&words, 2);
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn trend_finds_change_with_kernel_update() {
    let results = Results::new("trend", &[5000, 5010, 4990, 5005, 4500, 4510, 4490, 4505]);
    check(&results.run(&["trend"], 8), &["2023-11-18", "sevenzip@16 multi -10.0 %", "kernel: 6.1.0 to 6.6.0"]);
    let output = results.run(&["trend", "--json"], 8);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json[0]["changes"][0]["first_after"], 4);
}
