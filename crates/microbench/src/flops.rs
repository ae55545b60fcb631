//! Dense matrix multiplication, the load that keeps all units for multiply-adds of a core busy.
//!
//! One driver for all kernels: it copies blocks of both matrices into panels that stay in the caches, and hands tiles
//! of the product to a [`Kernel`], which only multiplies panels. Elements are integers, so that every product is exact
//! and can be verified. Nothing is timed here, and no matrix has a margin: sizes are multiples of a tile.

#![allow(unsafe_code)]

use crate::arch::KERNELS;
use crate::buffer::{Buffer, MapError, Pages};
use crate::random::Random;

/// Type of the elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// 64 bits.
    Double,
    /// 32 bits.
    Single,
}

impl Element {
    /// Size of an element in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Double => 8,
            Self::Single => 4,
        }
    }

    /// Largest absolute value of an element. The sum of `depth` products is an integer that the type represents, and
    /// so is every sum on the way, in any order.
    fn value_max(self, depth: usize) -> u64 {
        let exact: u64 = match self {
            Self::Double => 1 << f64::MANTISSA_DIGITS,
            Self::Single => 1 << f32::MANTISSA_DIGITS,
        };
        (exact / depth as u64).isqrt()
    }

    fn write(self, value: i64, to: &mut [u8]) {
        match self {
            Self::Double => to.copy_from_slice(&(value as f64).to_ne_bytes()),
            Self::Single => to.copy_from_slice(&(value as f32).to_ne_bytes()),
        }
    }

    /// Reads elements. A number that is not an integer becomes one that no product has.
    fn read(self, elements: &[u8]) -> Vec<i64> {
        let integer = |value: f64| if value.fract() == 0.0 { value as i64 } else { value.to_bits() as i64 };
        match self {
            Self::Double => elements.as_chunks().0.iter().map(|bytes| integer(f64::from_ne_bytes(*bytes))).collect(),
            Self::Single => {
                elements.as_chunks().0.iter().map(|bytes| integer(f32::from_ne_bytes(*bytes).into())).collect()
            }
        }
    }
}

/// Multiplication of two panels: the innermost loops of a product.
///
/// An entry of [`KERNELS`].
#[derive(Debug)]
pub struct Kernel {
    /// Name in kebab-case, prefixed by the type of elements: `fp64-avx2`.
    pub id: &'static str,
    /// One sentence for users.
    pub about: &'static str,
    /// Type of elements.
    pub element: Element,
    /// True if this machine supports it.
    pub available: fn() -> bool,
    /// Rows of a tile.
    rows: usize,
    /// Columns of a tile.
    columns: usize,
    /// Copies to panels of columns of a tile.
    pack_left: Pack,
    /// Copies to panels of rows of a tile.
    pack_right: Pack,
    /// The loop.
    body: TileTurns,
}

/// `(left, right, product, stride, turns)`: adds the product of two panels to a tile. Each turn takes one column of a
/// tile from `left` and one row from `right`; columns of the tile are `stride` bytes apart. All are aligned to
/// elements, panels may be read [`OVERREAD`] bytes beyond their last turn, `turns` is even and not 0, and the kernel is
/// available.
pub(crate) type TileTurns = unsafe fn(*const u8, *const u8, *mut u8, usize, usize);

/// Constructors for the tables in [`crate::arch`].
impl Kernel {
    /// Kernel for tiles with columns and rows of this many bytes.
    pub(crate) const fn new<const COLUMN_BYTES: usize, const ROW_BYTES: usize>(
        id: &'static str,
        about: &'static str,
        element: Element,
        body: TileTurns,
    ) -> Self {
        Self {
            id,
            about,
            element,
            available: || true,
            rows: COLUMN_BYTES / element.bytes(),
            columns: ROW_BYTES / element.bytes(),
            pack_left: pack::<COLUMN_BYTES>,
            pack_right: pack::<ROW_BYTES>,
            body,
        }
    }

    /// Sets the availability check.
    #[allow(dead_code, reason = "every core of some instruction sets has all of its kernels")]
    pub(crate) const fn when(self, available: fn() -> bool) -> Self {
        Self { available, ..self }
    }
}

/// Bytes behind a panel that kernels may read: they load the next turn early.
const OVERREAD: usize = 256;

/// The kernel for elements of this type that uses the widest units of this machine.
pub fn kernel(element: Element) -> &'static Kernel {
    let mut kernels = KERNELS.iter().filter(|kernel| kernel.element == element);
    kernels.find(|kernel| (kernel.available)()).expect("every type has a kernel that runs everywhere")
}

/// Bytes of a row of a block: with the columns of a tile, half of the smallest L1 caches.
const BLOCK_DEPTH_BYTES: usize = 1920;
/// Rows of a block: with its depth, a share of the L2 cache of a core of a small board.
const BLOCK_ROWS: usize = 96;

