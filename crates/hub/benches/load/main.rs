//! Load on a hub with many results: response times, Records stored per second, memory, and start-up time.
//!
//! With `readers` behind the number, only readers that ask for the next page at once are measured, on SQLite.
//!
//! Times vary with other load, so `cargo xtask bench --hub RESULTS` runs this and `cargo test` does not. Hub, database
//! and clients share the CPUs. Uses SQLite, and PostgreSQL where it is installed; both sync to the disk at each commit,
//! as in production.

#![allow(clippy::disallowed_methods, clippy::print_stdout)]

#[path = "../../tests/common/mod.rs"]
mod common;
mod database;
mod pace;
mod readers;
mod requests;
mod sources;
mod uploads;

use common::hub_process::HubProcess;
use common::{Folder, Server};
use database::DatabaseFill;
use std::time::{Duration, Instant};

/// Sizes at which Records are sent, besides the last.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Disables rate limits.
const WITHOUT_RATES: [&str; 4] = ["--requests-per-minute", "1000000000", "--uploads-per-minute", "1000000000"];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let Some(results) = words.first().and_then(|word| word.parse().ok()) else {
        println!("Times of a hub are measured by cargo xtask bench --hub RESULTS.");
        return;
    };
    let wanted = |name: &str| words.get(1).is_none_or(|only| only.eq_ignore_ascii_case(name));
    if words.get(1).is_some_and(|only| only == "readers") {
        return only_readers(results);
    }
    if wanted("sqlite") {
        measure("SQLite", None, results);
    }
    if wanted("postgresql") {
        let Some(server) = Server::start(&["synchronous_commit=on"]) else {
            println!("PostgreSQL: not measured, because it is not installed (Debian's package postgresql).");
            return;
        };
        measure("PostgreSQL", Some(&server), results);
    }
}

fn measure(name: &str, server: Option<&Server>, results: usize) {
    let folder = Folder::new();
    let data = folder.0.to_path_buf();
    let database = server.map(Server::database);
    println!("{name}, {results} results; load average {}", load_average());
    let mut filling = DatabaseFill::begin(&data, database.as_deref());
    let sizes = SIZES.into_iter().filter(|size| *size < results).chain([results]);
    let mut records = sources::Records::new();
    for size in sizes {
        let took = filling.until(size);
        if let Some(server) = server {
            server.tidy_up(database.as_deref().unwrap_or_default());
        }
        println!("  filled to {size}: {:.1} s", took.as_secs_f64());
        let hub = start(&data, database.as_deref());
        uploads::records(&hub, &mut records);
    }
    let hub = start(&data, database.as_deref());
    requests::send_all(&hub);
    readers::closed_loop(&hub);
    let [hub_mb, workers_mb] = [hub.memory_kib(), hub.workers_kib()].map(|kib| kib as f64 * 1.024 / 1e3);
    println!("  memory of the hub: at most {hub_mb:.0} MB, of its {} workers {workers_mb:.0} MB", hub.workers().len());
    filling.originals();
}

/// Measures the pages of results alone, on SQLite.
fn only_readers(results: usize) {
    let folder = Folder::new();
    println!("SQLite, {results} results; load average {}", load_average());
    let took = DatabaseFill::begin(&folder.0, None).until(results);
    println!("  filled to {results}: {:.1} s", took.as_secs_f64());
    readers::closed_loop(&start(&folder.0, None));
}

/// Starts a hub and prints the time until it is ready.
fn start(data: &std::path::Path, database: Option<&str>) -> HubProcess {
    let begin = Instant::now();
    let hub = HubProcess::on(data.to_path_buf(), database.map(str::to_owned), &WITHOUT_RATES);
    while hub.get("/readyz").status != 200 {
        assert!(begin.elapsed() < Duration::from_secs(60), "the hub does not become ready");
        std::thread::sleep(Duration::from_millis(1));
    }
    println!("  start to ready: {} ms", begin.elapsed().as_millis());
    hub
}

/// Other load affects the times.
fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").to_owned()
}
