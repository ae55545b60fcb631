//! `sbc-bench identify`: board, SoC with its evidence, CPUs, clusters and memory, for this machine, a
//! board file, a log, or single texts of another machine.

use crate::args::Identify;
use crate::{input, output};
use anyhow::Context;
use explain::soc::{self, Answer};
use machine::Root;
use machine::root_of_texts;
use record::{Fact, Machine};
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::Read;
use std::path::Path;

/// No cpuinfo is longer, not even that of thousands of CPUs; what is longer is cut here.
const CPUINFO_BYTES_MAX: u64 = 16 << 20;

pub(crate) fn run(root: &Root, args: &Identify) -> anyhow::Result<u8> {
    let machine = match &args.file {
        Some(file) => super::explain::read(file)?.machine,
        None if args.has_text_facts() => machine::identify(&of_texts(root, args)?),
        None => bench::identified(root),
    };
    let answer = soc::identify(&machine);
    let shown = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&value(&machine, &answer)?)?)
    } else {
        text(&machine, &answer)
    };
    output::print(&shown)?;
    Ok(0)
}

/// A machine of which only the given texts are known. With `--root` they stand in its files' places.
fn of_texts(root: &Root, args: &Identify) -> anyhow::Result<Root> {
    let cpuinfo = match &args.cpuinfo {
        Some(path) => Some(bounded(path)?),
        None => None,
    };
    let compatible = args.compatible_strings();
    let base = if root.is_system() { None } else { Some(root) };
    Ok(root_of_texts(base, cpuinfo.as_deref(), &compatible, args.model.as_deref()))
}

/// The beginning of a file, which may be endless.
fn bounded(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let input = input::open(path)?;
    let result = input.take(CPUINFO_BYTES_MAX).read_to_end(&mut bytes);
    result.with_context(|| format!("Cannot read {}", path.display()))?;
    Ok(bytes)
}

/// The machine's facts, and the conclusions drawn from them.
fn value(machine: &Machine, answer: &Answer) -> anyhow::Result<Value> {
    let mut value = serde_json::to_value(machine)?;
    value["identification"] = json!({
        "soc": answer.title(),
        "names": answer.candidates.iter().map(|one| &one.name).collect::<Vec<_>>(),
        "confidence": answer.confidence,
        "why": answer.why,
        "candidates": answer.candidates,
        "others": answer.others,
        "evidence": answer.evidence,
        "would_settle_it": answer.settle,
    });
    Ok(value)
}

fn text(machine: &Machine, answer: &Answer) -> String {
    let mut text = String::new();
    for (name, fact) in [
        ("Board", &machine.board),
        ("Kernel", &machine.kernel_release),
        ("Distribution", &machine.distribution),
        ("Virtualisation", &machine.virtualisation),
        ("Emulated", &machine.emulation),
    ] {
        if let Fact::Known(value) = fact
            && value != "none"
        {
            text.push_str(&soc::line(name, value));
        }
    }
    if let Fact::Known(kib) = machine.memory_kib {
        text.push_str(&soc::line("Memory", &format!("{} MiB", kib / 1024)));
    }
    for cluster in &machine.clusters {
        let clock = soc::advertised(machine, cluster);
        let cpus = explain::cpu_words(&cluster.cpus);
        let core_type = match &cluster.core_type {
            Fact::Known(name) => name.clone(),
            Fact::Missing { missing } => format!("unknown core type ({missing})"),
        };
        text.push_str(&soc::line(&cpus, &format!("{core_type}, {clock}")));
    }
    let _ = write!(text, "\n{}", soc::report(answer));
    text
}
