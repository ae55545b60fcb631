//! README and docs show no command that nobody tries: each one has its row here, and is typed into a shell. Those
//! that set clocks, heat or take minutes are tried on virtual boards (`virtual_board`), under the words that
//! the row names.

mod bootstrap;
mod command_folder;
#[path = "../../../../xtask/src/docs/commands.rs"]
mod commands;
mod documents;
mod rows;

use Trial::{As, Line, OnBoard};
use command_folder::CommandFolder;
use rows::{ROWS, Trial};

/// The README itself.
const README: &str = include_str!("../../../../README.md");
/// Output of the help as tables.
const COMMANDS: &str = include_str!("../../../../docs/commands.md");
/// Rows that are tried on virtual boards.
const ON_BOARDS: &[&str] = &[
    include_str!("../virtual_board/documented/standard.rs"),
    include_str!("../virtual_board/documented/review.rs"),
    include_str!("../virtual_board/documented/questions.rs"),
    include_str!("../virtual_board/documented/monitor.rs"),
];

/// Commands as a document shows them: in code spans, and in blocks of a shell up to a pipe or comment.
fn shown(document: &str, has_blocks: bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut block = None;
    for line in document.lines().map(str::trim_start) {
        if let Some(kind) = line.strip_prefix("```") {
            block = block.is_none().then_some(kind);
            continue;
        }
        let is_block = block == Some("sh");
        let words: Vec<String> = match is_block {
            true if !has_blocks => Vec::new(),
            _ if block.is_some() && !is_block => Vec::new(),
            true if line.contains("||") => vec![line.trim().to_owned()],
            true => line.split(';').map(in_block).collect(),
            // Flags count where a table of commands has them.
            false => spans(line).into_iter().filter(|span| is_command(line, span)).collect(),
        };
        for word in words.into_iter().filter(|word| is_command(line, word)) {
            if !found.contains(&word) {
                found.push(word);
            }
        }
    }
    found
}

/// A command of a block without comment and pipe.
fn in_block(line: &str) -> String {
    let line = line.split('#').next().unwrap_or_default();
    line.split(" | ").next().unwrap_or_default().trim().to_owned()
}

fn is_command(line: &str, span: &str) -> bool {
    let is_flag =
        line.starts_with("| `sbc-bench") && span.len() > 1 && span.starts_with('-') && !span.starts_with("--");
    let is_also = line.starts_with("| `sbc-bench") && span.starts_with("install-tools");
    let is_own = span == "sbc-bench" || span.starts_with("sbc-bench ") || span.contains(" sbc-bench ");
    // cargo names the package so.
    let is_own = is_own && !span.starts_with("cargo ");
    is_own || is_flag || is_also
}

fn spans(line: &str) -> Vec<String> {
    let line = line.replace("\\|", "|");
    let parts = line.split('`').map(str::to_owned);
    parts.skip(1).step_by(2).collect()
}

/// A stored result gives each line of README's report, in this order.
#[test]
fn the_report_is_that_of_a_stored_result() {
    let stored = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/old_records/log-hot.json");
    let output = testkit::clean_command(env!("CARGO_BIN_EXE_sbc-bench"), ["explain", stored]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let mut lines = printed.lines();
    let block = README.split("```\n").find(|block| block.starts_with("Results ")).expect("README shows no report");
    for line in block.lines() {
        assert!(lines.any(|printed| printed == line), "README shows {line:?}; printed was:\n{printed}");
    }
}

#[test]
fn readme_commands_have_rows() {
    let shown = shown(README, true);
    assert!(shown.len() > 10, "{shown:?}");
    let rows: Vec<&str> = ROWS.iter().map(|(words, _)| *words).collect();
    for words in &shown {
        assert!(rows.contains(&words.as_str()), "nobody tries {words:?}");
    }
    let listed = listed();
    for words in &rows {
        let verb = words.split_whitespace().find(|word| *word != "sbc-bench" && !word.contains('='));
        let is_listed = verb.is_none_or(|verb| listed.iter().any(|listed| listed == verb));
        assert!(is_listed || shown.iter().any(|shown| shown == words), "no document shows {words:?}");
    }
    ROWS.iter().for_each(|row| check_row(row, &rows));
}

/// Names of commands and options in `docs/commands.md`, without their values.
fn listed() -> Vec<String> {
    let rows = COMMANDS.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split(['`', ' ', ',']).next()).map(str::to_owned).collect()
}

#[test]
fn listed_commands_are_up_to_date() {
    let help = |words: &[&str]| {
        let words = words.iter().chain(&["--help"]);
        let mut program = testkit::clean_command(env!("CARGO_BIN_EXE_sbc-bench"), words);
        // Help shows the values of the first two.
        for name in ["SBC_BENCH_HUB", "SBC_BENCH_HUB_TOKEN_FILE", "COLUMNS"] {
            program.env_remove(name);
        }
        let output = program.output()?;
        Ok(String::from_utf8(output.stdout)?)
    };
    assert!(commands::page(&help).unwrap() == COMMANDS, "docs/commands.md is not up to date; run: cargo xtask docs");
}

/// Every command with a section in `docs/commands.md` is typed.
#[test]
fn listed_commands_are_tried() {
    let tried: Vec<&str> = ROWS.iter().map(|(words, _)| *words).collect();
    let commands = COMMANDS
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .filter(|name| name.chars().all(|letter| letter.is_ascii_lowercase() || " -".contains(letter)));
    let commands: Vec<&str> = commands.collect();
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands {
        let words = format!("sbc-bench {command}");
        assert!(tried.iter().any(|row| format!("{row} ").starts_with(&format!("{words} "))), "nobody tries {words}");
    }
}

