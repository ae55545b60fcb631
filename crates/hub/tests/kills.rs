//! Hubs that are killed at any moment: acknowledged uploads exist afterwards, whole and once, and nothing partial is
//! shown.

use crate::common;
use crate::common::hub_process::{HubProcess, program, said};
use crate::common::{Folder, Server, made, on_hubs, postgres_database};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Kills per database; `SBC_BENCH_HUB_KILLS` overrides it.
fn kills() -> u32 {
    common::from_environment("SBC_BENCH_HUB_KILLS", 6)
}

#[test]
fn nothing_acknowledged_is_lost_over_kills() {
    on_hubs(&[], |hub| {
        let mut acknowledged: Vec<String> = Vec::new();
        let mut number = 0;
        for kill in 0..kills() {
            let (ends, count) = (AtomicBool::new(false), AtomicU32::new(0));
            let began = number;
            std::thread::scope(|scope| {
                let sending = std::thread::Builder::new().spawn_scoped(scope, || {
                    let mut kept = Vec::new();
                    let mut number = began;
                    while !ends.load(Ordering::Relaxed) {
                        match hub
                            .try_send("?publish=1", &made::log("Board K", number % 300, 7000.0 + f64::from(number)))
                        {
                            Ok(answer) if answer.status == 201 => {
                                kept.push(answer.json()["results"][0]["id"].as_str().unwrap().to_owned());
                                count.fetch_add(1, Ordering::Relaxed);
                            }
                            _ => break,
                        }
                        number += 1;
                    }
                    (kept, number)
                });
                let sending = sending.unwrap();
                // Every second kill waits for an answer: a busy machine may give none in time for the others.
                let until = Instant::now() + Duration::from_secs(60);
                while kill % 2 == 0 && count.load(Ordering::Relaxed) == 0 && Instant::now() < until {
                    std::thread::sleep(Duration::from_millis(5));
                }
                // Any moment of an upload, from its first bytes to after its answer.
                std::thread::sleep(Duration::from_millis(150 + u64::from(kill * 37 % 200)));
                hub.signal("KILL");
                ends.store(true, Ordering::Relaxed);
                let (kept, next) = sending.join().unwrap();
                acknowledged.extend(kept);
                number = next + 1;
            });
            hub.kill_and_restart();
        }
        assert!(!acknowledged.is_empty());
        for id in &acknowledged {
            assert_eq!(hub.get(&format!("/api/results/{id}")).status, 200, "{id} was acknowledged");
        }
        eprintln!("{} kills: {} uploads acknowledged, none lost", kills(), acknowledged.len());
        hub.verify();
        let listed = hub.listed("?limit=200");
        // One upload of each round may have been stored without an answer.
        assert!(listed >= acknowledged.len().min(200), "{listed} of {}", acknowledged.len());
        assert!(listed <= acknowledged.len() + kills() as usize, "{listed} of {}", acknowledged.len());
    });
}

/// Uploads through two hubs that are killed with their database; `SBC_BENCH_HUB_UPLOADS` overrides it.
fn uploads() -> u32 {
    common::from_environment("SBC_BENCH_HUB_UPLOADS", 60)
}

const SENDERS: u32 = 4;

#[test]
fn nothing_acknowledged_is_lost_while_hubs_and_their_database_are_killed() {
    let Some(server) = Server::start(&["synchronous_commit=on"]) else {
        return testkit::skip("PostgreSQL is not installed (Debian's package postgresql)");
    };
    let database = server.database();
    let words = ["--uploads-per-minute", "1000000", "--requests-per-minute", "1000000"];
    let start = || RwLock::new(HubProcess::start(Some(database.clone()), &words));
    let hubs = [start(), start()];
    let secret = hubs[0].read().unwrap().secret.clone();
    hubs[1].write().unwrap().secret = secret;
    let count = AtomicU32::new(0);
    let send = |number: u32| {
        let log = made::log(&format!("Board {}", number % 40), number, 7000.0 + f64::from(number));
        let until = Instant::now() + Duration::from_secs(120);
        for tries in number.. {
            let answer = hubs[tries as usize % 2].read().unwrap().try_send("?publish=1", &log);
            if let Some(answer) = answer.ok().filter(|answer| matches!(answer.status, 200 | 201)) {
                count.fetch_add(1, Ordering::Relaxed);
                return (number, answer.json()["results"][0]["id"].as_str().unwrap().to_owned());
            }
            assert!(Instant::now() < until, "upload {number} is not taken");
            std::thread::sleep(Duration::from_millis(20));
        }
        unreachable!("it is tried until it is taken or too late")
    };
    let mut kills = [0_u32; 3];
    let acknowledged: BTreeMap<u32, String> = std::thread::scope(|scope| {
        let sender = |from: u32| {
            let send = &send;
            let sending = move || (from..uploads()).step_by(SENDERS as usize).map(send).collect::<Vec<_>>();
            std::thread::Builder::new().spawn_scoped(scope, sending).unwrap()
        };
        let senders: Vec<_> = (0..SENDERS).map(sender).collect();
        // Kills one of the three at each tenth of the uploads.
        for tenth in 1..10 {
            while count.load(Ordering::Relaxed) * 10 < tenth * uploads()
                && senders.iter().any(|sender| !sender.is_finished())
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            let killed = tenth as usize % 3;
            kills[killed] += 1;
            match hubs.get(killed) {
                Some(hub) => {
                    hub.read().unwrap().signal("KILL");
                    hub.write().unwrap().kill_and_restart();
                }
                None => server.restart(),
            }
        }
        senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect()
    });
    assert_eq!(acknowledged.len() as u32, uploads());
    let distinct: BTreeSet<&String> = acknowledged.values().collect();
    assert_eq!(distinct.len() as u32, uploads(), "each is kept once");
    for hub in &hubs {
        let hub = hub.read().unwrap();
        hub.wait_for("/readyz", |answer| answer.status == 200);
        let client = hub.client();
        for (number, id) in &acknowledged {
            let answer = client.send("GET", &format!("/api/results/{id}/original"), None);
            let score = format!("{:.0}", 7000.0 + f64::from(*number));
            assert!(answer.status == 200 && answer.body.contains(&score), "{number}: {id} was acknowledged");
        }
    }
    hubs[0].read().unwrap().verify();
    eprintln!(
        "{} uploads, {} and {} kills of the hubs, {} immediate restarts of PostgreSQL: 0 lost",
        uploads(),
        kills[0],
        kills[1],
        kills[2]
    );
    drop(hubs);
    server.end_restarted();
}

