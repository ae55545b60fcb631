//! The verbs that look at several results, from the outside.

use crate::outcome::sbc_bench;
use record::{Compression, Fact, Outcome, Record, Run, Source, Step, StepMeasurement, Variant, WorkloadId};
use std::path::PathBuf;
use std::process::{Command, Output};
use testkit::Scratch;

/// Results of one board, one a day.
struct Results(Scratch);

impl Results {
    fn new(name: &str, scores: &[u32]) -> Self {
        let path = Scratch::new(&format!("several-{name}"));
        for (day, mips) in scores.iter().enumerate() {
            let text = serde_json::to_string(&record(day as i64, *mips)).unwrap();
            std::fs::write(path.join(format!("{day}.json")), text).unwrap();
        }
        Self(path)
    }

    fn run(&self, words: &[&str], files: usize) -> Output {
        let files = (0..files).map(|day| self.0.join(format!("{day}.json")));
        self.command().args(words).args(files).output().unwrap()
    }

    /// The program with a state directory of its own.
    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sbc-bench"));
        let home = self.0.join("home");
        // The first is for users, the second for root.
        command.env("XDG_STATE_HOME", &home).env("STATE_DIRECTORY", home.join("sbc-bench"));
        command
    }

    /// Directory of results that every comparison includes.
    fn references(&self) -> PathBuf {
        let folder = self.0.join("home/sbc-bench/references");
        std::fs::create_dir_all(&folder).unwrap();
        folder
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
    let outcome =
        Outcome::Done(StepMeasurement::Compression(Compression { total_mips: mips, ..Compression::default() }));
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
    let words = ["7-zip, all CPUs (MIPS)\n", "all CPUs  5000  ", " compared with known results:"];
    check(&results.run(&["compare", "--details"], 1), &words);
    check(&results.run(&["compare"], 1), &[words[2], "Places of all figures: --details"]);
    let words = ["A  ", "B  ", "B is 1.2x slower than A in 7-zip on all CPUs (4000 and 5000 MIPS)"];
    check(&results.run(&["compare"], 2), &words);
    check(&results.run(&["compare", "--details"], 2), &[words[2], "1.2x slower", "No difference in known settings."]);
    for files in [1, 2] {
        let output = results.run(&["compare", "--json"], files);
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(json["left_out"].is_array());
        let result = if files == 1 { &json["result"] } else { &json["sides"][0]["result"] };
        assert_eq!(result["results"]["sevenzip_multi_mips"], 5000);
        assert_eq!(result["verdict"], "valid");
        assert_eq!(result["results"]["aes_256_cbc_kb_per_s_missing"], "not measured");
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
        [(["results", "--sort", "colour"], "7zip-multi"), (["results", "--format", "xls"], "text, md, csv, json, html")]
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
    check(
        &results.run(&["trend"], 8),
        &["2023-11-18", "7-zip, all CPUs: 5001 to 4501 MIPS, -10.0 % worse (p ", "kernel: 6.1.0 to 6.6.0"],
    );
    let output = results.run(&["trend", "--json"], 8);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json[0]["changes"][0]["first_after"], 4);
}

/// A Record of two clusters with the clock and memory latency of each, on a machine that is known by its host only.
fn two_clusters(latencies_ns: [f64; 2]) -> Record {
    let mut record = record(0, 5000);
    record.machine.board = Fact::not_reached();
    record.machine.hostname = Fact::Known("nanopct4".into());
    for (cpu, ns) in (0..).zip(latencies_ns) {
        record.machine.clusters.push(record::Cluster { cpus: vec![cpu], core_type: Fact::not_reached(), policy: None });
        let rows = vec![record::LatencyRow {
            size_bytes: 64 << 20,
            ns: vec![Some(ns)],
            rounds_apart_percent: None,
            line: None,
        }];
        let latency = record::Latency { columns: vec!["random".into()], rows, ..record::Latency::default() };
        let outcome = Outcome::Done(StepMeasurement::Latency(latency));
        let step = Step::new(WorkloadId::MemoryLatency, 1, Variant::RAMLAT, outcome);
        record.steps.push(Step { cpus: vec![cpu], threads: 1, ..step });
    }
    record
}

