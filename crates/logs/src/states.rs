//! State of the machine before and after: `uptime`, `iostat`, `free -h`, `swapon -s`, zswap.
//!
//! `free -h` rounds to two digits; the free part of swap is computed so that the used part stays as printed. `swapon`
//! is exact.

use super::draft::{Draft, NamedGroup};
use super::free_rows::sizes;
use super::rows::StateDraft;
use super::section_kind::Kind;
use super::sections::{Line, Section};
use super::text;
use record::{Fact, MemoryState, SwapKind, SwapState};

pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    match section.kind {
        Kind::Uptime => uptime(section, draft),
        Kind::Iostat => iostat(section, draft),
        Kind::Free => free(section, draft),
        Kind::Swapon => swapon(section, draft),
        Kind::Zswap => zswap(section, draft),
        _ => draft.named(NamedGroup::Feature, "power-meter".to_string(), section.heading().text, &section.heading()),
    }
}

/// Reads `Uptime: 12:05:12 up 3 min,  4 users,  load average: 0.46, 0.26, 0.11,  37.6°C,  81216468`; the first versions
/// begin with the time of day.
fn uptime(section: &Section<'_, '_>, draft: &mut Draft) {
    let line = section.heading();
    let words = line.text.trim();
    let words = words.strip_prefix("Uptime:").unwrap_or(words).trim_start();
    if draft.start_of_day_ms.is_none() {
        let clock = words.split_whitespace().next().unwrap_or_default();
        draft.start_of_day_ms = text::time_of_day_ms(clock);
    }
    match words.split_once(" up ").and_then(|(_, rest)| up_ms(rest)) {
        Some(up) => draft.run.uptime_ms = Fact::Known(up),
        None => draft.unread(&line),
    }
    let Some((_, after)) = words.split_once("load average") else { return };
    let mut parts = after.trim_start_matches([':', ' ']).split(", ").map(str::trim);
    let mut load = || parts.next().and_then(text::decimal).map(|load| (load * 100.0).round() as u32);
    match (load(), load(), load()) {
        (Some(one), Some(five), Some(fifteen)) => {
            draft.run.load_hundredths = Fact::Known([one, five, fifteen]);
        }
        _ => draft.unread(&line),
    }
    for extra in parts.filter(|extra| !extra.is_empty() && *extra != "°C") {
        let name = match extra {
            _ if extra.ends_with('C') => "temperature-at-start",
            _ if extra.ends_with('V') => "input-voltage-at-start",
            _ => "bash-loop-ns",
        };
        draft.named(NamedGroup::Feature, name.to_string(), extra, &line);
    }
}

/// Parses `3 min`, `1:36`, `2 days,  3:04`, `1 day, 5 min` to milliseconds, with a resolution of minutes.
fn up_ms(words: &str) -> Option<u64> {
    let mut minutes = 0_u64;
    let mut understood = false;
    for part in words.split(',').take(2).map(str::trim) {
        if part.starts_with("load average") {
            break;
        } else if let Some((hours, rest)) = part.split_once(':') {
            minutes += u64::from(hours.trim().parse::<u16>().ok()?) * 60;
            minutes += u64::from(rest.trim().parse::<u8>().ok()?);
        } else if let Some((number, unit)) = text::leading_number(part) {
            minutes += u64::from(number)
                * match unit.trim() {
                    "min" => 1,
                    "day" | "days" => 24 * 60,
                    "sec" | "secs" => 0,
                    _ => break,
                };
        } else {
            break;
        }
        understood = true;
    }
    understood.then(|| minutes * 60_000)
}

