//! Number of Records stored per second with several senders. Each is durable, explained and searchable when its answer
//! arrives.

use crate::common::hub_process::HubProcess;
use crate::sources::Records;
use std::sync::Mutex;
use std::time::Instant;

/// Number of parallel senders.
const SENDERS: usize = 4;
/// Number of Records.
const SENT: usize = 200;
/// Number of sending machines; each has a history that is searched for changes.
const MACHINES: usize = 20;

pub(crate) fn records(hub: &HubProcess, records: &mut Records) {
    // The first requests warm the caches.
    for _ in 0..10 {
        hub.keep("?publish=1&machine=first", &records.next());
    }
    let bodies: Vec<(usize, Vec<u8>)> = (0..SENT).map(|number| (number, records.next())).collect();
    let bytes = bodies.iter().map(|(_, body)| body.len()).sum::<usize>() / SENT;
    let bodies = Mutex::new(bodies);
    let next = || bodies.lock().unwrap().pop();
    let cpu_before = hub.cpu_ms();
    let begin = Instant::now();
    let last = Mutex::new(String::new());
    std::thread::scope(|scope| {
        for _ in 0..SENDERS {
            scope.spawn(|| {
                while let Some((number, body)) = next() {
                    let id = hub.keep(&format!("?publish=1&machine=shelf-{}", number % MACHINES), &body);
                    *last.lock().unwrap() = id;
                }
            });
        }
    });
    let seconds = begin.elapsed().as_secs_f64();
    let cpu_ms = (hub.cpu_ms() - cpu_before) as f64 / SENT as f64;
    let found = hub.get("/api/results?limit=200").body.contains(&*last.into_inner().unwrap());
    assert!(found, "what was taken in is not found");
    println!(
        "  {SENT} Records of {} KB from {SENDERS} senders: {:.0}/s, {cpu_ms:.1} ms of CPU time of the hub and its workers each",
        bytes / 1000,
        SENT as f64 / seconds
    );
}
