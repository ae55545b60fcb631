//! Number of listed results of each name. Counting a million rows takes seconds, so it is done in the background and
//! kept in memory, where it also selects the index of a query. The latest counts are stored in the database for the
//! next start.

use crate::names::Kind;
use crate::results::NAMED;
use crate::store::{Store, StoreError, first, number, read, read_all, write};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameCount {
    pub id: i64,
    pub words: String,
    pub slug: String,
    /// Number of listed results.
    pub count: i64,
    /// Number of runs that died.
    pub died: i64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Number of listed results.
    pub total: i64,
    /// Names with listed results by kind, the most frequent first.
    pub names: HashMap<Kind, Vec<NameCount>>,
    /// Highest number of a counted name.
    #[serde(default)]
    pub last_name: i64,
}

impl Counts {
    /// Counts everything.
    pub fn of(store: &dyn Store) -> Result<Self, StoreError> {
        let last_name = number(store, "SELECT max(id) FROM name", &[])?;
        let total = number(store, "SELECT count(*) FROM result WHERE listed = 1", &[])?;
        let mut counts = Self { total, last_name, ..Self::default() };
        for (kind, column) in NAMED {
            let sql = format!(
                "SELECT name.id, name.words, name.slug, counted.n FROM (SELECT {column} AS id, count(*) AS n FROM result \
                 WHERE listed = 1 AND {column} IS NOT NULL GROUP BY {column}) AS counted JOIN name ON name.id = counted.id"
            );
            let rows = read_all(store, |session| session.run(&sql, &[]))?;
            let named = rows.iter().map(|row| NameCount {
                id: row.integer(0).unwrap_or(0),
                words: row.words(1),
                slug: row.words(2),
                count: row.integer(3).unwrap_or(0),
                died: 0,
            });
            counts.names.insert(kind, named.collect());
        }
        counts.count_died(store)?;
        counts.count_cores(store)?;
        for names in counts.names.values_mut() {
            names.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.words.cmp(&b.words)));
        }
        Ok(counts)
    }

    /// The stored counts; counts now if none are stored or a newer program stored them in another form.
    pub fn latest(store: &dyn Store) -> Result<Self, StoreError> {
        let row = read(store, |session| first(session, "SELECT counts FROM counted WHERE id = 1", &[]))?;
        match row.and_then(|row| serde_json::from_str(row.text(0)?).ok()) {
            Some(counts) => Ok(counts),
            None => Self::of(store),
        }
    }

    /// Stores the counts.
    pub fn note(&self, store: &dyn Store) -> Result<(), StoreError> {
        let text = serde_json::to_string(self).map_err(|error| StoreError::of(error.to_string()))?;
        let sql =
            "INSERT INTO counted (id, counts) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET counts = excluded.counts";
        write(store, |session| session.run(sql, &[text.as_str().into()])).map(drop)
    }

    fn count_died(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let sql = "SELECT board_id, count(*) FROM result WHERE listed = 1 AND died_in IS NOT NULL GROUP BY board_id";
        let rows = read_all(store, |session| session.run(sql, &[]))?;
        for row in rows {
            let board = self
                .names
                .get_mut(&Kind::Board)
                .and_then(|boards| boards.iter_mut().find(|board| Some(board.id) == row.integer(0)));
            if let Some(board) = board {
                board.died = row.integer(1).unwrap_or(0);
            }
        }
        Ok(())
    }

    /// A core type has the results of all its sets of cores.
    fn count_cores(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let sql = "SELECT name.id, name.words, name.slug, name_core.cores_id FROM name_core JOIN name \
                   ON name.id = name_core.core_id ORDER BY name.id";
        let sets: HashMap<i64, i64> = self.all(Kind::Cores).iter().map(|set| (set.id, set.count)).collect();
        let mut types: Vec<NameCount> = Vec::new();
        for row in read_all(store, |session| session.run(sql, &[]))? {
            let count = row.integer(3).and_then(|set| sets.get(&set)).copied().unwrap_or(0);
            let id = row.integer(0).unwrap_or(0);
            match types.last_mut().filter(|known| known.id == id) {
                Some(known) => known.count += count,
                None => types.push(NameCount { id, words: row.words(1), slug: row.words(2), count, died: 0 }),
            }
        }
        types.retain(|core| core.count > 0);
        self.names.insert(Kind::Core, types);
        Ok(())
    }

    pub fn all(&self, kind: Kind) -> &[NameCount] {
        self.names.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// Number of listed results of a name.
    pub fn of_name(&self, kind: Kind, id: i64) -> i64 {
        self.all(kind).iter().find(|named| named.id == id).map_or(0, |named| named.count)
    }
}