/// Reads the header of iostat: kernel, host and CPUs. Its tables are kept verbatim.
fn iostat(section: &Section<'_, '_>, draft: &mut Draft) {
    let line = section.heading();
    let header = line.text.trim();
    if header.starts_with("avg-cpu") {
        draft.block("iostat", section);
        return;
    }
    // The second iostat follows the benchmarks.
    let new_state = draft.states.last().is_none_or(|state| state.memory.is_some() || state.line.is_some());
    if new_state {
        draft.states.push(StateDraft { line: Some(line.number), ..StateDraft::default() });
    }
    if let Some(rest) = header.strip_prefix("Linux ") {
        let (release, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        draft.machine.kernel_release = Fact::Known(release.to_string());
        if let (Some(open), Some(close)) = (rest.find('('), rest.find(')'))
            && open < close
        {
            draft.machine.hostname = Fact::Known(rest[open + 1..close].to_string());
        }
        if let Some(arch) = rest.split_whitespace().find(|word| word.starts_with('_')) {
            draft.machine.kernel_arch = Fact::Known(arch.trim_matches('_').to_string());
        }
        let cpus = rest.rfind('(').map(|open| &rest[open + 1..]);
        let online = cpus.and_then(text::leading_number).map(|(count, _)| count);
        draft.state().online = online;
        draft.cpu_count = online.max(draft.cpu_count);
    }
    draft.block("iostat", section);
}

/// Reads memory and swap. The column names are above the section.
fn free(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut memory = MemoryState::default();
    for (index, line) in section.lines.iter().enumerate() {
        match sizes(line.text) {
            Some(row) if index == 0 => {
                memory.total_kib = row[0];
                memory.free_kib = row[2];
                // The last column is the available memory, for any number of columns.
                memory.available_kib = row[row.len().min(6) - 1];
            }
            Some(row) if row.len() == 3 => {
                memory.swap_total_kib = row[0];
                memory.swap_free_kib = row[0].saturating_sub(row[1]);
            }
            _ if line.is_blank() => {}
            _ => draft.unread(line),
        }
    }
    draft.machine.memory_kib = Fact::Known(memory.total_kib);
    draft.finished |= !draft.steps.is_empty();
    if draft.state().memory.is_some() {
        draft.states.push(StateDraft::default());
    }
    let line = section.heading().number;
    let state = draft.state();
    state.line.get_or_insert(line);
    state.memory = Some(memory);
}

/// Reads `/dev/zram0    partition    3028268    0    5`.
fn swapon(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut swaps = Vec::new();
    for line in section.body() {
        match swap(line) {
            Some(swap) => {
                // Findings quote this line, because the headings above contain no values.
                if swaps.is_empty() {
                    draft.state().line = Some(line.number);
                }
                swaps.push(swap);
            }
            None if line.is_blank() => {}
            None => draft.unread(line),
        }
    }
    draft.state().swaps = Some(swaps);
    draft.block("swapon", section);
}

fn swap(line: &Line<'_>) -> Option<SwapState> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [path @ .., _kind, size, used, priority] = words.as_slice() else { return None };
    let (size_kib, used_kib) = (size.parse().ok()?, used.parse().ok()?);
    let priority = priority.parse().ok()?;
    let path = path.join(" ");
    if path.is_empty() {
        return None;
    }
    Some(SwapState { kind: swap_kind(&path), path, size_kib, used_kib, priority })
}

/// Kind of swap according to its path. A file may be on any device.
fn swap_kind(path: &str) -> SwapKind {
    let device = path.strip_prefix("/dev/").unwrap_or_default();
    if device.starts_with("zram") {
        SwapKind::Zram
    } else if device.starts_with("mmcblk") {
        SwapKind::SdCard
    } else if device.starts_with("nvme") || device.starts_with("vd") {
        SwapKind::Disk
    } else {
        SwapKind::Unknown
    }
}

/// Reads `Zswap active using zstd/z3fold, max pool occupation: 20%, details:`.
fn zswap(section: &Section<'_, '_>, draft: &mut Draft) {
    for line in section.lines {
        let text = line.text.trim();
        if let Some(rest) = text.strip_prefix("Zswap active") {
            let using = rest.trim_start().strip_prefix("using ");
            let name = using.and_then(|using| using.split(',').next());
            draft.machine.zswap = Fact::Known(name.unwrap_or("active").to_string());
        } else if text.starts_with("WARNING: ") {
            draft.verdict(line, text);
        }
    }
    draft.block("zswap", section);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_since_boot() {
        for (words, minutes) in [
            ("3 min,  4 users", Some(3)),
            ("1:36,  1 user", Some(96)),
            ("2 days,  3:04,  1 user", Some(3064)),
            ("1 day, 5 min,  1 user", Some(1445)),
            ("14 days,  2 users", Some(20160)),
            ("ever", None),
        ] {
            assert_eq!(up_ms(words), minutes.map(|minutes: u64| minutes * 60_000), "{words}");
        }
    }
}
