"""A WebAssembly module without the bodies of functions that are never called."""

import re
from collections.abc import Iterator

CUSTOM, CODE, FUNCTION_NAMES = 0, 10, 1
TRAP = b"\x03\x00\x00\x0b"  # the body of a function: no locals, `unreachable`, `end`
# Compiled parts of packages that the pages do not import, by their functions' names.
OTHERS = re.compile(
    r"pandas|scipy|sklearn|statsmodels|lxml|matplotlib|kiwi|contourpy|pybind11|Highs|HEkk|^HP|ipx::"
    r"|sqlite3|^fts[35]|^qh_|hb_|OT::|^FT_|^xml|^xslt|^htmlParse|xsf::|boost::|^svm|presolve|agg::"
    r"|Imaging|^raqm|csr_|bsr_|f2py_rout"
)
CYTHON = re.compile(r"^__[Pp]yx")


def without(module: bytes, others: re.Pattern = OTHERS) -> bytes:
    """The module with a trap in the place of those functions, and without all names."""
    names = _names(module)
    made = bytearray(module[:8])
    for kind, start, end in _sections(module):
        if kind == CODE:
            content = _trapped(module, start, names, others)
            made += bytes([CODE]) + _number(len(content)) + content
        elif kind != CUSTOM:
            made += bytes([kind]) + _number(end - start) + module[start:end]
    return bytes(made)


def _trapped(module: bytes, at: int, names: dict[int, str], others: re.Pattern) -> bytes:
    count, at = _read(module, at)
    imported = len(names) - count  # functions are numbered after those that are imported
    dropped = _dropped([names[imported + index] for index in range(count)], others)
    made = bytearray(_number(count))
    for drop in dropped:
        size, start = _read(module, at)
        made += TRAP if drop else module[at : start + size]
        at = start + size
    return bytes(made)


def _dropped(names: list[str], others: re.Pattern) -> list[bool]:
    """Which of them are others'.

    Cython's helpers bear no package's name, but lie among the functions of the one they are of.
    """
    clear = [bool(others.search(name)) and "_5numpy" not in name for name in names]
    foreign = [
        None if CYTHON.match(name) and not other and "_5numpy" not in name else other
        for name, other in zip(names, clear, strict=True)
    ]
    cython = [bool(CYTHON.match(name)) for name in names]
    before, after = _nearest(foreign, cython), _nearest(foreign[::-1], cython[::-1])[::-1]
    return [
        not name.startswith(("PyInit", "_GLOBAL"))
        and (other or (own is None and left is True and right is True))
        for name, other, own, left, right in zip(names, clear, foreign, before, after, strict=True)
    ]


def _nearest(foreign: list[bool | None], cython: list[bool]) -> list[bool | None]:
    """For each the last of Cython's before it of which it is known whose it is."""
    last: bool | None = None
    found = []
    for own, is_cython in zip(foreign, cython, strict=True):
        last = own if is_cython and own is not None else last
        found.append(last)
    return found


def _sections(module: bytes) -> Iterator[tuple[int, int, int]]:
    at = 8
    while at < len(module):
        size, start = _read(module, at + 1)
        yield module[at], start, start + size
        at = start + size


def _names(module: bytes) -> dict[int, str]:
    for kind, start, end in _sections(module):
        if kind != CUSTOM:
            continue
        name, at = _text(module, start)
        while name == "name" and at < end:
            part, (size, start) = module[at], _read(module, at + 1)
            if part == FUNCTION_NAMES:
                return dict(_numbered(module, start))
            at = start + size
    raise ValueError("The module says no names.")


def _numbered(module: bytes, at: int) -> Iterator[tuple[int, str]]:
    count, at = _read(module, at)
    for _ in range(count):
        index, at = _read(module, at)
        name, at = _text(module, at)
        yield index, name


def _text(module: bytes, at: int) -> tuple[str, int]:
    size, at = _read(module, at)
    return module[at : at + size].decode("utf-8", "replace"), at + size


def _read(module: bytes, at: int) -> tuple[int, int]:
    """A number as WebAssembly writes it (LEB128), and where it ends."""
    number = shift = 0
    while True:
        byte = module[at]
        number |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return number, at


def _number(number: int) -> bytes:
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    return bytes([*made, number])
