//! Output of `sbc-bench inspect identify` as text and JSON: facts about a machine and the SoC concluded from them.

use super::{Answer, advertised, line, report};
use record::{Fact, Machine};
use serde_json::json;
use std::fmt::Write;

/// Board, memory, clusters and the SoC with its evidence, in lines of at most 80 columns.
pub fn text(machine: &Machine, answer: &Answer) -> String {
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
            text.push_str(&line(name, value));
        }
    }
    if let Fact::Known(kib) = machine.memory_kib {
        text.push_str(&line("Memory", &format!("{} MiB", kib / 1024)));
    }
    let offline: Vec<u32> = machine.cpus.iter().filter(|cpu| !cpu.online).map(|cpu| cpu.cpu).collect();
    if !offline.is_empty() {
        text.push_str(&line("Offline", &format!("{} of {} CPUs", record::cpu_words(&offline), machine.cpus.len())));
    }
    for cluster in &machine.clusters {
        let clock = advertised(machine, cluster);
        let cpus = record::cpu_words(&cluster.cpus);
        let core_type = match &cluster.core_type {
            Fact::Known(name) => name.clone(),
            Fact::Missing { missing } => format!("unknown core type ({missing})"),
        };
        text.push_str(&line(&cpus, &format!("{core_type}, {clock}")));
    }
    let _ = write!(text, "\n{}", report(answer));
    text
}

/// Facts of the machine and the conclusions from them, as one JSON object.
pub fn json(machine: &Machine, answer: &Answer) -> String {
    // A Machine has text keys and finite numbers only, so it always is valid JSON.
    let mut value = serde_json::to_value(machine).unwrap_or_default();
    // Supplies identify nothing, and the browser does not read them.
    value.as_object_mut().and_then(|fields| fields.remove("supplies"));
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
    format!("{value:#}\n")
}
