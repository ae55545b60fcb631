//! Machines that upload regularly: changes are found on arrival, reported once, and acknowledged.

use crate::common::hub_process::HubProcess;
use crate::common::{Folder, made, on_hubs};
use hub::store::{Sqlite, Store, read};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use testkit::{TlsServer, wait_until};

/// Listener that answers each request or mail, and passes on its content.
fn listener<T: Send + 'static>(serve: impl FnMut(TcpStream) -> T + Send + 'static) -> (u16, Receiver<T>) {
    listener_at("127.0.0.1:0", serve)
}

fn listener_at<T: Send + 'static>(
    address: &str,
    mut serve: impl FnMut(TcpStream) -> T + Send + 'static,
) -> (u16, Receiver<T>) {
    let listener = TcpListener::bind(address).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (give, take) = channel();
    let served = move || listener.incoming().flatten().all(|stream| give.send(serve(stream)).is_ok());
    std::thread::Builder::new().spawn(served).unwrap();
    (port, take)
}

/// Reads an HTTP request and answers 200.
fn http(stream: TcpStream) -> String {
    http_of(stream.try_clone().unwrap(), stream)
}

fn http_of(input: impl Read, mut output: impl Write) -> String {
    let mut reader = BufReader::new(input);
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
    output.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
    head + &String::from_utf8(body).unwrap()
}

fn relayed(stream: TcpStream) -> String {
    smtp(stream.try_clone().unwrap(), stream)
}

/// Receives one mail, and returns all lines of its sender. A sender that hangs up early ends the mail.
fn smtp(input: impl Read, mut output: impl Write) -> String {
    let mut reader = BufReader::new(input);
    output.write_all(b"220 relay\r\n").unwrap();
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
            "QUIT" => {
                let _ = output.write_all(b"221 bye\r\n");
                return mail;
            }
            _ if in_data => continue,
            "AUTH PLAIN" => "334 \r\n",
            SECRET => "235 in\r\n",
            _ => "250-relay\r\n250 AUTH PLAIN\r\n",
        };
        if output.write_all(answer.as_bytes()).is_err() {
            return mail;
        }
    }
}

/// User and password as sent to a mail server (RFC 4616): me, secret.
const SECRET: &str = "AG1lAHNlY3JldA==";

/// Reproducible noise of 1 % around 1.
fn noise(number: u32) -> f64 {
    let mixed = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let parts = (0..8).map(|at| ((mixed >> (8 * at)) & 0xff) as f64 / 255.0 - 0.5);
    // A sum of eight uniform parts has a standard deviation of sqrt(8 / 12).
    1.0 + 0.01 * parts.sum::<f64>() / 0.816
}

fn send_a_change(hub: &HubProcess) {
    for number in 0..30 {
        let mean = if number < 24 { 7000.0 } else { 6720.0 };
        hub.keep("?machine=shelf-3", &made::log("Board Five", number, mean * noise(number)));
    }
}

