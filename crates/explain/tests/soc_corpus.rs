//! Judges the identification of SoCs by composed and real cpuinfo files and logs, and prints the figures.
//!
//! `files` says where they are; the labels of the real ones lie next to the corpus, in `spec/data`.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files;
use crate::variants;
use facts::soc::{self, Answer, Confidence};
use record::Machine;
use record::table::Table;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Requirements for a group of answers, in percent.
struct Requirement {
    included_min: f64,
    wrong_max: f64,
}

/// Answers by cpuinfo alone.
const ALONE: Requirement = Requirement { included_min: 75.0, wrong_max: 2.0 };
/// Answers by cpuinfo and device tree.
const WITH_TREE: Requirement = Requirement { included_min: 97.0, wrong_max: 1.0 };
/// Answers for logs with a device tree.
const LOGS: Requirement = Requirement { included_min: 98.0, wrong_max: 0.0 };

/// Answers for logs without labels.
const ANY: Requirement = Requirement { included_min: 50.0, wrong_max: 0.0 };

/// Letters and digits in lower case.
fn squash(text: &str) -> String {
    let kept = text.chars().filter(char::is_ascii_alphanumeric);
    kept.map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether a word can be a part number.
fn is_part(name: &str) -> bool {
    name.len() >= 2 && name.bytes().any(|c| c.is_ascii_digit())
}

/// A cpuinfo file and the names that are right.
struct Label {
    file: String,
    names: Vec<Name>,
    compatible: Vec<String>,
    model: Option<String>,
}

/// A right name as written in a label.
#[derive(Debug, Clone)]
struct Name {
    text: String,
    whole_word: bool,
    not_before: Option<String>,
}

impl Name {
    /// Labels are regular expressions of a few forms: `(?<!\w)A10(?!\w)`, `MSM8996(?!pro)`.
    fn parse(text: &str) -> Self {
        let whole_word = text.contains(r"(?<!\w)");
        let text = text.replace(r"(?<!\w)", "").replace(r"(?!\w)", "");
        let (text, not_before) = match text.split_once("(?!") {
            Some((text, rest)) => (text.to_owned(), Some(rest.trim_end_matches(')').to_lowercase())),
            None => (text, None),
        };
        let text = text.replace('\\', "").replace(" ?", " ").trim().to_lowercase();
        Self { text, whole_word, not_before }
    }

    fn stands_in(&self, shown: &str) -> bool {
        let shown = shown.to_lowercase();
        let mut places = shown.match_indices(&self.text);
        places.any(|(at, _)| {
            let (before, after) = (&shown[..at], &shown[at + self.text.len()..]);
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let bounded = !before.ends_with(is_word) && !after.starts_with(is_word);
            let refused = self.not_before.as_ref().is_some_and(|text| after.starts_with(text));
            (!self.whole_word || bounded) && !refused
        })
    }
}

fn spec() -> Option<PathBuf> {
    let data = files::corpus()?.parent()?.join("spec/data");
    let found = data.join("soc-labels-open.tsv").is_file();
    if !found {
        testkit::excuse(testkit::Excuse::Corpus);
    }
    found.then_some(data)
}

fn labels(spec: &Path) -> Vec<Label> {
    let text = std::fs::read_to_string(spec.join("soc-labels-open.tsv")).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let strings = cells[4].split('|').filter(|text| *text != "-");
            Label {
                file: cells[0].to_owned(),
                names: cells[3].split(" || ").map(Name::parse).collect(),
                compatible: strings.map(str::to_owned).collect(),
                model: Some(cells[6]).filter(|model| *model != "x").map(str::to_owned),
            }
        })
        .collect()
}

