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
use std::hint::black_box;
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

/// What a line holds of the next one: the same ring in three forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// A 32-bit distance from the start of the buffer.
    Bits32,
    /// A 64-bit distance from the start of the buffer.
    Bits64,
    /// Its address.
    Pointer,
}

/// Where in a line each link stands, in bytes.
const POINTER_AT: usize = 0;
const BITS_32_AT: usize = 8;
const BITS_64_AT: usize = 16;

/// How one repetition goes: chains at once, over which links, and how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    chains: usize,
    link: Link,
    steps: usize,
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
            // Rings are shorter than 4 GiB wherever this form is walked, see `pace`.
            put(BITS_32_AT, &(to as u32).to_ne_bytes());
            put(BITS_64_AT, &(to as u64).to_ne_bytes());
            previous = *line;
        }
        let mut walk = Self { start, sequence, position: 0, buffer: PhantomData };
        let pace = Pace { chains: CHAINS_MAX, link: Link::Pointer, steps: lines.div_ceil(CHAINS_MAX) };
        walk.once(&pace);
        walk
    }

    /// Bytes that the ring covers.
    pub fn size_bytes(&self) -> usize {
        self.sequence.len() * LINE
    }

    /// Finds how far a repetition goes that takes about `repetition_ns`.
    ///
    /// # Panics
    ///
    /// If `chains` is none of 1, 2, 4 and 8, or a ring of 4 GiB is to be walked by 32-bit links.
    pub fn pace(&mut self, chains: usize, link: Link, repetition_ns: u64) -> Pace {
        const STEPS_MIN: usize = 256;
        assert!(link != Link::Bits32 || u32::try_from(self.size_bytes()).is_ok(), "32-bit links reach 4 GiB");
        let mut steps = STEPS_MIN;
        loop {
            let pace = Pace { chains, link, steps };
            let elapsed_ns = (self.once(&pace) * (steps * chains) as f64).max(1.0);
            if elapsed_ns * 8.0 >= repetition_ns as f64 {
                let steps = (steps as f64 * repetition_ns as f64 / elapsed_ns) as usize;
                return Pace { steps: steps.max(STEPS_MIN), ..pace };
            }
            steps *= 2;
        }
    }

    /// One repetition: nanoseconds divided by the accesses of all chains. The chains are spread evenly
    /// over the ring and go on where the last ones ended, so that nothing is visited again before the
    /// rest of the ring was.
    pub fn once(&mut self, pace: &Pace) -> f64 {
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

    /// Walks so many steps and returns the nanoseconds that it took.
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

    /// Addresses of evenly spread lines, beginning with the current position.
    fn heads<const CHAINS: usize>(&self) -> [usize; CHAINS] {
        let lines = self.sequence.len();
        std::array::from_fn(|chain| {
            let position = (self.position + chain * lines / CHAINS) % lines;
            self.start + self.sequence[position] as usize * LINE
        })
    }
}

/// Moves the heads on by that many steps.
fn step<const CHAINS: usize, const LINK_AT: usize>(base: usize, heads: &mut [usize; CHAINS], steps: usize) {
    // The sizes are equal in the branch that is taken, and the compiler leaves out all others.
    let heads = heads.as_mut_slice();
    match CHAINS {
        1 => step_one::<LINK_AT>(base, heads, steps),
        2 => step_two::<LINK_AT>(base, heads, steps),
        4 => step_four::<LINK_AT>(base, heads, steps),
        8 => step_eight::<LINK_AT>(base, heads, steps),
        _ => panic!("chains are 1, 2, 4 or 8"),
    }
}

/// A loop over so many chains, each head a variable of its own: in an array they would not stay in
/// registers. Unrolled, so that the loop costs little compared with loads from the nearest cache.
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

/// The line that this one points to, both as a distance from `base`.
///
/// # Safety
///
/// `base + line` must be the address of a line of a ring whose buffer is still borrowed by its
/// [`Walk`], with `base` its start, or 0 for addresses: then the word at `LINK_AT` leads to another
/// line of the same ring.
#[inline(always)]
unsafe fn next<const LINK_AT: usize>(base: usize, line: usize) -> usize {
    let at = base.wrapping_add(line).wrapping_add(LINK_AT);
    // SAFETY: see above; lines are aligned to more than the words. Loads are volatile, so that none is
    // left out or done in advance.
    unsafe {
        match LINK_AT {
            BITS_32_AT => std::ptr::with_exposed_provenance::<u32>(at).read_volatile() as usize,
            BITS_64_AT => std::ptr::with_exposed_provenance::<u64>(at).read_volatile() as usize,
            _ => std::ptr::with_exposed_provenance::<usize>(at).read_volatile(),
        }
    }
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
    fn visited<const LINK_AT: usize>(walk: &mut Walk<'_>) -> Vec<usize> {
        let lines = walk.sequence.len();
        let base = if LINK_AT == POINTER_AT { 0 } else { walk.start };
        let mut head = walk.heads::<1>().map(|line| line - base);
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
        let mut walk = Walk::new(&mut buffer, size_bytes, order, 3);
        let start = walk.heads::<1>()[0];
        let visited = visited::<POINTER_AT>(&mut walk);
        assert_eq!(visited, self::visited::<BITS_32_AT>(&mut walk), "32-bit links");
        assert_eq!(visited, self::visited::<BITS_64_AT>(&mut walk), "64-bit links");
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
        let mut walk = Walk::new(&mut buffer, 64 * 4096, Order::PageByPage, 9);
        let visited = visited::<POINTER_AT>(&mut walk);
        let changes = visited.windows(2).filter(|pair| pair[0] / 4096 != pair[1] / 4096).count();
        assert!(changes <= 64, "{changes}");
    }

    #[test]
    fn chains_go_on_where_the_last_ones_were_and_stay_apart() {
        fn go_on<const CHAINS: usize>(walk: &mut Walk<'_>, steps: usize) {
            let mut heads = walk.heads::<CHAINS>();
            assert_eq!(heads.iter().collect::<HashSet<_>>().len(), CHAINS);
            step::<CHAINS, POINTER_AT>(0, &mut heads, steps);
            walk.run::<CHAINS, POINTER_AT>(steps);
            assert_eq!(heads, walk.heads::<CHAINS>(), "{CHAINS} chains, {steps} steps");
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
    fn every_form_of_a_repetition_takes_time() {
        let mut buffer = Buffer::new(1 << 16, Pages::Default).unwrap();
        let mut walk = Walk::new(&mut buffer, 1 << 15, Order::Random, 1);
        assert_eq!(walk.size_bytes(), 1 << 15);
        let pointers = [1, 2, 4, 8].map(|chains| (chains, Link::Pointer));
        let distances = [Link::Bits32, Link::Bits64].map(|link| [(1, link), (2, link)]);
        for (chains, link) in pointers.into_iter().chain(distances.concat()) {
            let pace = walk.pace(chains, link, 10_000);
            assert!(pace.steps >= 256);
            assert!(walk.once(&pace) > 0.0, "{chains} chains over {link:?}");
        }
    }

    #[test]
    #[should_panic(expected = "smaller than the area")]
    fn walk_beyond_the_buffer_is_refused() {
        Walk::new(&mut Buffer::new(4096, Pages::Default).unwrap(), 8192, Order::Random, 1);
    }
}
