//! Further uses of the file: archives of logs, a pasted log, links from findings to lines, addresses, and the keyboard alone.

use super::{COMPOSED, ONE, difference, differing, dropped, finished, path, watched, watched_at};
use crate::web_page::browser::Browser;
use crate::workspace::{self, name};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use web::Results;

/// Logs of an archive.
const PACKED: [&str; 5] =
    ["0.4-without-name.txt", "0.7.9-swapping.txt", "0.9.72-hot.txt", "0.9.8-russian-crlf.txt", "before-0.4.txt"];
/// Log with findings about its lines.
const HOT: &str = "crates/explain/tests/composed/0.9.72-hot.txt";
/// Maximum number of focusable elements.
const TABS_MAX: usize = 60;

/// Prints the checks; fails on any deviation.
pub(super) fn main(program: &str, file: &Path) -> Result<()> {
    let logs = PACKED.map(|log| workspace::root().join(COMPOSED).join(log));
    for ending in ["tar.gz", "zip"] {
        archive(&mut watched(program, file)?, &logs, ending)?;
    }
    pasted(&mut watched(program, file)?)?;
    println!("{} logs from a .tar.gz, from a .zip, and one pasted: their pages are the same", logs.len());
    let lines = lines(&mut watched(program, file)?)?;
    println!("{lines} buttons of findings lead to their lines of the text");
    addresses(program, file, &logs)?;
    println!("the address keeps the view and has nothing of the results");
    let tabs = keys(&mut watched(program, file)?, &logs)?;
    println!("by keyboard alone: {tabs} places to the list and from it to the page, the focus is seen at each");
    Ok(())
}

fn archive(browser: &mut Browser, logs: &[PathBuf], ending: &str) -> Result<()> {
    let packed = workspace::target_folder()?.join("web/logs").with_extension(ending);
    // An existing .zip would grow.
    let _ = fs::remove_file(&packed);
    let mut command = match ending {
        "zip" => Command::new("python3"),
        _ => Command::new("tar"),
    };
    match ending {
        "zip" => command.args(["-m", "zipfile", "-c"]).arg(&packed),
        _ => command.arg("-czf").arg(&packed),
    };
    let names = logs.iter().map(|log| name(log));
    let status = command.args(names).current_dir(workspace::root().join(COMPOSED)).status();
    ensure!(status.context("needs tar and python3")?.success(), "{command:?} failed");
    let here = opened(logs)?;
    dropped(browser, &[path(&packed)])?;
    let differ = differing(browser, &here, logs.len())?;
    ensure!(differ.is_empty(), "{ending}: {}", differ.join("\n"));
    finished(browser)
}

fn pasted(browser: &mut Browser) -> Result<()> {
    let text = fs::read_to_string(workspace::root().join(ONE))?;
    let mut here = Results::default();
    here.open("pasted.txt", text.clone().into_bytes()).map_err(anyhow::Error::msg)?;
    browser.evaluate(&format!("check.file.paste({})", serde_json::to_string(&text)?))?;
    let differ = differing(browser, &here, 1)?;
    ensure!(differ.is_empty(), "pasted: {}", differ.join("\n"));
    finished(browser)
}

/// Number of lines that findings link to.
fn lines(browser: &mut Browser) -> Result<usize> {
    let log = workspace::root().join(HOT);
    let text = fs::read_to_string(&log)?;
    let listed = Results::default().open(&name(&log), text.clone().into_bytes()).map_err(anyhow::Error::msg)?;
    let findings = listed["findings"].as_array().context("no findings")?;
    let expected: Vec<u64> =
        findings.iter().filter_map(|one| one["lines"].as_array()).flatten().filter_map(Value::as_u64).collect();
    dropped(browser, &[path(&log)])?;
    let found = browser.evaluate("check.file.lines()")?;
    let found = found.as_array().context("no lines")?;
    ensure!(!expected.is_empty() && found.len() == expected.len(), "{} of {} lines", found.len(), expected.len());
    let numbered = |(at, line): (usize, &str)| format!("{:>6}  {line}\n", at + 1);
    let whole: Vec<String> = text.split('\n').enumerate().map(numbered).collect();
    for (line, found) in expected.iter().zip(found) {
        let marked = usize::try_from(*line)?.checked_sub(1).and_then(|at| whole.get(at)).context("no such line")?;
        ensure!(found[0] == format!("line {line}") && found[1] == **marked, "line {line}: {} {}", found[0], found[1]);
        ensure!(found[2] == true, "line {line} is marked where nobody sees it");
        ensure!(found[3] == whole.concat(), "the text next to line {line} is not that of the log");
    }
    finished(browser)?;
    Ok(expected.len())
}

/// Checks that an address selects its view, and that no part of a result gets into the address.
fn addresses(program: &str, file: &Path, logs: &[PathBuf]) -> Result<()> {
    let page = format!("file://{}", path(file));
    let paths: Vec<String> = logs.iter().map(|log| path(log)).collect();
    for view in ["table", "compare", "trend"] {
        let mut browser = watched_at(program, &format!("{page}#{view}"))?;
        ensure!(browser.evaluate("document.getElementById('view').hidden")? == true, "an address brings results");
        let entries = browser.evaluate("history.length")?;
        dropped(&mut browser, &paths)?;
        let pressed = browser.evaluate("check.file.pressed()")?;
        ensure!(pressed == view, "#{view} shows {pressed}");
        for (expected, press) in [(view, "null"), ("page", "check.file.result(1)")] {
            browser.evaluate(press)?;
            let address = browser.evaluate("location.href")?;
            ensure!(address == format!("{page}#{expected}"), "the address is {address}");
        }
        ensure!(browser.evaluate("history.length")? == entries, "views are added to the history");
        finished(&browser)?;
    }
    Ok(())
}

/// Goes from the start of the page to a result in the list and into its page by Tab; returns the number of steps.
fn keys(browser: &mut Browser, logs: &[PathBuf]) -> Result<usize> {
    let here = opened(logs)?;
    dropped(browser, &logs.iter().map(|log| path(log)).collect::<Vec<String>>())?;
    browser.evaluate("document.activeElement.blur()")?;
    let to_list = tabs(browser, |focused| focused["listed"] == true)?;
    browser.evaluate("check.file.expectNext()")?;
    browser.key("Enter")?;
    let (there, made) = (browser.evaluate("check.file.next")?, here.page(0).unwrap_or_default());
    ensure!(there == made, "Enter on a result: {}", difference(&there, &made));
    let to_page = tabs(browser, |focused| focused["kind"] == "IFRAME")?;
    finished(browser)?;
    Ok(to_list + to_page)
}

/// Presses Tab until a wanted element is focused; returns the number of steps.
fn tabs(browser: &mut Browser, is_wanted: fn(&Value) -> bool) -> Result<usize> {
    for count in 1..=TABS_MAX {
        browser.key("Tab")?;
        let focused = browser.evaluate("check.file.focused()")?;
        // The page in the frame shows its own focus.
        ensure!(focused["seen"] == true || focused["kind"] == "IFRAME", "nobody sees that it is focused: {focused}");
        if is_wanted(&focused) {
            return Ok(count);
        }
    }
    anyhow::bail!("{TABS_MAX} times Tab do not lead there")
}

fn opened(logs: &[PathBuf]) -> Result<Results> {
    let mut here = Results::default();
    for log in logs {
        here.open(&name(log), fs::read(log)?).map_err(anyhow::Error::msg)?;
    }
    Ok(here)
}
