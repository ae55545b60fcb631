//! `allocator`: the allocator of static programs, with a cache for each thread that asks for one.
//!
//! The allocator of the static C library gives every freed page back at once and asks for it again, which costs a third of
//! the time that a short command takes. dlmalloc keeps pages, but has one lock for all threads: it takes a seventh of the
//! time of reading a log, and two threads are slower than one. A thread with a [`ThreadCache`] reuses its small blocks
//! without that lock.

use dlmalloc::GlobalDlmalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr;

/// Difference between two sizes of cached blocks, and their alignment: that of dlmalloc.
const STEP_BYTES: usize = 2 * size_of::<usize>();
/// Number of sizes of cached blocks; larger blocks are rare.
const SIZES: usize = 64;
/// Maximum memory of the cached blocks of one size. A log of the longest runs has less.
const CACHED_BYTES_MAX: usize = 128 << 10;

thread_local! {
    // Without destructors: they would allocate.
    static IS_CACHED: Cell<bool> = const { Cell::new(false) };
    static LISTS: [FreeList; SIZES] = const { [const { FreeList::new() }; SIZES] };
}

/// Free blocks of one size.
struct FreeList {
    /// Each block contains the address of the next one.
    first: Cell<*mut u8>,
    bytes: Cell<usize>,
}

impl FreeList {
    const fn new() -> Self {
        Self { first: Cell::new(ptr::null_mut()), bytes: Cell::new(0) }
    }

    /// Removes a block; null if there is none.
    fn pop(&self, block_bytes: usize) -> *mut u8 {
        let first = self.first.get();
        if !first.is_null() {
            // SAFETY: the list owns the block, and `push` wrote the address of the next one to its beginning.
            self.first.set(unsafe { first.cast::<*mut u8>().read() });
            self.bytes.set(self.bytes.get() - block_bytes);
        }
        first
    }

    /// Adds a block, if there is room.
    ///
    /// # Safety
    /// The caller owns the block, which is aligned to [`STEP_BYTES`] and not smaller.
    unsafe fn push(&self, block: *mut u8, block_bytes: usize) -> bool {
        let bytes = self.bytes.get() + block_bytes;
        let has_room = bytes <= CACHED_BYTES_MAX;
        if has_room {
            // SAFETY: the block belongs to the list from now on, and has room and alignment for an address.
            unsafe { block.cast::<*mut u8>().write(self.first.get()) };
            self.first.set(block);
            self.bytes.set(bytes);
        }
        has_room
    }
}

/// Cache of small blocks for the calling thread, which keeps freed blocks for itself until this is dropped. For threads
/// that allocate a lot in parallel.
#[derive(Debug)]
pub struct ThreadCache(PhantomData<*const ()>);

impl ThreadCache {
    /// Starts caching blocks on this thread. A thread has at most one `ThreadCache`.
    #[must_use]
    pub fn start() -> Self {
        IS_CACHED.set(true);
        Self(PhantomData)
    }
}

impl Drop for ThreadCache {
    fn drop(&mut self) {
        IS_CACHED.set(false);
        LISTS.with(|lists| {
            for (index, list) in lists.iter().enumerate() {
                let layout = layout_of(index);
                while let block = list.pop(layout.size())
                    && !block.is_null()
                {
                    // SAFETY: the list owned the block, which was allocated with this layout.
                    unsafe { GlobalDlmalloc.dealloc(block, layout) };
                }
            }
        });
    }
}

/// Index of the size of a block that may be cached.
fn index_of(layout: Layout) -> Option<usize> {
    let is_small = layout.align() <= STEP_BYTES && layout.size() <= SIZES * STEP_BYTES;
    is_small.then(|| layout.size().saturating_sub(1) / STEP_BYTES)
}

/// Layout of all blocks of a size, whichever thread allocates them.
fn layout_of(index: usize) -> Layout {
    let bytes = (index + 1) * STEP_BYTES;
    // SAFETY: the alignment is a power of two, and the size is at most `SIZES * STEP_BYTES`.
    unsafe { Layout::from_size_align_unchecked(bytes, STEP_BYTES) }
}

/// The global allocator.
#[derive(Debug)]
pub struct Allocator;

