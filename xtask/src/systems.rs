//! `cargo xtask systems`: checks reports for other systems, and the files of `deploy`, `packaging` and `.github`, with
//! the programs that read them or by their published schemas. `systems/consumers.py` does; missing programs are reported and
//! counted.

use crate::workspace;
use anyhow::{Context, Result, bail, ensure};
use std::process::Command;

/// Exit status of the script if a reader is missing.
const NOT_HERE: i32 = 77;

/// Prints a row for each check; fails if any is refused, or if a tool is missing where nothing may be skipped.
pub(crate) fn main() -> Result<()> {
    let program = crate::farms::built()?.context("no build of sbc-bench: run cargo build -p sbc-bench")?;
    println!("program: {}", program.display());
    let (root, script) = (workspace::root(), "xtask/src/systems/consumers.py");
    let mut python = Command::new("python3");
    python.arg("-B").arg(root.join(script)).arg(program).arg(&root).arg(workspace::target_folder()?);
    match python.status().context("python3")?.code() {
        Some(0) => Ok(()),
        Some(NOT_HERE) => {
            ensure!(std::env::var_os("SBC_BENCH_NO_SKIP").is_none(), "not tried, and SBC_BENCH_NO_SKIP is set");
            Ok(())
        }
        _ => bail!("some were refused"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// Keys of a dictionary of the script, or the first words of its rows.
    fn names(table: &str) -> BTreeSet<&'static str> {
        let script = include_str!("systems/consumers.py");
        let (_, rest) = script.split_once(&format!("\n{table} = ")).unwrap();
        let lines = rest.lines().skip(1).take_while(|line| line.starts_with(' '));
        lines.filter_map(|line| line.split('"').nth(1)).collect()
    }

    #[test]
    fn every_documented_format_is_read_or_excused() {
        let documented = include_str!("../../docs/other-systems.md");
        let rows: Vec<Vec<&str>> = documented.lines().map(|line| line.split('|').collect()).collect();
        let rows = rows.iter().filter(|cells| cells.len() > 3 && cells[2].contains('`'));
        let (formats, unread) = (names("FORMATS"), names("UNREAD"));
        let mut count = 0;
        for cells in rows {
            let is_read = formats.contains(cells[2].trim_matches([' ', '`']));
            let is_excused = unread.iter().any(|system| cells[1].contains(system));
            assert!(is_read != is_excused, "{cells:?}");
            count += 1;
        }
        assert_eq!(count, formats.len() + unread.len());
    }

    #[test]
    fn consumers_know_every_check() {
        let script = include_str!("systems/consumers.py");
        for table in ["FORMATS", "FILES", "PACKAGES"] {
            for check in names(table) {
                assert!(script.contains(&format!("\ndef {check}(")), "{check}");
            }
        }
    }
}
