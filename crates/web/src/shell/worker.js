// Reads and explains in a thread of its own. Messages come in as {id, call, ...}, answers go out as {id, value} or {id, error}.
"use strict";
let session;
const calls = {
  async start({ program }) {
    const bytes = Uint8Array.from(atob(program), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    wasm_bindgen.initSync({ module: await WebAssembly.compile(await new Response(plain).arrayBuffer()) });
    session = new wasm_bindgen.Session();
  },
  async open({ name, file }) {
    let bytes = file;
    const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    if (head[0] === 0x1f && head[1] === 0x8b) {
      bytes = new Response(file.stream().pipeThrough(new DecompressionStream("gzip")));
    }
    return JSON.parse(session.open(name, new Uint8Array(await bytes.arrayBuffer())));
  },
  page: ({ index }) => session.page(index),
  report: ({ index, kind }) => session.report(index, kind),
  drawings: ({ index }) => JSON.parse(session.drawings(index)),
  several: ({ view, indices }) => session.several(view, Uint32Array.from(indices)),
  clear: () => session.clear(),
};
// One after the other: a file is read while the next one waits.
let last = Promise.resolve();
onmessage = ({ data }) => {
  last = last.then(async () => {
    try {
      postMessage({ id: data.id, value: await calls[data.call](data) });
    } catch (error) {
      postMessage({ id: data.id, error: typeof error === "string" ? error : String(error.message ?? error) });
    }
  });
};
