//! `view` and `monitor --web` from the outside: answers with and without the token.

use crate::outcome::{board, interrupt, sbc_bench, texts};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use testkit::Scratch;

/// Maximum wait, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A directory for one test, removed at its end.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Self {
        Self(Scratch::new(&format!("served-{name}")))
    }

    fn put(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// A program that serves pages; killed at the end of a test that fails.
struct Server {
    child: Child,
    host: String,
    /// The path with the token, and a slash at its end.
    path: String,
    /// Lines before the address; the two outputs come in either order.
    earlier: Vec<String>,
    /// Lines after the address.
    lines: Receiver<String>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts it with these words.
    fn start(folder: &Folder, words: &[&str]) -> Self {
        Self::of(folder, sbc_bench(words))
    }

    /// Starts it and reads its address from standard output or standard error.
    fn of(folder: &Folder, mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Results of the user's own are not part of the test.
        command.env("HOME", &folder.0).env_remove("XDG_STATE_HOME").env("XDG_RUNTIME_DIR", &folder.0);
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        send_lines(child.stdout.take().unwrap(), sender.clone());
        send_lines(child.stderr.take().unwrap(), sender);
        let mut earlier = Vec::new();
        let line = loop {
            let line = lines.recv_timeout(PATIENCE).expect("it tells an address");
            if line.contains("http://") { break line } else { earlier.push(line) }
        };
        let rest = line.split("http://").nth(1).unwrap();
        let (host, path) = rest.split_once('/').unwrap();
        let path = format!("/{}", path.split_whitespace().next().unwrap());
        Self { child, host: host.to_owned(), path, earlier, lines }
    }

    /// Waits for a line with this text.
    fn wait_for(&self, text: &str) {
        if self.earlier.iter().any(|line| line.contains(text)) {
            return;
        }
        while !self.lines.recv_timeout(PATIENCE).expect("it does not say so").contains(text) {}
    }

    fn ask(&self, path: &str, host: &str) -> TcpStream {
        let mut connection = TcpStream::connect(&self.host).unwrap();
        connection.set_read_timeout(Some(PATIENCE)).unwrap();
        connection.write_all(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).unwrap();
        connection
    }

    /// Head and body of an answer.
    fn get(&self, path: &str) -> (String, Vec<u8>) {
        let mut answer = Vec::new();
        self.ask(path, &self.host).read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|end| end == b"\r\n\r\n").unwrap();
        (String::from_utf8(answer[..end + 2].to_vec()).unwrap(), answer[end + 4..].to_vec())
    }

    /// A page of the site as text.
    fn page(&self, path: &str) -> String {
        let (head, body) = self.get(&format!("{}{path}", self.path));
        assert!(head.starts_with("HTTP/1.1 200 OK"), "{path}: {head}");
        String::from_utf8(body).unwrap()
    }

    /// Exit status after Ctrl-C.
    fn interrupt(mut self) -> Option<i32> {
        interrupt(&self.child);
        self.child.wait().unwrap().code()
    }
}

/// Hands on what a program says, line by line.
fn send_lines(from: impl Read + Send + 'static, to: Sender<String>) {
    let work = move || BufReader::new(from).lines().map_while(Result::ok).for_each(|line| drop(to.send(line)));
    std::thread::Builder::new().spawn(work).unwrap();
}

fn explain_tests(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../explain/tests");
    folder.join(name).to_str().unwrap().to_owned()
}

