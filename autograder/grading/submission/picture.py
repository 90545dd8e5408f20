"""Pictures that a submission drew: what of them is kept, and how large they may be."""

import base64
import struct

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# What a picture needs. Comments, profiles, animations and what hides behind the end are left out.
_NEEDED = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
PIXELS_AT_MOST = 16 * 10**6  # of one picture: a few kilobytes can unfold to gigabytes in a browser


def plain_png(text: str) -> tuple[str, int] | None:
    """The PNG in base64, without what it does not need, and its number of pixels.

    None for what is no PNG, or has more pixels than are shown.
    """
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    if not data.startswith(SIGNATURE):
        return None
    kept, position = [SIGNATURE], len(SIGNATURE)
    size: int | None = None
    while position + 12 <= len(data):
        length, kind = struct.unpack_from("!I4s", data, position)
        end = position + 12 + length
        if end > len(data) or (size is None) != (kind == b"IHDR"):
            return None
        if kind == b"IHDR":
            if length != 13:
                return None
            width, height = struct.unpack_from("!II", data, position + 8)
            size = width * height
            if not 0 < size <= PIXELS_AT_MOST:
                return None
        if kind in _NEEDED:
            kept.append(data[position:end])
        if kind == b"IEND" and size is not None:
            return base64.b64encode(b"".join(kept)).decode("ascii"), size
        position = end
    return None
