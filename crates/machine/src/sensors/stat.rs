//! Sensor: CPU time by use, of all CPUs and of each CPU, and the number of online CPUs, from `/proc/stat`.
//!
//! Each online CPU has a line; some boards take CPUs offline when they overheat. So `/sys/devices/system/cpu/online`
//! need not be read as well.
//!
//! `guest` and `guest_nice` are not read: the kernel has counted them in `user` and `nice` already.

use super::{Probe, Sensor, numbered};
use crate::Root;
use crate::number::{numbers, take_number};
use record::{AllCpus, CPUS_MAX, Channel, ChannelId, CpuTime};

pub(super) const SENSOR: Sensor = Sensor::new("stat", discover);

const PATH: &str = "/proc/stat";

/// Number of values before those of single CPUs: the total, and the number of CPUs.
const BEFORE_CPUS: usize = CpuTime::OF_KERNEL.len() + 1;

/// Maximum number of CPUs with all columns. With more CPUs, each has only busy and idle time, because 8 columns per CPU
/// would make rows of hundreds of numbers.
const CPUS_SPLIT_MAX: u32 = 32;

fn discover(root: &Root) -> Vec<Probe> {
    if root.read(PATH).is_err() {
        return Vec::new();
    }
    // Offline CPUs have columns from the beginning, because they may come online later.
    let numbers = numbered(root, "/sys/devices/system/cpu", "cpu");
    let from_stat = root.read(PATH).unwrap_or_default();
    let online = from_stat.lines().filter_map(|line| line_number(line.as_bytes()));
    let online = online.filter_map(|cpu| u32::try_from(cpu).ok());
    let last = numbers.into_iter().map(|(_, cpu)| cpu).chain(online).filter(|cpu| *cpu < CPUS_MAX).max();
    let cpus = last.map_or(0, |last| last + 1);

    let total = CpuTime::OF_KERNEL.map(ChannelId::all_cpus).into_iter();
    let mut ids: Vec<ChannelId> = total.chain([ChannelId::AllCpus(AllCpus::Online)]).collect();
    let split = cpus <= CPUS_SPLIT_MAX;
    for cpu in 0..cpus {
        let columns: &[CpuTime] = if split { &CpuTime::OF_KERNEL } else { &[CpuTime::Busy, CpuTime::Idle] };
        ids.extend(columns.iter().map(|time| ChannelId::cpu_time(cpu, *time)));
    }
    let channels = ids.into_iter().map(Channel::of).collect();
    let parser = if split { parse_split } else { parse_busy };
    vec![Probe::file_of_many(PATH.into(), parser, channels)]
}

/// Total and every CPU with all columns.
fn parse_split(text: &[u8], values: &mut [i64]) {
    let Some((total, online, cpus)) = parts(values) else { return };
    for line in cpu_lines(text) {
        match line_number(line) {
            None => numbers(&line[3..], total),
            Some(cpu) => {
                *online = (*online).max(0) + 1;
                if let Some(out) = cpus.chunks_exact_mut(CpuTime::OF_KERNEL.len()).nth(cpu) {
                    numbers(after_name(line), out);
                }
            }
        }
    }
}

/// Total with all columns, every CPU with busy and idle time.
fn parse_busy(text: &[u8], values: &mut [i64]) {
    let Some((total, online, cpus)) = parts(values) else { return };
    for line in cpu_lines(text) {
        let Some(cpu) = line_number(line) else {
            numbers(&line[3..], total);
            continue;
        };
        *online = (*online).max(0) + 1;
        let mut columns = [0; CpuTime::OF_KERNEL.len()];
        numbers(after_name(line), &mut columns);
        if let Some(out) = cpus.chunks_exact_mut(2).nth(cpu) {
            let idle = columns[CpuTime::IDLE].saturating_add(columns[CpuTime::IOWAIT]);
            let all = columns.iter().fold(0_i64, |sum, ticks| sum.saturating_add(*ticks));
            out[0] = all.saturating_sub(idle);
            out[1] = idle;
        }
    }
}

/// Values of the total, the number of CPUs, and of the single CPUs.
fn parts(values: &mut [i64]) -> Option<(&mut [i64], &mut i64, &mut [i64])> {
    let (before, cpus) = values.split_at_mut_checked(BEFORE_CPUS)?;
    let (online, total) = before.split_last_mut()?;
    Some((total, online, cpus))
}

/// Lines of CPUs, which are at the beginning.
fn cpu_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        // The line of interrupts that follows is long, so its end is not searched.
        if !rest.starts_with(b"cpu") {
            return None;
        }
        let end = rest.iter().position(|byte| *byte == b'\n');
        let (line, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after.get(1..).unwrap_or_default();
        Some(line)
    })
}

/// Number of the CPU in a line `cpu12 ...`; `None` for the total.
fn line_number(line: &[u8]) -> Option<usize> {
    let name = line.strip_prefix(b"cpu")?;
    let first = name.first()?;
    if !first.is_ascii_digit() {
        return None;
    }
    take_number(name).and_then(|(number, _)| usize::try_from(number).ok())
}

fn after_name(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
    &line[end..]
}

#[cfg(test)]
mod tests {
    use super::super::{NONE, check};
    use super::*;

    const TWO: &str = "\
cpu  45090 27829 10431 226886 1004 1 158 94 0 0
cpu0 20591 11368 4733 118656 311 0 24 41 0 0
cpu1 24498 16460 5698 108229 692 1 134 52 0 0
intr 654718 0 0
ctxt 1
";

    #[test]
    fn total_and_cores_are_split() {
        let values = check::parsed(parse_split, TWO, 25);
        assert_eq!(values[..8], [45090, 27829, 10431, 226_886, 1004, 1, 158, 94]);
        assert_eq!(values[8], 2, "CPUs online");
        assert_eq!(values[9..17], [20591, 11368, 4733, 118_656, 311, 0, 24, 41]);
        assert_eq!(values[17..], [24498, 16460, 5698, 108_229, 692, 1, 134, 52]);
    }

    #[test]
    fn core_that_is_offline_is_missing() {
        let text = "cpu  1 2 3 4 5 6 7 8 0 0\ncpu1 1 2 3 4 5 6 7 8 0 0\n";
        let values = check::parsed(parse_split, text, 25);
        assert_eq!(values[8], 1, "CPUs online");
        assert!(values[9..17].iter().all(|value| *value == NONE));
        assert_eq!(values[17..], [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn many_cores_have_busy_and_idle() {
        let values = check::parsed(parse_busy, TWO, 13);
        assert_eq!(values[8..], [2, 36757, 118_967, 46843, 108_921]);
    }

    #[test]
    fn every_core_that_is_present_has_its_place() {
        let board = format!("== /proc/stat\n{TWO}== /sys/devices/system/cpu/cpu3/online\n0\n");
        let found = check::found(&SENSOR, &board);
        assert_eq!(found.len(), 8 * 5 + 1);
        assert_eq!(found[8], "cpu.online 2");
        assert_eq!(found[8 * 4 + 1], "cpu3.user -");
    }

    proptest::proptest! {
        #[test]
        fn parsers_never_panic(text in "(cpu[0-9 ]{0,30}\n?){0,5}") {
            check::parsed(parse_split, &text, 25);
            check::parsed(parse_busy, &text, 13);
        }
    }
}
