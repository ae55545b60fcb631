//! `perf-bench`: what the kernel's own `perf bench` says about scheduler, system calls and the C
//! library's memcpy and memset. Kernel and its mitigations show here, not only the CPU.

use super::scored::{higher, number_behind, positive, scores, tool};
use super::{Places, Shape, Workload};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use process::tools::ToolKind;
use record::{Failure, Score, Scores, StepMeasurement, Variant, WorkloadId};
use std::time::Duration;

/// Collection and benchmark.
const VARIANTS: &[Variant] = &[
    Variant::own("sched-messaging"),
    Variant::own("sched-pipe"),
    Variant::own("syscall-basic"),
    Variant::own("mem-memcpy"),
    Variant::own("mem-memset"),
];

/// The entry in the table of workloads.
pub(super) const PERF_BENCH: Workload = Workload {
    id: WorkloadId::PerfBench,
    about: "The kernel's `perf bench`: scheduler, system calls, libc memcpy and memset.",
    link: "https://man7.org/linux/man-pages/man1/perf-bench.1.html",
    unit: "us/op",
    higher_is_better: false,
    tool: Some(&KIND),
    shape: Some(Shape { variants: VARIANTS, places: Places::All, repetitions: 3, seconds: 5 }),
    run,
    ..Workload::PLAIN
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "perf",
    programs: &["perf"],
    // Some distributions install a script of that name that only asks for another package.
    recognise: &|text| {
        let line = text.lines().find(|line| line.starts_with("perf version "))?;
        Some(line.trim().to_owned())
    },
    ..ToolKind::PLAIN
};

/// A million operations take 20 s on the slowest boards.
const TIME_LIMIT: Duration = Duration::from_secs(180);
/// Raised when the options change. The benchmarks themselves belong to the kernel's version.
const METHOD: u32 = 1;
/// Beyond the caches of small boards, and ready in a second on each.
const BYTES: &str = "64MB";

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let found = tool(context, &KIND)?;
    report.method = METHOD;
    let variant = context.job.variant.clone();
    let name = variant.as_str();
    let (collection, benchmark) = name.split_once('-').unwrap_or((name, ""));
    if collection == "mem" {
        let arguments = ["bench", "-f", "simple", "mem", benchmark, "-f", "default", "-s", BYTES, "-l", "20"];
        return scores(context, report, &found, &arguments, TIME_LIMIT, parse_memory);
    }
    let arguments = ["bench", collection, benchmark];
    scores(context, report, &found, &arguments, TIME_LIMIT, parse_time)
}

/// The time of one operation where it is told (`5.31 usecs/op`), else the time of all
/// (`Total time: 0.944 [sec]`).
pub(super) fn parse_time(text: &str) -> Result<Scores, String> {
    let each = text.lines().find_map(|line| {
        let number = line.trim().strip_suffix("usecs/op")?;
        positive(number.trim())
    });
    let total = number_behind(text, "Total time").map(|value| (value, "s"));
    let (value, unit) = each.map(|value| (value, "us/op")).or(total).ok_or("perf bench printed no time")?;
    Ok(Scores {
        rows: vec![Score { name: String::new(), value, unit: unit.into(), higher_is_better: false }],
        ..Scores::default()
    })
}

/// A line with nothing but bytes per second: `10032270043.203325`.
pub(super) fn parse_memory(text: &str) -> Result<Scores, String> {
    let rate = text.lines().find_map(|line| positive(line.trim()));
    let rate = rate.ok_or("perf bench printed no bytes per second")?;
    Ok(Scores { rows: vec![higher("", rate / 1e6, "MB/s")], ..Scores::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGING: &str = include_str!("../tool_output/perf/6.1.192-x86_64-sched-messaging.txt");
    const PIPE: &str = include_str!("../tool_output/perf/6.1.192-x86_64-sched-pipe.txt");
    const SYSCALL: &str = include_str!("../tool_output/perf/6.1.192-x86_64-syscall-basic.txt");
    const MEMCPY: &str = include_str!("../tool_output/perf/6.1.192-x86_64-mem-memcpy.txt");
    const MEMSET: &str = include_str!("../tool_output/perf/6.1.192-x86_64-mem-memset.txt");

    #[test]
    fn times_are_read() {
        for (text, value, unit) in [(MESSAGING, 1.046, "s"), (PIPE, 5.2315, "us/op"), (SYSCALL, 0.214274, "us/op")] {
            let row = parse_time(text).unwrap().rows.remove(0);
            assert_eq!((row.value, row.unit.as_str()), (value, unit));
            assert!(!row.higher_is_better);
        }
        assert!(parse_time("Usage: perf bench").is_err());
    }

    #[test]
    fn rates_are_read() {
        for (text, mb_per_s) in [(MEMCPY, 10032.270043203325), (MEMSET, 22659.665045921124)] {
            assert_eq!(parse_memory(text).unwrap().rows[0].value, mb_per_s);
        }
        assert!(parse_memory("Unknown function").is_err());
    }

    #[test]
    fn wrapper_without_perf_is_rejected() {
        let wrapper = "WARNING: perf not found for kernel 6.8.0-45\n";
        assert_eq!((KIND.recognise)(wrapper), None);
        assert!((KIND.recognise)("perf version 6.1.192\n").is_some());
    }
}
