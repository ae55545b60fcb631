// Reads and explains in a separate thread. Messages are {id, call, ...}, answers {id, value} or {id, error}.
"use strict";
let session;
const words = (error) => typeof error === "string" ? error : String(error.message ?? error);
const calls = {
  async start({ program }) {
    const bytes = Uint8Array.from(atob(program), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    wasm_bindgen.initSync({ module: await WebAssembly.compile(await new Response(plain).arrayBuffer()) });
    session = new wasm_bindgen.Session();
  },
  // All results of a file, and the reason for each member without one.
  async open({ file }) {
    const found = [], unread = [];
    let members = [];
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      members = session.unpack(file.name, bytes);
    } catch (error) {
      unread.push(typeof error === "string" ? error : file.name + ": the browser cannot read it.");
    }
    for (const { name, bytes } of members) {
      try {
        found.push({ ...JSON.parse(session.open(name, bytes)), file: new File([bytes], name) });
      } catch (error) {
        unread.push(words(error));
      }
    }
    return { found, unread };
  },
  page: ({ index }) => session.page(index),
  report: ({ index, kind }) => session.report(index, kind),
  card: ({ index }) => session.card(index),
  several: ({ view, indices }) => session.several(view, Uint32Array.from(indices)),
  clear: () => session.clear(),
};
// Sequentially: the next file waits.
let last = Promise.resolve();
onmessage = ({ data }) => {
  last = last.then(async () => {
    try {
      postMessage({ id: data.id, value: await calls[data.call](data) });
    } catch (error) {
      postMessage({ id: data.id, error: words(error) });
    }
  });
};
