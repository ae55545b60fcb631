//! Tokens: permissions to send, list, delete and acknowledge. Made and revoked on the command line; the database has
//! only their SHA-256.

use crate::originals::hash;
use crate::random;
use crate::store::{Session, StoreError, first};

/// Permission of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Send results, which are unlisted.
    Upload,
    /// List own results.
    Publish,
    /// Delete own results.
    Delete,
    /// Acknowledge changes of own machines.
    Acknowledge,
}

impl Scope {
    pub const ALL: [Self; 4] = [Self::Upload, Self::Publish, Self::Delete, Self::Acknowledge];

    pub fn word(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Publish => "publish",
            Self::Delete => "delete",
            Self::Acknowledge => "acknowledge",
        }
    }

    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.word() == word)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Identifies the owner of results.
    pub id: i64,
    pub name: String,
    pub scopes: Vec<Scope>,
    pub made_utc_ms: i64,
    pub revoked_utc_ms: Option<i64>,
}

/// Prefix of secrets, by which people and scanners recognise them.
const PREFIX: &str = "sbch_";

/// Makes a token and returns its secret, which is shown once. Fails if the name is taken.
pub fn make(session: &mut dyn Session, name: &str, scopes: &[Scope], now_utc_ms: i64) -> Result<String, StoreError> {
    let secret = format!("{PREFIX}{}", hash(&random::bytes::<32>()?));
    let scopes: Vec<&str> = scopes.iter().map(|scope| scope.word()).collect();
    let values = [name.into(), hash(secret.as_bytes()).into(), scopes.join(" ").into(), now_utc_ms.into()];
    let sql = "INSERT INTO token (name, secret_hash, scopes, made_utc_ms) VALUES ($1, $2, $3, $4)";
    match session.run(sql, &values) {
        Err(trouble) if trouble.is_duplicate => Err(StoreError::of(format!("A token named {name} exists."))),
        done => done.map(|_| secret),
    }
}

const COLUMNS: &str = "SELECT id, name, scopes, made_utc_ms, revoked_utc_ms FROM token";

/// The token of a secret, unless it was revoked.
pub fn find(session: &mut dyn Session, secret: &str) -> Result<Option<Token>, StoreError> {
    // Found by its hash, so that the duration reveals nothing of the secret.
    let sql = format!("{COLUMNS} WHERE secret_hash = $1 AND revoked_utc_ms IS NULL");
    Ok(first(session, &sql, &[hash(secret.as_bytes()).into()])?.as_ref().map(token))
}

/// All tokens by name.
pub fn all(session: &mut dyn Session) -> Result<Vec<Token>, StoreError> {
    Ok(session.run(&format!("{COLUMNS} ORDER BY name"), &[])?.iter().map(token).collect())
}

/// Revokes a token. False if no token has this name.
pub fn revoke(session: &mut dyn Session, name: &str, now_utc_ms: i64) -> Result<bool, StoreError> {
    let sql = "UPDATE token SET revoked_utc_ms = coalesce(revoked_utc_ms, $1) WHERE name = $2 RETURNING id";
    Ok(!session.run(sql, &[now_utc_ms.into(), name.into()])?.is_empty())
}

fn token(row: &crate::store::Row) -> Token {
    Token {
        id: row.integer(0).unwrap_or(0),
        name: row.words(1),
        scopes: row.words(2).split(' ').filter_map(Scope::of).collect(),
        made_utc_ms: row.integer(3).unwrap_or(0),
        revoked_utc_ms: row.integer(4),
    }
}
