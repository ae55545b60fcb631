//! How a kernel is built and what of it costs speed: timer, preemption, page size, debugging aids,
//! mitigations, and what its SoC needs.

use super::{Class, KernelVersion, Origin};
use facts::{Finding, Place, Quantity, Severity};
use record::table::Table;
use record::{KernelFacts, Record, RuleId};

/// Debugging options, and their approximate cost.
const DEBUGGING: &[(&str, &str)] = &[
    ("KASAN", "every memory access is checked"),
    ("KCSAN", "memory accesses are sampled for data races"),
    ("PROVE_LOCKING", "every lock operation is checked"),
    ("DEBUG_LOCK_ALLOC", "every lock operation is checked"),
    ("DEBUG_KMEMLEAK", "every allocation is tracked"),
    ("DEBUG_PAGEALLOC_ENABLE_DEFAULT", "pages are unmapped when freed"),
    ("DEBUG_OBJECTS", "every kernel object is tracked"),
    ("SLUB_DEBUG_ON", "every allocation is checked"),
    ("UBSAN", "arithmetic is checked for undefined behaviour"),
];

/// First kernel.org release that runs a SoC at full speed, by the first compatible string of its device tree.
struct RequiredKernel {
    soc: &'static str,
    since: (u32, u32),
    what: &'static str,
}

fn needs() -> impl Iterator<Item = RequiredKernel> {
    Table::of(include_str!("../../../../data/soc_kernels.tsv")).rows().filter_map(|row| {
        let [soc, since, what, _] = row.array()?;
        Some(RequiredKernel { soc, since: KernelVersion::parse(since)?.series(), what })
    })
}

/// Every remark.
pub(super) fn findings(record: &Record, version: Option<&KernelVersion>, origins: &[Origin]) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(facts) = record.surveys.first().map(|survey| &survey.kernel) {
        found.extend(debugging(facts));
        found.extend(size(facts));
        found.extend(foreign(facts));
    }
    found.extend(mitigations(record));
    found.extend(preemption(record));
    found.extend(page_size(record));
    found.extend(soc(record, version, origins));
    found
}

/// Value of a configuration option, if known.
pub(super) fn option<'a>(facts: &'a KernelFacts, name: &str) -> Option<&'a str> {
    let options = facts.config.known()?;
    let found = options.iter().find(|option| option.name == name)?;
    Some(&found.value)
}

fn debugging(facts: &KernelFacts) -> Vec<Finding> {
    let is_on = |name: &str| option(facts, name) == Some("y");
    let on = DEBUGGING.iter().filter(|(name, _)| is_on(name));
    on.map(|(name, cost)| {
        Finding::new(
            RuleId::own("kernel-debugging"),
            Severity::Degraded,
            "The kernel is built with CONFIG_{option}: {cost}, which slows down all workloads.",
        )
        .confidence(97)
        .with("option", Quantity::Text((*name).into()))
        .with("cost", Quantity::Text((*cost).into()))
        .at(Place::Field("surveys.0.kernel.config".into()))
    })
    .collect()
}

fn size(facts: &KernelFacts) -> Option<Finding> {
    (option(facts, "CC_OPTIMIZE_FOR_SIZE") == Some("y")).then(|| {
        Finding::new(
            RuleId::own("kernel-small"),
            Severity::Degraded,
            "The kernel is compiled for size instead of speed (CONFIG_CC_OPTIMIZE_FOR_SIZE).",
        )
        .at(Place::Field("surveys.0.kernel.config".into()))
    })
}

fn foreign(facts: &KernelFacts) -> Option<Finding> {
    if facts.foreign_modules.is_empty() {
        return None;
    }
    let mut names = facts.foreign_modules.clone();
    names.truncate(8);
    Some(
        Finding::new(RuleId::own("kernel-foreign-modules"), Severity::Info, "Out-of-tree modules are loaded: {names}.")
            .confidence(97)
            .with("names", Quantity::Text(names.join(", ")))
            .at(Place::Field("surveys.0.kernel.foreign_modules".into())),
    )
}

/// Disabled mitigations change scores without any other sign.
fn mitigations(record: &Record) -> Option<Finding> {
    let cmdline = record.machine.kernel_cmdline.known()?;
    let off = ["mitigations=off", "nospectre_v2", "nopti", "kpti=0", "spectre_v2=off"];
    let word = cmdline.split_whitespace().find(|word| off.contains(word))?;
    Some(
        Finding::new(
            RuleId::own("mitigations-off"),
            Severity::Info,
            "CPU vulnerability mitigations are disabled ({word}): scores are higher than with default settings.",
        )
        .confidence(97)
        .with("word", Quantity::Text(word.into()))
        .at(Place::Field("machine.kernel_cmdline".into())),
    )
}

fn preemption(record: &Record) -> Option<Finding> {
    let build = record.machine.kernel_version.known()?;
    build.contains("PREEMPT_RT").then(|| {
        Finding::new(
            RuleId::own("kernel-realtime"),
            Severity::Degraded,
            "This is a realtime kernel (PREEMPT_RT): lower latency at the cost of throughput.",
        )
        .confidence(95)
        .at(Place::Field("machine.kernel_version".into()))
    })
}

fn page_size(record: &Record) -> Option<Finding> {
    let bytes = *record.machine.page_size_bytes.known()?;
    let arm = record.machine.kernel_arch.known().is_some_and(|arch| arch == "aarch64");
    (arm && bytes > 4096).then(|| {
        Finding::new(
            RuleId::own("page-size"),
            Severity::Info,
            "The page size is {size}: memory accesses are faster than with 4 KiB pages, but some programs built for 4 \
             KiB fail.",
        )
        .confidence(97)
        .with("size", Quantity::Kib(u64::from(bytes) / 1024))
        .at(Place::Field("machine.page_size_bytes".into()))
    })
}

/// Kernels of the vendor had it before; for others the version decides.
fn soc(record: &Record, version: Option<&KernelVersion>, origins: &[Origin]) -> Vec<Finding> {
    let by_vendor =
        origins.iter().any(|origin| matches!(origin.class, Class::Vendor | Class::Downstream | Class::Community));
    let Some(version) = version.filter(|_| !by_vendor) else { return Vec::new() };
    let entries = &record.machine.compatible;
    needs()
        .filter(|need| entries.iter().any(|entry| entry == need.soc) && version.series() < need.since)
        .map(|need| {
            Finding::new(
                RuleId::own("kernel-too-old-for-soc"),
                Severity::Degraded,
                "Mainline Linux has {what} for {soc} since {since}; this kernel is older.",
            )
            .confidence(80)
            .with("what", Quantity::Text(need.what.into()))
            .with("soc", Quantity::Text(need.soc.into()))
            .with("since", Quantity::Text(format!("{}.{}", need.since.0, need.since.1)))
            .at(Place::Field("machine.compatible".into()))
        })
        .collect()
}
