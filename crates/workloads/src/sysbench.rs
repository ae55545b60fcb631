//! `sysbench`: its cpu and memory tests. Both run in the innermost caches: the one divides small
//! numbers, the other writes one block of 1 KiB over and over. Neither says anything about memory,
//! despite the name of the second; the results say so.

use super::scored::{higher, number_behind, positive, scores, tool};
use super::{Places, Shape, Workload};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use process::tools::ToolKind;
use record::{Failure, Scores, StepMeasurement, Variant, WorkloadId};
use std::time::Duration;

const MEMORY: Variant = Variant::own("memory");
const VARIANTS: &[Variant] = &[Variant::own("cpu"), MEMORY];

/// The entry in the table of workloads.
pub(super) const SYSBENCH: Workload = Workload {
    id: WorkloadId::Sysbench,
    about: "sysbench cpu and memory tests; both run in the L1 cache and do not measure memory.",
    link: "https://github.com/akopytov/sysbench",
    unit: "events/s",
    tool: Some(&KIND),
    shape: Some(Shape { variants: VARIANTS, places: Places::All, repetitions: 3, seconds: 10 }),
    run,
    ..Workload::PLAIN
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "sysbench",
    programs: &["sysbench"],
    recognise: &|text| {
        let line = text.lines().find(|line| line.starts_with("sysbench "))?;
        Some(line.split(" (").next()?.trim().to_owned())
    },
    // Before, tests had other options and counted something else.
    oldest: &[1, 0],
    needs_no_rights: true,
    ..ToolKind::PLAIN
};

/// Its default.
const SECONDS: &str = "--time=10";
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// Raised when the options change. Version 1.0 is the only one there has been since 2017.
const METHOD: u32 = 1;

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let found = tool(context, &KIND)?;
    report.method = METHOD;
    let threads = format!("--threads={}", context.job.threads.max(1));
    if context.job.variant == MEMORY {
        // Without a huge total it ends when 100 GiB are written, which fast machines do in a second.
        let total = "--memory-total-size=100T";
        let arguments = ["memory", &threads, SECONDS, total, "run"];
        scores(context, report, &found, &arguments, TIME_LIMIT, parse_memory)
    } else {
        let arguments = ["cpu", &threads, SECONDS, "run"];
        scores(context, report, &found, &arguments, TIME_LIMIT, parse_cpu)
    }
}

/// `events per second:  8868.11`
pub(super) fn parse_cpu(text: &str) -> Result<Scores, String> {
    let rate = number_behind(text, "events per second").ok_or("sysbench printed no events per second")?;
    Ok(Scores {
        rows: vec![higher("", rate, "events/s")],
        detail: "integer divisions, no memory access".into(),
        ..Scores::default()
    })
}

/// `13681.93 MiB transferred (4559.13 MiB/sec)`
pub(super) fn parse_memory(text: &str) -> Result<Scores, String> {
    let rate = text.lines().find_map(|line| {
        let rest = line.split_once("MiB transferred (")?.1;
        positive(rest.split_whitespace().next()?)
    });
    let rate = rate.ok_or("sysbench printed no MiB per second")?;
    Ok(Scores {
        rows: vec![higher("", rate, "MiB/s (from the cache)")],
        detail: "one 1 KiB block written repeatedly; measures cache and loop, not memory".into(),
        ..Scores::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPU: &str = include_str!("../tool_output/sysbench/1.0.20-x86_64-cpu.txt");
    const MEMORY: &str = include_str!("../tool_output/sysbench/1.0.20-x86_64-memory.txt");

    #[test]
    fn both_tests_are_read() {
        let value = |scores: Scores| scores.rows[0].value;
        let printed = |text: &str, after: &str| -> f64 {
            let rest = text.split(after).nth(1).unwrap();
            rest.split_whitespace().next().unwrap().parse().unwrap()
        };
        let cpu = printed(CPU, "events per second:");
        assert_eq!(parse_cpu(CPU).map(value), Ok(cpu));
        let memory = printed(MEMORY, "MiB transferred (");
        assert_eq!(parse_memory(MEMORY).map(value), Ok(memory));
        assert!(parse_cpu(MEMORY).is_err() && parse_memory(CPU).is_err());
        let comma = CPU.replace(&cpu.to_string(), &cpu.to_string().replace('.', ","));
        assert!(parse_cpu(&comma).is_err());
    }

    #[test]
    fn sysbench_version_line() {
        let recognise = |text: &str| (KIND.recognise)(text);
        assert_eq!(recognise("sysbench 1.0.20\n").unwrap(), "sysbench 1.0.20");
        let long = "sysbench 1.1.0-2ca9e3f (using bundled LuaJIT 2.1.0)";
        assert_eq!(recognise(long).unwrap(), "sysbench 1.1.0-2ca9e3f");
        assert_eq!(recognise("bash: sysbench"), None);
    }
}
