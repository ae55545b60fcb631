//! Low clocks of busy CPUs in a running stream, which the rules call throttling where neither
//! kernel nor firmware reports it.

use super::Watch;
use super::clocks::Clock;
use super::tracks::{Source, Track, busy_percent, printed_use, ticks_of};
use facts::{Facts, view};
use record::{ChannelId, PolicyChannel};
use rules::slowdown::hot_millicelsius;

/// A clock this much below its limit is a lower one, in percent: OPPs differ by more, claims of x86 CPUs by less.
const LOWER_PERCENT: u64 = 3;
/// CPUs that are less busy may have a lower clock because they need no more, in percent.
const BUSY_PERCENT_MIN: f64 = 90.0;

/// A clock below what its CPUs may have.
#[derive(Debug, Clone, PartialEq)]
pub struct LowClock {
    /// Label of its track.
    pub label: String,
    /// Claimed clock.
    pub khz: u64,
    /// The lower of highest clock and set limit.
    pub limit_khz: u64,
    /// Temperature of the SoC, where it is one at which such machines throttle.
    pub hot_millicelsius: Option<i64>,
    /// Governor, where it may choose low clocks.
    pub governor: Option<String>,
}

impl LowClock {
    /// `clock 0-3 at 408 of 1800 MHz under load, 82.0 °C`.
    pub fn words(&self) -> String {
        let heat = self.hot_millicelsius.map(|heat| format!(", {:.1} °C", heat as f64 / 1e3));
        let governor = self.governor.as_ref().map(|governor| format!(", governor {}", facts::plain(governor)));
        let (mhz, limit_mhz) = (self.khz / 1000, self.limit_khz / 1000);
        let why = heat.or(governor).unwrap_or_default();
        format!("{} at {mhz} of {limit_mhz} MHz under load{why}", self.label)
    }
}

/// The clock among these tracks that lost the largest share under load. `temperature` is the place of the channel that stands
/// for the SoC. On x86 many busy cores have a lower clock by design: there it counts only if it is hot.
pub fn low_clock<'a>(
    watch: &Watch,
    tracks: impl Iterator<Item = &'a Track>,
    temperature: Option<usize>,
) -> Option<LowClock> {
    let lost = |low: &LowClock| low.khz as f64 / low.limit_khz as f64;
    let low = tracks.filter_map(|track| match &track.source {
        Source::Clock(clock) => low(watch, &track.label, clock),
        _ => None,
    });
    let low = low.min_by(|a, b| lost(a).total_cmp(&lost(b)))?;
    let facts = Facts::of(watch.record());
    let heat = temperature.and_then(|place| watch.value(place)).filter(|heat| *heat >= hot_millicelsius(&facts));
    (heat.is_some() || !view::is_x86(&facts)).then_some(LowClock { hot_millicelsius: heat, ..low })
}

fn low(watch: &Watch, label: &str, clock: &Clock) -> Option<LowClock> {
    let record = watch.record();
    let khz = u64::try_from(clock.khz(record, &|place| watch.value(place))?).ok()?;
    let limit = ChannelId::Policy(clock.policy?, PolicyChannel::LimitMax);
    let limit = watch.channels().iter().position(|channel| channel.id == limit).and_then(|place| watch.value(place));
    let limit_khz = u64::from(clock.khz_max?).min(limit.and_then(|khz| u64::try_from(khz).ok()).unwrap_or(u64::MAX));
    let is_low = khz * 100 < limit_khz * (100 - LOWER_PERCENT);
    let policy = record.machine.policies.iter().find(|policy| Some(policy.policy) == clock.policy);
    let governor = policy.and_then(|policy| view::governor_during_run(record, policy));
    let governor = governor.filter(|name| name != "performance");
    (is_low && is_busy(watch, clock)).then(|| LowClock {
        label: label.to_owned(),
        khz,
        limit_khz,
        hot_millicelsius: None,
        governor,
    })
}

/// True if each policy of the clock has a busy CPU; logs have the use of all CPUs together only.
fn is_busy(watch: &Watch, clock: &Clock) -> bool {
    if let Some(Source::Place(place)) = printed_use(watch) {
        return watch.value(place).is_some_and(|percent| percent as f64 >= BUSY_PERCENT_MIN);
    }
    let machine = &watch.record().machine;
    let busy = |cpu: &u32| match ticks_of(watch, Some(*cpu)) {
        Some(Source::Ticks(busy, idle)) => busy_percent(watch, &busy, &idle) >= Some(BUSY_PERCENT_MIN),
        _ => false,
    };
    let numbers = clock.channels.iter().filter_map(|place| watch.channels()[*place].id.policy());
    numbers
        .map(|number| machine.policies.iter().find(|policy| policy.policy == number))
        .all(|policy| policy.is_some_and(|policy| policy.cpus.iter().any(busy)))
}

#[cfg(test)]
mod tests {
    use super::super::tracks::tracks;
    use super::*;
    use crate::test_support::{gauge_channel, log};
    use record::{AllCpus, CpuPercent, Fact, Unit};

    /// Logs have no ticks of CPUs.
    #[test]
    fn log_shows_a_low_clock_by_the_use_of_all_cpus() {
        let busy = ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy));
        let mut record = gauge_channel(log("0.9.50"), busy, Unit::Percent, &[]);
        record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &[]);
        record.machine.policies =
            vec![record::Policy { cpus: vec![0, 1], clock_khz_max: Fact::Known(1_800_000), ..Default::default() }];
        let mut watch = Watch::new(record);
        for (at_ms, percent, khz, expected) in
            [(0, 100, 408_000, Some(408_000)), (1000, 20, 408_000, None), (2000, 100, 1_800_000, None)]
        {
            watch.row(at_ms, vec![Some(percent), Some(khz)]);
            let low = low_clock(&watch, tracks(&watch, None).iter(), None);
            assert_eq!(low.map(|low| low.khz), expected, "{percent} % at {khz} kHz");
        }
    }
}
