//! Rate limits: a token bucket for each sender. Each process has its own, so several hubs permit a multiple of the
//! rate.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Maximum number of buckets; the least recently used one is dropped for a new one.
const SENDERS_MAX: usize = 20_000;

/// Buckets of requests by network, and of uploads by token.
#[derive(Debug, Default)]
pub struct Rates {
    requests: Mutex<Buckets<IpAddr>>,
    uploads: Mutex<Buckets<i64>>,
}

/// Buckets by sender, and senders in the order of their last request.
#[derive(Debug)]
struct Buckets<K> {
    by_sender: HashMap<K, Bucket>,
    by_turn: BTreeMap<u64, K>,
    turn: u64,
}

impl<K> Default for Buckets<K> {
    fn default() -> Self {
        Self { by_sender: HashMap::new(), by_turn: BTreeMap::new(), turn: 0 }
    }
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    seen_ms: i64,
    turn: u64,
}

impl Rates {
    /// Takes a request of the network of an address. An error is the number of seconds to wait.
    pub fn request(&self, address: IpAddr, per_minute: u32, now_ms: i64) -> Result<(), u64> {
        take(&self.requests, network(address), per_minute, now_ms)
    }

    /// Takes an upload of a token. An error is the number of seconds to wait.
    pub fn upload(&self, token: i64, per_minute: u32, now_ms: i64) -> Result<(), u64> {
        take(&self.uploads, token, per_minute, now_ms)
    }
}

/// Network within which a sender can choose its address: a /64 of IPv6 (RFC 6177), a /24 of IPv4, the smallest network
/// that is routed between providers.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            IpAddr::from([a, b, c, 0])
        }
    }
}

fn take<K: Copy + Eq + Hash>(buckets: &Mutex<Buckets<K>>, key: K, per_minute: u32, now_ms: i64) -> Result<(), u64> {
    let most = f64::from(per_minute.max(1));
    let mut buckets = buckets.lock().unwrap_or_else(PoisonError::into_inner);
    let bucket = buckets.touch(key, Bucket { left: most, seen_ms: now_ms, turn: 0 });
    let passed_ms = now_ms.saturating_sub(bucket.seen_ms);
    bucket.left = (bucket.left + passed_ms as f64 * most / 60_000.0).min(most);
    bucket.seen_ms = now_ms;
    if bucket.left < 1.0 {
        return Err(((1.0 - bucket.left) * 60.0 / most).ceil() as u64);
    }
    bucket.left -= 1.0;
    Ok(())
}

impl<K: Copy + Eq + Hash> Buckets<K> {
    /// The bucket of a sender, which becomes the most recently used one.
    fn touch(&mut self, key: K, new: Bucket) -> &mut Bucket {
        self.turn += 1;
        if self.by_sender.len() >= SENDERS_MAX
            && !self.by_sender.contains_key(&key)
            && let Some((_, oldest)) = self.by_turn.pop_first()
        {
            self.by_sender.remove(&oldest);
        }
        let bucket = self.by_sender.entry(key).or_insert(new);
        self.by_turn.remove(&bucket.turn);
        self.by_turn.insert(self.turn, key);
        bucket.turn = self.turn;
        bucket
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_network_share_their_rate() {
        for (first, second, is_shared) in [
            ("2001:db8::1", "2001:db8::ffff:2", true),
            ("2001:db8::1", "2001:db8:0:1::1", false),
            ("::ffff:1.2.3.4", "1.2.3.4", true),
            ("1.2.3.4", "1.2.3.5", true),
            ("1.2.3.4", "1.2.4.4", false),
        ] {
            let rates = Rates::default();
            let one = |address: &str| rates.request(address.parse().unwrap(), 1, 0).is_err();
            assert!(!one(first));
            assert_eq!(one(second), is_shared, "{first} {second}");
        }
    }

    #[test]
    fn a_sender_gets_its_rate_and_others_are_not_touched() {
        let rates = Rates::default();
        let one = |token, now_ms| rates.upload(token, 60, now_ms).is_ok();
        assert_eq!((0..100).filter(|_| one(1, 0)).count(), 60);
        assert_eq!(rates.upload(1, 60, 0), Err(1));
        assert!(one(2, 0));
        assert_eq!((0..100).filter(|_| one(1, 10_000)).count(), 10);
        assert!(!one(1, 10_900) && one(1, 11_001));
        assert_eq!((0..1000).filter(|_| one(1, 10_000_000)).count(), 60);
    }

    #[test]
    fn a_flood_of_senders_is_forgotten_and_not_who_was_seen_last() {
        let rates = Rates::default();
        let one = |token| rates.upload(token, 2, 0).is_ok();
        assert!(one(-1) && one(-1) && !one(-1));
        for token in 0..SENDERS_MAX as i64 * 2 {
            assert!(one(token));
            assert!(token % 1_000 > 0 || !one(-1), "{token}: it is seen now and then, and gets no new bucket");
        }
        let buckets = rates.uploads.lock().unwrap();
        assert_eq!((buckets.by_sender.len(), buckets.by_turn.len()), (SENDERS_MAX, SENDERS_MAX));
    }
}
