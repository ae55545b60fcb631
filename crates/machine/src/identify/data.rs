//! Reader of the tables in `data/`: facts about the world, one row each, with their source.
//!
//! It splits rows and finds columns; what a row means is the business of whoever asks. The tables
//! are part of the program, so a broken one is a defect that its lint test finds, not an error at
//! run time.

/// A table: a header and rows, tab separated.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

/// One row of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    table: &'a Table,
    cells: &'a [&'static str],
}

impl Table {
    /// Parses a table: lines that begin with `#` are comments, the first other line is the header.
    pub(crate) fn parse(text: &'static str) -> Self {
        let mut lines = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(|line| line.split('\t').collect::<Vec<_>>());
        let columns = lines.next().unwrap_or_default();
        Self { columns, rows: lines.collect() }
    }

    /// Names of CPU cores.
    pub(crate) fn cpu_parts() -> Self {
        Self::parse(include_str!("../../../../data/cpu_parts.tsv"))
    }

    /// Microarchitectures of x86 CPUs.
    pub(crate) fn x86_cores() -> Self {
        Self::parse(include_str!("../../../../data/x86_cores.tsv"))
    }

    /// Makers of SoCs.
    pub(crate) fn soc_vendors() -> Self {
        Self::parse(include_str!("../../../../data/soc_vendors.tsv"))
    }

    /// Names that firmware gives wrongly or not at all.
    pub(crate) fn board_names() -> Self {
        Self::parse(include_str!("../../../../data/board_names.tsv"))
    }

    /// Traces of vendors in kernels.
    pub(crate) fn kernel_traces() -> Self {
        Self::parse(include_str!("../../../../data/kernel_traces.tsv"))
    }

    /// Memory of boards that do not tell it.
    pub(crate) fn board_memory() -> Self {
        Self::parse(include_str!("../../../../data/board_memory.tsv"))
    }

    /// Names of PCI devices that are on many boards.
    pub(crate) fn pci_names() -> Self {
        Self::parse(include_str!("../../../../data/pci_names.tsv"))
    }

    /// Every row, in order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { table: self, cells })
    }
}

impl Row<'_> {
    /// The cell of this column; empty if the row has none.
    pub(crate) fn get(&self, column: &str) -> &'static str {
        let index = self.table.columns.iter().position(|name| *name == column);
        index.and_then(|index| self.cells.get(index).copied()).unwrap_or_default()
    }

    /// The cell as a number, decimal or `0x...`; none for `-`.
    pub(crate) fn number(&self, column: &str) -> Option<u64> {
        parse_number(self.get(column))
    }
}

/// A number as kernel files and tables write it: decimal, or hexadecimal behind `0x`.
pub(crate) fn parse_number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every row has all columns, none is blank, and no key stands twice.
    fn lint(name: &str, table: &Table, key: &[&str]) {
        assert!(table.rows().count() > 5, "{name} has rows");
        assert_eq!(table.columns.last(), Some(&"source"), "{name}");
        let mut seen = BTreeSet::new();
        for row in table.rows() {
            assert_eq!(row.cells.len(), table.columns.len(), "{name}: {row:?}");
            assert!(row.cells.iter().all(|cell| !cell.trim().is_empty()), "{name}: {row:?}");
            let key: Vec<_> = key.iter().map(|column| row.get(column)).collect();
            assert!(seen.insert(key.clone()), "{name}: {key:?} stands twice");
        }
    }

    #[test]
    fn tables_are_sound() {
        let parts = Table::cpu_parts();
        lint("cpu_parts", &parts, &["isa", "vendor", "part", "variant"]);
        lint("x86_cores", &Table::x86_cores(), &["vendor", "family", "model_min"]);
        lint("soc_vendors", &Table::soc_vendors(), &["prefix"]);
        lint("board_names", &Table::board_names(), &["field", "value"]);
        lint("kernel_traces", &Table::kernel_traces(), &["id"]);
        lint("board_memory", &Table::board_memory(), &["compatible"]);
        lint("pci_names", &Table::pci_names(), &["vendor", "device"]);
        for row in parts.rows().filter(|row| row.get("isa") != "riscv-uarch") {
            assert!(row.number("vendor").is_some(), "{row:?}");
            for column in ["part", "variant"] {
                let dash = row.get(column) == "-";
                assert!(dash || row.number(column).is_some(), "{row:?}");
            }
        }
    }

    #[test]
    fn ranges_of_x86_models_do_not_overlap() {
        let table = Table::x86_cores();
        let ranges: Vec<_> = table
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

    #[test]
    fn numbers_are_decimal_or_hexadecimal() {
        for (text, number) in [("0xd03", Some(0xd03)), ("12", Some(12)), ("-", None), ("0x", None), ("", None)] {
            assert_eq!(parse_number(text), number, "{text}");
        }
    }
}
