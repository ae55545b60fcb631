//! PostgreSQL: a few connections, each with its prepared statements. Lost connections are replaced.

use super::{Dialect, READ_TIME_MAX, Row, Session, Store, StoreError, TransactionWork, Value};
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Config, IsolationLevel, NoTls, Statement, Transaction};
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Number of connections: three times what one network may use.
const CONNECTIONS: usize = 12;
/// Maximum number of prepared statements of a connection; filters make many forms of queries.
const STATEMENTS_MAX: usize = 256;
/// Maximum number of attempts of a transaction after a conflict or a lost connection.
const TRIES: u32 = 6;

/// Pause between two attempts to reach a server that does not serve yet.
const START_PAUSE: Duration = Duration::from_secs(1);

/// Tables that rows are deleted from.
const TABLES: [&str; 9] = ["result", "original", "page", "name", "name_core", "change", "notice", "hook", "counted"];

pub struct Postgres {
    config: Config,
    free: Mutex<(Vec<Connection>, usize)>,
    came_back: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    ReadAll,
    Write,
}

impl Kind {
    /// Statement that sets its timeout; readers use that of the connection, which saves a round trip.
    fn patience(self) -> Option<&'static str> {
        match self {
            Self::Read => None,
            Self::ReadAll => Some("SET LOCAL statement_timeout = 0"),
            Self::Write => Some("SET LOCAL statement_timeout = '60s'"),
        }
    }
}

struct Connection {
    client: Client,
    prepared: HashMap<String, Statement>,
}

/// Whether the address of a PostgreSQL contains a password.
pub fn has_password(url: &str) -> bool {
    url.parse::<Config>().is_ok_and(|config| config.get_password().is_some())
}

impl Postgres {
    /// Connects to `postgres://USER@HOST/DATABASE`; a `host=` parameter can be the folder of a socket.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let mut config: Config = url.parse()?;
        config.connect_timeout(Duration::from_secs(5)).application_name("sbc-bench-hub");
        let store = Self { config, free: Mutex::new((Vec::new(), 0)), came_back: Condvar::new() };
        let first = store.connect()?;
        store.give_back(Some(first), 1);
        Ok(store)
    }

    /// As [`Postgres::open`], but repeats the attempt until a server that does not answer or is starting serves. Calls
    /// `waits` with each new reason.
    pub fn open_when_ready(url: &str, mut waits: impl FnMut(&str)) -> Result<Self, StoreError> {
        let mut reported = String::new();
        loop {
            match Self::open(url) {
                Err(trouble) if trouble.is_passing => {
                    if trouble.message != reported {
                        waits(&trouble.message);
                        reported = trouble.message;
                    }
                    std::thread::sleep(START_PAUSE);
                }
                done => return done,
            }
        }
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        let mut client = self.config.connect(NoTls)?;
        // A commit is on the server's disk when it returns, whatever the server's default is, and no statement waits
        // for ever.
        client.batch_execute(&format!(
            "SET synchronous_commit = on; SET lock_timeout = '20s'; SET statement_timeout = {}",
            READ_TIME_MAX.as_millis()
        ))?;
        Ok(Connection { client, prepared: HashMap::new() })
    }

    fn take(&self) -> Result<Connection, StoreError> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(connection) = free.0.pop() {
                if !connection.client.is_closed() {
                    return Ok(connection);
                }
                free.1 -= 1;
                continue;
            }
            if free.1 < CONNECTIONS {
                free.1 += 1;
                drop(free);
                let made = self.connect();
                if made.is_err() {
                    self.give_back(None, 0);
                }
                return made;
            }
            free = self.came_back.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A connection; none if one was lost. `new` are those not counted yet.
    fn give_back(&self, connection: Option<Connection>, new: usize) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        match connection {
            Some(connection) => {
                free.0.push(connection);
                free.1 += new;
            }
            None => free.1 -= 1,
        }
        self.came_back.notify_one();
    }

    fn once(&self, work: TransactionWork<'_>, kind: Kind) -> Result<(), StoreError> {
        let keeps = kind == Kind::Write;
        let mut lent = ConnectionLoan(self, Some(self.take()?));
        let done = lent.1.as_mut().map_or_else(
            || Err(StoreError::of("No connection.")),
            |Connection { client, prepared }| {
                let builder = client.build_transaction();
                let builder = if keeps {
                    builder
                } else {
                    // One snapshot for all statements.
                    builder.read_only(true).isolation_level(IsolationLevel::RepeatableRead)
                };
                let mut session = PostgresSession { transaction: builder.start()?, prepared };
                if let Some(patience) = kind.patience() {
                    session.transaction.batch_execute(patience)?;
                }
                work(&mut session)?;
                if keeps { Ok(session.transaction.commit()?) } else { Ok(session.transaction.rollback()?) }
            },
        );
        if done.as_ref().is_err_and(|trouble: &StoreError| trouble.is_passing) {
            // Its prepared statements may belong to a server that is gone.
            lent.1 = None;
        }
        done
    }

    fn tried(&self, work: TransactionWork<'_>, kind: Kind) -> Result<(), StoreError> {
        let mut tries = 1;
        loop {
            match self.once(work, kind) {
                Err(trouble) if trouble.is_passing && tries < TRIES => {
                    std::thread::sleep(Duration::from_millis(20 << tries));
                    tries += 1;
                }
                done => return done,
            }
        }
    }
}

