//! `cargo xtask pictures`: the pictures of README, drawn by Chromium from the output of the program.

use super::browser::{self, Browser};
use crate::workspace::{self, run};
use anyhow::{Context, Result};
use std::fs;
use std::process::Command;

/// The log that both pictures show: a board that ran hot.
const LOG: &str = "crates/explain/tests/composed/0.9.72-hot.txt";
/// Directory of the pictures.
const PICTURES: &str = "docs/pictures";
const WIDTH: u32 = 1000;
/// The top of the page: verdict, scores, causes.
const HEIGHT: u64 = 900;

/// Draws a page and a terminal.
pub(crate) fn main() -> Result<()> {
    run(workspace::cargo().args(["build", "--quiet", "--package", "sbc-bench", "--bin", "sbc-bench"]))?;
    let target = workspace::target_folder()?;
    let explain = || {
        let mut command = Command::new(target.join("debug/sbc-bench"));
        command.current_dir(workspace::root()).args(["explain", LOG]);
        command
    };
    let folder = target.join("web/pictures");
    fs::create_dir_all(&folder)?;
    run(explain().arg("--html").arg(folder.join("page.html")))?;
    fs::write(folder.join("terminal.html"), terminal(&workspace::said(&mut explain())?))?;
    let mut browser = Browser::start(browser::find().context("pictures need Chromium")?)?;
    let pictures = workspace::root().join(PICTURES);
    fs::create_dir_all(&pictures)?;
    for (name, height_max) in [("page", HEIGHT), ("terminal", u64::MAX)] {
        browser.window(WIDTH, "light")?;
        browser.open(&folder.join(name).with_extension("html"))?;
        let path = pictures.join(name).with_extension("png");
        fs::write(&path, browser.picture_of_top(WIDTH, height_max)?)?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Input and output in the colours of a terminal.
fn terminal(printed: &str) -> String {
    let text = printed.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<!DOCTYPE html><meta charset=utf-8><style>body {{ margin: 0; background: #1c1f24 }} pre {{ margin: 0; padding: \
         1.2em 1.6em; color: #d8dee9; font: 18px/1.35 monospace }} b {{ color: #a3be8c }}</style><pre><b>$</b> sbc-bench \
         explain board.log\n{text}</pre>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_shows_text_and_no_markup() {
        assert!(terminal("<b>7 & 8</b>").ends_with("explain board.log\n&lt;b>7 &amp; 8&lt;/b></pre>"));
        assert!(workspace::root().join(LOG).is_file(), "{LOG}");
    }
}
