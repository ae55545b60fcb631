//! Memory routine: name, bytes per turn, and a safe way to run it.
//!
//! The assembly in [`crate::arch`] only processes whole turns at its required alignment. This file splits slices into
//! head, turns and tail, and is the only place that has to be checked for the safety of all routines. It does not time
//! anything.

#![allow(unsafe_code)]

use crate::plain;

/// Operation of a routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Reads one buffer and writes another.
    Copy,
    /// Writes a buffer with one byte value.
    Fill,
    /// Reads a buffer.
    Read,
}

/// Byte written when filling. It is not zero, because some processors eliminate stores of zeros over zeros; `dc zva`,
/// which can only write zeros, is the exception.
pub const FILL_BYTE: u8 = 0x5a;

/// Routine that copies, fills or reads memory.
///
/// An entry of [`crate::arch::ROUTINES`].
#[derive(Debug)]
pub struct Routine {
    /// Name in kebab-case, prefixed by the operation: `copy-avx2`.
    pub id: &'static str,
    /// One sentence for users.
    pub about: &'static str,
    /// Operation.
    pub operation: Operation,
    /// Bytes copied, filled or read per turn.
    pub bytes_per_turn: usize,
    /// Load instructions per turn; 0 if the processor or a library decides.
    pub loads: u32,
    /// Store instructions per turn; 0 if the processor or a library decides.
    pub stores: u32,
    /// True if this machine supports it.
    pub available: fn() -> bool,
    /// Required alignment of the destination, in bytes.
    pub(crate) destination_align: usize,
    /// Required alignment of the source, in bytes.
    pub(crate) source_align: usize,
    /// The loop.
    pub(crate) body: Body,
}

/// Loop of a routine, by operation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Body {
    /// A safe function that copies between slices of equal length.
    CopySlice(fn(&mut [u8], &[u8])),
    /// A safe function that fills a slice.
    FillSlice(fn(&mut [u8], u8)),
    /// A safe function that reads a slice and returns its checksum.
    ReadSlice(fn(&[u8]) -> u64),
    /// Copies whole turns.
    Copy(CopyTurns),
    /// Fills whole turns with a byte.
    Fill(u8, FillTurns),
    /// Reads whole turns and returns the XOR of all 64-bit words.
    Read(ReadTurns),
}

/// `(destination, source, turns)`: both must be valid for `turns` times the bytes of a turn, aligned as the routine
/// requires, and must not overlap; `turns` is not 0; the routine must be available.
pub(crate) type CopyTurns = unsafe fn(*mut u8, *const u8, usize);
/// `(destination, byte, turns)`: conditions as for [`CopyTurns`].
pub(crate) type FillTurns = unsafe fn(*mut u8, u8, usize);
/// `(source, turns)`: conditions as for [`CopyTurns`].
pub(crate) type ReadTurns = unsafe fn(*const u8, usize) -> u64;

impl Routine {
    /// Runs the routine once over whole slices of any length and alignment.
    ///
    /// Copying needs both, filling only `destination`, reading only `source`; the unused one is ignored. Returns the
    /// checksum when reading (the XOR of all little-endian 64-bit words from the start, the last one padded with zeros)
    /// and 0 otherwise.
    ///
    /// Plain code handles incomplete turns and bytes before the required alignment, or the whole slice if source and
    /// destination cannot both be aligned. Timed buffers are page aligned, so this code is needed for correctness only
    /// and never part of a figure.
    ///
    /// # Panics
    ///
    /// If the routine is not available on this machine, or lengths differ when copying.
    #[inline]
    pub fn run(&self, destination: &mut [u8], source: &[u8]) -> u64 {
        assert!((self.available)(), "{} cannot run on this machine", self.id);
        match self.body {
            Body::CopySlice(copy) => copy(same_length(destination, source), source),
            Body::FillSlice(fill) => fill(destination, FILL_BYTE),
            Body::ReadSlice(read) => return read(source),
            Body::Copy(turns) => self.copy_turns(same_length(destination, source), source, turns),
            Body::Fill(byte, turns) => self.fill_turns(destination, byte, turns),
            Body::Read(turns) => return self.read_turns(source, turns),
        }
        0
    }

    /// Byte that the routine fills with; `None` for copying and reading.
    pub fn fill_byte(&self) -> Option<u8> {
        match self.body {
            Body::FillSlice(_) => Some(FILL_BYTE),
            Body::Fill(byte, _) => Some(byte),
            _ => None,
        }
    }

