//! Memory latency: one dependent load after the other along a random ring of cache lines.
//!
//! The ring visits every 64-byte line of the size under test exactly once, so nothing but capacity
//! decides which cache answers, and no prefetcher can guess the next line. Several chains at once
//! show how many misses a core can have under way. Which level of cache a figure belongs to is for
//! others to say.

#![allow(unsafe_code)]

use crate::buffer::Buffer;
use crate::random::Random;
use crate::timer::now_ns;
use std::marker::PhantomData;

/// Bytes of a step of the ring: the cache line of nearly all cores. Where lines are longer (128 bytes),
/// some accesses hit a line that was fetched for its neighbour.
pub const LINE: usize = 64;
/// Most chains that can run at once.
pub const CHAINS_MAX: usize = 8;
/// Lines of a page of 4 KiB.
const LINES_PER_PAGE: usize = 4096 / LINE;

/// In what order the ring visits the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Any line after any other: the cost of caches and of address translation together.
    Random,
    /// All lines of a 4 KiB page, in random order, then those of another page: nearly the cost of the
    /// caches alone.
    PageByPage,
}

/// How long to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatencyPlan {
    /// Length of a repetition in nanoseconds, roughly.
    pub repetition_ns: u64,
    /// Number of repetitions.
    pub repetitions: u32,
}

impl Default for LatencyPlan {
    /// 20 repetitions of half a millisecond: short enough that most are not interrupted.
    fn default() -> Self {
        Self {
            repetition_ns: 500_000,
            repetitions: 20,
        }
    }
}

/// Latency at one size with one number of chains.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyReading {
    /// Bytes that the ring covers.
    pub size_bytes: usize,
    /// Chains that ran at once.
    pub chains: usize,
    /// Time divided by accesses of all chains, in nanoseconds: the best repetition.
    pub best_ns: f64,
    /// The same for every repetition, in the order taken.
    pub all_ns: Vec<f64>,
}

/// A ring through a buffer, warmed up.
#[derive(Debug)]
pub struct Walk<'a> {
    /// Address of the first line.
    start: usize,
    /// Every line in the order of the ring.
    sequence: Vec<u32>,
    /// Where in the sequence the first chain stands.
    position: usize,
    /// The ring lives in the buffer and must not be written over.
    buffer: PhantomData<&'a mut Buffer>,
}

impl<'a> Walk<'a> {
    /// Lays the ring through the first `size_bytes` of the buffer and walks it once.
    ///
    /// Takes some 0.3 s for 128 MiB on a fast machine, and 4 bytes of memory per line.
    ///
    /// # Panics
    ///
    /// If the buffer is shorter than that, or the size is less than one line per chain.
    pub fn new(buffer: &'a mut Buffer, size_bytes: usize, order: Order, seed: u64) -> Self {
        let lines = size_bytes / LINE;
        assert!(
            size_bytes <= buffer.len(),
            "the buffer is smaller than the walk"
        );
        assert!(lines >= CHAINS_MAX, "the walk is too short for its chains");
        let start = buffer.address();
        let words = buffer.as_mut_words();
        let sequence = sequence(lines, order, seed);
        let mut previous = sequence[lines - 1];
        for line in &sequence {
            words[previous as usize * LINE / size_of::<usize>()] = start + *line as usize * LINE;
            previous = *line;
        }
        let mut walk = Self {
            start,
            sequence,
            position: 0,
            buffer: PhantomData,
        };
        walk.step(&mut walk.heads::<CHAINS_MAX>(), lines.div_ceil(CHAINS_MAX));
        walk
    }

    /// Measures with 1, 2, 4 or 8 chains at once, spread evenly over the ring. Every repetition goes on
    /// where the last one ended, so that nothing is visited again before the rest of the ring was.
    ///
    /// # Panics
    ///
    /// If `chains` is another number.
    pub fn measure(&mut self, chains: usize, plan: &LatencyPlan) -> LatencyReading {
        match chains {
            1 => self.measure_chains::<1>(plan),
            2 => self.measure_chains::<2>(plan),
            4 => self.measure_chains::<4>(plan),
            8 => self.measure_chains::<8>(plan),
            _ => panic!("chains are 1, 2, 4 or 8"),
        }
    }