#[test]
fn change_is_told_once_to_every_hook_and_acknowledged() {
    on_hubs(&[], |hub| {
        let (web, requests) = listener(http);
        let (relay, mails) = listener(relayed);
        let generic = format!("http://127.0.0.1:{web}/hook");
        let matrix = format!("http://127.0.0.1:{web}/_matrix/client/v3/rooms/!a:b?access_token=t");
        let mail = format!("smtp://127.0.0.1:{relay}/?from=hub@lab&to=owner@lab");
        for (form, target) in [("generic", &generic), ("slack", &generic), ("matrix", &matrix), ("mail", &mail)] {
            hub.hook(form, target);
        }
        send_a_change(hub);
        let asked = |hub: &HubProcess| {
            let all = hub.ask("GET", "/api/changes").json();
            all["changes"].as_array().unwrap().clone()
        };
        let changes = asked(hub);
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert_eq!(changes[0]["machine"], "shelf-3");
        let gain = changes[0]["gain_percent"].as_f64().unwrap();
        assert!((-5.5..-2.5).contains(&gain), "{gain}");
        let patience = Duration::from_secs(120);
        let told: Vec<String> = (0..3).map(|_| requests.recv_timeout(patience).unwrap()).collect();
        let has = |words: &[&str]| told.iter().any(|one| words.iter().all(|word| one.contains(word)));
        assert!(has(&["POST /hook", "\"event\":\"change\"", "shelf-3"]), "{told:?}");
        assert!(has(&["POST /hook", "{\"text\":\"shelf-3: "]), "{told:?}");
        assert!(
            has(&["PUT /_matrix/client/v3/rooms/!a:b/send/m.room.message/", "access_token=t", "m.text"]),
            "{told:?}"
        );
        let mail = mails.recv_timeout(patience).unwrap();
        for words in [
            "EHLO sbc-bench-hub",
            "RCPT TO:<owner@lab>",
            "shelf-3: ",
            "\r\nContent-Type: text/plain; charset=utf-8\r\n",
        ] {
            assert!(mail.contains(words), "{words}: {mail}");
        }
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

#[test]
fn changes_of_a_machine_that_come_together_are_one_notice_in_words() {
    for (words, end) in [
        (&[][..], "there is no link because the hub was started without --public-url."),
        (&["--public-url", "https://hub.example/"], "https://hub.example/r/"),
    ] {
        on_hubs(words, |hub| {
            let (web, requests) = listener(http);
            hub.hook("generic", &format!("http://127.0.0.1:{web}/hook"));
            for number in 0..30 {
                let part = if number < 24 { 1.0 } else { 0.9 } * noise(number);
                let log = String::from_utf8(made::log("Board Five", number, 7000.0 * part)).unwrap();
                let log = log.replace("2030.0 MB/s", &format!("{:.1} MB/s", 2030.0 * part));
                let log = log.replace("4100.0 MB/s", &format!("{:.1} MB/s", 4100.0 * part));
                hub.keep("?machine=shelf-3", log.as_bytes());
            }
            let request = requests.recv_timeout(Duration::from_secs(120)).unwrap();
            let body: serde_json::Value = serde_json::from_str(request.split("\r\n\r\n").nth(1).unwrap()).unwrap();
            let text = body["text"].as_str().unwrap();
            assert_eq!(body["changes"].as_array().unwrap().len(), 3, "{text}");
            assert!(text.starts_with("shelf-3: 3 figures changed: ") && text.contains(" MB/s, before "), "{text}");
            assert!(!text.contains('@') && text.contains(end), "{text}");
            assert_eq!(body["url"].is_null(), words.is_empty());
            assert!(requests.recv_timeout(Duration::from_secs(2)).is_err(), "one notice");
        });
    }
}

const DAY_MS: i64 = 86_400_000;

/// Receiver of notices that refuses the first one.
fn refuses_first() -> (u16, Receiver<u16>) {
    let mut status = 503;
    listener(move |mut stream| {
        http_of(stream.try_clone().unwrap(), std::io::sink());
        let answer = format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        let _ = stream.write_all(answer.as_bytes());
        std::mem::replace(&mut status, 200)
    })
}

#[test]
fn clock_that_is_set_neither_delays_nor_repeats_notices() {
    if !cfg!(debug_assertions) {
        return testkit::skip("the clock of a hub can be set in a debug build only");
    }
    for step_ms in [DAY_MS, -DAY_MS] {
        on_hubs(&[], |hub| {
            let (port, answers) = refuses_first();
            hub.hook("generic", &format!("http://127.0.0.1:{port}/hook"));
            send_a_change(hub);
            let patience = Duration::from_secs(60);
            assert_eq!(answers.recv_timeout(patience), Ok(503));
            hub.set_clock(step_ms);
            assert_eq!(answers.recv_timeout(patience), Ok(200), "{step_ms} ms");
            hub.set_clock(-step_ms);
            for number in 30..34 {
                hub.keep("?machine=shelf-3", &made::log("Board Five", number, 6720.0 * noise(number)));
            }
            hub.kill_and_restart();
            assert!(answers.recv_timeout(Duration::from_secs(2)).is_err(), "{step_ms} ms");
            hub.verify();
        });
    }
}

#[test]
fn clock_that_is_set_neither_locks_out_nor_hands_out_uploads() {
    if !cfg!(debug_assertions) {
        return testkit::skip("the clock of a hub can be set in a debug build only");
    }
    on_hubs(&["--uploads-per-minute", "1"], |hub| {
        let id = hub.keep("?publish=1", &made::log("Board Five", 1, 7000.0));
        for step_ms in [0, DAY_MS, -DAY_MS, 0] {
            hub.set_clock(step_ms);
            let answer = hub.send("", &made::log("Board Five", 2, 7000.0));
            assert_eq!(answer.status, 429, "{step_ms} ms: {}", answer.body);
            let wait_s: u64 = answer.header("retry-after").parse().unwrap();
            assert!((1..=60).contains(&wait_s), "{step_ms} ms: {wait_s} s");
            assert_eq!(hub.get(&format!("/r/{id}")).status, 200, "{step_ms} ms");
        }
    });
}

/// Form of the hook and error of each notice; empty for sent ones.
fn problems(store: &dyn Store) -> Vec<(String, String)> {
    let sql = "SELECT hook.kind, coalesce(notice.last_error, '') FROM notice JOIN hook ON hook.id = notice.hook_id \
               WHERE notice.tries > 0 AND (notice.last_error IS NOT NULL OR notice.sent_utc_ms IS NOT NULL) ORDER BY 1, 2";
    let rows = read(store, |session| session.run(sql, &[])).unwrap();
    rows.iter().map(|row| (row.words(0), row.words(1))).collect()
}

#[test]
fn notices_go_over_verified_tls_and_passwords_over_nothing_else() {
    let folders = [Folder::new(), Folder::new(), Folder::new()];
    let hosts = ["localhost", "localhost", "other.example"];
    let started = folders.iter().zip(hosts).map(|(folder, host)| TlsServer::start(&folder.0, host));
    let started: Option<Vec<TlsServer>> = started.collect();
    let Some([mut mails, mut web, wrong]) = started.and_then(|all| <[TlsServer; 3]>::try_from(all).ok()) else {
        return testkit::was_skipped();
    };
    let authorities: Vec<u8> =
        folders.iter().flat_map(|folder| std::fs::read(folder.0.join("ca.pem")).unwrap()).collect();
    let file = folders[0].0.join("authorities.pem");
    std::fs::write(&file, authorities).unwrap();
    let hub = HubProcess::trusting(&file);
    let (relay, clear) = listener(relayed);
    for (form, target) in [
        ("generic", format!("https://localhost:{}/hook", web.port)),
        ("slack", format!("https://localhost:{}/hook", wrong.port)),
        ("mail", format!("smtps://me:secret@localhost:{}/?from=hub@lab&to=owner@lab", mails.port)),
        ("mail", format!("smtp://me:secret@localhost:{relay}/?from=hub@lab&to=owner@lab")),
    ] {
        hub.hook(form, &target);
    }
    send_a_change(&hub);
    let (input, output) = (mails.child.stdout.take().unwrap(), mails.child.stdin.take().unwrap());
    let mail = std::thread::Builder::new().spawn(move || smtp(input, output)).unwrap();
    let request = http_of(web.child.stdout.take().unwrap(), web.child.stdin.take().unwrap());
    assert!(request.starts_with("POST /hook ") && request.contains("\"event\":\"change\""), "{request}");
    let mail = mail.join().unwrap();
    for words in
        [SECRET, "MAIL FROM:<hub@lab>", "\r\nSubject: sbc-bench", "\r\nDate: ", "\r\nMessage-ID: <", "shelf-3: "]
    {
        assert!(mail.contains(words), "{words}: {mail}");
    }
    let said = clear.recv_timeout(Duration::from_secs(120)).unwrap();
    assert!(!said.contains("AUTH") && !said.contains(SECRET), "{said}");
    let store = Sqlite::open(&hub.data.join("hub.sqlite")).unwrap();
    wait_until("each notice is sent or fails", || problems(&store).len() >= 4);
    let found = problems(&store);
    let forms: Vec<(&str, bool)> = found.iter().map(|(form, problem)| (form.as_str(), problem.is_empty())).collect();
    assert_eq!(forms, [("generic", true), ("mail", true), ("mail", false), ("slack", false)], "{found:?}");
    assert!(found[3].1.contains("SSL"), "{found:?}");
}

/// Variable with the hosts file of a separate network.
const HOSTS: &str = "SBC_BENCH_HUB_TEST_HOSTS";

#[test]
fn hooks_reach_the_address_that_was_looked_at_and_no_private_network() {
    match std::env::var_os(HOSTS) {
        Some(hosts) => hooks_in_own_network(Path::new(&hosts)),
        None => in_own_network(testkit::only(&hooks_reach_the_address_that_was_looked_at_and_no_private_network)),
    }
}

/// Runs a test again, in a network with only this host under a public address.
fn in_own_network(test: [&str; 2]) {
    let folder = Folder::new();
    let hosts = folder.0.join("hosts");
    std::fs::write(&hosts, "").unwrap();
    let script = "ip link set lo up && ip addr add 9.9.9.9/32 dev lo && mount --bind \"$1\" /etc/hosts && echo ready && \
                  exec \"$2\" \"$3\" \"$4\" --nocapture";
    let mut command = Command::new("unshare");
    command.args(["-n", "-m", "sh", "-c", script, "sh"]).arg(&hosts).arg(std::env::current_exe().unwrap()).args(test);
    let output = command.env(HOSTS, &hosts).output();
    let said = output.as_ref().map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if !said.starts_with("ready") {
        return testkit::skip("a network of its own cannot be made for a test (root, unshare and ip)");
    }
    let output = output.unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

fn hooks_in_own_network(hosts: &Path) {
    let name = |lines: &str| std::fs::write(hosts, format!("127.0.0.1 localhost\n{lines}\n")).unwrap();
    name("9.9.9.9 outside.example both.example rebound.example\n127.0.0.1 both.example inside.example");
    let hub = HubProcess::start(None, &[]);
    let (port, outside) = listener_at("9.9.9.9:0", http);
    let (_, inside) = listener_at(&format!("127.0.0.1:{port}"), http);
    for (host, may) in [("outside", true), ("both", true), ("rebound", true), ("inside", false)] {
        let target = format!("http://{host}.example:{port}/{host}");
        let (is_done, said) = hub.operate(&["hook", "add", "owner", "-"], &target);
        assert_eq!(is_done, may, "{target}: {said}");
    }
    // The owner of the domain changes the address of its name before a notice is sent.
    name("9.9.9.9 outside.example both.example\n127.0.0.1 both.example rebound.example");
    send_a_change(&hub);
    let store = Sqlite::open(&hub.data.join("hub.sqlite")).unwrap();
    wait_until("each notice is sent or fails", || problems(&store).len() >= 3);
    let found = problems(&store);
    let refused: Vec<&str> = found.iter().map(|(_, why)| why.as_str()).filter(|why| !why.is_empty()).collect();
    assert_eq!(
        (found.len(), refused.as_slice()),
        (3, ["rebound.example has the address 127.0.0.1 of a private network, which a hook reaches with --allow-private alone"].as_slice())
    );
    let mut reached: Vec<String> = outside.try_iter().map(|told| told.split(' ').nth(1).unwrap().to_owned()).collect();
    reached.sort();
    assert_eq!(reached, ["/both", "/outside"]);
    assert!(inside.try_recv().is_err());
}
