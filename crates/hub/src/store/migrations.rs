//! Migrations, which only go forward. A published step never changes; a new one follows it.

use super::{Dialect, Session, Store, StoreError, Value, first, write};

/// Names and statements separated by `;`. `{id}` is the type of a primary key.
const MIGRATIONS: &[(&str, &str)] = &[
    ("results", include_str!("migrations/1_results.sql")),
    ("changes", include_str!("migrations/2_changes.sql")),
    ("counted", include_str!("migrations/3_counted.sql")),
    ("died", include_str!("migrations/4_died.sql")),
    ("orders", include_str!("migrations/5_orders.sql")),
    ("owners", include_str!("migrations/6_owners.sql")),
    ("quotas", include_str!("migrations/7_quotas.sql")),
    ("hooks", include_str!("migrations/8_hooks.sql")),
    ("pages", include_str!("migrations/9_pages.sql")),
];

/// Arbitrary number, the same in all hubs; its holder migrates.
const ADVISORY_LOCK: i64 = 0x5bc_be4c;

/// Migrates a database, all or nothing, and returns the names of the applied steps. Fails on a database of a newer
/// program.
pub fn migrate(store: &dyn Store, now_utc_ms: i64) -> Result<Vec<&'static str>, StoreError> {
    let dialect = store.dialect();
    write(store, |session| {
        if dialect == Dialect::Postgres {
            // A large table takes long, and so does another hub that migrates it.
            session.run("SET LOCAL lock_timeout = 0", &[])?;
            session.run("SET LOCAL statement_timeout = 0", &[])?;
            session.run("SELECT pg_advisory_xact_lock($1)", &[ADVISORY_LOCK.into()])?;
        }
        let table = "CREATE TABLE IF NOT EXISTS migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL, \
                     applied_utc_ms BIGINT NOT NULL)";
        session.run(table, &[])?;
        let done = applied(session)?;
        let known = MIGRATIONS.len();
        if done > known {
            return Err(StoreError::of(format!(
                "The database has {done} migrations, this program knows {known}; use the newer program."
            )));
        }
        for (number, (name, statements)) in MIGRATIONS.iter().enumerate().skip(done) {
            let statements = statements.replace("{id}", dialect.id_type());
            let bare: String =
                statements.lines().filter(|line| !line.trim_start().starts_with("--")).collect::<Vec<_>>().join("\n");
            for statement in bare.split(';').filter(|statement| !statement.trim().is_empty()) {
                session.run(statement, &[])?;
            }
            let values = [Value::from(number as i64 + 1), (*name).into(), now_utc_ms.into()];
            session.run("INSERT INTO migration (number, name, applied_utc_ms) VALUES ($1, $2, $3)", &values)?;
        }
        Ok(MIGRATIONS[done..].iter().map(|(name, _)| *name).collect())
    })
}

fn applied(session: &mut dyn Session) -> Result<usize, StoreError> {
    let row = first(session, "SELECT count(*) FROM migration", &[])?;
    Ok(row.and_then(|row| row.integer(0)).unwrap_or(0) as usize)
}
