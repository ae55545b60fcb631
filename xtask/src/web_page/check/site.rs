//! Table of a site in Chromium: all filters, the search, both directions of all headings, the comparison, the state in the
//! address, and the page without scripts.

use super::looks::site;
use super::{binary, nothing_told, path};
use crate::web_page::browser::Browser;
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// Helpers of the scripts below. `data` is the data in the page.
const TABLE: &str = "
  var part = (id) => document.getElementById(id);
  var data = JSON.parse(part('rows').textContent), all = new Map(data.rows.map((row) => [row[0][0], row]));
  var rows = () => {
    while (!part('more').hidden) part('more').click();
    return [...part('table').tBodies[0].rows];
  };
  var page = (row) => row.querySelector('a').getAttribute('href');
  var set = (element, value, event) => { element.value = value; element.dispatchEvent(new Event(event)); };
  var same = (shown, expected) => JSON.stringify(shown.map(page).sort()) === JSON.stringify([...expected].sort());
  var selects = [...document.querySelectorAll('select[data-choice]')];
  var headings = [...part('table').tHead.rows[0].cells].slice(1);
  true";
/// Errors of filters: shown rows, their promised number, and a search within.
const FILTERS: &str = "(() => {
    const wrong = [];
    let tried = 0;
    for (const select of selects) {
      const at = data.choices.indexOf(select.dataset.choice);
      for (const option of [...select.options].slice(1)) {
        set(select, option.value, 'change');
        const expected = data.rows.filter((row) => row[3][at].includes(option.value)).map((row) => row[0][0]);
        const promised = Number(option.textContent.match(/\\((\\d+)\\)$/)[1]), shown = rows();
        if (!same(shown, expected) || shown.length !== promised) wrong.push(select.id + ' ' + option.value);
        if (promised < data.rows.length && !part('count').textContent.startsWith(promised + ' of ')) wrong.push('count of ' + option.value);
        const file = all.get(expected[0])[0][1];
        set(part('search'), file.toUpperCase(), 'input');
        const both = rows();
        if (!both.length || both.length > promised || !both.every((row) => row.cells[row.cells.length - 1].textContent.includes(file))) wrong.push(option.value + ' with ' + file);
        set(part('search'), '', 'input');
        tried += 1;
      }
      set(select, '', 'change');
    }
    set(part('search'), 'no result has this', 'input');
    if (rows().length) wrong.push('a search for nothing');
    set(part('search'), '', 'input');
    if (rows().length !== data.rows.length) wrong.push('without a filter');
    return { wrong, tried };
  })()";
/// Errors of the order by each heading: numbers start with the largest, words with the first.
const SORTS: &str = "(() => {
    const wrong = [], compare = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare;
    headings.forEach((heading, column) => {
      const press = () => {
        heading.querySelector('button').click();
        return rows().map((row) => ({ page: page(row), text: row.cells[column + 1].textContent, direction: heading.ariaSort }));
      };
      const first = press(), second = press();
      const isNumber = first[0].direction === 'descending';
      const number = ({ page, text }) => (column === 1 ? all.get(page)[2][0] : parseFloat(text.replace(/^~/, ''))) || -Infinity;
      const inOrder = (before, after) => isNumber ? number(before) >= number(after) : compare(before.text, after.text) <= 0;
      if (first.length !== data.rows.length || !first.slice(1).every((row, at) => inOrder(first[at], row))) wrong.push(heading.textContent);
      if (second[0].direction !== (isNumber ? 'ascending' : 'descending')) wrong.push(heading.textContent + ' does not tell its direction');
      if (second.map((row) => row.page).reverse().join() !== first.map((row) => row.page).join()) wrong.push(heading.textContent + ', reversed');
      if (document.querySelectorAll('th[aria-sort]').length !== 1) wrong.push('two columns are sorted by');
    });
    return { wrong, tried: headings.length };
  })()";
