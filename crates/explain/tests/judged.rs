//! Reads the real logs that were judged sentence by sentence, and counts where `explain` says otherwise: wrong
//! verdicts, sentences that are false, those that mislead, and what is not told at all. `judged.tsv` has a row
//! for each log; the counts may only become better.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

mod files;

use std::path::Path;

/// How many of the judged logs have a right verdict at least.
const RIGHT_VERDICTS_MIN: usize = 36;
/// How many things at most are said that are false.
const FALSE_MAX: usize = 19;
/// How many things at most are said that mislead.
const MISLEADING_MAX: usize = 15;
/// How many things at most are not said that must be.
const UNSAID_MAX: usize = 8;

/// A row of `judged.tsv`.
struct Judged {
    log: String,
    verdicts: Vec<String>,
    says: Vec<String>,
    false_words: Vec<String>,
    misleading_words: Vec<String>,
}

fn rows() -> Vec<Judged> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judged.tsv");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let [log, verdicts, _causes, says, false_words, misleading_words] = cells[..] else {
            panic!("6 columns: {row}");
        };
        let words = |cell: &str| match cell {
            "-" => Vec::new(),
            words => words.split("; ").map(str::to_owned).collect(),
        };
        Judged {
            log: log.to_owned(),
            verdicts: verdicts.split(',').map(str::to_owned).collect(),
            says: words(says),
            false_words: words(false_words),
            misleading_words: words(misleading_words),
        }
    })
    .collect()
}

/// The text of a log of the corpus, in regardless of which folder it lies.
fn log(corpus: &Path, name: &str) -> String {
    let of_folder = |folder: &str| std::fs::read(corpus.join(folder).join("results").join(format!("{name}.txt")));
    let bytes = of_folder("more").or_else(|_| of_folder("open"));
    String::from_utf8_lossy(&bytes.unwrap_or_else(|error| panic!("{name}: {error}"))).into_owned()
}

#[test]
fn judged_logs_are_told_as_their_judge_found_them() {
    let Some(corpus) = files::corpus() else {
        return testkit::was_skipped();
    };
    let rows = rows();
    let report = explain::report::find("text").unwrap();
    let (mut right, mut wrong) = (0, Vec::new());
    let (mut false_words, mut misleading, mut unsaid) = (Vec::new(), Vec::new(), Vec::new());
    for row in &rows {
        let record = explain::logs::read(&log(&corpus, &row.log));
        let explained = explain::Explanation::of(&record);
        let verdict = explained.verdict.to_string();
        match row.verdicts.contains(&verdict) {
            true => right += 1,
            false => wrong.push(format!("{} is {verdict}", row.log)),
        }
        let text = report.text(&record, &explained);
        // Where a line is broken matters to nobody.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = |words: &&String| text.contains(words.as_str());
        let named = |words: &String| format!("{}: {words}", row.log);
        false_words.extend(row.false_words.iter().filter(found).map(named));
        misleading.extend(row.misleading_words.iter().filter(found).map(named));
        unsaid.extend(row.says.iter().filter(|words| !found(words)).map(named));
    }
    eprintln!("{right} of {} verdicts are right; not right: {}", rows.len(), wrong.join(", "));
    for (kind, list) in [("false", &false_words), ("misleading", &misleading), ("not said", &unsaid)] {
        eprintln!("{kind} ({}):\n   {}", list.len(), list.join("\n   "));
    }
    assert!(right >= RIGHT_VERDICTS_MIN, "{right} verdicts are right");
    assert!(false_words.len() <= FALSE_MAX, "{} are false", false_words.len());
    assert!(misleading.len() <= MISLEADING_MAX, "{} mislead", misleading.len());
    assert!(unsaid.len() <= UNSAID_MAX, "{} are not said", unsaid.len());
}
