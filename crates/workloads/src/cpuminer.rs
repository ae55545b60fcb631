//! `cpuminer`: five minutes of scrypt on all CPUs by an installed miner in benchmark mode. The rate over time shows
//! whether the machine holds its clock under heavy vector code. Without a miner, `simd` runs instead, under its own name.
//!
//! The miner never exits, so it is ended after a fixed time.

use super::Workload;
use super::attributes::{Attributes, DurationRule};
use super::scored::{garbled, positive, tool};
use crate::job::definition::recognised;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use process::tools::ToolKind;
use record::{Failure, Series, StepMeasurement, WorkloadId, without_colours};
use regex_lite::Regex;
use std::time::Duration;

/// The entry in the table of workloads.
pub(super) const CPUMINER: Workload = Workload {
    id: WorkloadId::Cpuminer,
    about: "Five minutes of scrypt with cpuminer or minerd on all CPUs; shows performance loss by heat.",
    link: "https://github.com/tpruvot/cpuminer-multi",
    tool: Some(&KIND),
    attributes: Attributes { takes: DurationRule::Fixed(300.0), ..Attributes::PLAIN },
    run,
    ..Workload::PLAIN
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "cpuminer",
    programs: &["cpuminer", "cpuminer-multi", "minerd"],
    recognise: &version_line,
    is_users: true,
    ..ToolKind::PLAIN
};

/// Time until a heatsink is warm, and the time that the bash program used.
const TIME: Duration = Duration::from_secs(300);
/// `cpuminer-multi`, as in old logs.
const METHOD_MULTI: u32 = 1;
/// The original miner, with other code for scrypt.
const METHOD_MINERD: u32 = 2;
/// `cpuminer-opt`, with its own code.
const METHOD_OPT: u32 = 3;

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let found = tool(context, &KIND)?;
    report.method = method(&found.version);
    let threads = format!("--threads={}", context.job.threads.max(1));
    let mut arguments = vec!["--benchmark", "--algo=scrypt", &threads];
    if report.method == METHOD_MULTI {
        arguments.push("--no-color");
    }
    let output = context.program_for(report, &found, &arguments, TIME)?;
    let series = parse(&output).map_err(|why| garbled(why, &output))?;
    Ok(StepMeasurement::Series(Series { detail: found.version, ..series }))
}

/// Method of a miner, by the name in its version.
fn method(version: &str) -> u32 {
    match version.split_whitespace().next() {
        Some("cpuminer-multi") => METHOD_MULTI,
        Some("cpuminer-opt") => METHOD_OPT,
        _ => METHOD_MINERD,
    }
}

/// `** cpuminer-multi 1.3.7 by tpruvot@github **` or, of the original, `cpuminer 2.5.1`.
fn version_line(text: &str) -> Option<String> {
    let version = recognised("", r"^[* ]*(cpuminer\S* \d.*?)(?: by .*)?[* ]*$", &without_colours(text))?;
    Some(version.trim_start().to_owned())
}

/// Rates of all threads together: `[2026-04-30 23:59:56] Total: 7.99 kH/s`, also in `H/s` or `khash/s`, or
/// `Benchmark: 28.1 kh/s, Temp: 56C`.
pub(super) fn parse(text: &str) -> Result<Series, String> {
    let line = r"(?m)^\s*\[\S+ (\d\d):(\d\d):(\d\d)\] *(?:(?:Total|Benchmark): (\S+) ([kM]?)(?:hash|H|h)/s(?:,|\s*$))?";
    let line = Regex::new(line).map_err(|why| why.to_string())?;
    let (mut values, mut at_ms, mut start) = (Vec::new(), Vec::new(), None);
    for found in line.captures_iter(&without_colours(text)) {
        let [hour, minute, second] = [1, 2, 3].map(|group| found[group].parse().unwrap_or(0));
        let clock_s: i64 = hour * 3600 + minute * 60 + second;
        let start_s = *start.get_or_insert(clock_s);
        let Some(rate) = found.get(4).and_then(|number| positive(number.as_str())) else { continue };
        values.push(match &found[5] {
            "" => rate / 1000.0,
            "k" => rate,
            _ => rate * 1000.0,
        });
        // Lines have the time of day, which starts from 0 at midnight.
        at_ms.push((clock_s - start_s).rem_euclid(86_400) * 1000);
    }
    if values.is_empty() {
        return Err("the miner printed no total hash rate".into());
    }
    Ok(Series { unit: "kH/s".into(), higher_is_better: true, at_ms, values, ..Series::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MULTI: &str = include_str!("../tool_output/cpuminer/1.3.7-made.txt");
    const COLOURS: &str = include_str!("../tool_output/cpuminer/1.3.7-made-colours.txt");
    const OPT: &str = include_str!("../tool_output/cpuminer/opt-3.20.3-made.txt");
    const MINERD: &str = include_str!("../tool_output/cpuminer/minerd-2.5.1-made.txt");

    #[test]
    fn rates_and_their_times_are_read() {
        for (text, values, at_ms) in [
            (MULTI, &[7.99, 8.12, 8.10][..], &[5000, 10_000, 15_000][..]),
            (COLOURS, &[0.4125, 1250.0], &[5000, 10_000]),
            (MINERD, &[6.02, 6.04], &[2000, 7000]),
            (OPT, &[28.13, 28.07, 0.9], &[6000, 11_000, 16_000]),
        ] {
            let series = parse(text).unwrap();
            assert_eq!((&series.values[..], &series.at_ms[..]), (values, at_ms));
        }
        for broken in ["", "[x] Total: 5 kH/s", "[a 10:00:00] Total: 5,1 kH/s"] {
            assert!(parse(broken).unwrap_err().contains("no total hash rate"));
        }
    }

    #[test]
    fn miners_are_recognised_and_told_apart() {
        for (text, expected) in [
            (MULTI, Some(("cpuminer-multi 1.3.7", METHOD_MULTI))),
            (COLOURS, Some(("cpuminer-multi 1.3.7", METHOD_MULTI))),
            (OPT, Some(("cpuminer-opt 3.20.3", METHOD_OPT))),
            ("cpuminer 2.5.1\nfeatures: AVX2", Some(("cpuminer 2.5.1", METHOD_MINERD))),
            ("cpuminer: unknown option", None),
            ("ccminer 2.3", None),
        ] {
            let found = version_line(text);
            let found = found.as_deref().map(|line| (line, method(line)));
            assert_eq!(found, expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn parse_never_panics(text in "(\\[[0-9 :-]{0,12}\\] Total: .{0,12}\n|\x1b\\[.{0,5}|.){0,8}") {
            if let Ok(series) = parse(&text) {
                prop_assert_eq!(series.values.len(), series.at_ms.len());
            }
            let _ = version_line(&text);
        }
    }
}
