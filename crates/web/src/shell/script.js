// Passes files and text to the worker and shows its answers. Results are never part of the address.
"use strict";
(() => {
  const part = (id) => document.getElementById(id);
  const made = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  // The worker, and a promise for each pending call.
  const address = URL.createObjectURL(new Blob([Uint8Array.from(atob(part("worker").text), (c) => c.charCodeAt(0))]));
  const worker = new Worker(address);
  const waiting = new Map();
  let questions = 0;
  worker.onmessage = ({ data }) => {
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === undefined) resolve(data.value); else reject(new Error(data.error));
  };
  const say = (text) => { part("state").textContent = text; };
  worker.onerror = (event) => { event.preventDefault(); say("This browser cannot run the program: " + event.message); };
  const ask = (call, more = {}) => new Promise((resolve, reject) => {
    const id = ++questions;
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, call, ...more });
  });
  const started = ask("start", { program: part("program").text });
  started.then(() => document.documentElement.setAttribute("data-started", ""), (error) => say("This browser cannot run the program: " + error.message));

  // Entry of each open result, in the worker's order.
  let entries = [];
  let shown = { view: "none", html: "" };
  const bytesQuoted = 8 << 20;
  // View of several results in the address.
  const asked = ["table", "compare", "trend"].find((view) => location.hash === "#" + view);

  const open = async (files) => {
    if (files.length === 0) return;
    const first = entries.length;
    const progress = part("progress");
    Object.assign(progress, { hidden: false, max: files.length, value: 0 });
    // The progress within one file is unknown: the bar has no value.
    if (files.length === 1) progress.removeAttribute("value");
    const reasons = [];
    for (const [count, file] of files.entries()) {
      say("Reading " + file.name + " (" + (count + 1) + " of " + files.length + ")");
      try {
        const opened = await ask("open", { file });
        entries.push(...opened.found.map((result) => ({ ...result, chosen: true })));
        reasons.push(...opened.unread);
      } catch (error) {
        reasons.push(error.message);
      }
      if (files.length > 1) progress.value = count + 1;
    }
    progress.hidden = true;
    part("unread").append(...reasons.map((textContent) => made("li", { textContent })));
    part("unread").hidden = part("unread").children.length === 0;
    const added = entries.length - first;
    const machines = entries.slice(first).filter((entry) => !entry.is_result).length;
    const counted = (count, word) => count + " " + word + (count === 1 ? "" : "s");
    const parts = [[added - machines, "result"], [machines, "machine"]].filter(([count, word]) => count > 0 || word === "result" && added === 0);
    say(parts.map(([count, word]) => counted(count, word)).join(" and ") + " read" + (reasons.length ? ", " + reasons.length + " without a result." : "."));
    list();
    const results = entries.filter((entry) => entry.is_result).length;
    const isTable = results > 1 && entries.slice(first).some((entry) => entry.is_result);
    if (added > 0) await show(isTable ? { view: asked ?? "table" } : { view: "page", index: first });
  };

  const list = () => {
    part("view").hidden = entries.length === 0;
    const results = entries.filter((entry) => entry.is_result).length;
    part("several").hidden = results < 2;
    part("list").replaceChildren(...entries.map((entry, index) => {
      const chosen = made("input", { type: "checkbox", checked: entry.chosen, ariaLabel: "Select " + entry.name });
      chosen.onchange = () => { entry.chosen = chosen.checked; };
      const verdict = made("span", { className: "verdict-word " + entry.verdict, textContent: entry.verdict });
      const button = made("button", { type: "button" }, entry.board, made("br"), entry.name + " ", verdict);
      button.onclick = () => show({ view: "page", index });
      return made("li", {}, ...(results > 1 && entry.is_result ? [chosen] : []), button);
    }));
  };

  // Shows one or several results; the address has the view, not its content.
  const show = async ({ view, index }) => {
    const chosen = entries.flatMap((entry, at) => entry.chosen || view === "table" ? [at] : []);
    const html = view === "page" ? await ask("page", { index }) : await ask("several", { view, indices: chosen });
    shown = { view, index, html };
    // A new frame, because another page in the same frame would add to the history.
    const frame = part("page").cloneNode();
    frame.srcdoc = html;
    part("page").replaceWith(frame);
    history.replaceState(null, "", "#" + (view === "page" ? "page" : view));
    const names = { table: "Table of results", compare: "Comparison", trend: "Over time" };
    part("shown-title").textContent = names[view] ?? entries[index].board;
    part("page").title = names[view] ?? "Page of " + entries[index].name;
    for (const button of document.querySelectorAll("[data-view]")) button.ariaPressed = String(button.dataset.view === view);
    [...part("list").querySelectorAll("button")].forEach((button, at) => {
      if (view === "page" && at === index) button.setAttribute("aria-current", "true"); else button.removeAttribute("aria-current");
    });
    for (const button of document.querySelectorAll("[data-save]")) button.hidden = !(view === "page" ? entries[index].saves : ["html"]).includes(button.dataset.save);
    evidence(view === "page" ? entries[index] : undefined);
    document.dispatchEvent(new Event("shown"));
  };

  // Findings of a log, with buttons that lead to their lines in the original text.
  const evidence = (entry) => {
    const quoted = entry?.findings.filter((finding) => finding.lines.length > 0) ?? [];
    part("evidence").hidden = quoted.length === 0 || entry.file.size > bytesQuoted;
    part("source").replaceChildren();
    part("findings").replaceChildren(...quoted.map((finding) => made("li", {}, finding.sentence, ...finding.lines.map((line) => {
      const button = made("button", { type: "button", textContent: "line " + line });
      button.onclick = () => quote(entry, line);
      return button;
    }))));
  };
  const quote = async (entry, line) => {
    entry.lines ??= (await entry.file.text()).split("\n").map((text, index) => String(index + 1).padStart(6) + "  " + text + "\n");
    const mark = made("mark", { textContent: entry.lines[line - 1] });
    part("source").replaceChildren(entry.lines.slice(0, line - 1).join(""), mark, entry.lines.slice(line).join(""));
    part("source").scrollTop = mark.offsetTop - part("source").offsetTop - part("source").clientHeight / 2;
  };

  const save = (blob, name) => {
    const link = made("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };
  // Renders the card as PNG from its SVG.
  const pixels = async (index) => {
    const svg = await ask("card", { index });
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    await image.decode();
    const canvas = made("canvas", { width: image.naturalWidth, height: image.naturalHeight });
    canvas.getContext("2d").drawImage(image, 0, 0);
    URL.revokeObjectURL(image.src);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  };
  const saved = async (kind) => {
    const stem = shown.view === "page" ? entries[shown.index].name.replace(/\.[a-z]+$/i, "") : shown.view;
    if (kind === "html") return save(new Blob([shown.html], { type: "text/html" }), stem + ".html");
    if (kind === "png") return save(await pixels(shown.index), stem + ".png");
    const report = kind === "json" && entries[shown.index].is_result ? "findings-json" : kind;
    const text = await ask("report", { index: shown.index, kind: report });
    if (text === undefined) return say("This result cannot be given in this form.");
    const [type, ending] = { json: ["application/json", ".json"], markdown: ["text/markdown", ".md"], text: ["text/plain", ".txt"] }[kind];
    save(new Blob([text], { type }), stem + ending);
    return undefined;
  };

  const guarded = (work) => (...given) => Promise.resolve(work(...given)).catch((error) => say(error.message));
  part("files").onchange = guarded(async ({ target }) => { const files = [...target.files]; target.value = ""; await open(files); });
  part("read").onclick = guarded(() => open([new File([part("text").value], "pasted.txt")]));
  part("try").onclick = guarded(() => open([new File([Uint8Array.from(atob(part("example").text), (c) => c.charCodeAt(0))], "example.txt")]));
  part("clear").onclick = guarded(async () => {
    await ask("clear");
    entries = [];
    part("unread").replaceChildren();
    part("unread").hidden = true;
    part("page").removeAttribute("srcdoc");
    list();
    say("");
    part("files").focus();
  });
  document.querySelectorAll("[data-view]").forEach((button) => { button.onclick = guarded(() => show({ view: button.dataset.view })); });
  document.querySelectorAll("[data-save]").forEach((button) => { button.onclick = guarded(() => saved(button.dataset.save)); });
  document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("over"); });
  document.addEventListener("dragleave", () => document.body.classList.remove("over"));
  document.addEventListener("drop", guarded(async (event) => {
    event.preventDefault();
    document.body.classList.remove("over");
    await open([...event.dataTransfer.files]);
  }));
  document.addEventListener("paste", guarded(async (event) => {
    if (event.target === part("text")) return;
    const text = event.clipboardData.getData("text");
    await open(event.clipboardData.files.length ? [...event.clipboardData.files] : text ? [new File([text], "pasted.txt")] : []);
  }));
})();
