//! Timed code does not allocate; a counting allocator verifies it.

use microbench::arch::ROUTINES;
use microbench::buffer::{Buffer, Pages};
use microbench::flops::{Element, Product, kernel};
use microbench::latency::{Link, Order, PointerChase};
use microbench::{aes::PlainAes, load, memory};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

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

/// Number of allocations of this work.
fn allocations<T>(work: impl FnOnce() -> T) -> u64 {
    let before = ALLOCATIONS.get();
    std::hint::black_box(work());
    ALLOCATIONS.get() - before
}

#[test]
fn counter_counts() {
    assert_eq!(allocations(|| vec![1u8; 100]), 1);
}

#[test]
fn routines_allocate_nothing() {
    let (mut destination, source) = (vec![0; 1 << 16], vec![1; 1 << 16]);
    let routines: Vec<_> = ROUTINES.iter().filter(|routine| (routine.available)()).collect();
    assert!(!routines.is_empty());
    for routine in routines {
        assert_eq!(allocations(|| memory::once(routine, &mut destination, &source)), 0, "{}", routine.id);
    }
}

#[test]
fn pointer_chase_allocates_nothing() {
    const BYTES: usize = 1 << 16;
    let mut buffer = Buffer::new(BYTES, Pages::Small).unwrap();
    let mut chase = PointerChase::new(&mut buffer, BYTES, Order::Random, 1);
    for link in [Link::Pointer, Link::Bits32, Link::Bits64] {
        let pace = chase.pace(2, link, 10_000);
        assert_eq!(allocations(|| chase.once(&pace)), 0, "{link:?}");
    }
}

#[test]
fn loads_allocate_nothing() {
    let cipher = PlainAes::new(&[0; 32]).unwrap();
    let mut block = Default::default();
    assert_eq!(allocations(|| cipher.encrypt(&mut block)), 0);
    assert_eq!(allocations(|| load::heat(100)), 0);
    for element in [Element::Double, Element::Single] {
        let mut product = Product::new(kernel(element), 64, 1).unwrap();
        assert_eq!(allocations(|| product.multiply(|| false)), 0);
    }
}
