//! How pages of every kind look in windows of three widths and in both colour schemes: nothing is wider than the window, and
//! axe-core, where its script is given, finds nothing. And how soon the table of a large site is there, and filtered.

use super::{COMPOSED, ONE, binary, dropped, path, watched};
use crate::web_page::browser::Browser;
use crate::workspace;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use web::{Results, Selection};

const WIDTHS: [u32; 3] = [360, 768, 1440];
const SCHEMES: [&str; 2] = ["light", "dark"];
/// Names the script: `axe.min.js` of axe-core, <https://github.com/dequelabs/axe-core>.
const AXE: &str = "AXE";
/// Logs and results whose own pages are looked at.
const SHOWN: [&str; 3] =
    [ONE, "crates/explain/tests/composed/0.9.72-hot.txt", "crates/explain/tests/own/two-policies.json"];
const BOARD: &str = "boards/cix-p1.board";
/// So many pixels the page is wider than the window.
const TOO_WIDE: &str = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
/// Violations in words.
const VIOLATIONS: &str = "axe.run(document, { iframes: false, resultTypes: ['violations'] }).then((found) =>
  found.violations.map((violation) => violation.id + ' at ' + violation.nodes.map((node) => node.target.join(' ')).join(', ')))";
/// Values of every filter, and some words: milliseconds of each until the rows stand in their places.
const FILTERED: &str = "(() => {
  const times = [];
  const timed = (element, value, event) => {
    element.value = value;
    const began = performance.now();
    element.dispatchEvent(new Event(event));
    document.body.offsetHeight;
    times.push(performance.now() - began);
  };
  for (const select of document.querySelectorAll('select[data-choice]')) {
    const options = [...select.options].slice(0, 6);
    for (const option of [...options, options[0]]) timed(select, option.value, 'change');
  }
  for (const words of ['r', 'ro', 'rock', 'raspberry pi', '6.1 valid', 'x', '']) timed(document.getElementById('search'), words, 'input');
  return times;
})()";
/// Milliseconds until the first paint with content.
const PAINTED: &str = "new Promise((done) => {
  const look = () => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    if (paint) done(paint.startTime); else setTimeout(look, 5);
  };
  look();
})";

