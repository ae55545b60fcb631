//! Format of `data/reference.tsv`: writer and reader.
//!
//! Columns describe the row, then there is one column per key, and the source. A key that ends in `/core` has one value per
//! cluster, separated by `;` in the order of the column `cores`. `~` marks values that are not comparable, `!` lowered ones;
//! `-` is a missing value.

use super::{NOTHING, Row, RowCore, RowFigure, soc_key};
use facts::Verdict;
use facts::figures::FigureKey;
use record::table::{Row as Line, Table};
use std::collections::{BTreeMap, BTreeSet};

/// Columns before the keys.
const COLUMNS: [&str; 10] =
    ["board", "soc", "cores", "kernel", "distribution", "date", "version", "verdict", "name", "userland_bits"];
/// Number of columns that every version writes.
const FIRST_COLUMNS: usize = 8;
/// The last column.
const SOURCE: &str = "source";
/// Suffix of a key with one value per cluster.
const PER_CORE: &str = "/core";

/// Writes a table, without a comment above it.
pub fn write(rows: &[Row]) -> String {
    let mut keys: BTreeSet<(&FigureKey, bool)> = BTreeSet::new();
    for (key, figures) in rows.iter().flat_map(|row| &row.figures) {
        keys.extend(figures.iter().map(|figure| (key, figure.cluster.is_some())));
    }
    let header =
        keys.iter().map(|(key, per_core)| if *per_core { format!("{key}{PER_CORE}") } else { key.to_string() });
    let mut header: Vec<String> = COLUMNS.into_iter().map(str::to_owned).chain(header).collect();
    header.push(SOURCE.to_owned());
    let mut text = header.join("\t") + "\n";
    for row in rows {
        text.push_str(&(cells(row, &keys).join("\t") + "\n"));
    }
    text
}

fn cells(row: &Row, keys: &BTreeSet<(&FigureKey, bool)>) -> Vec<String> {
    let cell = |text: &Option<String>| text.clone().unwrap_or_else(|| NOTHING.to_owned());
    let cores: Vec<String> = row.cores.iter().map(core).collect();
    let mut cells = vec![
        cell(&row.board),
        cell(&row.soc),
        cell(&Some(cores.join(";")).filter(|cores| !cores.is_empty())),
        cell(&row.kernel),
        cell(&row.distribution),
        cell(&row.date),
        cell(&row.version),
        row.verdict.to_string(),
        cell(&row.name),
        cell(&row.userland_bits.map(|bits| bits.to_string())),
    ];
    cells.extend(keys.iter().map(|(key, per_core)| values(row, key, *per_core)));
    cells.push(row.source.clone());
    cells
}

/// `4x Cortex-A55`.
fn core(core: &RowCore) -> String {
    let name = core.core_type.as_deref().unwrap_or(NOTHING);
    format!("{}x {}", core.count, name.replace(';', ","))
}

fn values(row: &Row, key: &FigureKey, per_core: bool) -> String {
    let one = |cluster| row.figure(key, cluster).map_or(String::new(), value);
    let text = if per_core {
        // Machines without known clusters have one.
        let clusters = 0..row.cores.len().max(1);
        let all: Vec<String> = clusters.map(|index| one(Some(index))).collect();
        all.join(";").trim_end_matches(';').to_owned()
    } else {
        one(None)
    };
    if text.is_empty() { NOTHING.to_owned() } else { text }
}

