"""A program without the functions of packages that nobody imports: a browser runs what is left."""

import importlib.util
from pathlib import Path

PATH = Path(__file__).parents[2] / "make" / "shrink_wasm.py"
RUN = """async (bytes) => {
  const module = await WebAssembly.compile(new Uint8Array(bytes));
  const { exports } = await WebAssembly.instantiate(module, {});
  return Object.entries(exports).map(([name, call]) => {
    try { return [name, call()]; } catch (error) { return [name, error.constructor.name]; }
  });
}"""


def section(kind: int, content: bytes) -> bytes:
    return bytes([kind, len(content)]) + content


def named(text: str) -> bytes:
    return bytes([len(text)]) + text.encode()


def program(*names: str) -> bytes:
    """A function that gives 7 for each name, exported by it."""
    count = len(names)
    exports = b"".join(named(name) + bytes([0, index]) for index, name in enumerate(names))
    told = b"".join(bytes([index]) + named(name) for index, name in enumerate(names))
    table = bytes([count]) + told
    return b"\0asm\1\0\0\0" + b"".join(
        (
            section(1, b"\x01\x60\x00\x01\x7f"),  # a type: nothing in, a whole number out
            section(3, bytes([count]) + bytes(count)),
            section(7, bytes([count]) + exports),
            section(10, bytes([count]) + count * b"\x04\x00\x41\x07\x0b"),
            section(0, named("name") + bytes([1, len(table)]) + table),
        )
    )


def test_what_is_of_other_packages_traps_and_all_else_runs(browser):
    specification = importlib.util.spec_from_file_location("shrink_wasm", PATH)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    names = ("sum", "__pyx_f_6pandas_x", "__Pyx_helper", "__pyx_f_6pandas_y", "__pyx_f_5numpy_x")
    shrunk = module.without(program(*names, "__Pyx_last", "PyInit_pandas"))
    assert len(shrunk) < len(program(*names))
    page = browser.new_page()
    results = dict(page.evaluate(RUN, list(shrunk)))
    page.close()
    gone = {name for name, result in results.items() if result == "RuntimeError"}
    assert gone == {"__pyx_f_6pandas_x", "__Pyx_helper", "__pyx_f_6pandas_y"}
    assert {result for name, result in results.items() if name not in gone} == {7}
