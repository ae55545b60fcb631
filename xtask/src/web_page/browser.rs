//! Chromium without a window, by the Chrome DevTools Protocol over two pipes
//! (<https://chromedevtools.github.io/devtools-protocol>): JSON messages, each terminated by a NUL.

use crate::workspace;
use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Gives Chromium the descriptors 3 and 4 for requests and answers.
const START: &str = "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null";
const OPTIONS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--remote-debugging-pipe",
    "about:blank",
];

/// Actions of checks in a page.
const CHECKS: &str = include_str!("checks.js");
/// Maximum height of a picture, in pixels: some pages are a hundred windows high.
pub(super) const HEIGHT_MAX: u64 = 4000;

/// Browser with one page.
pub(super) struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    asked: u64,
    page: String,
    /// Requested addresses, except for local ones (`blob:`, `data:`).
    pub(super) requests: Vec<String>,
    /// Console messages of the page, its frames, its worker and the browser.
    pub(super) messages: Vec<String>,
}

/// Name of the program, if installed.
pub(super) fn find() -> Option<&'static str> {
    let runs = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|told| told.status.success());
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(runs)
}

impl Browser {
    /// Starts the browser with an empty page.
    pub(super) fn start(program: &str) -> Result<Self> {
        let profile = workspace::target_folder()?.join("web/profile");
        let mut command = Command::new("sh");
        command.args(["-c", START, program]).arg(format!("--user-data-dir={}", profile.display())).args(OPTIONS);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let to = child.stdin.take().context("no pipe")?;
        let from = BufReader::new(child.stdout.take().context("no pipe")?);
        let (page, requests, messages) = (String::new(), Vec::new(), Vec::new());
        let mut browser = Self { child, to, from, asked: 0, page, requests, messages };
        browser.call("Browser.setDownloadBehavior", json!({ "behavior": "deny" }))?;
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))?;
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }))?;
        browser.page = attached["sessionId"].as_str().context("no session")?.to_owned();
        let page = browser.page.clone();
        browser.watch(&page)?;
        browser.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": CHECKS }))?;
        Ok(browser)
    }

    /// Enables events of a page, frame or worker, and of its frames and workers.
    fn watch(&mut self, session: &str) -> Result<()> {
        for domain in ["Network.enable", "Runtime.enable", "Log.enable", "Page.enable"] {
            self.send(domain, &json!({}), session)?;
        }
        let children = json!({ "autoAttach": true, "flatten": true, "waitForDebuggerOnStart": true });
        self.send("Target.setAutoAttach", &children, session)?;
        self.send("Runtime.runIfWaitingForDebugger", &json!({}), session)?;
        Ok(())
    }

    /// Opens a file and waits until it is loaded.
    pub(super) fn open(&mut self, file: &Path) -> Result<()> {
        self.open_address(&format!("file://{}", file.display()))
    }

    /// Opens an address and waits until it is loaded.
    pub(super) fn open_address(&mut self, address: &str) -> Result<()> {
        self.call("Page.navigate", json!({ "url": address }))?;
        // Polls, because a page without scripts sends no event.
        while self.evaluate("document.readyState")? != "complete" {
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Value of a JavaScript expression in the page; awaits promises.
    pub(super) fn evaluate(&mut self, expression: &str) -> Result<Value> {
        let asked = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", asked)?;
        if let Some(thrown) = answer.get("exceptionDetails") {
            bail!("the page: {thrown}");
        }
        Ok(answer["result"]["value"].clone())
    }

    /// Milliseconds until the open page was painted, and until it could be used.
    pub(super) fn times_ms(&mut self) -> Result<[f64; 2]> {
        let times = self.evaluate("check.page.times()")?;
        let millis = |at: usize| times[at].as_f64().context("nothing was painted");
        Ok([millis(0)?, millis(1)?])
    }

    /// Sets the width of the window in pixels, the colour scheme, and the medium: `print`, or empty for the screen.
    pub(super) fn window(&mut self, width: u32, scheme: &str, medium: &str) -> Result<()> {
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size)?;
        let scheme = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", json!({ "media": medium, "features": [scheme] }))?;
        Ok(())
    }

    /// Enables or disables scripts from the next opened page on.
    pub(super) fn scripts(&mut self, run: bool) -> Result<()> {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": !run }))?;
        Ok(())
    }

    /// Presses and releases a key, with the page focused.
    pub(super) fn key(&mut self, key: &str) -> Result<()> {
        self.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }))?;
        let (code, text) = if key == "Enter" { (13, "\r") } else { (9, "") };
        let press = json!({ "type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text });
        self.call("Input.dispatchKeyEvent", press)?;
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key, "code": key }))?;
        Ok(())
    }

    /// The page from its top to this height at most, as PNG.
    pub(super) fn picture(&mut self, width: u32, height_max: u64) -> Result<Vec<u8>> {
        self.evaluate("check.page.drawn()")?;
        let height = self.evaluate("check.page.height()")?.as_u64().unwrap_or_default();
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height.clamp(1, height_max.min(HEIGHT_MAX)), "scale": 1 });
        let asked = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        let picture = self.call("Page.captureScreenshot", asked)?;
        Ok(BASE64.decode(picture["data"].as_str().context("no picture")?)?)
    }

    /// Selects these files in a file input of the page.
    pub(super) fn choose(&mut self, selector: &str, files: &[String]) -> Result<()> {
        let asked = json!({ "expression": format!("document.querySelector({selector:?})") });
        let object = self.call("Runtime.evaluate", asked)?["result"]["objectId"].clone();
        self.call("DOM.setFileInputFiles", json!({ "objectId": object, "files": files }))?;
        Ok(())
    }

    /// Drops these files onto the page.
    pub(super) fn drop_files(&mut self, files: &[String]) -> Result<()> {
        let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
        for kind in ["dragEnter", "dragOver", "drop"] {
            self.call("Input.dispatchDragEvent", json!({ "type": kind, "x": 60, "y": 60, "data": data }))?;
        }
        Ok(())
    }

    /// Calls a method and waits for its answer.
    fn call(&mut self, method: &str, parameters: Value) -> Result<Value> {
        let session = self.page.clone();
        let id = self.send(method, &parameters, &session)?;
        loop {
            let message = self.receive()?;
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => bail!("{method}: {error}"),
                    None => Ok(message["result"].clone()),
                };
            }
            self.note(&message)?;
        }
    }

    fn send(&mut self, method: &str, parameters: &Value, session: &str) -> Result<u64> {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": parameters });
        if !session.is_empty() {
            message["sessionId"] = session.into();
        }
        self.to.write_all(format!("{message}\0").as_bytes())?;
        Ok(self.asked)
    }

    fn receive(&mut self) -> Result<Value> {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes)?;
        bytes.pop();
        serde_json::from_slice(&bytes).context("Chromium ended")
    }

    /// Records the data of an event.
    fn note(&mut self, event: &Value) -> Result<()> {
        let parameters = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Target.attachedToTarget" => {
                let session = parameters["sessionId"].as_str().unwrap_or_default().to_owned();
                self.watch(&session)?;
            }
            "Network.requestWillBeSent" => {
                let address = parameters["request"]["url"].as_str().unwrap_or_default();
                if !["blob:", "data:", "about:"].iter().any(|own| address.starts_with(own)) {
                    self.requests.push(address.to_owned());
                }
            }
            "Runtime.consoleAPICalled" => self.messages.push(parameters["args"].to_string()),
            "Runtime.exceptionThrown" => self.messages.push(parameters["exceptionDetails"].to_string()),
            "Log.entryAdded" => self.messages.push(parameters["entry"].to_string()),
            _ => {}
        }
        Ok(())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser ends its own processes.
        let _ = self.send("Browser.close", &json!({}), "");
        let _ = self.child.wait();
    }
}
