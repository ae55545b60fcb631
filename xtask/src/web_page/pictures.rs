//! `cargo xtask pictures`: the pictures of README, and a contact sheet of everything that people look at, drawn by Chromium from
//! the output of the program for the results that differ most. Fails where a reader would see a fault.

mod results;
mod sheet;

use super::browser::{self, Browser};
use super::check::{self, looks};
use crate::workspace;
use anyhow::{Context, Result};
use sheet::{Medium, Sheet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Directory of the pictures of README.
const PICTURES: &str = "docs/pictures";
/// The result in the pictures of README: a board that ran hot.
const OF_README: &str = "throttled";
const WIDTH: u32 = 1000;
/// The top of the page: verdict, scores, causes.
const HEIGHT: u64 = 900;
/// Sizes of terminals.
const TERMINALS: [(u32, u32); 3] = [(60, 20), (80, 24), (200, 50)];

/// Draws everything with this program, or a new build; fails with the list of faults.
pub(crate) fn main(program: Option<&str>) -> Result<()> {
    let program = program.map_or_else(check::binary, |program| Ok(PathBuf::from(program)))?;
    let folder = workspace::target_folder()?.join("web/pictures");
    workspace::empty(&folder)?;
    let mut sheet = Sheet::new(Browser::start(browser::find().context("pictures need Chromium")?)?, &folder)?;
    for (name, file) in results::files(&folder)? {
        let (page, plots) = (folder.join(format!("{name}.html")), folder.join(format!("{name}-plots")));
        let mut explain = Command::new(&program);
        explain.arg("explain").arg(&file).arg("--html").arg(&page).arg("--plots").arg(&plots);
        workspace::said(&mut explain)?;
        sheet.row(name);
        sheet.page(name, &page)?;
        sheet.drawings(name, &plots)?;
        for (columns, rows) in TERMINALS {
            let shown = format!("{name}-{columns}x{rows}");
            let screen = folder.join(&shown).with_extension("html");
            fs::write(&screen, terminal(&printed(&program, &file, columns, rows)?))?;
            sheet.look(&shown, &screen, Medium::terminal(columns))?;
        }
    }
    for (name, page) in looks::site_pages(&looks::site(&program)?)? {
        sheet.row(&name);
        sheet.page(&name, &page)?;
    }
    for (name, width, height_max) in [("page", WIDTH, HEIGHT), ("terminal", WIDTH, u64::MAX)] {
        let from = if name == "page" { format!("{OF_README}.html") } else { format!("{OF_README}-80x24.html") };
        let picture = workspace::root().join(PICTURES).join(name).with_extension("png");
        fs::write(&picture, sheet.picture(&folder.join(from), width, height_max)?)?;
        println!("{}", picture.display());
    }
    sheet.end()
}

/// Output of the program about a result on a terminal of this size.
fn printed(program: &Path, file: &Path, columns: u32, rows: u32) -> Result<String> {
    let line = format!("stty cols {columns} rows {rows}; exec \"$PROGRAM\" explain \"$RESULT\"");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    workspace::said(script.env("PROGRAM", program).env("RESULT", file).env("TERM", "xterm-256color"))
}

/// Input and output as a page in the colours of a terminal.
fn terminal(printed: &str) -> String {
    let mut text = String::new();
    for (at, part) in printed.replace('\r', "").replace('&', "&amp;").replace('<', "&lt;").split("\u{1b}[").enumerate()
    {
        // A sequence that selects colours ends with `m`.
        let (codes, rest) = part.split_once('m').filter(|_| at > 0).unwrap_or(("", part));
        let class = codes.split(';').filter_map(|code| code.parse().ok()).map(|code: u8| format!("c{code} "));
        text.push_str(&format!("<span class=\"{}\">{rest}</span>", class.collect::<String>().trim_end()));
    }
    include_str!("pictures/terminal.html").replace("TEXT", &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_shows_text_and_no_markup() {
        let page = terminal("<b>7 & 8</b>\r\n\u{1b}[1;33mhot\u{1b}[0m");
        let shown = "board.log\n<span class=\"\">&lt;b>7 &amp; 8&lt;/b>\n</span><span class=\"c1 c33\">hot</span>";
        assert!(page.contains(shown), "{page}");
    }
}
