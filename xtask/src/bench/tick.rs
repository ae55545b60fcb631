//! Cost of a tick of `sbc-bench -m` next to a C program that reads the same two files and prints a line: CPU time of all threads
//! and page faults per tick, in turns; medians of both and of the ratios.
//!
//! Other programs evict the code between ticks, so the cost is that of cold code and depends on the load of the machine.

use super::process::{Usage, Watched};
use crate::workspace;
use anyhow::{Context, Result, ensure};
use record::statistics::median;
use std::path::Path;
use std::process::Command;

/// Turns of both.
const TURNS: usize = 10;
/// Lines before the first one that counts: rows at the start read every source.
const LINES_BEFORE: usize = 4;
/// Intervals, ticks that count, and the maximum ratio.
const RATES: [(&str, usize, f64); 2] = [("1", 8, 2.0), ("0.1", 50, 1.3)];

/// The other program: `NAME -m INTERVAL`.
const C: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    long ns = argc > 2 ? (long)(atof(argv[2]) * 1e9) : 1000000000;
    int stat = open("/proc/stat", O_RDONLY), disks = open("/proc/diskstats", O_RDONLY);
    unsigned long long before[8] = {0}, now[8] = {0}, sectors[2] = {0};
    static char text[16384];
    struct timespec due;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (;;) {
        ssize_t count = pread(stat, text, sizeof text - 1, 0);
        if (count <= 0)
            return 1;
        text[count] = 0;
        sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", now, now + 1, now + 2, now + 3, now + 4, now + 5,
               now + 6, now + 7);
        count = pread(disks, text, sizeof text - 1, 0);
        if (count <= 0)
            return 1;
        text[count] = 0;
        sscanf(text, "%*u %*u %*s %*u %*u %llu %*u %*u %*u %llu", sectors, sectors + 1);
        double all = 0;
        for (int i = 0; i < 8; i++)
            all += (double)(now[i] - before[i]);
        if (all <= 0)
            all = 1;
        time_t seconds = time(NULL);
        struct tm local;
        localtime_r(&seconds, &local);
        count = snprintf(text, sizeof text, "%02d:%02d:%02d: %3.0f%% %3.0f%% %3.0f%% %llu %llu\n", local.tm_hour,
                         local.tm_min, local.tm_sec, 100 * (all - (double)(now[3] - before[3])) / all,
                         100 * (double)(now[2] - before[2]) / all, 100 * (double)(now[0] - before[0]) / all, sectors[0],
                         sectors[1]);
        if (write(1, text, (size_t)count) != count)
            return 1;
        memcpy(before, now, sizeof now);
        due.tv_sec += (due.tv_nsec + ns) / 1000000000;
        due.tv_nsec = (due.tv_nsec + ns) % 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    }
}
"#;

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
    let (source, compiled) = (folder.join("tick.c"), folder.join("tick"));
    std::fs::write(&source, C)?;
    let status = Command::new("cc").args(["-O2", "-o"]).arg(&compiled).arg(&source).status();
    ensure!(status.context("cc: install a C compiler")?.success(), "cc did not compile {}", source.display());
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
    let mut watched = Watched::monitor(program, interval)?;
    let mut usage_after = |lines: usize| -> Result<Usage> {
        (0..lines).try_for_each(|_| watched.next_sample().map(|_| ()))?;
        watched.usage()
    };
    let (before, after) = (usage_after(LINES_BEFORE)?, usage_after(ticks)?);
    watched.end()?;
    let each = |after: u64, before: u64| after.saturating_sub(before) as f64 / ticks as f64;
    Ok(Cost { cpu_us: each(after.cpu_ns, before.cpu_ns) / 1000.0, faults: each(after.faults, before.faults) })
}
