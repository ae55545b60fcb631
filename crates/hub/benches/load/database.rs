//! A filled database: some thousand results from logs, each read, explained and stored with its original; then rows
//! with other figures, dates and machines, which share these originals.

use crate::common::submitted;
use crate::sources;
use hub::results;
use hub::store::{Postgres, Sqlite, Store, first, migrate, read, write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Number of results with their own original.
const ORIGINALS: usize = 5_000;
/// Number of copies of a result that belong to one machine.
const COPIES_OF_A_MACHINE: i64 = 10;
/// Arrival of the first result: January 2026.
const BEGAN_UTC_MS: i64 = 1_767_225_600_000;

pub(crate) struct DatabaseFill {
    store: Box<dyn Store>,
    logs: Vec<String>,
    build: i64,
    /// Id of the last result from a log.
    last_own: i64,
    own: usize,
    copies: i64,
    results: usize,
}

impl DatabaseFill {
    /// Makes an empty database.
    pub(crate) fn begin(data: &Path, database: Option<&str>) -> Self {
        let store: Box<dyn Store> = match database {
            Some(url) => Box::new(Postgres::open(url).unwrap()),
            None => Box::new(Sqlite::open(&data.join("hub.sqlite")).unwrap()),
        };
        migrate(&*store, BEGAN_UTC_MS).unwrap();
        // With another name, the hub would derive all results again.
        let build = results::build_number(&*store, sources::build()).unwrap();
        let logs = sources::logs();
        println!("  results are made of {} logs", logs.len());
        Self { store, logs, build, last_own: 0, own: 0, copies: 0, results: 0 }
    }

    /// Fills the database up to this number of results.
    pub(crate) fn until(&mut self, results: usize) -> Duration {
        let begin = Instant::now();
        self.logs(results.min(ORIGINALS));
        while self.results < results {
            self.copy(results - self.results);
        }
        begin.elapsed()
    }

    /// Stores logs on two threads.
    fn logs(&mut self, until: usize) {
        let wanted = until.saturating_sub(self.results);
        let next = AtomicUsize::new(self.own);
        let end = self.own + wanted;
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
                    numbers.take_while(|number| *number < end).for_each(|number| self.log(number));
                });
            }
        });
        self.own = end;
        self.results += wanted;
        self.last_own = if wanted > 0 { self.count() as i64 } else { self.last_own };
    }

    fn log(&self, number: usize) {
        let text = sources::varied(&self.logs[number % self.logs.len()], number);
        let now_utc_ms = BEGAN_UTC_MS + number as i64 * 1_000;
        submitted(&*self.store, 1, now_utc_ms, self.build, text.as_bytes());
    }

    /// Adds a row for each result from a log, up to `wanted`, in one transaction.
    fn copy(&mut self, wanted: usize) {
        self.copies += 1;
        let figures = hub::sorts::SORTS.map(|sort| sort.column);
        let same = "owner, received_utc_ms, hash, quarantined, published_utc_ms, listed, derived_by, alias, kind, board_id, \
                    soc_id, cores_id, kernel_id, distribution_id, verdict, died_in, headline, cells, figures";
        // Within 3 % of the original's figures.
        let factor = "(1.0 + ((id * 7919 + CAST($1 AS BIGINT) * 104729) % 601 - 300) / 10000.0)";
        let varied = figures.map(|column| format!("{column} * {factor}"));
        let sql = format!(
            "INSERT INTO result (slug, received_hash, listed_utc_ms, machine, started_utc_ms, {same}, {}) \
             SELECT slug || '-' || CAST($1 AS BIGINT), received_hash || '-' || CAST($1 AS BIGINT), \
             listed_utc_ms - CAST($1 AS BIGINT) * 60000, machine || ' shelf ' || CAST($1 AS BIGINT) / {COPIES_OF_A_MACHINE}, \
             started_utc_ms + CAST($1 AS BIGINT) * 3600000, {same}, {} FROM result WHERE id <= $2 ORDER BY id LIMIT $3",
            figures.join(", "),
            varied.join(", ")
        );
        let values = [self.copies.into(), self.last_own.into(), (wanted as i64).into()];
        let before = self.count();
        write(&*self.store, |session| session.run(&sql, &values)).unwrap();
        self.results += self.count() - before;
    }

    fn count(&self) -> usize {
        let row = read(&*self.store, |session| first(session, "SELECT max(id) FROM result", &[])).unwrap().unwrap();
        row.integer(0).unwrap_or(0) as usize
    }

    /// Prints the size of originals of Records.
    pub(crate) fn originals(&self) {
        let sql = "SELECT size, length(packed) FROM original WHERE size > 150000 LIMIT 200";
        let rows = read(&*self.store, |session| session.run(sql, &[])).unwrap();
        let sum = |column| rows.iter().filter_map(|row| row.integer(column)).sum::<i64>() as f64;
        let count = rows.len().max(1) as f64;
        println!("  original of a Record: {:.1} KB of {:.1} KB", sum(1) / count / 1e3, sum(0) / count / 1e3);
    }
}
