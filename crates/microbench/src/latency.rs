//! Memory latency: dependent loads along a random ring of cache lines (pointer chase).
//!
//! The ring visits every 64-byte line of the tested size exactly once, so only capacity decides which cache answers,
//! and prefetchers cannot predict the next line. Several parallel chains show how many outstanding misses a core
//! supports. Callers assign figures to cache levels.

#![allow(unsafe_code)]

use crate::buffer::Buffer;
use crate::random::Random;
use crate::timer::now_ns;
use std::hint::black_box;
use std::marker::PhantomData;

/// Bytes per step of the ring: the cache line of nearly all cores. On cores with longer lines (128 bytes) some accesses
/// hit a line that was fetched for its neighbour.
pub const LINE: usize = 64;
/// Maximum number of parallel chains.
pub const CHAINS_MAX: usize = 8;
/// Lines in a page of 4 KiB.
const LINES_PER_PAGE: usize = 4096 / LINE;

/// Order in which the ring visits the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Any line after any other: measures caches and address translation together.
    Random,
    /// All lines of a 4 KiB page in random order, then those of another page: measures nearly only the caches.
    PageByPage,
}

/// Form in which a line refers to the next one; all three describe the same ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// 32-bit distance from the start of the buffer.
    Bits32,
    /// 64-bit distance from the start of the buffer.
    Bits64,
    /// Address of the next line.
    Pointer,
}

/// Offsets of the links in a line, in bytes.
const POINTER_AT: usize = 0;
const BITS_32_AT: usize = 8;
const BITS_64_AT: usize = 16;

/// Parameters of one repetition: parallel chains, link form and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChasePlan {
    chains: usize,
    link: Link,
    steps: usize,
}

/// Ring in a buffer, warmed up.
#[derive(Debug)]
pub struct PointerChase<'a> {
    /// Address of the first line.
    start: usize,
    /// All lines in the order of the ring.
    sequence: Vec<u32>,
    /// Position of the first chain in the sequence.
    position: usize,
    /// The ring is stored in the buffer, which must not be overwritten.
    buffer: PhantomData<&'a mut Buffer>,
}

impl<'a> PointerChase<'a> {
    /// Builds the ring in the first `size_bytes` of the buffer and follows it once.
    ///
    /// Takes some 0.3 s for 128 MiB on a fast machine, and 4 bytes of memory per line.
    ///
    /// # Panics
    ///
    /// If the buffer is shorter than that, or the size is less than one line per chain.
    pub fn new(buffer: &'a mut Buffer, size_bytes: usize, order: Order, seed: u64) -> Self {
        let lines = size_bytes / LINE;
        assert!(size_bytes <= buffer.len(), "the buffer is smaller than the area to be chased");
        assert!(lines >= CHAINS_MAX, "the area is too small for its chains");
        let start = buffer.address();
        let bytes = buffer.as_mut_slice();
        let sequence = sequence(lines, order, seed);
        let mut previous = sequence[lines - 1];
        for line in &sequence {
            let (from, to) = (previous as usize * LINE, *line as usize * LINE);
            let mut put = |at: usize, link: &[u8]| {
                bytes[from + at..from + at + link.len()].copy_from_slice(link);
            };
            put(POINTER_AT, &(start + to).to_ne_bytes());
            // `pace` ensures that rings with this form of link are shorter than 4 GiB.
            put(BITS_32_AT, &(to as u32).to_ne_bytes());
            put(BITS_64_AT, &(to as u64).to_ne_bytes());
            previous = *line;
        }
        let mut chase = Self { start, sequence, position: 0, buffer: PhantomData };
        let pace = ChasePlan { chains: CHAINS_MAX, link: Link::Pointer, steps: lines.div_ceil(CHAINS_MAX) };
        chase.once(&pace);
        chase
    }

    /// Bytes covered by the ring.
    pub fn size_bytes(&self) -> usize {
        self.sequence.len() * LINE
    }

    /// Calibrates a repetition to take about `repetition_ns`.
    ///
    /// # Panics
    ///
    /// If `chains` is not 1, 2, 4 or 8, or a ring of 4 GiB or more is used with 32-bit links.
    pub fn pace(&mut self, chains: usize, link: Link, repetition_ns: u64) -> ChasePlan {
        const STEPS_MIN: usize = 256;
        assert!(link != Link::Bits32 || u32::try_from(self.size_bytes()).is_ok(), "32-bit links reach 4 GiB");
        let mut steps = STEPS_MIN;
        loop {
            let pace = ChasePlan { chains, link, steps };
            let elapsed_ns = (self.once(&pace) * (steps * chains) as f64).max(1.0);
            if elapsed_ns * 8.0 >= repetition_ns as f64 {
                let steps = (steps as f64 * repetition_ns as f64 / elapsed_ns) as usize;
                return ChasePlan { steps: steps.max(STEPS_MIN), ..pace };
            }
            steps *= 2;
        }
    }

