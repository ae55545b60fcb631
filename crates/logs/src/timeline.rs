//! Converts the time of day of rows to time since the start of the run, and sets the time window of each step from the
//! phase in which it ran.
//!
//! Rows have no date, but are in chronological order. A time of day that falls by more than half a day has passed
//! midnight. A smaller fall means that the clock was set (boards without battery do so when they have a network): the
//! row gets the time of the previous row.

use super::draft::Draft;
use super::phases;
use super::rows::{Phase, Quantity, Row};
use record::{
    AllCpus, BigLittle, BoardInput, Channel, ChannelId, Cluster, CpuPercent, Fact, Gap, LoadSpan, LogMonitorChannel,
    Missing, Policy, RaspberryPiChannel, Samples, StableSort, Step, Variant, WorkloadId,
};
use std::collections::BTreeMap;

const DAY_MS: i64 = 86_400_000;

/// Maximum plausible number of columns; bounds the memory that damaged text can allocate.
const CHANNELS_MAX: usize = 64;

/// Maximum number of gaps of a channel that are listed separately.
const GAPS_MAX: usize = 3;

/// Clock passes before the first row; all others follow the last row.
const CLOCKS_BEFORE: [Variant; 3] = [Variant::COLD, Variant::PARALLEL_IDLE, Variant::PARALLEL_LOADED];

/// Time of a phase: from its first row to just before the first row of the next phase, for the last phase to its last
/// row.
#[derive(Debug, Clone, PartialEq)]
struct PhaseTime {
    name: String,
    start_ms: i64,
    end_ms: i64,
}

/// Builds channels and their times, and sets the windows of the steps.
pub(super) fn build(draft: &mut Draft, clusters: &[Cluster], policies: &[Policy]) -> Samples {
    let mut rows = std::mem::take(&mut draft.rows);
    if let (true, Some(health)) = (rows.is_empty(), draft.health.take()) {
        draft.phases.push(Phase { name: "last row before the second clock pass".to_string() });
        rows.push(health);
    }
    let at_ms = moments(&rows, draft.start_of_day_ms.filter(|_| has_start(draft)));
    let times = phase_times(&draft.phases, &rows, &at_ms);
    set_windows(&mut draft.steps, &times, &at_ms);
    if let Fact::Known(started) = draft.run.started {
        for window in draft.steps.iter_mut().map(|step| &mut step.window) {
            window.start_utc_ms = started.checked_add(window.start_ms);
            window.end_utc_ms = started.checked_add(window.end_ms);
        }
    }
    let (big, little) = big_and_little(clusters, policies, &rows);
    let mut samples =
        Samples { interval_ms: 0, lines: rows.iter().map(|row| row.line).collect(), at_ms, ..Samples::default() };
    samples.channels = channels(&rows, &samples.at_ms, big, little);
    for channel in &mut samples.channels {
        label_clock(channel, clusters);
    }
    first_row_channel(&mut samples, &rows);
    samples
}

/// Only a date in the header gives the start of the run; the time in `Uptime:` is accurate enough to place the rows.
fn has_start(draft: &Draft) -> bool {
    matches!(draft.run.started, Fact::Known(_)) || draft.start_of_day_ms.is_some()
}

/// Milliseconds since the start for every row.
fn moments(rows: &[Row], start_of_day_ms: Option<i64>) -> Vec<i64> {
    let mut at_ms: i64 = 0;
    let mut before = start_of_day_ms.or(rows.first().map(|row| row.time_of_day_ms)).unwrap_or(0);
    rows.iter()
        .map(|row| {
            let mut passed = row.time_of_day_ms - before;
            if passed < -DAY_MS / 2 {
                passed += DAY_MS;
            }
            before = row.time_of_day_ms;
            at_ms += passed.max(0);
            at_ms
        })
        .collect()
}

fn phase_times(phases: &[Phase], rows: &[Row], at_ms: &[i64]) -> Vec<PhaseTime> {
    let mut times: Vec<PhaseTime> = Vec::new();
    let mut last_phase = None;
    for (row, at_ms) in rows.iter().zip(at_ms) {
        let Some(phase) = phases.get(row.phase) else { continue };
        if last_phase != Some(row.phase) {
            if let Some(before) = times.last_mut() {
                before.end_ms = before.end_ms.max(at_ms - 1);
            }
            times.push(PhaseTime { name: phase.name.clone(), start_ms: *at_ms, end_ms: *at_ms });
            last_phase = Some(row.phase);
        } else if let Some(time) = times.last_mut() {
            time.end_ms = *at_ms;
        }
    }
    times
}

