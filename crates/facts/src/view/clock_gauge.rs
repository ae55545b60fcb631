//! Clock readings without isolated outliers.

use super::samples::{Reading, gauge};
use record::{Channel, Record, Window};

/// Factor by which an outlier exceeds both neighbours.
const ABOVE: f64 = 2.5;
/// Share of both neighbours below which a reading is an outlier; the range of clocks of a board is smaller.
const BELOW: f64 = 0.15;

/// The known values of a clock within a window, both ends included, in the unit of the channel.
pub fn clock_gauge(record: &Record, channel: &Channel, window: Window) -> Vec<Reading> {
    let mut readings = gauge(record, channel, window);
    readings.retain(|reading| !is_wild(channel, reading.row));
    readings
}

/// True if the neighbours of this row rule it out as a clock.
pub(super) fn is_wild(channel: &Channel, row: usize) -> bool {
    let (before, rest) = channel.values.split_at(row.min(channel.values.len()));
    let Some((Some(now), after)) = rest.split_first() else {
        return false;
    };
    let around = [before.iter().rev().flatten().next(), after.iter().flatten().next()];
    let around = around.map(|value| value.map(|value| *value as f64));
    let now = *now as f64;
    // At an end, nothing shows which of two readings is wrong.
    let is_far = |before: f64, after: f64| now > ABOVE * before.max(after) || now < BELOW * before.min(after);
    now <= 0.0 || matches!(around, [Some(before), Some(after)] if is_far(before, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{gauge_channel, own_run};
    use crate::view::whole_run;
    use record::{ChannelId, Unit};

    #[test]
    fn single_readings_that_no_clock_makes_are_left_out() {
        for (mhz, expected) in [
            (&[1800, 5400, 1800, 1800][..], &[1800, 1800, 1800][..]),
            (&[1800, 180, 1800], &[1800, 1800]),
            (&[1800, 408, 1416], &[1800, 408, 1416]),
            (&[600, 1800, 1800, 600], &[600, 1800, 1800, 600]),
            (&[1800, 0, 5400], &[1800, 5400]),
        ] {
            let khz: Vec<i64> = mhz.iter().map(|mhz| mhz * 1000).collect();
            let record = gauge_channel(own_run(), ChannelId::claimed(0), Unit::Kilohertz, &khz);
            let found = clock_gauge(&record, &record.samples.channels[0], whole_run());
            let found: Vec<i64> = found.iter().map(|reading| reading.value / 1000).collect();
            assert_eq!(found, expected, "{mhz:?}");
        }
    }
}
