//! A running hub: its database, its limits, and what it has counted. Everything that lasts is in the database.

use crate::counts::Counts;
use crate::limits::Limits;
use crate::rate::Rates;
use crate::results;
use crate::store::{Store, Trouble};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use tokio::sync::Semaphore;

/// What a hub is told when it begins.
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
    /// What derives: a name that differs for every build of the program.
    pub build: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            public_url: String::new(),
            limits: Limits::default(),
            uploads_per_minute: 600,
            requests_per_minute: 6_000,
            behind_proxy: false,
            build: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// A hub.
pub struct Hub {
    /// Where everything lies.
    pub store: Arc<dyn Store>,
    /// What it was told.
    pub settings: Settings,
    /// Number of its build.
    pub build: i64,
    /// Counts of listed results by name, made now and then.
    counts: RwLock<Arc<Counts>>,
    /// Who asks how often.
    pub rates: Rates,
    /// What it has done.
    pub tally: Tally,
    /// Room for bodies of uploads, in bytes: what has come of them takes it, and not what is promised.
    pub bodies: Arc<Semaphore>,
    /// Room for uploads that are read and explained, which takes many times the memory of their bodies.
    pub uploads: Arc<Semaphore>,
    /// Room for originals that are read for a reader, in bytes: they take it until what is made of them is sent.
    pub originals: Arc<Semaphore>,
}

/// Uploads that are read and explained at the same time.
const UPLOADS_MAX: usize = 4;
/// So many of the largest bodies are in memory at the same time, or more of smaller ones.
const BODIES_MAX: usize = 4;

/// So many of the largest originals are read or sent at the same time: as many as are compared.
const ORIGINALS_MAX: usize = 5;

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
}

impl Tally {
    /// Counts one more.
    pub fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

impl Hub {
    /// A hub on a migrated database.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub fn new(store: Arc<dyn Store>, settings: Settings) -> Result<Self, Trouble> {
        let build = results::build_number(&*store, &settings.build)?;
        let rates = Rates::default();
        let counts = RwLock::new(Arc::new(Counts::latest(&*store)?));
        let bodies = Arc::new(Semaphore::new(BODIES_MAX * settings.limits.request_bytes_max));
        let originals = Arc::new(Semaphore::new(ORIGINALS_MAX * settings.limits.file_bytes_max));
        Ok(Self {
            store,
            settings,
            build,
            counts,
            rates,
            tally: Tally::default(),
            bodies,
            uploads: Arc::new(Semaphore::new(UPLOADS_MAX)),
            originals,
        })
    }

    /// The latest counts.
    pub fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts.read().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Puts new counts in their place.
    pub fn set_counts(&self, counts: Counts) {
        *self.counts.write().unwrap_or_else(std::sync::PoisonError::into_inner) = Arc::new(counts);
    }
}
