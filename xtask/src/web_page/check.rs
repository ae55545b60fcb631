//! The HTML file in Chromium: its pages equal those of the program byte for byte, it requests nothing, and its times are
//! measured.

mod hub;
pub(super) mod looks;
mod machines;
mod reader;
mod site;

use super::browser::{self, Browser};
use crate::recording;
use crate::workspace::{self, name};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use web::{Results, Selection};

/// One log, as a reader opens it.
pub(super) const ONE: &str = "crates/explain/tests/composed/0.9.72-three-clusters.txt";
/// Directory of logs composed for the tests.
const COMPOSED: &str = "crates/explain/tests/composed";
/// Directories of logs and results of the checkout.
const OWN: [&str; 3] = [COMPOSED, "crates/explain/tests/made", "crates/explain/tests/own"];
/// Directories of the collection of published logs.
const COLLECTED: [&str; 4] = ["open/results", "open/results/reviews", "more/results", "more/results/reviews"];
/// Number of logs that are dropped at once.
const SEVERAL: usize = 200;
/// Interval of pages that are also compared with the output of the program.
const ASKED: usize = 10;
/// Number of timings; the fastest counts.
const TIMES: usize = 5;
/// Duration of a recording at ten rows per second.
const HOURS: f64 = 24.0;

/// Prints figures; fails if a page differs, on any request, and on any console message.
pub(super) fn main(file: &Path) -> Result<()> {
    let program = browser::find().context("needs Chromium: apt install chromium")?;
    let one = workspace::root().join(ONE);
    let (mut millis, mut started) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..TIMES {
        let mut browser = watched(program, file)?;
        started = browser.evaluate("check.file.started")?.as_f64().unwrap_or(started).min(started);
        millis = millis.min(dropped(&mut browser, &[path(&one)])?);
        finished(&browser)?;
    }
    println!("one log, from drop to page: {millis:.0} ms; program ready {started:.0} ms after the file was opened");
    saves(&mut watched(program, file)?, &one)?;
    example(&mut watched(program, file)?)?;
    let logs: Vec<PathBuf> = files()?;
    let mut browser = watched(program, file)?;
    let several: Vec<String> = logs.iter().take(SEVERAL).map(|log| path(log)).collect();
    let millis = dropped(&mut browser, &several)?;
    println!("{} files, from drop to table: {millis:.0} ms", several.len());
    finished(&browser)?;
    drop(browser);
    refusals(&mut watched(program, file)?)?;
    same_pages(&mut watched(program, file)?, &logs)?;
    machines::identified(program, file)?;
    reader::main(program, file)?;
    looks::main(program, file)?;
    site::main(program)?;
    looks::large_site(program, file)?;
    long_recording(&mut watched(program, file)?)
}

/// The pages of a hub: [`hub::main`].
pub(super) fn of_hub() -> Result<()> {
    hub::main(browser::find().context("needs Chromium: apt install chromium")?)
}

/// Browser with the open file, ready for files.
fn watched(program: &str, file: &Path) -> Result<Browser> {
    watched_at(program, &format!("file://{}", path(file)))
}

fn watched_at(program: &str, address: &str) -> Result<Browser> {
    let mut browser = Browser::start(program)?;
    browser.open_address(address)?;
    browser.evaluate("check.file.watch()")?;
    Ok(browser)
}

/// Milliseconds from the drop to the page or table.
fn dropped(browser: &mut Browser, files: &[String]) -> Result<f64> {
    browser.drop_files(files)?;
    browser.evaluate("check.file.page")?.as_f64().context("no page")
}

/// No request except for the file itself, and no console message.
fn finished(browser: &Browser) -> Result<()> {
    let [document, requests @ ..] = browser.requests.as_slice() else { anyhow::bail!("the file was not loaded") };
    ensure!(document.starts_with("file://"), "{document}");
    nothing_told(&browser.messages, requests)
}

/// No console message, and no request.
pub(super) fn nothing_told(messages: &[String], requests: &[String]) -> Result<()> {
    ensure!(messages.is_empty(), "the console has: {}", messages.join("\n"));
    ensure!(requests.is_empty(), "requests: {}", requests.join("\n"));
    Ok(())
}

/// Compares the pages of all files, and those of several results, with those made here.
fn same_pages(browser: &mut Browser, files: &[PathBuf]) -> Result<()> {
    let mut here = Results::default();
    let mut read = Vec::new();
    for file in files {
        if here.open(&name(file), fs::read(file)?).is_ok() {
            read.push(file);
        }
    }
    let paths: Vec<String> = files.iter().map(|file| path(file)).collect();
    browser.choose("#files", &paths)?;
    browser.evaluate("check.file.page")?;
    let mut differ = differing(browser, &here, read.len())?;
    let all: Vec<usize> = (0..read.len()).collect();
    for (word, selection) in
        [("table", Selection::Table), ("compare", Selection::Comparison), ("trend", Selection::Trends)]
    {
        let there = browser.evaluate(&format!("check.file.view('{word}')"))?;
        let made = here.several(selection, &all);
        if there.as_str() != Some(made.as_str()) {
            differ.push(format!("{word}: {}", difference(&there, &made)));
        }
    }
    ensure!(differ.is_empty(), "{} pages differ\n{}", differ.len(), differ.join("\n"));
    finished(browser)?;
    println!("{} pages of results and 3 of all together: the same as those of the program, byte for byte", read.len());
    println!("requests after loading: 0, console messages: 0");
    let ours = binary()?;
    for (index, file) in read.iter().enumerate().step_by(ASKED) {
        ensure!(here.page(index) == Some(written(&ours, file)?), "{}: the page differs", path(file));
    }
    println!("{} of them: the same as `sbc-bench report FILE --html` writes", read.len().div_ceil(ASKED));
    Ok(())
}

