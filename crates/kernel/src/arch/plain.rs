//! Routines without assembly: the twins that all others must agree with, and the ones that go
//! through the C library or the compiler.
//!
//! They are the same on every instruction set. How fast they are depends on the library that the
//! binary was linked with, so they carry its name rather than pretend to be the machine's.

use crate::routine::{Body, Operation, Routine};

/// Copies a slice to one of the same length.
pub(crate) fn copy(destination: &mut [u8], source: &[u8]) {
    destination.copy_from_slice(source);
}

/// Fills a slice.
pub(crate) fn fill(destination: &mut [u8], byte: u8) {
    destination.fill(byte);
}

/// XOR of all little-endian 64-bit words, the last one filled up with zeros.
pub(crate) fn read(source: &[u8]) -> u64 {
    let (words, tail) = source.as_chunks::<8>();
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    words.iter().fold(u64::from_le_bytes(last), |sum, word| {
        sum ^ u64::from_le_bytes(*word)
    })
}

/// Copying by the C library.
pub(super) const COPY_LIBC: Routine = Routine::compiled(
    "copy-libc",
    "memcpy of the C library inside this program (not of the distribution).",
    Operation::Copy,
    Body::CopySlice(copy),
);

/// Filling by the C library.
pub(super) const FILL_LIBC: Routine = Routine::compiled(
    "fill-libc",
    "memset of the C library inside this program (not of the distribution).",
    Operation::Fill,
    Body::FillSlice(fill),
);

/// Reading as compiled.
pub(super) const READ_COMPILED: Routine = Routine::compiled(
    "read-compiled",
    "A plain loop over 64-bit words in the form that the compiler gave it.",
    Operation::Read,
    Body::ReadSlice(read),
);

/// Whose `memcpy` and `memset` the rows `copy-libc` and `fill-libc` time.
pub const LIBC: &str = if cfg!(target_env = "musl") {
    "musl"
} else if cfg!(target_env = "gnu") {
    "glibc"
} else {
    "unknown"
};
