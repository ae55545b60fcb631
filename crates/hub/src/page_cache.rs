//! Cache of rendered pages. Access is checked before a page is looked up.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Memory limit of the cache in bytes.
const BYTES_MAX: usize = 32 << 20;
/// Maximum age of a page; a newer one shows newer results.
const AGE_MAX: Duration = Duration::from_secs(60);

/// Pages by key, the oldest first.
#[derive(Debug, Default)]
pub struct PageCache(Mutex<VecDeque<(String, Instant, Vec<u8>)>>);

impl PageCache {
    pub fn get(&self, key: &str, now: Instant) -> Option<Vec<u8>> {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = |(_, made, _): &&(String, Instant, Vec<u8>)| now.saturating_duration_since(*made) < AGE_MAX;
        let page = pages.iter().rev().take_while(fresh).find(|(known, _, _)| known == key);
        page.map(|(_, _, page)| page.clone())
    }

    /// Adds a page and drops the oldest ones beyond the memory limit.
    pub fn put(&self, key: String, now: Instant, page: &[u8]) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|(known, _, _)| *known != key);
        pages.push_back((key, now, page.to_vec()));
        let mut bytes: usize = pages.iter().map(|(_, _, page)| page.len()).sum();
        while bytes > BYTES_MAX {
            let Some((_, _, oldest)) = pages.pop_front() else { break };
            bytes -= oldest.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_kept_until_they_are_old_or_too_many() {
        let (pages, now) = (PageCache::default(), Instant::now());
        pages.put("a".to_owned(), now, b"1");
        pages.put("a".to_owned(), now, b"2");
        assert_eq!(pages.get("a", now), Some(b"2".to_vec()));
        assert_eq!(pages.get("b", now), None);
        assert_eq!(pages.get("a", now + AGE_MAX), None);
        for number in 0..10 {
            pages.put(format!("large {number}"), now, &vec![0; BYTES_MAX / 8]);
        }
        assert_eq!((pages.get("a", now), pages.get("large 1", now)), (None, None));
        assert!(pages.get("large 9", now).is_some());
        pages.put("too large".to_owned(), now, &vec![0; BYTES_MAX + 1]);
        assert_eq!(pages.get("too large", now), None);
    }
}
