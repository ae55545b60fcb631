//! Ticks do not allocate after warm-up; a counting allocator verifies it.

use machine::{Root, Sampler, SamplerOptions, Timeline};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

struct CountingAllocator;

thread_local! {
    /// Allocations of this thread only, because the test harness has its own threads.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: forwards all calls to the system allocator unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's guarantees are forwarded.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's guarantees are forwarded.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

/// Allocations of 50 ticks, half a second apart, after a warm-up.
fn allocations_of_50_ticks(timeline: &Timeline, pause: Duration) -> u64 {
    let before_discovery = ALLOCATIONS.get();
    let mut sampler = Sampler::new(&Root::system(), &SamplerOptions::default());
    assert!(ALLOCATIONS.get() > before_discovery, "the counter counts");
    sampler.tick(timeline);
    let warm = ALLOCATIONS.get();
    for _ in 0..50 {
        timeline.sleep(pause);
        sampler.tick(timeline);
    }
    assert_eq!(sampler.cost().ticks, 51);
    ALLOCATIONS.get() - warm
}

#[test]
fn tick_allocates_nothing() {
    // A fake timeline reads the files as well, and reaches every long interval.
    let fake = allocations_of_50_ticks(&Timeline::fake(0), Duration::from_millis(500));
    let real = allocations_of_50_ticks(&Timeline::start(), Duration::ZERO);
    assert_eq!((fake, real), (0, 0));
}
