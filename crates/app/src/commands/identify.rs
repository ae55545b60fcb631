//! `sbc-bench identify`: board, CPUs, clusters and memory, for this machine or a board file.

use crate::output;
use machine::Root;
use record::{Fact, Machine};
use std::fmt::Write;

pub(crate) fn run(root: &Root, json: bool) -> anyhow::Result<u8> {
    let machine = machine::identify(root);
    if json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&machine)?))?;
    } else {
        output::print(&text(&machine))?;
    }
    Ok(0)
}

fn text(machine: &Machine) -> String {
    let known = |fact: &Fact<String>| match fact {
        Fact::Known(value) => value.clone(),
        Fact::Missing { missing } => format!("not known ({missing})"),
    };
    let mut text = String::new();
    for (name, fact) in [
        ("Board", &machine.board),
        ("SoC", &machine.soc),
        ("Kernel", &machine.kernel_release),
        ("Distribution", &machine.distribution),
        ("Virtualisation", &machine.virtualisation),
    ] {
        let _ = writeln!(text, "{name:<15} {}", known(fact));
    }
    if let Fact::Known(kib) = machine.memory_kib {
        let _ = writeln!(text, "{:<15} {} MiB", "Memory", kib / 1024);
    }
    for cluster in &machine.clusters {
        let policy = machine
            .policies
            .iter()
            .find(|policy| Some(policy.policy) == cluster.policy);
        let top = policy.and_then(|policy| policy.clock_khz_max.known());
        let clock = top.map_or("no cpufreq".to_owned(), |khz| {
            format!("{} MHz claimed", khz / 1000)
        });
        let cpus = explain::cpu_list(&cluster.cpus);
        let _ = writeln!(
            text,
            "CPUs {cpus:<10} {}, {clock}",
            known(&cluster.core_type)
        );
    }
    text
}