    fn measure_chains<const CHAINS: usize>(&mut self, plan: &LatencyPlan) -> LatencyReading {
        let mut heads = self.heads::<CHAINS>();
        let steps = self.pace(&mut heads, plan.repetition_ns);
        let mut all_ns = Vec::with_capacity(plan.repetitions.max(1) as usize);
        for _ in 0..plan.repetitions.max(1) {
            all_ns.push(self.time(&mut heads, steps) as f64 / (steps * CHAINS) as f64);
        }
        LatencyReading {
            size_bytes: self.sequence.len() * LINE,
            chains: CHAINS,
            best_ns: all_ns.iter().copied().fold(f64::INFINITY, f64::min),
            all_ns,
        }
    }

    /// Addresses of evenly spread lines, beginning with the current position.
    fn heads<const CHAINS: usize>(&self) -> [usize; CHAINS] {
        let lines = self.sequence.len();
        std::array::from_fn(|chain| {
            let position = (self.position + chain * lines / CHAINS) % lines;
            self.start + self.sequence[position] as usize * LINE
        })
    }

    /// Steps that take about that time.
    fn pace<const CHAINS: usize>(
        &mut self,
        heads: &mut [usize; CHAINS],
        repetition_ns: u64,
    ) -> usize {
        let mut steps = 256;
        loop {
            let elapsed_ns = self.time(heads, steps).max(1);
            if elapsed_ns * 8 >= repetition_ns {
                return (steps as u64 * repetition_ns / elapsed_ns).max(256) as usize;
            }
            steps *= 2;
        }
    }

    fn time<const CHAINS: usize>(&mut self, heads: &mut [usize; CHAINS], steps: usize) -> u64 {
        let start_ns = now_ns();
        self.step(heads, steps);
        now_ns() - start_ns
    }

    /// Moves the heads on by that many steps. Unrolled, so that the loop costs little beside loads
    /// from the nearest cache.
    #[inline(never)]
    fn step<const CHAINS: usize>(&mut self, heads: &mut [usize; CHAINS], steps: usize) {
        const UNROLL: usize = 8;
        let mut at = *heads;
        for _ in 0..steps / UNROLL {
            for _ in 0..UNROLL {
                // SAFETY: every head is an address of the ring, see `next`.
                at = at.map(|line| unsafe { next(line) });
            }
        }
        for _ in 0..steps % UNROLL {
            // SAFETY: as above.
            at = at.map(|line| unsafe { next(line) });
        }
        *heads = at;
        self.position = (self.position + steps) % self.sequence.len();
    }
}

/// The line that this one points to.
///
/// # Safety
///
/// The address must be of a line of a ring whose buffer is still borrowed by its [`Walk`]: then the
/// first word of the line holds the address of another line of the same ring.
#[inline(always)]
unsafe fn next(line: usize) -> usize {
    // SAFETY: see above. The load is volatile, so that none is left out or done in advance.
    unsafe { std::ptr::with_exposed_provenance::<usize>(line).read_volatile() }
}

/// Measures the latency of a buffer's first `size_bytes` with randomly ordered lines: a [`Walk`] for one
/// number of chains.
///
/// # Panics
///
/// As [`Walk::new`] and [`Walk::measure`].
pub fn ns_per_access(
    buffer: &mut Buffer,
    size_bytes: usize,
    chains: usize,
    plan: &LatencyPlan,
) -> LatencyReading {
    Walk::new(buffer, size_bytes, Order::Random, size_bytes as u64).measure(chains, plan)
}

