//! Cache of rendered pages, compressed: the memory holds five times as many. Access is checked before a page is looked
//! up.

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::collections::VecDeque;
use std::io::{Read, Write};
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
        let packed = page.map(|(_, _, page)| page.clone())?;
        drop(pages);
        let mut page = Vec::new();
        GzDecoder::new(packed.as_slice()).read_to_end(&mut page).ok()?;
        Some(page)
    }

    /// Adds a page and drops the oldest ones beyond the memory limit.
    pub fn put(&self, key: String, now: Instant, page: &[u8]) {
        let Some(packed) = packed(page) else { return };
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|(known, _, _)| *known != key);
        pages.push_back((key, now, packed));
        let mut bytes: usize = pages.iter().map(|(_, _, page)| page.len()).sum();
        while bytes > BYTES_MAX {
            let Some((_, _, oldest)) = pages.pop_front() else { break };
            bytes -= oldest.len();
        }
    }
}

/// The page compressed at the lowest cost.
fn packed(page: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(page).ok()?;
    encoder.finish().ok()
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
            pages.put(format!("large {number}"), now, &noise(BYTES_MAX / 8));
        }
        assert_eq!((pages.get("a", now), pages.get("large 1", now)), (None, None));
        assert!(pages.get("large 9", now).is_some());
        pages.put("too large".to_owned(), now, &noise(BYTES_MAX + 1));
        assert_eq!(pages.get("too large", now), None);
    }

    #[test]
    fn pages_of_text_take_little_memory() {
        let (pages, now) = (PageCache::default(), Instant::now());
        for number in 0..10 {
            pages.put(format!("{number}"), now, &vec![b' '; BYTES_MAX / 8]);
        }
        assert_eq!(pages.get("0", now), Some(vec![b' '; BYTES_MAX / 8]));
    }

    /// Bytes that do not compress.
    fn noise(count: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let next = |_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as u8
        };
        (0..count).map(next).collect()
    }
}
