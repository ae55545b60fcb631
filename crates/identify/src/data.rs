//! Tables in `data/` that identify a machine.

pub(crate) use record::table::{Row, Table, parse_number};

/// Names of CPU cores.
pub(crate) const CPU_PARTS: Table = Table::of(include_str!("../../../data/cpu_parts.tsv"));
/// Microarchitectures of x86 CPUs.
pub(crate) const X86_CORES: Table = Table::of(include_str!("../../../data/x86_cores.tsv"));
/// Makers of SoCs.
pub(crate) const SOC_VENDORS: Table = Table::of(include_str!("../../../data/soc_vendors.tsv"));
/// Corrections for wrong or missing names in firmware.
pub(crate) const BOARD_NAMES: Table = Table::of(include_str!("../../../data/board_names.tsv"));

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every key is unique.
    fn lint(name: &str, table: Table, key: &[&str]) {
        assert!(table.rows().count() > 5, "{name} has rows");
        let mut seen = BTreeSet::new();
        for row in table.rows() {
            let key: Vec<_> = key.iter().map(|column| row.get(column)).collect();
            assert!(seen.insert(key.clone()), "{name}: {key:?} stands twice");
        }
    }

    #[test]
    fn tables_are_sound() {
        lint("cpu_parts", CPU_PARTS, &["isa", "vendor", "part", "variant"]);
        lint("x86_cores", X86_CORES, &["vendor", "family", "model_min"]);
        lint("soc_vendors", SOC_VENDORS, &["prefix"]);
        lint("board_names", BOARD_NAMES, &["field", "value"]);
        for row in CPU_PARTS.rows().filter(|row| row.get("isa") != "riscv-uarch") {
            assert!(row.number("vendor").is_some(), "{row:?}");
            for column in ["part", "variant"] {
                let dash = row.get(column) == "-";
                assert!(dash || row.number(column).is_some(), "{row:?}");
            }
        }
    }

    #[test]
    fn ranges_of_x86_models_do_not_overlap() {
        let ranges: Vec<_> = X86_CORES
            .rows()
            .map(|row| {
                let number = |column| row.number(column).expect("a number");
                (row.get("vendor"), number("family"), number("model_min")..=number("model_max"))
            })
            .collect();
        for (index, (vendor, family, models)) in ranges.iter().enumerate() {
            assert!(models.start() <= models.end());
            for (other_vendor, other_family, other) in &ranges[index + 1..] {
                let same = vendor == other_vendor && family == other_family;
                let apart = models.end() < other.start() || other.end() < models.start();
                assert!(!same || apart, "{vendor} {family} {models:?} {other:?}");
            }
        }
    }
}
