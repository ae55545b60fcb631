//! Firefox without a window, by Marionette (<https://firefox-source-docs.mozilla.org/testing/marionette>): JSON over TCP, each
//! message after its length and a colon. Checks the same file once.

use super::check::{ONE, nothing_told, path};
use crate::workspace;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use web::{Results, Selection};

const PROGRAM: &str = "firefox-esr";
/// Marionette selects a free port and writes it to a file of the profile; consoles of pages and [`WATCH`] write to standard output.
const PREFERENCES: &str = "user_pref(\"marionette.port\", 0);
user_pref(\"devtools.console.stdout.content\", true);
user_pref(\"browser.dom.window.dump.enabled\", true);
";
/// The third option permits scripts in the browser itself.
const OPTIONS: [&str; 5] = ["--headless", "--marionette", "-remote-allow-system-access", "--no-remote", "--profile"];
const PORT_FILE: &str = "MarionetteActivePort";
/// Maximum start time in tenths of a second.
const STARTS_MAX: u32 = 600;
/// Several logs, as a reader opens them.
const SEVERAL: [&str; 3] =
    [ONE, "crates/explain/tests/composed/0.9.72-hot.txt", "crates/explain/tests/own/two-policies.json"];
const ASKED: &str = "page asks: ";
const CAUSED: &str = "page causes: ";
/// Writes all requests of pages and their console messages; runs in the browser itself.
const WATCH: &str = "
  Services.obs.addObserver((subject) => {
    const channel = subject.QueryInterface(Ci.nsIHttpChannel);
    if (!channel.loadInfo.loadingPrincipal?.isSystemPrincipal) dump('ASKED' + channel.URI.spec + '\\n');
  }, 'http-on-opening-request');
  Services.console.registerListener({ observe(message) {
    const source = message instanceof Ci.nsIScriptError ? message.sourceName : '';
    if (/^(file|blob|data|http):/.test(source)) dump('CAUSED' + message.errorMessage + ' at ' + source + '\\n');
  } });";
/// Waits until an expression is true, then returns another one.
const WAIT: &str = "const [done] = [...arguments].slice(-1);
  const look = () => (CONDITION) ? done(VALUE) : setTimeout(look, 20);
  look();";
const STARTED: &str = "document.documentElement.hasAttribute('data-started')";
const SHOWN: &str = "document.getElementById('page').srcdoc";
/// Presses a button and returns the page that it shows.
const PRESS: &str = "const [done] = [...arguments].slice(-1);
  document.addEventListener('shown', () => done(document.getElementById('page').srcdoc), { once: true });
  BUTTON.click();";

/// Firefox with one page.
struct Firefox {
    child: Child,
    to: TcpStream,
    from: BufReader<TcpStream>,
    output: PathBuf,
    asked: u64,
}

/// Opens the file, chooses logs, and compares all pages with those of the program; fails on requests and console messages.
/// Skips without Firefox.
pub(super) fn check(file: &Path) -> Result<()> {
    if !Command::new(PROGRAM).arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success()) {
        return super::skip("the file in Firefox: firefox-esr is not installed (apt install firefox-esr)");
    }
    let mut here = Results::default();
    for log in SEVERAL {
        let log = workspace::root().join(log);
        let name = log.file_name().unwrap_or_default().to_string_lossy().into_owned();
        here.open(&name, fs::read(&log)?).map_err(anyhow::Error::msg)?;
    }
    let mut firefox = Firefox::start()?;
    firefox.inside(&WATCH.replace("ASKED", ASKED).replace("CAUSED", CAUSED))?;
    firefox.call("WebDriver:Navigate", &json!({ "url": format!("file://{}", path(file)) }))?;
    firefox.wait(STARTED, "true")?;
    let paths = SEVERAL.map(|log| path(&workspace::root().join(log)));
    firefox.choose(&paths)?;
    let same = |made: Value, expected: Option<String>, what: &str| -> Result<()> {
        ensure!(made.as_str() == expected.as_deref(), "Firefox, {what}: the page differs");
        Ok(())
    };
    same(firefox.wait(SHOWN, SHOWN)?, Some(here.several(Selection::Table, &[0, 1, 2])), "table")?;
    for (word, selection) in [("compare", Selection::Comparison), ("trend", Selection::Trends)] {
        let made = firefox.press(&format!("document.querySelector('[data-view={word}]')"))?;
        same(made, Some(here.several(selection, &[0, 1, 2])), word)?;
    }
    for (index, log) in SEVERAL.iter().enumerate() {
        let made = firefox.press(&format!("document.querySelectorAll('#list button')[{index}]"))?;
        same(made, here.page(index), log)?;
    }
    let told = fs::read_to_string(&firefox.output)?;
    let after = |start: &str| -> Vec<String> {
        told.lines().filter_map(|line| line.strip_prefix(start)).map(str::to_owned).collect()
    };
    // The browser's own modules write to the console as errors, with their names.
    let messages = [CAUSED, "console.log: ", "console.info: ", "console.warn: "].map(after).concat();
    nothing_told(&messages, &after(ASKED))?;
    println!("Firefox: {} pages the same as those of the program; requests 0, console messages 0", SEVERAL.len() + 3);
    Ok(())
}

impl Firefox {
    /// Starts Firefox with a new profile and one empty page.
    fn start() -> Result<Self> {
        let profile = workspace::target_folder()?.join("web/firefox");
        // Missing at first.
        let _ = fs::remove_dir_all(&profile);
        fs::create_dir_all(&profile)?;
        fs::write(profile.join("user.js"), PREFERENCES)?;
        let output = profile.join("output");
        let told = fs::File::create(&output)?;
        let mut command = Command::new(PROGRAM);
        command.args(OPTIONS).arg(&profile);
        let mut child = command.stdin(Stdio::null()).stderr(told.try_clone()?).stdout(told).spawn()?;
        let port = |_| {
            sleep(Duration::from_millis(100));
            fs::read_to_string(profile.join(PORT_FILE)).ok()?.trim().parse::<u16>().ok()
        };
        let Some(to) = (0..STARTS_MAX).find_map(port).and_then(|port| TcpStream::connect(("127.0.0.1", port)).ok())
        else {
            child.kill()?;
            child.wait()?;
            bail!("Firefox does not listen");
        };
        let from = BufReader::new(to.try_clone()?);
        let mut firefox = Self { child, to, from, output, asked: 0 };
        // It greets first.
        firefox.receive()?;
        firefox.call("WebDriver:NewSession", &json!({}))?;
        firefox.call("WebDriver:SetTimeouts", &json!({ "script": 120_000 }))?;
        Ok(firefox)
    }

    /// Runs a script in the browser itself, not in the page.
    fn inside(&mut self, script: &str) -> Result<()> {
        self.call("Marionette:SetContext", &json!({ "value": "chrome" }))?;
        self.call("WebDriver:ExecuteScript", &json!({ "script": script, "args": [] }))?;
        self.call("Marionette:SetContext", &json!({ "value": "content" }))?;
        Ok(())
    }

    fn wait(&mut self, condition: &str, value: &str) -> Result<Value> {
        self.script(&WAIT.replace("CONDITION", condition).replace("VALUE", value))
    }

    fn press(&mut self, button: &str) -> Result<Value> {
        self.script(&PRESS.replace("BUTTON", button))
    }

    fn script(&mut self, script: &str) -> Result<Value> {
        self.call("WebDriver:ExecuteAsyncScript", &json!({ "script": script, "args": [] }))
    }

    /// Selects these files in the file input of the page.
    fn choose(&mut self, files: &[String]) -> Result<()> {
        let found = self.call("WebDriver:FindElement", &json!({ "using": "css selector", "value": "#files" }))?;
        let element = found.as_object().and_then(|found| found.values().next()).context("no element")?;
        self.call("WebDriver:ElementSendKeys", &json!({ "id": element, "text": files.join("\n") }))?;
        Ok(())
    }

    /// Calls a method and waits for its answer; answers come in order.
    fn call(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.asked += 1;
        let message = json!([0, self.asked, method, parameters]).to_string();
        self.to.write_all(format!("{}:{message}", message.len()).as_bytes())?;
        let mut answer = self.receive()?;
        ensure!(answer[2].is_null(), "{method}: {}", answer[2]);
        let result = answer[3].take();
        Ok(result.get("value").cloned().unwrap_or(result))
    }

    fn receive(&mut self) -> Result<Value> {
        let mut length = Vec::new();
        self.from.read_until(b':', &mut length)?;
        length.pop();
        let length = std::str::from_utf8(&length)?.parse().context("Firefox ended")?;
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes)?;
        Ok(serde_json::from_slice(&bytes)?)
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        // It asks its own processes to end; what does not answer is ended.
        if self.call("Marionette:Quit", &json!({ "flags": ["eForceQuit"] })).is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
