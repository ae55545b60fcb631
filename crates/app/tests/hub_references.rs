//! `compare --with URL`: results of a hub among the known ones, also while the hub does not answer.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use testkit::{Scratch, clean_command};

const LOG: &str = include_str!("../../explain/tests/composed/0.9.44-false-alarm.txt");
const HEAD: &str = "board\tsoc\tcores\tkernel\tdistribution\tdate\tversion\tverdict\tsevenzip@16 multi\tsource\n";

fn table(boards: &[(&str, u32)]) -> String {
    let row = |(board, mips): &(&str, u32)| format!("{board}\t-\t4x Cortex-A53\t-\t-\t-\t-\tvalid\t{mips}\tid\n");
    HEAD.to_owned() + &boards.iter().map(row).collect::<String>()
}

/// A hub with two pages and entity tags that answers this number of requests.
fn hub(address: &str, requests: usize) -> (String, Receiver<String>) {
    let listener = TcpListener::bind(address).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let own = url.clone();
    let (give, take) = channel();
    let serve = move || {
        for stream in listener.incoming().take(requests) {
            let mut stream = stream.unwrap();
            let mut head = String::new();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            while !head.ends_with("\r\n\r\n") {
                reader.read_line(&mut head).unwrap();
            }
            let is_second = head.starts_with("GET /api/references?cursor=c ");
            let (tag, body) = if is_second {
                ("\"two\"", table(&[("Other", 400)]))
            } else {
                ("\"one\"", table(&[("Shelf <1>", 9_000_000), ("\u{1b}[31mShelf 2", 5)]))
            };
            let is_known = head.to_lowercase().contains(&format!("if-none-match: {tag}"));
            let (status, body) = if is_known { (304, String::new()) } else { (200, body) };
            // The address is another one than the hub was asked by: only its query counts.
            let link = if is_second {
                String::new()
            } else {
                "link: <https://elsewhere.example/api/references?cursor=c>; rel=\"next\"\r\n".to_owned()
            };
            give.send(format!("{status} {}", head.lines().next().unwrap())).unwrap();
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 {status} x\r\netag: {tag}\r\n{link}content-length: {length}\r\nconnection: close\r\n\r\n"
            );
            stream.write_all((answer + &body).as_bytes()).unwrap();
        }
    };
    std::thread::Builder::new().spawn(serve).unwrap();
    (own, take)
}

/// Number of results that the score of 7-zip is ranked among, and notes.
fn place(folder: &Path, with: Option<&str>) -> (Option<u64>, String) {
    let words = ["compare", "log", "--json"].into_iter().chain(with.into_iter().flat_map(|with| ["--with", with]));
    let mut command = clean_command(env!("CARGO_BIN_EXE_sbc-bench"), words);
    command.current_dir(folder).env("STATE_DIRECTORY", folder).env("XDG_STATE_HOME", folder);
    let output = command.output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let entries = json["entries"].as_array().cloned().unwrap_or_default();
    let entry = entries.iter().find(|entry| entry["title"] == "7-zip, all CPUs");
    let of = entry.and_then(|entry| entry["all"]["of"].as_u64());
    (of, String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn results_of_a_hub_are_compared_with_and_kept_for_when_it_is_away() {
    let folder = Scratch::new("hub-references");
    std::fs::write(folder.join("log"), LOG).unwrap();
    let (alone, _) = place(&folder, None);
    let alone = alone.unwrap();
    let (url, requests) = hub("127.0.0.1:0", 4);
    assert_eq!(place(&folder, Some(&url)), (Some(alone + 3), String::new()));
    assert_eq!(place(&folder, Some(&url)), (Some(alone + 3), String::new()));
    let asked: Vec<String> = requests.iter().collect();
    let (first, second) = ("GET /api/references HTTP/1.1", "GET /api/references?cursor=c HTTP/1.1");
    assert_eq!(
        asked,
        [format!("200 {first}"), format!("200 {second}"), format!("304 {first}"), format!("304 {second}")]
    );
    // Nobody listens any more.
    let (of, err) = place(&folder, Some(&url));
    assert_eq!(of, Some(alone + 3), "{err}");
    assert!(
        err.contains("gives no results now") && err.contains("The 3 results fetched") && err.contains(" ago"),
        "{err}"
    );
    // The second page is missing: the cache stays complete.
    let (_, requests) = hub(url.strip_prefix("http://").unwrap(), 1);
    let (of, err) = place(&folder, Some(&url));
    assert_eq!((of, requests.iter().count()), (Some(alone + 3), 1), "{err}");
    assert!(err.contains("The 3 results fetched"), "{err}");
}

#[test]
fn hub_that_never_answered_is_an_error() {
    let folder = Scratch::new("hub-references-none");
    std::fs::write(folder.join("log"), LOG).unwrap();
    let closed = format!("http://{}", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    for (url, expected) in [(&*closed, "gives no results to compare with"), ("http://hub.example", "use https://")] {
        let (of, err) = place(&folder, Some(url));
        assert!(of.is_none() && err.contains(expected), "{url}: {err}");
    }
}
