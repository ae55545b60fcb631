//! Detects instruction translation by the slower first execution of code.
//!
//! An emulator (QEMU's TCG, qemu-user, Rosetta and others) translates code at its first execution, which takes hundreds
//! of nanoseconds per instruction, and caches the result. A real CPU only fetches it, at most a few nanoseconds from
//! the slowest memory, also inside a virtual machine. So new code is written into new memory and timed twice. Unlike
//! checks of the clock this needs no idle machine, because the minimum of several pages counts.

#![allow(unsafe_code)]

use crate::arch::code;
use crate::timer::now_ns;
use std::io;
use std::ptr::NonNull;
use std::sync::OnceLock;

/// Timed instructions in a page: dependent additions, so that the second execution takes one cycle for each.
pub const INSTRUCTIONS: usize = 480;

/// Pages of code. Each is new only once; other activity on the machine only makes it slower.
const PAGES: usize = 8;
/// Distance between two pages of code: the smallest page size of any system.
const PAGE_BYTES: usize = 4096;
/// Offset of the timed code in its page. A function of one instruction precedes it and is called first to take the page
/// fault.
const BODY: usize = 64;
/// Number of repeated executions in a row: emulated machines take microseconds to read their clock.
const AGAIN: u64 = 64;

/// Times of the first and of a later execution of the same code, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstExecution {
    /// First execution of [`INSTRUCTIONS`] instructions.
    pub first_ns: u64,
    /// Later execution.
    pub again_ns: u64,
}

/// Maximum time per instruction of a first fetch on any CPU: a cache line holds 16 instructions and takes 400 ns from
/// the slowest memory. QEMU 7.2 on a server of 2.6 GHz takes 120 ns to translate one.
const FETCH_NS_MAX: u64 = 30;
/// Minimum ratio of first to later execution for a translation, because the slowest CPUs are slow in both. QEMU 7.2 was
/// measured at 150 to 400.
const RATIO_MIN: u64 = 25;

impl FirstExecution {
    /// True if the code was translated.
    pub fn is_translation(self) -> bool {
        let more_ns = self.first_ns.saturating_sub(self.again_ns);
        more_ns > FETCH_NS_MAX * INSTRUCTIONS as u64 && self.ratio() >= RATIO_MIN
    }

    /// Ratio of the first to a later execution.
    pub fn ratio(self) -> u64 {
        self.first_ns / self.again_ns.max(1)
    }
}

/// Times that show a translation of instructions; `None` on a real CPU. Measured once, in less than a millisecond on a
/// real CPU.
///
/// # Errors
/// The kernel denies memory for new code, for example in a unit with `MemoryDenyWriteExecute=`.
pub fn translated() -> Result<Option<FirstExecution>, i32> {
    static FOUND: OnceLock<Result<FirstExecution, i32>> = OnceLock::new();
    let found = FOUND.get_or_init(|| measure().map_err(|error| error.raw_os_error().unwrap_or(0)));
    found.map(|found| Some(found).filter(|found| found.is_translation()))
}

/// Writes new code and times it: the minimum of all pages.
///
/// # Errors
/// That of `mmap(2)` or `mprotect(2)`.
pub fn measure() -> io::Result<FirstExecution> {
    let code = Code::write()?;
    let reading_ns = (0..PAGES).map(|_| elapsed_ns(|| ())).min().unwrap_or(0);
    let pages = (0..PAGES).map(|page| {
        let body = page * PAGE_BYTES + BODY;
        code.call(page * PAGE_BYTES);
        let first_ns = elapsed_ns(|| _ = code.call(body)).saturating_sub(reading_ns);
        let again = || (0..AGAIN).for_each(|_| _ = code.call(body));
        FirstExecution { first_ns, again_ns: elapsed_ns(again).saturating_sub(reading_ns) / AGAIN }
    });
    least(pages).ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))
}

/// Minimum time for new code and minimum for the same code later. Each is determined separately: on a busy machine the
/// later executions of one page may take longer than the first of another and would hide a translation.
fn least(pages: impl Iterator<Item = FirstExecution>) -> Option<FirstExecution> {
    pages.reduce(|a, b| FirstExecution { first_ns: a.first_ns.min(b.first_ns), again_ns: a.again_ns.min(b.again_ns) })
}

fn elapsed_ns(run: impl FnOnce()) -> u64 {
    let start_ns = now_ns();
    run();
    now_ns() - start_ns
}

/// Memory with generated code, unmapped on drop.
struct Code {
    start: NonNull<u8>,
}

impl Code {
    const BYTES: usize = PAGES * PAGE_BYTES;

