//! One tenant abuses each shared resource while another, with its own token and network, uploads and reads. None of its
//! requests is refused; their latency is printed: `cargo test --profile hub -p sbc-bench-hub --test integration --
//! shares:: --nocapture`.

use crate::common::made::WORDS;
use crate::common::networks::Client;
use crate::common::{made, on_hubs};
use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Duration of each abuse.
const TIME: Duration = Duration::from_secs(2);
/// Interval of the other tenant's requests; its uploads stay below the rate limit.
const BEAT: Duration = Duration::from_millis(50);
/// Abuse of a tenant, until the flag is set.
type Worst = fn(&Client, &str, &AtomicBool);

/// Runs work on threads until the flag is set.
fn at_once(threads: usize, ends: &AtomicBool, work: impl Fn(u32) + Sync) {
    let number = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let all = || {
                while !ends.load(Ordering::Relaxed) {
                    work(number.fetch_add(1, Ordering::Relaxed));
                }
            };
            std::thread::Builder::new().spawn_scoped(scope, all).unwrap();
        }
    });
}

/// Holds connections, each after a write.
fn held(client: &Client, count: usize, ends: &AtomicBool, write: impl Fn(&mut TcpStream)) {
    let mut open = Vec::new();
    for _ in 0..count {
        let Some(mut stream) = client.connect_to_hold() else { continue };
        stream.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
        write(&mut stream);
        open.push(stream);
    }
    while !ends.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn sends_slowly(client: &Client, _: &str, ends: &AtomicBool) {
    let head = client.head("POST", "/api/results", 8 << 20);
    let body = vec![b'x'; (8 << 20) - 10];
    held(client, 12, ends, |stream| drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body))));
}

fn does_not_read(client: &Client, large: &str, ends: &AtomicBool) {
    let paths = [format!("/api/results/{large}/original"), format!("/r/{large}"), "/api/results?limit=200".to_owned()];
    let number = AtomicU32::new(0);
    held(client, 120, ends, |stream| {
        let path = &paths[number.fetch_add(1, Ordering::Relaxed) as usize % paths.len()];
        drop(stream.write_all(client.head("GET", path, 0).as_bytes()));
    });
}

fn connects(client: &Client, _: &str, ends: &AtomicBool) {
    held(client, 400, ends, |stream| drop(stream.write_all(b"GET / HTTP/1.1\r\nhost:")));
}

fn sends_what_takes_long(client: &Client, _: &str, ends: &AtomicBool) {
    at_once(8, ends, |number| {
        let word = WORDS[number as usize % WORDS.len()];
        let log = format!("sbc-bench v0.9.3 {number}\n{}", word.repeat((2 << 20) / word.len() - 10));
        client.ask("POST", "/api/results", &made::gzip(log.as_bytes()));
    });
}

fn asks_for_what_takes_long(client: &Client, large: &str, ends: &AtomicBool) {
    let pages = [format!("/r/{large}"), format!("/api/results/{large}/findings"), "/?q=zzz+yyy+xxx".to_owned()];
    at_once(24, ends, |number| drop(client.ask("GET", &pages[number as usize % pages.len()], b"")));
}

fn sends_often(client: &Client, _: &str, ends: &AtomicBool) {
    at_once(8, ends, |number| drop(client.ask("POST", "/api/results", format!("nothing {number}").as_bytes())));
}

fn hangs_up(client: &Client, _: &str, ends: &AtomicBool) {
    at_once(8, ends, |number| {
        let Some(mut stream) = client.connect() else { return };
        let body = format!("sbc-bench v0.9.3 {number}\n{}", WORDS[0].repeat(300_000));
        let head = client.head("POST", "/api/results", body.len());
        drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())));
    });
}

