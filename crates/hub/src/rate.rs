//! Who asks how often: a bucket for each sender, which fills with time. In the process alone: with several hubs a sender
//! gets as much of each.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Buckets that are remembered; a flood from more addresses than that begins afresh, which costs no memory.
const SENDERS_MAX: usize = 20_000;

/// Buckets of requests by address, and of uploads by token.
#[derive(Debug, Default)]
pub struct Rates {
    requests: Mutex<HashMap<IpAddr, Bucket>>,
    uploads: Mutex<HashMap<i64, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    seen_ms: i64,
}

impl Rates {
    /// Takes one request of an address. Else the seconds until there is another.
    ///
    /// # Errors
    /// It has asked too often.
    pub fn request(&self, address: IpAddr, per_minute: u32, now_ms: i64) -> Result<(), u64> {
        take(&self.requests, network(address), per_minute, now_ms)
    }

    /// Takes one upload of a token. Else the seconds until there is another.
    ///
    /// # Errors
    /// It has sent too often.
    pub fn upload(&self, token: i64, per_minute: u32, now_ms: i64) -> Result<(), u64> {
        take(&self.uploads, token, per_minute, now_ms)
    }
}

/// What one sender can choose his address from: of IPv6 the first 64 bits, which one host is given (RFC 6177).
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        address => address,
    }
}

fn take<K: Eq + Hash>(buckets: &Mutex<HashMap<K, Bucket>>, key: K, per_minute: u32, now_ms: i64) -> Result<(), u64> {
    let most = f64::from(per_minute.max(1));
    let mut buckets = buckets.lock().unwrap_or_else(PoisonError::into_inner);
    if buckets.len() >= SENDERS_MAX {
        buckets.clear();
    }
    let bucket = buckets.entry(key).or_insert(Bucket { left: most, seen_ms: now_ms });
    // A clock that steps back fills nothing.
    let passed_ms = now_ms.saturating_sub(bucket.seen_ms).max(0);
    bucket.left = (bucket.left + passed_ms as f64 * most / 60_000.0).min(most);
    bucket.seen_ms = now_ms;
    if bucket.left < 1.0 {
        return Err(((1.0 - bucket.left) * 60.0 / most).ceil() as u64);
    }
    bucket.left -= 1.0;
    Ok(())
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
            ("1.2.3.4", "1.2.3.5", false),
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
        assert!(!one(1, 5_000), "a clock that steps back");
        assert!(one(1, 6_001));
        assert_eq!((0..1000).filter(|_| one(1, 10_000_000)).count(), 60);
    }
}
