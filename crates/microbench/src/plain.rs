//! Copying, filling and reading without assembly: reference for all routines.

/// Copies a slice to one of the same length.
pub(crate) fn copy(destination: &mut [u8], source: &[u8]) {
    destination.copy_from_slice(source);
}

/// Fills a slice.
pub(crate) fn fill(destination: &mut [u8], byte: u8) {
    destination.fill(byte);
}

/// XOR of all little-endian 64-bit words, the last one padded with zeros.
pub(crate) fn read(source: &[u8]) -> u64 {
    let (words, tail) = source.as_chunks::<8>();
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    words.iter().fold(u64::from_le_bytes(last), |sum, word| sum ^ u64::from_le_bytes(*word))
}
