// Python in a worker: it is ended and started anew where a check does not end.
import { Interpreter } from "./interpreter.js";

const NAME = "solve"; // the cache; files are named by their content

async function stored(address, plain) {
  const cache = await self.caches?.open(NAME).catch(() => null);
  let answer = await cache?.match(address);
  if (!answer) {
    answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    await cache?.put(address, answer.clone()).catch(() => {});
  }
  return plain ? answer.arrayBuffer() : answer.body.pipeThrough(new DecompressionStream("gzip"));
}

const wasm = (body) => new Response(body, { headers: { "Content-Type": "application/wasm" } });

async function started({ program, library, course }) {
  const parts = await Promise.all([
    stored(program).then((body) => WebAssembly.compileStreaming(wasm(body))),
    stored(library, true),
    stored(course, true),
  ]);
  return Interpreter.start(...parts);
}

let interpreter;

self.onmessage = async ({ data }) => {
  try {
    if (data.start) interpreter = await started(data.start);
    else self.postMessage({ reply: interpreter.answer(data.request) });
    if (data.start) self.postMessage({ ready: true });
  } catch (error) {
    self.postMessage({ error: String(error) });
  }
};
