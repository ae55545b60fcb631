//! Limited resources shared by key. A key that has used up its share is refused or waits without affecting other keys.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// A resource: requests or bytes.
#[derive(Debug)]
pub struct Shares<K> {
    held: Mutex<ShareUse<K>>,
    freed: Notify,
    all: usize,
    each: usize,
}

#[derive(Debug)]
struct ShareUse<K> {
    count: usize,
    by_key: HashMap<K, usize>,
}

/// Part of a resource; dropping it frees the part.
#[derive(Debug)]
pub struct Share<K: Key> {
    shares: Arc<Shares<K>>,
    key: K,
    count: usize,
}

/// Owner of a share: a token or a network.
pub trait Key: Copy + Eq + Hash {}

impl<K: Copy + Eq + Hash> Key for K {}

impl<K: Key> Shares<K> {
    /// A resource of size `all`, of which a key may have `each`.
    pub fn new(all: usize, each: usize) -> Arc<Self> {
        let held = Mutex::new(ShareUse { count: 0, by_key: HashMap::new() });
        Arc::new(Self { held, freed: Notify::new(), all, each })
    }

    /// Maximum for one key.
    pub fn of_one(&self) -> usize {
        self.each
    }

    /// Takes a part if it is free for this key.
    pub fn take(self: &Arc<Self>, key: K, count: usize) -> Option<Share<K>> {
        let mut share = Share { shares: Arc::clone(self), key, count: 0 };
        share.grow(count).then_some(share)
    }

    /// Takes one unit once it is free for this key.
    pub async fn wait(self: &Arc<Self>, key: K) -> Share<K> {
        loop {
            let mut freed = std::pin::pin!(self.freed.notified());
            // Enabled before the attempt, so that no release is missed.
            freed.as_mut().enable();
            if let Some(share) = self.take(key, 1) {
                return share;
            }
            freed.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, ShareUse<K>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Key> Share<K> {
    /// Takes more. False, without effect, if it is not free.
    pub fn grow(&mut self, count: usize) -> bool {
        let mut held = self.shares.lock();
        let own = held.by_key.get(&self.key).copied().unwrap_or(0);
        if held.count + count > self.shares.all || own + count > self.shares.each {
            return false;
        }
        held.count += count;
        if count > 0 {
            held.by_key.insert(self.key, own + count);
        }
        self.count += count;
        true
    }
}

impl<K: Key> Drop for Share<K> {
    fn drop(&mut self) {
        // Nothing was released: waiters would wake each other.
        if self.count == 0 {
            return;
        }
        let mut held = self.shares.lock();
        held.count -= self.count;
        let left = held.by_key.get(&self.key).map_or(0, |own| own - self.count);
        // Keys without a share use no memory.
        match left {
            0 => drop(held.by_key.remove(&self.key)),
            left => drop(held.by_key.insert(self.key, left)),
        }
        drop(held);
        self.shares.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn each_key_has_its_part_and_what_is_given_back_is_there_again() {
        let shares = Shares::new(10, 4);
        let mut first = shares.take("a", 3).unwrap();
        assert!(!first.grow(2), "more than its part");
        assert!(first.grow(1));
        assert!(shares.take("a", 1).is_none());
        let second = shares.take("b", 4).unwrap();
        assert!(shares.take("c", 3).is_none(), "more than there is");
        let third = shares.take("c", 2).unwrap();
        drop(first);
        assert!(shares.take("a", 4).is_some());
        drop((second, third));
        assert!(shares.lock().by_key.is_empty() && shares.lock().count == 0);
    }

    #[test]
    fn a_key_that_waits_holds_up_no_other() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let shares = Shares::new(4, 2);
            let held = (shares.wait(1).await, shares.wait(1).await);
            let soon = |key| tokio::time::timeout(Duration::from_millis(20), shares.wait(key));
            assert!(soon(1).await.is_err());
            assert!(soon(2).await.is_ok());
            let waiting = tokio::spawn({
                let shares = Arc::clone(&shares);
                async move { shares.wait(1).await.count }
            });
            tokio::task::yield_now().await;
            drop(held);
            assert_eq!(waiting.await.unwrap(), 1);
        });
    }
}
