//! The monitoring section: one heading for each phase, then a row every few seconds with the
//! columns of the classic monitor.
//!
//! The sampler sees more than these rows show; a row is the mean of percentages since the row
//! before and the state at its end.

use super::header::local_time;
use crate::view;
use record::{Channel, Record, Window};
use std::fmt::Write;

/// A phase gets about so many rows, but none closer than [`ROW_MS_MIN`].
const ROWS_PER_PHASE: i64 = 12;
const ROW_MS_MIN: i64 = 1_000;

pub(super) fn section(record: &Record) -> String {
    if record.samples.channels.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    if let Some(source) = temperature(record) {
        let _ = write!(
            text,
            "Thermal source: {} ({})\n\n",
            source.source, source.label
        );
    }
    let mut previous = String::new();
    for phase in view::phases(record) {
        let name = classic_name(&phase.workload, &phase.name);
        if name != previous {
            let _ = write!(
                text,
                "System health while running {name}:\n\n{}\n",
                heading(record)
            );
            previous = name;
        }
        for row in rows(record, phase.window) {
            let _ = writeln!(text, "{row}");
        }
        text.push('\n');
    }
    text
}

/// Phases in the words of the classic log, so that its readers find them.
fn classic_name(workload: &str, name: &str) -> String {
    match (workload, name) {
        ("memory-bandwidth", _) => "tinymembench".to_owned(),
        ("memory-latency", _) => "ramlat".to_owned(),
        ("openssl" | "aes", _) => "OpenSSL benchmark".to_owned(),
        ("sevenzip" | "lzma", name) if name.contains("single") => {
            "7-zip single core benchmark".to_owned()
        }
        ("sevenzip" | "lzma", name) if name.contains("core-type") => {
            "7-zip cluster benchmarks".to_owned()
        }
        ("sevenzip" | "lzma", _) => "7-zip multi core benchmark".to_owned(),
        ("clock", _) => "clock measurements".to_owned(),
        (other, _) => other.to_owned(),
    }
}

/// The header above rows; its clock column depends on the policies.
pub(super) fn heading(record: &Record) -> String {
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

fn rows(record: &Record, window: Window) -> Vec<String> {
    let row_ms = (window.elapsed_ms() / ROWS_PER_PHASE).max(ROW_MS_MIN);
    let times = &record.samples.at_ms;
    let mut rows = Vec::new();
    let mut began: Option<usize> = None;
    for (index, at_ms) in times
        .iter()
        .enumerate()
        .filter(|(_, at)| window.contains(**at))
    {
        match began {
            None => began = Some(index),
            Some(first) if at_ms - times[first] >= row_ms => {
                rows.push(row(record, first, index));
                began = Some(index);
            }
            Some(_) => {}
        }
    }
    rows
}

/// The last row of the run.
pub(super) fn last_row(record: &Record) -> Option<String> {
    let last = record.samples.at_ms.len().checked_sub(1)?;
    let first = last.checked_sub(2)?;
    Some(format!("{}\n{}", heading(record), row(record, first, last)))
}

/// `09:07:45: 1680/1416MHz  8.06 100%   0%  99%   0%   0%   0%  79.2°C`
fn row(record: &Record, first: usize, last: usize) -> String {
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
    let temp = temperature(record).and_then(|channel| value_at(channel, last));
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

/// The channel that tells the temperature of the SoC.
pub(super) fn temperature(record: &Record) -> Option<&Channel> {
    view::soc_temperature(record)
}

/// The first temperature of the run in degrees, as the head of the log shows it.
pub(super) fn first_temperature(record: &Record) -> Option<String> {
    let first = temperature(record)?
        .values
        .iter()
        .find_map(|value| *value)?;
    Some(format!("{:.1}", first as f64 / 1000.0))
}