/// Listed results whose pages differ from those made here, with the first difference.
fn differing(browser: &mut Browser, here: &Results, count: usize) -> Result<Vec<String>> {
    let listed = browser.evaluate("check.file.count()")?;
    ensure!(listed == count, "{listed} of {count} results are listed");
    let mut differ = Vec::new();
    for index in 0..count {
        let there = browser.evaluate(&format!("check.file.result({index})"))?;
        let made = here.page(index).unwrap_or_default();
        if there.as_str() != Some(&made) {
            differ.push(format!("result {index}: {}", difference(&there, &made)));
        }
    }
    Ok(differ)
}

/// Page of a file as the program writes it for a user without own results.
fn written(ours: &Path, file: &Path) -> Result<String> {
    let home = workspace::target_folder()?.join("web/home");
    fs::create_dir_all(&home)?;
    let page = home.join("page.html");
    let mut command = Command::new(ours);
    command.env("HOME", &home).env_remove("XDG_STATE_HOME");
    workspace::said(command.arg("report").arg(file).arg("--html").arg(&page))?;
    Ok(fs::read_to_string(&page)?)
}

/// Opens the example that the file contains.
fn example(browser: &mut Browser) -> Result<()> {
    let mut here = Results::default();
    here.open("example.txt", web::shell::EXAMPLE.into()).map_err(anyhow::Error::msg)?;
    let shown = browser.evaluate("check.file.example()")?;
    ensure!(shown.as_str() == here.page(0).as_deref(), "the example shows another page");
    finished(browser)
}

/// Compares saved texts of a result with those of the program, and checks the saved card.
fn saves(browser: &mut Browser, log: &Path) -> Result<()> {
    let mut here = Results::default();
    here.open(&name(log), fs::read(log)?).map_err(anyhow::Error::msg)?;
    dropped(browser, &[path(log)])?;
    for (kind, expected) in
        [("html", here.page(0)), ("markdown", here.report(0, "markdown")), ("json", here.report(0, "findings-json"))]
    {
        let saved = browser.evaluate(&format!("check.file.saved('{kind}')"))?;
        ensure!(expected.is_some() && saved.as_str() == expected.as_deref(), "saved as {kind}: {saved}");
    }
    let sides = browser.evaluate("check.file.sides()")?;
    ensure!(sides == "1200 x 630", "the card has {sides} pixels");
    println!("saved HTML, Markdown and JSON: the same as those of the program; PNG: 1200 x 630 pixels");
    finished(browser)
}

/// Checks that damaged files are refused with name and reason.
fn refusals(browser: &mut Browser) -> Result<()> {
    let folder = workspace::target_folder()?.join("web");
    for (name, bytes) in [("broken.gz", b"\x1f\x8bbroken"), ("broken.zip", b"PK\x03\x04bro\0")] {
        let file = folder.join(name);
        fs::write(&file, bytes)?;
        browser.choose("#files", &[path(&file)])?;
        let told = browser.evaluate("check.file.refused()")?;
        ensure!(told.as_str().is_some_and(|told| told.starts_with(name) && told.contains("damaged")), "{name}: {told}");
    }
    finished(browser)
}

/// Times a recording of a day, and the longest task of the main thread meanwhile.
fn long_recording(browser: &mut Browser) -> Result<()> {
    let day = workspace::target_folder()?.join("day.rec");
    if !day.exists() {
        recording::write(&day, HOURS)?;
    }
    browser.evaluate("check.file.watchProgress()")?;
    let millis = dropped(browser, &[path(&day)])?;
    ensure!(browser.evaluate("check.file.moved")? == true, "nothing showed that the file is read");
    let longest = browser.evaluate("check.file.longest")?.as_f64().unwrap_or_default();
    let longest = if longest == 0.0 { "none over 50 ms".to_owned() } else { format!("{longest:.0} ms") };
    let megabytes = day.metadata()?.len() as f64 / 1e6;
    println!(
        "recording of {HOURS} hours ({megabytes:.0} MB), from drop to page: {millis:.0} ms; longest task of the main thread: {longest}"
    );
    finished(browser)
}

/// First difference between two pages.
fn difference(there: &Value, here: &str) -> String {
    let there = there.as_str().unwrap_or_default();
    let at = there.bytes().zip(here.bytes()).position(|(a, b)| a != b).unwrap_or(there.len().min(here.len()));
    let around = |text: &str| {
        String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(60)..text.len().min(at + 60)]).into_owned()
    };
    format!("from byte {at} on, in the browser {:?}, here {:?}", around(there), around(here))
}

/// All logs and results, sorted within their directories.
fn files() -> Result<Vec<PathBuf>> {
    let root = workspace::root();
    let collected = crate::corpus::corpus();
    let own = OWN.iter().map(|folder| root.join(folder));
    let collected = COLLECTED.iter().filter_map(|folder| Some(collected.as_ref()?.join(folder)));
    let mut files = Vec::new();
    for folder in own.chain(collected).filter(|folder| folder.is_dir()) {
        files.extend(workspace::files_of(&folder, &["txt", "md", "json"])?);
    }
    Ok(files)
}

/// Builds the program; returns its path.
pub(super) fn binary() -> Result<PathBuf> {
    workspace::built_for_tests("sbc-bench")
}

pub(super) fn path(file: &Path) -> String {
    file.display().to_string()
}
