//! Memory for measurements: mapped from the kernel, page aligned, touched in advance.
//!
//! One buffer is one mapping. The buffer does not know whether the kernel granted huge pages; `/proc/self/smaps` has
//! the answer at [`Buffer::address`].

#![allow(unsafe_code)]

use std::fmt;
use std::ptr::NonNull;

/// Page size requested from the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// System default.
    Default,
    /// Huge pages if available (`MADV_HUGEPAGE`).
    Huge,
    /// Base pages only (`MADV_NOHUGEPAGE`).
    Small,
}

/// The kernel did not map the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapError {
    /// Bytes requested.
    pub bytes: usize,
    /// `errno` of `mmap(2)`.
    pub errno: i32,
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = std::io::Error::from_raw_os_error(self.errno);
        write!(f, "cannot allocate a buffer of {} bytes: {reason}", self.bytes)
    }
}

impl std::error::Error for MapError {}

/// Usual size of a huge page (x86-64, RISC-V, Arm with 4 KiB pages). Buffers that request huge pages are aligned to it,
/// because otherwise the first and last page could not be huge.
const HUGE_PAGE: usize = 2 << 20;
/// Smallest page size of any system, used as the step for touching memory.
const SMALL_PAGE: usize = 4096;

/// Memory with its own mapping, unmapped on drop.
#[derive(Debug)]
pub struct Buffer {
    mapping: NonNull<u8>,
    mapping_length: usize,
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the buffer owns its mapping, which belongs to the process and not to a thread.
unsafe impl Send for Buffer {}
// SAFETY: shared access only reads.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Maps `length` zeroed bytes and touches every page from the calling thread, so that memory is local to its CPU
    /// and page faults do not occur in a timed region.
    ///
    /// # Errors
    ///
    /// [`MapError`] if the kernel does not map the memory, or `length` is 0. A kernel that overcommits may grant more
    /// than is available and kill the process while the pages are touched, so callers check the available memory first.
    pub fn new(length: usize, pages: Pages) -> Result<Self, MapError> {
        let slack = if pages == Pages::Huge { HUGE_PAGE } else { 0 };
        let refused = |errno| MapError { bytes: length, errno };
        if length == 0 {
            return Err(refused(libc::EINVAL));
        }
        // A slice is at most `isize::MAX` long, and the sum must not overflow.
        let mapping_length = length.saturating_add(slack);
        if mapping_length > isize::MAX as usize {
            return Err(refused(libc::ENOMEM));
        }
        // SAFETY: a new private mapping at an address chosen by the kernel affects no other memory.
        let mapping = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapping_length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        let mapping = match NonNull::new(mapping.cast::<u8>()) {
            Some(start) if mapping != libc::MAP_FAILED => start,
            _ => {
                return Err(refused(std::io::Error::last_os_error().raw_os_error().unwrap_or(0)));
            }
        };
        let offset = if slack == 0 { 0 } else { mapping.align_offset(HUGE_PAGE) };
        // SAFETY: `offset` is less than a huge page, and the mapping is one huge page longer.
        let start = unsafe { mapping.add(offset) };
        let mut buffer = Self { mapping, mapping_length, start, length };
        buffer.advise(pages);
        buffer.touch();
        Ok(buffer)
    }

    fn advise(&self, pages: Pages) {
        let advice = match pages {
            Pages::Default => return,
            Pages::Huge => libc::MADV_HUGEPAGE,
            Pages::Small => libc::MADV_NOHUGEPAGE,
        };
        // SAFETY: the range is our own mapping, and the advice does not change its content. Kernels without huge pages
        // return an error, which is ignored because the caller checks smaps.
        unsafe { libc::madvise(self.mapping.as_ptr().cast(), self.mapping_length, advice) };
    }

    fn touch(&mut self) {
        for page in self.as_mut_slice().chunks_mut(SMALL_PAGE) {
            page[0] = 0;
            std::hint::black_box(page);
        }
    }

    /// The buffer as bytes.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the mapping holds this many initialised bytes (the kernel zeroes them) while `self` lives, and
        // nothing writes them while they are borrowed.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    /// The buffer as writable bytes.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nothing else reads or writes them while they are borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }

    /// Start address, for a lookup in `/proc/self/smaps`.
    pub fn address(&self) -> usize {
        self.start.as_ptr().expose_provenance()
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Always false: buffers are never empty.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the mapping is our own and is no longer borrowed.
        unsafe { libc::munmap(self.mapping.as_ptr().cast(), self.mapping_length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_zero_page_aligned_and_as_long_as_asked() {
        for pages in [Pages::Default, Pages::Huge, Pages::Small] {
            for length in [1, 4095, 4096, 1 << 20, (3 << 20) + 5] {
                let mut buffer = Buffer::new(length, pages).unwrap();
                assert_eq!(buffer.len(), length);
                assert!(buffer.address().is_multiple_of(4096));
                assert!(pages != Pages::Huge || buffer.address().is_multiple_of(HUGE_PAGE));
                assert!(buffer.as_slice().iter().all(|byte| *byte == 0));
                buffer.as_mut_slice().fill(7);
                assert_eq!(buffer.as_slice()[length - 1], 7);
            }
        }
    }

    #[test]
    fn mapping_failure_has_reason() {
        assert_eq!(Buffer::new(0, Pages::Default).unwrap_err().errno, libc::EINVAL);
        for bytes in [usize::MAX, usize::MAX / 2] {
            let refused = Buffer::new(bytes, Pages::Huge).unwrap_err();
            assert_eq!(refused, MapError { bytes, errno: libc::ENOMEM });
            assert!(refused.to_string().starts_with(&format!("cannot allocate a buffer of {bytes} bytes: ")));
        }
    }
}
