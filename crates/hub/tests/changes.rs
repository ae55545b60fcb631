//! Machines that send regularly: changes are found when results arrive, told once, and acknowledged.

mod common;

use common::running::program;
use common::{made, on_hubs};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A listener that answers each request or mail, and hands on what it got.
fn listener(serve: fn(TcpStream) -> String) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (give, take) = channel();
    let served = move || listener.incoming().flatten().all(|stream| give.send(serve(stream)).is_ok());
    std::thread::Builder::new().spawn(served).unwrap();
    (port, take)
}

/// One HTTP request, answered with 200.
fn http(stream: TcpStream) -> String {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
        if line == "\r\n" || line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let mut stream = stream;
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
    head + &String::from_utf8(body).unwrap()
}

/// One mail.
fn smtp(stream: TcpStream) -> String {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    stream.write_all(b"220 relay\r\n").unwrap();
    let (mut mail, mut in_data) = (String::new(), false);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return mail;
        }
        mail.push_str(&line);
        let answer = match line.trim_end() {
            "DATA" => {
                in_data = true;
                "354 go on\r\n"
            }
            "." => {
                in_data = false;
                "250 taken\r\n"
            }
            "QUIT" => "221 bye\r\n",
            _ if in_data => continue,
            _ => "250-relay\r\n250 fine\r\n",
        };
        stream.write_all(answer.as_bytes()).unwrap();
    }
}

/// Scores of 1 % noise around a mean, always the same ones.
fn noise(number: u32) -> f64 {
    let mixed = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let parts = (0..8).map(|at| ((mixed >> (8 * at)) & 0xff) as f64 / 255.0 - 0.5);
    // A sum of eight uniform parts has a standard deviation of sqrt(8 / 12).
    1.0 + 0.01 * parts.sum::<f64>() / 0.816
}

#[test]
fn change_is_told_once_to_every_hook_and_acknowledged() {
    on_hubs(&[], |hub| {
        let (web, requests) = listener(http);
        let (relay, mails) = listener(smtp);
        let generic = format!("http://127.0.0.1:{web}/hook");
        let matrix = format!("http://127.0.0.1:{web}/_matrix/client/v3/rooms/!a:b?access_token=t");
        let mail = format!("smtp://127.0.0.1:{relay}/?from=hub@lab&to=owner@lab");
        for (form, target) in [("generic", &generic), ("slack", &generic), ("matrix", &matrix), ("mail", &mail)] {
            let words = ["hook", "add", "owner", "--form", form, target.as_str()];
            assert!(program(&hub.data, hub.database.as_deref(), &words).status().unwrap().success());
        }
        for number in 0..30 {
            let mean = if number < 24 { 7000.0 } else { 6720.0 };
            hub.keep("?machine=shelf-3", &made::log("Board Five", number, mean * noise(number)));
        }
        let asked = |hub: &common::running::Running| {
            let token = format!("Bearer {}", hub.secret);
            let all = hub.get_with("/api/changes", &[("authorization", &token)]).json();
            all["changes"].as_array().unwrap().clone()
        };
        let changes = asked(hub);
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert_eq!(changes[0]["machine"], "shelf-3");
        let gain = changes[0]["gain_percent"].as_f64().unwrap();
        assert!((-5.5..-2.5).contains(&gain), "{gain}");
        let patience = Duration::from_secs(20);
        let told: Vec<String> = (0..3).map(|_| requests.recv_timeout(patience).unwrap()).collect();
        let has = |words: &[&str]| told.iter().any(|one| words.iter().all(|word| one.contains(word)));
        assert!(has(&["POST /hook", "\"event\":\"change\"", "shelf-3"]), "{told:?}");
        assert!(has(&["POST /hook", "{\"text\":\"shelf-3: "]), "{told:?}");
        assert!(
            has(&["PUT /_matrix/client/v3/rooms/!a:b/send/m.room.message/", "access_token=t", "m.text"]),
            "{told:?}"
        );
        let mail = mails.recv_timeout(patience).unwrap();
        assert!(mail.contains("RCPT TO:<owner@lab>") && mail.contains("shelf-3: "), "{mail}");
        for number in 30..34 {
            hub.keep("?machine=shelf-3", &made::log("Board Five", number, 6720.0 * noise(number)));
        }
        assert_eq!(asked(hub).len(), 1, "the same change is told once");
        assert!(requests.recv_timeout(Duration::from_millis(500)).is_err());
        let id = changes[0]["id"].as_i64().unwrap();
        assert_eq!(hub.ask("POST", &format!("/api/changes/{id}/acknowledge")).status, 200);
        assert!(asked(hub)[0]["acknowledged_utc_ms"].is_i64());
        assert_eq!(hub.ask("POST", "/api/changes/999/acknowledge").status, 404);
        let page = hub.get(&format!("/r/{}/trend", changes[0]["result"].as_str().unwrap()));
        assert_eq!(page.status, 200);
    });
}
