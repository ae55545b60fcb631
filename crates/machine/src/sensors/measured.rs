//! The channels of the threads that are measured: how long they ran, and how long they were ready
//! to run but waited for a CPU. The second is the most direct measure of a disturbance there is.
//!
//! Not in the table of sensors: only a run measures threads. Which ones they are, and their files,
//! is in the sampler.

use super::{Probe, Read, labelled};
use crate::number::number;
use record::{Channel, ChannelId, OfMeasured};

/// Each read lists the threads; the times are counters, so that nothing is lost between.
const BEAT_MS: u32 = 1000;

/// What to read for them.
pub fn probe() -> Probe {
    let channel = |of, label| labelled(Channel::of(ChannelId::MeasuredThreads(of)), label);
    let channels =
        vec![channel(OfMeasured::Cpu, "running on a CPU"), channel(OfMeasured::RunDelay, "waiting for a CPU")];
    let probe = Probe {
        read: Read::MeasuredThreads,
        ..Probe::file_of_many("/proc/PID/task/TID/schedstat".into(), number, channels)
    };
    probe.min_interval_ms(BEAT_MS).apart()
}
