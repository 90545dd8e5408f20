// The Python interpreter: start it with its files, give it a request, get the reply. Whoever takes
// another one (Pyodide) writes this file anew, and none other.
import {
  ConsoleStdout,
  File,
  OpenFile,
  PreopenDirectory,
  WASI,
} from "@bjorn3/browser_wasi_shim";

const BEGIN = `
import sys, zipfile
zipfile.ZipFile("/packed/course.zip").extractall("/course")
sys.path.insert(0, "/course")
import autograder.page.start
from autograder.page.session import Session, serve
session = Session()
`;

export class Interpreter {
  static async start(program, library, course) {
    const files = new Map();
    const said = [];
    const output = () => ConsoleStdout.lineBuffered((line) => said.push(line));
    const held = (entries) => new Map(entries.map(([name, data]) => [name, new File(data)]));
    const wasi = new WASI(
      ["python"],
      ["HOME=/work", "TMPDIR=/work", "PYTHONTZPATH=", "PYTHONDONTWRITEBYTECODE=1"],
      [
        new OpenFile(new File([])),
        output(),
        output(),
        new PreopenDirectory("/usr/local/lib", held([["python315.zip", library]])),
        new PreopenDirectory("/packed", held([["course.zip", course]])),
        new PreopenDirectory("/course", new Map()),
        new PreopenDirectory("/messages", files),
      ],
      { debug: false },
    );
    const instance = await WebAssembly.instantiate(program, {
      wasi_snapshot_preview1: wasi.wasiImport,
      host: { call: () => -1 },
    });
    wasi.inst = instance;
    instance.exports._initialize?.();
    const interpreter = new Interpreter(instance, files, said);
    interpreter.run(BEGIN);
    return interpreter;
  }

  constructor(instance, files, said) {
    Object.assign(this, { instance, files, said });
  }

  run(source) {
    const { memory, host_alloc, turn } = this.instance.exports;
    const bytes = new TextEncoder().encode(source);
    this.said.length = 0;
    const place = host_alloc(bytes.length) >>> 0;
    new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
    const code = turn(place, bytes.length);
    if (code !== 0) throw new Error(`${code}: ${this.said.join("\n")}`);
  }

  answer(request) {
    this.files.set("request.json", new File(new TextEncoder().encode(JSON.stringify(request))));
    this.run("serve(session)");
    return JSON.parse(new TextDecoder().decode(this.files.get("reply.json").data));
  }
}
