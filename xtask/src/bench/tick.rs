//! Cost of a tick of `sbc-bench -m` next to a C program that reads the same two files and prints a line: CPU time of all threads
//! and page faults per tick, in turns; medians of both and of the ratios.
//!
//! Other programs evict the code between ticks, so the cost is that of cold code and depends on the load of the machine.

use super::process::{MonitorProcess, Usage};
use crate::workspace;
use anyhow::Result;
use record::statistics::median;
use std::path::Path;

/// Turns of both.
const TURNS: usize = 10;
/// Lines before the first one that counts: rows at the start read every source.
const LINES_BEFORE: usize = 4;
/// Intervals, ticks that count, and the maximum ratio.
const RATES: [(&str, usize, f64); 2] = [("1", 8, 2.0), ("0.1", 50, 1.3)];

/// The other program: `NAME -m INTERVAL`.
const C: &str = include_str!("tick.c");

/// Cost of one tick.
#[derive(Debug, Clone, Copy)]
struct Cost {
    cpu_us: f64,
    faults: f64,
}

/// Measures and prints a line for each rate.
pub(super) fn main(binary: &Path) -> Result<()> {
    let folder = workspace::target_folder()?.join("tick");
    std::fs::create_dir_all(&folder)?;
    let compiled = super::compiled(&folder, "tick", C)?;
    for (interval, ticks, ratio_max) in RATES {
        let mut turns = Vec::new();
        for _ in 0..TURNS {
            turns.push((cost(binary, interval, ticks)?, cost(&compiled, interval, ticks)?));
        }
        let median =
            |of: &dyn Fn(&(Cost, Cost)) -> f64| median(&turns.iter().map(of).collect::<Vec<f64>>()).unwrap_or(f64::NAN);
        println!(
            "-m {interval}: {:.0} µs and {:.1} page faults a tick; C program: {:.0} µs and {:.1}; ratio {:.2} (at most {ratio_max})",
            median(&|turn| turn.0.cpu_us),
            median(&|turn| turn.0.faults),
            median(&|turn| turn.1.cpu_us),
            median(&|turn| turn.1.faults),
            median(&|turn| turn.0.cpu_us / turn.1.cpu_us),
        );
    }
    Ok(())
}

fn cost(program: &Path, interval: &str, ticks: usize) -> Result<Cost> {
    let mut watched = MonitorProcess::monitor(program, interval)?;
    let mut usage_after = |lines: usize| -> Result<Usage> {
        (0..lines).try_for_each(|_| watched.next_sample().map(|_| ()))?;
        watched.usage()
    };
    let (before, after) = (usage_after(LINES_BEFORE)?, usage_after(ticks)?);
    watched.end()?;
    let each = |after: u64, before: u64| after.saturating_sub(before) as f64 / ticks as f64;
    Ok(Cost { cpu_us: each(after.cpu_ns, before.cpu_ns) / 1000.0, faults: each(after.faults, before.faults) })
}
