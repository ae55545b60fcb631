//! How long a page takes and how large it is: of a standard run, of a log, and of a recording of a day at ten rows a second,
//! which is written for it into the target directory.

use crate::{recording, workspace};
use anyhow::Result;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Pages that are timed of each file; the fastest counts.
const PAGES: usize = 5;
/// A standard run and a log, in the folder of the tests of `explain`.
const SMALL: [&str; 2] = ["own/two-policies.json", "composed/0.9.72-three-clusters.txt"];
const HOURS: f64 = 24.0;

/// Prints a line for each.
pub(super) fn main(binary: &Path) -> Result<()> {
    let tests = workspace::root().join("crates/explain/tests");
    for file in SMALL {
        line(binary, &tests.join(file), PAGES)?;
    }
    let day = workspace::target_folder()?.join("day.rec");
    if !day.exists() {
        recording::write(&day, HOURS)?;
    }
    line(binary, &day, 1)
}

fn line(binary: &Path, file: &Path, pages: usize) -> Result<()> {
    let page = workspace::target_folder()?.join("page.html");
    let mut best_ms = f64::INFINITY;
    for _ in 0..pages {
        let begin = Instant::now();
        workspace::said(Command::new(binary).arg("report").arg(file).arg("--html").arg(&page))?;
        best_ms = best_ms.min(begin.elapsed().as_secs_f64() * 1000.0);
    }
    let (read, written) = (file.metadata()?.len(), page.metadata()?.len());
    println!(
        "page of {:<40} {best_ms:>7.0} ms, {:>6.0} kB from {:>8.0} kB",
        file.file_name().unwrap_or_default().to_string_lossy(),
        written as f64 / 1e3,
        read as f64 / 1e3
    );
    Ok(())
}
