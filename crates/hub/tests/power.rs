//! Hubs whose machine loses power at any moment: acknowledged uploads exist afterwards, byte for byte, and the hub
//! starts.

use crate::common;
use crate::common::hub_process::HubProcess;
use crate::common::{Folder, Server, made};
use hub::store::{Sqlite, Store, read};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use testkit::Disk;
use testkit::virtual_board::Chance;

/// Power cuts per database; `SBC_BENCH_HUB_CUTS` overrides it.
fn cuts() -> u64 {
    common::from_environment("SBC_BENCH_HUB_CUTS", 4)
}

/// Uploads of two clients before the cuts.
const UPLOADS: u32 = 40;
/// Settings of a server that writes its tables to the disk at times, and not only its log.
const SETTINGS: [&str; 3] = ["max_wal_size=2MB", "min_wal_size=2MB", "checkpoint_flush_after=0"];
/// Variable that is set in the mounting process.
const INSIDE: &str = "SBC_BENCH_HUB_CUTS_INSIDE";

/// Acknowledged upload: number of disk events until then, and its original.
struct AcknowledgedUpload {
    events: usize,
    original: String,
}

#[test]
fn nothing_acknowledged_is_lost_over_power_cuts() {
    if std::env::var_os(INSIDE).is_some() {
        on_disk(64 << 20, false);
        on_disk(128 << 20, true);
    } else if Command::new("unshare").args(["-m", "true"]).status().is_ok_and(|status| status.success()) {
        // Mounts of a namespace end with its processes.
        let mut inside = Command::new("unshare");
        inside.arg("-m").arg(std::env::current_exe().unwrap()).env(INSIDE, "1");
        inside.args(testkit::only(&nothing_acknowledged_is_lost_over_power_cuts)).arg("--nocapture");
        assert!(inside.status().unwrap().success());
    } else {
        testkit::skip("nothing can be mounted for a test (root and unshare)");
    }
}

fn on_disk(bytes: u64, with_postgres: bool) {
    let folder = Folder::new();
    let image = testkit::empty_image(&folder.0, bytes).unwrap();
    let disk = match Disk::mount(&folder.0, image) {
        Ok(disk) => disk,
        Err(error) => return testkit::skip(&format!("a disk cannot be mounted (FUSE and a loop device): {error}")),
    };
    let (server, url) = if with_postgres {
        let Some(server) = Server::start_in(disk.root.join("postgres"), &SETTINGS) else {
            return testkit::skip("PostgreSQL is not installed (Debian's package postgresql)");
        };
        let url = server.database();
        (Some(server), Some(url))
    } else {
        (None, None)
    };
    // With PostgreSQL, the operator makes the directory.
    std::fs::create_dir(disk.root.join("hub")).unwrap();
    assert!(Command::new("sync").status().unwrap().success());
    let began = disk.events();
    let hub = HubProcess::on(disk.root.join("hub"), url.clone(), &[]);
    let listening = disk.events();
    let kept = uploads(&hub, &disk);
    let (ended, secret) = (disk.events(), hub.secret.clone());
    drop((hub, server));
    let mut chance = Chance::new(if with_postgres { 2 } else { 1 });
    let images: Vec<(usize, Vec<u8>)> = (0..cuts())
        .map(|number| {
            // Some cuts happen during the first start of a hub.
            let first = if number % 8 == 7 { began } else { listening };
            let events = chance.whole(first as u64, ended as u64) as usize;
            (events, disk.cut(events, &mut chance))
        })
        .collect();
    drop(disk);
    let mut checked = 0;
    for (number, (events, image)) in images.into_iter().enumerate() {
        let disk = Disk::mount(&folder.0, image).unwrap_or_else(|error| panic!("cut {number}: {error}"));
        let known: BTreeMap<&String, &AcknowledgedUpload> =
            kept.iter().filter(|(_, kept)| kept.events <= events).collect();
        println!("cut {number}: after {events} of {ended} events, {} uploads acknowledged", known.len());
        checked += known.len();
        let server = with_postgres.then(|| Server::start_in(disk.root.join("postgres"), &SETTINGS).unwrap());
        let mut hub = HubProcess::on(disk.root.join("hub"), url.clone(), &[]);
        if events >= listening {
            assert_eq!(hub.secret, secret, "the token of the owner");
        }
        for (id, kept) in known {
            assert_eq!(hub.get(&format!("/api/results/{id}/original")).body, kept.original, "{id} was acknowledged");
            assert_eq!(hub.get(&format!("/r/{id}")).status, 200, "{id} was acknowledged");
        }
        hub.keep("?publish=1", &made::log("Board After", 1, 7000.0));
        hub.kill();
        check(&hub, server.as_ref());
    }
    println!("{} cuts, {checked} uploads acknowledged before them and looked for, 0 lost", cuts());
}

fn uploads(hub: &HubProcess, disk: &Disk) -> BTreeMap<String, AcknowledgedUpload> {
    let kept = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for client in 0..2 {
            let kept = &kept;
            let uploading = std::thread::Builder::new().spawn_scoped(scope, move || {
                for number in (client..UPLOADS).step_by(2) {
                    let id = hub.keep("?publish=1", &made::log("Board C", number, 7000.0 + f64::from(number)));
                    let events = disk.events();
                    let original = hub.get(&format!("/api/results/{id}/original")).body;
                    kept.lock().unwrap().insert(id, AcknowledgedUpload { events, original });
                }
            });
            uploading.unwrap();
        }
    });
    kept.into_inner().unwrap()
}

/// The database is whole by the checks of the hub and of the database itself.
fn check(hub: &HubProcess, server: Option<&Server>) {
    hub.verify();
    match server {
        Some(server) => server.check(hub.database.as_deref().unwrap()),
        None => check_sqlite(&hub.data.join("hub.sqlite")),
    }
}

fn check_sqlite(file: &Path) {
    let store = Sqlite::open(file).unwrap();
    let rows = read(&store as &dyn Store, |session| session.run("PRAGMA integrity_check", &[])).unwrap();
    assert_eq!(rows[0].words(0), "ok");
}
