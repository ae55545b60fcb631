//! Results in the database: stored, listed, derived again.

use crate::derive::ResultSummary;
use crate::names::{self, Kind};
use crate::originals::{self, CompressedOriginal};
use crate::quota;
use crate::random;
use crate::sorts::SORTS;
use crate::store::{Session, Store, StoreError, Value, first, write};

/// Columns with the id of a name.
pub const NAMED: [(Kind, &str); 5] = [
    (Kind::Board, "board_id"),
    (Kind::Soc, "soc_id"),
    (Kind::Cores, "cores_id"),
    (Kind::Kernel, "kernel_id"),
    (Kind::Distribution, "distribution_id"),
];

/// File to be stored.
#[derive(Debug, Clone)]
pub struct IncomingFile {
    /// Id of the sender's token.
    pub owner: i64,
    /// SHA-256 of the file as received.
    pub received_hash: String,
    /// Redacted file.
    pub original: CompressedOriginal,
    /// Whether it is listed.
    pub published: bool,
    pub received_utc_ms: i64,
    /// Derived data, or the reason that there is none.
    pub derived: Result<ResultSummary, String>,
    /// Sender's name of the machine; empty to identify it by board and cores.
    pub alias: String,
    /// Number of the build that derived it.
    pub build: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResult {
    pub id: i64,
    /// Short name in addresses.
    pub slug: String,
    /// Reason of its quarantine.
    pub quarantined: Option<String>,
    /// Whether it was stored before.
    pub was_there: bool,
    /// Whether it is listed.
    pub published: bool,
}

/// Size of a row and its index entries in bytes, as in `migrations/7_quotas.sql`.
const ROW_BYTES: i64 = 4096;

/// Letters of a slug, without similar ones.
const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";
/// 60 bits make unlisted results unguessable.
const SLUG_LETTERS: usize = 12;

/// Makes a random slug, which cannot be computed from the file.
fn new_slug() -> Result<String, StoreError> {
    let random = random::bytes::<SLUG_LETTERS>()?;
    Ok(random.iter().map(|byte| LETTERS[usize::from(byte % 32)] as char).collect())
}

/// The result of an owner with this SHA-256 as received.
pub fn known(session: &mut dyn Session, owner: i64, received_hash: &str) -> Result<Option<StoredResult>, StoreError> {
    let sql = "SELECT id, slug, quarantined, published_utc_ms FROM result WHERE owner = $1 AND received_hash = $2";
    let row = first(session, sql, &[owner.into(), received_hash.into()])?;
    Ok(row.map(|row| StoredResult {
        id: row.integer(0).unwrap_or(0),
        slug: row.words(1),
        quarantined: row.text(2).map(str::to_owned),
        was_there: true,
        published: row.integer(3).is_some(),
    }))
}

/// Stores a file, unless its owner sent it before.
pub fn keep(session: &mut dyn Session, new: &IncomingFile) -> Result<StoredResult, StoreError> {
    if let Some(kept) = known(session, new.owner, &new.received_hash)? {
        return Ok(kept);
    }
    originals::keep(session, &new.original)?;
    let slug = new_slug()?;
    let quarantined = new.derived.as_ref().err().cloned();
    let published = Some(new.received_utc_ms).filter(|_| new.published);
    let mut columns: Vec<(&str, Value)> = vec![
        ("slug", slug.as_str().into()),
        ("owner", new.owner.into()),
        ("received_hash", new.received_hash.as_str().into()),
        ("received_utc_ms", new.received_utc_ms.into()),
        ("hash", new.original.hash.as_str().into()),
        ("quarantined", quarantined.as_deref().into()),
        ("published_utc_ms", published.into()),
        ("listed", (published.is_some() && quarantined.is_none()).into()),
        ("listed_utc_ms", new.received_utc_ms.into()),
        ("derived_by", new.build.into()),
        ("alias", new.alias.as_str().into()),
        ("kept_bytes", kept_bytes(new).into()),
    ];
    columns.extend(derived_columns(session, new.derived.as_ref().ok())?);
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let marks: Vec<String> = (1..=columns.len()).map(|at| format!("${at}")).collect();
    let sql = format!(
        "INSERT INTO result ({}) VALUES ({}) ON CONFLICT (owner, received_hash) DO NOTHING RETURNING id",
        names.join(", "),
        marks.join(", ")
    );
    let values: Vec<Value> = columns.into_iter().map(|(_, value)| value).collect();
    match first(session, &sql, &values)?.and_then(|row| row.integer(0)) {
        Some(id) => {
            quota::take(session, new.owner, kept_bytes(new))?;
            Ok(StoredResult { id, slug, quarantined, was_there: false, published: published.is_some() })
        }
        // Another process stored it meanwhile.
        None => known(session, new.owner, &new.received_hash)?.ok_or_else(|| StoreError {
            is_passing: true,
            ..StoreError::of("The result is being kept by another hub.")
        }),
    }
}

fn kept_bytes(new: &IncomingFile) -> i64 {
    ROW_BYTES + new.original.bytes.len() as i64
}

fn derived_columns(
    session: &mut dyn Session,
    derived: Option<&ResultSummary>,
) -> Result<Vec<(&'static str, Value)>, StoreError> {
    let mut columns = Vec::new();
    let mut numbers = Vec::new();
    for (kind, column) in NAMED {
        let words = derived.and_then(|derived| derived.names.iter().find(|(of, _)| *of == kind));
        let number = match words {
            Some((_, words)) => names::number(session, kind, words)?,
            None => None,
        };
        numbers.push((kind, number));
        columns.push((column, number.into()));
    }
    let cores = numbers.iter().find(|(kind, _)| *kind == Kind::Cores).and_then(|(_, number)| *number);
    for core_type in derived.iter().flat_map(|derived| &derived.core_types) {
        if let (Some(cores), Some(core)) = (cores, names::number(session, Kind::Core, core_type)?) {
            names::join_cores(session, cores, core)?;
        }
    }
    let text = |of: fn(&ResultSummary) -> &str| derived.map_or("", of).into();
    let json = |text: Option<String>| Value::from(text.unwrap_or_else(|| "[]".to_owned()));
    columns.extend([
        ("kind", text(|derived| &derived.kind)),
        ("machine", text(|derived| &derived.machine)),
        ("started_utc_ms", derived.and_then(|derived| derived.started_utc_ms).into()),
        ("verdict", text(|derived| &derived.verdict)),
        ("died_in", derived.and_then(|derived| derived.died_in.as_deref()).into()),
        ("headline", text(|derived| &derived.headline)),
        ("cells", json(derived.and_then(|derived| serde_json::to_string(&derived.cells).ok()))),
        ("figures", json(derived.and_then(|derived| serde_json::to_string(&derived.figures).ok()))),
    ]);
    for (index, sort) in SORTS.iter().enumerate() {
        columns.push((sort.column, derived.and_then(|derived| derived.sorted_by[index]).into()));
    }
    Ok(columns)
}

/// Lists a result of an owner from this moment on, or hides it. False if the owner has no such result.
pub fn publish(session: &mut dyn Session, owner: i64, slug: &str, at: Option<i64>) -> Result<bool, StoreError> {
    let sql = "UPDATE result SET published_utc_ms = $1, listed_utc_ms = coalesce($1, received_utc_ms), \
               listed = CASE WHEN quarantined IS NULL AND $1 IS NOT NULL THEN 1 ELSE 0 END \
               WHERE owner = $2 AND slug = $3 RETURNING id";
    Ok(!session.run(sql, &[at.into(), owner.into(), slug.into()])?.is_empty())
}

/// Names the machine of an owner's result.
pub fn name_machine(session: &mut dyn Session, owner: i64, slug: &str, alias: &str) -> Result<(), StoreError> {
    let sql = "UPDATE result SET alias = $1, machine = $1 WHERE owner = $2 AND slug = $3 AND alias <> $1";
    session.run(sql, &[alias.into(), owner.into(), slug.into()]).map(drop)
}

/// Number of a build. A new name gets the highest.
pub fn build_number(store: &dyn Store, name: &str) -> Result<i64, StoreError> {
    write(store, |session| {
        session.run("INSERT INTO build (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", &[name.into()])?;
        let row = first(session, "SELECT id FROM build WHERE name = $1", &[name.into()])?;
        row.and_then(|row| row.integer(0)).ok_or_else(|| StoreError::of("The build could not be noted."))
    })
}

/// Replaces the derived columns.
pub fn replace(
    session: &mut dyn Session,
    id: i64,
    build: i64,
    derived: &Result<ResultSummary, String>,
) -> Result<(), StoreError> {
    let quarantined = derived.as_ref().err();
    let mut columns = derived_columns(session, derived.as_ref().ok())?;
    columns.push(("quarantined", quarantined.into()));
    columns.push(("derived_by", build.into()));
    let sets: Vec<String> = columns.iter().enumerate().map(|(at, (name, _))| format!("{name} = ${}", at + 1)).collect();
    let listed = match quarantined {
        Some(_) => "0",
        None => "CASE WHEN published_utc_ms IS NULL THEN 0 ELSE 1 END",
    };
    let sql = format!("UPDATE result SET {}, listed = {listed} WHERE id = ${}", sets.join(", "), columns.len() + 1);
    let mut values: Vec<Value> = columns.into_iter().map(|(_, value)| value).collect();
    values.push(id.into());
    session.run(&sql, &values).map(drop)
}
