// Python in a worker: it is ended and started anew where a check does not end.
import { Interpreter } from "./interpreter.js";

async function started({ program, library, course }) {
  const body = program.stream().pipeThrough(new DecompressionStream("gzip"));
  const wasm = new Response(body, { headers: { "Content-Type": "application/wasm" } });
  const parts = await Promise.all([
    WebAssembly.compileStreaming(wasm),
    library.arrayBuffer(),
    course.arrayBuffer(),
  ]);
  return Interpreter.start(...parts);
}

let interpreter;

self.onmessage = async ({ data }) => {
  try {
    if (data.start) {
      interpreter = await started(data.start);
      self.postMessage({ ready: true });
    } else self.postMessage({ reply: interpreter.answer(data.request) });
  } catch (error) {
    self.postMessage({ error: String(error) });
  }
};