/// The order in which a ring visits its lines. A shuffled sequence closed to a ring is a random cyclic
/// permutation, each as likely as any other, as Sattolo's algorithm gives.
fn sequence(lines: usize, order: Order, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    let count = u32::try_from(lines).expect("walks are shorter than 256 GiB");
    if order == Order::Random {
        let mut sequence: Vec<u32> = (0..count).collect();
        random.shuffle(&mut sequence);
        return sequence;
    }
    let mut pages: Vec<u32> = (0..count.div_ceil(LINES_PER_PAGE as u32)).collect();
    random.shuffle(&mut pages);
    let mut sequence = Vec::with_capacity(lines);
    for page in pages {
        let first = page * LINES_PER_PAGE as u32;
        let begin = sequence.len();
        sequence.extend(first..(first + LINES_PER_PAGE as u32).min(count));
        random.shuffle(&mut sequence[begin..]);
    }
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Pages;
    use std::collections::HashSet;

    /// Follows one chain for as many steps as there are lines.
    fn visited(walk: &mut Walk<'_>) -> Vec<usize> {
        let lines = walk.sequence.len();
        let mut head = walk.heads::<1>();
        let mut visit = |_| {
            walk.step(&mut head, 1);
            head[0]
        };
        (0..lines).map(&mut visit).collect()
    }

    fn check(size_bytes: usize, order: Order) {
        let mut buffer = Buffer::new(size_bytes.next_multiple_of(4096), Pages::Default).unwrap();
        let inside = buffer.address()..buffer.address() + size_bytes;
        let lines = size_bytes / LINE;
        let mut walk = Walk::new(&mut buffer, size_bytes, order, 3);
        let start = walk.heads::<1>()[0];
        let visited = visited(&mut walk);
        assert!(
            visited
                .iter()
                .all(|line| inside.contains(line) && line.is_multiple_of(LINE))
        );
        assert_eq!(
            visited.iter().collect::<HashSet<_>>().len(),
            lines,
            "{size_bytes} {order:?}"
        );
        assert_eq!(visited[lines - 1], start, "the ring is closed");
    }

    #[test]
    fn the_ring_visits_every_line_once() {
        for order in [Order::Random, Order::PageByPage] {
            for size_bytes in [512, 4096, 4096 + 640, 100_032, 1 << 20] {
                check(size_bytes, order);
            }
        }
    }

    #[test]
    fn page_by_page_leaves_a_page_only_when_done() {
        let mut buffer = Buffer::new(64 * 4096, Pages::Default).unwrap();
        let mut walk = Walk::new(&mut buffer, 64 * 4096, Order::PageByPage, 9);
        let visited = visited(&mut walk);
        let changes = visited
            .windows(2)
            .filter(|pair| pair[0] / 4096 != pair[1] / 4096)
            .count();
        assert!(changes <= 64, "{changes}");
    }

    #[test]
    fn chains_go_on_where_the_last_ones_were_and_stay_apart() {
        fn go_on<const CHAINS: usize>(walk: &mut Walk<'_>, steps: usize) {
            let mut heads = walk.heads::<CHAINS>();
            assert_eq!(heads.iter().collect::<HashSet<_>>().len(), CHAINS);
            walk.step(&mut heads, steps);
            assert_eq!(
                heads,
                walk.heads::<CHAINS>(),
                "{CHAINS} chains, {steps} steps"
            );
        }
        let mut buffer = Buffer::new(1 << 16, Pages::Default).unwrap();
        let mut walk = Walk::new(&mut buffer, 1 << 16, Order::Random, 1);
        for steps in [1, 7, 8, 500, 5000] {
            go_on::<1>(&mut walk, steps);
            go_on::<2>(&mut walk, steps);
            go_on::<4>(&mut walk, steps);
            go_on::<8>(&mut walk, steps);
        }
    }

    #[test]
    fn a_reading_keeps_every_repetition() {
        let mut buffer = Buffer::new(1 << 16, Pages::Default).unwrap();
        let plan = LatencyPlan {
            repetition_ns: 10_000,
            repetitions: 3,
        };
        for chains in [1, 2, 4, 8] {
            let reading = ns_per_access(&mut buffer, 1 << 15, chains, &plan);
            assert_eq!((reading.chains, reading.size_bytes), (chains, 1 << 15));
            assert_eq!(reading.all_ns.len(), 3);
            assert!(
                reading
                    .all_ns
                    .iter()
                    .all(|ns| *ns >= reading.best_ns && *ns > 0.0)
            );
        }
    }

    #[test]
    #[should_panic(expected = "smaller than the walk")]
    fn a_walk_beyond_the_buffer_is_refused() {
        Walk::new(
            &mut Buffer::new(4096, Pages::Default).unwrap(),
            8192,
            Order::Random,
            1,
        );
    }
}
