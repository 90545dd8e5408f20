"""Make .venv, the environment that every other command runs in. Standard library only.

Run by the Python that find_python.sh chose. Does nothing if the environment is up to date; tells
a failure in one sentence, with the installer's own words in build/setup.log.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
LOG = ROOT / "build" / "setup.log"
EXTRAS = "book,dev,grading,test"
SMALL = "https://download.pytorch.org/whl/cpu"  # PyTorch without gigabytes of CUDA
ROOM_GB = 8


class Stop(Exception):
    """A reason to end, in one sentence."""


def main() -> None:
    signature = describe_inputs()
    stamp = ENVIRONMENT / "attention-course.json"
    if stamp.exists() and json.loads(stamp.read_text()) == signature and healthy():
        return
    started = time.monotonic()
    if not healthy():
        check_room()
        print(f"Making a virtual environment with Python {signature['python']} in .venv ...")
        make_environment()
    stamp.unlink(missing_ok=True)
    print(
        "Installing what the course needs (minutes the first time; details in build/setup.log) ..."
    )
    install()
    stamp.write_text(json.dumps(signature))
    print(f"The environment is ready ({time.monotonic() - started:.0f} s).")


def describe_inputs() -> dict[str, str]:
    """What the environment depends on; its folder too, which its scripts have in them."""
    contents = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    return {
        "python": "{}.{}".format(*sys.version_info),
        "folder": str(ROOT),
        "extras": EXTRAS,
        "files": hashlib.sha256(b"\0".join(contents)).hexdigest(),
    }


def python() -> Path:
    return ENVIRONMENT / "bin" / "python"


def healthy() -> bool:
    """Is there an environment, of this Python version, made in this folder, with pip in it?"""
    # The script's first line tells where the environment was made, also after its folder moved.
    pip = ENVIRONMENT / "bin" / "pip"
    if not (pip.exists() and str(ENVIRONMENT).encode() in pip.read_bytes()):
        return False
    ask = "import sys, pip; print('{}.{}'.format(*sys.version_info))"
    answer = subprocess.run([python(), "-c", ask], capture_output=True, text=True)
    return answer.stdout.strip() == "{}.{}".format(*sys.version_info)


def check_room() -> None:
    free_gb = shutil.disk_usage(ROOT).free / 1e9
    if free_gb < ROOM_GB:
        raise Stop(
            f"There is not enough room: setting up takes up to {ROOM_GB} GB "
            f"and this disk has {free_gb:.1f} GB free."
        )


def is_foreign() -> bool:
    """Is there a whole environment that nothing of the course was ever installed into?"""
    ours = ("attention-course.json", "bin/autograder", "bin/hatchling")
    whole = (ENVIRONMENT / "pyvenv.cfg").exists() and (ENVIRONMENT / "bin" / "pip").exists()
    return whole and not any((ENVIRONMENT / name).exists() for name in ours)


def make_environment() -> None:
    if is_foreign():
        raise Stop(
            f"{ENVIRONMENT} is an environment that was not made here: move it away, then try again."
        )
    command = [sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)]
    if run(command) != 0:
        raise Stop(
            "The virtual environment could not be made; build/setup.log says why "
            f"(on Debian and Ubuntu, 'apt install python{sys.version_info[0]}."
            f"{sys.version_info[1]}-venv' often helps)."
        )


def install() -> None:
    # Python compiles each module at its first import; compiling all 13,000 takes most of a minute.
    pip = [str(python()), "-m", "pip", "install", "--no-compile", "--retries", "2", "--no-input"]
    pip += ["--constraint", "constraints.txt"]
    if chooses_small_build():
        # Where that index cannot be reached, the next step takes the build that pip finds.
        once = ["--retries", "0", "--timeout", "15"]
        run([*pip, *once, "--no-deps", "--index-url", SMALL, "torch"])
    # The project is built with the tested hatchling, not with one that is fetched for the purpose.
    need([*pip, "hatchling", "torch", "uv"])
    everything = ["--no-build-isolation", "--editable", f".[{EXTRAS}]"]
    # uv takes a fifth of pip's time. It reads none of pip's settings, so where these name an index,
    # and where it does not get through, pip installs the rest too.
    uv = [str(python()), "-m", "uv", "pip", "install", "--python", str(python()), "--no-progress"]
    uv += ["--constraint", "constraints.txt"]
    if names_an_index() or run([*uv, *everything]) != 0:
        need([*pip, *everything])


def need(command: list[str]) -> None:
    """Run it; where it fails, stop and say why."""
    before = LOG.stat().st_size if LOG.exists() else 0
    if run(command) != 0:
        raise Stop(explain(LOG.read_bytes()[before:].decode(errors="replace")))


def names_an_index() -> bool:
    """Whether pip was told, in its files or by a variable, to ask another index than PyPI."""
    asked = [str(python()), "-m", "pip", "config", "list"]
    settings = subprocess.run(asked, capture_output=True, text=True).stdout
    return re.search(r"\.(?:no-index|index-url)=", settings) is not None


def chooses_small_build() -> bool:
    """Whether to spare CUDA, which PyPI's torch brings on Linux: who names an index has chosen."""
    named = {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"} & os.environ.keys()
    return sys.platform == "linux" and not named


def run(command: list[str]) -> int:
    """Run with the output in the log, and its last line on the terminal if there is one."""
    settings = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_USER": "0"}
    foreign = {"PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_REQUIRE_VIRTUALENV"}
    environment = {k: v for k, v in os.environ.items() if k not in foreign} | settings
    LOG.parent.mkdir(exist_ok=True)
    with (
        LOG.open("a") as log,
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            text=True,
            errors="replace",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        assert process.stdout
        for line in process.stdout:
            log.write(line)
            if sys.stdout.isatty():
                width = shutil.get_terminal_size().columns - 1
                print(f"\r\x1b[K{line.strip()[:width]}", end="", flush=True)
        if sys.stdout.isatty():
            print("\r\x1b[K", end="")
    return process.returncode


def explain(log: str) -> str:
    """The one sentence for a pip that failed. The most telling sign comes first."""
    if re.search(r"No space left on device|Errno 28", log):
        return "The disk filled up while installing: make room (up to 8 GB), then try again."
    if re.search(r"CERTIFICATE_VERIFY_FAILED|SSLError", log):
        return (
            "The package index's certificate was not accepted, as happens behind a company's "
            "proxy: give pip its certificate ('pip config set global.cert FILE'), then try again."
        )
    broken = r"NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError"
    if re.search(broken, log):
        return (
            "The package index could not be reached: setting up needs a network connection "
            "the first time; connect, then try again."
        )
    missing = re.findall(r"No matching distribution found for (\S+)", log)
    if missing:
        version = "{}.{}".format(*sys.version_info)
        return (
            f"There is no {missing[-1]} for Python {version} on this machine: try one of the "
            "tested versions, as in 'make PYTHON=python3.12'."
        )
    errors = re.findall(r"^(?:ERROR: |\s+\w*Error: )(.+)$", log, flags=re.MULTILINE)
    reason = f" ({errors[-1].rstrip('.')})" if errors else ""
    return f"Installing failed{reason}; build/setup.log has the whole account."


if __name__ == "__main__":
    try:
        LOG.unlink(missing_ok=True)
        main()
    except Stop as reason:
        sys.exit(f"{reason}")
    except KeyboardInterrupt:
        sys.exit("Interrupted: run the same command again to go on.")
    except OSError as error:
        sys.exit(f"Setting up failed: {error}.")
