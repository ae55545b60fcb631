// Faults that a reader of the open page sees, one sentence each: text that overlaps, is cut, too small or too pale, a page
// that scrolls sideways, boxes without content, and ids in the place of words. IDS and SIZE_MIN are set by the caller.
(() => {
  const faults = new Set(), view = document.documentElement, ids = new RegExp(IDS);
  const fault = (what, text) => faults.add(`${what}: ${text.replace(/\s+/g, " ").trim().slice(0, 60)}`);
  const lit = (channel) => channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  const channels = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const luminance = ([red, green, blue]) => 0.2126 * lit(red / 255) + 0.7152 * lit(green / 255) + 0.0722 * lit(blue / 255);
  const paper = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.5) return colour;
    }
    return getComputedStyle(view).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && !element.closest("details:not([open]) > :not(summary)");
  // Paper does not scroll.
  const scrolls = (element) => !matchMedia("print").matches && (["auto", "scroll"].includes(getComputedStyle(element).overflowX)
    || element !== document.body && scrolls(element.parentElement));
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement, text = node.textContent;
    if (!text.trim() || element.closest("script, style, title, option, .skip") || !isShown(element)) continue;
    const isDrawn = element.namespaceURI.endsWith("svg"), style = getComputedStyle(element);
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...(isDrawn ? [element.getBoundingClientRect()] : range.getClientRects())].filter((rect) => rect.width && rect.height);
    if (!rects.length || rects.every((rect) => rect.right < 0 || rect.bottom < 0)) continue;
    const matrix = isDrawn && element.getScreenCTM(), size = parseFloat(style.fontSize) * (isDrawn ? Math.hypot(matrix.a, matrix.b) : 1);
    if (size < SIZE_MIN - 0.05) fault(`${size.toFixed(1)} px`, text);
    const ink = channels(isDrawn ? style.fill : style.color), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = contrast(ink, paper(element));
    if (ratio < (large ? 3 : 4.5)) fault(`contrast ${ratio.toFixed(1)}`, text);
    if (!element.closest("code, pre, [data-label=File], .file") && ids.test(text)) fault(`id ${text.match(ids)[0]}`, text);
    for (const rect of rects) {
      boxes.push({ rect, element, text });
      if (!scrolls(element) && (rect.right > innerWidth + 1 || rect.left < -1)) fault("outside the window", text);
    }
    if (isDrawn) {
      const [box, around] = [rects[0], element.ownerSVGElement.getBoundingClientRect()];
      if (box.left < around.left - 1 || box.right > around.right + 1 || box.top < around.top - 1 || box.bottom > around.bottom + 1) fault("cut by its picture", text);
    }
    for (let at = element; at !== document.body && !isDrawn; at = at.parentElement) {
      const { overflowX } = getComputedStyle(at), edge = at.getBoundingClientRect();
      if (["hidden", "clip"].includes(overflowX) && rects.some((rect) => rect.right > edge.right + 1)) fault("cut by its box", text);
    }
  }
  boxes.sort((a, b) => a.rect.top - b.rect.top);
  boxes.forEach(({ rect, element, text }, index) => {
    for (let next = index + 1; next < boxes.length && boxes[next].rect.top < rect.bottom; next++) {
      const other = boxes[next], wide = Math.min(rect.right, other.rect.right) - Math.max(rect.left, other.rect.left);
      const high = Math.min(rect.bottom, other.rect.bottom) - other.rect.top;
      if (other.element !== element && wide > 2 && high > 0.3 * Math.min(rect.height, other.rect.height)) fault("overlaps", `${text.trim().slice(0, 28)} | ${other.text}`);
    }
  });
  if (view.scrollWidth > view.clientWidth) fault("scrolls sideways", `${view.scrollWidth - view.clientWidth} pixels`);
  for (const element of document.querySelectorAll("section, div, figure, table, tbody, ul, ol, dl, dd, p, pre, li, caption, h2, h3, svg, fieldset")) {
    if (!isShown(element) || element.closest("[aria-hidden], [style]") || element.getBoundingClientRect().height < 4) continue;
    const isEmpty = element.localName === "svg" ? !element.childElementCount : !element.textContent.trim() && !element.querySelector("svg, img, input, hr, [style]");
    const isBare = element.localName === "section" && [...element.children].every((child) => /^H[1-6]$/.test(child.tagName));
    if (isEmpty || isBare) fault("empty", `${element.localName}.${element.className.baseVal ?? element.className}#${element.id}`);
  }
  return [...faults];
})()
