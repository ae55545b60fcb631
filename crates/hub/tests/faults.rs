//! Faults around a hub: a full disk, a database that restarts, hubs killed within a migration or a job, clocks that
//! step. Nothing acknowledged is lost, and reading goes on.

use crate::common;
use crate::common::hub_process::{HubProcess, program};
use crate::common::networks::Client;
use crate::common::{Folder, Server, made, on_both, on_hubs, postgres_database};
use hub::store::{Dialect, migrate, number, read, write};
use hub::{changes, notify};
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// Kills per database; `SBC_BENCH_HUB_KILLS` overrides it.
fn kills() -> u64 {
    common::from_environment("SBC_BENCH_HUB_KILLS", 6)
}

#[test]
fn full_disk_is_said_and_reading_goes_on() {
    let Some(hub) = HubProcess::on_small_disk(16 << 10) else {
        return testkit::skip("a disk of its own cannot be made for a test (root and unshare)");
    };
    let log = |number| made::log("Board F", number, 7000.0);
    let mut kept: Vec<String> = (500..503).map(|number| hub.keep("?publish=1", &log(number))).collect();
    // Fills the disk except for a few pages.
    let mut file = std::fs::File::create(hub.data.join("ballast")).unwrap();
    let fill = |file: &mut std::fs::File| while std::io::Write::write_all(file, &[1; 4096]).is_ok() {};
    fill(&mut file);
    let mut full = None;
    for number in 2..200 {
        let answer = hub.send("?publish=1", &log(number));
        match answer.status {
            201 => kept.push(answer.json()["results"][0]["id"].as_str().unwrap().to_owned()),
            _ => {
                full = Some(answer);
                break;
            }
        }
    }
    let full = full.unwrap();
    assert_eq!(full.status, 507, "{}", full.body);
    assert!(full.json()["error"].as_str().unwrap().starts_with("The disk of this hub is full"), "{}", full.body);
    for path in ["/", "/api/results", &format!("/r/{}", kept[0]), "/readyz"] {
        assert_eq!(hub.get(path).status, 200, "{path}");
    }
    // The disk is still full: a deletion uses the reserve, which is restored afterwards as far as another writer, such as
    // the one that keeps pages, left room.
    let reserve_bytes = || std::fs::metadata(hub.data.join("hub.sqlite-reserve")).map_or(0, |found| found.len());
    let complete = reserve_bytes();
    assert!(complete > 0, "no reserve");
    let delete = |id: String| {
        let answer = hub.ask("DELETE", &format!("/api/results/{id}"));
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(hub.get(&format!("/api/results/{id}")).status, 404);
    };
    for _ in 0..2 {
        fill(&mut file);
        delete(kept.pop().unwrap());
        assert!(reserve_bytes() >= complete / 8, "{} of {complete} bytes", reserve_bytes());
    }
    // Somebody else takes a part of the room of the reserve.
    std::fs::remove_file(hub.data.join("hub.sqlite-reserve")).unwrap();
    std::io::Write::write_all(&mut file, &vec![1; 1 << 20]).unwrap();
    delete(kept.pop().unwrap());
    assert!((complete / 8..complete).contains(&reserve_bytes()), "{} of {complete} bytes", reserve_bytes());
    file.set_len(0).unwrap();
    kept.push(hub.keep("?publish=1", &log(300)));
    delete(kept.pop().unwrap());
    assert_eq!(reserve_bytes(), complete);
    for id in &kept {
        assert_eq!(hub.get(&format!("/api/results/{id}")).status, 200, "{id} was acknowledged");
    }
}

#[test]
fn changes_that_wait_for_another_process_hold_up_no_reader() {
    let hub = HubProcess::start(None, &[]);
    let id = hub.keep("?publish=1", &made::log("Board L", 1, 7000.0));
    let (path, done) = (format!("/api/results/{id}/publish"), AtomicU32::new(0));
    let change = |number: u8| {
        let status = Client::new([127, 0, number % 4, 2], &hub.url, &hub.secret).ask("POST", &path, b"").0;
        done.fetch_add(1, Ordering::Relaxed);
        status
    };
    let other = hub.store();
    std::thread::scope(|scope| {
        let spawn = |number| std::thread::Builder::new().spawn_scoped(scope, move || change(number)).unwrap();
        let mut changes = Vec::new();
        let held = write(&*other, |_| {
            changes.extend((0..16).map(spawn));
            std::thread::sleep(Duration::from_millis(500));
            assert_eq!(hub.get("/api/results").status, 200);
            assert_eq!(done.load(Ordering::Relaxed), 0, "it did not wait for a change");
            Ok(())
        });
        held.unwrap();
        let statuses: Vec<u16> = changes.into_iter().map(|change| change.join().unwrap()).collect();
        assert_eq!(statuses, [200; 16]);
    });
}

#[test]
fn postgres_restarts_and_the_hub_connects_again() {
    let Some(server) = Server::start(&[]) else {
        return testkit::skip("PostgreSQL is not installed (Debian's package postgresql)");
    };
    let hub = HubProcess::start(Some(server.database()), &[]);
    let ends = AtomicBool::new(false);
    let acknowledged = std::thread::scope(|scope| {
        let sending = std::thread::Builder::new().spawn_scoped(scope, || {
            let mut kept = Vec::new();
            for number in 0.. {
                if ends.load(Ordering::Relaxed) {
                    break;
                }
                let answer = hub.send("?publish=1", &made::log("Board P", number % 300, 7000.0 + f64::from(number)));
                match answer.status {
                    // 200: the commit succeeded but its answer was lost with the connection, and the second attempt
                    // found the result.
                    200 | 201 => kept.push(answer.json()["results"][0]["id"].as_str().unwrap().to_owned()),
                    status => assert_eq!(status, 503, "{}", answer.body),
                }
            }
            kept
        });
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(400));
            server.restart();
        }
        // The hub needs no restart.
        hub.wait_for("/readyz", |answer| answer.status == 200);
        ends.store(true, Ordering::Relaxed);
        sending.unwrap().join().unwrap()
    });
    hub.keep("?publish=1", &made::log("Board After", 1, 7000.0));
    assert!(!acknowledged.is_empty());
    for id in &acknowledged {
        assert_eq!(hub.get(&format!("/api/results/{id}")).status, 200, "{id} was acknowledged");
    }
    hub.verify();
    drop(hub);
    server.end_restarted();
}

