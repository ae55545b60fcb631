//! `stress-ng`: a load that is known everywhere, watched for a minute per class. Its bogo-ops are
//! shown and labelled as what its own manual calls them: no benchmark.

use super::scored::{higher, positive, scores, tool};
use super::{Places, Shape, Workload};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::available_kib;
use process::tools::ToolKind;
use record::{Failure, Missing, Scores, StepMeasurement, Variant, WorkloadId};
use std::time::Duration;

/// The class that writes memory.
const VM: Variant = Variant::own("vm");
const VARIANTS: &[Variant] = &[Variant::own("matrix"), Variant::own("cpu"), VM];

/// The entry in the table of workloads.
pub(super) const STRESS_NG: Workload = Workload {
    id: WorkloadId::StressNg,
    about: "stress-ng matrix, cpu and vm stressors, one minute each; a stress load, not a benchmark.",
    link: "https://github.com/ColinIanKing/stress-ng",
    unit: "bogo-ops/s",
    tool: Some(&KIND),
    shape: Some(Shape { variants: VARIANTS, places: Places::All, repetitions: 1, seconds: SECONDS }),
    lacking,
    run,
    ..Workload::PLAIN
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "stress-ng",
    programs: &["stress-ng"],
    recognise: &version_line,
    // Older ones have no matrix class, or print another table.
    oldest: &[0, 5],
    ..ToolKind::PLAIN
};

/// As long as it takes a small board's clock to fall.
const SECONDS: u64 = 60;
const TIME_LIMIT: Duration = Duration::from_secs(SECONDS + 60);
/// The `vm` class gets so many hundredths of what is available, so that nothing else is pushed out.
const VM_PERCENT: u64 = 50;
/// The least that stress-ng accepts for each of its workers is 4 KiB; below a MiB it tests nothing.
const VM_KIB_MIN: u64 = 1 << 10;

fn lacking(context: &WorkloadContext) -> Option<Missing> {
    if let Err(missing) = context.tools.find(&KIND) {
        return Some(missing);
    }
    let available = available_kib(context.root).ok()?;
    (context.job.variant == VM && vm_kib(available, context.job.threads) < VM_KIB_MIN).then(|| {
        let why = format!("{} MiB are not enough for the vm stressor", available >> 10);
        Missing::unsupported("/proc/meminfo", why)
    })
}

/// Memory of each worker of the `vm` class, in KiB.
fn vm_kib(available_kib: u64, threads: u32) -> u64 {
    available_kib * VM_PERCENT / 100 / u64::from(threads.max(1))
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let found = tool(context, &KIND)?;
    // Its bogo-ops change with its version: the whole version is the method.
    report.method = method(&found.version);
    report.not_comparable = Some("stress-ng bogo-ops are not a benchmark score".into());
    let class = context.job.variant.clone();
    let option = format!("--{class}");
    let threads = context.job.threads.max(1).to_string();
    let seconds = format!("{SECONDS}s");
    let mut arguments = vec![&*option, &*threads, "--timeout", &*seconds, "--metrics-brief"];
    let bytes = available_kib(context.root).map(|available| format!("{}k", vm_kib(available, context.job.threads)));
    if let (true, Ok(bytes)) = (class == VM, &bytes) {
        arguments.extend(["--vm-bytes", bytes]);
    }
    scores(context, report, &found, &arguments, TIME_LIMIT, |text| parse(text, class.as_str()))
}

/// `stress-ng, version 0.15.06 (gcc 12.2.0, x86_64 Linux 6.18.44)`.
fn version_line(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("stress-ng, version "))?;
    Some(line.split(" (").next()?.to_owned())
}

/// 1506 of `stress-ng, version 0.15.06`.
fn method(version: &str) -> u32 {
    let numbers = process::tools::version_numbers(version);
    let part = |index: usize| numbers.get(index).copied().unwrap_or(0).min(99);
    part(0) * 10_000 + part(1) * 100 + part(2)
}

/// The row of the class: `stress-ng: metrc: [1234] matrix  29288  3.00  5.79  0.00  9761.54  5055.07`:
/// count, then real, user and system seconds, then the count per second of real and of CPU time. Later
/// columns differ between versions.
pub(super) fn parse(text: &str, class: &str) -> Result<Scores, String> {
    let row = text.lines().find_map(|line| {
        let rest = line.strip_prefix("stress-ng: ")?.split_once("] ")?.1;
        let mut words = rest.split_whitespace();
        let numbers: Vec<&str> = match words.next() {
            Some(name) if name == class => words.collect(),
            _ => return None,
        };
        (numbers.len() >= 6 && positive(numbers[0]).is_some()).then_some(numbers)
    });
    let row = row.ok_or_else(|| format!("stress-ng printed no bogo-ops for {class}"))?;
    let rate = positive(row[4]).ok_or_else(|| format!("stress-ng printed an invalid rate {:?}", row[4]))?;
    Ok(Scores { rows: vec![higher("", rate, "bogo-ops/s (not a benchmark)")], ..Scores::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: &str = include_str!("../tool_output/stress-ng/0.15.06-x86_64-matrix.txt");
    const CPU: &str = include_str!("../tool_output/stress-ng/0.15.06-x86_64-cpu.txt");
    const VM: &str = include_str!("../tool_output/stress-ng/0.15.06-x86_64-vm.txt");

    #[test]
    fn every_class_is_read() {
        for (text, class) in [(MATRIX, "matrix"), (CPU, "cpu"), (VM, "vm")] {
            let row = text.lines().find(|line| line.contains(&format!("] {class} ")));
            let expected: f64 = row.unwrap().split_whitespace().nth(8).unwrap().parse().unwrap();
            assert_eq!(parse(text, class).unwrap().rows[0].value, expected);
            assert!(parse(text, "io").unwrap_err().contains("no bogo-ops for io"));
        }
    }

    #[test]
    fn versions_and_memory() {
        let line = "stress-ng, version 0.15.06 (gcc 12.2.0, x86_64 Linux 6.1)";
        let version = version_line(line).unwrap();
        assert_eq!(method(&version), 1506);
        // The older `stress` is another program.
        assert_eq!(version_line("stress 1.0.4"), None);
        assert_eq!(vm_kib(8 << 20, 4), 1 << 20);
    }
}