#[test]
fn backup_is_taken_while_the_hub_runs_and_restored_elsewhere() {
    let hub = HubProcess::start(None, &[]);
    let id = hub.keep("?publish=1", &made::log("Board B", 1, 7000.0));
    let file = hub.data.join("backup.sqlite");
    let name = file.to_str().unwrap();
    let backup = || hub.operate(&["backup", name], "");
    let (is_good, said) = backup();
    assert!(is_good && said.contains("1 result and 1 original"), "{said}");
    assert!(!backup().0, "nothing is overwritten");
    let elsewhere = hub.data.join("elsewhere");
    // A restore that ends halfway, here by the limit of its file size, leaves no database that a hub would open.
    let blocks = std::fs::metadata(&file).unwrap().len() / 2 / 512;
    let script = format!("ulimit -f {blocks} && exec \"$@\"");
    let mut limited = Command::new("sh");
    limited.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_sbc-bench-hub"), "restore", name]);
    assert!(!limited.arg("--data").arg(&elsewhere).status().unwrap().success());
    assert!(elsewhere.join("hub.sqlite.part").exists() && !elsewhere.join("hub.sqlite").exists());
    assert!(program(&elsewhere, None, &["restore", name]).status().unwrap().success());
    assert!(!program(&elsewhere, None, &["restore", name]).status().unwrap().success(), "nothing is overwritten");
    let restored = HubProcess::on(elsewhere, None, &[]);
    assert_eq!(restored.get(&format!("/r/{id}")).status, 200);
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let other = hub.data.join("other");
    assert!(!program(&other, None, &["restore", name]).status().unwrap().success(), "half a backup");
}

#[test]
fn backup_of_postgresql_is_verified_and_restored_elsewhere() {
    let (Some(url), Some(elsewhere)) = (postgres_database(), postgres_database()) else {
        return testkit::was_skipped();
    };
    let hub = HubProcess::start(Some(url.clone()), &[]);
    let id = hub.keep("?publish=1", &made::log("Board B", 1, 7000.0));
    let file = hub.data.join("backup.dump");
    let name = file.to_str().unwrap();
    let run = |words: &[&str], url: &str| said(&program(&hub.data, Some(url), words).output().unwrap());
    std::fs::write(hub.data.join("backup.dump.part"), "what an earlier one left").unwrap();
    let (is_good, said) = run(&["backup", name], &url);
    assert!(is_good && said.contains("written and read again"), "{said}");
    assert!(!hub.data.join("backup.dump.part").exists());
    assert!(!run(&["backup", name], &url).0, "nothing is overwritten");
    let (is_good, said) = run(&["restore", name], &elsewhere);
    assert!(!is_good && said.contains("pg_restore --no-owner --dbname=URL"), "{said}");
    let restored = Command::new("pg_restore").args(["--no-owner", "--dbname", &elsewhere, name]).status().unwrap();
    assert!(restored.success());
    let other = HubProcess::start(Some(elsewhere), &[]);
    assert_eq!(other.get(&format!("/r/{id}")).status, 200);
    other.verify();
    let gone = hub.data.join("gone.dump");
    let (is_good, said) = run(&["backup", gone.to_str().unwrap()], &format!("{url}x"));
    assert!(!is_good && !gone.exists(), "{said}");
}

#[test]
fn other_files_are_named_and_not_restored() {
    let folder = Folder::new();
    for (words, said) in [
        (&["restore", "/etc/passwd"][..], "/etc/passwd is not a backup of a hub"),
        (&["restore", "/no/such/file"], "/no/such/file does not exist"),
        (&[], "sbc-bench-hub: A command is missing. Try `sbc-bench-hub --help`."),
        (
            &["restore"],
            "sbc-bench-hub: The following required arguments were not provided: <FILE>. Try `sbc-bench-hub --help`.",
        ),
        (&["--nonsense"], "sbc-bench-hub: Unexpected argument '--nonsense' found. Try `sbc-bench-hub --help`."),
    ] {
        let output = program(&folder.0, None, words).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && err.contains(said) && err.lines().count() == 1, "{words:?}: {err}");
        assert!(!folder.0.join("hub.sqlite").exists(), "{words:?}");
    }
}

#[test]
fn two_hubs_share_one_database_and_one_is_killed() {
    let url = testkit::found!(postgres_database());
    let mut first = HubProcess::start(Some(url.clone()), &[]);
    let second = HubProcess::start(Some(url), &[]);
    let id = first.keep("?publish=1", &made::log("Board M", 1, 7000.0));
    first.kill();
    assert_eq!(second.get(&format!("/r/{id}")).status, 200);
    assert_eq!(second.get("/api/results").json()["results"][0]["id"], id);
    first.kill_and_restart();
    assert_eq!(first.get(&format!("/r/{id}")).status, 200);
    second.verify();
}
