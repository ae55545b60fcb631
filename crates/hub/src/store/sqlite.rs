//! SQLite: one file in write-ahead mode. One connection writes, others read and never wait for it.

use super::reserve::Reserve;
use super::{Dialect, READ_TIME_MAX, Row, Session, Store, StoreError, TransactionWork, Value};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, params_from_iter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Number of readers, each with its own page cache: twice what one network may use.
const READERS: usize = 8;
/// Page cache of each connection in KiB.
const CACHE_KIB: i64 = 8 << 10;
/// Virtual machine steps between two checks of the timeout: some ten microseconds.
const STEPS: i32 = 10_000;
/// Timeout of the lock of another process, for example a restore of a backup.
const BUSY: Duration = Duration::from_secs(10);
/// Attempts to empty the write-ahead log, with a pause between them; readers take milliseconds.
const EMPTYING_TRIES: u32 = 50;
const EMPTYING_PAUSE: Duration = Duration::from_millis(20);

pub struct Sqlite {
    file: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    reader_free: Condvar,
    /// The write-ahead log still contains deleted data.
    log_is_due: AtomicBool,
    /// Room for deletions, if any is kept.
    reserve: Option<Reserve>,
}

impl Sqlite {
    /// Opens or creates a file.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        let writer = connection(file, OpenFlags::default())?;
        // A commit is on the disk when it returns, even in write-ahead mode.
        writer.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")?;
        // Overwrites deleted data.
        writer.execute_batch("PRAGMA secure_delete = ON;")?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let readers: Result<Vec<Connection>, StoreError> = (0..READERS).map(|_| connection(file, flags)).collect();
        Ok(Self {
            file: file.to_path_buf(),
            writer: Mutex::new(writer),
            readers: Mutex::new(readers?),
            reader_free: Condvar::new(),
            log_is_due: AtomicBool::new(false),
            reserve: None,
        })
    }

    /// As [`Sqlite::open`] for the database of a hub, with room on the disk for deletions.
    pub fn open_with_reserve(file: &Path) -> Result<Self, StoreError> {
        let opened = Self::open(file)?;
        Ok(Self { reserve: Some(Reserve::of(file)), ..opened })
    }

    /// Copies the write-ahead log into the database and empties it. False if another connection uses it; waiting would
    /// block other writers (https://sqlite.org/pragma.html#pragma_wal_checkpoint).
    fn empty_log(&self, connection: &Connection) -> Result<bool, StoreError> {
        connection.busy_timeout(Duration::ZERO)?;
        let is_busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        connection.busy_timeout(BUSY)?;
        let is_empty = match is_busy.map_err(StoreError::from) {
            Ok(is_busy) => is_busy == 0,
            Err(trouble) if trouble.is_locked => false,
            Err(trouble) => return Err(trouble),
        };
        self.log_is_due.store(!is_empty, Ordering::Relaxed);
        Ok(is_empty)
    }

    fn emptied_log(&self) -> Result<bool, StoreError> {
        for _ in 1..EMPTYING_TRIES {
            if self.empty_log(&lock(&self.writer))? {
                return Ok(true);
            }
            std::thread::sleep(EMPTYING_PAUSE);
        }
        self.empty_log(&lock(&self.writer))
    }

    fn reader(&self) -> Connection {
        let mut readers = lock(&self.readers);
        loop {
            match readers.pop() {
                Some(reader) => return reader,
                None => readers = self.reader_free.wait(readers).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// A poisoned lock is used: a panic has ended its transaction.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn connection(file: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(128);
    connection.execute_batch(&format!("PRAGMA cache_size = -{CACHE_KIB}; PRAGMA foreign_keys = ON;"))?;
    Ok(connection)
}

/// Returns a reader, even when the work with it panics.
struct ReaderLoan<'a>(&'a Sqlite, Option<Connection>);

impl Drop for ReaderLoan<'_> {
    fn drop(&mut self) {
        lock(&self.0.readers).extend(self.1.take());
        self.0.reader_free.notify_one();
    }
}

impl Store for Sqlite {
    fn read(&self, work: TransactionWork<'_>, is_short: bool) -> Result<(), StoreError> {
        let mut lent = ReaderLoan(self, Some(self.reader()));
        let Some(connection) = lent.1.as_mut() else { return Err(StoreError::of("No connection.")) };
        let end = Instant::now() + READ_TIME_MAX;
        connection.progress_handler(STEPS, is_short.then_some(move || Instant::now() > end))?;
        let transaction = connection.transaction()?;
        work(&mut SqliteSession(&transaction))
    }

    fn write(&self, work: TransactionWork<'_>) -> Result<(), StoreError> {
        let began = Instant::now();
        let mut connection = lock(&self.writer);
        // Writers that waited for each other do not wait for the other process one after the other.
        connection.busy_timeout(BUSY.saturating_sub(began.elapsed()))?;
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        work(&mut SqliteSession(&transaction))?;
        transaction.commit()?;
        if self.log_is_due.load(Ordering::Relaxed) {
            // The write is committed; the next write tries again.
            let _ = self.empty_log(&connection);
        }
        Ok(())
    }

    fn erase(&self, work: TransactionWork<'_>) -> Result<bool, StoreError> {
        let done = match self.write(&mut *work) {
            Err(trouble) if trouble.is_full && self.reserve.as_ref().is_some_and(Reserve::give_up) => self.write(work),
            done => done,
        };
        let is_empty = done.and_then(|()| self.emptied_log());
        self.reserve.iter().for_each(Reserve::make);
        is_empty
    }

    fn compact(&self) -> Result<(), StoreError> {
        lock(&self.writer).execute_batch("VACUUM")?;
        if self.emptied_log()? { Ok(()) } else { Err(StoreError::of("A reader needs the write-ahead log; try again.")) }
    }

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn backup(&self, file: &Path) -> Result<(), StoreError> {
        let from = connection(&self.file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        // One read transaction: it sees one moment, and others write meanwhile.
        Ok(from.execute("VACUUM INTO ?1", [file.to_string_lossy()]).map(drop)?)
    }
}

struct SqliteSession<'a>(&'a Connection);

impl Session for SqliteSession<'_> {
    fn run(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        // SQLite would treat `$1` as a name and number it by its occurrence.
        let mut statement = self.0.prepare_cached(&sql.replace('$', "?"))?;
        let columns = statement.column_count();
        let mut found = statement.query(params_from_iter(values))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let cells: Result<Vec<Value>, rusqlite::Error> =
                (0..columns).map(|at| Ok(row.get_ref(at)?.into())).collect();
            rows.push(Row(cells?));
        }
        Ok(rows)
    }

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(value) => ValueRef::Integer(*value),
            Self::Real(value) => ValueRef::Real(*value),
            Self::Text(value) => ValueRef::Text(value.as_bytes()),
            Self::Bytes(value) => ValueRef::Blob(value),
        }))
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(value) => Self::Integer(value),
            ValueRef::Real(value) => Self::Real(value),
            ValueRef::Text(value) => Self::Text(String::from_utf8_lossy(value).into_owned()),
            ValueRef::Blob(value) => Self::Bytes(value.to_vec()),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        let is_locked = matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked));
        Self {
            message: if is_locked {
                format!("The database was locked by another process for {} s.", BUSY.as_secs())
            } else {
                error.to_string()
            },
            is_passing: is_locked,
            is_locked,
            is_duplicate: code == Some(ErrorCode::ConstraintViolation),
            is_full: code == Some(ErrorCode::DiskFull),
            is_slow: code == Some(ErrorCode::OperationInterrupted),
            is_over_quota: false,
        }
    }
}
