//! Tables in `data/` for the inspection.

pub(crate) use record::table::Row;
use record::table::Table;

/// Traces of vendor kernels.
pub(crate) const KERNEL_TRACES: Table = Table::of(include_str!("../../../../data/kernel_traces.tsv"));
/// Memory of boards that do not report it.
pub(crate) const BOARD_MEMORY: Table = Table::of(include_str!("../../../../data/board_memory.tsv"));
/// Names of PCI devices on common boards.
pub(crate) const PCI_NAMES: Table = Table::of(include_str!("../../../../data/pci_names.tsv"));

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_key_stands_twice() {
        for (name, table, key) in [
            ("kernel_traces", KERNEL_TRACES, &["id"][..]),
            ("board_memory", BOARD_MEMORY, &["compatible"]),
            ("pci_names", PCI_NAMES, &["vendor", "device"]),
        ] {
            assert!(table.rows().count() > 5, "{name} has rows");
            let mut seen = BTreeSet::new();
            for row in table.rows() {
                let key: Vec<_> = key.iter().map(|column| row.get(column)).collect();
                assert!(seen.insert(key.clone()), "{name}: {key:?} stands twice");
            }
        }
    }
}
