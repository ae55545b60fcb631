//! Conversion of numbers in files to the units of channels. Pure.

use super::NONE;

/// Operating range of electronics in thousandths of a degree; values outside are error codes or in another unit.
const TEMPERATURE_MILLICELSIUS: std::ops::RangeInclusive<i64> = -60_000..=250_000;

/// First temperatures in this range are whole degrees.
const WHOLE_DEGREES: std::ops::RangeInclusive<i64> = 5..=200;

/// Conversion of a file's numbers to the unit of its channels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scale {
    /// No conversion.
    One,
    /// `(number + offset) * millionths / 1000000`.
    Times {
        /// Added before the multiplication.
        offset: i64,
        /// Units per step, in millionths.
        millionths: i64,
    },
    /// Temperatures in millidegrees, or in whole degrees from old vendor kernels. The first value decides: 5 to 200
    /// millidegrees would be within a fifth of a degree of freezing.
    Temperature {
        /// Millidegrees per step, once known.
        factor: Option<i64>,
    },
}

impl Scale {
    /// Converts the numbers of a file to the channel's unit.
    pub(crate) fn apply(&mut self, values: &mut [i64]) {
        let known = values.iter_mut().filter(|value| **value != NONE);
        match self {
            Scale::One => {}
            Scale::Times { offset, millionths } => known.for_each(|value| {
                let product = (i128::from(*value) + i128::from(*offset)) * i128::from(*millionths);
                *value = i64::try_from(product / 1_000_000).unwrap_or(NONE);
            }),
            Scale::Temperature { factor } => known.for_each(|value| {
                let whole = WHOLE_DEGREES.contains(value);
                let factor = factor.get_or_insert(if whole { 1000 } else { 1 });
                let millidegrees = value.saturating_mul(*factor);
                let plausible = TEMPERATURE_MILLICELSIUS.contains(&millidegrees);
                *value = if plausible { millidegrees } else { NONE };
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_scaled() {
        let times = |offset, millionths| Scale::Times { offset, millionths };
        for (scale, values, expected) in [
            (Scale::One, [7, NONE], [7, NONE]),
            // ADC with 1.8 V over 10 bits: 1757.8125 µV per step.
            (times(0, 1_757_812_500), [1023, NONE], [1_798_242, NONE]),
            (times(-10, 2_000_000), [15, i64::MAX], [10, NONE]),
        ] {
            let (mut scale, mut values) = (scale, values);
            scale.apply(&mut values);
            assert_eq!(values, expected);
        }
    }

    #[test]
    fn first_temperature_decides_the_unit() {
        for (readings, expected) in [
            // After millidegrees were detected, 199 is a fifth of a degree.
            ([45_000, 199, -60_001], [45_000, 199, NONE]),
            ([48, 51, 4], [48_000, 51_000, 4_000]),
            ([398_000, 45_000, 46_000], [NONE, 45_000, 46_000]),
        ] {
            let mut scale = Scale::Temperature { factor: None };
            let seen = readings.map(|reading| {
                let mut values = [reading];
                scale.apply(&mut values);
                values[0]
            });
            assert_eq!(seen, expected);
        }
    }
}
