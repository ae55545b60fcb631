//! Core types of figures with normalised names.

use record::{Record, Source};
use serde::Serialize;
use std::collections::BTreeSet;

/// Core that a figure belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Core {
    /// Name of the core type, if known.
    pub core_type: Option<String>,
    /// Index in `Machine::clusters`, or in `Machine::policies` where clusters are not known.
    pub cluster: usize,
    /// CPUs of that cluster.
    pub cpus: Vec<u32>,
    /// True if another cluster of the machine has the same core type.
    #[serde(skip)]
    pub is_one_of_several: bool,
}

impl Core {
    /// Cluster of a CPU. If clusters are unknown, the CPUs of its policy; without a policy, the CPU alone.
    pub(super) fn of_cpu(record: &Record, cpu: u32) -> Self {
        let clusters = record.machine.clusters.iter().map(|cluster| &cluster.cpus);
        let policies = record.machine.policies.iter().map(|policy| &policy.cpus);
        let has_it = |(_, cpus): &(usize, &Vec<u32>)| cpus.contains(&cpu);
        let core_type = core_name(record, cpu);
        let is_another_alike = |cpus: &Vec<u32>| {
            let first = cpus.first().filter(|_| !cpus.contains(&cpu));
            core_type.is_some() && first.is_some_and(|first| core_name(record, *first) == core_type)
        };
        let of_clusters = clusters.clone().enumerate().find(has_it);
        let is_one_of_several = of_clusters.is_some() && clusters.clone().any(is_another_alike);
        let found = of_clusters.or_else(|| policies.enumerate().find(has_it).filter(|_| kinds(record) > 1));
        let (cluster, cpus) = found.map_or_else(|| (0, vec![cpu]), |(index, cpus)| (index, cpus.clone()));
        Self { core_type, cluster, cpus, is_one_of_several }
    }

    /// Unknown core.
    pub(super) fn unknown() -> Self {
        Self { core_type: None, cluster: 0, cpus: Vec::new(), is_one_of_several: false }
    }

    /// Core type, with the CPUs if it is ambiguous; otherwise the CPUs alone.
    pub fn label(&self) -> String {
        match &self.core_type {
            Some(name) if self.is_one_of_several => format!("{name} on {}", record::cpu_words(&self.cpus)),
            Some(name) => name.clone(),
            None if self.cpus.is_empty() => "one core".to_owned(),
            None => record::cpu_words(&self.cpus),
        }
    }
}

/// Core type of a CPU in one spelling. For logs without core types, the model in `lscpu` if there is one cluster.
pub fn core_name(record: &Record, cpu: u32) -> Option<String> {
    let machine = &record.machine;
    let clusters = machine.clusters.iter();
    let of_cluster =
        clusters.filter(|cluster| cluster.cpus.contains(&cpu)).find_map(|cluster| cluster.core_type.known());
    let of_cpu = || {
        let mut cpus = machine.cpus.iter().filter(|known| known.cpu == cpu);
        cpus.find_map(|known| known.core_type.known())
    };
    let name = of_cluster.or_else(of_cpu).or_else(|| only_model(record))?;
    let name = plain(name);
    (!name.is_empty()).then_some(name)
}

/// Number of kinds of cores: the number of clusters, or of policies with OPP lists if clusters are unknown.
fn kinds(record: &Record) -> usize {
    let machine = &record.machine;
    let opps: BTreeSet<&[u32]> = machine.policies.iter().map(|policy| policy.opps_khz.as_slice()).collect();
    if machine.clusters.is_empty() { opps.len() } else { machine.clusters.len() }
}

/// Model in `lscpu` of a log if all CPUs belong to one cluster; if clusters are unknown, policies show whether there
/// are several. `ARMv7 Processor rev 5 (v7l)` names an architecture, not a core.
fn only_model(record: &Record) -> Option<&String> {
    if !matches!(record.source, Source::Log(_)) || kinds(record) > 1 {
        return None;
    }
    let mut models = record.machine.features.iter();
    let model = models.find(|feature| feature.name == "lscpu/Model name")?;
    let is_architecture = model.value.contains("ARMv") || model.value.starts_with("rv64");
    (!is_architecture).then_some(&model.value)
}

/// `Intel(R) Celeron(R) CPU  J1900  @ 1.99GHz` and `Celeron J1900 @ 1.99GHz` are one core type.
fn plain(name: &str) -> String {
    let name = name.split(" @").next().unwrap_or(name);
    let name = name.replace("(R)", " ").replace("(TM)", " ");
    let name = name.replace("(tm)", " ");
    let noise = |word: &&str| !matches!(*word, "Intel" | "AMD" | "CPU" | "Processor");
    let words: Vec<&str> = name.split_whitespace().filter(noise).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_have_one_spelling() {
        for (name, expected) in [
            ("Cortex-A76", "Cortex-A76"),
            ("Intel(R) Celeron(R) CPU  J1900  @ 1.99GHz", "Celeron J1900"),
            ("Celeron J1900 @ 1.99GHz", "Celeron J1900"),
            ("Intel(R) Atom(TM) Processor E3950 @ 1.60GHz", "Atom E3950"),
            ("Qualcomm Kryo 4XX Gold", "Qualcomm Kryo 4XX Gold"),
            ("Zen 4", "Zen 4"),
        ] {
            assert_eq!(plain(name), expected);
        }
    }
}
