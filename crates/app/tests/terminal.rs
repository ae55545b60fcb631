//! A run on a terminal: what stands at its end, and the run as a whole screen. The terminal is a pseudo-terminal of a
//! known size, of which everything that is written to it is read.

use rustix::termios::{Winsize, tcsetwinsize};
use std::io::Read;
use std::process::Stdio;

const COLUMNS: u16 = 100;
/// A known size, and that of a serial console.
const KNOWN: (u16, u16) = (COLUMNS, 40);
const SERIAL: (u16, u16) = (0, 0);
const LEFT: &str = "\u{1b}[?1049l";

/// Path of a log.
fn log_in(folder: &testkit::Scratch) -> String {
    folder.join("run.log").display().to_string()
}

/// Output of the program to a terminal of this size; none where there is no pseudo-terminal.
fn shown(words: &[&str], locale: &str, (ws_col, ws_row): (u16, u16)) -> Option<String> {
    let (reader, writer) = testkit::terminal()?;
    let size = Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&writer, size).unwrap();
    let mut command = testkit::untuned_command(env!("CARGO_BIN_EXE_sbc-bench"), words);
    command.envs([("NotReadyYet", "yes"), ("TERM", "xterm"), ("LANG", locale)]);
    command.env_remove("LC_ALL").env_remove("LC_CTYPE").env_remove("NO_COLOR");
    command.stdin(Stdio::from(writer.try_clone().unwrap())).stderr(Stdio::from(writer.try_clone().unwrap()));
    let mut child = command.stdout(Stdio::from(writer)).spawn().unwrap();
    // It holds the other end until it is gone.
    drop(command);
    let mut bytes = Vec::new();
    // The end of a pseudo-terminal is an error.
    let _ = std::fs::File::from(reader).read_to_end(&mut bytes);
    let status = child.wait().unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(matches!(status.code(), Some(0 | 2 | 3)), "{status:?}: {text}");
    Some(text)
}

#[test]
fn run_ends_with_its_course_where_the_terminal_has_utf8() {
    let folder = testkit::Scratch::new("terminal-course");
    let words = ["run", "--repeat", "3", "--force", "--wait", "0s", "--log", &log_in(&folder), "--", "sleep", "0.7"];
    for (locale, has_course) in [("C.UTF-8", true), ("C", false)] {
        let Some(text) = shown(&words, locale, KNOWN) else { return testkit::was_skipped() };
        assert!(text.contains("sleep 0.7"), "{text}");
        // A machine without clocks and temperatures has no course.
        let course = text.lines().filter(|line| line.contains(['▁', '▅', '█']));
        let widest = course.clone().map(|line| line.trim_end().chars().count()).max();
        assert!(widest <= Some(usize::from(COLUMNS)), "{text}");
        assert!(has_course || course.count() == 0, "{text}");
    }
}

#[test]
fn run_is_watched_on_a_whole_screen_and_ends_below_it() {
    let folder = testkit::Scratch::new("terminal-screen");
    let words =
        ["run", "--tui", "--repeat", "3", "--force", "--wait", "0s", "--log", &log_in(&folder), "--", "sleep", "0.7"];
    for size in [KNOWN, SERIAL] {
        let Some(text) = shown(&words, "C.UTF-8", size) else { return testkit::was_skipped() };
        let (screen, behind) = text.split_once(LEFT).unwrap_or_else(|| panic!("no screen: {text}"));
        assert!(screen.contains("\u{1b}[?1049h") && screen.contains("q leave the screen"), "{text}");
        // On a busy machine, the first frame can appear after the first run.
        let has_run = (1..=3).any(|run| screen.contains(&format!("run {run} of 3")));
        assert!(screen.contains("all CPUs") && has_run, "{text}");
        // The report is in the terminal that was given back.
        assert!(behind.contains("median of 3") && behind.contains("Log: "), "{behind}");
        assert!(!behind.contains(LEFT), "{behind}");
    }
}

/// A log and a board with long lines.
const LOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../explain/tests/composed/0.9.3-scores-fall.txt");

#[test]
fn texts_fit_into_the_terminal() {
    let folder = testkit::Scratch::new("terminal-texts");
    let board = crate::outcome::board("rk3588");
    let chinese = folder.join("chinese.txt");
    let text = std::fs::read_to_string(LOG).unwrap().replace("Testboard Nine", "香橙派五 开发板");
    assert!(text.contains("香橙派五"));
    std::fs::write(&chinese, text).unwrap();
    let chinese = chinese.to_str().unwrap();
    for words in [
        &["inspect", "--root", &board][..],
        &["inspect", "identify", "--root", &board],
        &["inspect", "kernel", "--root", &board],
        &["inspect", "storage", "--root", &board],
        &["inspect", "doctor", "--root", &board],
        &["explain", chinese],
        &["explain", "--details", chinese],
        &["compare", chinese],
        &["compare", chinese, LOG],
        &["results", "--format", "text", chinese, LOG],
        &["results", "--over-time", chinese, LOG],
        &["list"],
        &["list", "all"],
        &["list", "tools"],
        &["list", "definitions"],
        &["list", "workloads"],
    ] {
        for columns in [40, 80] {
            let Some(text) = shown(words, "C.UTF-8", (columns, 24)) else { return testkit::was_skipped() };
            let text = record::without_colours(&text);
            // Lines of a program and names of files have no blank at which they can be broken.
            let is_broken = |line: &&str| line.trim().contains(' ') && !line.contains(['"', '[']);
            let wide = text.lines().filter(is_broken).filter(|line| facts::lines::width(line) > columns.into());
            assert_eq!(wide.collect::<Vec<_>>(), [""; 0], "{words:?} {columns}");
        }
    }
}

/// Verdict and this board stand out on a terminal, and another locale gets ASCII.
#[test]
fn texts_have_the_colours_and_letters_of_the_terminal() {
    for words in [&["explain", LOG][..], &["compare", LOG], &["results", LOG], &["list"]] {
        let Some(text) = shown(words, "C", KNOWN) else { return testkit::was_skipped() };
        assert!(text.is_ascii(), "{words:?}: {text}");
        let is_styled = text.contains("\u{1b}[1");
        assert_eq!(is_styled, ["explain", "compare"].contains(&words[0]), "{words:?}: {text}");
    }
    let mut command = crate::outcome::sbc_bench(["explain", LOG]);
    let output = command.envs([("TERM", "xterm"), ("LC_ALL", "C")]).output().unwrap();
    assert!(output.stdout.is_ascii() && !output.stdout.contains(&0x1b), "{output:?}");
}

#[test]
fn bar_is_shown_where_the_terminal_knows_its_width_and_where_not() {
    let folder = testkit::Scratch::new("terminal-bar");
    let words = ["run", "--force", "--wait", "0s", "--log", &log_in(&folder), "--", "sleep", "0.7"];
    for size in [KNOWN, SERIAL] {
        let Some(text) = shown(&words, "C", size) else { return testkit::was_skipped() };
        assert!(text.contains(" [>               ] ") && text.contains(": sleep 0.7"), "{size:?}: {text}");
    }
}
