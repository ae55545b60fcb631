//! Whether instructions of this CPU are translated by software: how much longer code takes the first time.
//!
//! An emulator (QEMU's TCG, qemu-user, Rosetta and others) translates code when it is first executed, which takes
//! hundreds of nanoseconds an instruction, and keeps the result. A real CPU only fetches it: some nanoseconds at most, from
//! the slowest memory. A virtual machine that runs on the real CPU does the same. So new code is written into new
//! memory, and timed twice. Unlike checks of the clock it needs no quiet machine: the least of several pages counts.

#![allow(unsafe_code)]

use crate::arch::code;
use crate::timer::now_ns;
use std::io;
use std::ptr::NonNull;
use std::sync::OnceLock;

/// Instructions timed in a page: dependent additions, so that the second time takes a cycle for each.
pub const INSTRUCTIONS: usize = 480;

/// Pages of code. Each can be new only once; other activity on the machine only makes one slower.
const PAGES: usize = 8;
/// Distance of two pages of code: no page of memory is smaller.
const PAGE_BYTES: usize = 4096;
/// Where the timed code begins in its page. Before it stands a function of one instruction: called beforehand, it
/// takes the page fault.
const BODY: usize = 64;
/// Times that code is run again, in a row: emulated machines take microseconds to read their clock.
const AGAIN: u64 = 64;

/// What the first execution of new code took, and a later one of the same code, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstExecution {
    /// The first time, of [`INSTRUCTIONS`].
    pub first_ns: u64,
    /// Later.
    pub again_ns: u64,
}

/// More than any CPU needs to fetch an instruction for the first time: a line of caches holds 16, and from the slowest
/// memory takes 400 ns. QEMU 7.2 on a server of 2.6 GHz takes 120 ns to translate one.
const FETCH_NS_MAX: u64 = 30;
/// The slowest CPUs are slow again: the first time takes more than so many times as long. QEMU 7.2 was seen at 150 to 400.
const RATIO_MIN: u64 = 25;

impl FirstExecution {
    /// True if it was translated.
    pub fn is_translation(self) -> bool {
        let more_ns = self.first_ns.saturating_sub(self.again_ns);
        more_ns > FETCH_NS_MAX * INSTRUCTIONS as u64 && self.ratio() >= RATIO_MIN
    }

    /// How many times as long the first time took.
    pub fn ratio(self) -> u64 {
        self.first_ns / self.again_ns.max(1)
    }
}

/// What shows that instructions of this CPU are translated; none where nothing does. Asked once, in less than a
/// millisecond on a real CPU.
///
/// # Errors
/// The kernel gives no memory for new code: a unit with `MemoryDenyWriteExecute=`, for example.
pub fn translated() -> Result<Option<FirstExecution>, i32> {
    static FOUND: OnceLock<Result<FirstExecution, i32>> = OnceLock::new();
    let found = FOUND.get_or_init(|| measure().map_err(|error| error.raw_os_error().unwrap_or(0)));
    found.map(|found| Some(found).filter(|found| found.is_translation()))
}

/// Writes new code and times it: the least of all pages.
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

/// The least time for new code and the least for the same code later. Each is sought for itself: on a busy machine the later
/// runs of one page may take longer than the first of another, and would hide a translation.
fn least(pages: impl Iterator<Item = FirstExecution>) -> Option<FirstExecution> {
    pages.reduce(|a, b| FirstExecution { first_ns: a.first_ns.min(b.first_ns), again_ns: a.again_ns.min(b.again_ns) })
}

fn elapsed_ns(run: impl FnOnce()) -> u64 {
    let start_ns = now_ns();
    run();
    now_ns() - start_ns
}

/// Memory of its own with code in it, unmapped when dropped.
struct Code {
    start: NonNull<u8>,
}

impl Code {
    const BYTES: usize = PAGES * PAGE_BYTES;

    fn write() -> io::Result<Self> {
        const { assert!(BODY + code::BYTES_MAX * (INSTRUCTIONS + 2) <= PAGE_BYTES) };
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new private mapping at an address of the kernel's choice touches nothing else.
        let mapping = unsafe { libc::mmap(std::ptr::null_mut(), Self::BYTES, protection, flags, -1, 0) };
        let start = NonNull::new(mapping.cast::<u8>()).filter(|_| mapping != libc::MAP_FAILED);
        let code = Self { start: start.ok_or_else(io::Error::last_os_error)? };
        // SAFETY: the mapping has so many bytes, is all zero, can be written, and nobody else knows of it.
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
        // SAFETY: the range is our own mapping; the slice above is not used any more.
        if unsafe { libc::mprotect(mapping, Self::BYTES, protection) } != 0 {
            return Err(io::Error::last_os_error());
        }
        code::synchronise(code.start.as_ptr(), Self::BYTES);
        Ok(code)
    }

    /// Calls what begins there: a function of one number. The one that stands before each body returns at once.
    fn call(&self, offset: usize) -> u32 {
        // SAFETY: `offset` is that of a page or of a body in it, where `write` has put whole functions that touch no
        // memory and only the registers of argument and result; the mapping can be executed and lives as long as `self`.
        let function: extern "C" fn(u32) -> u32 = unsafe { std::mem::transmute(self.start.as_ptr().add(offset)) };
        std::hint::black_box(function(0))
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the mapping is our own, and nothing refers to it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), Self::BYTES) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{self, ClockPlan};

    /// Seen in QEMU 7.2 with four CPUs on a host of two: a page whose later runs lost the CPU.
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

    /// Tests of other architectures run under an emulator, those of this one do not: floating point tells which.
    #[test]
    fn a_translator_is_seen_and_a_real_cpu_is_none() {
        let readings = (0..20).map(|_| clock::measure(&ClockPlan::warm()));
        // A reading that was disturbed has any ratio; the least is that of the CPU.
        let float_cycles = readings.filter_map(|reading| reading.float_ratio).reduce(f64::min);
        // On a busy machine some of the measurements are disturbed, but not most.
        let found: Vec<FirstExecution> = (0..9).map(|_| measure().unwrap()).collect();
        let translated = found.iter().filter(|found| found.is_translation()).count();
        if let Some(cycles) = float_cycles {
            assert_eq!(2 * translated > found.len(), cycles > 30.0, "{found:?}, {cycles} cycles");
        }
    }

    #[test]
    fn verdicts() {
        for (first_ns, again_ns, expected) in [
            // An EPYC of the fourth generation, in a virtual machine that runs on the real CPU.
            (1_200, 160, false),
            // A core of 100 MHz without a cache.
            (30_000, 4_800, false),
            // An interrupt fell into every page.
            (60_000, 4_800, false),
            (150_000, 160, true),
        ] {
            assert_eq!(FirstExecution { first_ns, again_ns }.is_translation(), expected, "{first_ns}");
        }
    }
}
