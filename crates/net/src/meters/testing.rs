//! Test server on loopback that replays answers.

use super::{Answer, Meter};
use machine::{Root, Sampler, SamplerOptions, Timeline, sensors};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Checks that every parser refuses every text.
pub(super) fn check(parsers: &[fn(&str) -> Option<Answer>], texts: &[&str]) {
    for text in texts {
        for parser in parsers {
            assert_eq!(parser(text), None, "{text:?}");
        }
    }
}

/// Serves pages by path while `work` runs; others are 404. `@` becomes the number of the request.
pub(super) fn served(pages: &[(&str, &str)], work: impl FnOnce(&str)) {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = server.local_addr().unwrap().to_string();
    let pages: Vec<(String, String)> =
        pages.iter().map(|(path, page)| ((*path).to_owned(), (*page).to_owned())).collect();
    let done = Arc::new(AtomicBool::new(false));
    let until = done.clone();
    let serving = std::thread::spawn(move || {
        for (number, stream) in server.incoming().enumerate() {
            if until.load(Ordering::Relaxed) {
                return;
            }
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = lines.next().and_then(Result::ok).unwrap_or_default();
            // The head ends with an empty line; a password in it is part of the page name.
            let head = lines.map_while(Result::ok).take_while(|line| !line.is_empty());
            let password = head.filter_map(|line| {
                line.to_ascii_lowercase().starts_with("authorization").then(|| line[14..].to_owned())
            });
            let password = password.last().unwrap_or_default();
            let path = first.split(' ').nth(1).unwrap_or_default();
            let path = format!("{path}{password}");
            let page = pages.iter().find(|(known, _)| *known == path);
            let (status, body) = match page {
                Some((_, body)) => ("200 OK", body.replace('@', &number.to_string())),
                None => ("404 Not Found", String::new()),
            };
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
            // The client may have disconnected.
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
        }
    });
    work(&host);
    done.store(true, Ordering::Relaxed);
    // Wakes the server to end it.
    let _ = std::net::TcpStream::connect(&host);
    serving.join().unwrap();
}

/// Values of a meter in the first sample.
pub(super) fn first_row(text: &str) -> Vec<i64> {
    row_of(&Meter::start(text, 0, None).unwrap())
}

/// First row of a running meter.
pub(super) fn row_of(meter: &Meter) -> Vec<i64> {
    let options = SamplerOptions { external_values: vec![meter.feed()], ..SamplerOptions::default() };
    let mut sampler = Sampler::new(&Root::from_board("").unwrap(), &options);
    let first = sampler.position(&meter.channels()[0].id).unwrap();
    for second in 0..1000 {
        sampler.tick(&Timeline::fake(second * 1_000_000_000));
        let row = sampler.row()[first..].to_vec();
        if row.iter().any(|value| *value != sensors::NONE) {
            return row;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("no value: {:?}", sampler.take_gaps());
}
