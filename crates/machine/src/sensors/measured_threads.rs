//! Channels of the measured threads: time on a CPU, and time runnable but waiting for one. The latter is the most
//! direct measure of disturbances.
//!
//! Not in the table of sensors, because only runs measure threads. The sampler finds the threads and their files.

use super::{Probe, ReadMethod, labelled};
use crate::number::number;
use record::{Channel, ChannelId, MeasuredChannel};

/// Each read lists the threads; times are counters, so a long interval loses nothing.
const INTERVAL_MS_MIN: u32 = 1000;

/// Probe for the channels.
pub fn probe() -> Probe {
    let channel = |of, label| labelled(Channel::of(ChannelId::MeasuredThreads(of)), label);
    let channels = vec![
        channel(MeasuredChannel::Cpu, "running on a CPU"),
        channel(MeasuredChannel::RunDelay, "waiting for a CPU"),
    ];
    let probe = Probe {
        read: ReadMethod::MeasuredThreads,
        ..Probe::file_of_many("/proc/PID/task/TID/schedstat".into(), number, channels)
    };
    probe.min_interval_ms(INTERVAL_MS_MIN).blocking()
}
