//! Worker processes: the death of one ends one request and affects no other.

use crate::common::hub_process::{Answer, HubProcess};
use crate::common::{made, on_hubs};
use hub::store::{number, write};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testkit::wait_until;

fn signal(worker: u32, signal: Signal) {
    let id = Pid::from_raw(i32::try_from(worker).unwrap()).unwrap();
    // It may have ended meanwhile.
    let _ = kill_process(id, signal);
}

/// Runs `work` while every worker of the hub gets a signal as soon as it starts.
fn while_workers_get<T>(hub: &HubProcess, what: Signal, work: impl FnOnce() -> T) -> T {
    let ends = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let killing = std::thread::Builder::new().spawn_scoped(scope, || {
            while !ends.load(Ordering::Relaxed) {
                hub.workers().into_iter().for_each(|worker| signal(worker, what));
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let done = work();
        ends.store(true, Ordering::Relaxed);
        killing.unwrap().join().unwrap();
        done
    })
}

/// A log that takes a while to read.
fn long_log() -> Vec<u8> {
    let mut log = made::log("Board Long", 1, 7000.0);
    log.extend(b"\nsome words of no meaning".repeat(60_000));
    log
}

fn only(answer: &Answer) -> Value {
    answer.json()["results"][0].clone()
}

#[test]
fn worker_has_pipes_and_limits_and_nothing_else() {
    let hub = HubProcess::start(None, &[]);
    hub.keep("", &made::log("Board Six", 1, 7000.0));
    let workers = hub.workers();
    assert!(!workers.is_empty());
    for worker in workers {
        let of = |name: &str| std::fs::read_to_string(format!("/proc/{worker}/{name}")).unwrap();
        let limits = of("limits");
        let limit = |name: &str| limits.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        let open: Vec<String> = std::fs::read_dir(format!("/proc/{worker}/fd"))
            .unwrap()
            .map(|entry| std::fs::read_link(entry.unwrap().path()).unwrap().display().to_string())
            .collect();
        // The shell of this test may have left files open; a worker inherits none of the hub.
        let data = hub.data.display().to_string();
        assert!(open.iter().all(|to| !to.starts_with("socket:") && !to.starts_with(&data)), "{open:?}");
        // With three of three files open, it can open neither a file nor a socket.
        let words = limit("Max open files");
        assert_eq!(words.split_whitespace().skip(3).take(2).collect::<Vec<_>>(), ["3", "3"], "{words}");
        assert!(limit("Max core file size").split_whitespace().nth(4) == Some("0"), "{limits}");
        assert_eq!(of("environ"), "");
        assert_eq!(std::fs::read_link(format!("/proc/{worker}/cwd")).unwrap().to_str(), Some("/"));
    }
}

#[test]
fn an_end_of_a_worker_ends_one_upload() {
    on_hubs(&[], |hub| {
        let before = hub.keep("?publish=1", &made::log("Board Before", 1, 7000.0));
        let log = long_log();
        for (number, what) in [Signal::KILL, Signal::ABORT, Signal::SEGV].into_iter().enumerate() {
            let body = [&log[..], number.to_string().as_bytes()].concat();
            let sent = while_workers_get(hub, what, || {
                let sent = hub.send("?publish=1", &body);
                assert_eq!(hub.get("/").status, 200, "lists need no worker");
                // A page needs a worker, which may finish before its end.
                assert!(matches!(hub.get(&format!("/r/{before}")).status, 200 | 500));
                sent
            });
            let one = only(&sent);
            let reason = one["reason"].as_str().unwrap_or_default();
            assert!(sent.status == 201 && one["state"] == "quarantined", "{}", sent.body);
            assert!(reason.contains("ended its process"), "{reason}");
            let again = only(&hub.send("?publish=1", &body));
            assert_eq!((&again["known"], &again["reason"]), (&Value::from(true), &one["reason"]), "{again}");
            assert_eq!(hub.get(&format!("/r/{before}")).status, 200);
        }
        hub.keep("?publish=1", &made::log("Board After", 1, 7000.0));
        assert_eq!(hub.listed(""), 2);
    });
}

#[test]
fn one_that_was_killed_once_is_not_the_fault_of_the_file() {
    let hub = HubProcess::start(None, &[]);
    hub.keep("", &made::log("Board Six", 1, 7000.0));
    // The remaining worker takes the upload and does nothing.
    let idle = hub.workers();
    idle[1..].iter().for_each(|worker| signal(*worker, Signal::KILL));
    wait_until("one is left", || hub.workers().len() == 1);
    signal(idle[0], Signal::STOP);
    std::thread::scope(|scope| {
        let sending = std::thread::Builder::new().spawn_scoped(scope, || hub.send("", &long_log()));
        std::thread::sleep(Duration::from_millis(200));
        signal(idle[0], Signal::KILL);
        let one = only(&sending.unwrap().join().unwrap());
        assert_eq!(one["state"], "unlisted", "{one}");
    });
}

#[test]
fn reading_has_its_time_and_its_memory() {
    // Each JSON value takes 32 bytes in memory.
    let large = [&b"{\"note\":["[..], &b"1,".repeat(7 << 20), b"1]}"].concat();
    for (words, expected) in [
        (["--request-cpu-seconds", "1"], "takes more than 1 s of CPU time"),
        (["--request-memory", "192"], "for more than 192 MiB of memory"),
    ] {
        on_hubs(&words, |hub| {
            let one = only(&hub.send("", &made::gzip(&*large)));
            let reason = one["reason"].as_str().unwrap_or_default();
            assert!(one["state"] == "quarantined" && reason.contains(expected), "{one}");
            hub.keep("?publish=1", &made::log("Board After", 1, 7000.0));
        });
    }
}

#[test]
fn files_behind_one_that_ends_its_worker_are_kept() {
    // Every machine reaches the memory limit at the same byte, and the CPU time limit at another one.
    let hub = HubProcess::start(None, &["--request-memory", "192"]);
    let large = [&b"{\"note\":["[..], &b"1,".repeat(7 << 20), b"1]}"].concat();
    let (first, last) = (made::log("Board First", 1, 7000.0), made::log("Board Last", 1, 7000.0));
    let archive = made::tar(&[("first", &first), ("large", &large), ("last", &last)]);
    let results = hub.send("", &made::gzip(&*archive)).json()["results"].clone();
    let states: Vec<&str> = results.as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["unlisted", "quarantined", "unlisted"], "{results}");
}

