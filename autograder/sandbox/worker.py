"""The process inside the sandbox: imports what a chapter needs once, and forks per submission.

Three generations, of which only the last runs a submission's code:

    first    waits for the warm one
    warm     has torch and the rest imported; holds no secret; forks when a session is asked for,
             ends it when told to, and says how it ended
    session  process 1 of its namespace: locks itself in, then answers requests until killed
"""

import base64
import builtins
import contextlib
import gc
import io
import json
import os
import random
import select
import signal
import socket
import sys
import traceback
from dataclasses import dataclass
from typing import Any

from autograder.sandbox import isolation

if __name__ == "__main__":
    isolation.rule_own_processes()  # before the imports, while a process is small

import matplotlib.pyplot as plt
import numpy
import torch
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from autograder.notebook import packages
from autograder.notebook.cell_log import CellLog
from autograder.notebook.resuming import ask_nobody, run_cell
from autograder.remote import wire
from autograder.remote.calling import Home, described
from autograder.remote.library import hold_operations
from autograder.remote.requests import CallRequest, Reply, message_of
from autograder.sandbox.isolation import Allowance

FAILED = 70  # how a session exits that could not begin, or whose own loop was broken

TEXT_TYPES = ("text/plain", "text/html", "text/latex", "text/markdown", "image/svg+xml")
MESSAGE_CHARACTERS = 2000
TRACEBACK_CHARACTERS = 4000
FRAMES = 10
LINE_CHARACTERS = 20_000  # the longest line that may have syntax of IPython


class Outputs:
    """A cell's outputs in order, as nbformat has them, up to a number of bytes."""

    def __init__(self, limit: int) -> None:
        self.items: list[dict[str, Any]] = []
        self.limit = limit
        self.room = limit

    def write(self, name: str, text: str) -> None:
        if self.room < 0:
            return
        kept = text[: self.room]
        last = self.items[-1] if self.items else {}
        if last.get("name") != name:
            last = {"output_type": "stream", "name": name, "text": []}
            self.items.append(last)
        last["text"].append(kept)
        # Counted as characters, plus something for each piece: pieces cost memory too.
        self.room -= len(kept) + 8
        if len(kept) < len(text) or self.room < 0:
            self.full()

    def show(self, data: dict[str, Any], count: int | None = None) -> None:
        if self.room < 0:
            return
        kept = {kind: data[kind] for kind in TEXT_TYPES if isinstance(data.get(kind), str)}
        png = data.get("image/png")
        if isinstance(png, bytes | str):
            kept["image/png"] = png if isinstance(png, str) else base64.b64encode(png).decode()
        size = sum(len(each) for each in kept.values())
        if size > self.room:
            plain = kept.get("text/plain", "")
            kept, size = {"text/plain": plain[: self.room]}, self.room + 1
        self.room -= size + 64
        output: dict[str, Any] = {"output_type": "display_data", "data": kept, "metadata": {}}
        if count is not None:
            output |= {"output_type": "execute_result", "execution_count": count}
        self.items.append(output)
        if self.room < 0:
            self.full()

    def full(self) -> None:
        self.room = -1
        notice = f"\n[The output was cut off here: a cell may print {self.limit} bytes.]\n"
        self.items.append({"output_type": "stream", "name": "stderr", "text": [notice]})

    def listed(self) -> list[dict[str, Any]]:
        return [
            {**item, "text": "".join(item["text"])} if item["output_type"] == "stream" else item
            for item in self.items
        ]


class Stream(io.TextIOBase):
    """sys.stdout and sys.stderr while a submission's code runs."""

    encoding = "utf-8"

    def __init__(self, name: str) -> None:
        self.name = name
        self.outputs = Outputs(0)

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.outputs.write(self.name, text)
        return len(text)


class Publisher(DisplayPublisher):
    """Where display() and figures go."""

    outputs = Outputs(0)

    def publish(self, data: Any, metadata: Any = None, **_: Any) -> None:
        self.outputs.show(data)


