// What the checks of `cargo xtask web --check` do inside of a page. The browser loads it before each page's own scripts.
// Functions that look for faults return them as a list of sentences.
{
  const part = (id) => document.getElementById(id);
  const sleep = (millis) => new Promise((done) => setTimeout(done, millis));
  const until = async (holds) => {
    for (;;) {
      const found = holds();
      if (found) return found;
      await sleep(5);
    }
  };
  const shown = () => new Promise((done) => document.addEventListener('shown', done, { once: true }));
  const frame = () => document.querySelector('iframe');

  // The file of `cargo xtask web`.
  const file = {
    // Watches for the page of files that are dropped next: `began` is the time of the drop, `longest` the longest task of the
    // main thread.
    watch() {
      file.longest = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((task) => { file.longest = Math.max(file.longest, task.duration); }))
        .observe({ type: 'longtask' });
      document.addEventListener('drop', () => { file.began = performance.now(); }, true);
      file.expect();
      return until(() => document.documentElement.hasAttribute('data-started')).then(() => { file.started = performance.now(); });
    },
    // Milliseconds from the drop to a page in the frame, as a promise in `page`.
    expect() {
      file.began ??= 0;
      file.page = shown().then(() => new Promise((done) => {
        frame().addEventListener('load', () => done(performance.now() - file.began), { once: true });
      }));
    },
    count: () => document.querySelectorAll('#list button').length,
    // Presses a button and returns the page that it shows.
    press(button) {
      const page = shown().then(() => frame().srcdoc);
      button.click();
      return page;
    },
    result: (index) => file.press(document.querySelectorAll('#list button')[index]),
    example: () => file.press(part('try')),
    view: (name) => file.press(document.querySelector(`[data-view=${name}]`)),
    pressed: () => document.querySelector('[aria-pressed=true]').dataset.view,
    // The blob that a button saves.
    save(kind) {
      const makeAddress = URL.createObjectURL;
      return new Promise((done) => {
        URL.createObjectURL = (blob) => {
          if (!blob.type.startsWith('image/svg')) {
            URL.createObjectURL = makeAddress;
            done(blob);
          }
          return makeAddress.call(URL, blob);
        };
        document.querySelector(`[data-save=${kind}]`).click();
      });
    },
    saved: (kind) => file.save(kind).then((blob) => blob.text()),
    sides: () => file.save('png').then(createImageBitmap).then((image) => `${image.width} x ${image.height}`),
    // Waits for a refusal and returns it.
    async refused() {
      const told = await until(() => document.querySelector('#unread li')?.textContent);
      part('unread').replaceChildren();
      return told;
    },
    // `moved` becomes true once the progress bar is shown without a value.
    watchProgress() {
      file.moved = false;
      const bar = part('progress');
      new MutationObserver(() => { file.moved ||= !bar.hidden && bar.position === -1; }).observe(bar, { attributes: true });
    },
    read(text) {
      file.expect();
      part('text').value = text;
      part('read').click();
      return file.page;
    },
    paste(text) {
      const clip = new DataTransfer();
      clip.setData('text/plain', text);
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: clip, bubbles: true }));
      return file.page;
    },
    // Opens the text next to the findings at the first line.
    async evidence() {
      part('evidence').open = true;
      document.querySelector('#findings button').click();
      await until(() => document.querySelector('#source mark'));
    },
    // Presses each link to a line; returns its text, the marked line, and whether the mark is visible.
    async lines() {
      part('evidence').open = true;
      const source = part('source'), found = [];
      for (const button of document.querySelectorAll('#findings button')) {
        source.replaceChildren();
        button.click();
        const mark = await until(() => source.querySelector('mark'));
        const [line, box] = [mark, source].map((element) => element.getBoundingClientRect());
        found.push([button.textContent, mark.textContent, line.top >= box.top && line.top < box.bottom, source.textContent]);
      }
      return found;
    },
    // The focused element: its kind, whether it is in the list of results, and whether the focus is visible. Waits, because a
    // frame is a separate process.
    async focused() {
      for (let tries = 0; document.activeElement === document.body && tries < 100; tries++) await sleep(10);
      const at = document.activeElement, style = getComputedStyle(at.closest('.button') ?? at);
      return { kind: at.tagName, id: at.id, listed: at.matches('#list button'),
        seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 };
    },
    // Promises the next page in `next`, after its frame has loaded, because loading moves the focus.
    expectNext() {
      file.next = shown().then(() => new Promise((done) => frame().addEventListener('load', () => done(frame().srcdoc), { once: true })));
    },
  };

  // The table of a site. `data` is the data in the page.
  const site = {};
  const table = () => part('table');
  const rows = () => {
    while (!part('more').hidden) part('more').click();
    return [...table().tBodies[0].rows];
  };
  const href = (row) => row.querySelector('a').getAttribute('href');
  const set = (element, value, event) => { element.value = value; element.dispatchEvent(new Event(event)); };
  const selects = () => [...document.querySelectorAll('select[data-choice]')];
  const headings = () => [...table().tHead.rows[0].cells].slice(1);
  const data = () => site.data ??= JSON.parse(part('rows').textContent);
  const byPage = () => new Map(data().rows.map((row) => [row[0][0], row]));
  Object.assign(site, {
    count: () => data().rows.length,
    rows,
    // Shown rows of every filter, their promised number, and a search within.
    filters() {
      const wrong = [], all = byPage();
      const same = (found, expected) => JSON.stringify(found.map(href).sort()) === JSON.stringify([...expected].sort());
      let tried = 0;
      for (const select of selects()) {
        const at = data().choices.indexOf(select.dataset.choice);
        for (const option of [...select.options].slice(1)) {
          set(select, option.value, 'change');
          const expected = data().rows.filter((row) => row[3][at].includes(option.value)).map((row) => row[0][0]);
          const promised = Number(option.textContent.match(/\((\d+)\)$/)[1]), found = rows();
          if (!same(found, expected) || found.length !== promised) wrong.push(`${select.id} ${option.value}`);
          if (promised < site.count() && !part('count').textContent.startsWith(`${promised} of `)) wrong.push(`count of ${option.value}`);
          const name = all.get(expected[0])[0][1];
          set(part('search'), name.toUpperCase(), 'input');
          const both = rows();
          const hasName = (row) => all.get(href(row))[0].concat(all.get(href(row))[1]).some((text) => text.includes(name));
          if (!both.length || both.length > promised || !both.every(hasName)) wrong.push(`${option.value} with ${name}`);
          set(part('search'), '', 'input');
          tried += 1;
        }
        set(select, '', 'change');
      }
      set(part('search'), 'no result has this', 'input');
      if (rows().length) wrong.push('a search for nothing');
      set(part('search'), '', 'input');
      if (rows().length !== site.count()) wrong.push('without a filter');
      return { wrong, tried };
    },
    // The order by each heading: numbers start with the largest, words with the first.
    sorts() {
      const wrong = [], all = byPage(), compare = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare;
      headings().forEach((heading, column) => {
        const press = () => {
          heading.querySelector('button').click();
          return rows().map((row) => ({ page: href(row), text: row.cells[column + 1].textContent, direction: heading.ariaSort }));
        };
        const first = press(), second = press();
        const isNumber = first[0].direction === 'descending';
        const number = ({ page, text }) => (column === 1 ? all.get(page)[2][0] : parseFloat(text.replace(/^~/, ''))) || -Infinity;
        const inOrder = (before, after) => isNumber ? number(before) >= number(after) : compare(before.text, after.text) <= 0;
        if (first.length !== site.count() || !first.slice(1).every((row, at) => inOrder(first[at], row))) wrong.push(heading.textContent);
        if (second[0].direction !== (isNumber ? 'ascending' : 'descending')) wrong.push(`${heading.textContent} does not tell its direction`);
        if (second.map((row) => row.page).reverse().join() !== first.map((row) => row.page).join()) wrong.push(`${heading.textContent}, reversed`);
        if (document.querySelectorAll('th[aria-sort]').length !== 1) wrong.push('two columns are sorted by');
      });
      return { wrong, tried: headings().length };
    },
    // The comparison of the first and the third row, in the order of the site.
    comparison() {
      const wrong = [], order = [...byPage().keys()], button = part('compare');
      const chosen = [rows()[0], rows()[2]].sort((a, b) => order.indexOf(href(a)) - order.indexOf(href(b)));
      if (!button.disabled) wrong.push('nothing can be compared');
      chosen.forEach((row) => row.querySelector('input').click());
      if (button.disabled || button.textContent !== 'Compare 2') wrong.push(`the button: ${button.textContent}`);
      button.click();
      const compared = part('compared'), [, ...heads] = compared.tHead.rows[0].cells;
      if (part('comparison').hidden || heads.map(href).join() !== chosen.map(href).join()) wrong.push('columns');
      [...compared.tBodies[0].rows].forEach((line, at) => {
        if (line.cells[0].textContent !== headings()[at + 1].textContent) wrong.push(`heading ${line.cells[0].textContent}`);
        chosen.forEach((row, which) => {
          if (!line.cells[which + 1].textContent.startsWith(row.cells[at + 2].textContent)) wrong.push(line.textContent);
        });
      });
      if (compared.tBodies[0].rows.length !== headings().length - 1) wrong.push('figures that lack');
      return { wrong, tried: 2 };
    },
    // Sets a search, a filter and an order, and waits until the address has them.
    choose() {
      set(part('search'), 'pi', 'input');
      const last = selects().at(-1);
      set(last, last.options[1].value, 'change');
      for (let times = 0; times < 2; times++) headings()[2].querySelector('button').click();
      return until(() => /sort=-/.test(location.hash)).then(() => null);
    },
    // Visible state of the table.
    seen: () => JSON.stringify([part('search').value, selects().map((select) => select.value),
      rows().map((row) => row.textContent + row.querySelector('input').checked), headings().map((heading) => heading.ariaSort),
      part('comparison').hidden, part('compared').textContent, part('count').textContent]),
    // Milliseconds of each filter and search until the rows are laid out.
    timed() {
      const times = [];
      const timed = (element, value, event) => {
        const began = performance.now();
        set(element, value, event);
        document.body.offsetHeight;
        times.push(performance.now() - began);
      };
      for (const select of selects()) {
        const options = [...select.options].slice(0, 6);
        for (const option of [...options, options[0]]) timed(select, option.value, 'change');
      }
      for (const words of ['r', 'ro', 'rock', 'raspberry pi', '6.1 valid', 'x', '']) timed(part('search'), words, 'input');
      return times;
    },
  });

  // The page of a monitor: waits until it changes and has a plot, pauses and resumes it.
  const monitor = async () => {
    const [shown, state, pause] = ['shown', 'state', 'pause'].map(part), wrong = [];
    const within = async (holds) => {
      for (let tenths = 0; tenths < 100 && !holds(); tenths++) await sleep(100);
      return holds();
    };
    const changes = () => {
      const before = shown.textContent;
      return within(() => shown.textContent !== before);
    };
    if (!await changes() || state.textContent !== 'Live') wrong.push(`it does not change: ${state.textContent}`);
    if (!await within(() => shown.querySelector('#plot-timeline'))) wrong.push('it has no plot');
    pause.click();
    const paused = shown.innerHTML;
    await sleep(3000);
    if (shown.innerHTML !== paused || state.textContent !== 'Paused' || pause.textContent !== 'Resume') wrong.push(`Pause: ${state.textContent}`);
    pause.click();
    if (!await changes() || state.textContent !== 'Live' || pause.textContent !== 'Pause') wrong.push(`Resume: ${state.textContent}`);
    return wrong.join('; ');
  };

  // Any page.
  const page = {
    // Waits until it is drawn; a frame is a separate process and is drawn later.
    drawn: () => new Promise((done) => requestAnimationFrame(() =>
      requestAnimationFrame(() => setTimeout(done, frame() ? 400 : 0)))),
    height: () => Math.ceil(document.documentElement.getBoundingClientRect().height),
    // Excess width over the window, in pixels.
    excess: () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    // Milliseconds until the first paint with content, and until the page can be used: no script runs after its content is
    // loaded.
    times: () => until(() => {
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      const [{ domContentLoadedEventEnd: loaded }] = performance.getEntriesByType('navigation');
      return paint && loaded && [paint.startTime, Math.max(paint.startTime, loaded)];
    }),
    // Violations that axe-core finds.
    violations: () => axe.run(document, { iframes: false, resultTypes: ['violations'] }).then((found) =>
      found.violations.map((violation) => `${violation.id} at ${violation.nodes.map((node) => node.target.join(' ')).join(', ')}`)),
  };

  globalThis.check = { file, site, monitor, page };
}
