//! Hostile clients: bombs, false lengths, hang-ups, scripts and SQL. Other clients are served meanwhile.

use crate::common::hub_process::HubProcess;
use crate::common::made::WORDS;
use crate::common::made::gzip;
use crate::common::{made, on_hubs};
use hub::limits::Limits;
use hub::query::Cursor;
use hub::{derive, unpack};
use proptest::prelude::*;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn files_and_archives_are_unpacked_within_limits() {
    let limits = Limits { file_bytes_max: 5000, files_max: 2, ..Limits::default() };
    let two = made::tar(&[("a/../../b", b"1"), ("d", &gzip(&b"2"[..]))]);
    let bomb = gzip(&[0; 4000][..]);
    for (body, expected) in [
        (b"log".to_vec(), "=log;"),
        (gzip(&b"log"[..]), "=log;"),
        (two.clone(), "a/../../b=1;d=2;"),
        (gzip(&*two), "a/../../b=1;d=2;"),
        (Vec::new(), "Empty"),
        (made::tar(&[("c", b"")]), "Empty"),
        (gzip(&[0; 6000][..]), "TooLarge"),
        (made::tar(&[("a", &bomb), ("b", &bomb)]), "TooLarge"),
        (made::tar(&[("a", b"1"), ("b", b"2"), ("c", b"3")]), "TooLarge(\"What was sent has more than 2 files"),
        (gzip(&b"log"[..])[..8].to_vec(), "Damaged"),
        (two[..512].to_vec(), "Damaged"),
    ] {
        let found = unpack::members(body, &limits).map(|members| {
            let texts = members.iter().map(|one| format!("{}={};", one.name, String::from_utf8_lossy(&one.bytes)));
            texts.collect::<String>()
        });
        let found = found.unwrap_or_else(|refused| format!("{refused:?}"));
        assert!(found.starts_with(expected), "{found} instead of {expected}");
    }
}

#[test]
fn bombs_are_refused_and_memory_stays_small() {
    on_hubs(&[], |hub| {
        hub.keep("?publish=1", &made::log("Board Six", 1, 7000.0));
        let deep = b"{\"a\":".repeat(1 << 17);
        let channels: Vec<String> = (0..400)
            .map(|cpu| format!("{{\"id\":\"cpu{cpu}.idle\",\"unit\":\"ticks\",\"kind\":\"counter\"}}"))
            .collect();
        let many =
            format!("{{\"samples\":{{\"at_ms\":[{}],\"channels\":[{}]}}}}", "1,".repeat(100_000), channels.join(","));
        for (what, body, expected) in [
            ("64 MiB of zeros", gzip(std::io::repeat(0).take(1 << 26)), 413),
            ("a gzip within a gzip", gzip(&*gzip(std::io::repeat(b'{').take(1 << 20))), 201),
            ("deep JSON", gzip(&*deep), 201),
            ("many samples", gzip(many.as_bytes()), 201),
            ("8 MiB and a byte", vec![b'x'; (8 << 20) + 1], 413),
            ("one endless line", gzip(std::io::repeat(b'a').take(3 << 20)), 413),
            ("endless lines", gzip(&*b"Tot: 1 1 1\n".repeat(1 << 18)), 413),
            ("many lines", gzip(&*b"Tot: 1 1 1\n".repeat(1 << 12)), 201),
            ("nothing", Vec::new(), 400),
        ] {
            let began = Instant::now();
            let status = match hub.try_send("", &body) {
                Ok(answer) => answer.status,
                // The connection may be closed before the whole body was written.
                Err(error) if expected == 413 => {
                    assert!(!error.is_empty());
                    413
                }
                Err(error) => panic!("{what}: {error}"),
            };
            assert_eq!(status, expected, "{what}");
            assert!(began.elapsed() < Duration::from_secs(60), "{what}");
            assert_eq!(hub.get("/api/results").status, 200, "{what}");
        }
        assert!(hub.memory_kib() < 128 << 10, "{} KiB", hub.memory_kib());
        assert!(hub.workers_kib() < 256 << 10, "those that wait: {} KiB", hub.workers_kib());
    });
}

#[test]
fn largest_log_and_largest_record_of_any_word_are_answered() {
    let limits = Limits::default();
    let logs = WORDS.map(|word| {
        let log = format!("sbc-bench v0.9.3 {word}\n");
        let rest = word.repeat((limits.log_bytes_max - log.len()) / word.len());
        log + &rest
    });
    let run = made::run();
    let notes = WORDS.map(|word| {
        let room = (limits.file_bytes_max - run.len()) / WORDS.len() - 40;
        format!("\"{word}\":\"{}\",", word.repeat(room / word.len()))
    });
    let record = run.replacen('{', &format!("{{{}", notes.concat()), 1);
    assert!((limits.file_bytes_max - 2_000..=limits.file_bytes_max).contains(&record.len()), "{}", record.len());
    // A test build takes many times as long as an optimised one.
    on_hubs(&["--request-cpu-seconds", "200"], |hub| {
        for (word, body) in WORDS.iter().zip(&logs).chain([(&"all", &record)]) {
            let answer = hub.send("", &gzip(body.as_bytes()));
            assert_eq!(answer.status, 201, "{word}: {}", answer.body);
            let one = answer.json()["results"][0].clone();
            let reason = one["reason"].as_str().unwrap_or_default();
            assert!(!reason.starts_with("reading it"), "{word}: {one}");
        }
        let over = vec![b'x'; limits.log_bytes_max + 1];
        assert_eq!(hub.send("", &gzip(&*over)).status, 413);
        let over = [b"{".to_vec(), vec![b' '; limits.file_bytes_max]].concat();
        assert_eq!(hub.send("", &gzip(&*over)).status, 413);
    });
}

