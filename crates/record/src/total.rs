//! Saturating sums of numbers from files, which may contain any values.

use std::borrow::Borrow;

/// Number with saturating addition.
pub trait Addend: Copy {
    /// Zero.
    const ZERO: Self;
    /// Sum, saturated.
    #[must_use]
    fn plus(self, other: Self) -> Self;
}

macro_rules! whole_numbers {
    ($($type:ty)*) => {
        $(impl Addend for $type {
            const ZERO: Self = 0;
            fn plus(self, other: Self) -> Self {
                self.saturating_add(other)
            }
        })*
    };
}

whole_numbers!(i64 u32 u64 usize);

impl Addend for f64 {
    const ZERO: Self = 0.0;
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

/// Replacement for [`Iterator::sum`], which overflows.
pub trait Total: Iterator + Sized {
    /// Saturated sum of all elements.
    fn total<N: Addend>(self) -> N
    where
        Self::Item: Borrow<N>,
    {
        self.fold(N::ZERO, |sum, next| sum.plus(*next.borrow()))
    }
}

impl<I: Iterator> Total for I {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_stay_in_their_range() {
        assert_eq!([1_u64, 2].iter().total::<u64>(), 3);
        assert_eq!([u64::MAX, 2].into_iter().total::<u64>(), u64::MAX);
        assert_eq!([i64::MIN, -2].iter().total::<i64>(), i64::MIN);
        assert_eq!([1.5, 2.0].iter().total::<f64>(), 3.5);
        assert_eq!([0_usize; 0].iter().total::<usize>(), 0);
    }
}