/// Two matrices and their product.
///
/// The left one is stored by columns, the right one by rows and the product by columns, so that panels are copied in
/// whole registers.
#[derive(Debug)]
pub struct Product {
    kernel: &'static Kernel,
    rows: usize,
    columns: usize,
    depth: usize,
    left: Buffer,
    right: Buffer,
    product: Buffer,
    left_panels: Buffer,
    right_panels: Buffer,
}

impl Product {
    /// Matrices of `size` rows and columns, rounded up to whole tiles, of integers that depend on the seed.
    ///
    /// # Errors
    ///
    /// As [`Buffer::new`].
    ///
    /// # Panics
    ///
    /// If the kernel is not available on this machine, or the size is 0.
    pub fn new(kernel: &'static Kernel, size: usize, seed: u64) -> Result<Self, MapError> {
        assert!((kernel.available)(), "{} cannot run on this machine", kernel.id);
        assert!(size > 0, "matrices have elements");
        let rows = size.next_multiple_of(kernel.rows);
        let columns = size.next_multiple_of(kernel.columns);
        let depth = size.next_multiple_of(2);
        let bytes = kernel.element.bytes();
        let block_depth = BLOCK_DEPTH_BYTES / bytes;
        let block_rows = kernel.rows.max(BLOCK_ROWS);
        let buffer = |elements: usize| Buffer::new(elements * bytes, Pages::Huge);
        let panels = |elements: usize| Buffer::new(elements * bytes + OVERREAD, Pages::Huge);
        let mut made = Self {
            kernel,
            rows,
            columns,
            depth,
            left: buffer(rows * depth)?,
            right: buffer(depth * columns)?,
            product: buffer(rows * columns)?,
            left_panels: panels(block_rows * block_depth)?,
            right_panels: panels(columns * block_depth)?,
        };
        let mut random = Random::new(seed);
        let value_max = kernel.element.value_max(depth);
        for matrix in [&mut made.left, &mut made.right] {
            for to in matrix.as_mut_slice().chunks_exact_mut(bytes) {
                let value = random.next() % (2 * value_max + 1);
                kernel.element.write(value as i64 - value_max as i64, to);
            }
        }
        Ok(made)
    }

    /// Floating-point operations of one multiplication.
    pub fn operations(&self) -> u64 {
        2 * self.rows as u64 * self.columns as u64 * self.depth as u64
    }

    /// Multiplies the matrices, unless `is_cancelled` becomes true meanwhile.
    pub fn multiply(&mut self, is_cancelled: impl Fn() -> bool) {
        let bytes = self.kernel.element.bytes();
        let (tile_rows, block_depth) = (self.kernel.rows, BLOCK_DEPTH_BYTES / bytes);
        let block_rows = (BLOCK_ROWS / tile_rows).max(1) * tile_rows;
        self.product.as_mut_slice().fill(0);
        for top in (0..self.depth).step_by(block_depth) {
            let depth = block_depth.min(self.depth - top);
            let stride = self.columns * bytes;
            let block = &self.right.as_slice()[top * stride..];
            (self.kernel.pack_right)(block, stride, stride, depth, self.right_panels.as_mut_slice());
            for first in (0..self.rows).step_by(block_rows) {
                if is_cancelled() {
                    return;
                }
                let rows = block_rows.min(self.rows - first);
                let stride = self.rows * bytes;
                let block = &self.left.as_slice()[top * stride + first * bytes..];
                (self.kernel.pack_left)(block, stride, rows * bytes, depth, self.left_panels.as_mut_slice());
                self.multiply_block(first, rows, depth);
            }
        }
    }

    /// True if the product is right. Multiplies both sides of `left * right = product` by a row of odd numbers: a
    /// single wrong element always shows, several go unnoticed with a chance of one in 2^64.
    pub fn is_right(&self) -> bool {
        let (element, bytes) = (self.kernel.element, self.kernel.element.bytes());
        let mut random = Random::new(self.operations());
        let factors: Vec<i64> = (0..self.rows).map(|_| (random.next() | 1) as i64).collect();
        let by_columns = |matrix: &Buffer| -> Vec<i64> {
            let columns = matrix.as_slice().chunks_exact(self.rows * bytes).map(|column| element.read(column));
            let sum = |column: Vec<i64>| {
                let products = column.iter().zip(&factors).map(|(value, factor)| value.wrapping_mul(*factor));
                products.fold(0, i64::wrapping_add)
            };
            columns.map(sum).collect()
        };
        let mut expected = vec![0i64; self.columns];
        let rows = self.right.as_slice().chunks_exact(self.columns * bytes).map(|row| element.read(row));
        for (row, factor) in rows.zip(by_columns(&self.left)) {
            for (sum, value) in expected.iter_mut().zip(row) {
                *sum = sum.wrapping_add(value.wrapping_mul(factor));
            }
        }
        by_columns(&self.product) == expected
    }

