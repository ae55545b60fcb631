//! A synthetic recording of a day at ten rows per second: a board with eight CPUs, periodic load, one temperature peak of
//! a few seconds and one clock dip of a single row. It is for timing and reviewing pages of long recordings
//! (`bench --page`).

use anyhow::Result;
use record::recording::{RowWriter, frame};
use record::{Channel, ChannelId, Cpu, CpuTime, Event, Fact, Machine, Mark, Mode, Policy, PolicyChannel, Run, Source};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Rows per second.
const HERTZ: i64 = 10;
/// CPUs of the board, in two clusters.
const CPUS: u32 = 8;
/// Duration of one cycle of load and rest.
const CYCLE_S: i64 = 1800;
/// Positions of the temperature peak and the clock dip, as fractions of the recording.
const PEAK: f64 = 0.37;
const DIP: f64 = 0.73;
const PEAK_MILLICELSIUS: i64 = 101_000;
const DIP_KHZ: i64 = 200_000;

/// Writes a recording of this duration.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write(file: &Path, hours: f64) -> Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    let channels = channels();
    let source = Source::Run { version: "1".into(), target: "generated".into() };
    let run = Run { mode: Mode::Monitor, started: Fact::Known(0), ..Run::default() };
    let head = [
        Event::Started { schema: record::Record::new(source.clone(), run.clone()).schema, source, run: Box::new(run) },
        Event::Machine { machine: Box::new(machine()) },
        Event::Channels { interval_ms: 1000 / HERTZ as u64, channels },
    ];
    for event in head {
        out.write_all(frame(&serde_json::to_string(&event)?).as_bytes())?;
    }
    let rows = (hours * 3600.0) as i64 * HERTZ;
    let mut writer = RowWriter::default();
    for row in 0..rows {
        let at_ms = row * 1000 / HERTZ;
        let payload = writer.row(at_ms, values(row, rows).into_iter().map(Some));
        out.write_all(frame(&payload).as_bytes())?;
        if row == rows / 2 {
            let mark = Event::Mark { mark: Mark { at_ms, text: "half of it".into() } };
            out.write_all(frame(&serde_json::to_string(&mark)?).as_bytes())?;
        }
    }
    out.flush()?;
    Ok(())
}

fn machine() -> Machine {
    let policy = |first: u32| Policy {
        policy: first,
        cpus: (first..first + CPUS / 2).collect(),
        clock_khz_max: Fact::Known(if first == 0 { 1_800_000 } else { 2_400_000 }),
        ..Policy::default()
    };
    Machine {
        board: Fact::Known("A board for a day".into()),
        cpus: (0..CPUS).map(|cpu| Cpu { cpu, online: true, ..Cpu::default() }).collect(),
        policies: vec![policy(0), policy(CPUS / 2)],
        ..Machine::default()
    }
}

fn channels() -> Vec<Channel> {
    let clocks = [0, CPUS / 2]
        .map(|policy| [PolicyChannel::Claimed, PolicyChannel::LimitMax].map(|of| ChannelId::Policy(policy, of)));
    let zones = (0..2).map(ChannelId::zone_temperature);
    let times = (0..CPUS).flat_map(|cpu| [CpuTime::Busy, CpuTime::Idle].map(|time| ChannelId::cpu_time(cpu, time)));
    clocks.into_iter().flatten().chain(zones).chain(times).map(Channel::of).collect()
}

/// Values of a row, in the order of the channels.
fn values(row: i64, rows: i64) -> Vec<i64> {
    let at = |share: f64| (rows as f64 * share) as i64;
    let second = row / HERTZ;
    let is_loaded = second % CYCLE_S < CYCLE_S / 2;
    // Warm-up and cooling with a time constant of two minutes.
    let since = (second % (CYCLE_S / 2)) as f64;
    let settled = 1.0 - (-since / 120.0).exp();
    let heat = if is_loaded { settled } else { 1.0 - settled };
    let noise = row.wrapping_mul(7919) % 13 * 50;
    // The peak lasts for seconds, as a jump within a tenth of a second counts as a faulty sensor.
    let peak = (PEAK_MILLICELSIUS - 500 * (row - at(PEAK)).abs()).max(0);
    let celsius = (42_000 + (38_000.0 * heat) as i64 + noise).max(peak);
    let is_throttled = is_loaded && heat > 0.95;
    let clock = |khz_max: i64| match is_loaded {
        true if is_throttled => khz_max * 3 / 4,
        true => khz_max,
        false => 408_000,
    };
    let little = if row == at(DIP) { DIP_KHZ } else { clock(1_800_000) };
    let limit = |khz_max: i64| if is_throttled { khz_max * 3 / 4 } else { khz_max };
    let mut values = vec![little, limit(1_800_000), clock(2_400_000), limit(2_400_000), celsius, celsius - 3_000];
    // CPU time counters in hundredths of a second: busy under load, idle otherwise.
    let (cycles, rest) = (second / CYCLE_S, second % CYCLE_S);
    let busy = (cycles * CYCLE_S / 2 + rest.min(CYCLE_S / 2)) * 100;
    for cpu in 0..i64::from(CPUS) {
        let own = busy * (CPUS as i64 - cpu) / CPUS as i64;
        values.extend([own, (second * 100 - own).max(0)]);
    }
    values
}
