//! Sensor: what the sampler itself costs, as CPU time, and how late each sample came. They are
//! channels like all others, so that every reader can see how much of what it sees is the watching.

use super::{Probe, Read, Sensor, counter, gauge};
use crate::Root;
use record::{Channel, Unit};

pub(super) const SENSOR: Sensor = Sensor {
    id: "sampler",
    about: "CPU time of the sampler itself, and how late each sample came.",
    kernel_doc: "https://man7.org/linux/man-pages/man3/clock_gettime.3.html",
    discover,
};

fn discover(_: &Root) -> Vec<Probe> {
    let own = |channel: Channel, path: &str, read: Read| Probe {
        read,
        ..Probe::file(path.into(), super::parse::number, channel)
    };
    vec![
        own(
            counter("sampler.cpu", Unit::Nanoseconds),
            "CLOCK_THREAD_CPUTIME_ID",
            Read::OwnCpuTime,
        ),
        own(
            gauge("sampler.delay", Unit::Microseconds),
            "CLOCK_MONOTONIC",
            Read::OwnDelay,
        ),
    ]
}