/// Formats a value with at least four digits, which exceeds its precision.
fn value(figure: &RowFigure) -> String {
    let decimals = match figure.value {
        value if value >= 1000.0 => 0,
        value if value >= 100.0 => 1,
        _ => 2,
    };
    let mark = if figure.comparable { "" } else { "~" };
    let lowered = if figure.sound { "" } else { "!" };
    let text = format!("{lowered}{mark}{:.decimals$}", figure.value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Reads a table; lines that begin with `#` are comments.
///
/// # Errors
/// The first error as a phrase.
pub fn parse(text: &str) -> Result<Vec<Row>, String> {
    let table = Table::of(text);
    let header: Vec<&str> = table.columns().collect();
    let keys = match header.as_slice() {
        [] => return Err("no header".to_owned()),
        [fixed @ .., last] if *last == SOURCE && fixed.starts_with(&COLUMNS[..FIRST_COLUMNS]) => {
            // Earlier versions write neither the name for people nor the word size.
            let known = fixed.iter().zip(COLUMNS).take_while(|(found, column)| *found == column).count();
            &fixed[known..]
        }
        _ => return Err("unexpected columns".to_owned()),
    };
    let columns = header.len() - keys.len() - 1;
    let keys: Vec<(FigureKey, bool)> = keys.iter().map(|column| parse_key(column)).collect();
    let wrong = |line: &Line| format!("line {}: wrong format", line.line_number());
    table.rows().map(|line| row(line, columns, &keys).ok_or_else(|| wrong(&line))).collect()
}

/// Key of a column, and whether it has a value per cluster.
fn parse_key(column: &str) -> (FigureKey, bool) {
    let of_core = column.strip_suffix(PER_CORE);
    let Ok(key) = of_core.unwrap_or(column).parse();
    (key, of_core.is_some())
}

fn row(line: Line, columns: usize, keys: &[(FigureKey, bool)]) -> Option<Row> {
    let cells: Vec<&str> = line.cells().collect();
    let (fixed, rest) = cells.split_at_checked(columns)?;
    let (source, values) = rest.split_last()?;
    if values.len() != keys.len() {
        return None;
    }
    let text = |index: usize| fixed.get(index).map(|cell| (*cell).to_owned()).filter(|cell| cell != NOTHING);
    let cores: Option<Vec<RowCore>> = match text(2) {
        None => Some(Vec::new()),
        Some(cores) => cores.split(';').map(parse_core).collect(),
    };
    let mut figures: BTreeMap<FigureKey, Vec<RowFigure>> = BTreeMap::new();
    for ((key, per_core), cell) in keys.iter().zip(values).filter(|(_, cell)| **cell != NOTHING) {
        let known = figures.entry(key.clone()).or_default();
        known.extend(parse_values(cell, *per_core)?);
    }
    Some(Row {
        source: (*source).to_owned(),
        board: text(0),
        soc_key: text(1).as_deref().map(soc_key),
        soc: text(1),
        cores: cores?,
        kernel: text(3),
        distribution: text(4),
        date: text(5),
        version: text(6),
        name: text(8),
        userland_bits: text(9).and_then(|bits| bits.parse().ok()),
        is_published: true,
        verdict: match fixed[7] {
            "valid" => Verdict::Valid,
            "unproven" => Verdict::Unproven,
            "degraded" => Verdict::Degraded,
            "invalid" => Verdict::Invalid,
            _ => return None,
        },
        figures,
    })
}

fn parse_core(text: &str) -> Option<RowCore> {
    let (count, name) = text.split_once("x ")?;
    Some(RowCore { count: count.parse().ok()?, core_type: Some(name.to_owned()).filter(|name| name != NOTHING) })
}

fn parse_values(cell: &str, per_core: bool) -> Option<Vec<RowFigure>> {
    let one = |(index, text): (usize, &str)| {
        let (text, sound) = match text.strip_prefix('!') {
            Some(text) => (text, false),
            None => (text, true),
        };
        let (text, comparable) = match text.strip_prefix('~') {
            Some(text) => (text, false),
            None => (text, true),
        };
        let value: f64 = text.parse().ok()?;
        (value > 0.0 && value.is_finite()).then_some(RowFigure {
            cluster: per_core.then_some(index),
            value,
            comparable,
            sound,
        })
    };
    let parts = cell.split(';').enumerate();
    parts.filter(|(_, text)| !text.is_empty()).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, log, point, with_clocks, with_step};
    use crate::tests::explained_by;
    use expect_test::expect;
    use facts::Facts;
    use record::{Variant, WorkloadId};

    #[test]
    fn row_is_written_and_read_back() {
        let mut record = with_clocks(log("0.9.72"), Variant::COLD, vec![point(0, 1_800_000, 1_799_000)]);
        for (variant, cpus, mips) in [(Variant::SINGLE, &[0_u32][..], 1420), (Variant::MULTI, &[], 5345)] {
            let score = compression(mips);
            record = with_step(record, WorkloadId::SevenZip, variant, cpus, (0.0, 1.0), score);
        }
        record.steps[1].not_comparable = Some("small dictionaries".into());
        record.machine.board = record::Fact::Known("Odd\tboard\nname".into());
        record.run.started = record::Fact::Known(1_700_000_000_000);
        let rows = vec![Row::of(&Facts::of(&record), &explained_by(Vec::new()), "x.txt")];
        let text = write(&rows);
        expect![[r#"
            board	soc	cores	kernel	distribution	date	version	verdict	name	userland_bits	clock@1 cold/core	sevenzip@1 multi	sevenzip@1 single/core	source
            Odd board name	-	4x Cortex-A53	-	-	2023-11-14	0.9.72	valid	-	-	1799	5345	~1420	x.txt
        "#]]
        .assert_eq(&text);
        let published: Vec<Row> = rows.into_iter().map(|row| Row { is_published: true, ..row }).collect();
        assert_eq!(parse(&text).unwrap(), published);
    }

    #[test]
    fn values_keep_their_place() {
        let figure = |cluster, value, comparable| RowFigure { cluster, value, comparable, sound: true };
        for (cell, per_core, expected) in [
            (";2304", true, Some(vec![figure(Some(1), 2304.0, true)])),
            ("1.5;~2", true, Some(vec![figure(Some(0), 1.5, true), figure(Some(1), 2.0, false)])),
            ("7", false, Some(vec![figure(None, 7.0, true)])),
            ("!7", false, Some(vec![RowFigure { sound: false, ..figure(None, 7.0, true) }])),
            ("!~7", false, Some(vec![RowFigure { sound: false, ..figure(None, 7.0, false) }])),
            ("seven", false, None),
            ("-3", false, None),
        ] {
            assert_eq!(parse_values(cell, per_core), expected, "{cell}");
        }
    }

    #[test]
    fn broken_table_is_named() {
        for (text, expected) in [("", "no header"), ("board\tsource\n", "unexpected columns")] {
            assert_eq!(parse(text).unwrap_err(), expected);
        }
        let broken = write(&[]) + "too few cells\n";
        assert_eq!(parse(&broken).unwrap_err(), "line 2: wrong format");
    }
}
