//! How long a page takes to make and until it can be used, how large it is and what it requests: of a standard run, a thermal
//! test, a log, and a recording of a day at ten rows a second, which is written for it into the target directory.

use super::figures::limit;
use crate::{recording, web_page, workspace};
use anyhow::Result;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Number of timings; the fastest counts.
const TIMES: usize = 5;
/// A standard run, a thermal test and a log, in the directory of crates.
const SMALL: [&str; 3] =
    ["explain/tests/own/two-policies.json", "page/tests/thermal.json", "explain/tests/composed/0.9.72-hot.txt"];
const HOURS: f64 = 24.0;

/// Prints figures and limits of each.
pub(super) fn main(binary: &Path) -> Result<()> {
    let crates = workspace::root().join("crates");
    for file in SMALL {
        figures(binary, &crates.join(file), TIMES)?;
    }
    let day = workspace::target_folder()?.join("day.rec");
    if !day.exists() {
        recording::write(&day, HOURS)?;
    }
    figures(binary, &day, 1)
}

fn figures(binary: &Path, file: &Path, times: usize) -> Result<()> {
    let page = workspace::target_folder()?.join("page.html");
    let mut best_ms = f64::INFINITY;
    for _ in 0..times {
        let begin = Instant::now();
        workspace::said(Command::new(binary).arg("report").arg(file).arg("--html").arg(&page))?;
        best_ms = best_ms.min(begin.elapsed().as_secs_f64() * 1000.0);
    }
    println!("page of {}:", workspace::name(file));
    println!("  {}", limit("made, with the start of the program", Some(best_ms), 15.0, "ms"));
    println!("  {}", limit("size", Some(page.metadata()?.len() as f64 / 1e3), 300.0, "kB"));
    let opened = web_page::opened(&page)?;
    println!("  {}", limit("can be used in Chromium", opened.as_ref().map(|page| page.usable_ms), 200.0, "ms"));
    println!("  {}", limit("requests", opened.map(|page| page.requests as f64), 1.0, ""));
    Ok(())
}
