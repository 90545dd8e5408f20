// Python in a worker: it is ended and started anew where a check does not end.
import { Interpreter } from "./interpreter.js";

async function started({ program, library, course }) {
  const wasm = new Response(await unpacked(program), { headers: { "Content-Type": "application/wasm" } });
  const parts = await Promise.all([
    WebAssembly.compileStreaming(wasm),
    library.arrayBuffer(),
    course.arrayBuffer(),
  ]);
  return Interpreter.start(...parts);
}

/** Some servers say of such a file that it was compressed on its way: then it comes unpacked. */
async function unpacked(blob) {
  const [first, second] = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  const packed = first === 0x1f && second === 0x8b;
  return packed ? blob.stream().pipeThrough(new DecompressionStream("gzip")) : blob;
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
