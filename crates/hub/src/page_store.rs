//! Finished pages of results, compressed and kept in the database: reading one takes a hundredth of the time that
//! explaining its Record takes. The pages of the newest results are made before anybody asks for them.
//!
//! The key of a page is a hash of its inputs; the page is used while its key is current. Deleting a result deletes its page.

use crate::hub_state::Hub;
use crate::limits::LimitRefusal;
use crate::log;
use crate::originals;
use crate::pages::PageContext;
use crate::references;
use crate::store::{Session, StoreError, first, number, read, write};
use crate::worker::View;

/// Number of the newest results whose pages are kept: some 360 MB, and 1.3 GB at most.
const RESULTS_MAX: i64 = 20_000;
/// Maximum length of a kept page in bytes, compressed. The page of a log has 18 KB; longer ones are drawn for each reader.
const PACKED_BYTES_MAX: usize = 64 << 10;
/// Maximum number of results of this hub in the comparison of a result.
const KNOWN_MAX: i64 = 50;

/// Inputs of the page of a result.
pub(crate) struct PageSource {
    id: i64,
    slug: String,
    headline: String,
    public_url: String,
    /// Hash of the original.
    pub(crate) hash: String,
    /// The results that it is compared with.
    known: Vec<i64>,
    /// Hash of the build and of all of these.
    pub(crate) key: String,
}

impl PageSource {
    /// None if there is no such result.
    pub(crate) fn of(session: &mut dyn Session, hub: &Hub, slug: &str) -> Result<Option<Self>, StoreError> {
        let sql = "SELECT id, hash, headline, soc_id, board_id FROM result WHERE slug = $1";
        let Some(row) = first(session, sql, &[slug.into()])? else { return Ok(None) };
        let name = row.integer(3).map(|soc| ("soc_id", soc)).or(row.integer(4).map(|board| ("board_id", board)));
        let latest = match name {
            Some((column, name)) => latest_valid(session, column, name)?,
            None => Vec::new(),
        };
        let public_url = hub.settings.public_url.trim_end_matches('/').to_owned();
        let (hash, headline) = (row.words(1), row.words(2));
        let parts = (&hub.settings.build, &public_url, slug, &hash, &headline, &latest);
        let key = originals::hash(&serde_json::to_vec(&parts).unwrap_or_default());
        let known = latest.iter().map(|(id, _)| *id).collect();
        Ok(Some(Self {
            id: row.integer(0).unwrap_or(0),
            slug: slug.to_owned(),
            headline,
            public_url,
            hash,
            known,
            key,
        }))
    }

    pub(crate) fn context(&self, session: &mut dyn Session) -> Result<PageContext, StoreError> {
        Ok(PageContext {
            slug: self.slug.clone(),
            public_url: self.public_url.clone(),
            headline: self.headline.clone(),
            references: references::table(session, &self.known)?,
        })
    }

    /// The kept page, if its key is current.
    pub(crate) fn kept(&self, session: &mut dyn Session) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT packed FROM page WHERE result_id = $1 AND key = $2";
        let row = first(session, sql, &[self.id.into(), self.key.as_str().into()])?;
        // A damaged page is replaced.
        Ok(row.and_then(|row| originals::unpack_page(row.bytes(0))))
    }

    /// Keeps a page if its result is one of the newest, and removes pages of older ones.
    pub(crate) fn keep(&self, hub: &Hub, page: &[u8]) -> Result<(), StoreError> {
        let packed = originals::pack(page);
        let oldest = newest(hub)? - RESULTS_MAX + 1;
        if self.id < oldest || packed.len() > PACKED_BYTES_MAX {
            return Ok(());
        }
        write(&*hub.store, |session| {
            session.run("DELETE FROM page WHERE result_id < $1", &[oldest.into()])?;
            // Its result may be deleted meanwhile.
            let held = format!("SELECT 1 FROM result WHERE id = $1{}", session.dialect().to_point_to());
            if first(session, &held, &[self.id.into()])?.is_none() {
                return Ok(());
            }
            let sql = "INSERT INTO page (result_id, key, packed) VALUES ($1, $2, $3) \
                       ON CONFLICT (result_id) DO UPDATE SET key = excluded.key, packed = excluded.packed";
            session.run(sql, &[self.id.into(), self.key.as_str().into(), packed.clone().into()]).map(drop)
        })
    }
}

/// The latest valid and listed results with a name, and the builds that derived their figures.
fn latest_valid(session: &mut dyn Session, column: &str, name: i64) -> Result<Vec<(i64, i64)>, StoreError> {
    let sql = format!(
        "SELECT id, derived_by FROM result WHERE {column} = $1 AND listed = 1 AND verdict = 'valid' \
         ORDER BY listed_utc_ms DESC, id DESC LIMIT {KNOWN_MAX}"
    );
    let rows = session.run(&sql, &[name.into()])?;
    Ok(rows.iter().filter_map(|row| row.integer(0).zip(row.integer(1))).collect())
}

/// Id of the newest result.
fn newest(hub: &Hub) -> Result<i64, StoreError> {
    number(&*hub.store, "SELECT coalesce(max(id), 0) FROM result", &[])
}

/// Makes the page of the first listed result after `done` that has none of today, and moves `done` there. False if none is
/// left, or the hub ends.
pub fn make_one(hub: &Hub, done: &mut i64) -> Result<bool, StoreError> {
    let newest = newest(hub)?;
    let after = (*done).max(newest - RESULTS_MAX);
    let next = "SELECT id, slug FROM result WHERE id > $1 AND listed = 1 ORDER BY id LIMIT 1";
    let Some(row) = read(&*hub.store, |session| first(session, next, &[after.into()]))? else {
        // Does not pass over unlisted results again.
        *done = newest;
        return Ok(false);
    };
    let id = row.integer(0).unwrap_or(after + 1);
    let found = read(&*hub.store, |session| {
        let Some(source) = PageSource::of(session, hub, &row.words(1))? else { return Ok(None) };
        if source.kept(session)?.is_some() {
            return Ok(None);
        }
        Ok(Some((source.context(session)?, source)))
    })?;
    if let Some((context, source)) = found {
        let mut original = |_| read(&*hub.store, |session| originals::packed(session, &source.hash));
        match hub.workers.show(&hub.deriving, View::Result(context), 1, &mut original) {
            Ok(page) => source.keep(hub, &page)?,
            Err(LimitRefusal::Store(trouble)) if trouble.is_passing => return Err(trouble),
            Err(_) if hub.deriving.is_stopped() => return Ok(false),
            // The next request for it reports the reason.
            Err(_) => log::event("unfinished", &[("id", &id.to_string())]),
        }
    }
    *done = id;
    Ok(true)
}