#[test]
fn latency_is_told_as_latency_and_cores_keep_their_partner() {
    let results = Results::new("latency", &[]);
    for (day, latencies_ns) in [[179.6, 185.0], [343.6, 200.0]].into_iter().enumerate() {
        let text = serde_json::to_string(&two_clusters(latencies_ns)).unwrap();
        std::fs::write(results.0.join(format!("{day}.json")), text).unwrap();
    }
    let output = results.run(&["compare", "--details"], 2);
    check(
        &output,
        &[
            "(nanopct4, ",
            "memory latency 64 MiB, ramlat (ns)",
            "179.6  343.6   1.9x slower",
            "185.0  200.0  8.1 % slower",
        ],
    );
    let text = String::from_utf8_lossy(&output.stdout);
    for row in text.lines().filter(|line| line.contains(" slower") && !line.starts_with("B is ")) {
        assert!(!row.contains(" | "), "{row}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn invalid_and_unreadable_results_are_told_first() {
    let results = Results::new("invalid", &[5000, 4000, 4500]);
    let mut invalid = record(1, 4000);
    invalid.machine.emulation = Fact::Known("it signs as QEMU TCG".to_owned());
    std::fs::write(results.0.join("1.json"), serde_json::to_string(&invalid).unwrap()).unwrap();
    let words = |text: &[u8]| String::from_utf8_lossy(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&results.run(&["compare"], 2).stdout);
    assert!(text.starts_with("B (") && text.contains("1.json) is INVALID, do not use it: "), "{text}");
    // Every form begins with the same sentence.
    let json: serde_json::Value = serde_json::from_slice(&results.run(&["compare", "--json"], 2).stdout).unwrap();
    let first = json["sentences"][0].as_str().unwrap().to_owned();
    let page = results.0.join("page.html");
    results.run(&["compare", "--html", page.to_str().unwrap()], 2);
    let page = words(&std::fs::read(page).unwrap());
    assert!(text.starts_with(&first) && page.contains(&format!("<p class=\"verdict\">{first}</p>")), "{first}");
    assert!(words(&results.run(&["compare", "--format", "md"], 2).stdout).starts_with("B ("));
    let alone = sbc_bench(["compare"]).arg(results.0.join("1.json")).output();
    let text = String::from_utf8_lossy(&alone.unwrap().stdout).into_owned();
    assert!(text.starts_with("This result is INVALID, do not use it: "), "{text}");
    // One file that cannot be read hides nothing of the others.
    std::fs::write(results.0.join("1.json"), "").unwrap();
    for verb in ["compare", "results", "trend"] {
        let output = results.run(&[verb], 3);
        let (text, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(error.contains("1.json"), "{error}");
        assert!(text.contains("Some ") && text.contains(" board"), "{text}");
    }
    let output = results.run(&["compare"], 2);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &[][..]));
}

#[test]
fn directories_stand_for_their_files() {
    let results = Results::new("folder", &[4000, 5000]);
    for verb in ["explain", "results"] {
        let of_folder = results.command().args([verb, results.0.to_str().unwrap()]).output().unwrap();
        assert_eq!(of_folder.stdout, results.run(&[verb], 2).stdout, "{of_folder:?}");
        // Other texts next to results are counted.
        for name in ["a.txt", "b.txt", "c.txt"] {
            std::fs::write(results.0.join(name), "about something else").unwrap();
        }
        let with_others = results.command().args([verb, results.0.to_str().unwrap()]).output().unwrap();
        assert_eq!((with_others.status.code(), &with_others.stdout), (Some(0), &of_folder.stdout), "{with_others:?}");
        let notes = String::from_utf8_lossy(&with_others.stderr).into_owned();
        assert_eq!(notes.matches("Skipped").count(), 1, "{notes}");
        assert!(notes.contains("Skipped: a.txt and 2 more: no results in it."), "{notes}");
        for name in ["a.txt", "b.txt", "c.txt"] {
            std::fs::remove_file(results.0.join(name)).unwrap();
        }
        let empty = results.references();
        let output = results.command().arg(verb).arg(&empty).output().unwrap();
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && why.contains("has no logs or result files"), "{why}");
        std::fs::remove_dir_all(results.0.join("home")).unwrap();
    }
}

#[test]
fn machines_with_too_few_results_share_a_line() {
    let results = Results::new("few", &[5000, 5000, 5000]);
    for day in 0..3 {
        let mut alone = record(day, 5000);
        alone.machine.board = Fact::Known(format!("Board {day}"));
        std::fs::write(results.0.join(format!("{day}.json")), serde_json::to_string(&alone).unwrap()).unwrap();
    }
    let output = results.run(&["trend"], 3);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text, "3 machines with fewer than 4 results: too few to tell a change from chance.\n");
}

#[test]
fn a_figure_is_the_same_number_everywhere() {
    let results = Results::new("rounding", &[6510]);
    let mut mean_of_three = record(0, 6510);
    for _ in 0..2 {
        mean_of_three.steps.push(record(0, 6511).steps.remove(0));
    }
    std::fs::write(results.0.join("0.json"), serde_json::to_string(&mean_of_three).unwrap()).unwrap();
    check(&results.run(&["explain"], 1), &["6511 MIPS (6510, 6511, 6511)"]);
    check(&results.run(&["explain", "--json"], 1), &["\"sevenzip_multi_mips\": 6511"]);
    check(&results.run(&["results", "--format", "json"], 1), &["\"sevenzip_multi_mips\": 6511"]);
    check(&results.run(&["compare", "--details"], 1), &[" 6511  "]);
}