fn machine(cpuinfo: &[u8], label: Option<&Label>) -> Machine {
    let mut texts = vec![("/proc/cpuinfo", cpuinfo.to_vec())];
    if let Some(label) = label {
        let list: Vec<u8> = label.compatible.join("\0").into_bytes();
        if !list.is_empty() {
            texts.push(("/sys/firmware/devicetree/base/compatible", list));
        }
        if let Some(model) = &label.model {
            texts.push(("/sys/firmware/devicetree/base/model", model.clone().into_bytes()));
        }
    }
    testkit::machine_of(&texts)
}

/// Counts of the answers of one group.
#[derive(Debug, Default)]
struct Tally {
    asked: usize,
    included: usize,
    points: f64,
    wrong: Vec<String>,
    unknown: Vec<String>,
}

impl Tally {
    fn add(&mut self, file: &str, answer: &Answer, is_right: impl Fn(&str) -> bool) {
        self.asked += 1;
        let right = answer.candidates.iter().any(|one| is_right(&one.name));
        let size = answer.candidates.len();
        if right {
            self.included += 1;
            self.points += 1.0 / size as f64;
        } else if answer.confidence == Confidence::Unknown {
            self.unknown.push(format!("{file}: {}", answer.why));
        } else {
            self.points -= 1.0;
            let names: Vec<String> = answer.names().into_iter().take(8).collect();
            self.wrong.push(format!("{file}: {} SoCs: {}: {}", size, names.join(", "), answer.why));
        }
    }

    fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.asked.max(1) as f64
    }

    fn judge(&self, title: &str, wanted: &Requirement) {
        let (included, wrong) = (self.percent(self.included), self.percent(self.wrong.len()));
        eprintln!(
            "{title}: {} answers, right name included {included:.1} %, wrong {wrong:.1} %, unknown {}, points {:.1}",
            self.asked,
            self.unknown.len(),
            self.points
        );
        for line in self.wrong.iter().chain(&self.unknown) {
            eprintln!("    {line}");
        }
        assert!(included >= wanted.included_min && wrong <= wanted.wrong_max, "{title}");
    }
}

/// Labels and texts of the real cpuinfo files.
fn real_ones(spec: &Path) -> Vec<(Label, Vec<u8>)> {
    let folder = files::corpus().unwrap().join("open/results/cpuinfo");
    let labels = labels(spec).into_iter();
    labels
        .map(|label| {
            let text = std::fs::read(folder.join(&label.file)).unwrap();
            (label, text)
        })
        .collect()
}

/// A composed cpuinfo file.
struct CpuinfoCase {
    vendor: String,
    soc: String,
    /// Whether cpuinfo identifies this SoC: `only`, `among` or `none`.
    alone: String,
    label: Label,
    text: Vec<u8>,
}

fn composed() -> Vec<CpuinfoCase> {
    let rows = files::truth("cpuinfo").into_iter();
    rows.map(|[file, vendor, soc, compatible, alone]| {
        let compatible = [compatible].into_iter().filter(|text| text != "-");
        CpuinfoCase {
            text: std::fs::read(files::composed().join("cpuinfo").join(&file)).unwrap(),
            label: Label { file, names: vec![Name::parse(&soc)], compatible: compatible.collect(), model: None },
            vendor,
            soc,
            alone,
        }
    })
    .collect()
}

