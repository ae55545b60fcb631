//! Rows of the classic monitor, made from samples: the same for watching live and for the log.
//!
//! The sampler sees more than these rows show; a row is the mean of percentages since the row
//! before and the state at its end. Nothing is printed here.

use crate::view;
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use record::{Channel, Record, Window};

/// The header above rows; its clock column depends on the policies.
pub fn heading(record: &Record) -> String {
    let policies = claimed(record);
    let clock = match policies.len() {
        0 => "Time      CPU n/a ".to_owned(),
        1 => "Time        CPU   ".to_owned(),
        2 => "Time       big.LITTLE  ".to_owned(),
        _ => {
            let names = policies
                .iter()
                .map(|policy| policy.id.replace("policy", "cpu"));
            let names: Vec<String> = names.map(|name| name.replace(".claimed", "")).collect();
            format!("Time       {} ", names.join("/"))
        }
    };
    format!("{clock} load %cpu %sys %usr %nice %io %irq   Temp")
}

/// Channels with the clock that the kernel claims, one for each policy.
fn claimed(record: &Record) -> Vec<&Channel> {
    view::channels_of(record, "policy", ".claimed").collect()
}

/// A row from one sample to a later one (indexes of rows); with the same sample twice it has no
/// percentages: `09:07:45: 1680/1416MHz  8.06 100%   0%  99%   0%   0%   0%  79.2°C`
pub fn row(record: &Record, first: usize, last: usize) -> String {
    let at_ms = record.samples.at_ms[last];
    let time = local_time(record, at_ms).map(|at| at.strftime("%H:%M:%S").to_string());
    let time = time.unwrap_or_else(|| "--:--:--".to_owned());
    let policies = claimed(record);
    let mut clocks: Vec<String> = policies
        .iter()
        .map(|policy| {
            value_at(policy, last)
                .map_or("n/a".to_owned(), |khz| format!("{:>4}", (khz + 500) / 1000))
        })
        .collect();
    if clocks.len() == 2 {
        // The classic layout of two clusters shows the big one first.
        clocks.reverse();
    }
    let clocks = if clocks.is_empty() {
        " n/a".to_owned()
    } else {
        clocks.join("/")
    };
    let load = record
        .samples
        .channel("load.1min")
        .and_then(|load| value_at(load, last));
    let load = load.map_or("-".to_owned(), |h| format!("{}.{:02}", h / 100, h % 100));
    let window = Window {
        start_ms: record.samples.at_ms[first],
        end_ms: at_ms,
        ..Window::default()
    };
    let percent = percentages(record, window);
    let temp = view::soc_temperature(record).and_then(|channel| value_at(channel, last));
    let temp = temp.map_or("-".to_owned(), |t| format!("{:.1}°C", t as f64 / 1000.0));
    format!("{time}: {clocks}MHz {load:>5} {percent} {temp:>8}")
}

/// `100%   0%  99%   0%   0%   0%`: busy, system, user, nice, I/O wait, interrupts.
fn percentages(record: &Record, window: Window) -> String {
    let total = |id: &str| {
        record
            .samples
            .channel(id)
            .and_then(|channel| view::counter_total(record, channel, window))
    };
    let ids = [
        "user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal",
    ];
    let ticks = ids.map(|id| total(&format!("cpu.{id}")).unwrap_or(0));
    let all: i64 = ticks.iter().sum();
    if all <= 0 {
        return "  -    -    -    -    -    - ".to_owned();
    }
    let [user, nice, system, idle, iowait, irq, softirq, _] = ticks;
    let percent = |part: i64| (part * 100 + all / 2) / all;
    format!(
        "{:>3}% {:>3}% {:>3}% {:>3}% {:>3}% {:>3}%",
        percent(all - idle),
        percent(system),
        percent(user),
        percent(nice),
        percent(iowait),
        percent(irq + softirq)
    )
}

/// The last known value at or before a row: slow channels are not read at every tick.
fn value_at(channel: &Channel, row: usize) -> Option<i64> {
    channel
        .values
        .get(..=row)?
        .iter()
        .rev()
        .find_map(|value| *value)
}

/// A moment of the run in local time.
pub(crate) fn local_time(record: &Record, at_ms: i64) -> Option<jiff::Zoned> {
    let offset = Offset::from_seconds(record.run.utc_offset_minutes * 60).ok()?;
    let started = record.run.started.known()?;
    let timestamp = Timestamp::from_millisecond(started + at_ms).ok()?;
    Some(timestamp.to_zoned(TimeZone::fixed(offset)))
}
