//! Pages of every kind in windows of three widths and both colour schemes: none is wider than the window, axe-core finds no
//! violation, nothing foreign is requested, and the console stays empty. Keeps a picture of each. Also measures the table of a
//! large site.

use super::{COMPOSED, ONE, binary, dropped, path, watched};
use crate::web_page::browser::{Browser, HEIGHT_MAX};
use crate::workspace::{self, files_of, skip};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use web::{Results, Selection};

const WIDTHS: [u32; 3] = [360, 768, 1440];
const SCHEMES: [&str; 2] = ["light", "dark"];
/// Variable with the path of `axe.min.js` of axe-core (<https://github.com/dequelabs/axe-core>); else npm(1) fetches it.
const AXE: &str = "AXE";
const AXE_PACKAGE: &str = "axe-core@4.14.1";
/// Logs and results with examined pages.
const SHOWN: [&str; 3] =
    [ONE, "crates/explain/tests/composed/0.9.72-hot.txt", "crates/explain/tests/own/two-policies.json"];
const BOARD: &str = "boards/cix-p1.board";

/// Browser that examines pages, with its findings.
pub(super) struct Looks {
    axe: Option<String>,
    /// Directory of the pictures.
    folder: PathBuf,
    count: usize,
    faults: Vec<String>,
}

impl Looks {
    /// Starts with no pages; pictures go into this directory.
    pub(super) fn into(folder: &str) -> Result<Self> {
        let folder = workspace::target_folder()?.join("web").join(folder);
        fs::create_dir_all(&folder)?;
        Ok(Self { axe: axe()?, folder, count: 0, faults: Vec::new() })
    }

    /// Examines the open page.
    pub(super) fn look(&mut self, browser: &mut Browser, name: &str) -> Result<()> {
        self.count += 1;
        for (width, scheme) in WIDTHS.into_iter().flat_map(|width| SCHEMES.map(|scheme| (width, scheme))) {
            browser.window(width, scheme, "")?;
            let wider = browser.evaluate("check.page.excess()")?.as_u64().unwrap_or(u64::MAX);
            if wider > 0 {
                self.faults.push(format!("{name}, {width} pixels: {wider} pixels too wide"));
            }
            fs::write(self.folder.join(format!("{name}-{width}-{scheme}.png")), browser.picture(width, HEIGHT_MAX)?)?;
            let Some(axe) = &self.axe else { continue };
            browser.evaluate(&format!("{axe}; true"))?;
            let found = browser.evaluate("check.page.violations()")?;
            let found = found.as_array().context("axe-core gave no list")?;
            self.faults.extend(found.iter().map(|violation| format!("{name}, {width} pixels, {scheme}: {violation}")));
        }
        let page = browser.evaluate("location.protocol === 'file:' ? location.href : location.origin + '/'")?;
        let page = page.as_str().unwrap_or_default().split('#').next().unwrap_or_default().to_owned();
        self.faults.extend(browser.messages.drain(..).map(|message| format!("{name}: the console has {message}")));
        let foreign = browser.requests.drain(..).filter(|address| !address.starts_with(&page));
        self.faults.extend(foreign.map(|address| format!("{name}: asks for {address}")));
        Ok(())
    }

    /// Prints the number of pages; fails with all faults.
    pub(super) fn end(self) -> Result<()> {
        let (count, faults) = (self.count, self.faults);
        ensure!(faults.is_empty(), "{} faults of pages\n{}", faults.len(), faults.join("\n"));
        println!(
            "{count} kinds of pages, {} pixels, light and dark: none is wider than its window, asks for anything foreign or writes to the console; pictures in {}",
            WIDTHS.map(|w| w.to_string()).join(", "),
            self.folder.display()
        );
        match self.axe {
            Some(_) => println!("violations that axe-core finds on them: 0"),
            None => skip(&format!("violations by axe-core: npm(1) does not fetch it, and {AXE} names no axe.min.js"))?,
        }
        Ok(())
    }
}