/// Steps with their own dates keep their window.
fn set_windows(steps: &mut [Step], times: &[PhaseTime], at_ms: &[i64]) {
    let started = at_ms.first().copied().unwrap_or(0);
    let ended = at_ms.last().copied().unwrap_or(0);
    let mut by_name: BTreeMap<&str, Option<(i64, i64)>> = BTreeMap::new();
    for step in steps.iter_mut().filter(|step| step.window.end_ms == 0) {
        let (start_ms, end_ms) = match step.workload.id() {
            Some(WorkloadId::Clock) if CLOCKS_BEFORE.contains(&step.variant) => (0, started),
            Some(WorkloadId::Clock) => (ended, ended),
            workload => {
                let name = phases::name_of(workload, &step.variant);
                let window = by_name.entry(name).or_insert_with(|| {
                    let phase = times.iter().find(|phase| phase.name.starts_with(name))?;
                    Some((phase.start_ms, phase.end_ms))
                });
                match window {
                    Some(window) => *window,
                    None => continue,
                }
            }
        };
        step.window.start_ms = start_ms;
        step.window.end_ms = end_ms;
    }
}

/// Policies of the two `big.LITTLE` columns: the last and the first cluster. Old versions always print the last cluster
/// first, later versions the faster cluster; if the OPPs of the clusters differ, the values decide.
fn big_and_little(clusters: &[Cluster], policies: &[Policy], rows: &[Row]) -> (Option<u32>, Option<u32>) {
    let [first, .., last] = clusters else { return (None, None) };
    let number = |cluster: &Cluster| cluster.policy.or(cluster.cpus.first().copied());
    let policy = |cluster: &Cluster| policies.iter().find(|policy| Some(policy.policy) == number(cluster));
    let known = |cluster: &Cluster, khz: i64| {
        let opps = policy(cluster).map_or(&[][..], |policy| &policy.opps_khz);
        u32::try_from(khz).is_ok_and(|khz| opps.contains(&khz))
    };
    let mut last_first = 0_usize;
    let mut first_last = 0_usize;
    for (quantity, khz) in rows.iter().flat_map(|row| &row.values) {
        let (in_last_first, in_first_last) = match quantity {
            Quantity::Big => (last, first),
            Quantity::Little => (first, last),
            _ => continue,
        };
        last_first += usize::from(known(in_last_first, *khz));
        first_last += usize::from(known(in_first_last, *khz));
    }
    let clock = |cluster: &Cluster| {
        let policy = policy(cluster)?;
        let top = policy.opps_khz.last().copied();
        policy.clock_khz_max.known().copied().or(top)
    };
    let swapped = match last_first.cmp(&first_last) {
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Equal => clock(last) < clock(first),
    };
    if swapped { (number(first), number(last)) } else { (number(last), number(first)) }
}

fn channels(rows: &[Row], at_ms: &[i64], big: Option<u32>, little: Option<u32>) -> Vec<Channel> {
    let mut found: Vec<(Quantity, Channel)> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        for (quantity, value) in &row.values {
            let quantity = match quantity {
                Quantity::Big => big.map_or(Quantity::Big, Quantity::Policy),
                Quantity::Little => little.map_or(Quantity::Little, Quantity::Policy),
                other => *other,
            };
            let at = found.iter().position(|(known, _)| *known == quantity);
            if at.is_none() && found.len() >= CHANNELS_MAX {
                continue;
            }
            let at = at.unwrap_or_else(|| {
                found.push((quantity, channel(quantity, rows.len())));
                found.len() - 1
            });
            found[at].1.values[index] = Some(*value);
        }
    }
    let garbled: Vec<Gap> = rows
        .iter()
        .zip(at_ms)
        .filter_map(|(row, at_ms)| {
            let text = row.garbled_temperature.as_ref()?;
            let missing = Missing::garbled("temperature", text);
            Some(Gap { at_ms: *at_ms, missing })
        })
        .take(GAPS_MAX)
        .collect();
    if !garbled.is_empty() {
        let at = found.iter().position(|(known, _)| *known == Quantity::Temperature);
        let at = at.unwrap_or_else(|| {
            found.push((Quantity::Temperature, channel(Quantity::Temperature, rows.len())));
            found.len() - 1
        });
        found[at].1.gaps = garbled;
    }
    found.stable_sort_by_key(|(quantity, _)| *quantity);
    found.into_iter().map(|(_, channel)| channel).collect()
}

