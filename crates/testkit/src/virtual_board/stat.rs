//! `/proc/stat` of a board: only the time of its own work. Waiting for the share of the host's clock counts as work,
//! because a board of that speed would have worked; other processes of the host are excluded.

use std::collections::BTreeMap;

/// Unit of CPU times, 10 ms regardless of the tick; see proc_stat(5).
const UNITS_PER_S: f64 = 100.0;
/// Columns after the name.
const USER: usize = 0;
const IDLE: usize = 3;
const IOWAIT: usize = 4;

/// Text of the host with CPU times since `first` replaced: `busy_s` of each CPU is user time of the board, the rest of
/// `elapsed_s` is I/O wait or idle.
pub(super) fn stat(first: &str, now: &str, busy_s: &BTreeMap<u32, f64>, elapsed_s: f64) -> String {
    let before: BTreeMap<u32, Vec<u64>> = first.lines().filter_map(columns).collect();
    let of_board = |(cpu, now): (u32, Vec<u64>)| {
        let mut shown = before.get(&cpu).unwrap_or(&now).clone();
        let units = |seconds: f64| (seconds * UNITS_PER_S) as u64;
        let busy = units(busy_s.get(&cpu).copied().unwrap_or(0.0)).min(units(elapsed_s));
        let rest = units(elapsed_s) - busy;
        let iowait = now[IOWAIT].saturating_sub(shown[IOWAIT]).min(rest);
        shown[USER] += busy;
        shown[IOWAIT] += iowait;
        shown[IDLE] += rest - iowait;
        (cpu, shown)
    };
    // An offline CPU has no line.
    let cpus: BTreeMap<u32, Vec<u64>> = now.lines().filter_map(columns).map(of_board).collect();
    let mut text = String::new();
    let mut line = |name: &str, columns: &[u64]| {
        let words: Vec<String> = columns.iter().map(u64::to_string).collect();
        text += &format!("{name} {}\n", words.join(" "));
    };
    let width = cpus.values().map(Vec::len).min().unwrap_or(0);
    let sum = |column| cpus.values().map(|columns| columns[column]).sum();
    // Two blanks follow the name of the total.
    line("cpu ", &(0..width).map(sum).collect::<Vec<u64>>());
    for (cpu, columns) in &cpus {
        line(&format!("cpu{cpu}"), columns);
    }
    let others = now.lines().filter(|line| !line.starts_with("cpu"));
    others.for_each(|line| text += &format!("{line}\n"));
    text
}

/// Number and columns of a CPU's line.
fn columns(line: &str) -> Option<(u32, Vec<u64>)> {
    let (name, rest) = line.split_once(' ')?;
    let cpu = name.strip_prefix("cpu")?.parse().ok()?;
    let columns: Vec<u64> = rest.split(' ').map_while(|word| word.parse().ok()).collect();
    (columns.len() > IOWAIT).then_some((cpu, columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn board_shows_its_own_work() {
        let first = "cpu  100 0 50 1000 3 0\ncpu0 60 0 30 400 1 0\ncpu1 40 0 20 600 2 0\nctxt 5\n";
        assert_eq!(stat(first, first, &BTreeMap::new(), 0.0), first);
        let now = "cpu  999 0 99 1001 9 0\ncpu0 500 0 50 401 1 0\ncpu1 499 0 49 600 8 0\nctxt 9\n";
        let busy = BTreeMap::from([(0, 1.5), (1, 0.5)]);
        let expected = "cpu  300 0 50 1194 9 0\ncpu0 210 0 30 450 1 0\ncpu1 90 0 20 744 8 0\nctxt 9\n";
        assert_eq!(stat(first, now, &busy, 2.0), expected);
        let off = "cpu  999 0 99 1001 9 0\ncpu0 500 0 50 401 1 0\nctxt 9\n";
        let expected = "cpu  210 0 30 450 1 0\ncpu0 210 0 30 450 1 0\nctxt 9\n";
        assert_eq!(stat(first, off, &busy, 2.0), expected);
        assert_eq!(stat("", "", &busy, 2.0), "cpu  \n");
    }
}