    /// Runs one repetition: nanoseconds divided by the accesses of all chains. The chains are spread evenly over the
    /// ring and continue where the last repetition ended, so that every line is visited before any is visited again.
    pub fn once(&mut self, pace: &ChasePlan) -> f64 {
        let elapsed_ns = match (pace.chains, pace.link) {
            (1, Link::Bits32) => self.run::<1, BITS_32_AT>(pace.steps),
            (2, Link::Bits32) => self.run::<2, BITS_32_AT>(pace.steps),
            (1, Link::Bits64) => self.run::<1, BITS_64_AT>(pace.steps),
            (2, Link::Bits64) => self.run::<2, BITS_64_AT>(pace.steps),
            (1, Link::Pointer) => self.run::<1, POINTER_AT>(pace.steps),
            (2, Link::Pointer) => self.run::<2, POINTER_AT>(pace.steps),
            (4, Link::Pointer) => self.run::<4, POINTER_AT>(pace.steps),
            (8, Link::Pointer) => self.run::<8, POINTER_AT>(pace.steps),
            _ => panic!("chains are 1 or 2, over pointers also 4 or 8"),
        };
        elapsed_ns as f64 / (pace.steps * pace.chains) as f64
    }

    /// Follows the ring for this many steps and returns the elapsed nanoseconds.
    fn run<const CHAINS: usize, const LINK_AT: usize>(&mut self, steps: usize) -> u64 {
        let base = if LINK_AT == POINTER_AT { 0 } else { self.start };
        let mut heads = self.heads::<CHAINS>().map(|line| line - base);
        let start_ns = now_ns();
        step::<CHAINS, LINK_AT>(base, &mut heads, steps);
        let elapsed_ns = now_ns() - start_ns;
        black_box(heads);
        self.position = (self.position + steps) % self.sequence.len();
        elapsed_ns
    }

    /// Addresses of evenly spread lines, starting at the current position.
    fn heads<const CHAINS: usize>(&self) -> [usize; CHAINS] {
        let lines = self.sequence.len();
        std::array::from_fn(|chain| {
            let position = (self.position + chain * lines / CHAINS) % lines;
            self.start + self.sequence[position] as usize * LINE
        })
    }
}

/// Advances the heads by this many steps.
fn step<const CHAINS: usize, const LINK_AT: usize>(base: usize, heads: &mut [usize; CHAINS], steps: usize) {
    // The sizes are equal in the branch that is taken; the compiler removes the others.
    let heads = heads.as_mut_slice();
    match CHAINS {
        1 => step_one::<LINK_AT>(base, heads, steps),
        2 => step_two::<LINK_AT>(base, heads, steps),
        4 => step_four::<LINK_AT>(base, heads, steps),
        8 => step_eight::<LINK_AT>(base, heads, steps),
        _ => panic!("chains are 1, 2, 4 or 8"),
    }
}

/// Loop over several chains with each head in a variable of its own, because elements of an array would not stay in
/// registers. Unrolled, so that the loop overhead is small compared with L1 loads.
macro_rules! chains {
    ($name:ident, $about:literal, $($head:ident),+) => {
        #[doc = $about]
        #[inline(never)]
        fn $name<const LINK_AT: usize>(base: usize, heads: &mut [usize], steps: usize) {
            const UNROLL: usize = 8;
            let [$($head),+] = heads else {
                panic!("one head for each chain");
            };
            $(let mut $head = (*$head, $head);)+
            for _ in 0..steps / UNROLL {
                for _ in 0..UNROLL {
                    // SAFETY: every head is a line of the ring, see `next`.
                    $($head.0 = unsafe { next::<LINK_AT>(base, $head.0) };)+
                }
            }
            for _ in 0..steps % UNROLL {
                // SAFETY: as above.
                $($head.0 = unsafe { next::<LINK_AT>(base, $head.0) };)+
            }
            $(*$head.1 = $head.0;)+
        }
    };
}

chains!(step_one, "One chain.", a);
chains!(step_two, "Two chains.", a, b);
chains!(step_four, "Four chains.", a, b, c, d);
chains!(step_eight, "Eight chains.", a, b, c, d, e, f, g, h);

/// Line that `line` refers to, both as a distance from `base`.
///
/// # Safety
///
/// `base + line` must be the address of a line of a ring whose buffer is still borrowed by its [`PointerChase`], with `base`
/// its start, or 0 for addresses: then the word at `LINK_AT` leads to another line of the same ring.
#[inline(always)]
unsafe fn next<const LINK_AT: usize>(base: usize, line: usize) -> usize {
    let at = base.wrapping_add(line).wrapping_add(LINK_AT);
    // SAFETY: see above; lines are aligned to more than a word. Loads are volatile, so that the compiler neither omits
    // nor hoists them.
    unsafe {
        match LINK_AT {
            BITS_32_AT => std::ptr::with_exposed_provenance::<u32>(at).read_volatile() as usize,
            BITS_64_AT => std::ptr::with_exposed_provenance::<u64>(at).read_volatile() as usize,
            _ => std::ptr::with_exposed_provenance::<usize>(at).read_volatile(),
        }
    }
}

