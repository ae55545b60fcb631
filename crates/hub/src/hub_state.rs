//! State of a running hub: database, limits, counts. Everything permanent is in the database.

use crate::counts::Counts;
use crate::limits::Limits;
use crate::page_cache::PageCache;
use crate::rate::Rates;
use crate::results;
use crate::shares::Shares;
use crate::store::{Store, StoreError};
use crate::worker::{Stop, Workers};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Settings {
    /// Address of the hub for readers, without a trailing slash; empty to use the address of each request.
    pub public_url: String,
    pub limits: Limits,
    /// Uploads per minute of one token.
    pub uploads_per_minute: u32,
    /// Requests per minute of one network.
    pub requests_per_minute: u32,
    /// Whether a proxy reports the sender of a request.
    pub behind_proxy: bool,
    /// Name of the build that derives results.
    pub build: String,
    /// Program of the workers: the running one, even after an update has replaced its file.
    pub program: PathBuf,
}

/// Executable of the current process (proc(5)).
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

pub struct Hub {
    pub store: Arc<dyn Store>,
    pub settings: Settings,
    /// Number of the build.
    pub build: i64,
    /// Latest counts of listed results by name.
    counts: RwLock<Arc<Counts>>,
    pub rates: Rates,
    pub tally: Tally,
    pub workers: Workers,
    /// Cache of rendered pages.
    pub page_cache: PageCache,
    /// Stops the worker that derives results of older builds.
    pub deriving: Stop,
    /// Memory for received upload bodies, in bytes, by token.
    pub bodies: Arc<Shares<i64>>,
    /// Workers for uploads, by token.
    pub uploads: Arc<Shares<i64>>,
    /// Workers for pages of originals, by network.
    pub pages: Arc<Shares<IpAddr>>,
    /// Threads for queries, by network.
    pub queries: Arc<Shares<IpAddr>>,
    /// Threads for changes, by network.
    pub changes: Arc<Shares<IpAddr>>,
    /// Memory for answers that are being sent, in bytes, by network.
    pub answers: Arc<Shares<IpAddr>>,
}

/// Memory for upload bodies in bytes. A token may use a quarter, which holds two of the largest.
const BODIES_BYTES_MAX: usize = 64 << 20;
/// Memory for answers in bytes. A network may use a quarter.
const ANSWERS_BYTES_MAX: usize = 64 << 20;
/// Number of threads for queries. A network may use half of them.
const QUERIES_MAX: usize = 8;
/// Number of threads for changes. A network may use half of them.
const CHANGES_MAX: usize = 4;
/// Number of threads for background work ([`crate::work`]).
const OWN_THREADS: usize = 2;

/// Workers of one tenant: one for each CPU, 2 to 4.
fn workers_of_one() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get).clamp(2, 4)
}

/// Counters of this process for Prometheus.
#[derive(Debug, Default)]
pub struct Tally {
    pub requests: AtomicU64,
    /// Answers with status 500 and above.
    pub failures: AtomicU64,
    /// Results stored.
    pub uploads: AtomicU64,
    pub quarantined: AtomicU64,
    /// Requests refused by a rate limit.
    pub limited: AtomicU64,
    /// Results derived again.
    pub derived: AtomicU64,
    /// Results to be derived again.
    pub outdated: AtomicU64,
    /// Results whose pages are finished before they are asked for.
    pub finished: AtomicU64,
    /// Notices sent.
    pub notices: AtomicU64,
    /// Response times by route.
    pub times: Mutex<BTreeMap<String, RouteTimes>>,
}

#[derive(Debug, Default, Clone, Copy)]
pub struct RouteTimes {
    /// Number of answers.
    pub count: u64,
    /// Number of answers that took [`SLOW`] or longer.
    pub slow: u64,
    pub sum: Duration,
}

/// Requests that take this long are logged.
pub const SLOW: Duration = Duration::from_secs(1);

impl Tally {
    pub fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

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
    pub fn new(store: Arc<dyn Store>, settings: Settings) -> Result<Self, StoreError> {
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
            page_cache: PageCache::default(),
            deriving: Stop::default(),
            bodies: Shares::new(BODIES_BYTES_MAX, BODIES_BYTES_MAX / 4),
            uploads: Shares::new(2 * of_one, of_one),
            pages: Shares::new(2 * of_one, of_one),
            queries: Shares::new(QUERIES_MAX, QUERIES_MAX / 2),
            changes: Shares::new(CHANGES_MAX, CHANGES_MAX / 2),
            answers: Shares::new(ANSWERS_BYTES_MAX, ANSWERS_BYTES_MAX / 4),
        })
    }

    /// Number of threads that wait for the database or a worker.
    pub fn threads() -> usize {
        2 * 2 * workers_of_one() + QUERIES_MAX + CHANGES_MAX + OWN_THREADS
    }

    pub fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn set_counts(&self, counts: Counts) {
        *self.counts.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(counts);
    }
}
