//! Every line of `docs/json.md` and `docs/other-systems.md` is typed into a shell, and says what the document shows.

use std::path::Path;
use std::process::{Command, Stdio};
use testkit::Scratch;

/// The documents themselves.
const DOCUMENT: &str = concat!(include_str!("../../../docs/json.md"), include_str!("../../../docs/other-systems.md"));
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

/// Each line of a shell with what it prints, where the document shows that.
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
        testkit::skip("jq is not installed");
        return testkit::was_skipped();
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
        match shown {
            // Versions of jq differ in how they write whole numbers.
            Some(shown) if shown != said.replace(".0\n", "\n") => {
                wrong.push(format!("{line}\nsays\n{said}and not\n{shown}"))
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