/// A program that serves a page; ended when dropped.
struct Served {
    child: Child,
    address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Prints how many pages were looked at; fails where one is too wide or has a violation.
pub(super) fn main(program: &str, file: &Path) -> Result<()> {
    let ours = binary()?;
    let axe = match std::env::var_os(AXE) {
        Some(script) => Some(fs::read_to_string(&script).with_context(|| format!("{}", script.display()))?),
        None => None,
    };
    let mut faults = Vec::new();
    let mut count = 0;
    let mut browser = watched(program, file)?;
    let mut look = |browser: &mut Browser, name: &str| -> Result<()> {
        count += 1;
        for (width, scheme) in WIDTHS.into_iter().flat_map(|width| SCHEMES.map(|scheme| (width, scheme))) {
            browser.window(width, scheme)?;
            let wider = browser.evaluate(TOO_WIDE)?.as_u64().unwrap_or(u64::MAX);
            if wider > 0 {
                faults.push(format!("{name}, {width} pixels: {wider} pixels too wide"));
            }
            let Some(axe) = &axe else { continue };
            browser.evaluate(&format!("{axe}; true"))?;
            let found = browser.evaluate(VIOLATIONS)?;
            let found = found.as_array().context("axe-core gave no list")?;
            faults.extend(found.iter().map(|violation| format!("{name}, {width} pixels, {scheme}: {violation}")));
        }
        Ok(())
    };
    look(&mut browser, "file without results")?;
    dropped(&mut browser, &SHOWN.map(|shown| path(&workspace::root().join(shown))))?;
    look(&mut browser, "file with results")?;
    for page in pages(&ours)? {
        browser.open(&page)?;
        look(&mut browser, &path(&page))?;
    }
    for words in [&["monitor", "--web", "0", "--quiet"][..], &["view", ONE]] {
        let served = served(&ours, words)?;
        browser.open_address(&served.address)?;
        // What is live has to have come.
        std::thread::sleep(Duration::from_secs(2));
        look(&mut browser, &words.join(" "))?;
    }
    ensure!(faults.is_empty(), "{} faults of pages\n{}", faults.len(), faults.join("\n"));
    println!(
        "{count} kinds of pages, {} pixels, light and dark: none is wider than its window",
        WIDTHS.map(|w| w.to_string()).join(", ")
    );
    match axe {
        Some(_) => println!("violations that axe-core finds on them: 0"),
        None => println!("violations by axe-core: not measured, because {AXE} does not name its axe.min.js"),
    }
    Ok(())
}

/// Files with a page of each kind.
fn pages(ours: &Path) -> Result<Vec<PathBuf>> {
    let folder = workspace::target_folder()?.join("web/kinds");
    // Missing at first.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let mut results = Results::default();
    for shown in SHOWN.iter().chain([&BOARD]) {
        results.open(shown, fs::read(workspace::root().join(shown))?).map_err(anyhow::Error::msg)?;
    }
    let mut pages = Vec::new();
    let mut put = |name: &str, text: &str| {
        pages.push(folder.join(format!("{name}.html")));
        fs::write(&pages[pages.len() - 1], text)
    };
    for (index, name) in ["log", "throttled", "own", "machine"].into_iter().enumerate() {
        put(name, &results.page(index).with_context(|| format!("{name}: no page"))?)?;
    }
    for (name, selection) in
        [("table", Selection::Table), ("compare", Selection::Comparison), ("trend", Selection::Trends)]
    {
        put(name, &results.several(selection, &[0, 1, 2]))?;
    }
    let site = folder.join("site");
    let output =
        Command::new(ours).arg("site").arg(workspace::root().join(COMPOSED)).arg("--out").arg(&site).output()?;
    ensure!(site.join("index.html").exists(), "no site: {}", String::from_utf8_lossy(&output.stderr));
    pages.push(site.join("index.html"));
    for kind in ["results", "boards", "socs", "cores"] {
        let mut files: Vec<PathBuf> =
            site.join(kind).read_dir()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|file| file.extension().is_some_and(|kind| kind == "html"));
        // That with the most on it.
        files.sort_by_key(|file| file.metadata().map_or(0, |about| about.len()));
        pages.push(files.pop().with_context(|| format!("no page in {kind}"))?);
    }
    Ok(pages)
}

/// Starts it and reads its address.
fn served(ours: &Path, words: &[&str]) -> Result<Served> {
    let mut command = Command::new(ours);
    command
        .args(words)
        .current_dir(workspace::root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (told, errors) = (child.stdout.take().context("no pipe")?, child.stderr.take().context("no pipe")?);
    let mut served = Served { child, address: String::new() };
    // `view` tells its address on standard output, a monitor on standard error.
    let mut lines: Box<dyn BufRead> = match words.contains(&"monitor") {
        true => Box::new(BufReader::new(errors)),
        false => Box::new(BufReader::new(told)),
    };
    let mut line = String::new();
    while lines.read_line(&mut line)? > 0 {
        if let Some(at) = line.find("http://") {
            served.address = line[at..].split_whitespace().next().unwrap_or_default().to_owned();
            return Ok(served);
        }
        line.clear();
    }
    anyhow::bail!("{} tells no address", words.join(" "))
}

/// The table of the site that `cargo xtask bench --site` left: first paint, and the time of each filter and search.
pub(super) fn large_site(program: &str, file: &Path) -> Result<()> {
    let index = workspace::target_folder()?.join("site/out/index.html");
    if !index.exists() {
        println!("table of a large site: not measured, because `cargo xtask bench --site` has made none");
        return Ok(());
    }
    let mut browser = watched(program, file)?;
    browser.open(&index)?;
    let painted = browser.evaluate(PAINTED)?.as_f64().context("nothing was painted")?;
    let count = browser.evaluate("document.getElementById('count').textContent")?;
    let filtered = browser.evaluate(FILTERED)?;
    let mut times: Vec<f64> = filtered.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    times.sort_by(f64::total_cmp);
    let (Some(median), Some(longest)) = (times.get(times.len() / 2), times.last()) else { anyhow::bail!("no filter") };
    let soon = times.iter().filter(|millis| **millis < 50.0).count();
    println!(
        "table of a site with {} first contentful paint {painted:.0} ms; {} filters and searches: median {median:.0} ms, longest {longest:.0} ms, {soon} under 50 ms",
        count.as_str().unwrap_or_default(),
        times.len()
    );
    Ok(())
}