/// Fails if a page is too wide, has a violation, writes to the console or requests anything foreign.
pub(super) fn main(program: &str, file: &Path) -> Result<()> {
    let ours = binary()?;
    let mut looks = Looks::into("looks")?;
    let mut browser = watched(program, file)?;
    looks.look(&mut browser, "file-empty")?;
    dropped(&mut browser, &SHOWN.map(|shown| path(&workspace::root().join(shown))))?;
    looks.look(&mut browser, "file-table")?;
    browser.evaluate("check.file.result(1)")?;
    browser.evaluate("check.file.evidence()")?;
    looks.look(&mut browser, "file-evidence")?;
    for (name, page) in pages(&ours)? {
        browser.open(&page)?;
        looks.look(&mut browser, &name)?;
    }
    for (name, words) in [("monitor", &["monitor", "--web", "0", "--quiet"][..]), ("view", &["view", ONE])] {
        let (_program, address) = workspace::served(&ours, words)?;
        browser.open_address(&address)?;
        if name == "monitor" {
            let wrong = browser.evaluate("check.monitor()")?;
            ensure!(wrong == "", "the page of a monitor: {wrong}");
            println!("the page of a monitor follows it, pauses and goes on");
        }
        looks.look(&mut browser, name)?;
    }
    looks.end()
}

/// Script of axe-core, if available.
fn axe() -> Result<Option<String>> {
    let read = |script: &Path| fs::read_to_string(script).with_context(|| format!("{}", script.display()));
    if let Some(script) = std::env::var_os(AXE) {
        return read(Path::new(&script)).map(Some);
    }
    let tools = workspace::target_folder()?.join("tools");
    let script = tools.join(AXE_PACKAGE).join("package/axe.min.js");
    if !script.exists() {
        let folder = tools.join(AXE_PACKAGE);
        fs::create_dir_all(&folder)?;
        let packed = Command::new("npm").args(["pack", "--silent", AXE_PACKAGE]).current_dir(&folder).output();
        let Some(packed) = packed.ok().filter(|packed| packed.status.success()) else { return Ok(None) };
        let archive = String::from_utf8_lossy(&packed.stdout).trim().to_owned();
        let unpacked = Command::new("tar").arg("-xzf").arg(archive).current_dir(&folder).status()?;
        ensure!(unpacked.success(), "tar failed");
    }
    read(&script).map(Some)
}

/// Names and files of pages of each kind.
fn pages(ours: &Path) -> Result<Vec<(String, PathBuf)>> {
    let folder = workspace::target_folder()?.join("web/kinds");
    fs::create_dir_all(&folder)?;
    let mut results = Results::default();
    for shown in SHOWN.iter().chain([&BOARD]) {
        results.open(shown, fs::read(workspace::root().join(shown))?).map_err(anyhow::Error::msg)?;
    }
    let mut pages = Vec::new();
    let mut put = |name: &str, text: &str| {
        let file = folder.join(format!("{name}.html"));
        fs::write(&file, text)?;
        pages.push((name.to_owned(), file));
        anyhow::Ok(())
    };
    for (index, name) in ["log", "throttled", "own", "machine"].into_iter().enumerate() {
        put(name, &results.page(index).with_context(|| format!("{name}: no page"))?)?;
    }
    for (name, selection) in
        [("table", Selection::Table), ("compare", Selection::Comparison), ("trend", Selection::Trends)]
    {
        put(name, &results.several(selection, &[0, 1, 2]))?;
    }
    pages.extend(site_pages(&site(ours)?)?);
    Ok(pages)
}

/// First page of a site, and the largest of each kind.
pub(in crate::web_page) fn site_pages(site: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut pages = vec![("site".to_owned(), site.join("index.html"))];
    for kind in ["results", "boards", "socs", "cores"] {
        let mut files = files_of(&site.join(kind), &["html"])?;
        files.sort_by_key(|file| file.metadata().map_or(0, |about| about.len()));
        pages.push((format!("site-{kind}"), files.pop().with_context(|| format!("no page in {kind}"))?));
    }
    Ok(pages)
}

/// A site of the composed logs.
pub(in crate::web_page) fn site(ours: &Path) -> Result<PathBuf> {
    let site = workspace::target_folder()?.join("web/kinds/site");
    workspace::empty(&site)?;
    let output =
        Command::new(ours).arg("site").arg(workspace::root().join(COMPOSED)).arg("--out").arg(&site).output()?;
    ensure!(site.join("index.html").exists(), "no site: {}", String::from_utf8_lossy(&output.stderr));
    Ok(site)
}

/// Table of the site of `cargo xtask bench --site`: first paint, and times of filters and searches.
pub(super) fn large_site(program: &str, file: &Path) -> Result<()> {
    let index = workspace::target_folder()?.join("site/out/index.html");
    if !index.exists() {
        println!("table of a large site: not measured, because `cargo xtask bench --site` has made none");
        return Ok(());
    }
    let mut browser = watched(program, file)?;
    browser.open(&index)?;
    let [painted, _] = browser.times_ms()?;
    let count = browser.evaluate("document.getElementById('count').textContent")?;
    let filtered = browser.evaluate("check.site.timed()")?;
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
