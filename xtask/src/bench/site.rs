//! How long a site of thousands of results takes to build, how long with ten new ones, and how much memory that needs.
//!
//! Its results are the logs of the tests, or of a directory that is named, copied until there are enough, with every score
//! of each copy a little different. The directory for them is made in the target directory.

use super::figures::limit;
use crate::{web_page, workspace};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Number of new results at the second build.
const NEW: usize = 10;

/// Builds the site twice and prints a line for each build.
pub(super) fn main(binary: &Path, results: usize) -> Result<()> {
    let folder = workspace::target_folder()?.join("site");
    workspace::empty(&folder)?;
    let (shelf, out) = (folder.join("shelf"), folder.join("out"));
    fs::create_dir_all(&shelf)?;
    let logs = logs()?;
    println!("{} logs, {results} results with varied figures", logs.len());
    let put = |at: usize| {
        let text = varied(&logs[at % logs.len()], at);
        fs::write(shelf.join(format!("{at:06}.txt")), text)
    };
    (0..results).try_for_each(put)?;
    build(binary, &shelf, &out, "built")?;
    (results..results + NEW).try_for_each(put)?;
    build(binary, &shelf, &out, "with 10 new results")?;
    build(binary, &shelf, &out, "with nothing new")?;
    let index = fs::read_to_string(out.join("index.html"))?;
    let (first, _) = index.split_once("<script id=\"rows\"").unwrap_or((&index, ""));
    println!("  {}", limit("first page before its search data", Some(first.len() as f64 / 1e3), 300.0, "kB"));
    let painted = web_page::opened(&out.join("index.html"))?.map(|page| page.painted_ms);
    println!("  {}", limit("first plot in Chromium", painted, 300.0, "ms"));
    println!("whole first page: {:.0} kB", index.len() as f64 / 1e3);
    Ok(())
}

fn build(binary: &Path, shelf: &Path, out: &Path, what: &str) -> Result<()> {
    let begin = Instant::now();
    let mut child = Command::new(binary);
    child.arg("site").arg(shelf).arg("--out").arg(out).args(["--url", "https://example.org"]);
    let mut child = child.spawn().with_context(|| binary.display().to_string())?;
    let mut most_kib = 0;
    let status = loop {
        // `VmHWM` never falls, so that the last look has the peak but for the very end.
        most_kib = most_kib.max(super::process::peak_kib(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    let seconds = begin.elapsed().as_secs_f64();
    // 1: a log of the corpus may hold no result.
    ensure!(matches!(status.code(), Some(0 | 1)), "the site was not built: {status}");
    println!("site {what:<22} {seconds:>6.2} s, at most {:>4.0} MB of memory", most_kib as f64 * 1.024 / 1e3);
    Ok(())
}

/// Texts of logs: the corpus that the tests look for, and what was composed for them.
fn logs() -> Result<Vec<String>> {
    let corpus = crate::corpus::corpus();
    let parts = corpus.iter().flat_map(|corpus| ["open", "more"].map(|part| corpus.join(part).join("results")));
    let mut logs = Vec::new();
    for folder in parts.chain([workspace::root().join("crates/explain/tests/composed")]) {
        for file in workspace::files_of(&folder, &["txt"])? {
            logs.push(String::from_utf8_lossy(&fs::read(&file)?).into_owned());
        }
    }
    ensure!(!logs.is_empty(), "there is no log to make results of");
    Ok(logs)
}

/// The log with its scores changed by up to 3 %: numbers of four to six digits in the rows of 7-zip.
fn varied(log: &str, copy: usize) -> String {
    let factor = 1.0 + (copy * 37 % 61) as f64 / 1000.0 - 0.03;
    let of_word = |word: &str| match word.parse::<u32>() {
        Ok(number) if (1000..1_000_000).contains(&number) => {
            format!("{:>width$}", (f64::from(number) * factor).round(), width = word.len())
        }
        _ => word.to_owned(),
    };
    let is_score = |line: &str| {
        ["Tot:", "Avr:", "22:", "23:", "24:", "25:"].iter().any(|start| line.trim_start().starts_with(start))
    };
    let line = |line: &str| {
        if is_score(line) { line.split(' ').map(of_word).collect::<Vec<String>>().join(" ") } else { line.to_owned() }
    };
    let lines: Vec<String> = log.lines().map(line).collect();
    // Copies without such rows differ in an irrelevant line.
    format!("{}\ncopy {copy}\n", lines.join("\n"))
}
