//! Every line of `docs/json.md` and `docs/other-systems.md` is typed into a shell, and prints what the document shows. No other
//! document has a line of `jq`.

use std::path::Path;
use std::process::{Command, Stdio};
use testkit::Scratch;

/// The documents themselves.
const DOCUMENT: &str = concat!(include_str!("../../../docs/json.md"), include_str!("../../../docs/other-systems.md"));
/// Their names.
const TRIED: [&str; 2] = ["json.md", "other-systems.md"];
/// Questions that it answers at least.
const QUESTIONS_MIN: usize = 10;

/// A folder with the files that the document speaks of, removed at its end.
struct Folder(Scratch);

impl Folder {
    fn new() -> Self {
        let path = Scratch::new("jq");
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let logs = tests.join("../../explain/tests/composed");
        for (from, name) in [
            (logs.join("0.9.72-hot.txt"), "hot.txt"),
            (logs.join("0.9.61-riscv-out-of-memory.txt"), "oom.txt"),
            (tests.join("old_records/command.json"), "run.json"),
        ] {
            std::fs::copy(&from, path.join(name)).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
        }
        Self(path)
    }
}

/// Each line of a shell with its output, where the document shows it.
fn questions() -> Vec<(&'static str, Option<String>)> {
    let mut questions = Vec::new();
    let mut blocks = DOCUMENT.split("```").skip(1).step_by(2).peekable();
    while let Some(block) = blocks.next() {
        let Some(line) = block.strip_prefix("sh\n") else { continue };
        let shown = blocks.peek().and_then(|next| next.strip_prefix("text\n"));
        questions.push((line.trim(), shown.map(str::to_owned)));
    }
    questions
}

#[test]
fn every_question_is_answered_as_the_document_shows() {
    let has_jq = Command::new("jq").arg("--version").stdout(Stdio::null()).status();
    if !has_jq.is_ok_and(|status| status.success()) {
        return testkit::skip("jq is not installed");
    }
    let folder = Folder::new();
    let binary = Path::new(env!("CARGO_BIN_EXE_sbc-bench"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", binary.parent().unwrap().display());
    let questions = questions();
    assert!(questions.len() >= QUESTIONS_MIN, "{} questions", questions.len());
    let mut wrong = Vec::new();
    for (line, shown) in questions {
        let output = Command::new("sh").args(["-ec", line]).current_dir(&folder.0).env("PATH", &path).output().unwrap();
        let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && errors.is_empty(), "{line}: {errors}");
        // Versions of jq differ in how they write whole numbers.
        let said = said.replace(".0\n", "\n");
        if said != shown.unwrap_or_default() {
            wrong.push(format!("{line}\nprints\n{said}which is not what the document shows"));
        }
        if said.lines().any(|line| line.split('\t').any(|cell| ["", "null"].contains(&cell))) {
            wrong.push(format!("{line}\nprints an empty column:\n{said}"));
        }
    }
    for entry in folder.0.read_dir().unwrap() {
        let (path, text) = entry.map(|entry| (entry.path(), std::fs::read_to_string(entry.path()).unwrap())).unwrap();
        if ["", "{}", "[]", "null"].contains(&text.trim()) {
            wrong.push(format!("{} is written without content", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lines_of_jq_stand_in_documents_that_are_tried() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut documents = vec![docs.join("../README.md")];
    documents.extend(docs.read_dir().unwrap().map(|entry| entry.unwrap().path()));
    documents.retain(|path| path.extension().is_some_and(|kind| kind == "md"));
    assert!(documents.len() > 5, "{documents:?}");
    for path in documents {
        let is_tried = TRIED.iter().any(|name| path.ends_with(name));
        let text = std::fs::read_to_string(&path).unwrap();
        let has_jq = text.lines().any(|line| line.contains("| jq ") && !line.starts_with('|'));
        assert!(is_tried || !has_jq, "{} has a line of jq that nobody tries", path.display());
    }
}

#[test]
fn removed_reports_name_the_document_with_their_line() {
    for id in ["bencher", "kcidb", "otava-csv", "phoronix", "squad"] {
        let words = ["explain", "tests/old_records/command.json", "--format", id];
        let mut program = testkit::clean_command(env!("CARGO_BIN_EXE_sbc-bench"), words);
        let output = program.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        let document = "use its line of jq in other-systems.md (packages: /usr/share/doc/sbc-bench, source: docs).";
        assert!(!output.status.success() && errors.contains(document), "{id}: {errors}");
    }
}
