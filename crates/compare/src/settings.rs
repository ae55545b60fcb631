//! Settings and circumstances of a result that a comparison lists if they differ.

use crate::reference::soc_key;
use facts::Facts;
use record::{Fact, Record, Source, Tool, Variant, WorkloadId};
use serde::Serialize;

/// A setting of several results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Name.
    pub name: &'static str,
    /// Value in each result; `None` if unknown.
    pub values: Vec<Option<String>>,
}

const SOC: &str = "SoC";
const CLOCK_MEASURED: &str = "clock measured (MHz)";
/// Maximum difference of two measurements of one clock, in percent.
const CLOCK_PERCENT: f64 = 1.0;

/// Settings whose known values differ. Unknown values do not count.
pub fn settings(facts: &[&Facts<'_>]) -> Vec<Setting> {
    let all: Vec<Vec<(&'static str, Option<String>)>> = facts.iter().map(|facts| settings_of(facts)).collect();
    let Some(first) = all.first() else {
        return Vec::new();
    };
    let setting = |(index, (name, _)): (usize, &(&'static str, Option<String>))| Setting {
        name,
        values: all.iter().map(|of| of[index].1.clone()).collect(),
    };
    let differs = |setting: &Setting| {
        let mut known = setting.values.iter().flatten();
        let first = known.next();
        first.is_some_and(|first| known.any(|value| !is_same(setting.name, first, value)))
    };
    let settings = first.iter().enumerate().map(setting);
    settings.filter(differs).collect()
}

/// True if two values are equal but for spellings of SoCs and noise of measured clocks.
fn is_same(name: &str, a: &str, b: &str) -> bool {
    if name == SOC {
        return soc_key(a) == soc_key(b);
    }
    if name != CLOCK_MEASURED {
        return a == b;
    }
    let clocks = |text: &str| -> Vec<f64> { text.split('/').filter_map(|mhz| mhz.parse().ok()).collect() };
    let (a, b) = (clocks(a), clocks(b));
    let near = |(a, b): (&f64, &f64)| (a / b - 1.0).abs() * 100.0 <= CLOCK_PERCENT;
    a.len() == b.len() && a.iter().zip(&b).all(near)
}

/// All settings of one result: the same names in the same order for any result.
pub fn settings_of(facts: &Facts<'_>) -> Vec<(&'static str, Option<String>)> {
    let machine = &facts.machine;
    let known = |fact: &Fact<String>| fact.known().cloned();
    let per_policy = |value: fn(&record::Policy) -> Option<String>| {
        let mut values: Vec<String> = machine.policies.iter().filter_map(value).collect();
        values.dedup();
        joined(values)
    };
    vec![
        ("board", facts::machine_name(machine).cloned()),
        (SOC, known(facts.soc())),
        ("cores", cores(facts)),
        ("kernel", known(&machine.kernel_release)),
        ("governor", per_policy(|policy| policy.governor.known().cloned())),
        ("cpufreq driver", per_policy(|policy| policy.driver.known().cloned())),
        (
            "clock advertised (MHz)",
            per_policy(|policy| policy.clock_khz_max.known().map(|khz| (khz / 1000).to_string())),
        ),
        (CLOCK_MEASURED, measured_clocks(facts)),
        ("DRAM", dram(facts)),
        ("memory (GiB)", memory_gib(facts)),
        ("page size", machine.page_size_bytes.known().map(u32::to_string)),
        ("huge pages", feature(facts, "transparent_hugepage")),
        ("preemption", feature(facts, "preemption")),
        ("toolchain", known(&machine.compiler)),
        ("7-zip", tool_version(facts, WorkloadId::SevenZip)),
        ("OpenSSL", tool_version(facts, WorkloadId::OpenSsl)),
        ("distribution", known(&machine.distribution)),
        ("userland", known(&machine.userland_arch)),
        ("image", known(&machine.build_system)),
        ("virtualisation", known(&machine.virtualisation)),
        ("sbc-bench", Some(program(facts))),
    ]
}

/// A setting of the kernel by its name in the Record.
fn feature(record: &Record, name: &str) -> Option<String> {
    record.machine.features.iter().find(|feature| feature.name == name).map(|feature| feature.value.clone())
}

fn joined(values: Vec<String>) -> Option<String> {
    (!values.is_empty()).then(|| values.join("/"))
}

fn cores(record: &Record) -> Option<String> {
    let clusters = record.machine.clusters.iter();
    let names = clusters.map(|cluster| {
        let name = cluster.cpus.first().and_then(|cpu| facts::figures::core_name(record, *cpu));
        format!("{}x {}", cluster.cpus.len(), name.as_deref().unwrap_or("unknown"))
    });
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| names.join(" + "))
}

fn measured_clocks(facts: &Facts<'_>) -> Option<String> {
    let clocks = facts.cluster_clocks(&Variant::COLD);
    let mut clocks: Vec<String> =
        clocks.iter().map(|clock| facts::finding::mhz(clock.measured_khz).to_string()).collect();
    clocks.dedup();
    joined(clocks)
}

/// Clock and governor of the memory: modules of PCs, devfreq of boards.
fn dram(record: &Record) -> Option<String> {
    let features = record.machine.features.iter().filter(|feature| {
        let name = feature.name.to_lowercase();
        let is_memory = name.contains("dmc") || name.contains("dram");
        // The current clock and lists of available ones are not settings.
        is_memory && !name.ends_with("cur_freq") && !name.contains("available")
    });
    let mut found: Vec<String> = features
        .map(|feature| {
            let name = feature.name.rsplit(['.', '/']).next().unwrap_or_default();
            // The list of possible values follows in parentheses.
            format!("{name} {}", feature.value.split(" (").next().unwrap_or_default())
        })
        .collect();
    if let Source::Log(log) = &record.source {
        let modules = log.blocks.iter();
        let modules = modules.filter(|block| block.heading == "memory-modules");
        let clocks = modules.flat_map(|block| block.text.lines()).filter_map(|line| line.trim().strip_prefix("clock:"));
        found.extend(clocks.map(|clock| clock.trim().to_owned()));
    }
    found.sort();
    found.dedup();
    (!found.is_empty()).then(|| found.join(", "))
}

/// Rounded up, because the kernel reserves a part.
fn memory_gib(record: &Record) -> Option<String> {
    let kib = record.machine.memory_kib.known()?;
    let half_gib = 1 << 19;
    Some(format!("{}", kib.div_ceil(half_gib) as f64 / 2.0))
}

fn tool_version(record: &Record, workload: WorkloadId) -> Option<String> {
    let tools = record.steps_of(workload).filter_map(|step| step.tool.as_ref());
    let version = |tool: &Tool| Some(tool.version.clone()).filter(|version| !version.is_empty());
    tools.filter_map(version).next()
}

fn program(record: &Record) -> String {
    match &record.source {
        Source::Run { version, .. } => version.clone(),
        Source::Log(log) => format!("log of {}", log.version),
    }
}
