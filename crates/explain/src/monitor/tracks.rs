//! Tracks of a screen of plots: use of all CPUs, clocks, temperatures, power, and use of each core.

use super::Watch;
use super::clocks::{Clock, Clocks};
use record::{AllCpus, Channel, ChannelId, ChannelKind, CpuChannel, CpuPercent, CpuTime, StableSort, Unit, cpu_list};

/// Maximum number of temperatures and power sources shown; the recording contains all.
const TEMPERATURES_MAX: usize = 3;
const POWERS_MAX: usize = 3;

/// Content of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Percent of the CPUs.
    Busy,
    /// Megahertz.
    Clock,
    /// Degrees Celsius.
    Temperature,
    /// Watts.
    Power,
}

/// One quantity over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// Short name.
    pub label: String,
    /// Content.
    pub kind: Kind,
    /// Maximum value, if known in advance.
    pub max: Option<f64>,
    pub(super) source: Source,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Source {
    /// Busy and idle ticks.
    Ticks(Vec<usize>, Vec<usize>),
    Clock(Clock),
    Place(usize),
}

impl Track {
    /// Current value in the unit of its kind.
    pub fn value(&self, watch: &Watch) -> Option<f64> {
        match &self.source {
            Source::Ticks(busy, idle) => busy_percent(watch, busy, idle),
            Source::Clock(clock) => {
                let khz = clock.khz(watch.record(), &|place| watch.value(place));
                khz.map(|khz| khz as f64 / 1e3)
            }
            Source::Place(place) if self.kind == Kind::Power => watch.watts(*place),
            Source::Place(place) if self.kind == Kind::Busy => watch.value(*place).map(|percent| percent as f64),
            Source::Place(place) => watch.value(*place).map(|value| value as f64 / 1e3),
        }
    }

    /// Whether the track shows only this channel.
    pub(super) fn is_of(&self, place: Option<usize>) -> bool {
        matches!(self.source, Source::Place(own) if Some(own) == place)
    }

    /// A value in words.
    pub fn text(&self, value: Option<f64>) -> String {
        let Some(value) = value else { return "-".to_owned() };
        match self.kind {
            Kind::Busy => format!("{value:.0} %"),
            Kind::Clock => format!("{value:.0} MHz"),
            Kind::Temperature => format!("{value:.1} °C"),
            Kind::Power => format!("{value:.2} W"),
        }
    }
}

/// Tracks of a machine; `temperature` is the index of the SoC's temperature channel.
pub fn tracks(watch: &Watch, temperature: Option<usize>) -> Vec<Track> {
    let of_all = ticks_of(watch, None).or_else(|| printed_use(watch));
    let mut tracks: Vec<Track> = of_all.map(|source| busy("all CPUs".into(), source)).into_iter().collect();
    tracks.extend(clocks(watch));
    tracks.extend(temperatures(watch, temperature));
    tracks.extend(powers(watch));
    tracks
}

/// One track of CPU use per core.
pub fn cores(watch: &Watch) -> Vec<Track> {
    let mut cpus: Vec<u32> = watch
        .channels()
        .iter()
        .filter_map(|channel| match channel.id {
            ChannelId::Cpu(cpu, CpuChannel::Time(CpuTime::Idle)) => Some(cpu),
            _ => None,
        })
        .collect();
    cpus.sort_unstable();
    let core = |cpu: &u32| {
        let ticks = ticks_of(watch, Some(*cpu))?;
        Some(busy(format!("cpu{cpu}"), ticks))
    };
    cpus.iter().filter_map(core).collect()
}

/// Use of all CPUs together as a log prints it.
pub(super) fn printed_use(watch: &Watch) -> Option<Source> {
    let busy_percent = ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy));
    watch.channels().iter().position(|channel| channel.id == busy_percent).map(Source::Place)
}

fn busy(label: String, source: Source) -> Track {
    Track { label, kind: Kind::Busy, max: Some(100.0), source }
}

/// The columns of `/proc/stat` for one CPU or for all.
pub(super) fn ticks_of(watch: &Watch, cpu: Option<u32>) -> Option<Source> {
    let time = |channel: &Channel| match channel.id {
        ChannelId::AllCpus(AllCpus::Time(time)) if cpu.is_none() => Some(time),
        ChannelId::Cpu(of, CpuChannel::Time(time)) if cpu == Some(of) => Some(time),
        _ => None,
    };
    let places = |wanted: fn(CpuTime) -> bool| -> Vec<usize> {
        let channels = watch.channels().iter().enumerate();
        let of_cpu = channels.filter(|(_, channel)| channel.unit == Unit::Ticks && time(channel).is_some_and(wanted));
        of_cpu.map(|(place, _)| place).collect()
    };
    let idle = places(|time| matches!(time, CpuTime::Idle | CpuTime::Iowait));
    let busy = places(|time| !matches!(time, CpuTime::Idle | CpuTime::Iowait));
    (!idle.is_empty()).then_some(Source::Ticks(busy, idle))
}

pub(super) fn busy_percent(watch: &Watch, busy: &[usize], idle: &[usize]) -> Option<f64> {
    let sum = |places: &[usize]| -> f64 {
        let growths = places.iter().filter_map(|place| watch.growth(*place));
        growths.fold(0.0, |sum, growth| sum + growth as f64)
    };
    let (busy, idle) = (sum(busy), sum(idle));
    (busy + idle > 0.0).then(|| 100.0 * busy / (busy + idle))
}

