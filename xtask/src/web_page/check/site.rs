//! Table of a site in Chromium: all filters, the search, both directions of all headings, the comparison, the state in the
//! address, and the page without scripts.

use super::looks::site;
use super::{binary, nothing_told, path};
use crate::web_page::browser::Browser;
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// Prints the checks; fails on any deviation.
pub(super) fn main(program: &str) -> Result<()> {
    let index = site(&binary()?)?.join("index.html");
    let mut browser = Browser::start(program)?;
    browser.open(&index)?;
    let count = browser.evaluate("check.site.count()")?;
    for (what, check) in [("filters", "filters"), ("headings", "sorts"), ("results side by side", "comparison")] {
        let told = browser.evaluate(&format!("check.site.{check}()"))?;
        let wrong = told["wrong"].as_array().context("no answer")?;
        ensure!(wrong.is_empty(), "{what}: {wrong:?}");
        println!("table of a site with {count} results: {} {what} as they should be", told["tried"]);
    }
    browser.evaluate("check.site.choose()")?;
    let (seen, address) = (browser.evaluate("check.site.seen()")?, browser.evaluate("location.href")?);
    browser.open_address("about:blank")?;
    browser.open_address(address.as_str().context("no address")?)?;
    let again = browser.evaluate("check.site.seen()")?;
    ensure!(seen == again, "the address {address} shows {again}, not {seen}");
    browser.evaluate("document.getElementById('reset').click()")?;
    ensure!(browser.evaluate("location.hash")? == "", "Reset leaves an address");
    ensure!(browser.evaluate("check.site.rows().length")? == count, "Reset leaves a filter");
    nothing_told(&browser.messages, &browser.requests[2..])?;
    println!("its address brings back search, filter, order and comparison");
    without_scripts(&mut browser, &index, count.as_u64())
}

/// Checks that the first page and the table of all results work without scripts.
fn without_scripts(browser: &mut Browser, index: &Path, count: Option<u64>) -> Result<()> {
    browser.scripts(false)?;
    browser.open(index)?;
    let hidden = browser.evaluate("document.getElementById('filters').offsetParent === null")?;
    ensure!(hidden == true, "filters that do nothing are shown");
    let rows = "document.querySelectorAll('tbody tr').length";
    ensure!(browser.evaluate(rows)?.as_u64() > Some(0), "{}: no row", path(index));
    let first = browser.evaluate("document.querySelector('tbody a[href^=\"results/\"]').href")?;
    let all = browser.evaluate("document.querySelector('a[href=\"all.html\"]').href")?;
    browser.open_address(all.as_str().context("no table of all")?)?;
    ensure!(browser.evaluate(rows)?.as_u64() == count, "the table of all has not all");
    browser.open_address(first.as_str().context("no page of a result")?)?;
    ensure!(browser.evaluate("document.querySelectorAll('main section').length")?.as_u64() > Some(2), "{first}: empty");
    println!("with scripts off: the first page, the table of all and the page of a result can be read");
    Ok(())
}