/// Order in which a ring visits its lines. A shuffled sequence closed to a ring is a uniformly random cyclic
/// permutation, as in Sattolo's algorithm.
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

    /// Follows one chain for as many steps as the ring has lines.
    fn visited<const LINK_AT: usize>(chase: &mut PointerChase<'_>) -> Vec<usize> {
        let lines = chase.sequence.len();
        let base = if LINK_AT == POINTER_AT { 0 } else { chase.start };
        let mut head = chase.heads::<1>().map(|line| line - base);
        let mut visit = |_| {
            step::<1, LINK_AT>(base, &mut head, 1);
            base + head[0]
        };
        (0..lines).map(&mut visit).collect()
    }

    fn check(size_bytes: usize, order: Order) {
        let mut buffer = Buffer::new(size_bytes.next_multiple_of(4096), Pages::Default).unwrap();
        let inside = buffer.address()..buffer.address() + size_bytes;
        let lines = size_bytes / LINE;
        let mut chase = PointerChase::new(&mut buffer, size_bytes, order, 3);
        let start = chase.heads::<1>()[0];
        let visited = visited::<POINTER_AT>(&mut chase);
        assert_eq!(visited, self::visited::<BITS_32_AT>(&mut chase), "32-bit links");
        assert_eq!(visited, self::visited::<BITS_64_AT>(&mut chase), "64-bit links");
        assert!(visited.iter().all(|line| inside.contains(line) && line.is_multiple_of(LINE)));
        assert_eq!(visited.iter().collect::<HashSet<_>>().len(), lines, "{size_bytes} {order:?}");
        assert_eq!(visited[lines - 1], start, "the ring is closed");
    }

    #[test]
    fn ring_visits_every_line_once() {
        for order in [Order::Random, Order::PageByPage] {
            for size_bytes in [512, 4096, 4096 + 640, 100_032, 1 << 20] {
                check(size_bytes, order);
            }
        }
    }

    #[test]
    fn page_by_page_leaves_a_page_only_when_done() {
        let mut buffer = Buffer::new(64 * 4096, Pages::Default).unwrap();
        let mut chase = PointerChase::new(&mut buffer, 64 * 4096, Order::PageByPage, 9);
        let visited = visited::<POINTER_AT>(&mut chase);
        let changes = visited.windows(2).filter(|pair| pair[0] / 4096 != pair[1] / 4096).count();
        assert!(changes <= 64, "{changes}");
    }

    #[test]
    fn chains_go_on_where_the_last_ones_were_and_stay_apart() {
        fn go_on<const CHAINS: usize>(chase: &mut PointerChase<'_>, steps: usize) {
            let mut heads = chase.heads::<CHAINS>();
            assert_eq!(heads.iter().collect::<HashSet<_>>().len(), CHAINS);
            step::<CHAINS, POINTER_AT>(0, &mut heads, steps);
            chase.run::<CHAINS, POINTER_AT>(steps);
            assert_eq!(heads, chase.heads::<CHAINS>(), "{CHAINS} chains, {steps} steps");
        }
        let mut buffer = Buffer::new(1 << 16, Pages::Default).unwrap();
        let mut chase = PointerChase::new(&mut buffer, 1 << 16, Order::Random, 1);
        for steps in [1, 7, 8, 500, 5000] {
            go_on::<1>(&mut chase, steps);
            go_on::<2>(&mut chase, steps);
            go_on::<4>(&mut chase, steps);
            go_on::<8>(&mut chase, steps);
        }
    }

    #[test]
    fn every_form_of_a_repetition_takes_time() {
        let mut buffer = Buffer::new(1 << 16, Pages::Default).unwrap();
        let mut chase = PointerChase::new(&mut buffer, 1 << 15, Order::Random, 1);
        assert_eq!(chase.size_bytes(), 1 << 15);
        let pointers = [1, 2, 4, 8].map(|chains| (chains, Link::Pointer));
        let distances = [Link::Bits32, Link::Bits64].map(|link| [(1, link), (2, link)]);
        for (chains, link) in pointers.into_iter().chain(distances.concat()) {
            let pace = chase.pace(chains, link, 10_000);
            assert!(pace.steps >= 256);
            assert!(chase.once(&pace) > 0.0, "{chains} chains over {link:?}");
        }
    }

    #[test]
    #[should_panic(expected = "smaller than the area")]
    fn walk_beyond_the_buffer_is_refused() {
        PointerChase::new(&mut Buffer::new(4096, Pages::Default).unwrap(), 8192, Order::Random, 1);
    }
}