/// Results of the user count among the known ones, from `--with` and from the directory of references.
#[test]
fn own_results_join_the_known_ones() {
    let results = Results::new("with", &[5000, 4000, 4500, 4600, 4700]);
    let place = |with: &[&str]| {
        let mut command = results.command();
        command.args(["compare", "--json"]).arg(results.0.join("0.json"));
        let with = with.iter().map(|name| results.0.join(name));
        let words = with.flat_map(|path| ["--with".into(), path.into_os_string()]);
        let output = command.args(words).output().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let entries = json["entries"].as_array().unwrap();
        entries.iter().find(|entry| entry["title"] == "7-zip, all CPUs").unwrap()["all"]["of"].as_u64().unwrap()
    };
    let alone = place(&[]);
    assert_eq!(place(&["1.json", "2.json"]), alone + 2);
    // All of a directory but the result itself.
    assert_eq!(place(&["."]), alone + 4);
    std::fs::copy(results.0.join("3.json"), results.references().join("3.json")).unwrap();
    assert_eq!(place(&[]), alone + 1);
    let missing = results.run(&["compare", "--with", "/no/such", "--"], 1);
    assert_eq!(missing.status.code(), Some(1), "{missing:?}");
}

/// The neighbours of a result and the factors to well-known boards are the same in every output, with a result of the user
/// among the known ones.
#[test]
fn every_output_names_the_same_neighbours() {
    let results = Results::new("neighbours", &[5000]);
    let mut known = record(1, 4999);
    known.machine.board = Fact::Known("Acme X1".into());
    std::fs::write(results.references().join("x1.json"), serde_json::to_string(&known).unwrap()).unwrap();
    let file = |name: &str| results.0.join(name).display().to_string();
    let text = |words: &[&str]| {
        let output = results.run(words, 1);
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let ranking: serde_json::Value = serde_json::from_str(&text(&["compare", "--json"])).unwrap();
    let first = &ranking["neighbours"][0];
    assert_eq!(first["worse"][0], "Acme X1", "{first}");
    let place =
        format!("Acme X1 (4999 MIPS) in 7-zip on all CPUs, place {} of {} known boards; ", first["place"], first["of"]);
    let one_line = |text: &str| text.replace('\\', "").split_whitespace().collect::<Vec<_>>().join(" ");
    let (html, plots) = (file("page.html"), file("plots"));
    text(&["explain", "--html", &html, "--plots", &plots, "--"]);
    text(&["results", "--site", &file("site"), "--"]);
    let site = std::fs::read_dir(results.0.join("site/results")).unwrap().next().unwrap().unwrap().path();
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    let formats = ["text", "details", "markdown", "forum", "github-summary", "html"];
    let mut outputs: Vec<(String, String)> =
        formats.map(|format| (format.to_owned(), text(&["explain", "--format", format]))).into();
    outputs.push(("compare".into(), text(&["compare"])));
    outputs.push(("page".into(), read(&html)));
    outputs.push(("site".into(), read(&site.display().to_string())));
    let sentence = |(name, output): &(String, String)| {
        let output = one_line(output);
        let begin =
            output.find(&place).unwrap_or_else(|| panic!("{name} has other neighbours than {place:?}: {output}"));
        let factors = &output[begin + place.len()..];
        let ends = |(at, _): &(usize, &str)| !factors[at + 1..].starts_with(|next: char| next.is_ascii_digit());
        let end = factors.match_indices('.').find(ends).map_or(factors.len(), |(at, _)| at);
        factors[..end].to_owned()
    };
    let factors: Vec<String> = outputs.iter().map(sentence).collect();
    assert!(factors[0].contains("times a") && factors.iter().all(|other| *other == factors[0]), "{factors:?}");
    let card = read(&file("plots/card.svg"));
    assert!(card.contains("Acme X1") && card.contains("4999"), "{card}");
    // What is made for publication names no board of the user, and is one answer as well.
    let shared = file("shared");
    text(&["share", "--output", &shared, "--"]);
    let (post, page) = (one_line(&read(&format!("{shared}/post.md"))), one_line(&read(&format!("{shared}/page.html"))));
    let published = post.split(" known boards; ").next().and_then(|before| before.split("Between ").nth(1)).unwrap();
    assert!(page.contains(published) && !(post.clone() + &page).contains("Acme X1"), "{post}\n{page}");
}

#[test]
fn trend_without_a_usable_result_fails() {
    let results = Results::new("unusable", &[5000, 5000]);
    for day in 0..2 {
        let mut undated = record(day, 5000);
        undated.run.started = Fact::not_reached();
        std::fs::write(results.0.join(format!("{day}.json")), serde_json::to_string(&undated).unwrap()).unwrap();
    }
    let output = results.run(&["trend"], 2);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}