#[test]
fn composed_cpuinfo_alone_and_with_its_device_tree() {
    let mut wrong = Vec::new();
    for one in composed() {
        let names = |label| soc::identify(&machine(&one.text, label)).names();
        let (alone, with_tree) = (names(None), names(Some(&one.label)));
        let as_told = match one.alone.as_str() {
            // Cores fit several chips; those with as many cores come first.
            "only" => alone.contains(&one.soc),
            "among" => alone.len() > 1 && alone.contains(&one.soc),
            "none" => alone.is_empty(),
            _ => false,
        };
        if !as_told {
            wrong.push(format!("{} alone: {alone:?}", one.label.file));
        }
        if with_tree != [one.soc] {
            wrong.push(format!("{} with tree: {with_tree:?}", one.label.file));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_vendor_of_the_table_has_a_cpuinfo_file() {
    let has: BTreeSet<String> = composed().into_iter().map(|one| one.vendor).collect();
    let socs = Table::of(include_str!("../../../data/socs.tsv"));
    let vendors: BTreeSet<&str> = socs.rows().map(|row| row.get("vendor")).collect();
    let without = vendors.iter().filter(|vendor| !has.contains(**vendor));
    assert_eq!(without.collect::<Vec<_>>(), [&""; 0]);
}

#[test]
fn composed_logs_name_their_soc() {
    let texts = files::texts(&[files::composed()]);
    let rows = files::truth("socs");
    let found = texts.iter().map(|(name, text)| {
        let answer = soc::identify(&logs::read(text).machine);
        let names = if answer.cores.is_some() { Vec::new() } else { answer.names() };
        [name.clone(), names.join(", ")]
    });
    assert_eq!(found.collect::<Vec<[String; 2]>>(), rows);
}

#[test]
fn cpuinfo_alone_and_with_its_device_tree() {
    let spec = testkit::found!(spec());
    let (mut alone, mut with_tree) = (Tally::default(), Tally::default());
    for (label, text) in real_ones(&spec) {
        let is_right = |shown: &str| label.names.iter().any(|name| name.stands_in(shown));
        alone.add(&label.file, &soc::identify(&machine(&text, None)), is_right);
        let answer = soc::identify(&machine(&text, Some(&label)));
        with_tree.add(&label.file, &answer, is_right);
    }
    alone.judge("cpuinfo alone", &ALONE);
    with_tree.judge("with device tree", &WITH_TREE);
}

#[test]
fn other_kernels_get_the_same_answers() {
    let composed = composed().into_iter().map(|one| (one.label, one.text));
    let real = files::find().and_then(|_| spec());
    let real = real.map(|spec| real_ones(&spec)).unwrap_or_default();
    for (label, text) in composed.chain(real) {
        let with_returns = String::from_utf8_lossy(&text).replace('\r', "").replace('\n', "\r\n");
        for label_or_none in [None, Some(&label)] {
            let plain = machine(&text, label_or_none);
            let expected = soc::identify(&plain).names();
            let crlf = machine(with_returns.as_bytes(), label_or_none);
            assert_eq!(soc::identify(&crlf).names(), expected, "{}, CRLF", label.file);
            for (way, shown) in variants::of(&plain) {
                let found = soc::identify(&shown).names();
                let tree = label_or_none.is_some();
                // Facts about offline cores may be missing, but no others appear.
                let same = found == expected
                    || way == "a core switched off" && expected.iter().all(|name| found.contains(name));
                assert!(same, "{}, tree {tree}, {way}: {found:?}", label.file);
            }
        }
    }
}

#[test]
fn soc_of_corpus_logs() {
    let spec = testkit::found!(spec());
    let corpus = files::corpus().unwrap();
    let table = std::fs::read_to_string(spec.join("soc-eval-reallogs-open.tsv")).unwrap();
    let texts = files::texts(&[corpus.join("open/results")]);
    let (mut with_tree, mut without) = (Tally::default(), Tally::default());
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (name, tree) = (cells[0], cells[5]);
        let Some((_, text)) = texts.iter().find(|(known, _)| known == name) else { continue };
        let record = logs::read(text);
        let answer = soc::identify(&record.machine);
        // Board, device tree, and what earlier versions made of them.
        let truth = squash(&cells[2..].join(" "));
        let is_right = |shown: &str| {
            let mut names = shown.split([' ', '(', ')', ',']).map(squash);
            names.any(|name| is_part(&name) && truth.contains(&name))
        };
        if tree == "-" {
            without.add(name, &answer, |_| true);
        } else {
            with_tree.add(name, &answer, is_right);
        }
    }
    with_tree.judge("logs with device tree", &LOGS);
    without.judge("logs without, known or not", &ANY);
}
