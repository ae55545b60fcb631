//! Section: the machine: CPUs with their caches, memory, kernel.

use crate::draw::table::{cell, table, text};
use crate::{Section, Subject};
use facts::size_words;
use maud::{Markup, html};
use record::{Cpu, Fact, Machine, Survey};

pub(crate) const SECTION: Section = Section::folded("machine", "Machine", body);

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let modules = subject.facts.surveys.last().map(modules);
    facts(&subject.facts.machine, modules)
}

/// CPUs and facts of a machine; `None` if nothing is known. Memory modules come from an inspection.
pub(crate) fn facts(machine: &Machine, modules: Option<String>) -> Option<Markup> {
    let rows = rows(machine, modules);
    let groups = groups(&machine.cpus);
    if rows.is_empty() && groups.is_empty() {
        return None;
    }
    let group = |(cpus, core_type, caches): (Vec<u32>, String, String)| {
        vec![cell(record::cpu_list(&cpus)), cell(core_type), cell(caches)]
    };
    let groups: Vec<_> = groups.into_iter().map(group).collect();
    Some(html! {
        @if !groups.is_empty() {
            (table("CPUs that are alike", &[text("CPUs"), text("Core type"), text("Caches")], &groups))
        }
        @if !rows.is_empty() {
            table { tbody { @for (name, value) in rows { tr { th scope="row" { (name) } td.long { (facts::plain(&value)) } } } } }
        }
    })
}

/// CPUs of one core type with the same caches, online or not.
fn groups(cpus: &[Cpu]) -> Vec<(Vec<u32>, String, String)> {
    let mut groups: Vec<(Vec<u32>, String, String)> = Vec::new();
    for cpu in cpus {
        let core_type = cpu.core_type.known().map_or_else(|| "-".into(), |name| facts::plain(name));
        let core_type = if cpu.online { core_type } else { format!("{core_type}, offline") };
        let shared = |cache: &record::Cache| match cache.shared_cpus.len() {
            0 | 1 => String::new(),
            count => format!(" for {count} CPUs"),
        };
        let kind = |cache: &record::Cache| match cache.kind.as_str() {
            "Instruction" => "i",
            "Data" => "d",
            _ => "",
        };
        let caches = cpu.caches.iter();
        let caches = caches
            .map(|cache| format!("L{}{} {}{}", cache.level, kind(cache), size_words(cache.size_bytes), shared(cache)));
        let caches = caches.collect::<Vec<_>>().join(", ");
        match groups.iter_mut().find(|(_, other, others)| *other == core_type && *others == caches) {
            Some((numbers, _, _)) => numbers.push(cpu.cpu),
            None => groups.push((vec![cpu.cpu], core_type, caches)),
        }
    }
    groups
}

/// Memory modules of an inspection in words.
fn modules(survey: &Survey) -> String {
    let module = |module: &record::MemoryModule| {
        let rate = module.rate_mt.map_or(String::new(), |rate| format!(" at {rate} MT/s"));
        format!("{}{rate}", module.kind)
    };
    let mut told: Vec<String> = survey.memory.iter().map(module).collect();
    told.dedup();
    told.join(", ")
}

fn rows(machine: &Machine, modules: Option<String>) -> Vec<(&'static str, String)> {
    let text = |fact: &Fact<String>| fact.known().cloned().unwrap_or_default();
    let memory = machine.memory_kib.known().map(|kib| size_words(kib.saturating_mul(1024))).unwrap_or_default();
    let pages = machine.page_size_bytes.known().map(|bytes| size_words(u64::from(*bytes))).unwrap_or_default();
    let rows = [
        ("Board", text(&machine.board)),
        ("SoC", text(&machine.soc)),
        ("Memory", memory),
        ("Memory modules", modules.unwrap_or_default()),
        ("Kernel", text(&machine.kernel_release)),
        ("Kernel build", text(&machine.kernel_version)),
        ("Kernel architecture", text(&machine.kernel_arch)),
        ("Userland architecture", text(&machine.userland_arch)),
        ("Page size", pages),
        ("Distribution", text(&machine.distribution)),
        ("Built by", text(&machine.build_system)),
        ("Virtualisation", text(&machine.virtualisation)),
        ("Kernel command line", text(&machine.kernel_cmdline)),
    ];
    rows.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}