/// Checks that the target of a row exists.
fn check_row((words, tried): &(&str, Trial), rows: &[&str]) {
    match tried {
        OnBoard(line) => {
            assert!(ON_BOARDS.iter().any(|rows| rows.contains(line)), "{words}: no row on a board has {line:?}")
        }
        As(other) => assert!(rows.contains(other), "{words}: {other}"),
        Line(..) => {}
    }
}

#[test]
fn documents_commands_have_rows() {
    let shown: Vec<String> =
        documents::DOCUMENTS.iter().flat_map(|document| shown(document.text, document.has_blocks)).collect();
    assert!(shown.len() > 30, "{shown:?}");
    let own: Vec<&str> = documents::ROWS.iter().map(|(words, _)| *words).collect();
    let rows: Vec<&str> = ROWS.iter().chain(documents::ROWS).map(|(words, _)| *words).collect();
    for words in &shown {
        assert!(rows.contains(&words.as_str()), "nobody tries {words:?}");
    }
    for words in &own {
        assert!(shown.iter().any(|shown| shown == words), "no document shows {words:?}");
    }
    documents::ROWS.iter().for_each(|row| check_row(row, &rows));
}

#[test]
fn readme_commands_work() {
    check_lines(&CommandFolder::new("commands"), ROWS);
}

#[test]
fn documents_commands_work() {
    check_lines(&CommandFolder::new("documents"), documents::ROWS);
}

fn check_lines(desk: &CommandFolder, rows: &[(&str, Trial)]) {
    for (_, tried) in rows {
        let Line(line, says) = tried else { continue };
        let (said, status) = desk.types(line);
        assert!(matches!(status, 0 | 2 | 3 | 7), "{line} ended with {status}:\n{said}");
        for words in *says {
            assert!(said.contains(words), "{line} does not say {words:?}:\n{said}");
        }
        assert!(!said.contains("panicked"), "{line}:\n{said}");
    }
}

/// The example of a definition is valid, and errors have line and column.
#[test]
fn readme_definition_works() {
    let desk = CommandFolder::new("definition");
    let toml = README.split("```toml\n").nth(1).unwrap_or_default();
    let toml = toml.split("```").next().unwrap_or_default();
    desk.write("readme.toml", toml);
    let line = "sbc-bench run --workload no-such --workload-file readme.toml";
    let (said, status) = desk.types(line);
    assert!(said.contains("kernel-build"), "{said}");
    assert_eq!(status, 1);
    desk.write("readme.toml", &toml.replace("better = \"higher\"", "better = 7"));
    let (said, _) = desk.types(line);
    assert!(said.contains("line ") && said.contains("column "), "{said}");
}

/// Help fits into a terminal of 80 columns, the manual names every flag of it.
#[test]
fn help_fits_into_80_columns() {
    let desk = CommandFolder::new("help");
    let (help, _) = desk.types("$PROGRAM --help");
    let is_name = |line: &&str| line.starts_with("  ") && !line.starts_with("   ") && !line.starts_with("  -");
    let verbs = help.lines().take_while(|line| *line != "Environment:").filter(is_name);
    let verbs: Vec<&str> = verbs.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(verbs.len() > 30, "{verbs:?}");
    for words in
        ["--help", "-h"].map(str::to_owned).into_iter().chain(verbs.iter().map(|verb| format!("{verb} --help")))
    {
        let (help, status) = desk.types(&format!("$PROGRAM {words}"));
        assert_eq!(status, 0, "{words}");
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{words}: {line}");
        }
    }
    let (manual, _) = desk.types("$PROGRAM manual");
    for word in [
        "ExecuteCommand",
        ".SH EXIT STATUS",
        ".SH FILES",
        ".I ~/.local/state/sbc-bench",
        ".SH SEE ALSO",
        "\\-R",
        "until Ctrl\\-C or until CMD exits",
    ] {
        assert!(manual.contains(word), "{word} is not in:\n{manual}");
    }
}

/// A page that is named and missing is an error of `man`.
#[test]
fn every_manual_page_that_is_named_is_written() {
    let folder = testkit::Scratch::new("manual");
    let program = env!("CARGO_BIN_EXE_sbc-bench");
    let written = testkit::clean_command(program, ["manual".as_ref(), folder.as_os_str()]).status().unwrap();
    assert!(written.success());
    let missing = testkit::missing_manual_pages(&folder, "sbc-bench");
    assert!(missing.is_empty(), "{missing:?}");
    let page = std::fs::read_to_string(folder.join("sbc-bench.1")).unwrap();
    let (_, others) = page.split_once(".SH OTHER COMMANDS\n.nf\n").unwrap();
    let names = others.lines().take_while(|line| !line.is_empty() && !line.starts_with('.'));
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"upload"), "{names:?}");
    for name in names {
        assert!(folder.join(format!("sbc-bench-{}.1", name.replace('\\', ""))).exists(), "{name}");
    }
}

/// Every shell block of a document is run by a test.
#[test]
fn blocks_of_a_shell_stand_in_documents_that_are_tried() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut count = 0;
    for entry in docs.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if !text.lines().any(|line| line.trim_start() == "```sh") {
            continue;
        }
        count += 1;
        let is_tried = documents::DOCUMENTS.iter().any(|document| document.text == text);
        assert!(is_tried, "nobody tries the commands of {}", path.display());
    }
    assert!(count > 5, "{count} documents");
}
