//! A running hub: its database, its limits, and what it has counted. Everything that lasts is in the database.

use crate::counts::Counts;
use crate::drawn::DrawnPages;
use crate::limits::Limits;
use crate::rate::Rates;
use crate::results;
use crate::shares::Shares;
use crate::store::{Store, Trouble};
use crate::worker::{Stop, Workers};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

/// Settings of a hub.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Its own address, as readers know it, without a slash at the end; empty for the address that a request names.
    pub public_url: String,
    /// Limits of what is taken in.
    pub limits: Limits,
    /// Uploads per minute of one token.
    pub uploads_per_minute: u32,
    /// Requests per minute of one address.
    pub requests_per_minute: u32,
    /// True if a proxy says who sends a request.
    pub behind_proxy: bool,
    /// Name of the build that derives results; differs for every build.
    pub build: String,
    /// Program of the workers: this one, even after an update has replaced its file.
    pub program: PathBuf,
}

/// The file that a process runs (proc(5)).
pub const OWN_PROGRAM: &str = "/proc/self/exe";

impl Default for Settings {
    fn default() -> Self {
        Self {
            public_url: String::new(),
            limits: Limits::default(),
            uploads_per_minute: 600,
            requests_per_minute: 6_000,
            behind_proxy: false,
            build: env!("CARGO_PKG_VERSION").to_owned(),
            program: PathBuf::from(OWN_PROGRAM),
        }
    }
}

/// A hub.
pub struct Hub {
    /// Database.
    pub store: Arc<dyn Store>,
    /// Settings.
    pub settings: Settings,
    /// Number of its build.
    pub build: i64,
    /// Counts of listed results by name, made now and then.
    counts: RwLock<Arc<Counts>>,
    /// Request rates.
    pub rates: Rates,
    /// Counters.
    pub tally: Tally,
    /// Processes that read uploads.
    pub workers: Workers,
    /// Pages that workers made lately.
    pub drawn: DrawnPages,
    /// Ends the worker that derives results of older builds.
    pub deriving: Stop,
    /// Room for bodies of uploads, in bytes, by token. Only received bytes take room.
    pub bodies: Arc<Shares<i64>>,
    /// Workers for uploads, by token.
    pub uploads: Arc<Shares<i64>>,
    /// Workers for pages of originals, by network.
    pub pages: Arc<Shares<IpAddr>>,
    /// Threads that ask the database, by network.
    pub queries: Arc<Shares<IpAddr>>,
    /// Room for answers that are being sent, in bytes, by network.
    pub answers: Arc<Shares<IpAddr>>,
}

/// Memory for bodies of uploads, in bytes. A token may have a quarter: two of the largest.
const BODIES_BYTES_MAX: usize = 64 << 20;
/// Memory for answers, in bytes. A network may have a quarter.
const ANSWERS_BYTES_MAX: usize = 64 << 20;
/// Threads for queries. A network may have half of them.
const QUERIES_MAX: usize = 8;
/// Threads for background work ([`crate::work`]).
const OWN_THREADS: usize = 2;

/// Workers of one tenant: as many as there are CPUs, 2 to 4.
fn workers_of_one() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get).clamp(2, 4)
}

/// Counters for Prometheus, of this process.
#[derive(Debug, Default)]
pub struct Tally {
    /// Requests that were answered.
    pub requests: AtomicU64,
    /// Answers with a status of 500 and above.
    pub failures: AtomicU64,
    /// Results that were taken in.
    pub uploads: AtomicU64,
    /// Results that were quarantined.
    pub quarantined: AtomicU64,
    /// Requests that were refused because they came too often.
    pub limited: AtomicU64,
    /// Results that were derived once more.
    pub derived: AtomicU64,
    /// Results that wait to be derived once more.
    pub outdated: AtomicU64,
    /// Notices that were sent.
    pub notices: AtomicU64,
    /// Times of requests by route.
    pub times: Mutex<BTreeMap<String, RouteTimes>>,
}

/// How long answers of a route took.
#[derive(Debug, Default, Clone, Copy)]
pub struct RouteTimes {
    /// Number of answers.
    pub count: u64,
    /// Number of answers that took [`SLOW`] and longer.
    pub slow: u64,
    /// Time of all together.
    pub sum: Duration,
}

/// Answers that take this long are named in the log.
pub const SLOW: Duration = Duration::from_secs(1);

impl Tally {
    /// Counts one more.
    pub fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts the time of an answer.
    pub fn took(&self, route: &str, time: Duration) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let of_route = times.entry(route.to_owned()).or_default();
        of_route.count += 1;
        of_route.slow += u64::from(time >= SLOW);
        of_route.sum += time;
    }
}

impl Hub {
    /// A hub on a migrated database.
    pub fn new(store: Arc<dyn Store>, settings: Settings) -> Result<Self, Trouble> {
        let build = results::build_number(&*store, &settings.build)?;
        let rates = Rates::default();
        let counts = RwLock::new(Arc::new(Counts::latest(&*store)?));
        let workers = Workers::new(settings.program.clone(), settings.limits);
        let of_one = workers_of_one();
        Ok(Self {
            store,
            settings,
            build,
            counts,
            rates,
            tally: Tally::default(),
            workers,
            drawn: DrawnPages::default(),
            deriving: Stop::default(),
            bodies: Shares::new(BODIES_BYTES_MAX, BODIES_BYTES_MAX / 4),
            uploads: Shares::new(2 * of_one, of_one),
            pages: Shares::new(2 * of_one, of_one),
            queries: Shares::new(QUERIES_MAX, QUERIES_MAX / 2),
            answers: Shares::new(ANSWERS_BYTES_MAX, ANSWERS_BYTES_MAX / 4),
        })
    }

    /// Threads that wait for the database or a worker.
    pub fn threads() -> usize {
        2 * 2 * workers_of_one() + QUERIES_MAX + OWN_THREADS
    }

    /// The latest counts.
    pub fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts new counts in their place.
    pub fn set_counts(&self, counts: Counts) {
        *self.counts.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(counts);
    }
}
