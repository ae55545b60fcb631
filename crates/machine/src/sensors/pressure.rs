//! Sensor: pressure stall information (PSI): time in which tasks were stalled on CPU, memory or I/O.
//!
//! Only the totals are read, because their differences are more precise than averages over 10 s.

use super::{Probe, Sensor};
use crate::Root;
use crate::number::{lines, take_number};
use record::{Channel, ChannelId, Resource, StallKind};

pub(super) const SENSOR: Sensor = Sensor::new("pressure", discover);

const DIRECTORY: &str = "/proc/pressure";

fn discover(root: &Root) -> Vec<Probe> {
    let names = root.list(DIRECTORY).unwrap_or_default();
    let is_there = |resource: &&Resource| names.iter().any(|name| name == resource.as_str());
    let probe = |resource: &Resource| {
        let channel = |stalled| Channel::of(ChannelId::Pressure(*resource, stalled));
        let channels = [StallKind::Some, StallKind::Full].map(channel).into();
        let path = format!("{DIRECTORY}/{}", resource.as_str());
        // A read with cold caches takes 20 µs.
        Probe::file_of_many(path, parse, channels).rarely()
    };
    let resources = Resource::ALL.iter().filter(is_there);
    resources.map(probe).collect()
}

/// Lines `some avg10=0.00 avg60=0.00 avg300=0.00 total=12345`. Kernels before 5.13 lack the line `full` for the CPU.
fn parse(text: &[u8], values: &mut [i64]) {
    for line in lines(text) {
        let index = if line.starts_with(b"some ") {
            0
        } else if line.starts_with(b"full ") {
            1
        } else {
            continue;
        };
        let total = line.windows(6).position(|part| part == b"total=");
        if let Some((value, _)) = total.and_then(|at| take_number(&line[at + 6..])) {
            values[index] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NONE, check::parsed};
    use super::*;

    #[test]
    fn totals() {
        let some = "some avg10=6.52 avg60=8.84 avg300=12.40 total=83535838\n";
        let full = "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(parsed(parse, &format!("{some}{full}"), 2), [83_535_838, 7]);
        assert_eq!(parsed(parse, some, 2), [83_535_838, NONE]);
        assert_eq!(parsed(parse, "nonsense total=", 2), [NONE, NONE]);
    }
}
