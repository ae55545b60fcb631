//! Format of the tables in `data/`: tab-separated, one header, equal numbers of columns, and a source in each row. The
//! readers of the tables check the contents.

use super::Problem;
use crate::workspace::File;

/// Column of every table: the reference for the facts of a row.
const SOURCE: &str = "source";

/// Format errors of a table. Lines that start with `#` are comments.
pub(super) fn check(file: &File) -> Vec<Problem> {
    let mut rows =
        file.text.lines().enumerate().map(|(index, line)| (index + 1, line)).filter(|(_, line)| !line.starts_with('#'));
    let problem = |line: usize, message: String| Problem::new(&file.path, line, message);
    let Some((header_line, header)) = rows.next() else { return vec![problem(1, "a table has a header".into())] };
    let columns: Vec<&str> = header.split('\t').collect();
    let mut problems = Vec::new();
    let source = columns.iter().position(|&column| column == SOURCE);
    if source.is_none() {
        problems.push(problem(header_line, format!("no column `{SOURCE}`")));
    }
    for (index, column) in columns.iter().enumerate() {
        if column.is_empty() || columns[..index].contains(column) {
            problems.push(problem(header_line, format!("column {} is empty or named twice: `{column}`", index + 1)));
        }
    }
    for (line, row) in rows {
        let cells: Vec<&str> = row.split('\t').collect();
        if cells.len() != columns.len() {
            problems.push(problem(line, format!("{} cells, but {} columns", cells.len(), columns.len())));
        } else if source.is_some_and(|source| cells[source].trim().is_empty()) {
            problems.push(problem(line, "no source".into()));
        } else if let Some(empty) = cells.iter().position(|cell| cell.is_empty()) {
            problems.push(problem(line, format!("`{}` is empty: a dash stands for nothing", columns[empty])));
        }
        if cells.iter().any(|cell| cell.trim() != *cell) {
            problems.push(problem(line, "blanks at the end of a cell".into()));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_equal_columns_and_a_source() {
        let check_text = |text: &str, expected: &[&str]| {
            let found: Vec<String> =
                check(&File { path: "data/a.tsv".into(), text: text.into() }).iter().map(Problem::to_string).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check_text("id\tsource\na\tmanual\n", &[]);
        check_text("# why\nid\tsource\na\tmanual\n", &[]);
        check_text("", &["data/a.tsv:1: a table has a header"]);
        check_text("id\nrow\n", &["data/a.tsv:1: no column `source`"]);
        check_text("id\tid\tsource\n", &["data/a.tsv:1: column 2 is empty or named twice: `id`"]);
        check_text(
            "id\tsource\na\nb\t\nc \tmanual\n\n\tmanual\n",
            &[
                "data/a.tsv:2: 1 cells, but 2 columns",
                "data/a.tsv:3: no source",
                "data/a.tsv:4: blanks at the end of a cell",
                "data/a.tsv:5: 1 cells, but 2 columns",
                "data/a.tsv:6: `id` is empty: a dash stands for nothing",
            ],
        );
    }
}
