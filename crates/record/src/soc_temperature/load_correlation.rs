//! Correlation of temperatures with the load: a SoC sensor follows the work of the CPUs, regardless of its name;
//! sensors of disks or rooms do not.
//!
//! Uses exponentially weighted sums, so that memory is constant and rows are not stored. The choice of a sensor is made
//! elsewhere.

use crate::{AllCpus, Channel, ChannelId, ChannelKind, CpuTime, Samples};

/// Averaging time of the load in milliseconds, because temperature lags behind work.
const LAG_MS: f64 = 10_000.0;
/// Age in milliseconds from which data count less than half.
const MEMORY_MS: f64 = 300_000.0;
/// Minimum observed time in milliseconds.
const TIME_MS_MIN: f64 = 60_000.0;
/// Minimum standard deviation of the load, as a share of all CPUs.
const LOAD_DEVIATION_MIN: f64 = 0.1;

/// CPU times without work.
const IDLE: [CpuTime; 2] = [CpuTime::Idle, CpuTime::Iowait];
/// CPU times of work.
const WORK: [CpuTime; 6] =
    [CpuTime::User, CpuTime::Nice, CpuTime::System, CpuTime::Irq, CpuTime::Softirq, CpuTime::Steal];

/// Correlation of each temperature with the load.
#[derive(Debug, Clone, Default)]
pub struct LoadCorrelation {
    idle: Vec<usize>,
    work: Vec<usize>,
    /// Temperatures, by channel index.
    sums: Vec<(usize, Sums)>,
    /// Averaged share of busy CPUs.
    load: Option<f64>,
    at_ms: Option<i64>,
}

/// Weighted sums of load and temperature.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// Sum of the weights, in milliseconds.
    weight: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl LoadCorrelation {
    /// Creates it for rows of these channels.
    pub fn of(channels: &[Channel]) -> Self {
        let place = |time: &CpuTime| {
            let id = ChannelId::AllCpus(AllCpus::Time(*time));
            let mut channels = channels.iter();
            channels.position(|channel| channel.id == id && channel.kind == ChannelKind::Counter)
        };
        let temperatures = channels.iter().enumerate();
        let temperatures = temperatures.filter(|(_, channel)| channel.is_temperature());
        Self {
            idle: IDLE.iter().filter_map(place).collect(),
            work: WORK.iter().filter_map(place).collect(),
            sums: temperatures.map(|(place, _)| (place, Sums::default())).collect(),
            ..Self::default()
        }
    }

    /// Processes all rows of these samples.
    pub fn of_rows(samples: &Samples) -> Self {
        let channels = &samples.channels;
        let mut follows = Self::of(channels);
        for (row, at_ms) in samples.at_ms.iter().enumerate() {
            let value = |place: usize, row: usize| channels[place].values.get(row).copied().flatten();
            let growth = |place: usize| {
                let growth = value(place, row)?.checked_sub(value(place, row.checked_sub(1)?)?)?;
                (growth >= 0).then_some(growth)
            };
            follows.row(*at_ms, growth, |place| value(place, row));
        }
        follows
    }

    /// Adds a row: growth of counters since the previous row, and values of gauges that were just read.
    pub fn row(&mut self, at_ms: i64, growth: impl Fn(usize) -> Option<i64>, value: impl Fn(usize) -> Option<i64>) {
        if self.sums.is_empty() {
            return;
        }
        let before_ms = self.at_ms.replace(at_ms);
        let passed_ms = before_ms.map_or(0.0, |before| at_ms.saturating_sub(before) as f64);
        let add = |sum: i64, place: &usize| Some(sum.saturating_add(growth(*place)?));
        let sum = |places: &[usize]| places.iter().try_fold(0, add);
        let (Some(idle), Some(work)) = (sum(&self.idle), sum(&self.work)) else { return };
        let all = idle.saturating_add(work);
        if passed_ms <= 0.0 || all <= 0 {
            return;
        }
        let now = work as f64 / all as f64;
        let before = self.load.unwrap_or(now);
        let load = now + (before - now) * (-passed_ms / LAG_MS).exp();
        self.load = Some(load);
        let kept = (-passed_ms / MEMORY_MS).exp();
        for (place, sums) in &mut self.sums {
            if let Some(value) = value(*place) {
                sums.add(kept, passed_ms, load, value as f64);
            }
        }
    }

    /// Correlation of a temperature with the load, -1 to 1; `None` if the data vary too little.
    pub fn correlation(&self, place: usize) -> Option<f64> {
        let (_, sums) = self.sums.iter().find(|(known, _)| *known == place)?;
        sums.correlation()
    }
}

