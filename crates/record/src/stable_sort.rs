//! Stable sorting that adds little code for each type: one function orders indices for all of them. The standard library's
//! sort adds about five kilobytes for each type and comparison.

use std::cmp::Ordering;

/// Replacement for [`slice::sort_by`] and [`slice::sort_by_key`].
pub trait StableSort<T> {
    /// Sorts by a comparison; equal elements keep their order.
    fn stable_sort_by(&mut self, compare: impl Fn(&T, &T) -> Ordering);

    /// Sorts by a key; equal elements keep their order.
    fn stable_sort_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        self.stable_sort_by(|a, b| key(a).cmp(&key(b)));
    }
}

impl<T> StableSort<T> for [T] {
    fn stable_sort_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
        let mut order = sorted(self.len(), &|a, b| compare(&self[a], &self[b]));
        // Each cycle of the permutation ends where it began.
        for first in 0..order.len() {
            let mut place = first;
            loop {
                let from = std::mem::replace(&mut order[place], place);
                if from == first {
                    break;
                }
                self.swap(place, from);
                place = from;
            }
        }
    }
}

/// Indices of a sorted list of this length.
fn sorted(length: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_unstable_by(|a, b| compare(*a, *b).then(a.cmp(b)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn equal_elements_keep_their_order(keys: Vec<u8>) {
            let mut arranged: Vec<(u8, usize)> = keys.iter().copied().zip(0..).collect();
            let mut expected = arranged.clone();
            arranged.stable_sort_by_key(|(key, _)| key % 8);
            expected.sort_unstable_by_key(|(key, place)| (key % 8, *place));
            assert_eq!(arranged, expected);
            arranged.stable_sort_by(|a, b| b.cmp(a));
            expected.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(arranged, expected);
        }
    }
}
