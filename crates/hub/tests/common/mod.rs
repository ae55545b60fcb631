//! Databases for tests: SQLite in its own folder, PostgreSQL on its own socket, started for the test process.
#![allow(dead_code, reason = "each test uses a part of the helpers")]

pub(crate) mod hub_process;
pub(crate) mod made;
pub(crate) mod networks;

use hub::limits::Limits;
use hub::results::StoredResult;
use hub::store::{Postgres, Sqlite, Store, migrate};
use hub::submit::{UploadOptions, submit};
use hub::worker::{Stop, Workers};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use testkit::Scratch;

static NEXT: AtomicU32 = AtomicU32::new(0);

pub(crate) struct Folder(pub(crate) Scratch);

impl Folder {
    pub(crate) fn new() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(Scratch::new(&format!("hub-test-{number}")))
    }
}

/// Workers for tests without a hub.
pub(crate) fn workers() -> &'static Workers {
    static WORKERS: OnceLock<Workers> = OnceLock::new();
    WORKERS.get_or_init(|| Workers::new(env!("CARGO_BIN_EXE_sbc-bench-hub").into(), Limits::default()))
}

/// Stores a file as a listed result.
pub(crate) fn submitted(store: &dyn Store, owner: i64, now_utc_ms: i64, build: i64, bytes: &[u8]) -> StoredResult {
    let sent = UploadOptions { owner, publish: true, alias: String::new(), now_utc_ms, build, quarantines: true };
    submit(store, workers(), &Stop::default(), bytes, &sent, &|_, _, _| Ok(())).unwrap().remove(0).1.unwrap()
}

/// Runs a test on both databases, each empty.
pub(crate) fn on_both(test: impl Fn(&Arc<dyn Store>, &str)) {
    let folder = Folder::new();
    let sqlite: Arc<dyn Store> = Arc::new(Sqlite::open(&folder.0.join("hub.sqlite")).unwrap());
    test(&sqlite, "SQLite");
    if let Some(url) = postgres_database() {
        let postgres: Arc<dyn Store> = Arc::new(Postgres::open(&url).unwrap());
        test(&postgres, "PostgreSQL");
    }
}

/// Runs a test on both databases, each with empty tables.
pub(crate) fn on_migrated(test: impl Fn(&Arc<dyn Store>, &str)) {
    on_both(|store, name| {
        migrate(&**store, 1).unwrap();
        test(store, name);
    });
}

/// URL of a new, empty database; none, with a counted line, without PostgreSQL.
pub(crate) fn postgres_database() -> Option<String> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    let server = SERVER.get_or_init(|| {
        // No sync to the disk: tests kill hubs and not this server.
        let started = Server::start(&["fsync=off"]);
        if started.is_none() {
            testkit::skip("PostgreSQL is not installed (Debian's package postgresql)");
        }
        started
    });
    Some(server.as_ref()?.database())
}

/// A PostgreSQL server.
pub(crate) struct Server {
    folder: PathBuf,
    programs: PathBuf,
    running: Child,
}

/// User of the server, because PostgreSQL refuses root.
const USER: &str = "postgres";

