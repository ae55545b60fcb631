//! Limits of an input: a second of CPU time for each 64 KiB, and 256 MB of memory. CPU time instead of elapsed time, as the machine
//! does other things; only what sleeps is ended by the time of day.

use rustix::time::{ClockId, clock_gettime};
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Maximum CPU time for each begun part of an input.
const CPU_NS_MAX: u64 = 1_000_000_000;
/// Size of a part, in bytes.
const PART_BYTES: usize = 64 << 10;
/// Memory allowed per byte of input beyond [`BYTES_MAX`].
const BYTES_PER_BYTE_MAX: usize = 64;
/// No fuzzed code needs a longer wait.
const WAITED_NS_MAX: u64 = 60_000_000_000;
/// More bytes than this at once are too many.
pub const BYTES_MAX: usize = 256 << 20;
/// Exit status after a hang.
pub const HANGS: i32 = 78;
/// Exit status after an input that asked for too much memory.
pub const TOO_LARGE: i32 = 79;
/// Exit status after an input whose cost grows faster than its length.
pub const GROWS: i32 = 80;

static BYTES: AtomicUsize = AtomicUsize::new(0);
static IS_RUNNING: AtomicBool = AtomicBool::new(false);
static BYTES_NOW_MAX: AtomicUsize = AtomicUsize::new(BYTES_MAX);
static CPU_NS_NOW_MAX: AtomicU64 = AtomicU64::new(CPU_NS_MAX);
static CPU_NS: AtomicU64 = AtomicU64::new(0);
static AT_NS: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, counting.
#[derive(Debug)]
pub struct Counting;

fn add(bytes: usize) {
    let before = BYTES.fetch_add(bytes, Ordering::Relaxed);
    if before.saturating_add(bytes) > BYTES_NOW_MAX.load(Ordering::Relaxed) && IS_RUNNING.swap(false, Ordering::Relaxed)
    {
        let place = std::backtrace::Backtrace::force_capture();
        let _ = writeln!(std::io::stderr(), "asked for {bytes} bytes beyond {before}\n{place}");
        std::process::exit(TOO_LARGE);
    }
}

// SAFETY: everything is handed to the system's allocator; only sizes are noted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(size);
        BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(place, layout) }
    }
}

fn now_ns(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// CPU time of this process in nanoseconds.
pub fn cpu_ns() -> u64 {
    now_ns(ClockId::ProcessCPUTime)
}

/// CPU time of this thread in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    now_ns(ClockId::ThreadCPUTime)
}

/// An input of this size begins.
pub fn begin(bytes: usize) {
    BYTES_NOW_MAX.store(BYTES_MAX + bytes * BYTES_PER_BYTE_MAX, Ordering::Relaxed);
    CPU_NS_NOW_MAX.store(CPU_NS_MAX * bytes.div_ceil(PART_BYTES).max(1) as u64, Ordering::Relaxed);
    again();
}

/// The same input is read once more, for something else.
pub fn again() {
    CPU_NS.store(cpu_ns(), Ordering::Relaxed);
    AT_NS.store(now_ns(ClockId::Monotonic), Ordering::Relaxed);
    IS_RUNNING.store(true, Ordering::Relaxed);
}

/// The input has ended.
pub fn end() {
    IS_RUNNING.store(false, Ordering::Relaxed);
}

/// Ends the process where an input takes too long.
pub fn watch() {
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let used_ns = cpu_ns().saturating_sub(CPU_NS.load(Ordering::Relaxed));
            let waited_ns = now_ns(ClockId::Monotonic).saturating_sub(AT_NS.load(Ordering::Relaxed));
            let is_over = used_ns > CPU_NS_NOW_MAX.load(Ordering::Relaxed) || waited_ns > WAITED_NS_MAX;
            if is_over && IS_RUNNING.load(Ordering::Relaxed) {
                let _ = writeln!(std::io::stderr(), "{} ms of CPU time", used_ns / 1_000_000);
                std::process::exit(HANGS);
            }
        }
    });
}