#[test]
fn database_that_another_process_locks_is_said_to_be_locked() {
    on_hubs(&[], |hub| {
        let database = hub.store();
        let lock = match database.dialect() {
            Dialect::Sqlite => "UPDATE token SET name = name",
            Dialect::Postgres => "LOCK TABLE original",
        };
        let refused = write(&*database, |session| {
            session.run(lock, &[])?;
            Ok(hub.send("", &made::log("Board L", 1, 7000.0)))
        });
        let refused = refused.unwrap();
        let said = refused.json()["error"].as_str().unwrap().to_owned();
        assert_eq!(
            (refused.status, said.as_str()),
            (503, "The database is locked by another process; try again later.")
        );
        hub.keep("", &made::log("Board L", 1, 7000.0));
    });
}

#[test]
fn migration_is_whole_or_not_there_over_kills() {
    for database in [None, postgres_database()] {
        for kill in 0..kills() {
            let folder = common::Folder::new();
            let url = database.as_ref().and_then(|_| postgres_database());
            let mut command = program(&folder.0, url.as_deref(), &["migrate"]);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(kill * 7 % 60));
            let _ = child.kill();
            child.wait().unwrap();
            let hub = HubProcess::on(folder.0.to_path_buf(), url, &[]);
            hub.keep("", &made::log("Board M", 1, 7000.0));
            hub.verify();
        }
    }
}

#[test]
fn results_of_an_older_build_are_derived_over_kills() {
    on_hubs(&[], |hub| {
        for number in 0..30 {
            hub.keep("?publish=1", &made::log("Board D", number, 7000.0 + f64::from(number)));
        }
        // A second hub on the same PostgreSQL completes the work of the killed one.
        let second = hub.database.clone().map(|url| HubProcess::start(Some(url), &[]));
        let database = hub.store();
        let spoil = "UPDATE result SET derived_by = 0, headline = ''";
        write(&*database, |session| session.run(spoil, &[])).unwrap();
        for kill in 0..kills().min(20) {
            std::thread::sleep(Duration::from_millis(20 + kill * 37 % 90));
            match &second {
                Some(_) => hub.kill(),
                None => hub.kill_and_restart(),
            }
        }
        let left = || number(&*database, "SELECT count(*) FROM result WHERE headline = ''", &[]).unwrap();
        testkit::wait_until("all headlines are derived", || left() == 0);
        hub.verify();
    });
}

#[test]
fn notice_is_sent_after_the_clock_was_set_back() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    on_both(|store, name| {
        let (now, year) = (1_800_000_000_000_i64, 365 * 86_400_000_i64);
        migrate(&**store, now).unwrap();
        let made = write(&**store, |session| hub::tokens::make(session, "owner", &hub::tokens::Scope::ALL, now));
        made.unwrap();
        let target = format!("http://127.0.0.1:{port}/");
        let hook = hub::hooks::Hook::new(hub::hooks::Form::Generic, &target, true).unwrap();
        write(&**store, |session| hub::hooks::add(session, "owner", &hook)).unwrap();
        write(&**store, |session| {
            let sql = "INSERT INTO notice (hook_id, change_id, due_utc_ms, tries) \
                       SELECT id, 1, $1, 0 FROM hook";
            // The change was stored while the clock was ten years ahead.
            session.run(sql, &[(now + 10 * year).into()])
        })
        .unwrap();
        let tries = || number(&**store, "SELECT tries FROM notice", &[]).unwrap();
        notify::send_one(&**store, "", now).unwrap();
        assert_eq!(tries(), 1, "{name}: it is tried now, not in ten years");
        notify::send_one(&**store, "", now).unwrap();
        assert_eq!(tries(), 1, "{name}: and then when it is due again");
        assert!(read(&**store, |session| changes::all(session, 1)).unwrap().is_empty(), "{name}");
    });
}

#[test]
fn hub_waits_for_a_database_that_starts_later() {
    if postgres_database().is_none() {
        return testkit::was_skipped();
    }
    let place = Folder::new();
    let folder = std::env::temp_dir().join(format!("sbc-bench-hub-late-{}", std::process::id()));
    let url = format!("host={} user=hub dbname=postgres", folder.display());
    let mut hub = program(&place.0, Some(&url), &["serve", "--listen", "127.0.0.1:0"]);
    let mut hub = hub.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let first_line = |output: Box<dyn Read>| {
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).unwrap();
        line
    };
    let log = first_line(Box::new(hub.stderr.take().unwrap()));
    assert!(log.contains("\"event\":\"waits for the database\"") && log.contains("\"why\""), "{log}");
    let server = Server::start_in(folder, &["fsync=off"]);
    let said = first_line(Box::new(hub.stdout.take().unwrap()));
    hub.kill().unwrap();
    hub.wait().unwrap();
    assert!(server.is_some() && said.starts_with("Listening on http://127.0.0.1:"), "{said}");
}