impl Server {
    /// Starts a server with these settings; none without PostgreSQL.
    pub(crate) fn start(settings: &[&str]) -> Option<Self> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self::start_in(
            std::env::temp_dir().join(format!("sbc-bench-hub-test-{number}-{}", std::process::id())),
            settings,
        )
    }

    /// As [`Self::start`], in a folder that may contain data of an earlier server; it is removed in the end.
    pub(crate) fn start_in(folder: PathBuf, settings: &[&str]) -> Option<Self> {
        let programs = programs()?;
        let user = user()?;
        hub::private::directory(&folder).ok()?;
        std::os::unix::fs::chown(&folder, Some(user.0), Some(user.1)).ok()?;
        let data = folder.join("data");
        if !data.exists() {
            let mut initdb = Command::new(programs.join("initdb"));
            initdb.args(["--no-sync", "--auth=trust", "--username=hub", "--encoding=UTF8", "--locale=C"]);
            initdb.args(["--wal-segsize=1", "-D"]).arg(&data);
            let made = as_user(&mut initdb, user, &folder).stdout(Stdio::null()).status().ok()?;
            assert!(made.success(), "initdb failed");
        }
        let running = run(&programs, &folder, user, settings);
        let server = Self { folder, programs, running };
        server.wait();
        Some(server)
    }

    pub(crate) fn url(&self, database: &str) -> String {
        format!("host={} user=hub dbname={database}", self.folder.display())
    }

    fn wait(&self) {
        testkit::wait_until("PostgreSQL starts", || Postgres::open(&self.url("postgres")).is_ok());
    }

    pub(crate) fn database(&self) -> String {
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-q", "-U", "hub", "-d", "postgres", "-h"]).arg(&self.folder);
        assert!(psql.arg("-c").arg(format!("CREATE DATABASE {name}")).status().unwrap().success());
        self.url(&name)
    }

    /// Does what autovacuum does some time after an insert.
    pub(crate) fn tidy_up(&self, database: &str) {
        let mut psql = Command::new(self.programs.join("psql"));
        assert!(psql.args(["-q", "-d", database, "-c", "VACUUM (ANALYZE)"]).status().unwrap().success());
    }

    /// Compares its tables with their indexes, row by row.
    pub(crate) fn check(&self, database: &str) {
        let mut check = Command::new(self.programs.join("pg_amcheck"));
        check.args(["--install-missing", "--heapallindexed", database]);
        let output = check.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
    }

    /// Restarts the server, as after a crash.
    pub(crate) fn restart(&self) {
        self.control(&["restart", "--wait", "--mode=immediate"]);
    }

    /// Ends a restarted server, which is not a child of the shell.
    pub(crate) fn end_restarted(&self) {
        self.control(&["stop", "--mode=immediate"]);
    }

    fn control(&self, words: &[&str]) {
        let mut control = Command::new(self.programs.join("pg_ctl"));
        control.args(words).arg("--silent").arg("-D").arg(self.folder.join("data"));
        control.arg("-l").arg(self.folder.join("log")).stdout(Stdio::null()).stderr(Stdio::null());
        let user = user().unwrap();
        assert!(as_user(&mut control, user, &self.folder).status().unwrap().success(), "pg_ctl {words:?}");
    }

    fn stop(&mut self) {
        // The shell ends the server when its standard input closes.
        drop(self.running.stdin.take());
        let _ = self.running.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Shell that ends the server and removes its folder when this process ends in any way.
fn run(programs: &Path, folder: &Path, user: (u32, u32), settings: &[&str]) -> Child {
    let script = "program=$1 data=$2 folder=$3; shift 3; \"$program\" -D \"$data\" -k \"$folder\" -c listen_addresses= \
                  -c max_connections=60 \"$@\" >\"$folder/log\" 2>&1 & server=$!; read -r _; kill -QUIT $server; \
                  wait $server; rm -rf \"$folder\" 2>/dev/null";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "sh"]).arg(programs.join("postgres")).arg(folder.join("data")).arg(folder);
    shell.args(settings.iter().flat_map(|setting| ["-c", setting]));
    as_user(&mut shell, user, folder).stdin(Stdio::piped()).process_group(0).spawn().unwrap()
}

fn as_user<'a>(command: &'a mut Command, (user, group): (u32, u32), folder: &Path) -> &'a mut Command {
    if rustix_is_root() {
        command.uid(user).gid(group);
    }
    command.current_dir(folder)
}

fn rustix_is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// Ids of user and group.
fn user() -> Option<(u32, u32)> {
    if !rustix_is_root() {
        let own = std::fs::metadata("/proc/self").ok()?;
        return Some((std::os::unix::fs::MetadataExt::uid(&own), std::os::unix::fs::MetadataExt::gid(&own)));
    }
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let line = users.lines().find(|line| line.split(':').next() == Some(USER))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// Folder of the newest PostgreSQL.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.retain(|folder| folder.join("initdb").exists() && folder.join("psql").exists());
    folders.sort();
    folders.pop()
}

/// Runs a test on a hub on each database.
pub(crate) fn on_hubs(words: &[&str], test: impl Fn(&mut hub_process::HubProcess)) {
    test(&mut hub_process::HubProcess::start(None, words));
    if let Some(url) = postgres_database() {
        test(&mut hub_process::HubProcess::start(Some(url), words));
    }
}

/// Number in an environment variable that lengthens a test.
pub(crate) fn from_environment<T: std::str::FromStr>(name: &str, otherwise: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}
