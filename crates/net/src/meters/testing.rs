//! What the tests of all meters share: a small server on loopback that replays answers.

use super::{Answer, Meter};
use machine::{Root, Sampler, SamplerOptions, Timeline, sensors};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Every text must be refused by every parser.
pub(super) fn check(parsers: &[fn(&str) -> Option<Answer>], texts: &[&str]) {
    for text in texts {
        for parser in parsers {
            assert_eq!(parser(text), None, "{text:?}");
        }
    }
}

/// Serves these pages by their paths while `work` runs; anything else is 404.
pub(super) fn served(pages: &[(&str, &str)], work: impl FnOnce(&str)) {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = server.local_addr().unwrap().to_string();
    let pages: Vec<(String, String)> =
        pages.iter().map(|(path, page)| ((*path).to_owned(), (*page).to_owned())).collect();
    let done = Arc::new(AtomicBool::new(false));
    let until = done.clone();
    let serving = std::thread::spawn(move || {
        for stream in server.incoming() {
            if until.load(Ordering::Relaxed) {
                return;
            }
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = lines.next().and_then(Result::ok).unwrap_or_default();
            // The head ends with an empty line.
            lines.find(|line| line.as_ref().is_ok_and(String::is_empty));
            let path = first.split(' ').nth(1).unwrap_or_default();
            let page = pages.iter().find(|(known, _)| known == path);
            let (status, body) = match page {
                Some((_, body)) => ("200 OK", body.as_str()),
                None => ("404 Not Found", ""),
            };
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
            // A client that has gone is no trouble.
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
        }
    });
    work(&host);
    done.store(true, Ordering::Relaxed);
    // Wakes the server, so that it sees the end.
    let _ = std::net::TcpStream::connect(&host);
    serving.join().unwrap();
}

/// What a meter gives in its first sample.
pub(super) fn first_row(text: &str) -> Vec<i64> {
    row_of(&Meter::start(text, 0).unwrap())
}

/// What the sampler sees of a meter.
pub(super) fn row_of(meter: &Meter) -> Vec<i64> {
    let options = SamplerOptions { external_values: vec![meter.feed()], ..SamplerOptions::default() };
    let mut sampler = Sampler::new(&Root::from_board("").unwrap(), &options);
    sampler.tick(&Timeline::fake(0));
    let first = sampler.position(&meter.channels()[0].id).unwrap();
    let row = sampler.row()[first..].to_vec();
    assert!(row.iter().any(|value| *value != sensors::NONE));
    row
}