#[test]
fn a_client_that_hangs_up_ends_the_work() {
    on_hubs(&[], |hub| {
        hub.keep("", &made::log("Board Six", 1, 7000.0));
        let idle = hub.workers();
        // Stopped workers take the upload and do nothing.
        idle.iter().for_each(|worker| signal(*worker, Signal::STOP));
        let body = long_log();
        let mut stream = TcpStream::connect(hub.url.strip_prefix("http://").unwrap()).unwrap();
        let (token, length) = (&hub.secret, body.len());
        write!(stream, "POST /api/results HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n").unwrap();
        write!(stream, "content-length: {length}\r\n\r\n").unwrap();
        stream.write_all(&body).unwrap();
        std::thread::sleep(Duration::from_millis(300));
        let left = || idle.iter().filter(|worker| hub.workers().contains(worker)).count();
        assert_eq!(left(), idle.len());
        drop(stream);
        wait_until("its worker ends", || left() < idle.len());
        idle.iter().for_each(|worker| signal(*worker, Signal::CONT));
        let mine = hub.ask("GET", "/api/mine").json();
        assert_eq!(mine["results"].as_array().unwrap().len(), 1, "nothing of it was kept: {mine}");
    });
}

#[test]
fn result_that_is_deleted_while_its_page_is_made_is_not_found() {
    on_hubs(&[], |hub| {
        let mut chance = testkit::virtual_board::Chance::new(1);
        let numbers: Vec<String> = (0..60_000).map(|_| chance.whole(0, 1 << 32).to_string()).collect();
        // Does not fit into the pipe to a worker.
        let large = hub.keep("", format!("{{\"note\":[{}]}}", numbers.join(",")).as_bytes());
        let small = hub.keep("", &made::log("Board Six", 1, 7000.0));
        hub.workers().into_iter().for_each(|worker| signal(worker, Signal::STOP));
        let page = || hub.ask("GET", &format!("/compare?id={large},{small}"));
        let page = std::thread::scope(|scope| {
            let asking = std::thread::Builder::new().spawn_scoped(scope, page).unwrap();
            std::thread::sleep(Duration::from_millis(500));
            assert_eq!(hub.ask("DELETE", &format!("/api/results/{small}")).status, 200);
            hub.workers().into_iter().for_each(|worker| signal(worker, Signal::CONT));
            asking.join().unwrap()
        });
        assert_eq!(page.status, 404, "{}", page.body);
    });
}

#[test]
fn hub_ends_soon_with_work_that_does_not() {
    on_hubs(&[], |hub| {
        hub.keep("", &made::log("Board Six", 1, 7000.0));
        let sql = "UPDATE result SET derived_by = 0";
        hub.workers().into_iter().for_each(|worker| signal(worker, Signal::STOP));
        write(&*hub.store(), |session| session.run(sql, &[])).unwrap();
        let began = std::thread::scope(|scope| {
            let sending = std::thread::Builder::new()
                .spawn_scoped(scope, || hub.try_send("", &long_log()).map_or(503, |answer| answer.status));
            let end = Instant::now() + Duration::from_millis(500);
            while Instant::now() < end {
                hub.workers().into_iter().for_each(|worker| signal(worker, Signal::STOP));
            }
            let began = Instant::now();
            hub.signal("TERM");
            wait_until("it answers or hangs up", || sending.as_ref().unwrap().is_finished());
            assert_eq!(sending.unwrap().join().unwrap(), 503);
            began
        });
        let workers = hub.workers();
        assert!(hub.terminate());
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        let count = number(&*hub.store(), "SELECT count(*) FROM result", &[]).unwrap();
        assert_eq!(count, 1, "what was not read was neither kept nor quarantined");
        wait_until("no worker is left", || {
            workers.iter().all(|worker| !std::path::Path::new(&format!("/proc/{worker}/exe")).exists())
        });
        hub.kill_and_restart();
        hub.verify();
    });
}

#[test]
fn results_that_end_their_worker_do_not_stop_the_work_of_a_new_build() {
    on_hubs(&[], |hub| {
        for number in 0..3_u32 {
            hub.keep("?publish=1", &[&long_log()[..], number.to_string().as_bytes()].concat());
        }
        let database = hub.store();
        let count = |condition: &str| {
            number(&*database, &format!("SELECT count(*) FROM result WHERE {condition}"), &[]).unwrap()
        };
        let spoil = || write(&*database, |session| session.run("UPDATE result SET derived_by = 0", &[])).unwrap();
        while_workers_get(hub, Signal::KILL, || {
            spoil();
            wait_until("all are derived", || count("derived_by = 0") == 0);
        });
        assert_eq!(count("listed = 0 AND quarantined LIKE '%ended its process%'"), 3);
        spoil();
        wait_until("all are derived", || count("derived_by = 0") == 0);
        assert_eq!(count("listed = 1 AND quarantined IS NULL"), 3, "they come back");
    });
}