/// Errors of the comparison of the first and the third row, in the order of the site.
const COMPARISON: &str = "(() => {
    const wrong = [], order = [...all.keys()], button = part('compare');
    const chosen = [rows()[0], rows()[2]].sort((a, b) => order.indexOf(page(a)) - order.indexOf(page(b)));
    if (!button.disabled) wrong.push('nothing can be compared');
    chosen.forEach((row) => row.querySelector('input').click());
    if (button.disabled || button.textContent !== 'Compare 2') wrong.push('the button: ' + button.textContent);
    button.click();
    const table = part('compared'), [, ...heads] = table.tHead.rows[0].cells;
    if (part('comparison').hidden || heads.map((head) => page(head)).join() !== chosen.map(page).join()) wrong.push('columns');
    [...table.tBodies[0].rows].forEach((line, at) => {
      if (line.cells[0].textContent !== headings[at + 1].textContent) wrong.push('heading ' + line.cells[0].textContent);
      chosen.forEach((row, which) => {
        if (!line.cells[which + 1].textContent.startsWith(row.cells[at + 2].textContent)) wrong.push(line.textContent);
      });
    });
    if (table.tBodies[0].rows.length !== headings.length - 2) wrong.push('figures that lack');
    return { wrong, tried: 2 };
  })()";
/// Sets a search, a filter and an order, and waits until the address has them.
const VIEW: &str = "
  set(part('search'), 'pi', 'input');
  set(selects[selects.length - 1], selects[selects.length - 1].options[1].value, 'change');
  headings[2].querySelector('button').click(); headings[2].querySelector('button').click();
  new Promise((done) => { const look = () => /sort=-/.test(location.hash) ? done() : setTimeout(look, 20); look(); })";
/// Visible state of the table.
const SEEN: &str = "JSON.stringify([part('search').value, selects.map((select) => select.value), rows().map((row) => row.textContent + row.querySelector('input').checked),
  headings.map((heading) => heading.ariaSort), part('comparison').hidden, part('compared').textContent, part('count').textContent])";

/// Prints what was checked; fails on any deviation.
pub(super) fn main(program: &str) -> Result<()> {
    let index = site(&binary()?)?.join("index.html");
    let mut browser = Browser::start(program)?;
    browser.open(&index)?;
    browser.evaluate(TABLE)?;
    let count = browser.evaluate("data.rows.length")?;
    for (what, script) in [("filters", FILTERS), ("headings", SORTS), ("results side by side", COMPARISON)] {
        let told = browser.evaluate(script)?;
        let wrong = told["wrong"].as_array().context("no answer")?;
        ensure!(wrong.is_empty(), "{what}: {wrong:?}");
        println!("table of a site with {count} results: {} {what} as they should be", told["tried"]);
    }
    browser.evaluate(VIEW)?;
    let (seen, address) = (browser.evaluate(SEEN)?, browser.evaluate("location.href")?);
    browser.open_address("about:blank")?;
    browser.open_address(address.as_str().context("no address")?)?;
    browser.evaluate(TABLE)?;
    let again = browser.evaluate(SEEN)?;
    ensure!(seen == again, "the address {address} shows {again}, not {seen}");
    browser.evaluate("part('reset').click()")?;
    ensure!(browser.evaluate("location.hash")? == "", "Reset leaves an address");
    ensure!(browser.evaluate("rows().length")? == count, "Reset leaves a filter");
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
    let first = browser.evaluate("document.querySelector('tbody a').href")?;
    let all = browser.evaluate("document.querySelector('a[href=\"all.html\"]').href")?;
    browser.open_address(all.as_str().context("no table of all")?)?;
    ensure!(browser.evaluate(rows)?.as_u64() == count, "the table of all has not all");
    browser.open_address(first.as_str().context("no page of a result")?)?;
    ensure!(browser.evaluate("document.querySelectorAll('main section').length")?.as_u64() > Some(2), "{first}: empty");
    println!("with scripts off: the first page, the table of all and the page of a result can be read");
    Ok(())
}