class Shell(InteractiveShell):
    """IPython without a terminal, files, history or other programs."""

    error: dict[str, Any] | None = None

    def transform_cell(self, raw_cell: str) -> str:
        # Some Pythons' tokenize takes minutes for a long line. Nobody types one: it is left alone.
        longest = max(map(len, raw_cell.splitlines()), default=0)
        return super().transform_cell(raw_cell) if longest <= LINE_CHARACTERS else raw_cell

    def system(self, cmd: str) -> None:
        print("Other programs are not run while grading.", file=sys.stderr)

    system_piped = system_raw = system

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> Any:
        self.system(cmd)
        return [] if split else ""

    def enable_gui(self, gui: Any = None) -> None:
        """No window is ever opened."""

    def enable_matplotlib(self, gui: Any = None) -> tuple[str, str]:
        """Figures become pictures, whatever `%matplotlib` asks for."""
        return "inline", "agg"

    def ask_exit(self) -> None:
        """exit() and quit() are left to whoever started the notebook."""

    def showtraceback(self, exc_tuple: Any = None, *_: Any, **__: Any) -> None:
        # IPython's own view of an endless recursion takes minutes.
        error = exc_tuple[1] if exc_tuple else sys.exc_info()[1]
        if error is not None and self.error is None:
            self.error = failure(error)

    def showsyntaxerror(self, *_: Any, **__: Any) -> None:
        self.showtraceback()

    showindentationerror = showsyntaxerror

    def _format_exception_for_storage(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {}


def failure(error: BaseException) -> dict[str, Any]:
    """An exception as data, as short as a page can show it."""
    try:
        message = str(error)[:MESSAGE_CHARACTERS]
    except BaseException:
        message = ""
    return {
        "name": str(type(error).__name__)[:200],
        "message": message,
        "traceback": traceback_text(error)[-TRACEBACK_CHARACTERS:],
        "memory": isinstance(error, MemoryError) or "can't allocate memory" in message,
    }


def traceback_text(error: BaseException) -> str:
    """The innermost frames of the submission's own code, and the exception."""
    where = error.__traceback__
    while where and not where.tb_frame.f_code.co_filename.startswith("<ipython-input"):
        where = where.tb_next
    try:
        return "".join(traceback.format_exception(type(error), error, where, limit=-FRAMES))
    except BaseException:
        return type(error).__name__


class Notebook:
    """One submission's cells, and the objects that they made."""

    def __init__(self) -> None:
        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.display_page = True
        self.stdout, self.stderr = Stream("stdout"), Stream("stderr")
        self.shell = Shell.instance(config=config, display_pub_class=Publisher)
        builtins.input = ask_nobody
        packages.hide_others()
        sys.path.insert(0, "")  # as in Jupyter, for modules that a notebook writes
        self.shell.displayhook.write_output_prompt = lambda: None
        self.shell.displayhook.write_format_data = self._result
        self.shell.displayhook.finish_displayhook = lambda: None
        self.log = CellLog(self.shell)
        self.home = Home(self.shell.user_ns)

    def _result(self, data: dict[str, Any], metadata: Any = None) -> None:
        self.stdout.outputs.show(data, self.shell.displayhook.prompt_count)

    def run(self, source: str, limit: int) -> dict[str, Any]:
        outputs = Outputs(limit)
        error = self.guarded(outputs, lambda: self._cell(source, outputs))
        # On any slip of the bookkeeping, the worst: that the cell failed.
        status = "error" if error is not None else "ok"
        return {"status": status, "error": error, "outputs": outputs.listed()}

    def _cell(self, source: str, outputs: Outputs) -> dict[str, Any] | None:
        self.shell.error = None  # of several, the first is kept
        result = run_cell(self.shell, source, store_history=True)
        if "matplotlib.pyplot" in sys.modules:
            for number in plt.get_fignums():
                if outputs.room > 0:
                    file = io.BytesIO()
                    plt.figure(number).savefig(file, format="png", bbox_inches="tight")
                    outputs.show({"image/png": file.getvalue(), "text/plain": "<Figure>"})
            plt.close("all")
        raised = result.error_before_exec or result.error_in_exec
        return None if raised is None else self.shell.error or failure(raised)

    def obstacle(self, name: str, lacking: str) -> dict[str, Any]:
        """Why an exercise cannot be checked, if so, and why a name that it uses is missing."""
        reason = self.log.reason_for_missing(lacking) if lacking else None
        obstacle = self.log.obstacle(name)
        return {"obstacle": obstacle, "reason": reason, "written": self.log.writes(name)}

    def _keep(self, outputs: Outputs) -> None:
        """From here on, what is written and shown goes there."""
        self.stdout.outputs = self.stderr.outputs = Publisher.outputs = outputs
        sys.stdout, sys.stderr = self.stdout, self.stderr

    def guarded(self, outputs: Outputs, action: Any) -> Any:
        """Run `action` with its output kept; what escapes from it is a failure, never the end."""
        self._keep(outputs)
        try:
            return action()
        except BaseException as error:
            return failure(error)

    def perform(self, request: dict[str, Any]) -> dict[str, Any]:
        self._keep(Outputs(0))
        if request.get("room"):
            isolation.hold_only_what_is_used()
        try:
            return self.home.perform(request)
        except BaseException as error:
            return Reply(error=described(error)).message()

    def answer(self, request: Any) -> Any:
        if request["op"] == "run":
            return self.run(request["source"], request["bytes"])
        if request["op"] == "stop":
            return None
        if request["op"] == "obstacle":
            asked = request["name"], request["lacking"]
            return self.guarded(Outputs(0), lambda: self.obstacle(*asked))
        return self.perform(request)


REHEARSAL = """\
import matplotlib.pyplot as plt
import torch
from torch import nn
class Module(nn.Module):
    def forward(self, x):
        return nn.functional.softmax(x @ x.transpose(-2, -1), dim=-1)
print("rehearsal")
plt.plot([1, 2], label="x")
plt.legend()
torch.ones(2)
"""


def rehearse(notebook: Notebook) -> None:
    """Do once what sessions do, so that imports and caches are there when they fork.

    No gradient is taken here: torch refuses to take one in the fork of a process that has.
    """
    hold_operations()
    notebook.run(REHEARSAL, 10_000)
    notebook.run("raise ValueError", 10_000)
    notebook.run("Module(", 10_000)
    instance = notebook.perform(message_of(CallRequest("Module")))["value"]
    call = CallRequest(instance, (torch.ones(2, 3, 4).transpose(0, 1),), watch=True)
    reply = notebook.perform(message_of(call))
    wire.decode(wire.encode((1, reply)))
    notebook.home.instances.clear()
    notebook.shell.reset()
    notebook.log.clear()


def read(connection: socket.socket, size: int) -> bytes:
    """So many bytes; where the other side is gone, this process ends."""
    data = bytearray()
    while len(data) < size:
        piece = connection.recv(min(size - len(data), 2**20))
        if not piece:
            os._exit(0)
        data += piece
    return bytes(data)


def serve(notebook: Notebook, connection: socket.socket) -> None:
    """Answer requests, one after the other, each reply bearing its request's number."""
    interrupted = select.poll()
    interrupted.register(connection, select.POLLIN)
    while True:
        prefix = read(connection, wire.PREFIX.size)
        number, request = wire.decode(prefix + read(connection, sum(wire.sizes(prefix))))
        if request["op"] != "all":
            answer(notebook, connection, number, request)
            continue
        for index, each in enumerate(request["requests"], start=1):
            if interrupted.poll(0):
                break  # whoever asks has seen enough
            answer(notebook, connection, -index, each)


def answer(
    notebook: Notebook, connection: socket.socket, number: int, request: dict[str, Any]
) -> None:
    """Send the reply to one request; an error, where it cannot be answered or sent."""
    try:
        reply = wire.encode((number, notebook.answer(request)))
    except BaseException as error:
        reply = wire.encode((number, Reply(error=described(error)).message()))
    connection.sendall(reply)


@dataclass(frozen=True)
class Place:
    """What every session finds: where it may write, and the filter that it runs under."""

    scratch: str
    program: bytes


def session(
    notebook: Notebook, connection: int, status: int, place: Place, allowance: Allowance
) -> None:
    """Lock this process in for good, then let the submission's code in."""
    try:
        os.setsid()  # or a signal to its own process group would reach the fork server
        isolation.enter_namespaces()
        isolation.limit_resources(allowance)  # reads its own size in /proc, which then goes
        isolation.mount_scratch(place.scratch, allowance)
        os.chdir(place.scratch)
        isolation.drop_privileges()
        isolation.die_with_parent()
        isolation.filter_system_calls(place.program)
    except OSError as error:
        report(status, failed=f"A session could not be locked in: {error}.")
        return
    notebook.home.limited = True
    random.seed(0)  # Python draws a new seed in every fork
    serve(notebook, socket.socket(fileno=isolation.keep_only(connection)))


def report(status: int, **found: Any) -> None:
    """Tell the trusted side what became of a session."""
    with contextlib.suppress(OSError):
        os.write(status, json.dumps(found).encode() + b"\n")


class ForkServer:
    """The fork server's loop: start sessions, end them when told to, say how each one ended."""

    def __init__(self, notebook: Notebook, control: socket.socket, place: Place) -> None:
        self.notebook = notebook
        self.control = control
        self.place = place
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)
        self.sessions: dict[int, tuple[int, int]] = {}  # by either of the two: (status, process)
        self.killed: set[int] = set()
        self.children: dict[int, tuple[int, Allowance]] = {}  # by pidfd

    def run(self) -> None:
        while True:
            for descriptor, _ in self.poll.poll():
                if descriptor == self.control.fileno():
                    self.start()
                elif descriptor in self.sessions:
                    status, process = self.sessions[descriptor]
                    if descriptor == status:
                        self.obey(status, process)
                    else:
                        self.end(status, process)

    def start(self) -> None:
        data, descriptors, _, _ = socket.recv_fds(self.control, 4096, 2)
        if not data:
            os._exit(0)  # the trusted side is gone, and with this process go all sessions
        connection, status = descriptors
        try:
            child = isolation.fork_as_first()
        except OSError as error:
            report(status, failed=f"A session could not be started: {error}.")
            os.close(connection)
            os.close(status)
            self.control.send(b"failed")
            return
        if child == 0:
            try:
                allowance = Allowance(**json.loads(data))
                session(self.notebook, connection, status, self.place, allowance)
            finally:
                os._exit(FAILED)
        os.close(connection)
        process = os.pidfd_open(child)
        self.children[process] = child, Allowance(**json.loads(data))
        socket.send_fds(self.control, [b"started"], [process])
        for descriptor in (status, process):
            self.sessions[descriptor] = (status, process)
            self.poll.register(descriptor, select.POLLIN)

    def obey(self, status: int, process: int) -> None:
        """Limit the memory of a session's next call, or end the session."""
        with contextlib.suppress(OSError, ValueError):
            if line := os.read(status, 200):
                child, allowance = self.children[process]
                # As the processes of /proc are counted, which is another namespace's.
                with open(f"/proc/self/fdinfo/{process}") as file:
                    number = file.read().partition("\nPid:")[2].split()[0]
                room = json.loads(line)["room"]
                isolation.limit_one_call(child, f"/proc/{number}/statm", room, allowance)
                report(status, limited=True)
                return
        self.kill(status, process)

    def kill(self, status: int, process: int) -> None:
        # The first process of its namespace: all others in it go too.
        signal.pidfd_send_signal(process, signal.SIGKILL)
        self.killed.add(process)
        self.poll.unregister(status)

    def end(self, status: int, process: int) -> None:
        """Reap a session's first process, when all others of its namespace are gone."""
        ended = os.waitid(os.P_PIDFD, process, os.WEXITED)
        assert ended is not None  # it waits
        code = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
        report(status, killed=process in self.killed, code=code)
        self.killed.discard(process)
        del self.children[process]
        for descriptor in (status, process):
            with contextlib.suppress(KeyError):
                self.poll.unregister(descriptor)
            del self.sessions[descriptor]
            os.close(descriptor)


def main() -> None:
    """Get everything imported and ready, then fork a session whenever one is asked for."""
    control = socket.socket(fileno=int(sys.argv[1]))
    place = Place(sys.argv[2], isolation.filter_program())
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    notebook = Notebook()
    rehearse(notebook)
    # Code that draws numbers without a seed of its own gets the same ones in every run.
    torch.manual_seed(0)
    numpy.random.seed(0)
    threads = os.listdir("/proc/self/task")
    if len(threads) > 1:
        raise SystemExit(f"The fork server has {len(threads)} threads and cannot be forked.")
    gc.collect()
    gc.freeze()  # a collection in a fork would otherwise copy every page
    control.sendall(b"ready\n")
    ForkServer(notebook, control, place).run()


if __name__ == "__main__":
    main()
