//! `sbc-bench upload`: content, destination, and what the spool keeps.

use crate::outcome::texts;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use testkit::{Scratch, untuned_command};

mod https;
mod runs;

/// A hub that closes the connection after each request.
const CLOSES: u16 = 0;
const LOG: &str = include_str!("../../../explain/tests/composed/0.9.44-false-alarm.txt");
const KEPT: &str =
    "{\"results\":[{\"id\":\"abc\",\"url\":\"http://127.0.0.1/r/abc\",\"state\":\"unlisted\",\"reason\":null}]}";

/// Fake hub that answers with these statuses in turn and passes the requests on. [`CLOSES`] closes the connection.
fn hub(statuses: &'static [u16]) -> (String, Receiver<String>) {
    hub_at("127.0.0.1:0", statuses)
}

fn hub_at(address: &str, statuses: &'static [u16]) -> (String, Receiver<String>) {
    let listener = TcpListener::bind(address).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (give, take) = channel();
    let serve = move || {
        for (status, stream) in statuses.iter().zip(listener.incoming()) {
            let mut stream = stream.unwrap();
            give.send(request(stream.try_clone().unwrap())).unwrap();
            if *status == CLOSES {
                continue;
            }
            let answer = if *status < 300 { KEPT } else { "{\"error\":\"no\"}" };
            let length = answer.len();
            // Longer than an upload waits.
            let patience = if *status == 507 { "retry-after: 300\r\n" } else { "" };
            let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {length}\r\nconnection: close\r\n{patience}");
            write!(stream, "{head}\r\n{answer}").unwrap();
        }
    };
    std::thread::Builder::new().spawn(serve).unwrap();
    (url, take)
}

/// One request of HTTP as it came: head and body.
fn request(stream: impl Read) -> String {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    head + &String::from_utf8_lossy(&body)
}

/// A folder that is removed with its value, with a log and a token in it.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Scratch::new(&format!("upload-{name}"));
        std::fs::write(path.join("log"), LOG.to_owned() + "mac 00:11:22:33:44:55\n").unwrap();
        std::fs::write(path.join("token"), "sbch_secret\n").unwrap();
        Self(path)
    }

    fn waiting(&self) -> usize {
        self.spooled("upload").len()
    }

    /// Files of the spool with this end.
    fn spooled(&self, end: &str) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.0.join("spool")).into_iter().flatten().flatten();
        files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|found| found == end)).collect()
    }

    /// Moves the tries of waiting files one hour into the past.
    fn rest(&self) {
        for note in self.spooled("tries") {
            let text = std::fs::read_to_string(&note).unwrap();
            let earlier = text.lines().map(|line| format!("{}\n", line.parse::<i64>().unwrap() - 3600));
            std::fs::write(&note, earlier.collect::<String>()).unwrap();
        }
    }

    fn upload(&self, words: &[&str]) -> Output {
        let words = [&["upload"], words].concat();
        self.command(&words).output().unwrap()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = untuned_command(env!("CARGO_BIN_EXE_sbc-bench"), words);
        command.current_dir(&self.0);
        // For root the system's state folder counts, for others that of the user.
        command.env("STATE_DIRECTORY", &self.0).env("XDG_STATE_HOME", &self.0);
        command
    }
}

#[test]
fn redacted_log_is_sent_once_and_its_address_printed() {
    let (url, requests) = hub(&[201]);
    let folder = Folder::new("once");
    let words = ["log", "--to", &url, "--token-file", "token", "--machine", "shelf 3", "--publish", "--yes"];
    let (status, out, err) = texts(&folder.upload(&words));
    assert_eq!((status, out.as_str()), (0, "http://127.0.0.1/r/abc\n"), "{err}");
    assert!(err.contains("redacted 1 addresses"), "{err}");
    let request = requests.recv_timeout(Duration::from_secs(10)).unwrap();
    assert!(request.starts_with("POST /api/results?publish=1&machine=shelf%203 "), "{request}");
    assert!(request.contains("Bearer sbch_secret") && request.contains("Testboard Sixteen"), "{request}");
    assert!(!request.contains("00:11:22"), "{request}");
    assert_eq!(folder.waiting(), 0);
}

