//! Names shared by many results: boards, SoCs, core types, sets of cores, kernels, distributions. Each has a number for
//! queries and a slug for addresses.

use crate::originals::hash;
use crate::store::{Session, StoreError, Value, first};
use facts::soc::bare_key;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Board,
    Soc,
    /// A core type, such as Cortex-A76.
    Core,
    /// A set of cores, such as `4x Cortex-A55 + 4x Cortex-A76`.
    Cores,
    Kernel,
    Distribution,
}

impl Kind {
    pub const ALL: [Self; 6] = [Self::Board, Self::Soc, Self::Core, Self::Cores, Self::Kernel, Self::Distribution];

    /// Word in addresses and in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::Soc => "soc",
            Self::Core => "core",
            Self::Cores => "cores",
            Self::Kernel => "kernel",
            Self::Distribution => "distribution",
        }
    }

    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// Maximum length of a stored name; real ones have up to 100 characters.
const CHARACTERS_MAX: usize = 200;

/// Number of a name, which is added if it is new.
pub fn number(session: &mut dyn Session, kind: Kind, words: &str) -> Result<Option<i64>, StoreError> {
    let words: String = facts::plain(words).chars().take(CHARACTERS_MAX).collect();
    if words.is_empty() {
        return Ok(None);
    }
    let plain = slug_of(kind, &words);
    // All spellings of a board are one name, the first one stored.
    let (column, value) = if is_board(kind, &words) { ("slug", &plain) } else { ("words", &words) };
    let known = |session: &mut dyn Session| -> Result<Option<i64>, StoreError> {
        let values = [kind.word().into(), value.as_str().into()];
        let sql = format!("SELECT id FROM name WHERE kind = $1 AND {column} = $2{}", session.dialect().to_point_to());
        let row = first(session, &sql, &values)?;
        Ok(row.and_then(|row| row.integer(0)))
    };
    if let Some(id) = known(session)? {
        return Ok(Some(id));
    }
    // A hash distinguishes names with the same slug.
    let distinct = format!("{plain}-{}", &hash(words.as_bytes())[..8]);
    for slug in [&plain, &distinct] {
        let sql = "INSERT INTO name (kind, words, slug) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        session.run(sql, &[kind.word().into(), words.as_str().into(), slug.as_str().into()])?;
        if let Some(id) = known(session)? {
            return Ok(Some(id));
        }
    }
    Err(StoreError { is_passing: true, ..StoreError::of(format!("The name {words} could not be kept.")) })
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        value.as_str().into()
    }
}

/// Stores that a set of cores contains a core type.
pub fn join_cores(session: &mut dyn Session, cores: i64, core: i64) -> Result<(), StoreError> {
    let sql = "INSERT INTO name_core (cores_id, core_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    session.run(sql, &[cores.into(), core.into()]).map(drop)
}

/// Slug of a name in any spelling: `rock5b` and `Radxa ROCK 5B` have one slug, and a slug is its own slug.
pub fn slug_of(kind: Kind, words: &str) -> String {
    if is_board(kind, words) { slug(&bare_key(&compare::NamedBoard::of(words).name)) } else { slug(words) }
}

/// The common spelling of boards drops letters beyond ASCII.
fn is_board(kind: Kind, words: &str) -> bool {
    kind == Kind::Board && words.is_ascii()
}

/// Name for addresses: `Orange Pi 5 Plus` is `orange-pi-5-plus`.
pub fn slug(words: &str) -> String {
    let lower = words.to_lowercase();
    let parts = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let slug: String = parts.collect::<Vec<_>>().join("-").chars().take(80).collect();
    if slug.is_empty() { "x".to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_plain() {
        for (words, expected) in [
            ("Orange Pi 5 Plus", "orange-pi-5-plus"),
            ("<script>alert(1)</script>", "script-alert-1-script"),
            ("日本", "x"),
            ("../../etc", "etc"),
        ] {
            assert_eq!(slug(words), expected);
        }
    }

    #[test]
    fn spellings_of_a_board_have_one_slug() {
        for spellings in [
            &["Raspberry Pi 4 Model B Rev 1.1", "RPi 4 Model B Rev 1.1 / BCM2711 Rev B0", "Raspberry Pi 4 B"][..],
            &["Raspberry Pi 5 Model B Rev 1.0", "Raspberry Pi 5"],
            &["Pine64 Rock64", "rock64", "Rock64"],
            &["Radxa ROCK 5B", "rock5b", "ROCK 5 Model B"],
            &["AZW EQ / N100", "Intel N100"],
        ] {
            let slugs = spellings.iter().map(|words| slug_of(Kind::Board, words));
            let all: std::collections::BTreeSet<String> = slugs.clone().collect();
            let again: std::collections::BTreeSet<String> = slugs.map(|one| slug_of(Kind::Board, &one)).collect();
            assert!(all.len() == 1 && all == again, "{spellings:?}: {all:?}, {again:?}");
        }
        assert_ne!(slug_of(Kind::Board, "Raspberry Pi 4 B"), slug_of(Kind::Board, "Raspberry Pi 3 B"));
        assert_eq!(slug_of(Kind::Kernel, "6.1.0-13-arm64"), "6-1-0-13-arm64");
    }
}
