//! Cost of long inputs: words of the seeds, repeated to a quarter and to the whole of the caller's limit. The CPU time must
//! not grow faster than the input.

use crate::limits;
use crate::mutate::{Random, repeat};
use std::collections::HashSet;
use std::fmt;

/// Maximum ratio of CPU times for four times the input: four for linear cost, and a margin for caches that hold the quarter
/// but not the whole.
pub const GROWTH_MAX: u64 = 6;
/// Shorter times are not judged: the caller accepts no longer input.
const CPU_NS_MIN: u64 = 100_000_000;
/// Measurements of a growth; one that is not reproduced is noise of the machine.
const TRIES: u32 = 5;
/// Separators of two repetitions.
const SEPARATORS: [&[u8]; 3] = [b"", b" ", b"\n"];
/// Longer words are not repeated.
const WORD_BYTES_MAX: usize = 40;

/// Repeated words and the results.
#[derive(Debug)]
pub struct Scaling<'a> {
    seeds: &'a [Vec<u8>],
    /// Words with their separators, in random order; tried from the end.
    words: Vec<Vec<u8>>,
    all: usize,
    bytes_max: usize,
    random: Random,
    tried: usize,
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
        Self { seeds, all: words.len(), words, bytes_max, random, tried: 0, growing: Vec::new() }
    }

    /// Tries the next word, alone and within a seed. False if there is none.
    pub fn try_next(&mut self, mut run: impl FnMut(&[u8])) -> bool {
        let Some(word) = self.words.pop() else { return false };
        self.tried += 1;
        let seed = &self.seeds[self.random.below(self.seeds.len())];
        let at = self.random.below(seed.len() + 1);
        for (seed, at) in [(&Vec::new(), 0), (seed, at)] {
            let input = |length| {
                let mut input = seed.clone();
                repeat(&mut input, at, &word, length);
                input
            };
            let (quarter, whole) = (input(self.bytes_max / 4), input(self.bytes_max));
            let mut least = [u64::MAX; 2];
            let is_growing = (0..TRIES).all(|_| {
                for (least_ns, input) in least.iter_mut().zip([&quarter, &whole]) {
                    let before_ns = limits::thread_cpu_ns();
                    run(input);
                    *least_ns = (*least_ns).min(limits::thread_cpu_ns() - before_ns);
                }
                least[1] > CPU_NS_MIN && least[1] > GROWTH_MAX * least[0]
            });
            if is_growing {
                let [quarter_ms, whole_ms] = least.map(|ns| ns / 1_000_000);
                let (word, place) =
                    (String::from_utf8_lossy(&word), if seed.is_empty() { "alone" } else { "in a seed" });
                self.growing.push(format!("{word:?} {place}: {quarter_ms} ms, then {whole_ms} ms"));
            }
        }
        true
    }

    /// True if no cost was found that grows faster than the input.
    pub fn is_linear(&self) -> bool {
        self.growing.is_empty()
    }
}

impl fmt::Display for Scaling<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} words to {} KiB", self.tried, self.all, self.bytes_max >> 10)?;
        self.growing.iter().try_for_each(|growing| write!(f, "\n    GROWS with {growing}"))
    }
}
