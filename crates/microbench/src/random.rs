//! Small random generator for test data and random access orders. Not suitable for secrets.

/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014): every seed is good, every
/// state occurs once.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Number below `end`, by multiplication: the bias is below `end` in 2^32.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// Shuffles a slice (Fisher and Yates).
    pub(crate) fn shuffle(&mut self, items: &mut [u32]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generator_gives_its_published_numbers() {
        let mut random = Random::new(1_234_567);
        // From the reference implementation with this seed.
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..1000).collect();
        Random::new(7).shuffle(&mut items);
        assert!(items.iter().enumerate().any(|(at, item)| at as u32 != *item));
        items.sort_unstable();
        assert!(items.iter().enumerate().all(|(at, item)| at as u32 == *item));
    }
}
