//! Readers that ask for the next page as soon as one arrives: what the hub gives when it is asked for more than it can.

use crate::common::hub_process::HubProcess;
use crate::pace::percentile;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use testkit::virtual_board::Chance;

/// Number of readers.
const READERS: usize = 8;
/// Time of each kind of page.
const TIME: Duration = Duration::from_secs(20);

/// Prints the times of the index and of the pages of all listed results.
pub(crate) fn closed_loop(hub: &HubProcess) {
    let ids = listed(hub);
    println!("  pages of results finished in advance: {:.0} s", finished(hub).as_secs_f64());
    println!("  {READERS} readers, each asks again at once, for {} s; ms and pages:", TIME.as_secs());
    println!("  {:<32}{:>8} {:>8} {:>8} {:>11}", "", "p50", "p95", "pages/s", "CPU ms each");
    row(hub, "page: newest", &|_| "/".to_owned());
    // No page was asked for before the first round.
    for name in ["page: result", "page: result, again"] {
        let any = |chance: &mut Chance| format!("/r/{}", ids[chance.whole(0, ids.len() as u64 - 1) as usize]);
        row(hub, &format!("{name} ({} ids)", ids.len()), &any);
    }
}

/// Time until the hub has finished the pages of all results: until the count stands still for some beats of its work.
fn finished(hub: &HubProcess) -> Duration {
    let count = || {
        hub.get("/metrics")
            .body
            .lines()
            .find_map(|line| line.strip_prefix("sbc_bench_hub_finished_total ")?.parse::<u64>().ok())
    };
    let begin = Instant::now();
    let (mut last, mut moved) = (None, begin);
    while moved.elapsed() < Duration::from_secs(3) {
        std::thread::sleep(Duration::from_millis(100));
        let now = count();
        if now != last {
            (last, moved) = (now, Instant::now());
        }
    }
    moved.duration_since(begin)
}

/// Ids of all listed results, page by page.
fn listed(hub: &HubProcess) -> Vec<String> {
    let (mut ids, mut path) = (BTreeSet::new(), "/api/results?limit=200".to_owned());
    loop {
        let list = hub.get(&path).json();
        let results = list["results"].as_array().cloned().unwrap_or_default();
        ids.extend(results.iter().filter_map(|one| one["id"].as_str().map(str::to_owned)));
        match list["next"].as_str() {
            Some(next) => path = format!("/api/results?limit=200&cursor={next}"),
            None => return ids.into_iter().collect(),
        }
    }
}

fn row(hub: &HubProcess, name: &str, path: &(dyn Fn(&mut Chance) -> String + Sync)) {
    let times = Mutex::new(Vec::new());
    let (begin, cpu_before) = (Instant::now(), hub.cpu_ms());
    std::thread::scope(|scope| {
        for reader in 0..READERS {
            let times = &times;
            scope.spawn(move || {
                let (client, mut chance, mut own) = (hub.client(), Chance::new(reader as u64), Vec::new());
                while begin.elapsed() < TIME {
                    let path = path(&mut chance);
                    let asked = Instant::now();
                    let answer = client.send("GET", &path, None);
                    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
                    own.push(asked.elapsed());
                }
                times.lock().unwrap().extend(own);
            });
        }
    });
    let (seconds, cpu_ms) = (begin.elapsed().as_secs_f64(), hub.cpu_ms() - cpu_before);
    let mut times = times.into_inner().unwrap();
    times.sort();
    let [p50, p95] = [50, 95].map(|percent| percentile(&times, percent).as_secs_f64() * 1e3);
    let count = times.len().max(1) as f64;
    println!("  {name:<32}{p50:>8.1} {p95:>8.1} {:>8.0} {:>11.1}", count / seconds, cpu_ms as f64 / count);
}