#[test]
fn clients_that_trickle_or_lie_hold_up_nobody() {
    on_hubs(&[], |hub| {
        let address = hub.url.strip_prefix("http://").unwrap().to_owned();
        let connect = |head: &str| {
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        };
        let token = &hub.secret;
        let promise = format!(
            "POST /api/results HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-length: 100\r\n\r\n{{"
        );
        let mut held: Vec<TcpStream> = (0..100).map(|_| connect("GET / HTTP/1.1\r\nhost:")).collect();
        // More than the hub reads and explains in parallel.
        held.extend((0..8).map(|_| connect(&promise)));
        let began = Instant::now();
        assert_eq!(hub.get("/").status, 200);
        hub.keep("", &made::log("Board Seven", 1, 7000.0));
        assert!(began.elapsed() < Duration::from_secs(10));
        for (head, expected) in [
            ("POST /api/results HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\n", "401"),
            ("POST /api/results HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nhost: \"><script>\r\n\r\n", "200"),
            ("\u{0}\u{1}\r\n\r\n", "400"),
        ] {
            let mut stream = connect(head);
            stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            let mut answer = [0; 12];
            let _ = stream.read_exact(&mut answer);
            let answer = String::from_utf8_lossy(&answer).into_owned();
            assert!(answer.ends_with(expected) || answer.starts_with('\0'), "{head:?}: {answer:?}");
        }
        drop(held);
    });
}

#[test]
fn one_network_does_not_take_all_connections() {
    if Command::new("curl").arg("--version").output().is_err() {
        return testkit::skip("curl is not installed");
    }
    on_hubs(&[], |hub| {
        let address = hub.url.strip_prefix("http://").unwrap().to_owned();
        let hold = |_| {
            let mut stream = TcpStream::connect(&address).ok()?;
            stream.write_all(b"GET / HTTP/1.1\r\nhost:").ok()?;
            Some(stream)
        };
        let held: Vec<TcpStream> = (0..600).filter_map(hold).collect();
        let mut other = Command::new("curl");
        other.args(["-s", "--max-time", "8", "--interface", "127.0.1.2", "-w", "%{http_code}"]);
        let answer = other.arg(format!("{}/healthz", hub.url)).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&answer.stdout), "alive\n200");
        drop(held);
    });
}

