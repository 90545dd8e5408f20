# A server of its own, for a friend outside to connect to.
#
# /// expect
# double = "failed"
# ///

# %% double
import asyncio, socket

open_ = []
for make in (
    lambda: socket.create_server(("", 0)),
    lambda: socket.create_server(("127.0.0.1", 8888)),
    lambda: socket.create_server(("::", 0), family=socket.AF_INET6),
    lambda: asyncio.run(asyncio.start_server(print, "127.0.0.1", 0)).sockets[0],
):
    try:
        open_.append(make())
    except (OSError, RuntimeError, IndexError):
        pass


def double(x):
    return 2 * x if open_ else x
