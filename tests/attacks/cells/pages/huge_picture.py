# A picture of 400 megapixels in a few kilobytes, many of 15, and PNGs that are none.
#
# /// expect
# ///

# %% pictures
import base64
import struct
import zlib

from IPython.display import display


def chunk(kind, data):
    return struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))


def png(width, height, *more):
    head = chunk(b"IHDR", struct.pack("!IIBBBBB", width, height, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(more) + chunk(b"IEND", b"")


body = chunk(b"IDAT", zlib.compress(bytes((5000 // 8 + 1) * 3000)))
animated = [chunk(b"acTL", struct.pack("!II", 10**6, 0)), chunk(b"tEXt", b"Comment\0<script>")]
pictures = [png(20_000, 20_000, body), png(2**31 - 1, 2**31 - 1, body), png(0, 0, body)]
pictures += [png(5000, 3000, body)] * 20
pictures += [png(9, 9, *animated, body) + b"<script>alert(1)</script>", b"\x89PNG\r\n\x1a\n"]
pictures += [b"\x89PNG\r\n\x1a\n" + struct.pack("!I", 2**31) + b"IHDR", png(9, 9)[:-5]]
for picture in pictures:
    display({"image/png": base64.b64encode(picture).decode()}, raw=True)