    fn write() -> io::Result<Self> {
        const { assert!(BODY + code::BYTES_MAX * (INSTRUCTIONS + 2) <= PAGE_BYTES) };
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new private mapping at an address chosen by the kernel affects no other memory.
        let mapping = unsafe { libc::mmap(std::ptr::null_mut(), Self::BYTES, protection, flags, -1, 0) };
        let start = NonNull::new(mapping.cast::<u8>()).filter(|_| mapping != libc::MAP_FAILED);
        let code = Self { start: start.ok_or_else(io::Error::last_os_error)? };
        // SAFETY: the mapping has this many zeroed, writable bytes, and no other reference to it exists.
        let bytes = unsafe { std::slice::from_raw_parts_mut(code.start.as_ptr(), Self::BYTES) };
        for page in bytes.chunks_exact_mut(PAGE_BYTES) {
            let (stub, body) = page.split_at_mut(BODY);
            stub[..code::RETURN.len()].copy_from_slice(code::RETURN);
            let additions = std::iter::repeat_n(code::ADD_ONE, INSTRUCTIONS);
            let body_of = std::iter::once(code::BEGIN).chain(additions).chain([code::RETURN]);
            let mut at = 0;
            for instruction in body_of {
                body[at..at + instruction.len()].copy_from_slice(instruction);
                at += instruction.len();
            }
        }
        let protection = libc::PROT_READ | libc::PROT_EXEC;
        // SAFETY: the range is our own mapping; the slice above is no longer used.
        if unsafe { libc::mprotect(mapping, Self::BYTES, protection) } != 0 {
            return Err(io::Error::last_os_error());
        }
        code::synchronise(code.start.as_ptr(), Self::BYTES);
        Ok(code)
    }

    /// Calls the function of one number at this offset. The function that precedes each body returns at once.
    fn call(&self, offset: usize) -> u32 {
        // SAFETY: `offset` is that of a page or of a body in it, where `write` has put whole functions that access no
        // memory and only the registers of argument and result; the mapping is executable and lives as long as `self`.
        let function: extern "C" fn(u32) -> u32 = unsafe { std::mem::transmute(self.start.as_ptr().add(offset)) };
        std::hint::black_box(function(0))
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the mapping is our own and is no longer referenced.
        unsafe { libc::munmap(self.start.as_ptr().cast(), Self::BYTES) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{self, ClockPlan};

    /// Seen in QEMU 7.2 with four CPUs on a host of two: the later executions of a page lost the CPU.
    #[test]
    fn other_activity_hides_no_translation() {
        let of = |pages: &[(u64, u64)]| {
            let pages = pages.iter().map(|&(first_ns, again_ns)| FirstExecution { first_ns, again_ns });
            least(pages).map(FirstExecution::is_translation)
        };
        let (translated, real) = ((58_000, 150), (900, 190));
        assert_eq!(of(&[translated, (61_000, 160_000), translated]), Some(true));
        assert_eq!(of(&[(4_000_000, 150), (59_000, 9_000)]), Some(true));
        assert_eq!(of(&[real, (4_000_000, 190), real]), Some(false));
        assert_eq!(of(&[real, (950, 160_000)]), Some(false));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn code_that_was_written_adds() {
        let code = Code::write().unwrap();
        for page in 0..PAGES {
            assert_eq!(code.call(page * PAGE_BYTES + BODY) as usize, INSTRUCTIONS, "page {page}");
        }
    }

    /// Tests for other architectures run under an emulator, native ones do not: floating point distinguishes them.
    #[test]
    fn a_translator_is_seen_and_a_real_cpu_is_none() {
        let readings = (0..20).map(|_| clock::measure(&ClockPlan::warm()));
        // A disturbed reading has an arbitrary ratio; the minimum is that of the CPU.
        let float_cycles = readings.filter_map(|reading| reading.float_ratio).reduce(f64::min);
        // On a busy machine some measurements are disturbed, but not most.
        let found: Vec<FirstExecution> = (0..9).map(|_| measure().unwrap()).collect();
        let translated = found.iter().filter(|found| found.is_translation()).count();
        if let Some(cycles) = float_cycles {
            assert_eq!(2 * translated > found.len(), cycles > 30.0, "{found:?}, {cycles} cycles");
        }
    }

    #[test]
    fn verdicts() {
        for (first_ns, again_ns, expected) in [
            // EPYC of the fourth generation, in a virtual machine.
            (1_200, 160, false),
            // Core of 100 MHz without a cache.
            (30_000, 4_800, false),
            // An interrupt occurred in every page.
            (60_000, 4_800, false),
            (150_000, 160, true),
        ] {
            assert_eq!(FirstExecution { first_ns, again_ns }.is_translation(), expected, "{first_ns}");
        }
    }
}
