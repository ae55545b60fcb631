//! Clocks of CPUs by their own cycle counters: the real clock, independent of cpufreq.

use super::samples::{counter_total, gauge};
use record::{ChannelId, CpuChannel, CpuTime, Record, Total, Window};

/// A CPU that was busy for less than this share of the time has too coarse a busy time.
const BUSY_SHARE_MIN: f64 = 0.2;
/// `/proc/stat` counts in ticks of 10 ms; fewer are too coarse.
const BUSY_TICKS_MIN: i64 = 50;
const TICK_MS: i64 = 10;

/// Columns of `/proc/stat` in which a CPU works; time stolen by other guests counts no cycles of
/// ours.
const BUSY: [CpuTime; 6] =
    [CpuTime::User, CpuTime::Nice, CpuTime::System, CpuTime::Irq, CpuTime::Softirq, CpuTime::Busy];

/// Mean clock in kHz of a CPU while it worked within a window: its cycles over its busy time. `None` if cycles were not
/// counted or the CPU mostly idled.
pub fn counted_khz(record: &Record, cpu: u32, window: Window) -> Option<u32> {
    let cycles = record.samples.channel(&ChannelId::Cpu(cpu, CpuChannel::Cycles))?;
    // Cycles are sampled less often than times; both must cover the same interval.
    let readings = gauge(record, cycles, window);
    let stretch = Window { start_ms: readings.first()?.at_ms, end_ms: readings.last()?.at_ms, ..Window::default() };
    let counted = counter_total(record, cycles, stretch)?;
    let busy_ticks: i64 = BUSY
        .iter()
        .filter_map(|time| record.samples.channel(&ChannelId::cpu_time(cpu, *time)))
        .filter_map(|channel| counter_total(record, channel, stretch))
        .total();
    let share = (busy_ticks * TICK_MS) as f64 / stretch.elapsed_ms().max(1) as f64;
    if busy_ticks < BUSY_TICKS_MIN || share < BUSY_SHARE_MIN {
        return None;
    }
    u32::try_from(counted / (busy_ticks * TICK_MS)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{counter, own_run};
    use crate::view::whole_run;
    use record::Unit;

    #[test]
    fn cycles_over_busy_time() {
        // Five samples, half a second apart: 2 s.
        for (busy_ticks, expected) in [
            ([0, 50, 100, 150, 200], Some(1_500_000)),
            ([0, 25, 50, 75, 100], Some(3_000_000)),
            ([0, 5, 10, 15, 20], None),
            ([0, 12, 24, 36, 49], None),
        ] {
            let user = ChannelId::cpu_time(2, CpuTime::User);
            let record = counter(own_run(), user, Unit::Ticks, &busy_ticks);
            let cycles = [7, 7, 1_000_000_007, 2_000_000_007, 3_000_000_007];
            let id = ChannelId::Cpu(2, CpuChannel::Cycles);
            let record = counter(record, id, Unit::Count, &cycles);
            assert_eq!(counted_khz(&record, 2, whole_run()), expected);
            assert_eq!(counted_khz(&record, 0, whole_run()), None);
        }
    }
}
