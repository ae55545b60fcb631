//! Machines in the browser: all snapshots of `boards/`, dropped and in an archive, and pasted texts of `/proc/cpuinfo`. Text and
//! JSON equal those of `sbc-bench identify`.

use super::{binary, dropped, finished, path, watched};
use crate::web_page::browser::Browser;
use crate::workspace::{self, files_of};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BOARDS: &str = "boards";
const CPUINFO: &str = "crates/explain/tests/composed/cpuinfo";

/// Prints the number of machines; fails if one differs.
pub(super) fn identified(program: &str, file: &Path) -> Result<()> {
    let ours = binary()?;
    let boards = files_of(&workspace::root().join(BOARDS), &["board"])?;
    let mut browser = watched(program, file)?;
    let paths: Vec<String> = boards.iter().map(|board| path(board)).collect();
    dropped(&mut browser, &paths)?;
    same_texts(&mut browser, &ours, &boards, "--root")?;
    finished(&browser)?;
    // Two browsers would share a profile, and the second would end.
    drop(browser);

    let archive = workspace::target_folder()?.join("web/boards.tar.gz");
    let names = boards.iter().filter_map(|board| board.file_name());
    let folder = workspace::root().join(BOARDS);
    let packed = Command::new("tar").arg("-czf").arg(&archive).arg("-C").arg(folder).args(names).status();
    ensure!(packed.context("needs tar")?.success(), "tar failed");
    let mut browser = watched(program, file)?;
    dropped(&mut browser, &[path(&archive)])?;
    same_texts(&mut browser, &ours, &boards, "--root")?;
    finished(&browser)?;
    drop(browser);

    let texts = files_of(&workspace::root().join(CPUINFO), &["txt"])?;
    let mut browser = watched(program, file)?;
    for text in &texts {
        let quoted = serde_json::to_string(&fs::read_to_string(text)?)?;
        browser.evaluate(&format!("check.file.read({quoted})"))?;
    }
    same_texts(&mut browser, &ours, &texts, "--cpuinfo")?;
    finished(&browser)?;
    println!(
        "{} snapshots dropped and from an archive, {} pasted /proc/cpuinfo: text and JSON the same as those of the program",
        boards.len(),
        texts.len()
    );
    Ok(())
}

/// Compares the files that the browser saves for each machine with the output of the program.
fn same_texts(browser: &mut Browser, ours: &Path, files: &[PathBuf], option: &str) -> Result<()> {
    let listed = browser.evaluate("check.file.count()")?;
    ensure!(listed == files.len(), "{listed} of {} machines are listed", files.len());
    for (index, file) in files.iter().enumerate() {
        let page = browser.evaluate(&format!("check.file.result({index})"))?;
        ensure!(page.as_str().is_some_and(|page| page.contains("Identification")), "{}: no page", path(file));
        for (kind, json) in [("text", None), ("json", Some("--json"))] {
            let there = browser.evaluate(&format!("check.file.saved('{kind}')"))?;
            let mut command = Command::new(ours);
            let command = match option {
                "--root" => command.arg(option).arg(file).arg("identify"),
                _ => command.arg("identify").arg(option).arg(file),
            };
            let printed = command.args(json).output().context("the program does not start")?;
            ensure!(printed.status.success(), "{command:?}: {}", String::from_utf8_lossy(&printed.stderr));
            let here = String::from_utf8_lossy(&printed.stdout);
            if there.as_str() != Some(&here) {
                anyhow::bail!("{} as {kind}: {}", path(file), super::difference(&there, &here));
            }
        }
    }
    Ok(())
}