fn channel(quantity: Quantity, length: usize) -> Channel {
    Channel { source: "log".to_string(), values: vec![None; length], ..Channel::of(id(quantity)) }
}

fn id(quantity: Quantity) -> ChannelId {
    let percent = |of| ChannelId::AllCpus(AllCpus::Percent(of));
    match quantity {
        Quantity::Policy(policy) => ChannelId::claimed(policy),
        Quantity::Big => ChannelId::BigLittle(BigLittle::Big),
        Quantity::Little => ChannelId::BigLittle(BigLittle::Little),
        Quantity::Firmware => ChannelId::RaspberryPi(RaspberryPiChannel::LogFirmwareClock),
        Quantity::Load => ChannelId::Load(LoadSpan::One),
        Quantity::Busy => percent(CpuPercent::Busy),
        Quantity::System => percent(CpuPercent::System),
        Quantity::User => percent(CpuPercent::User),
        Quantity::Nice => percent(CpuPercent::Nice),
        Quantity::IoWait => percent(CpuPercent::Iowait),
        Quantity::Irq => percent(CpuPercent::Irq),
        Quantity::Temperature => ChannelId::Soc,
        Quantity::CoreMicrovolts => ChannelId::RaspberryPi(RaspberryPiChannel::LogCoreVoltage),
        Quantity::PmicMilliwatts => ChannelId::RaspberryPi(RaspberryPiChannel::LogPmicPower),
        Quantity::InputMicrovolts => ChannelId::BoardInput(BoardInput::Log),
        Quantity::Milliwatts(socket) => ChannelId::LogMeter(u32::from(socket) + 1),
    }
}

/// Adds core type and CPUs to a clock channel.
fn label_clock(channel: &mut Channel, clusters: &[Cluster]) {
    let Some(policy) = channel.id.policy() else { return };
    let cluster = clusters.iter().find(|cluster| cluster.policy == Some(policy) || cluster.cpus.contains(&policy));
    let Some(cluster) = cluster else { return };
    let cpus = record::cpu_words(&cluster.cpus);
    channel.label = match cluster.core_type.known() {
        Some(core_type) => format!("{core_type} ({cpus})"),
        None => cpus,
    };
}

/// `monitor.first_row` marks rows with the average since boot.
fn first_row_channel(samples: &mut Samples, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    samples.channels.push(Channel {
        label: "average since boot".to_string(),
        source: "log".to_string(),
        values: rows.iter().map(|row| Some(i64::from(row.first))).collect(),
        ..Channel::of(ChannelId::LogMonitor(LogMonitorChannel::FirstRow))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_at(time: &str) -> Row {
        Row {
            line: 1,
            time_of_day_ms: super::super::text::time_of_day_ms(time).unwrap(),
            phase: 0,
            first: false,
            values: Vec::new(),
            garbled_temperature: None,
        }
    }

    #[test]
    fn rows_cross_midnight_and_survive_a_clock_that_is_set_back() {
        let rows = ["23:59:50", "00:00:10", "00:00:40", "23:00:00", "23:00:10"].map(row_at);
        let start = super::super::text::time_of_day_ms("23:59:40");
        assert_eq!(moments(&rows, start), [10_000, 30_000, 60_000, 82_820_000, 82_830_000]);
        let back = ["12:00:00", "11:59:00", "11:59:10"].map(row_at);
        assert_eq!(moments(&back, None), [0, 0, 10_000]);
    }

    #[test]
    fn columns_of_two_clusters_find_their_policies() {
        let cluster = |cpu: u32| Cluster { cpus: vec![cpu], core_type: Fact::not_in_log(), policy: Some(cpu) };
        let policy = |policy: u32, khz: u32| Policy { policy, opps_khz: vec![khz], ..Policy::default() };
        let clusters = [cluster(0), cluster(4)];
        let slow_first = [policy(0, 1_400_000), policy(4, 2_000_000)];
        let fast_first = [policy(0, 1_500_000), policy(4, 1_000_000)];
        assert_eq!(big_and_little(&clusters, &slow_first, &[]), (Some(4), Some(0)));
        assert_eq!(big_and_little(&clusters, &fast_first, &[]), (Some(0), Some(4)));
        assert_eq!(big_and_little(&clusters[..1], &[], &[]), (None, None));
        let mut row = row_at("12:00:00");
        row.values = vec![(Quantity::Big, 1_000_000), (Quantity::Little, 1_500_000)];
        assert_eq!(big_and_little(&clusters, &fast_first, &[row]), (Some(4), Some(0)));
    }
}
