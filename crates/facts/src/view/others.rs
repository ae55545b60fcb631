//! CPU time that a step had, waited for, and that other programs had meanwhile.

use super::cpu_use::own_cost_percent;
use super::online::OnlineCpus;
use crate::Facts;
use crate::stats::mean;
use record::Step;

/// CPU time charged to a step in nanoseconds: the larger of the time of its threads and the time of its processes.
pub fn cpu_ns(step: &Step) -> Option<f64> {
    let counters = &step.counters;
    let own_ns = counters.task_clock_ns.known().map(|ns| *ns as f64);
    let ticks_ms = counters.user_ms.known().zip(counters.system_ms.known());
    let all_ns = ticks_ms.map(|(user_ms, system_ms)| (*user_ms as f64 + *system_ms as f64) * 1e6);
    own_ns.into_iter().chain(all_ns).reduce(f64::max)
}

/// Time in nanoseconds for which a step was ready to run but waited for CPUs.
pub fn waited_ns(step: &Step) -> Option<f64> {
    step.counters.run_delay_ns.known().map(|ns| *ns as f64)
}

/// Mean number of busy CPUs during a step without the step itself and the sampling; `None` if either was not counted.
/// Offline CPUs do not count.
pub fn cpus_of_others(facts: &Facts<'_>, online: &OnlineCpus, step: &Step) -> Option<f64> {
    let sampling = own_cost_percent(facts).unwrap_or(0.0);
    let uses = facts.cpu_use(&step.window);
    let busy = uses.iter().map(|usage| (usage.busy - sampling) / 100.0 * f64::from(online.at(usage.at_ms)));
    let busy: Vec<f64> = busy.collect();
    let own = cpu_ns(step)? / (step.window.elapsed_ms().max(1) as f64 * 1e6);
    Some((mean(&busy)? - own).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, counter, gauge_channel, own_run, with_step};
    use record::{AllCpus, ChannelId, CpuTime, Fact, Unit, Variant, WorkloadId};

    /// Two of four CPUs leave after five of ten seconds; the others stay busy.
    #[test]
    fn a_cpu_that_left_was_not_taken_by_others() {
        let record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 10.0), compression(1));
        let online: Vec<i64> = (0..=20).map(|row| if row < 10 { 4 } else { 2 }).collect();
        let mut ticks = vec![0];
        ticks.extend(online[..20].iter().scan(0, |sum, cpus| {
            *sum += cpus * 50;
            Some(*sum)
        }));
        let record = gauge_channel(record, ChannelId::AllCpus(AllCpus::Online), Unit::Count, &online);
        let record = counter(record, ChannelId::all_cpus(CpuTime::User), Unit::Ticks, &ticks);
        let mut record = counter(record, ChannelId::all_cpus(CpuTime::Idle), Unit::Ticks, &[0; 21]);
        for (own_s, expected) in [(30_u64, 0.0), (20, 1.0)] {
            record.steps[0].counters.task_clock_ns = Fact::Known(own_s * 1_000_000_000);
            let online = OnlineCpus::of(&Facts::of(&record)).unwrap();
            let found = cpus_of_others(&Facts::of(&record), &online, &record.steps[0]).unwrap();
            assert!((found - expected).abs() < 0.25, "{own_s} s: {found} CPUs");
        }
    }
}
