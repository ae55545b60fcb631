//! Which branches an input has taken: the counters that the compiler puts at every edge of the control flow
//! (`-C passes=sancov-module`, inline 8-bit counters). Without that flag there are none, and mutation is blind.

use std::sync::Mutex;

/// Beginning and end of each array of counters.
static REGIONS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

/// Called by every module before `main`; modules share one array.
///
/// # Safety
/// Called by the compiler's own code only, with an array that lives as long as the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, end: *mut u8) {
    let region = (start as usize, end as usize);
    let mut regions = REGIONS.lock().unwrap_or_else(|e| e.into_inner());
    if region.0 < region.1 && !regions.contains(&region) {
        regions.push(region);
    }
}

/// The table of places, which is not used.
///
/// # Safety
/// Does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_cov_pcs_init(_start: *const usize, _end: *const usize) {}

/// Values of every counter so far.
#[derive(Debug, Default)]
pub struct Coverage {
    /// A bit for each magnitude of each counter.
    seen: Vec<u8>,
    /// Counters of which anything was seen.
    pub edges: usize,
}

/// One bit for 1, 2, 3, 4.., 8.., 16.., 32.., 128.. times.
fn magnitude(count: u8) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..8 => 8,
        8..16 => 16,
        16..32 => 32,
        32..128 => 64,
        128.. => 128,
    }
}

impl Coverage {
    /// True if there are counters.
    pub fn is_there() -> bool {
        !REGIONS.lock().unwrap_or_else(|e| e.into_inner()).is_empty()
    }

    /// Takes and resets all counters. True if one has a new value.
    pub fn take(&mut self) -> bool {
        let regions = REGIONS.lock().unwrap_or_else(|e| e.into_inner()).clone();
        let (mut place, mut is_new) = (0, false);
        for (start, end) in regions {
            // SAFETY: the array was handed over for the life of the process, is aligned for bytes, and
            // only other threads that have come to rest count in it.
            let counters = unsafe { std::slice::from_raw_parts_mut(start as *mut u8, end - start) };
            if self.seen.len() < place + counters.len() {
                self.seen.resize(place + counters.len(), 0);
            }
            for (chunk, seen) in counters.chunks_mut(64).zip(self.seen[place..].chunks_mut(64)) {
                if chunk.iter().all(|count| *count == 0) {
                    continue;
                }
                for (count, seen) in chunk.iter_mut().zip(seen) {
                    let bit = magnitude(std::mem::take(count));
                    if bit & !*seen != 0 {
                        self.edges += usize::from(*seen == 0);
                        *seen |= bit;
                        is_new = true;
                    }
                }
            }
            place += counters.len();
        }
        is_new
    }
}
