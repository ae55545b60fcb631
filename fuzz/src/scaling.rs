//! Cost of long inputs: words of the seeds, repeated up to the caller's limit. The CPU time must not grow faster than the
//! input.
//!
//! Every word is tried at a small size; those that cost most are tried again at the next size, up to the limit.

use crate::limits;
use crate::mutate::{Random, repeat};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt;

/// Maximum ratio of CPU times for four times the input: four for linear cost, and a margin for caches that hold the quarter
/// but not the whole.
pub const GROWTH_MAX: u64 = 5;
/// Shorter times are not judged: the caller accepts no longer input.
const CPU_NS_MIN: u64 = 100_000_000;
/// Measurements of a growth; one that is not reproduced is noise of the machine.
const TRIES: u32 = 8;
/// Separators of two repetitions.
const SEPARATORS: [&[u8]; 3] = [b"", b" ", b"\n"];
/// Longer words are not repeated.
const WORD_BYTES_MAX: usize = 40;
/// Size at which every word is tried, in bytes.
const FIRST_BYTES: usize = 16 << 10;
/// Ratio of two successive sizes, and of the numbers of words that are tried at them.
const STEP: usize = 16;
/// Minimum number of words at each size.
const WORDS_MIN: usize = 4;

/// Repeated words and the results.
#[derive(Debug)]
pub struct Scaling<'a> {
    seeds: &'a [Vec<u8>],
    /// Words with their separators, in random order.
    words: Vec<Vec<u8>>,
    bytes_max: usize,
    random: Random,
    /// Number of words tried at each size.
    tried: Vec<(usize, usize)>,
    /// Highest cost per MiB at the largest size, in nanoseconds, and its word.
    worst: (u64, String),
    growing: Vec<String>,
}

impl<'a> Scaling<'a> {
    /// The words of these seeds.
    pub fn new(seeds: &'a [Vec<u8>], bytes_max: usize, mut random: Random) -> Self {
        let mut shapes = HashSet::new();
        let mut words: Vec<Vec<u8>> = Vec::new();
        let all = seeds.iter().flat_map(|seed| seed.split(u8::is_ascii_whitespace));
        for word in all.filter(|word| (1..=WORD_BYTES_MAX).contains(&word.len())) {
            // Words that differ in digits alone have one shape.
            let shape: Vec<u8> = word.iter().map(|byte| if byte.is_ascii_digit() { b'0' } else { *byte }).collect();
            if shapes.insert(shape) {
                words.extend(SEPARATORS.map(|separator| [word, separator].concat()));
            }
        }
        for last in (1..words.len()).rev() {
            words.swap(last, random.below(last + 1));
        }
        Self { seeds, words, bytes_max, random, tried: Vec::new(), worst: Default::default(), growing: Vec::new() }
    }

    /// Tries all words at the smallest size, then as many at larger ones as fit into this CPU time. `run` returns the CPU time
    /// of an input in nanoseconds.
    pub fn try_all(&mut self, mut run: impl FnMut(&[u8]) -> u64, larger_ns: u64) {
        let mut words = std::mem::take(&mut self.words);
        let mut bytes = FIRST_BYTES.min(self.bytes_max);
        let mut end_ns = u64::MAX;
        loop {
            let mut costs = Vec::new();
            self.worst = Default::default();
            for word in &words {
                if limits::cpu_ns() > end_ns && !costs.is_empty() {
                    break;
                }
                costs.push((Reverse(self.cost_ns(word, bytes, &mut run)), word.clone()));
            }
            self.tried.push((costs.len(), bytes));
            end_ns = end_ns.min(limits::cpu_ns() + larger_ns);
            if bytes == self.bytes_max {
                return;
            }
            costs.sort();
            costs.truncate((costs.len() / STEP).max(WORDS_MIN));
            words = costs.into_iter().map(|(_, word)| word).collect();
            bytes = (bytes * STEP).min(self.bytes_max);
        }
    }

    /// Cost of the last three quarters of these bytes, the larger one of the word alone and of the word within a seed.
    fn cost_ns(&mut self, word: &[u8], bytes: usize, run: &mut impl FnMut(&[u8]) -> u64) -> u64 {
        let seed = &self.seeds[self.random.below(self.seeds.len())];
        let at = self.random.below(seed.len() + 1);
        let mut highest_ns = 0;
        for (seed, at) in [(&Vec::new(), 0), (seed, at)] {
            let input = |length: usize| {
                let mut input = seed.clone();
                repeat(&mut input, at, word, (seed.len() + length).min(self.bytes_max));
                input
            };
            let inputs = [input(bytes / 4), input(bytes)];
            let mut least = [u64::MAX; 2];
            let is_growing = (0..TRIES).all(|_| {
                for (least_ns, input) in least.iter_mut().zip(&inputs) {
                    *least_ns = (*least_ns).min(run(input));
                }
                // At the smallest size a seed that is read or not makes the difference.
                bytes > FIRST_BYTES && least[1] > CPU_NS_MIN && least[1] > GROWTH_MAX * least[0]
            });
            let cost_ns = least[1].saturating_sub(least[0]);
            highest_ns = highest_ns.max(cost_ns);
            let per_mib_ns = cost_ns * (1 << 20) / (bytes - bytes / 4) as u64;
            if per_mib_ns > self.worst.0 {
                self.worst = (per_mib_ns, String::from_utf8_lossy(word).into_owned());
            }
            if is_growing {
                let [quarter_ms, whole_ms] = least.map(|ns| ns / 1_000_000);
                let (word, place) =
                    (String::from_utf8_lossy(word), if seed.is_empty() { "alone" } else { "in a seed" });
                self.growing
                    .push(format!("{word:?} {place} to {} KiB: {quarter_ms} ms, then {whole_ms} ms", bytes >> 10));
            }
        }
        highest_ns
    }

    /// True if no cost was found that grows faster than the input.
    pub fn is_linear(&self) -> bool {
        self.growing.is_empty()
    }
}

impl fmt::Display for Scaling<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (words, bytes)) in self.tried.iter().enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            write!(f, "{comma}{words} words to {} KiB", bytes >> 10)?;
        }
        write!(f, "; at most {} ms/MiB: {:?}", self.worst.0 / 1_000_000, self.worst.1)?;
        self.growing.iter().try_for_each(|growing| write!(f, "\n    GROWS with {growing}"))
    }
}
