//! Sensor: what the sampler itself costs, as CPU time. It is a channel like all others, so that
//! every reader can see how much of what it sees is the watching.

use super::{Beat, Probe, Read, Sensor, counter};
use crate::Root;
use record::{Channel, Unit};

pub(super) const SENSOR: Sensor = Sensor {
    id: "sampler",
    about: "CPU time of the sampler itself.",
    kernel_doc: "https://man7.org/linux/man-pages/man3/clock_gettime.3.html",
    discover,
};

fn discover(_: &Root) -> Vec<Probe> {
    let path = "CLOCK_THREAD_CPUTIME_ID";
    let channel = counter("sampler.cpu", Unit::Nanoseconds);
    vec![Probe {
        path: path.into(),
        channels: vec![Channel {
            source: path.into(),
            ..channel
        }],
        beat: Beat::EveryTick,
        read: Read::OwnCpuTime,
        wraps_after: None,
    }]
}
