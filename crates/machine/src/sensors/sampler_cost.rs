//! Sensor: CPU time of the sampler itself, and delay of each sample. They are ordinary channels, so that readers see
//! the overhead of sampling.

use super::{Probe, ReadMethod, Sensor};
use crate::Root;
use record::{Channel, ChannelId, SamplerChannel};

pub(super) const SENSOR: Sensor = Sensor::new("sampler", discover);

fn discover(_: &Root) -> Vec<Probe> {
    let own = |of: SamplerChannel, path: &str, read: ReadMethod| {
        let channel = Channel::of(ChannelId::Sampler(of));
        Probe { read, ..Probe::file(path.into(), crate::number::number, channel) }
    };
    vec![
        own(SamplerChannel::Cpu, "CLOCK_THREAD_CPUTIME_ID", ReadMethod::OwnCpuTime),
        own(SamplerChannel::Delay, "CLOCK_MONOTONIC", ReadMethod::OwnDelay),
    ]
}