fn clocks(watch: &Watch) -> impl Iterator<Item = Track> {
    let record = watch.record();
    Clocks::of(record).clocks.into_iter().map(|clock| {
        let machine = &record.machine;
        let cluster = clock.cluster.and_then(|place| machine.clusters.get(place));
        let of_policy = clock.policy.and_then(|number| {
            let policy = machine.policies.iter().find(|p| p.policy == number)?;
            (clock.channels.len() == 1).then_some(&policy.cpus)
        });
        let cpus = of_policy.or(cluster.map(|cluster| &cluster.cpus));
        let core_type = cluster.and_then(|cluster| cluster.core_type.known());
        let label = match (clock.policy, cpus, core_type) {
            (None, ..) => format!("clock {}", watch.channels()[clock.channels[0]].id),
            (_, Some(cpus), Some(name)) => format!("clock {} {name}", cpu_list(cpus)),
            (_, Some(cpus), None) => format!("clock {}", cpu_list(cpus)),
            (Some(policy), None, _) => format!("clock cpu{policy}"),
        };
        Track {
            label,
            kind: Kind::Clock,
            max: clock.khz_max.map(|khz| f64::from(khz) / 1e3),
            source: Source::Clock(clock),
        }
    })
}

/// The SoC first, then other sensors. Equal names (a thermal zone and its twin in hwmon) are one sensor.
fn temperatures(watch: &Watch, soc: Option<usize>) -> Vec<Track> {
    let mut tracks: Vec<Track> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for place in soc.into_iter().chain(0..watch.channels().len()) {
        let channel = &watch.channels()[place];
        if channel.unit != Unit::Millicelsius || channel.id.is_set() {
            continue;
        }
        let name = &channel.name();
        let plain = name.to_lowercase().replace('_', "-");
        if names.contains(&plain) || tracks.len() == TEMPERATURES_MAX {
            continue;
        }
        names.push(plain);
        tracks.push(Track {
            label: if soc == Some(place) { "SoC temperature".to_owned() } else { format!("temperature {name}") },
            kind: Kind::Temperature,
            max: None,
            source: Source::Place(place),
        });
    }
    tracks
}

/// Energy that adds up before power of the moment, and wholes before their parts.
fn powers(watch: &Watch) -> impl Iterator<Item = Track> {
    let mut places: Vec<usize> = (0..watch.channels().len()).collect();
    places.retain(|place| {
        let channel = &watch.channels()[*place];
        matches!(channel.unit, Unit::Microjoules | Unit::Milliwatts | Unit::Microwatts) && !channel.id.is_set()
    });
    places.stable_sort_by_key(|place| {
        let channel = &watch.channels()[*place];
        (channel.kind != ChannelKind::Counter, matches!(&channel.id, ChannelId::Powercap(zone, _) if zone.is_part()))
    });
    places.into_iter().take(POWERS_MAX).map(|place| {
        let channel = &watch.channels()[place];
        let name = &channel.name();
        Track { label: format!("power {name}"), kind: Kind::Power, max: None, source: Source::Place(place) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{counter, gauge_channel, labelled, own_run, rapl};
    use record::{HwmonChannel, HwmonKind, PowercapChannel};

    #[test]
    fn available_channels_become_tracks() {
        let mut record = own_run();
        for id in [
            ChannelId::all_cpus(CpuTime::User),
            ChannelId::all_cpus(CpuTime::Idle),
            ChannelId::cpu_time(0, CpuTime::User),
            ChannelId::cpu_time(0, CpuTime::Idle),
            ChannelId::cpu_time(10, CpuTime::Idle),
            ChannelId::cpu_time(2, CpuTime::Idle),
        ] {
            record = counter(record, id, Unit::Ticks, &[]);
        }
        record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &[]);
        let chip = ChannelId::Hwmon(0, HwmonChannel::Sensor(HwmonKind::Temperature, 1));
        for (id, label) in [(chip, "wifi"), (ChannelId::zone_temperature(0), "soc")] {
            record = labelled(gauge_channel(record, id, Unit::Millicelsius, &[]), label);
        }
        let energy = rapl(PowercapChannel::Energy);
        record = labelled(counter(record, energy, Unit::Microjoules, &[]), "package-0");
        let mut watch = Watch::new(record);
        let row =
            |ticks: [i64; 6], more: [i64; 4]| -> Vec<Option<i64>> { ticks.into_iter().chain(more).map(Some).collect() };
        watch.row(0, row([0; 6], [600_000, 40_000, 50_000, 1_000_000]));
        watch.row(1000, row([30, 10, 1, 3, 2, 0], [1_200_000, 40_000, 55_500, 3_500_000]));
        let show = |tracks: &[Track]| -> Vec<String> {
            let show = |track: &Track| format!("{}: {}", track.label, track.text(track.value(&watch)));
            tracks.iter().map(show).collect()
        };
        let expected = [
            "all CPUs: 75 %",
            "clock 0-3 Cortex-A53: 1200 MHz",
            "SoC temperature: 55.5 °C",
            "temperature wifi: 40.0 °C",
            "power package-0: 2.50 W",
        ];
        assert_eq!(show(&tracks(&watch, Some(8))), expected);
        assert_eq!(show(&cores(&watch)), ["cpu0: 25 %", "cpu2: -", "cpu10: 0 %"]);
    }
}
