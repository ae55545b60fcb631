//! Requests at a fixed rate, whether earlier ones are answered or not, so that the delay of an overloaded hub is
//! measured.

use crate::common::hub_process::{Answer, HubProcess};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Number of connections; the open requests never exceed it here.
const CONNECTIONS: usize = 64;

/// A request, and its name in the table.
pub(crate) struct Request {
    pub(crate) name: &'static str,
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: Option<Vec<u8>>,
}

/// Sorted times from the due time of each request to the last byte of its answer, by name, and the number of refusals.
pub(crate) fn times(
    hub: &HubProcess,
    requests: &[Request],
    per_second: u32,
) -> (BTreeMap<&'static str, Vec<Duration>>, usize) {
    let (next, all) = (AtomicUsize::new(0), Mutex::new(BTreeMap::<_, Vec<Duration>>::new()));
    let refused = AtomicUsize::new(0);
    // Connections are made before the first request is due.
    let begin = Instant::now() + Duration::from_millis(200);
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| {
                let client = hub.client();
                while let Some((number, request)) = take(&next, requests) {
                    let due = begin + Duration::from_secs(1) * number as u32 / per_second;
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    let answer: Answer = client.send(request.method, &request.path, request.body.as_deref());
                    let took = due.elapsed();
                    if answer.status >= 300 {
                        refused.fetch_add(1, Ordering::Relaxed);
                        println!("  {} {}: {} {}", request.method, request.path, answer.status, answer.body.trim());
                    }
                    all.lock().unwrap().entry(request.name).or_default().push(took);
                }
            });
        }
    });
    let mut all = all.into_inner().unwrap();
    all.values_mut().for_each(|times| times.sort());
    (all, refused.into_inner())
}

fn take<'a>(next: &AtomicUsize, requests: &'a [Request]) -> Option<(usize, &'a Request)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    Some((number, requests.get(number)?))
}

/// Time within which this percentage of the requests is answered.
pub(crate) fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let at = (sorted.len() * percent).div_ceil(100).max(1) - 1;
    sorted.get(at).copied().unwrap_or_default()
}