impl Sums {
    fn add(&mut self, kept: f64, weight: f64, x: f64, y: f64) {
        let old = *self;
        *self = Self {
            weight: old.weight * kept + weight,
            x: old.x * kept + weight * x,
            y: old.y * kept + weight * y,
            xx: old.xx * kept + weight * x * x,
            yy: old.yy * kept + weight * y * y,
            xy: old.xy * kept + weight * x * y,
        };
    }

    fn correlation(&self) -> Option<f64> {
        if self.weight < TIME_MS_MIN {
            return None;
        }
        let mean = |sum: f64| sum / self.weight;
        let (x, y) = (mean(self.x), mean(self.y));
        let load_variance = mean(self.xx) - x * x;
        if load_variance < LOAD_DEVIATION_MIN * LOAD_DEVIATION_MIN {
            return None;
        }
        // A constant temperature has no correlation.
        let variance = mean(self.yy) - y * y;
        if variance <= 1e-9 * y * y {
            return Some(0.0);
        }
        Some((mean(self.xy) - x * y) / (load_variance * variance).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unit;

    fn channels() -> Vec<Channel> {
        let times = IDLE.iter().chain(&WORK);
        let times = times.map(|time| (ChannelId::all_cpus(*time), Unit::Ticks, ChannelKind::Counter));
        let zones = [0, 1].map(ChannelId::zone_temperature);
        let zones = zones.map(|zone| (zone, Unit::Millicelsius, ChannelKind::Gauge));
        let all = times.chain(zones);
        all.map(|(id, unit, kind)| Channel::new(id, unit, kind)).collect()
    }

    /// Correlations of two sensors: one of a SoC that heats up and cools down by 40 K in 15 s, one elsewhere. `busy` is
    /// the share of work in each second.
    fn correlations(busy: impl Fn(u32) -> f64, elsewhere: impl Fn(u32) -> i64) -> [Option<f64>; 2] {
        let channels = channels();
        let mut follows = LoadCorrelation::of(&channels);
        let mut celsius = 40.0;
        for second in 0..180 {
            let share = busy(second);
            celsius += (40.0 + 40.0 * share - celsius) / 15.0;
            let growth = |place: usize| match place {
                0 => Some((200.0 * (1.0 - share)) as i64),
                2 => Some((200.0 * share) as i64),
                _ => Some(0),
            };
            let value = |place: usize| {
                let of_soc = place == channels.len() - 2;
                Some(if of_soc { (celsius * 1000.0) as i64 } else { elsewhere(second) })
            };
            follows.row(i64::from(second) * 1000, growth, value);
        }
        [2, 1].map(|from_end| follows.correlation(channels.len() - from_end))
    }

    #[test]
    fn sensor_of_the_soc_follows_the_load() {
        let in_turns = |second: u32| if second % 60 < 30 { 0.05 } else { 0.95 };
        let [soc, elsewhere] = correlations(in_turns, |_| 27_800);
        assert!(soc.unwrap() > 0.9, "{soc:?}");
        assert_eq!(elsewhere, Some(0.0));
        let room = |second: u32| 25_000 + i64::from(second) * 5;
        let [_, elsewhere] = correlations(in_turns, room);
        assert!(elsewhere.unwrap().abs() < 0.5, "{elsewhere:?}");
    }

    #[test]
    fn constant_load_gives_no_correlation() {
        assert_eq!(correlations(|_| 0.5, |_| 27_800), [None, None]);
    }
}