#[test]
fn shared_folder_is_made_of_the_redacted_result_and_links_to_the_hub() {
    let (url, requests) = hub(&[201]);
    let folder = Folder::new("share");
    let share = |words: &[&str]| texts(&folder.command(&[&["share", "log"], words].concat()).output().unwrap());
    let (status, out, err) = share(&["--to", &url, "--yes"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.starts_with("share-log:\n   post.md ") && out.ends_with("\nLink: http://127.0.0.1/r/abc\n"), "{out}");
    assert!(requests.recv_timeout(Duration::from_secs(10)).unwrap().starts_with("POST /api/results"));
    for name in ["post.md", "card.png", "page.html", "log.txt", "plots/timeline.svg"] {
        let bytes = std::fs::read(folder.0.join("share-log").join(name)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("00:11:22") && !text.is_empty(), "{name}");
        assert_eq!(text.contains("(http://127.0.0.1/r/abc)"), name == "post.md", "{name}");
    }
    // Again into the same folder, without a hub; into no folder with other files.
    let (status, out, err) = share(&[]);
    assert_eq!((status, out.contains("No link: with --to URL")), (0, true), "{err}");
    let (status, _, err) = share(&["--output", "."]);
    assert_eq!((status, err.contains(". contains other files")), (1, true), "{err}");
    // Without a terminal and --yes, the directory is written and nothing is sent.
    let (status, out, err) = share(&["--to", &url]);
    assert_eq!((status, err.contains("use --yes to send"), out.contains("post.md")), (1, true, true), "{err}");
}

#[test]
fn unsent_results_wait_for_the_next_upload() {
    let folder = Folder::new("waits");
    let closed = closed();
    let (status, _, err) = texts(&folder.upload(&["log", "--to", &closed, "--publish", "--machine", "a b", "--yes"]));
    assert_eq!(status, 1);
    assert!(err.contains("kept for the next upload"), "{err}");
    assert_eq!(folder.waiting(), 1);
    // The first answer of the hub is that it is busy; what waited is sent as it was agreed to.
    let (_, requests) = hub_at(closed.strip_prefix("http://").unwrap(), &[503, 201]);
    let (status, out, err) = texts(&folder.upload(&["--to", &closed]));
    assert_eq!((status, out.as_str()), (0, "http://127.0.0.1/r/abc\n"), "{err}");
    let requests: Vec<String> = requests.iter().take(2).collect();
    assert!(requests[1].starts_with("POST /api/results?publish=1&machine=a%20b "), "{}", requests[1]);
    assert_eq!(folder.waiting(), 0);
}

#[test]
fn results_that_wait_for_a_hub_go_to_no_other() {
    let folder = Folder::new("other");
    let closed = closed();
    folder.upload(&["log", "--to", &closed, "--yes"]);
    assert_eq!(folder.waiting(), 1);
    let (url, requests) = hub(&[201]);
    let (status, out, err) = texts(&folder.upload(&["--to", &url]));
    assert_eq!((status, out.as_str()), (0, "Nothing to send.\n"), "{err}");
    assert!(err.contains(&format!("1 result waits for {closed}")), "{err}");
    assert_eq!((folder.waiting(), requests.try_iter().count()), (1, 0));
}

/// An address without a listener.
fn closed() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn results_that_are_not_taken_are_kept_and_sent_later() {
    for (status, said) in [
        (400, "Refused, kept for another try"),
        (413, "Refused, kept for another try"),
        (422, "Refused, kept for another try"),
        (401, "Refused, kept for another try"),
        (403, "Refused, kept for another try"),
        (404, "Refused, kept for another try"),
        (302, "kept for the next upload"),
        (507, "kept for the next upload"),
    ] {
        let statuses: &'static [u16] = Box::leak(Box::new([status, 201]));
        let (url, requests) = hub(statuses);
        let folder = Folder::new(&format!("refused-{status}"));
        let (exit, out, err) = texts(&folder.upload(&["log", "--to", &url, "--yes"]));
        assert_eq!((exit, out.as_str()), (1, ""), "{status}: {err}");
        assert!(err.contains(&format!("answers {status}")) && err.contains(said), "{status}: {err}");
        assert!(err.contains(": log: http://"), "{status}: which file is not said: {err}");
        // None of these is tried again in the same run: 507 asks for more patience than that.
        assert_eq!((folder.waiting(), requests.try_iter().count()), (1, 1), "{status}");
        let is_refusal = (400..500).contains(&status);
        if is_refusal {
            let (exit, _, err) = texts(&folder.upload(&["--to", &url, "--yes"]));
            assert_eq!((exit, requests.try_iter().count()), (1, 0), "{status}: {err}");
            assert!(err.contains("Refused before, tried again in 1 min: 1 result."), "{status}: {err}");
        }
        // A file that is named is sent at once.
        let words = if is_refusal { vec!["log", "--to", &url, "--yes"] } else { vec!["--to", &url, "--yes"] };
        let (exit, _, err) = texts(&folder.upload(&words));
        assert_eq!((exit, folder.waiting(), folder.spooled("tries").len()), (0, 0, 0), "{status}: {err}");
    }
}

#[test]
fn results_that_are_refused_again_and_again_are_set_aside() {
    for statuses in [&[422, 422, 422, 422, 201][..], &[403, 403, 403, 403, 201], &[CLOSES, CLOSES, CLOSES, CLOSES, 201]]
    {
        let (url, requests) = hub(statuses);
        let folder = Folder::new(&format!("aside-{}", statuses[0]));
        let upload = |words: &[&str]| {
            let (exit, _, err) = texts(&folder.upload(&[words, &["--to", &url, "--yes"]].concat()));
            (exit, err, requests.try_iter().count())
        };
        for (file, minutes) in [(&["log"][..], 1), (&[], 60)] {
            let (exit, err, sent) = upload(file);
            assert_eq!((exit, sent), (1, 1), "{err}");
            assert!(err.contains("Refused, kept for another try: "), "{err}");
            // The pause grows with each try; other files are sent meanwhile.
            let (_, err, sent) = upload(&[]);
            assert_eq!(sent, 0, "{err}");
            assert!(err.contains(&format!("tried again in {minutes} min: 1 result.")), "{err}");
            folder.rest();
        }
        let (exit, err, sent) = upload(&[]);
        let aside = folder.spooled("aside").pop().unwrap();
        assert_eq!((exit, sent, folder.waiting()), (1, 1, 0), "{err}");
        assert!(err.contains(&format!("Refused 3 times, set aside as {}: ", aside.display())), "{err}");
        // Reported once, kept, and not sent again until it is named.
        folder.rest();
        assert_eq!(upload(&[]), (0, String::new(), 0));
        let named = aside.display().to_string();
        let (exit, err, sent) = upload(&[&named]);
        assert_eq!((exit, sent, folder.waiting()), (1, 1, 0), "{err}");
        assert!(err.contains("set aside as") && aside.exists(), "{err}");
        let (exit, err, sent) = upload(&[&named]);
        assert_eq!((exit, sent, folder.waiting()), (0, 1, 0), "{err}");
        assert_eq!((folder.spooled("aside"), folder.spooled("tries")), (vec![], vec![]));
    }
}

#[test]
fn nothing_leaves_without_consent_or_in_clear_text() {
    let folder = Folder::new("consent");
    for (words, expected) in [
        (&["log", "--to", "http://127.0.0.1:1"][..], "use --yes"),
        (&["log", "--to", "http://hub.example", "--yes"], "use https://"),
        (&["log", "--to", "hub.example", "--yes"], "not an address of a hub"),
        (&["log", "--to", "https://hub.example", "--yes", "--token-file", "log"], "larger than 4 KiB"),
        (&["none", "--to", "http://127.0.0.1:1", "--yes"], "Cannot read none"),
    ] {
        let (status, _, err) = texts(&folder.upload(words));
        assert_eq!(status, 1, "{words:?}: {err}");
        assert!(err.contains(expected), "{words:?}: {err}");
        assert_eq!(folder.waiting(), 0, "{words:?}");
    }
}
