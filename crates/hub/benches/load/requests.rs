//! Requests every page and every call in random order, of many results, boards and other names.

use crate::common::hub_process::HubProcess;
use crate::pace::{Request, percentile, times};
use crate::sources;
use std::time::{Duration, Instant};
use testkit::virtual_board::Chance;

/// Requests per second.
const PER_SECOND: u32 = 50;
/// Number of requests of each kind.
const ROUNDS: usize = 60;

/// Name in the table, method, path. `{board}` and the like stand for a name, `{id}` for a result.
const REQUESTS: &[(&str, &str, &str)] = &[
    ("page: newest", "GET", "/"),
    ("page: sorted", "GET", "/?sort={sort}"),
    ("page: sorted, verdict", "GET", "/?sort={sort}&verdict={verdict}"),
    ("page: search", "GET", "/search?q={word}"),
    ("page: search, sorted", "GET", "/search?q={word}&sort={sort}"),
    ("page: result", "GET", "/r/{id}"),
    ("page: trend", "GET", "/r/{id}/trend"),
    ("page: names", "GET", "/names/{kind}"),
    ("page: board", "GET", "/board/{board}"),
    ("page: board, sorted", "GET", "/board/{board}?sort={sort}"),
    ("page: SoC", "GET", "/soc/{soc}?sort={sort}"),
    ("page: core type", "GET", "/core/{core}?sort={sort}"),
    ("page: compare 2", "GET", "/compare?id={id},{id}"),
    ("page: compare 5", "GET", "/compare?id={id},{id},{id},{id},{id}"),
    ("page: stability", "GET", "/stability"),
    ("feed", "GET", "/feed.atom"),
    ("badge", "GET", "/badge/{id}.svg"),
    ("list", "GET", "/api/results"),
    ("list, 200 rows", "GET", "/api/results?limit=200"),
    ("list, CSV", "GET", "/api/results?limit=200&format=csv&sort={sort}"),
    ("list, from a cursor", "GET", "/api/results?sort={sort}&cursor={value}_5"),
    ("list, board", "GET", "/api/results?board={board}&sort={sort}&verdict={verdict}"),
    ("list, cores", "GET", "/api/results?cores={cores}&sort={sort}"),
    ("list, core type", "GET", "/api/results?core={core}&died=1"),
    ("list, kernel", "GET", "/api/results?kernel={kernel}&verdict={verdict}"),
    ("list, distribution", "GET", "/api/results?distribution={distribution}&sort={sort}"),
    ("list, two names", "GET", "/api/results?board={board}&kernel={kernel}"),
    ("list, died", "GET", "/api/results?died=1&sort={sort}"),
    ("list, search", "GET", "/api/results?q={word}"),
    ("result", "GET", "/api/results/{id}"),
    ("original", "GET", "/api/results/{id}/original"),
    ("findings", "GET", "/api/results/{id}/findings"),
    ("names", "GET", "/api/names/{kind}"),
    ("references", "GET", "/api/references"),
    ("references of a board", "GET", "/api/references?board={board}"),
    ("changes", "GET", "/api/changes"),
    ("OpenAPI", "GET", "/api/openapi.json"),
    ("metrics", "GET", "/metrics"),
    ("health", "GET", "/healthz"),
    ("readiness", "GET", "/readyz"),
    ("upload of a log", "POST", "/api/results?publish=1"),
    ("publish", "POST", "/api/results/{id}/publish"),
    ("hide", "DELETE", "/api/results/{id}/publish"),
];

/// Sends the requests and prints their times.
pub(crate) fn send_all(hub: &HubProcess) {
    let names = Names::of(hub);
    let mut chance = Chance::new(7);
    let logs = sources::logs();
    let mut requests = Vec::new();
    for round in 0..ROUNDS {
        // Random order, so that expensive requests do not follow each other.
        let mut order: Vec<usize> = (0..REQUESTS.len()).collect();
        (1..order.len()).rev().for_each(|at| order.swap(at, chance.whole(0, at as u64) as usize));
        for at in order {
            let (name, method, path) = REQUESTS[at];
            let log = &logs[chance.whole(0, logs.len() as u64 - 1) as usize];
            let body =
                path.starts_with("/api/results?publish").then(|| sources::varied(log, 1_000_000 + round).into_bytes());
            requests.push(Request { name, method, path: names.put(path, &mut chance), body });
        }
    }
    let (all, refused) = times(hub, &requests, PER_SECOND);
    let row = |name: &str, times: &[Duration]| {
        let ms = [50, 95, 99].map(|percent| percentile(times, percent).as_secs_f64() * 1e3);
        println!("  {name:<24}{:>8.1} {:>8.1} {:>8.1}", ms[0], ms[1], ms[2]);
    };
    println!("  {PER_SECOND} requests/s, {ROUNDS} of each; ms from when each was due:");
    println!("  {:<24}{:>8} {:>8} {:>8}", "", "p50", "p95", "p99");
    REQUESTS.iter().for_each(|(name, _, _)| row(name, &all[name]));
    let mut together: Vec<Duration> = all.into_values().flatten().collect();
    together.sort();
    row("all", &together);
    println!("  refused: {refused}");
}

/// Values of the words in braces.
struct Names {
    of: Vec<(&'static str, Vec<String>)>,
}

impl Names {
    /// Requests the values from the hub.
    fn of(hub: &HubProcess) -> Self {
        let strings = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let kinds = ["board", "soc", "core", "cores", "kernel", "distribution"];
        let mut of = vec![("kind", strings(&kinds)), ("verdict", strings(&["valid", "degraded", "invalid"]))];
        of.push(("sort", hub::sorts::SORTS.iter().map(|sort| sort.column.to_owned()).collect()));
        of.push(("word", strings(&["pi", "rock", "orange", "rk3588", "armbian", "bookworm", "cortex-a76", "6.1"])));
        of.push(("value", (0..200).map(|step| (step * step * 40).to_string()).collect()));
        for kind in kinds {
            let begin = Instant::now();
            // A hub that has just started may still count.
            let names = loop {
                let found =
                    hub.get(&format!("/api/names/{kind}")).json()["names"].as_array().cloned().unwrap_or_default();
                if !found.is_empty() || begin.elapsed() > Duration::from_secs(60) {
                    break found;
                }
                std::thread::sleep(Duration::from_millis(100));
            };
            println!("  {} names of the kind {kind}", names.len());
            of.push((kind, names.iter().map(|name| name["id"].as_str().unwrap_or_default().to_owned()).collect()));
        }
        let mut ids = Vec::new();
        for board in &of.iter().find(|(kind, _)| *kind == "board").unwrap().1 {
            let found = hub.get(&format!("/api/results?limit=20&board={board}")).json();
            let found = found["results"].as_array().into_iter().flatten();
            ids.extend(found.map(|one| one["id"].as_str().unwrap_or_default().to_owned()));
        }
        of.push(("id", ids));
        Self { of }
    }

    fn put(&self, path: &str, chance: &mut Chance) -> String {
        let mut path = path.to_owned();
        for (word, values) in &self.of {
            let word = format!("{{{word}}}");
            while path.contains(&word) {
                let value = &values[chance.whole(0, values.len() as u64 - 1) as usize];
                path = path.replacen(&word, value, 1);
            }
        }
        path
    }
}