    fn copy_turns(&self, destination: &mut [u8], source: &[u8], turns: CopyTurns) {
        let head = destination.as_ptr().align_offset(self.destination_align).min(source.len());
        let count = (source.len() - head) / self.bytes_per_turn;
        if count == 0 || !source[head..].as_ptr().addr().is_multiple_of(self.source_align) {
            return plain::copy(destination, source);
        }
        let tail = head + count * self.bytes_per_turn;
        plain::copy(&mut destination[..head], &source[..head]);
        let (from, to) = (&source[head..tail], &mut destination[head..tail]);
        // SAFETY: both are `count` turns long and cannot overlap, because one of them is borrowed mutably; both are
        // aligned as required; `count` is not 0; `run` has checked that the routine is available.
        unsafe { turns(to.as_mut_ptr(), from.as_ptr(), count) };
        plain::copy(&mut destination[tail..], &source[tail..]);
    }

    fn fill_turns(&self, destination: &mut [u8], byte: u8, turns: FillTurns) {
        let length = destination.len();
        let head = destination.as_ptr().align_offset(self.destination_align).min(length);
        let count = (length - head) / self.bytes_per_turn;
        if count == 0 {
            return plain::fill(destination, byte);
        }
        let tail = head + count * self.bytes_per_turn;
        plain::fill(&mut destination[..head], byte);
        // SAFETY: the middle is `count` turns long and aligned as required; `count` is not 0; `run` has checked that
        // the routine is available.
        unsafe { turns(destination[head..tail].as_mut_ptr(), byte, count) };
        plain::fill(&mut destination[tail..], byte);
    }

    fn read_turns(&self, source: &[u8], turns: ReadTurns) -> u64 {
        // The checksum counts words from the start of the slice, so a head is not possible: the loop starts at the
        // first byte or does not run.
        let count = source.len() / self.bytes_per_turn;
        if count == 0 || !source.as_ptr().addr().is_multiple_of(self.source_align) {
            return plain::read(source);
        }
        let tail = count * self.bytes_per_turn;
        // SAFETY: the slice holds `count` turns and starts aligned as required; `count` is not 0; `run` has checked
        // that the routine is available.
        let sum = unsafe { turns(source.as_ptr(), count) };
        sum ^ plain::read(&source[tail..])
    }
}

/// Constructors for the tables in [`crate::arch`].
impl Routine {
    const fn new(
        id: &'static str,
        about: &'static str,
        operation: Operation,
        bytes_per_turn: usize,
        body: Body,
    ) -> Self {
        Self {
            id,
            about,
            operation,
            bytes_per_turn,
            loads: 0,
            stores: 0,
            available: || true,
            destination_align: 1,
            source_align: 1,
            body,
        }
    }

    /// Copy loop with this many loads and stores per turn.
    pub(crate) const fn copying(
        id: &'static str,
        about: &'static str,
        bytes_per_turn: usize,
        pairs: u32,
        turns: CopyTurns,
    ) -> Self {
        let body = Body::Copy(turns);
        let routine = Self::new(id, about, Operation::Copy, bytes_per_turn, body);
        Self { loads: pairs, stores: pairs, ..routine }
    }

    /// Fill loop of [`FILL_BYTE`] with this many stores per turn.
    pub(crate) const fn filling(
        id: &'static str,
        about: &'static str,
        bytes_per_turn: usize,
        stores: u32,
        turns: FillTurns,
    ) -> Self {
        let body = Body::Fill(FILL_BYTE, turns);
        Self { stores, ..Self::new(id, about, Operation::Fill, bytes_per_turn, body) }
    }

    /// The same loop filling with zeros, for loops that cannot write another byte.
    #[allow(dead_code, reason = "not every instruction set has such a loop")]
    pub(crate) const fn with_zeros(self) -> Self {
        match self.body {
            Body::Fill(_, turns) => Self { body: Body::Fill(0, turns), ..self },
            _ => panic!("only filling writes zeros"),
        }
    }

    /// Read loop with this many loads per turn.
    pub(crate) const fn reading(
        id: &'static str,
        about: &'static str,
        bytes_per_turn: usize,
        loads: u32,
        turns: ReadTurns,
    ) -> Self {
        let body = Body::Read(turns);
        Self { loads, ..Self::new(id, about, Operation::Read, bytes_per_turn, body) }
    }

    /// Routine of the C library or the compiler.
    pub(crate) const fn compiled(id: &'static str, about: &'static str, operation: Operation, body: Body) -> Self {
        Self::new(id, about, operation, 8, body)
    }

    /// Sets the bytes per turn.
    pub(crate) const fn moving(self, bytes_per_turn: usize) -> Self {
        Self { bytes_per_turn, ..self }
    }

    /// Sets the required alignment.
    pub(crate) const fn aligned(self, destination_align: usize, source_align: usize) -> Self {
        Self { destination_align, source_align, ..self }
    }

    /// Sets the availability check.
    pub(crate) const fn when(self, available: fn() -> bool) -> Self {
        Self { available, ..self }
    }
}

fn same_length<'a>(destination: &'a mut [u8], source: &[u8]) -> &'a mut [u8] {
    assert_eq!(destination.len(), source.len(), "copying needs buffers of equal length");
    destination
}

#[cfg(test)]
mod tests;