#[test]
fn nobody_takes_what_is_of_others() {
    on_hubs(&[], |hub| {
        let worst = Client::new([127, 0, 0, 1], &hub.url, &hub.run(&["token", "make", "worst", "--quota", "64"]));
        let other = Client::new([127, 0, 1, 1], &hub.url, &hub.run(&["token", "make", "other"]));
        // A Record of the maximum size.
        let note = format!("{{\"note\":[{}1]}}", "1,".repeat(7 << 20));
        let id = |answer: (u16, Vec<u8>)| {
            let body: serde_json::Value = serde_json::from_slice(&answer.1).unwrap();
            body["results"][0]["id"].as_str().unwrap().to_owned()
        };
        let large = id(worst.ask("POST", "/api/results?publish=1", &made::large_record()));
        let unread = id(worst.ask("POST", "/api/results", &made::gzip(note.as_bytes())));
        let own = id(other.ask("POST", "/api/results?publish=1", &made::log("Board Other", 1, 7000.0)));
        let all: [(&str, &str, Worst); 7] = [
            ("sends slowly", "", sends_slowly),
            ("does not read", &large, does_not_read),
            ("does not read what was not explained", &unread, does_not_read),
            ("sends what takes long", "", sends_what_takes_long),
            ("asks for what takes long", &large, asks_for_what_takes_long),
            ("sends often", "", sends_often),
            ("hangs up", "", hangs_up),
        ];
        let connects: [(&str, &str, Worst); 1] = [("connects", "", connects)];
        for (number, (what, of, does)) in (0..).zip(all.into_iter().chain(connects)) {
            let ends = AtomicBool::new(false);
            std::thread::scope(|scope| {
                let worst = || does(&worst, of, &ends);
                std::thread::Builder::new().spawn_scoped(scope, worst).unwrap();
                std::thread::sleep(Duration::from_millis(500));
                let (mut waited, mut refused) = (Vec::new(), Vec::new());
                let begin = Instant::now();
                for round in 0..(TIME.as_millis() / BEAT.as_millis()) as u32 {
                    let log = made::log("Board Other", round, 7000.0 + f64::from(number));
                    for (method, path, body) in [
                        ("POST", "/api/results?publish=1", log),
                        ("GET", "/", Vec::new()),
                        ("GET", &format!("/r/{own}"), Vec::new()),
                        ("GET", &format!("/api/results/{own}/original"), Vec::new()),
                        ("GET", "/api/mine", Vec::new()),
                    ] {
                        let began = Instant::now();
                        let (status, answer) = other.ask(method, path, &body);
                        waited.push(began.elapsed());
                        if !matches!(status, 200 | 201) {
                            refused.push(format!("{method} {path}: {status} {}", String::from_utf8_lossy(&answer)));
                        }
                    }
                    std::thread::sleep((begin + BEAT * (round + 1)).saturating_duration_since(Instant::now()));
                }
                ends.store(true, Ordering::Relaxed);
                assert!(refused.is_empty(), "one {what}: {refused:?}");
                waited.sort();
                let p95 = waited[waited.len() * 95 / 100];
                eprintln!("one {what}: {} requests of another, p95 {} ms", waited.len(), p95.as_millis());
            });
        }
    });
}

#[test]
fn tokens_keep_what_they_may() {
    on_hubs(&[], |hub| {
        let small = Client::new([127, 0, 0, 1], &hub.url, &hub.run(&["token", "make", "small", "--quota", "1"]));
        let send = |number: u64| {
            // Reproducible random numbers (xorshift64), which compress to half at best.
            let mut chance = number + 1;
            let numbers: Vec<String> = (0..60_000)
                .map(|_| {
                    chance ^= chance << 13;
                    chance ^= chance >> 7;
                    chance ^= chance << 17;
                    (chance >> 32).to_string()
                })
                .collect();
            small.ask("POST", "/api/results", format!("{{\"note\":[{}]}}", numbers.join(",")).as_bytes())
        };
        let answers: Vec<(u16, Vec<u8>)> = (0..6).map(send).collect();
        let statuses: Vec<u16> = answers.iter().map(|(status, _)| *status).collect();
        let kept = statuses.iter().filter(|status| **status == 201).count();
        assert!((1..5).contains(&kept) && statuses[kept..].iter().all(|status| *status == 507), "{statuses:?}");
        let said = String::from_utf8_lossy(&answers[5].1).into_owned();
        assert!(said.contains("MiB of 1 MiB: nothing was kept. Delete results"), "{said}");
        hub.keep("", &made::log("Board Other", 1, 7000.0));
        let list = || {
            let list = hub.run(&["token", "list"]);
            list.lines().find(|line| line.starts_with("small\t")).unwrap().to_owned()
        };
        assert!(list().ends_with("of 1 MiB"), "{}", list());
        // Deletion frees the quota.
        let first: serde_json::Value = serde_json::from_slice(&answers[0].1).unwrap();
        let path = format!("/api/results/{}", first["results"][0]["id"].as_str().unwrap());
        assert_eq!(small.ask("DELETE", &path, b"").0, 200);
        assert_eq!(send(1).0, 200, "known ones take nothing");
        assert_eq!(send(7).0, 201);
        assert_eq!(send(8).0, 507);
        hub.run(&["token", "quota", "small", "100"]);
        assert_eq!(send(8).0, 201);
        assert!(list().ends_with("of 100 MiB"), "{}", list());
    });
}
