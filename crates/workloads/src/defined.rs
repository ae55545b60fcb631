//! Workloads of the table that are definitions, in the format of users' own: one file in `data/workloads` each.

use super::attributes::Attributes;
use super::program::{lacking, measure};
use super::scored::{not_started, tool};
use super::{Places, Shape, Workload};
use crate::job::definition::{Definition, Repeat, built_in};
use crate::job::pinning::CpuSelection;
use crate::measure::context::WorkloadContext;
use record::{Variant, WorkloadId};
use std::sync::LazyLock;

const FILES: &[&str] = &[
    include_str!("../../../data/workloads/perf-bench.toml"),
    include_str!("../../../data/workloads/stress-ng.toml"),
    include_str!("../../../data/workloads/sysbench.toml"),
    include_str!("../../../data/workloads/zstd.toml"),
];

static DEFINITIONS: LazyLock<Vec<Vec<Definition>>> =
    LazyLock::new(|| FILES.iter().map(|text| built_in(text)).collect());

/// Rows of the table of workloads.
pub(super) fn workloads() -> impl Iterator<Item = Workload> {
    DEFINITIONS.iter().map(|variants| workload(variants))
}

fn workload(definitions: &'static [Definition]) -> Workload {
    let first = &definitions[0];
    let variants: Vec<Variant> = definitions.iter().map(|definition| definition.variant.clone()).collect();
    Workload {
        id: WorkloadId::of(&first.name).unwrap_or(WorkloadId::Own(&first.name)),
        about: &first.about,
        link: &first.link,
        tool: first.program.as_ref().map(|rule| rule.kind(false)),
        shape: Some(Shape {
            variants: variants.leak(),
            places: match first.pinning {
                CpuSelection::OnePerCoreType => Places::OneOfEachType,
                _ => Places::All,
            },
            repetitions: match first.repeat {
                Repeat::Times(times) => times,
                Repeat::UntilSteady => 1,
            },
            seconds: first.seconds.unwrap_or(0),
        }),
        attributes: Attributes::PLAIN,
        lacking: |context| lacking(context, definition(context)?),
        run: |context, report| {
            let kind = crate::workload(context.job.workload).and_then(|workload| workload.tool);
            let known = definition(context).zip(kind);
            let (definition, kind) = known.ok_or_else(|| not_started("Nothing is defined."))?;
            measure(context, report, definition, &tool(context, kind)?)
        },
    }
}

/// The definition of a job; the first one for unknown variants.
fn definition(context: &WorkloadContext) -> Option<&'static Definition> {
    let name = context.job.workload.as_str();
    let variants = DEFINITIONS.iter().find(|variants| variants[0].name == name)?;
    let own = variants.iter().find(|definition| definition.variant == context.job.variant);
    own.or(variants.first())
}

/// Scores that each definition finds in a text, by name and variant.
pub(super) fn parse(text: &str) -> Vec<(String, Vec<(String, f64)>)> {
    let found = |definition: &Definition| {
        let scores = definition.score.find_all(text, 0.0).ok()?;
        Some((format!("{} {}", definition.name, definition.variant), scores))
    };
    DEFINITIONS.iter().flatten().filter_map(found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scores of a variant in the output of its program.
    fn check(variant: &str, output: &str, expected: &[(&str, f64)]) {
        let found = parse(output).into_iter().find(|(name, _)| name == variant);
        let found = found.map_or(Vec::new(), |(_, scores)| scores);
        assert_eq!(
            found.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>(),
            expected,
            "{variant}"
        );
    }

    macro_rules! output {
        ($name:literal) => {
            include_str!(concat!("../tool_output/", $name, ".txt"))
        };
    }

    #[test]
    fn scores_of_tools_are_found() {
        let one = |variant: &str, output: &str, value| check(variant, output, &[("", value)]);
        one("perf-bench sched-messaging", output!("perf/6.1.192-x86_64-sched-messaging"), 1.046);
        one("perf-bench sched-pipe", output!("perf/6.1.192-x86_64-sched-pipe"), 5.2315);
        one("perf-bench syscall-basic", output!("perf/6.1.192-x86_64-syscall-basic"), 0.214274);
        one("perf-bench mem-memcpy", output!("perf/6.1.192-x86_64-mem-memcpy"), 10032270043.203325);
        one("perf-bench mem-memset", output!("perf/6.1.192-x86_64-mem-memset"), 22659665045.921124);
        one("stress-ng cpu", output!("stress-ng/0.15.06-x86_64-cpu"), 1805.63);
        one("stress-ng matrix", output!("stress-ng/0.15.06-x86_64-matrix"), 4831.14);
        one("stress-ng vm", output!("stress-ng/0.15.06-x86_64-vm"), 93057.90);
        one("sysbench cpu", output!("sysbench/1.0.20-x86_64-cpu"), 4929.19);
        one("sysbench memory", output!("sysbench/1.0.20-x86_64-memory"), 6294.11);
        let level3 = output!("zstd/1.5.4-x86_64-level3");
        check("zstd level3", level3, &[("", 90.1), ("decompressing", 728.8)]);
        for (variant, other) in [
            ("perf-bench mem-memcpy", "Unknown function"),
            ("perf-bench sched-pipe", "Usage: perf bench"),
            ("stress-ng matrix", output!("stress-ng/0.15.06-x86_64-cpu")),
            ("sysbench cpu", "    events per second: 4929,19"),
            ("sysbench cpu", "    events per second: 0.00"),
            ("sysbench memory", output!("sysbench/1.0.20-x86_64-cpu")),
            ("zstd level3", "\r 3-Synthetic 50% : 10000000 -> 3230847 (x3.095), 90.1 MB/s \r"),
        ] {
            check(variant, other, &[]);
        }
    }

    #[test]
    fn versions_are_recognised() {
        for (id, output, expected) in [
            (WorkloadId::PerfBench, "perf version 6.1.192\n", Some(("perf version 6.1.192", 1))),
            (WorkloadId::PerfBench, "WARNING: perf not found for kernel 6.8.0-45\n", None),
            (
                WorkloadId::StressNg,
                "stress-ng, version 0.15.06 (gcc 12.2.0, x86_64 Linux 6.1)",
                Some(("stress-ng, version 0.15.06", 1506)),
            ),
            (WorkloadId::StressNg, "stress 1.0.4", None),
            (WorkloadId::Sysbench, "sysbench 1.0.20\n", Some(("sysbench 1.0.20", 1))),
            (
                WorkloadId::Sysbench,
                "sysbench 1.1.0-2ca9e3f (using bundled LuaJIT 2.1.0)",
                Some(("sysbench 1.1.0-2ca9e3f", 1)),
            ),
            (WorkloadId::Sysbench, "bash: sysbench", None),
            (WorkloadId::Zstd, "*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***\n", Some(("zstd 1.5.4", 154))),
            (
                WorkloadId::Zstd,
                "*** zstd command line interface 64-bits v1.4.8, by Yann Collet ***",
                Some(("zstd 1.4.8", 148)),
            ),
        ] {
            let rule = DEFINITIONS.iter().find(|of| of[0].name == id.as_str()).unwrap()[0].program.clone().unwrap();
            let version = (rule.kind(false).recognise)(output);
            let found = version.as_deref().map(|version| (version, rule.method(version)));
            assert_eq!(found, expected, "{output}");
        }
    }
}
