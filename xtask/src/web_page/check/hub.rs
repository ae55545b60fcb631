//! Pages of a hub in a browser, also of boards with hostile and long names.

use super::looks::Looks;
use super::{COMPOSED, ONE};
use crate::web_page::browser::Browser;
use crate::workspace;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Names of boards: markup, and a name that is longer than any line.
const NAMES: [(&str, &str); 2] =
    [("markup", "<script>fetch('https://example.org')</script><img src=x onerror=alert(1)>"), ("long", "Longboard-")];
/// Number of repetitions of the last name.
const TIMES: usize = 60;
/// Name of the board in the log of [`ONE`].
const BOARD: &str = "Testboard Nineteen";
/// Pages that need no result.
const PAGES: [(&str, &str); 10] = [
    ("table", "/"),
    ("filtered", "/?q=testboard&verdict=valid&sort=sevenzip_multi_mips"),
    ("nothing", "/?q=nosuchboard"),
    ("boards", "/names/board"),
    ("socs", "/names/soc"),
    ("cores", "/names/core"),
    ("kernels", "/names/kernel"),
    ("stability", "/stability"),
    ("compare-empty", "/compare"),
    ("missing", "/r/nosuchresult"),
];
/// Pages of one result, by how its address ends.
const OF_ONE: [(&str, &str); 2] = [("result", ""), ("result-trend", "/trend")];

/// Fails if a page of the hub is too wide, has a violation, writes to the console or requests anything foreign.
pub(super) fn main(program: &str) -> Result<()> {
    let hub = workspace::built_for_tests("sbc-bench-hub")?;
    let target = workspace::target_folder()?;
    let data = target.join("web/hub");
    workspace::empty(&data)?;
    // Not within the data: the hub refuses a directory of others.
    let named = target.join("web/hub-named");
    fs::create_dir_all(&named)?;
    let log = fs::read_to_string(workspace::root().join(ONE))?;
    ensure!(log.contains(BOARD), "{ONE} has another name for its board");
    for (file, name) in NAMES {
        let name = if file == "long" { name.repeat(TIMES) } else { name.to_owned() };
        fs::write(named.join(file), log.replace(BOARD, &name))?;
    }
    let data = data.to_string_lossy().into_owned();
    let composed = workspace::root().join(COMPOSED).to_string_lossy().into_owned();
    let (_program, address) = workspace::served(&hub, &["serve", "--data", &data, "--listen", "127.0.0.1:0"])?;
    let import = ["import", "--data", &data, "--publish", &composed, &named.to_string_lossy()];
    workspace::said(Command::new(&hub).args(import))?;
    look(program, address.trim_end_matches('/'))
}

fn look(program: &str, hub: &str) -> Result<()> {
    let mut browser = Browser::start(program)?;
    let mut looks = Looks::into("hub-looks")?;
    let mut look = |browser: &mut Browser, name: &str, path: &str| {
        browser.open_address(&format!("{hub}{path}"))?;
        // The browser logs each missing page.
        browser.messages.retain(|message| !message.contains("404"));
        looks.look(browser, name)
    };
    for (name, path) in PAGES {
        look(&mut browser, name, path)?;
    }
    let mut compared = Vec::new();
    for words in ["script", "longboard", "testboard"] {
        browser.open_address(&format!("{hub}/?q={words}"))?;
        let path = browser.evaluate("document.querySelector('a[href*=\"/r/\"]')?.pathname")?;
        let path = path.as_str().with_context(|| format!("no result is found by {words}"))?.to_owned();
        for (name, end) in OF_ONE {
            look(&mut browser, &format!("{name}-{words}"), &format!("{path}{end}"))?;
        }
        compared.push(workspace::name(Path::new(&path)));
    }
    look(&mut browser, "compare", &format!("/compare?id={}", compared.join("&id=")))?;
    for kind in ["board", "soc", "core"] {
        browser.open_address(&format!("{hub}/names/{kind}"))?;
        let path = browser.evaluate(&format!("document.querySelector('a[href*=\"/{kind}/\"]')?.pathname"))?;
        look(&mut browser, kind, path.as_str().with_context(|| format!("no {kind}"))?)?;
    }
    looks.end()
}
