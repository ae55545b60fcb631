// Table of a site: search, filters, sorting, comparison. The fragment of the address has its state.
"use strict";
(() => {
  const source = document.getElementById("rows");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const byId = (id) => document.getElementById(id);
  const compare = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;
  const results = data.rows.map(([[page, file, verdict, died], cells, figures, choices], order) => ({
    page, file, verdict, died, cells, figures, choices, order,
    cell: (column) => [...cells, verdict + died][column],
    // Numbers behind the text: the clock in column 1, scores in the last cells.
    number: (column) => column === 1 ? figures[0] : column >= data.firstNumber && column < cells.length ? figures[column - data.firstNumber + 1] : undefined,
    text: [...cells, verdict + died, file, ...choices.flat()].join(" ").toLowerCase(),
  }));
  const table = byId("table"), body = table.tBodies[0], headings = [...table.tHead.rows[0].cells];
  const search = byId("search"), selects = [...document.querySelectorAll("select[data-choice]")];
  const isNumber = (column) => column === 1 || column >= data.firstNumber && column < data.headings.length - 1;
  let state, shown = data.shown;

  const sorted = new Map();
  const inOrder = (column) => {
    if (!sorted.has(column)) {
      const value = (result) => result.number(column) ?? -Infinity;
      const before = column < 0 ? () => 0 : isNumber(column) ? (a, b) => value(b) - value(a) || 0
        : (a, b) => compare(a.cell(column), b.cell(column));
      sorted.set(column, [...results].sort((a, b) => before(a, b) || a.order - b.order));
    }
    return sorted.get(column);
  };

  // Length of the bar of a score in percent of its cell.
  const bar = (result, column) => {
    const value = result.number(column), full = data.full[column - data.firstNumber];
    const isDrawn = value && full && result.verdict !== "invalid" && result.cells[column][0] !== "~";
    return isDrawn ? { style: "--w:" + Math.min(100, Math.round(100 * value / full)) } : {};
  };

  const line = (result) => {
    const box = element("input", { type: "checkbox", "aria-label": "Compare " + result.cells[0] + ", " + result.file });
    box.checked = state.chosen.has(result.page);
    box.addEventListener("change", () => {
      state.chosen[box.checked ? "add" : "delete"](result.page);
      keep();
      compared();
    });
    const row = element("tr", result.verdict === "invalid" ? { class: "invalid" } : {},
      element("td", { class: "pick" }, box),
      element("th", { class: "name", scope: "row" }, element("a", { href: result.page }, result.cells[0])));
    result.cells.forEach((cell, column) => {
      const label = { "data-label": data.headings[column] };
      if (column) row.append(element("td", column >= data.firstNumber ? { class: "number", ...label, ...bar(result, column) } : label, cell));
    });
    row.append(element("td", { "data-label": "Verdict" }, element("span", { class: result.verdict }, element("b", {}, result.verdict)), result.died));
    return row;
  };

  const draw = () => {
    const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = data.choices.map((id) => state.choices[id]);
    const order = inOrder(state.sort);
    const fits = (result) => words.every((word) => result.text.includes(word))
      && wanted.every((value, at) => !value || result.choices[at].includes(value));
    const found = order.filter(fits);
    if (state.reversed) found.reverse();
    body.replaceChildren(...found.slice(0, shown).map(line));
    byId("more").hidden = found.length <= shown;
    const all = results.length === 1 ? "1 result" : results.length + " results";
    byId("count").textContent = (found.length === results.length ? all : found.length + " of " + all)
      + (found.length > shown ? "; the first " + shown + " are shown." : ".");
    headings.forEach((heading, column) => {
      if (column === state.sort) heading.setAttribute("aria-sort", isNumber(column) !== state.reversed ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
  };

  const compared = () => {
    const chosen = results.filter((result) => state.chosen.has(result.page));
    byId("compare").disabled = chosen.length < 2;
    byId("compare").textContent = chosen.length ? "Compare " + chosen.length : "Compare";
    const isShown = state.comparing && chosen.length > 1;
    byId("comparison").hidden = !isShown;
    if (!isShown) return;
    const target = byId("compared"), first = chosen[0];
    target.tHead.replaceChildren(element("tr", {}, element("th", { scope: "col" }, "Figure"),
      ...chosen.map((result) => element("th", { scope: "col" }, element("a", { href: result.page }, result.cells[0]), element("br", {}), result.file))));
    const change = (result, column) => {
      const [own, other] = [result.number(column), first.number(column)];
      const isComparable = own && other && result !== first && first.cells[column][0] !== "~" && result.cells[column][0] !== "~";
      return isComparable ? " (" + (own >= other ? "+" : "") + (100 * (own / other - 1)).toFixed(1) + " %)" : "";
    };
    target.tBodies[0].replaceChildren(...data.headings.slice(1).map((heading, at) => element("tr", {},
      element("th", { scope: "row" }, heading),
      ...chosen.map((result) => element("td", {}, result.cell(at + 1) + (isNumber(at + 1) ? change(result, at + 1) : ""))))));
  };

  const write = () => {
    const kept = new URLSearchParams();
    if (state.search) kept.set("q", state.search);
    for (const [id, value] of Object.entries(state.choices)) if (value) kept.set(id, value);
    if (state.sort >= 0) kept.set("sort", (state.reversed ? "-" : "") + data.headings[state.sort]);
    if (state.chosen.size) kept.set("chosen", [...state.chosen].map((page) => page.slice(8, -5)).join(","));
    if (state.comparing) kept.set("compare", "1");
    // Not every browser lets files replace their address.
    try { history.replaceState(null, "", "#" + kept); } catch { /* The view stays, its address does not. */ }
  };
  // Browsers refuse frequent changes of the address, with a console message.
  let writing;
  const keep = () => {
    clearTimeout(writing);
    writing = setTimeout(write, 200);
  };
  const read = () => {
    clearTimeout(writing);
    const kept = new URLSearchParams(location.hash.slice(1));
    const sort = kept.get("sort") ?? "", name = sort.replace(/^-/, "");
    const pages = (kept.get("chosen") ?? "").split(",").filter(Boolean).map((name) => "results/" + name + ".html");
    state = {
      search: kept.get("q") ?? "",
      choices: Object.fromEntries(data.choices.map((id) => [id, kept.get(id) ?? ""])),
      sort: data.headings.indexOf(name), reversed: sort.startsWith("-"),
      chosen: new Set(pages.filter((page) => results.some((result) => result.page === page))),
      comparing: kept.has("compare"),
    };
    search.value = state.search;
    for (const select of selects) {
      select.value = state.choices[select.dataset.choice];
      // Figures without values cannot be chosen.
      if (select.selectedIndex < 0) select.value = state.choices[select.dataset.choice] = "";
    }
    shown = data.shown;
    draw();
    compared();
  };
  const changed = () => { shown = data.shown; draw(); keep(); };

  headings.forEach((heading, column) => {
    const button = element("button", { type: "button" }, data.headings[column]);
    button.addEventListener("click", () => {
      state.reversed = state.sort === column && !state.reversed;
      state.sort = column;
      changed();
    });
    heading.replaceChildren(button);
  });
  table.tHead.rows[0].prepend(element("th", { scope: "col" }, "Pick"));
  search.addEventListener("input", () => { state.search = search.value; changed(); });
  for (const select of selects) select.addEventListener("change", () => { state.choices[select.dataset.choice] = select.value; changed(); });
  byId("more").addEventListener("click", () => { shown += data.shown; draw(); });
  byId("compare").addEventListener("click", () => {
    state.comparing = true;
    keep();
    compared();
    byId("comparison").scrollIntoView();
  });
  byId("reset").addEventListener("click", () => { history.replaceState(null, "", "#"); read(); });
  // Links to sections have no state.
  addEventListener("hashchange", () => { if (!/^#[\w-]+$/.test(location.hash)) read(); });
  byId("filters").hidden = false;
  read();
})();