    /// Multiplies the panels of a block of rows with all panels of columns.
    fn multiply_block(&mut self, first: usize, rows: usize, depth: usize) {
        let bytes = self.kernel.element.bytes();
        let (tile_rows, tile_columns) = (self.kernel.rows, self.kernel.columns);
        let stride = self.rows * bytes;
        let (left_bytes, right_bytes) = (tile_rows * depth * bytes, tile_columns * depth * bytes);
        for column in 0..self.columns / tile_columns {
            let right = &self.right_panels.as_slice()[column * right_bytes..][..right_bytes + OVERREAD];
            for row in 0..rows / tile_rows {
                let left = &self.left_panels.as_slice()[row * left_bytes..][..left_bytes + OVERREAD];
                let at = column * tile_columns * stride + (first + row * tile_rows) * bytes;
                let tile_end = at + (tile_columns - 1) * stride + tile_rows * bytes;
                let tile = &mut self.product.as_mut_slice()[at..tile_end];
                // SAFETY: both panels hold `depth` turns and what may be read behind them; the tile has its columns
                // `stride` bytes apart and ends with the slice; `depth` is even and not 0; `new` has checked that the
                // kernel is available.
                unsafe { (self.kernel.body)(left.as_ptr(), right.as_ptr(), tile.as_mut_ptr(), stride, depth) };
            }
        }
    }
}

/// `(block, stride, width, depth, panels)`: copies the first `width` bytes of each of `depth` lines, which are `stride`
/// bytes apart, to panels: one after the other, each with as many bytes of every line as a tile has.
type Pack = fn(&[u8], usize, usize, usize, &mut [u8]);

/// The length is fixed, so that lines are copied without a call for each.
fn pack<const TILE_BYTES: usize>(block: &[u8], stride: usize, width: usize, depth: usize, panels: &mut [u8]) {
    let starts = (0..width).step_by(TILE_BYTES);
    for (start, panel) in starts.zip(panels.as_chunks_mut::<TILE_BYTES>().0.chunks_exact_mut(depth)) {
        for (to, line) in panel.iter_mut().zip(block[start..].chunks(stride)) {
            to.copy_from_slice(&line[..TILE_BYTES]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares every element of a product with plain arithmetic.
    fn check(kernel: &'static Kernel, size: usize) {
        let mut made = Product::new(kernel, size, 42).unwrap();
        // Results of an earlier product must not enter the next.
        made.multiply(|| false);
        made.multiply(|| false);
        let (element, rows, columns) = (kernel.element, made.rows, made.columns);
        let [left, right, product] =
            [&made.left, &made.right, &made.product].map(|matrix| element.read(matrix.as_slice()));
        let mut expected = vec![0i64; rows * columns];
        for (left, right) in left.chunks_exact(rows).zip(right.chunks_exact(columns)) {
            for (sums, right) in expected.chunks_exact_mut(rows).zip(right) {
                sums.iter_mut().zip(left).for_each(|(sum, left)| *sum += left * right);
            }
        }
        assert!(product == expected, "{} of {size}", kernel.id);
        assert!(made.is_right(), "{} of {size}", kernel.id);
        for at in [0, rows * columns / 2, rows * columns - 1] {
            for bit in [0, 7] {
                made.product.as_mut_slice()[at * element.bytes()] ^= 1 << bit;
                assert!(!made.is_right(), "{} of {size}: bit {bit} of element {at}", kernel.id);
                made.product.as_mut_slice()[at * element.bytes()] ^= 1 << bit;
            }
        }
    }

    #[test]
    fn products_are_those_of_plain_arithmetic() {
        for kernel in KERNELS.iter().filter(|kernel| (kernel.available)()) {
            // Less than a tile, more than a block of rows, and less and more than a block of depth.
            for size in [1, 34, 101, 250] {
                check(kernel, size);
            }
        }
    }

    #[test]
    fn sums_of_the_largest_elements_are_exact() {
        for (element, digits) in [(Element::Double, 53), (Element::Single, 24)] {
            for depth in [2, 960, 1 << 20] {
                let largest = element.value_max(depth);
                let sum = |value: u64| value * value * depth as u64;
                assert!(largest > 0 && sum(largest) <= 1 << digits && sum(largest + 1) > 1 << digits, "{element:?}");
            }
        }
    }

    #[test]
    fn interrupted_product_ends_early() {
        let mut made = Product::new(kernel(Element::Double), 100, 1).unwrap();
        made.multiply(|| true);
        assert!(!made.is_right());
    }

    #[test]
    fn table_keeps_its_rules() {
        for kernel in KERNELS {
            let id = kernel.id;
            let prefix = match kernel.element {
                Element::Double => "fp64-",
                Element::Single => "fp32-",
            };
            assert!(id.starts_with(prefix), "{id} says its type first");
            assert!(kernel.about.ends_with('.'), "{id}: `about` is a sentence");
            assert_eq!(KERNELS.iter().filter(|other| other.id == id).count(), 1, "{id} is unique");
            let bytes = kernel.element.bytes();
            assert!(
                (kernel.rows.max(kernel.columns) * bytes * 2) <= OVERREAD,
                "{id} loads no more than two turns early"
            );
            assert!(BLOCK_DEPTH_BYTES.is_multiple_of(2 * bytes), "{id}: turns are even");
        }
        for element in [Element::Double, Element::Single] {
            assert!((kernel(element).available)(), "{element:?}");
        }
    }
}
