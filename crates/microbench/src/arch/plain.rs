//! Routines without assembly, from the C library or the compiler.
//!
//! They are the same on every instruction set. Their speed depends on the library that the binary is linked with, so
//! the library is part of their description.

use crate::flops::{Element, Kernel};
use crate::plain::{copy, fill, read};
use crate::routine::{Body, Operation, Routine};

/// Bytes per step when copying and filling backwards: a cache line of most cores.
const BLOCK: usize = 64;
/// Bytes that fit into the L1 cache of every CPU together with other data.
const HALFWAY: usize = 2048;

/// Copies from the end to the start, block by block, because prefetchers of some cores only look ahead.
fn copy_backwards(destination: &mut [u8], source: &[u8]) {
    let whole = source.len() / BLOCK * BLOCK;
    destination[whole..].copy_from_slice(&source[whole..]);
    let blocks = destination[..whole].chunks_exact_mut(BLOCK).rev();
    for (to, from) in blocks.zip(source[..whole].chunks_exact(BLOCK).rev()) {
        // A value of fixed size avoids a library call for every block.
        let mut block = [0; BLOCK];
        block.copy_from_slice(from);
        to.copy_from_slice(&block);
    }
}

/// Fills from the end to the start.
fn fill_backwards(destination: &mut [u8], byte: u8) {
    let whole = destination.len() / BLOCK * BLOCK;
    destination[whole..].fill(byte);
    for block in destination[..whole].chunks_exact_mut(BLOCK).rev() {
        // Without `black_box` the compiler would replace the loop by one call that fills forwards.
        std::hint::black_box(block).copy_from_slice(&[byte; BLOCK]);
    }
}

/// Copies in two passes, through a buffer in the L1 cache, so that reads and writes of memory come in longer bursts.
fn copy_two_passes(destination: &mut [u8], source: &[u8]) {
    let mut halfway = [0; HALFWAY];
    for (to, from) in destination.chunks_mut(HALFWAY).zip(source.chunks(HALFWAY)) {
        let halfway = &mut std::hint::black_box(&mut halfway)[..from.len()];
        halfway.copy_from_slice(from);
        to.copy_from_slice(std::hint::black_box(halfway));
    }
}

/// Copying backwards.
pub(super) const COPY_BACKWARDS: Routine = Routine::compiled(
    "copy-backwards",
    "Backwards in 64-byte blocks, compiled code.",
    Operation::Copy,
    Body::CopySlice(copy_backwards),
)
.moving(BLOCK);

/// Copying in two passes.
pub(super) const COPY_TWO_PASSES: Routine = Routine::compiled(
    "copy-two-passes",
    "Two passes: 2 KiB into the L1 cache, then to the destination, with the C library's memcpy.",
    Operation::Copy,
    Body::CopySlice(copy_two_passes),
)
.moving(HALFWAY);

/// Filling backwards.
pub(super) const FILL_BACKWARDS: Routine = Routine::compiled(
    "fill-backwards",
    "Backwards in 64-byte blocks, compiled code.",
    Operation::Fill,
    Body::FillSlice(fill_backwards),
)
.moving(BLOCK);

/// Copying by the C library.
pub(super) const COPY_LIBC: Routine = Routine::compiled(
    "copy-libc",
    "memcpy of the C library in this binary (not the distribution's).",
    Operation::Copy,
    Body::CopySlice(copy),
);

/// Filling by the C library.
pub(super) const FILL_LIBC: Routine = Routine::compiled(
    "fill-libc",
    "memset of the C library in this binary (not the distribution's).",
    Operation::Fill,
    Body::FillSlice(fill),
);

/// Reading by compiled code.
pub(super) const READ_COMPILED: Routine = Routine::compiled(
    "read-compiled",
    "A plain loop over 64-bit words, compiled code.",
    Operation::Read,
    Body::ReadSlice(read),
);

/// C library whose `memcpy` and `memset` the rows `copy-libc` and `fill-libc` time.
pub const LIBC: &str = if cfg!(target_env = "musl") {
    "musl"
} else if cfg!(target_env = "gnu") {
    "glibc"
} else {
    "unknown"
};

/// Rows and columns of a tile that fits into the registers of every instruction set.
const TILE: usize = 4;

/// Tile in compiled code.
macro_rules! tile {
    ($name:ident, $type:ty) => {
        unsafe fn $name(left: *const u8, right: *const u8, product: *mut u8, stride: usize, turns: usize) {
            let (left, right) = (left.cast::<[$type; TILE]>(), right.cast::<[$type; TILE]>());
            let mut sums = [[0.0; TILE]; TILE];
            for turn in 0..turns {
                // SAFETY: the caller guarantees panels of `turns` turns, aligned to elements.
                let (left, right) = unsafe { (left.add(turn).read(), right.add(turn).read()) };
                for (sums, right) in sums.iter_mut().zip(right) {
                    for (sum, left) in sums.iter_mut().zip(left) {
                        *sum += left * right;
                    }
                }
            }
            for (column, sums) in sums.into_iter().enumerate() {
                // SAFETY: the caller guarantees a tile whose columns are `stride` bytes apart, aligned to elements.
                let column = unsafe { &mut *product.add(column * stride).cast::<[$type; TILE]>() };
                for (to, sum) in column.iter_mut().zip(sums) {
                    *to += sum;
                }
            }
        }
    };
}

tile!(tile_double, f64);
tile!(tile_single, f32);

/// Double precision by the compiler.
pub(super) const DOUBLE: Kernel =
    Kernel::new::<{ 8 * TILE }, { 8 * TILE }>("fp64-compiled", "Compiled code.", Element::Double, tile_double);

/// Single precision by the compiler.
pub(super) const SINGLE: Kernel =
    Kernel::new::<{ 4 * TILE }, { 4 * TILE }>("fp32-compiled", "Compiled code.", Element::Single, tile_single);
