//! Sensor: the load average over one minute, from `/proc/loadavg`, in hundredths.

use super::{Probe, Sensor};
use crate::Root;
use record::{Channel, ChannelId, LoadSpan};

pub(super) const SENSOR: Sensor = Sensor::new("load", discover);

const PATH: &str = "/proc/loadavg";

/// The kernel updates it every 5 s (`LOAD_FREQ`).
const INTERVAL_MS_MIN: u32 = 3000;

fn discover(root: &Root) -> Vec<Probe> {
    if root.read(PATH).is_err() {
        return Vec::new();
    }
    let channel = Channel::of(ChannelId::Load(LoadSpan::One));
    vec![Probe::file(PATH.into(), parse, channel).min_interval_ms(INTERVAL_MS_MIN)]
}

/// `0.20 0.18 0.12 1/80 11206`: the kernel always prints two decimals.
fn parse(text: &[u8], values: &mut [i64]) {
    let Some((whole, rest)) = crate::number::take_number(text) else { return };
    if let [b'.', tenths @ b'0'..=b'9', hundredths @ b'0'..=b'9', ..] = rest {
        let decimals = i64::from(tenths - b'0') * 10 + i64::from(hundredths - b'0');
        values[0] = whole.saturating_mul(100).saturating_add(decimals);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NONE, check::parsed};
    use super::*;

    #[test]
    fn hundredths() {
        for (text, value) in [
            ("0.20 0.18 0.12 1/80 11206\n", 20),
            ("16.05 8.00 4.00 17/300 99\n", 1605),
            ("1", NONE),
            ("x.yz", NONE),
            ("", NONE),
        ] {
            assert_eq!(parsed(parse, text, 1), [value], "{text:?}");
        }
    }
}
