//! Which core types a machine has, by name.

use record::Record;

/// The names of all core types that are known, each once, in order.
pub fn core_types(record: &Record) -> Vec<&str> {
    let clusters = record.machine.clusters.iter();
    let names = clusters.filter_map(|cluster| cluster.core_type.known());
    let mut names: Vec<&str> = names.map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::own_run;
    use record::{Cluster, Fact};

    #[test]
    fn each_type_is_named_once() {
        let mut record = own_run();
        let mut cluster = |core_type| {
            record.machine.clusters.push(Cluster { core_type, ..Cluster::default() });
        };
        cluster(Fact::Known("Cortex-A76".into()));
        cluster(Fact::Known("Cortex-A53".into()));
        cluster(Fact::not_in_log());
        assert_eq!(core_types(&record), ["Cortex-A53", "Cortex-A76"]);
    }
}
