//! `--upload` of a run: its result is sent after it was shown, and its exit status stays that of the run.

use super::{Folder, closed, hub};
use crate::outcome::texts;
use std::io::{Read, Write};
use std::process::Stdio;
use std::time::Duration;

/// A short run with these options for its upload.
fn words<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "--force", "--quiet", "--repeat", "2", "--log", "run.log"], more, &["--", "true"]].concat()
}

#[test]
fn result_of_a_run_is_sent_redacted_and_its_address_printed() {
    let (url, requests) = hub(&[201]);
    let folder = Folder::new("run");
    let more = ["--upload", &url, "--token-file", "token", "--machine", "shelf", "--publish", "--yes"];
    let (status, out, err) = texts(&folder.command(&words(&more)).output().unwrap());
    assert!(out.ends_with("http://127.0.0.1/r/abc\n"), "{status} {out} {err}");
    assert!(err.contains("result file: redacted "), "{err}");
    let request = requests.recv_timeout(Duration::from_secs(10)).unwrap();
    assert!(request.starts_with("POST /api/results?publish=1&machine=shelf "), "{request}");
    assert!(request.contains("\"schema\":1") && !request.contains(&*folder.0.to_string_lossy()), "{request}");
    assert_eq!(folder.waiting(), 0);
}

#[test]
fn exit_status_is_that_of_the_run_and_a_failed_upload_is_said() {
    let folder = Folder::new("status");
    let (plain, ..) = texts(&folder.command(&words(&[])).output().unwrap());
    let (refusing, _requests) = hub(&[422]);
    let closed = closed();
    let busy = "use `sbc-bench upload run.json --to ";
    for (more, said, waiting) in [
        (vec!["--upload", &*closed, "--yes"], "Not sent, kept for the next upload: ", 1),
        (vec!["--upload", &*refusing, "--yes"], "Refused, kept for another try: ", 2),
        // Standard input is not a terminal.
        (vec!["--upload", &*closed], busy, 2),
        (vec!["--upload", &*closed, "--json"], busy, 2),
    ] {
        let (status, out, err) = texts(&folder.command(&words(&more)).output().unwrap());
        // How busy this machine is decides on the verdict, so statuses of valid and invalid results are the same here.
        assert_eq!(status == 1, plain == 1, "{more:?}: {err}");
        assert!(status != 1 && err.contains(said), "{more:?}: {err}");
        assert_eq!(folder.waiting(), waiting, "{more:?}");
        let is_json = serde_json::from_str::<serde_json::Value>(&out).is_ok();
        assert_eq!(is_json, more.contains(&"--json"), "{out}");
    }
    // The status of the user's own program is passed on as well.
    let failing = ["run", "--force", "--quiet", "--upload", &*closed, "--yes", "--", "false"];
    let (status, _, err) = texts(&folder.command(&failing).output().unwrap());
    assert!(status == 1 && err.contains("Not sent, kept"), "{status}: {err}");
}

#[test]
fn hub_faults_are_said_before_anything_is_measured() {
    let folder = Folder::new("early");
    for (more, expected) in [
        (&["--upload", "http://hub.example", "--yes"][..], "use https://"),
        (&["--upload", "https://hub.example", "--token-file", "none"], "none"),
        (&["--publish"], "--upload"),
    ] {
        let (status, _, err) = texts(&folder.command(&words(more)).output().unwrap());
        assert!(status == 1 && err.contains(expected), "{more:?}: {status} {err}");
        assert!(!folder.0.join("run.json").exists(), "{more:?}");
    }
}

/// A review reads typed lines as marks, but the question gets its answer.
#[test]
fn question_on_a_terminal_is_asked_once_and_answered() {
    for (answer, expected) in [("y\n", "/r/abc"), ("s\ny\n", "\"schema\""), ("\n", "Nothing was sent")] {
        let Some((screen, terminal)) = testkit::terminal() else { return testkit::was_skipped() };
        let (url, _requests) = hub(&[201]);
        let folder = Folder::new("asked");
        let mut command = folder.command(&["-R", "--upload", &url, "--", "true"]);
        let terminal = std::fs::File::from(terminal);
        command.stdin(terminal.try_clone().unwrap()).stdout(terminal.try_clone().unwrap());
        let mut child = command.stderr(Stdio::from(terminal)).spawn().unwrap();
        drop(command);
        let mut screen = std::fs::File::from(screen);
        let (mut said, mut chunk, mut answered) = (String::new(), [0; 4096], false);
        // The end of a pseudo-terminal is an error.
        while let Ok(count @ 1..) = screen.read(&mut chunk) {
            said.push_str(&String::from_utf8_lossy(&chunk[..count]));
            if !answered && said.contains("[y/N, s shows it]") {
                answered = true;
                // Another reader of the terminal would have time to take it away.
                std::thread::sleep(Duration::from_millis(100));
                screen.write_all(answer.as_bytes()).unwrap();
            }
        }
        child.wait().unwrap();
        assert!(answered && said.contains(expected), "{answer:?}: {said}");
    }
}
