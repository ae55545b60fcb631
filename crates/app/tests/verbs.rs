//! One list of verbs: earlier spellings print the same as the current ones, and a file that is not named
//! is the last run.

use std::path::Path;
use std::time::{Duration, SystemTime};
use testkit::{Scratch, clean_command};

const LOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../explain/tests/composed/0.9.72-hot.txt");
const OTHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../explain/tests/composed/0.9.72-raspberry-pi.txt");
const BOARD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../boards/raspberry-pi-5.board");

/// Standard output, standard error and exit status; `LOG`, `OTHER` and `BOARD` stand for files.
fn typed(line: &str, place: &Path) -> (String, String, Option<i32>) {
    let word = |word: &str| match word {
        "LOG" => LOG.to_owned(),
        "OTHER" => OTHER.to_owned(),
        "BOARD" => BOARD.to_owned(),
        word => word.to_owned(),
    };
    let mut command = clean_command(env!("CARGO_BIN_EXE_sbc-bench"), line.split_whitespace().map(word));
    command.current_dir(place).env("HOME", place).env("XDG_STATE_HOME", place).env("STATE_DIRECTORY", place);
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    // The line with the second in which a review was made differs from one call to the next.
    let lines = text(output.stdout);
    let lines = lines.split_inclusive('\n').filter(|line| !line.starts_with("Tested with sbc-bench v"));
    (lines.collect(), text(output.stderr), output.status.code())
}

#[test]
fn earlier_spellings_print_what_todays_print() {
    let place = Scratch::new("verbs");
    for (old, new) in [
        ("report LOG --format no-such", "explain LOG --format no-such"),
        ("LOG OTHER --json", "explain LOG OTHER --json"),
        ("trend LOG OTHER", "results --over-time LOG OTHER"),
        ("--root BOARD identify", "inspect identify BOARD"),
        ("-k --root BOARD", "inspect kernel --root BOARD"),
        ("mark", "monitor mark"),
        ("workload no-such", "measure no-such"),
        ("clock --cpus 4095", "measure clock --cpus 4095"),
        ("help clock", "measure clock --help"),
        ("report --help", "explain --help"),
        ("restore --root BOARD", "recover --settings --root BOARD"),
    ] {
        let (old_says, new_says) = (typed(old, &place), typed(new, &place));
        assert!(!old_says.0.is_empty() || !old_says.1.is_empty(), "{old} says nothing");
        assert_eq!(old_says, new_says, "{old}");
    }
    let (said, _, status) = typed("site LOG --out old.site", &place);
    assert_eq!(
        (said.as_str(), status),
        (&*typed("results LOG --site new.site", &place).0.replace("new", "old"), Some(0))
    );
}

#[test]
fn file_that_is_not_named_is_the_last_run() {
    let place = Scratch::new("last");
    for verb in ["explain", "compare", "results"] {
        let (said, why, status) = typed(&format!("{verb} LOG"), &place);
        assert_eq!(status, Some(0), "{verb}: {said}{why}");
    }
    // A run of root's or of this user's, newer than any other on this machine.
    for folder in ["runs", "sbc-bench/runs"] {
        let runs = place.join(folder);
        std::fs::create_dir_all(&runs).unwrap();
        for (name, log, hours) in [("20260101-000000.json", OTHER, 2), ("20260102-000000.json", LOG, 3)] {
            let (record, ..) = typed(&format!("explain {log} --format record"), &place);
            std::fs::write(runs.join(name), record).unwrap();
            let file = std::fs::File::options().write(true).open(runs.join(name)).unwrap();
            file.set_modified(SystemTime::now() + Duration::from_secs(3600 * hours)).unwrap();
        }
    }
    for line in ["explain", "compare", "report", "report --format markdown", "explain --json", "results --json"] {
        let (said, notes, status) = typed(line, &place);
        assert_eq!(status, Some(0), "{line}: {notes}");
        assert!(said.contains("Testboard Twenty") || said.contains("Rockchip RK3399"), "{line}: {said}");
        assert!(notes.contains("The last run: ") && notes.contains("20260102-000000.json"), "{line}: {notes}");
    }
}

/// One call writes page, card and plots.
#[test]
fn page_card_and_plots_are_written_together() {
    let place = Scratch::new("together");
    let (said, why, status) = typed("explain LOG --html page.html --card card.png --plots plots", &place);
    assert_eq!(status, Some(0), "{said}{why}");
    assert!(std::fs::read_to_string(place.join("page.html")).unwrap().starts_with("<!DOCTYPE html>"));
    let cards = ["card.png", "plots/card.png"].map(|name| std::fs::read(place.join(name)).unwrap());
    assert!(cards[0].starts_with(b"\x89PNG") && cards[0] == cards[1]);
    let (_, why, status) = typed("explain LOG OTHER --card card.png", &place);
    assert_eq!((why.contains("--card takes one FILE."), status), (true, Some(1)), "{why}");
}
