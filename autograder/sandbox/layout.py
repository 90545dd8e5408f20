"""What the file system inside the sandbox shows, and how bubblewrap is told so."""

import contextlib
import importlib.util
import json
import os
import sys
import sysconfig
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.notebook import packages
from autograder.sandbox.isolation import USER
from autograder.source.content import content

COURSE = "/course"
# The course's modules that run inside.
STAGED = (
    "remote/values.py",
    "remote/requests.py",
    "remote/library.py",
    "remote/tracing.py",
    "remote/calling.py",
    "notebook/cell_log.py",
    "notebook/packages.py",
    "notebook/resuming.py",
    "source/syntax.py",
    "remote/wire.py",
    "sandbox/isolation.py",
    "sandbox/worker.py",
)
INSIDE = '''\
"""The course inside the sandbox: what decides is on the other side of the wall."""

def check(name, *_args, **_kwargs):
    print(f"{name}: graded by the check cell")
    return 0.0

def predict(*_args, **_kwargs):
    """A question to the learner, which counts nothing."""

review = inventory = predict
'''


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
        python = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
        wanted, links = _of_the_system()
        binds: list[tuple[str, str]] = []
        for path in (*wanted, python):
            if os.path.exists(path) and not _within(path, [there for _, there in binds]):
                binds.append((path, path))
        packages: list[str] = []
        for entry in _package_folders():
            inside = entry
            if not _within(entry, [there for _, there in binds]):
                inside = f"/packages/{len(packages)}"
                binds.append((entry, inside))
            packages.append(inside)
        taken = [there for _, there in binds]
        scratch = "/scratch" if any(_within(there, ["/tmp"]) for there in taken) else "/tmp"
        files = [
            ("/etc/passwd", f"student:x:{USER}:{USER}:student:{scratch}:/bin/false\n".encode()),
            ("/etc/group", f"student:x:{USER}:\n".encode()),
            *staged(),
        ]
        return cls(
            binds=tuple(binds),
            hidden=tuple(_hidden(binds)),
            packages=tuple(packages),
            blank=tuple(_telling(binds)),
            files=tuple(files),
            links=tuple(links),
            python=python,
            scratch=scratch,
        )

    @contextlib.contextmanager
    def command(
        self, program: str, arguments: list[str]
    ) -> Iterator[tuple[list[str], tuple[int, ...]]]:
        """The command that runs Python with `arguments` inside, and the files it must inherit."""
        words = [*self._walls(), *self._shown()]
        descriptors = []
        try:
            contents = [(inside, b"", "--ro-bind-data") for inside in self.blank]
            contents += [(inside, content, "--file") for inside, content in self.files]
            for inside, content, how in contents:
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

    def _walls(self) -> list[str]:
        """What a process inside is kept from, and which environment it finds."""
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
        return words

    def _shown(self) -> list[str]:
        """The folders that it sees."""
        words = ["--proc", "/proc", "--dev", "/dev", "--size", str(64 * 2**20)]
        words += ["--perms", "1777", "--tmpfs", self.scratch]
        for folder in self.folders():
            words += ["--perms", "0755", "--dir", folder]  # bubblewrap makes them for root only
        for target, name in self.links:
            words += ["--symlink", target, name]
        for here, inside in self.binds:
            words += ["--ro-bind", here, inside]
        for inside in self.hidden:
            words += ["--size", "4096", "--tmpfs", inside, "--remount-ro", inside]
        return words

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


def _of_the_system() -> tuple[list[str], list[tuple[str, str]]]:
    """Where Python and the system's libraries may lie, and the links that lead there."""
    base = Path(sys.base_prefix)
    wanted = ["/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/share/zoneinfo", "/nix/store"]
    wanted += ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"]
    wanted += ["/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage"]
    wanted += [str(base / "lib"), str(base / "lib64")]
    wanted += [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib", vars=_BASE)]
    links = []
    for name in ("lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            links.append((os.readlink(path), str(path)))
        else:
            wanted.append(str(path))
    return wanted, links


def _hidden(binds: list[tuple[str, str]]) -> Iterator[str]:
    """The folders of the course in what is shown."""
    for here, inside in binds:
        for name in _of_the_course():
            for path in (Path(here, name), *Path(here).glob(f"python*/*-packages/{name}")):
                if path.is_dir():
                    yield str(Path(inside, path.relative_to(here)))


def _of_the_course() -> set[str]:
    """What an installed course brings along; none of it may be seen by a submission."""
    packages = content()
    names = ("autograder", packages.solutions, packages.shared)
    return {name.split(".")[0] for name in names}


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
    folders = []
    for entry in sys.path:
        name = os.path.basename(entry)
        if name in ("site-packages", "dist-packages") and os.path.isdir(entry):
            folders.append(os.path.realpath(entry))
    return list(dict.fromkeys(folders))


def staged() -> Iterator[tuple[str, bytes]]:
    """The course's few modules that run inside, and what chapters share, laid out anew."""
    home = Path(__file__).resolve().parents[1]
    yield f"{COURSE}/autograder/__init__.py", INSIDE.encode()
    for package in sorted({name.split("/")[0] for name in STAGED}):
        yield f"{COURSE}/autograder/{package}/__init__.py", b""
    for name in STAGED:
        yield f"{COURSE}/autograder/{name}", (home / name).read_bytes()
    importable = json.dumps(sorted(packages.modules()))
    yield f"{COURSE}/autograder/notebook/{packages.IMPORTABLE}", importable.encode()
    name = content().shared
    spec = importlib.util.find_spec(name)
    shared = Path(spec.origin).parent if spec and spec.origin else home.parent / "book" / name
    for path in sorted(shared.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"{COURSE}/{name}/{path.relative_to(shared)}", path.read_bytes()
