// Reads and explains in a thread of its own. Messages come in as {id, call, ...}, answers go out as {id, value} or {id, error}.
"use strict";
let session;
const words = (error) => typeof error === "string" ? error : String(error.message ?? error);
// What gzip has packed may unpack to anything; a recording of a week has less.
const UNPACKED_MIB_MAX = 512;
// All of a stream; none if that is more. A `Response` would read it as well, and some browsers tell the console when it breaks.
const limited = async (stream) => {
  const reader = stream.getReader(), parts = [];
  for (let total = 0; total <= UNPACKED_MIB_MAX * 2 ** 20;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    total += value.length;
  }
  await reader.cancel();
  return undefined;
};
// What a file holds, unpacked where gzip has packed it.
const plain = async (file) => {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isPacked = head[0] === 0x1f && head[1] === 0x8b;
  let bytes;
  try {
    bytes = isPacked ? await limited(file.stream().pipeThrough(new DecompressionStream("gzip"))) : new Uint8Array(await file.arrayBuffer());
  } catch {
    throw file.name + (isPacked ? ": damaged, or not packed by gzip." : ": the browser cannot read it.");
  }
  if (!bytes) throw file.name + ": more than " + UNPACKED_MIB_MAX + " MiB when it is unpacked.";
  return bytes;
};
// Zip by its first bytes, tar by the word in its first header.
const isArchive = (bytes) => {
  const at = (from, word) => [...word].every((letter, index) => bytes[from + index] === letter.charCodeAt(0));
  return at(0, "PK\x03\x04") || at(257, "ustar");
};
const members = (name, bytes) => {
  try {
    return session.unpack(bytes);
  } catch (error) {
    throw name + ": " + words(error);
  }
};
const calls = {
  async start({ program }) {
    const bytes = Uint8Array.from(atob(program), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    wasm_bindgen.initSync({ module: await WebAssembly.compile(await new Response(plain).arrayBuffer()) });
    session = new wasm_bindgen.Session();
  },
  // Every result in a file, and why there is none: an archive has several.
  async open({ file }) {
    const found = [], unread = [];
    const take = async (one, isWithin) => {
      try {
        const bytes = await plain(one);
        if (isWithin || !isArchive(bytes)) {
          found.push({ ...JSON.parse(session.open(one.name, bytes)), file: new File([one], one.name) });
          return;
        }
        for (const member of members(one.name, bytes)) await take(new File([member.bytes], member.name), true);
      } catch (error) {
        unread.push(words(error));
      }
    };
    await take(file, false);
    return { found, unread };
  },
  page: ({ index }) => session.page(index),
  report: ({ index, kind }) => session.report(index, kind),
  card: ({ index }) => session.card(index),
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
      postMessage({ id: data.id, error: words(error) });
    }
  });
};