/// Targets of the links of a page, relative to the site.
fn links(page: &str, from: &str) -> Vec<String> {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let links = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let inner = links.filter(|link| !link.starts_with('#') && !link.contains("://"));
    let joined = inner.map(|link| match (link.strip_prefix("../"), folder) {
        (Some(up), _) => up.to_owned(),
        (None, "") => link.to_owned(),
        (None, folder) => format!("{folder}/{link}"),
    });
    joined.map(|link| link.split('#').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_link_of_a_view_leads_to_a_page_or_file() {
    let folder = Folder::new("links");
    let [log, record] = [explain_tests("composed/0.9.72-hot.txt"), explain_tests("own/two-policies.json")];
    let server = Server::start(&folder, &["view", &log, &record]);
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut open = vec![String::new()];
    while let Some(path) = open.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let page = server.page(&path);
        if path.is_empty() || path.ends_with(".html") {
            assert!(page.starts_with("<!DOCTYPE html>") && page.contains("default-src 'none'"), "{path}");
            open.extend(links(&page, &path));
        }
    }
    for kind in [
        "results/",
        "boards/",
        "socs/",
        "cores/",
        "files/",
        "compare.html",
        "trend.html",
        "results.csv",
        "results.json",
    ] {
        assert!(seen.iter().any(|path| path.starts_with(kind)), "{kind} in {seen:?}");
    }
    let pages: Vec<&String> = seen.iter().filter(|path| path.starts_with("results/")).collect();
    let shown: Vec<String> = pages.iter().map(|path| server.page(path)).collect();
    let made = folder.0.join("page.html");
    for file in [&log, &record] {
        assert!(sbc_bench(["report", file, "--html"]).arg(&made).status().unwrap().success());
        assert!(shown.contains(&std::fs::read_to_string(&made).unwrap()), "{file}: the page of `report --html`");
    }
    assert_eq!(server.interrupt(), Some(0));
}

#[test]
fn nothing_is_found_without_the_token_or_by_a_foreign_name() {
    let folder = Folder::new("token");
    let server = Server::start(&folder, &["view", &explain_tests("own/two-policies.json")]);
    let wrong = format!("/{}/index.html", "0".repeat(32));
    for path in ["/", "/index.html", "/results.json", "//", wrong.as_str(), &server.path.to_uppercase()] {
        let (head, body) = server.get(path);
        // A token of digits alone is the same in capitals.
        if path != server.path {
            assert!(head.starts_with("HTTP/1.1 404"), "{path}: {head}");
            assert!(!String::from_utf8_lossy(&body).contains("two-policies"));
        }
    }
    for path in ["../../etc/passwd", "files/../../../etc/passwd", "files//etc/passwd", "files/", "results/"] {
        assert!(server.get(&format!("{}{path}", server.path)).0.starts_with("HTTP/1.1 404"), "{path}");
    }
    let mut answer = String::new();
    server.ask(&server.path, "rebound.example").read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 421") && !answer.contains("two-policies"), "{answer}");
    let (head, _) = server.get(server.path.trim_end_matches('/'));
    assert!(head.contains(&format!("Location: {}\r\n", server.path)), "{head}");
    for header in ["Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Frame-Options: DENY"] {
        assert!(head.contains(header), "{head}");
    }
    let port = server.host.rsplit(':').next().unwrap();
    let second = sbc_bench(["view", &explain_tests("own/two-policies.json"), "--port", port]).output().unwrap();
    let (status, _, error) = texts(&second);
    assert!(status == 1 && error.contains(&format!("Cannot listen on 127.0.0.1:{port}")), "{error}");
}

/// Files are served as plain text; a removed file is not found.
#[test]
fn files_are_served_as_they_are_and_never_run() {
    let folder = Folder::new("files");
    let log =
        std::fs::read_to_string(explain_tests("composed/0.9.72-hot.txt")).unwrap() + "<script>alert(1)</script>\n";
    let files = [folder.put("a b<i>.txt", &log), folder.put("second.log", &log)];
    let server = Server::start(&folder, &["view", &files[0], &files[1], "/none"]);
    let index = server.page("");
    assert!(!index.contains("<i>") && !index.contains("<script>alert"), "names are text");
    let originals: Vec<String> = links(&index, "").into_iter().filter(|link| link.starts_with("files/")).collect();
    assert_eq!(originals.len(), 2, "{originals:?}");
    for original in &originals {
        let (head, body) = server.get(&format!("{}{original}", server.path));
        assert!(head.contains("Content-Type: text/plain") && head.contains("default-src 'none'; sandbox"), "{head}");
        assert_eq!(String::from_utf8(body).unwrap(), log);
    }
    std::fs::remove_file(&files[0]).unwrap();
    let gone =
        originals.iter().filter(|original| server.get(&format!("{}{original}", server.path)).0.contains(" 404 "));
    assert_eq!(gone.count(), 1);
    assert_eq!(server.interrupt(), Some(1), "one file could not be read");
}

/// Every user can read the arguments of a program: the path that the desktop gets is worth nothing once it was used. Root starts
/// no browser.
#[test]
fn a_desktop_is_given_a_path_that_leads_in_once() {
    let folder = Folder::new("open");
    let (told, path) = (folder.0.join("told"), std::env::var("PATH").unwrap());
    let desktop =
        folder.put("xdg-open", &format!("#!/bin/sh\necho \"$1\" > {0}.new && mv {0}.new {0}\n", told.display()));
    std::fs::set_permissions(&desktop, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let record = explain_tests("own/two-policies.json");
    let mut command = sbc_bench(["view", &record, "--open"]);
    command.env("PATH", format!("{}:{path}", folder.0.display()));
    let server = Server::of(&folder, command);
    if machine::is_root() {
        server.wait_for("--open shows nothing: no browser is started as root.");
        assert!(!told.exists());
    } else {
        let looks = std::iter::repeat_with(|| {
            std::thread::sleep(Duration::from_millis(20));
            std::fs::read_to_string(&told).ok()
        });
        let address = looks.take(3000).flatten().next().expect("the desktop was asked");
        let once = address.trim().strip_prefix(&format!("http://{}", server.host)).unwrap().to_owned();
        assert_ne!(once, server.path);
        assert!(server.get(&once).0.contains(&format!("Location: {}\r\n", server.path)));
        assert!(server.get(&once).0.starts_with("HTTP/1.1 404"));
    }
}

#[test]
fn a_monitor_streams_what_its_page_shows() {
    let folder = Folder::new("monitor");
    let board = board("rk3399");
    let words = ["--root", &board, "-m", "0.05", "--quiet", "--web", "0"];
    let server = Server::start(&folder, &words);
    let stream = server.ask(&format!("{}events", server.path), &server.host);
    let mut events: Vec<String> = Vec::new();
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        events.extend(line.strip_prefix("data: ").filter(|data| !data.is_empty()).map(str::to_owned));
        if events.iter().filter(|event| event.contains("<svg id=\"plot-timeline\"")).count() == 2 {
            break;
        }
    }
    let last = events.last().unwrap();
    for wanted in ["°C</dd>", "MHz</dd>", "data-name=", "data-time="] {
        assert!(last.contains(wanted), "{wanted}: {last}");
    }
    let page = server.page("");
    for wanted in ["connect-src 'self'", "script-src 'sha256-", "<div id=\"shown\">", "id=\"pause\""] {
        assert!(page.contains(wanted), "{wanted}");
    }
    for (path, status) in [("events/", "404"), ("metrics", "200")] {
        assert!(server.get(&format!("{}{path}", server.path)).0.contains(status), "{path}");
    }
    assert!(server.get("/events").0.starts_with("HTTP/1.1 404"));
    assert_eq!(server.interrupt(), Some(0));
}

/// The meter is that of a second machine, by its page or by its metrics; its command ends with it.
#[test]
fn a_monitor_passes_on_its_meter() {
    for serving in ["--web", "--prometheus"] {
        let folder = Folder::new(&format!("meter{serving}"));
        let word = format!("meter-of-{serving}-{}", std::process::id());
        let command = format!("command:while sleep 0.1; do echo 4.2 W 5.25 V 800 mA; done; : {word}");
        let server = Server::start(&folder, &["-m", "0.2", "--quiet", "--meter", &command, serving, "127.0.0.1:0"]);
        let token = if serving == "--web" { server.path.trim_end_matches('/') } else { "" };
        let metrics = if token.is_empty() { "/metrics".to_owned() } else { format!("{token}/metrics") };
        while !String::from_utf8_lossy(&server.get(&metrics).1).contains("sbc_bench_channel_watts{") {
            std::thread::sleep(Duration::from_millis(50));
        }
        let meter = format!("sbc-bench:{}{token}", server.host);
        let mut watch = sbc_bench(["-m", "0.2", "--jsonl=full", "--meter", &meter]);
        let mut watching = watch.stdout(Stdio::piped()).env("XDG_RUNTIME_DIR", &folder.0).spawn().unwrap();
        let (sender, lines) = channel();
        send_lines(watching.stdout.take().unwrap(), sender);
        loop {
            let line = lines.recv_timeout(PATIENCE).expect("no power of the other machine");
            if line.contains("4200") && line.contains("5250") {
                break;
            }
        }
        watching.kill().unwrap();
        watching.wait().unwrap();
        assert_eq!(server.interrupt(), Some(0));
        let left = Command::new("pgrep").args(["-f", "--", &word]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&left.stdout), "", "{serving}");
    }
}

/// The same page shows recordings, with their board.
#[test]
fn a_replay_has_a_page() {
    let folder = Folder::new("replay");
    let (board, recording) = (board("rk3399"), folder.0.join("a.rec"));
    let recording = recording.to_str().unwrap();
    let mut record = sbc_bench(["--root", &board, "-m", "0.05", "--count", "20", "--quiet", "--record", recording]);
    assert!(record.env("XDG_RUNTIME_DIR", &folder.0).status().unwrap().success());
    let words = ["monitor", "--replay", recording, "--speed", "0.01", "--quiet", "--web", "127.0.0.1:0"];
    let server = Server::start(&folder, &words);
    let stream = BufReader::new(server.ask(&format!("{}events", server.path), &server.host));
    assert!(stream.lines().map_while(Result::ok).any(|line| line.contains("°C</dd>")));
    assert!(server.page("").contains("RockPro64"));
    assert_eq!(server.interrupt(), Some(0));
}
