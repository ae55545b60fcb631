//! `zstd`: the benchmark of the Zstandard command, one thread on one CPU of every core type. What package managers, file
//! systems and kernels spend their time with.

use super::scored::{higher, positive, scores, tool};
use super::{Places, Shape, Workload};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use process::tools::{ToolKind, version_numbers};
use record::{Failure, Scores, StepMeasurement, Variant, WorkloadId};
use std::time::Duration;

/// Levels of compression: that of file systems and the default.
const VARIANTS: &[Variant] = &[Variant::own("level1"), Variant::own("level3")];

/// The entry in the table of workloads.
pub(super) const ZSTD: Workload = Workload {
    id: WorkloadId::Zstd,
    about: "The benchmark of zstd, single-threaded: compression and decompression of generated data.",
    link: "https://github.com/facebook/zstd/blob/dev/programs/zstd.1.md#benchmark",
    unit: "MB/s",
    tool: Some(&KIND),
    shape: Some(Shape { variants: VARIANTS, places: Places::OneOfEachType, repetitions: 3, seconds: 7 }),
    run,
    ..Workload::PLAIN
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "zstd",
    programs: &["zstd"],
    // *** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***
    recognise: &|text| {
        let line = text.lines().find(|line| line.contains("Zstandard CLI") || line.contains("zstd command line"))?;
        let version = line.split_once(" v")?.1.split([',', ' ']).next()?;
        Some(format!("zstd {version}"))
    },
    // Before, it measured no time of its own but waited between turns.
    oldest: &[1, 3],
    needs_no_rights: true,
    ..ToolKind::PLAIN
};

/// Each direction takes three seconds, and the data are made first.
const TIME_LIMIT: Duration = Duration::from_secs(120);

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let found = tool(context, &KIND)?;
    report.method = method(&found.version);
    let level = context.job.variant.as_str().trim_start_matches("level");
    scores(context, report, &found, &[&format!("-b{level}"), "-i3"], TIME_LIMIT, parse)
}

/// Code and generated data change from version to version: 154 for 1.5.4.
fn method(version: &str) -> u32 {
    let part = |part: &u32| (*part).min(9);
    version_numbers(version).iter().take(3).map(part).fold(0, |method, part| method * 10 + part)
}

/// The last complete line ends with both rates: `10000000 ->   3230847 (x3.095),   90.1 MB/s,  728.8 MB/s`. Lines are
/// written over each other.
pub(super) fn parse(text: &str) -> Result<Scores, String> {
    let rates = |line: &str| {
        let (rest, decompressed) = line.trim_end().strip_suffix(" MB/s")?.rsplit_once(',')?;
        let (_, compressed) = rest.strip_suffix(" MB/s")?.rsplit_once(',')?;
        Some((positive(compressed.trim())?, positive(decompressed.trim())?))
    };
    let last = text.split(['\r', '\n']).filter_map(rates).next_back();
    let (compressed, decompressed) = last.ok_or("zstd printed no two rates")?;
    let rows = [("", compressed), ("decompressing", decompressed)];
    Ok(Scores { rows: rows.map(|(name, rate)| higher(name, rate, "MB/s")).into(), ..Scores::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = include_str!("../tool_output/zstd/1.5.4-x86_64-level3.txt");

    #[test]
    fn both_rates_are_read() {
        let rates: Vec<f64> = parse(OUTPUT).unwrap().rows.iter().map(|row| row.value).collect();
        assert_eq!(rates, [90.1, 728.8]);
        assert!(parse("\r 3-Synthetic 50% : 10000000 -> 3230847 (x3.095), 90.1 MB/s \r").is_err());
        assert!(parse("").is_err());
    }

    #[test]
    fn versions_are_not_comparable() {
        let line = "*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***\n";
        let old = "*** zstd command line interface 64-bits v1.4.8, by Yann Collet ***\n";
        assert_eq!((KIND.recognise)(line).as_deref(), Some("zstd 1.5.4"));
        assert_eq!((KIND.recognise)(old).as_deref(), Some("zstd 1.4.8"));
        assert_eq!(["zstd 1.5.4", "zstd 1.4.8", "zstd"].map(method), [154, 148, 0]);
    }
}