#[test]
fn senders_who_hang_up_and_readers_who_do_not_read_fill_no_memory() {
    on_hubs(&[], |hub| {
        let address = hub.url.strip_prefix("http://").unwrap().to_owned();
        let token = &hub.secret;
        let body = [&b"{"[..], &b"\n".repeat((8 << 20) - 8)].concat();
        let head = format!(
            "POST /api/results HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        for _ in 0..60 {
            let Ok(mut stream) = TcpStream::connect(&address) else { continue };
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
        // Redaction does not shrink it.
        let large = gzip(&*[&b"{\"note\":["[..], &b"1,".repeat(7 << 20), b"1]}"].concat());
        let kept = hub.wait_to_keep("", &large);
        let original = format!("/api/results/{kept}/original");
        let auth = format!("Bearer {token}");
        let ask = || hub.get_with(&original, &[("authorization", &auth)]).status;
        let held: Vec<TcpStream> = (0..40)
            .map(|_| {
                let mut stream = TcpStream::connect(&address).unwrap();
                write!(stream, "GET {original} HTTP/1.1\r\nhost: x\r\nauthorization: {auth}\r\n\r\n").unwrap();
                stream
            })
            .collect();
        let until = |wanted: u16| {
            (0..600).any(|_| {
                ask() == wanted || {
                    std::thread::sleep(Duration::from_millis(50));
                    false
                }
            })
        };
        assert!(until(200), "originals that nobody reads hold no room");
        assert_eq!(hub.get("/").status, 200, "others are answered");
        drop(held);
        assert!(hub.memory_kib() < 256 << 10, "{} KiB", hub.memory_kib());
    });
}

/// Sends raw bytes and returns the answer.
fn raw(hub: &HubProcess, request: &str) -> String {
    let mut stream = TcpStream::connect(hub.url.strip_prefix("http://").unwrap()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // A hub that refuses the request does not read all of it.
    let _ = stream.write_all(request.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn heads_larger_than_the_limit_are_refused_at_it() {
    on_hubs(&[], |hub| {
        const LIMIT: usize = 32 << 10;
        for (bytes, expected) in
            [(LIMIT - 1, "200"), (LIMIT, "200"), (LIMIT + 1, "431"), (40_000, "431"), (1 << 20, "431")]
        {
            let head = |padding: &str| format!("GET /healthz HTTP/1.1\r\nconnection: close\r\na: {padding}\r\n\r\n");
            let answer = raw(hub, &head(&"x".repeat(bytes - head("").len())));
            assert!(answer.starts_with(&format!("HTTP/1.1 {expected} ")), "{bytes}: {answer}");
        }
        let many = format!("GET /healthz HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(90));
        assert!(raw(hub, &many.replacen("a: b", "connection: close", 1)).starts_with("HTTP/1.1 200 "));
    });
}

#[test]
fn methods_that_no_route_knows_add_nothing_to_the_metrics() {
    on_hubs(&[], |hub| {
        for number in 0..20 {
            for path in ["/healthz", "/nothing", "/api/results"] {
                let request = format!("M{number} {path} HTTP/1.1\r\nconnection: close\r\n\r\n");
                let expected = if path == "/nothing" { "HTTP/1.1 404 " } else { "HTTP/1.1 405 " };
                let answer = raw(hub, &request);
                assert!(answer.starts_with(expected), "{path}: {answer}");
            }
        }
        let metrics = hub.get("/metrics").body;
        let unknown = metrics.lines().filter(|line| line.contains("route=\"M")).count();
        assert_eq!(unknown, 0, "{metrics}");
    });
}

#[test]
fn feed_believes_nothing_of_what_a_request_calls_the_hub() {
    on_hubs(&[], |hub| {
        let id = hub.keep("?publish=1", &made::log("Board H", 1, 7000.0));
        let feed = raw(hub, "GET /feed.atom HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n");
        assert!(!feed.contains("evil.example") && feed.contains(&format!("<link href=\"/r/{id}\"/>")), "{feed}");
        assert_eq!(feed.matches("<id>urn:uuid:").count(), 2, "{feed}");
    });
    let hub = HubProcess::start(None, &["--public-url", "https://hub.example/"]);
    let id = hub.keep("?publish=1", &made::log("Board H", 1, 7000.0));
    let feed = raw(&hub, "GET /feed.atom HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n");
    assert!(!feed.contains("evil.example") && feed.contains(&format!("<id>https://hub.example/r/{id}</id>")), "{feed}");
}

#[test]
fn scripts_and_sql_in_names_stay_text() {
    on_hubs(&[], |hub| {
        for name in [
            "<script>alert(1)</script>",
            "'; DROP TABLE result; --",
            "\" onmouseover=\"alert(1)",
            "../../../../etc/passwd",
            "{{7*7}}",
            "=HYPERLINK(1)",
            "\u{202e}gpj.exe",
            "\u{9b}2Jcleared",
            "$1",
        ] {
            let id = hub.keep("?publish=1&machine=%27%3Cscript%3E", &made::log(name, 1, 7000.0));
            let paths = [
                "/".to_owned(),
                "/names/board".to_owned(),
                format!("/r/{id}"),
                format!("/r/{id}/trend"),
                format!("/api/results/{id}"),
                format!("/api/results/{id}/findings"),
                "/feed.atom".to_owned(),
            ];
            for path in paths {
                let answer = hub.get(&path);
                assert_eq!(answer.status, 200, "{name}: {path}");
                let body = answer.body.replace(&format!("<script>{}</script>", page::script()), "");
                let has_markup = body.contains("<script") || body.contains("\" onmouse");
                assert!(!has_markup || path.starts_with("/api/"), "{name}: {path}");
                assert!(!answer.body.contains(['\u{202e}', '\u{9b}']), "{name}: {path} can be shown on a terminal");
            }
        }
        let csv = hub.get("/api/results?format=csv").body;
        assert!(!csv.lines().any(|line| line.split(',').any(|cell| cell.starts_with("=HYPERLINK"))), "{csv}");
        assert_eq!(hub.listed("?q=%27%20OR%201%3D1%3B--"), 0);
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_unpacked_and_read_and_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..3000), kind in 0..3) {
        let bytes = match kind {
            0 => bytes,
            1 => gzip(&*bytes),
            _ => {
                let mut tar = bytes;
                tar.resize(2048, b'0');
                tar[257..262].copy_from_slice(b"ustar");
                tar[148..156].fill(b' ');
                let total = tar[..512].iter().fold(0_u32, |total, byte| total + u32::from(*byte));
                tar[148..156].copy_from_slice(format!("{total:06o}\0 ").as_bytes());
                tar
            }
        };
        for member in unpack::members(bytes, &Limits::default()).unwrap_or_default() {
            let redacted = logs::redact::redact(&member.bytes).bytes;
            let _ = derive::record(redacted).and_then(|record| derive::derive(&record, None));
        }
    }

    #[test]
    fn arbitrary_cursors_never_panics(text in ".{0,40}") {
        let _ = Cursor::parse(&text);
    }
}