// SAFETY: blocks come from dlmalloc with the layout that `layout_of` gives for their size, in every thread, and are returned
// to it with the same one. A list contains only blocks that were freed, and is used by its own thread alone.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(index) = index_of(layout) else {
            // SAFETY: the caller's promise.
            return unsafe { GlobalDlmalloc.alloc(layout) };
        };
        let layout = layout_of(index);
        let cached = LISTS.with(|lists| lists[index].pop(layout.size()));
        // SAFETY: the size is not 0.
        if cached.is_null() { unsafe { GlobalDlmalloc.alloc(layout) } } else { cached }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let layout = match index_of(layout) {
            Some(index) => {
                let layout = layout_of(index);
                // SAFETY: the caller gives up the block, which `alloc` made with this layout.
                let push = || LISTS.with(|lists| unsafe { lists[index].push(block, layout.size()) });
                if IS_CACHED.get() && push() {
                    return;
                }
                layout
            }
            None => layout,
        };
        // SAFETY: the block was allocated with this layout.
        unsafe { GlobalDlmalloc.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if index_of(layout).is_none() {
            // SAFETY: the caller's promise.
            return unsafe { GlobalDlmalloc.alloc_zeroed(layout) };
        }
        // SAFETY: the caller's promise; the block has at least this size.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                block.write_bytes(0, layout.size());
            }
            block
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size does not overflow with this alignment.
        let new_layout = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        match (index_of(layout), index_of(new_layout)) {
            // SAFETY: the caller's promise; blocks that are not cached have the caller's layout.
            (None, None) => unsafe { GlobalDlmalloc.realloc(block, layout, bytes) },
            (before, after) if before == after => block,
            // SAFETY: both blocks have as many bytes as are copied, and do not overlap.
            _ => unsafe {
                let new = self.alloc(new_layout);
                if !new.is_null() {
                    ptr::copy_nonoverlapping(block, new, layout.size().min(bytes));
                    self.dealloc(block, layout);
                }
                new
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::System;

    /// A block and what was written to it, with a block of the same size of another allocator as its twin.
    struct Pair {
        block: *mut u8,
        twin: *mut u8,
        layout: Layout,
    }

    impl Pair {
        fn new(layout: Layout, is_zeroed: bool) -> Self {
            // SAFETY: the size is not 0; both blocks are initialised as a whole.
            unsafe {
                let [block, twin] = if is_zeroed {
                    [Allocator.alloc_zeroed(layout), System.alloc_zeroed(layout)]
                } else {
                    let blocks = [Allocator.alloc(layout), System.alloc(layout)];
                    blocks.map(|block| {
                        block.write_bytes(layout.size() as u8, layout.size());
                        block
                    })
                };
                Self { block, twin, layout }
            }
        }

        /// Both have the same content; nothing else has written to them.
        fn check(&self) {
            assert!(self.block.addr().is_multiple_of(self.layout.align()));
            // SAFETY: both have this size and are initialised.
            let [block, twin] =
                [self.block, self.twin].map(|block| unsafe { std::slice::from_raw_parts(block, self.layout.size()) });
            assert!(block == twin, "{:?}", self.layout);
        }

        fn resize(&mut self, bytes: usize) {
            self.check();
            // SAFETY: the layout is that of both; added bytes are initialised.
            unsafe {
                self.block = Allocator.realloc(self.block, self.layout, bytes);
                self.twin = System.realloc(self.twin, self.layout, bytes);
                let added = bytes.saturating_sub(self.layout.size());
                for block in [self.block, self.twin] {
                    block.add(bytes - added).write_bytes(bytes as u8, added);
                }
            }
            self.layout = Layout::from_size_align(bytes, self.layout.align()).unwrap();
        }
    }

    impl Drop for Pair {
        fn drop(&mut self) {
            self.check();
            // SAFETY: the layout is that of both.
            unsafe {
                Allocator.dealloc(self.block, self.layout);
                System.dealloc(self.twin, self.layout);
            }
        }
    }

    // SAFETY: a pair owns its blocks.
    unsafe impl Send for Pair {}

    /// Allocates, resizes and frees at random; returns the remaining blocks.
    fn churn(seed: u64) -> Vec<Pair> {
        let mut state = seed;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut pairs: Vec<Pair> = Vec::new();
        for _ in 0..20_000 {
            let bytes =
                1 + [random(40), random(2 * SIZES * STEP_BYTES), random(100_000)][random(20).saturating_sub(17)];
            match random(4) {
                0 if !pairs.is_empty() => drop(pairs.swap_remove(random(pairs.len()))),
                1 if !pairs.is_empty() => {
                    let index = random(pairs.len());
                    pairs[index].resize(bytes);
                }
                _ if pairs.len() > 500 => pairs.truncate(250),
                _ => {
                    let layout = Layout::from_size_align(bytes, 1 << random(8)).unwrap();
                    pairs.push(Pair::new(layout, random(2) == 0));
                }
            }
        }
        pairs
    }

    fn cached_bytes() -> usize {
        LISTS.with(|lists| lists.iter().map(|list| list.bytes.get()).sum())
    }

    #[test]
    fn blocks_keep_their_content() {
        let threads = [1, 2, 3].map(|seed| {
            std::thread::Builder::new()
                .spawn(move || {
                    let cache = (seed > 1).then(ThreadCache::start);
                    let left = churn(seed);
                    assert_eq!(cached_bytes() > 0, cache.is_some());
                    drop(cache);
                    assert_eq!(cached_bytes(), 0);
                    left
                })
                .unwrap()
        });
        // Blocks of one thread are freed by another one.
        let _cache = ThreadCache::start();
        threads.into_iter().for_each(|thread| drop(thread.join().unwrap()));
        assert!(cached_bytes() > 0);
    }

    #[test]
    fn cache_is_limited() {
        let _cache = ThreadCache::start();
        let layout = Layout::from_size_align(STEP_BYTES, 1).unwrap();
        let pairs = (0..2 * CACHED_BYTES_MAX / STEP_BYTES).map(|_| Pair::new(layout, false));
        drop(pairs.collect::<Vec<_>>());
        assert_eq!(cached_bytes(), CACHED_BYTES_MAX);
    }
}
