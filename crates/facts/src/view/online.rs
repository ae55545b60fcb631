//! Online CPUs at a moment: from samples in own runs, otherwise from kernel messages. Some vendors' kernels switch CPUs
//! by load, so a share of the online CPUs is not a share of all CPUs.

use super::lost_cpus::killed_cpu;
use super::{cpu_count, is_log};
use crate::Facts;
use record::{AllCpus, ChannelId, Record, Total, Window};

/// A CPU that was away, and from when to when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OfflineSpan {
    cpus: u32,
    from_ms: i64,
    to_ms: i64,
}

/// CPUs that were online, moment by moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnlineCpus {
    all: u32,
    away: Vec<OfflineSpan>,
}

impl OnlineCpus {
    /// Online CPUs of a Record; `None` if its CPUs are unknown.
    pub fn of(facts: &Facts<'_>) -> Option<Self> {
        let all = cpu_count(facts)?;
        let is_sampled = facts.samples.channel(&ChannelId::AllCpus(AllCpus::Online)).is_some();
        let away = if is_log(facts) || !is_sampled { by_messages(facts) } else { by_samples(facts) };
        Some(Self { all, away })
    }

    /// Number of CPUs online at this moment, at least one.
    pub fn at(&self, at_ms: i64) -> u32 {
        let away = self.away.iter().filter(|away| away.from_ms <= at_ms && at_ms < away.to_ms);
        self.all.saturating_sub(away.map(|away| away.cpus).total()).max(1)
    }

    /// Mean number of online CPUs over a window.
    pub fn mean(&self, window: Window) -> f64 {
        let spans = self.spans(window);
        let time: f64 = spans.iter().map(|(cpus, ms)| f64::from(*cpus) * *ms as f64).total();
        match window.elapsed_ms() {
            ..=0 => f64::from(self.at(window.start_ms)),
            elapsed_ms => time / elapsed_ms as f64,
        }
    }

    /// Consecutive intervals of a window: number of CPUs and duration in milliseconds.
    fn spans(&self, window: Window) -> Vec<(u32, i64)> {
        let mut edges = vec![window.start_ms, window.end_ms];
        let inner = self.away.iter().flat_map(|away| [away.from_ms, away.to_ms]);
        edges.extend(inner.filter(|at_ms| (window.start_ms..window.end_ms).contains(at_ms)));
        edges.sort_unstable();
        edges.windows(2).map(|pair| (self.at(pair[0]), pair[1] - pair[0])).collect()
    }

    /// Share of a window with fewer than `wanted` CPUs online, 0 to 1.
    pub fn short_share(&self, wanted: u32, window: Window) -> f64 {
        let spans = self.spans(window);
        let short = spans.iter().filter(|(cpus, _)| *cpus < wanted.min(self.all));
        let short_ms: i64 = short.map(|(_, ms)| *ms).total();
        short_ms as f64 / window.elapsed_ms().max(1) as f64
    }
}

fn by_samples(facts: &Facts<'_>) -> Vec<OfflineSpan> {
    let lost = facts.lost_cpus().iter().map(|lost| OfflineSpan {
        cpus: lost.count.max(0) as u32,
        from_ms: lost.from_ms,
        to_ms: lost.to_ms.unwrap_or(i64::MAX),
    });
    lost.collect()
}

/// A CPU whose first message is its start was offline before.
fn by_messages(record: &Record) -> Vec<OfflineSpan> {
    let mut away: Vec<(u32, OfflineSpan)> = Vec::new();
    let mut known: Vec<u32> = Vec::new();
    for message in record.kernel_messages.known().into_iter().flatten() {
        let (Some(at_ms), text) = (message.at_ms, &message.text) else {
            continue;
        };
        if let Some(cpu) = killed_cpu(text) {
            known.push(cpu);
            let is_off = |(of, last): &(u32, OfflineSpan)| *of == cpu && last.to_ms == i64::MAX;
            if !away.iter().any(is_off) {
                away.push((cpu, OfflineSpan { cpus: 1, from_ms: at_ms, to_ms: i64::MAX }));
            }
        } else if let Some(cpu) = booted_cpu(text) {
            if !known.contains(&cpu) {
                away.push((cpu, OfflineSpan { cpus: 1, from_ms: i64::MIN, to_ms: at_ms }));
                known.push(cpu);
            }
            let mut of_cpu = away.iter_mut().rev().filter(|(of, _)| *of == cpu);
            if let Some((_, last)) = of_cpu.next().filter(|(_, last)| last.to_ms == i64::MAX) {
                last.to_ms = at_ms;
            }
        }
    }
    away.into_iter().map(|(_, away)| away).collect()
}

/// CPU of a message such as `CPU2: Booted secondary processor`.
fn booted_cpu(text: &str) -> Option<u32> {
    let booted = text.match_indices(':').find(|(at, _)| text[*at..].starts_with(": Booted secondary processor"));
    let before = &text[..booted?.0];
    let (_, number) = before.rsplit_once("CPU")?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{gauge_channel, log, own_run, window, with_message};
    use record::{Fact, Unit};

    #[test]
    fn messages_tell_which_cpus_are_there() {
        let mut record = log("0.9.72");
        for (at_ms, text) in [
            (2_000, "c2 0 (swapper/2) CPU2: Booted secondary processor"),
            (5_000, "CPU2: shutdown"),
            (8_000, "CPU3 killed"),
        ] {
            record = with_message(record, text);
            let Fact::Known(messages) = &mut record.kernel_messages else { unreachable!() };
            messages.last_mut().unwrap().at_ms = Some(at_ms);
        }
        let online = OnlineCpus::of(&Facts::of(&record)).unwrap();
        let counts: Vec<u32> = [0, 1_999, 2_000, 4_999, 5_000, 8_000].map(|at_ms| online.at(at_ms)).into();
        assert_eq!(counts, [3, 3, 4, 4, 3, 2]);
        assert_eq!(online.short_share(4, window(0.0, 10.0)), 0.7);
        assert_eq!(online.short_share(3, window(0.0, 10.0)), 0.2);
        assert_eq!(online.short_share(1, window(0.0, 10.0)), 0.0);
        assert_eq!((online.mean(window(0.0, 10.0)), online.mean(window(9.0, 9.0))), (3.1, 2.0));
    }

    #[test]
    fn samples_count_in_own_runs() {
        let record = gauge_channel(own_run(), ChannelId::AllCpus(AllCpus::Online), Unit::Count, &[4, 4, 3, 3, 4]);
        let online = OnlineCpus::of(&Facts::of(&record)).unwrap();
        assert_eq!([0, 1_000, 1_500, 2_000].map(|at_ms| online.at(at_ms)), [4, 3, 3, 4]);
    }
}