/// Returns a connection, even when the work with it panics.
struct ConnectionLoan<'a>(&'a Postgres, Option<Connection>);

impl Drop for ConnectionLoan<'_> {
    fn drop(&mut self) {
        self.0.give_back(self.1.take(), 0);
    }
}

impl Store for Postgres {
    fn read(&self, work: TransactionWork<'_>, is_short: bool) -> Result<(), StoreError> {
        self.tried(work, if is_short { Kind::Read } else { Kind::ReadAll })
    }

    fn write(&self, work: TransactionWork<'_>) -> Result<(), StoreError> {
        self.tried(work, Kind::Write)
    }

    fn erase(&self, work: TransactionWork<'_>) -> Result<bool, StoreError> {
        self.write(work).map(|()| true)
    }

    fn compact(&self) -> Result<(), StoreError> {
        // A separate connection: VACUUM runs outside of transactions and takes long.
        let mut connection = self.connect()?;
        connection.client.batch_execute("SET statement_timeout = 0")?;
        for table in TABLES {
            connection.client.batch_execute(&format!("VACUUM (FULL, ANALYZE) {table}"))?;
        }
        // The planner's statistics contain frequent values of each column. Without the right to rewrite them PostgreSQL
        // warns and keeps those that ANALYZE has just replaced until its own vacuum.
        connection.client.batch_execute("VACUUM (FULL) pg_catalog.pg_statistic")?;
        Ok(())
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn backup(&self, file: &Path) -> Result<(), StoreError> {
        super::pg_dump::backup(&self.config, file)
    }
}

struct PostgresSession<'a> {
    transaction: Transaction<'a>,
    prepared: &'a mut HashMap<String, Statement>,
}

impl Session for PostgresSession<'_> {
    fn run(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let statement = match self.prepared.get(sql) {
            Some(statement) => statement.clone(),
            None => {
                let statement = self.transaction.prepare(sql)?;
                if self.prepared.len() >= STATEMENTS_MAX {
                    self.prepared.clear();
                }
                self.prepared.insert(sql.to_owned(), statement.clone());
                statement
            }
        };
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let rows = self.transaction.query(&statement, &values)?;
        let cells = |row: postgres::Row| (0..row.len()).map(|at| row.try_get::<_, Value>(at)).collect();
        let rows: Result<Vec<Vec<Value>>, postgres::Error> = rows.into_iter().map(cells).collect();
        Ok(rows?.into_iter().map(Row).collect())
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut postgres::types::private::BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(value) if *kind == Type::FLOAT8 => (*value as f64).to_sql(kind, out),
            Self::Integer(value) => value.to_sql(kind, out),
            Self::Real(value) => value.to_sql(kind, out),
            Self::Text(value) => value.to_sql(kind, out),
            Self::Bytes(value) => value.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::FLOAT8, Type::TEXT, Type::BYTEA].contains(kind)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *kind {
            Type::INT8 => Self::Integer(i64::from_sql(kind, raw)?),
            Type::INT4 => Self::Integer(i32::from_sql(kind, raw)?.into()),
            Type::BOOL => Self::Integer(bool::from_sql(kind, raw)?.into()),
            Type::FLOAT8 => Self::Real(f64::from_sql(kind, raw)?),
            Type::BYTEA => Self::Bytes(raw.to_vec()),
            _ => Self::Text(String::from_utf8_lossy(raw).into_owned()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl From<postgres::Error> for StoreError {
    fn from(error: postgres::Error) -> Self {
        let code = error.code().map(postgres::error::SqlState::code).unwrap_or_default();
        let message = match error.as_db_error() {
            Some(said) => said.message().to_owned(),
            None => {
                let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
                format!("{error}{source}")
            }
        };
        // Classes of PostgreSQL's error codes: connection lost (08), server shutting down or starting (57P), deadlock
        // and serialisation (40). Errors of the connection have no code.
        let is_lost = error.is_closed() || (code.is_empty() && error.as_db_error().is_none());
        let is_passing = is_lost || ["08", "40", "57P"].iter().any(|class| code.starts_with(class));
        // disk_full.
        Self {
            message,
            is_passing,
            is_duplicate: code == "23505",
            is_full: code == "53100",
            // query_canceled, by statement_timeout.
            is_slow: code == "57014",
            // lock_not_available, after lock_timeout.
            is_locked: code == "55P03",
            is_over_quota: false,
        }
    }
}
