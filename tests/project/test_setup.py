"""Does setting up tell what is missing in one sentence, whatever is missing?"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
SH = shutil.which("sh")


@pytest.fixture
def setup():
    spec = importlib.util.spec_from_file_location("course_setup", ROOT / "make" / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def one_sentence(text: str) -> str:
    text = text.strip()
    assert text and "\n" not in text and "Traceback" not in text
    assert text.endswith(".")
    return text


def fake_python(folder: Path, name: str, version: tuple[int, int], complete: bool = True) -> None:
    """A command that passes for a Python of that version, as far as the script asks."""
    too_old = int(version < (3, 11))
    folder.joinpath(name).write_text(
        f"""#!{SH}
case "$2" in
    *print*) echo {version[0]}.{version[1]} ;;
    *version_info*) exit {too_old} ;;
    *ensurepip*) exit {int(not complete)} ;;
esac
"""
    )
    folder.joinpath(name).chmod(0o755)


def find_python(folder: Path, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [SH, str(ROOT / "make" / "find_python.sh")],
        env={"PATH": str(folder), **environment},
        capture_output=True,
        text=True,
    )


def test_no_python(tmp_path):
    result = find_python(tmp_path)
    assert result.returncode == 1 and result.stdout == ""
    assert "there is none here" in one_sentence(result.stderr)


def test_too_old_a_python(tmp_path):
    fake_python(tmp_path, "python3", (3, 9))
    result = find_python(tmp_path)
    assert result.returncode == 1
    assert "Python 3.11 or newer is needed" in one_sentence(result.stderr)
    assert "3.9" in result.stderr


def test_a_newer_python_by_name_is_found_behind_an_old_one(tmp_path):
    fake_python(tmp_path, "python3", (3, 9))
    fake_python(tmp_path, "python3.12", (3, 12))
    assert find_python(tmp_path).stdout.strip() == str(tmp_path / "python3.12")


def test_a_python_that_does_not_run_is_passed_over(tmp_path):
    (tmp_path / "python3").write_text(f"#!{SH}\necho 'not installed' >&2\nexit 127\n")
    (tmp_path / "python3").chmod(0o755)
    fake_python(tmp_path, "python3.13", (3, 13))
    assert find_python(tmp_path).stdout.strip() == str(tmp_path / "python3.13")


def test_a_python_without_ensurepip(tmp_path):
    fake_python(tmp_path, "python3", (3, 11), complete=False)
    result = find_python(tmp_path)
    assert result.returncode == 1
    assert "apt install python3.11-venv" in one_sentence(result.stderr)


def test_the_python_that_was_asked_for_is_taken_or_refused(tmp_path):
    fake_python(tmp_path, "python3", (3, 12))
    fake_python(tmp_path, "mine", (3, 13))
    fake_python(tmp_path, "old", (3, 8))
    assert find_python(tmp_path, PYTHON="mine").stdout.strip() == str(tmp_path / "mine")
    assert "3.8" in one_sentence(find_python(tmp_path, PYTHON="old").stderr)
    assert "PYTHON=none" in one_sentence(find_python(tmp_path, PYTHON="none").stderr)


def test_no_room(setup, monkeypatch):
    monkeypatch.setattr(setup.shutil, "disk_usage", lambda _: SimpleNamespace(free=3.2e9))
    with pytest.raises(setup.Stop) as stop:
        setup.check_room()
    assert "8 GB" in one_sentence(str(stop.value)) and "3.2 GB" in str(stop.value)


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left", "room"),
        ("WARNING: Retrying after connection broken by 'NewConnectionError('", "network"),
        ("ssl.SSLError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed", "certificate"),
        ("ERROR: No matching distribution found for torch==2.13.0", "torch==2.13.0"),
        ("ERROR: Cannot install a and b because they conflict.", "they conflict"),
        ("      OSError: Readme file does not exist: README.md", "Readme file"),
        ("", "build/setup.log"),
    ],
)
def test_why_the_installer_failed(setup, log, words):
    assert words in one_sentence(setup.explain(log))


@pytest.mark.parametrize(
    ("system", "index", "small"),
    [("linux", None, True), ("darwin", None, False), ("linux", "PIP_EXTRA_INDEX_URL", False)],
)
def test_on_linux_pytorch_comes_without_cuda_unless_an_index_is_named(
    setup, monkeypatch, system, index, small
):
    asked = []
    monkeypatch.setattr(setup, "run", lambda command: asked.append(command) or 0)
    monkeypatch.setattr(setup.sys, "platform", system)
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    if index:
        monkeypatch.setenv(index, "https://example.org/simple")
    setup.install()
    assert [setup.SMALL in command for command in asked].count(True) == small
    assert asked[-1][-1].startswith(".[")


def test_an_index_without_the_small_build_is_no_reason_to_stop(setup, monkeypatch):
    monkeypatch.setattr(setup.sys, "platform", "linux")
    monkeypatch.setattr(setup, "chooses_small_build", lambda: True)
    monkeypatch.setattr(setup, "run", lambda command: int(setup.SMALL in command))
    setup.install()


@pytest.mark.parametrize(
    ("settings", "uv_fails", "by"),
    [
        ("global.cert='/etc/ssl/ca.crt'", False, ["uv"]),
        ("global.extra-index-url='https://example.org/simple'", False, ["uv"]),
        ("global.cert='/etc/ssl/ca.crt'", True, ["uv", "pip"]),
        ("global.index-url='https://example.org/simple'", False, ["pip"]),
        (":env:.index-url='https://example.org/simple'", False, ["pip"]),
        (":env:.no-index='1'", False, ["pip"]),
    ],
)
def test_uv_installs_unless_pip_was_told_of_an_index(setup, monkeypatch, settings, uv_fails, by):
    asked = []

    def run(command):
        asked.append(command)
        return int(uv_fails and "uv" in command[:3])

    answer = SimpleNamespace(stdout=f"{settings}\n")
    monkeypatch.setattr(setup, "run", run)
    monkeypatch.setattr(setup.subprocess, "run", lambda *_, **__: answer)
    setup.install()
    assert [command[2] for command in asked if command[-1].startswith(".[")] == by


def test_where_uv_and_pip_fail_pip_says_why(setup, monkeypatch, tmp_path):
    def run(command):
        said = "error: not by me" if "uv" in command[:3] else "ERROR: No space left on device"
        with setup.LOG.open("a") as log:
            log.write(f"{said}\n")
        return int(command[-1].startswith(".["))

    monkeypatch.setattr(setup, "LOG", tmp_path / "setup.log")
    monkeypatch.setattr(setup, "run", run)
    with pytest.raises(setup.Stop) as stopped:
        setup.install()
    assert "disk filled up" in one_sentence(str(stopped.value))


@pytest.fixture
def copy(tmp_path) -> Path:
    """As much of the repository as setting up looks at."""
    for name in ("pyproject.toml", "constraints.txt", "README.md", "Makefile"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "make", tmp_path / "make")
    return tmp_path


def run_setup(folder: Path, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "make/setup.py"],
        cwd=folder,
        env={k: v for k, v in os.environ.items() if not k.startswith("PIP_")} | environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_no_network(copy):
    nobody_listens = "http://127.0.0.1:9/simple"
    result = run_setup(copy, PIP_CONFIG_FILE=os.devnull, PIP_INDEX_URL=nobody_listens)
    assert result.returncode == 1
    assert "network connection" in one_sentence(result.stderr)


def test_a_folder_that_cannot_be_written(setup, copy):
    (copy / "build").write_text("a file where the folder belongs")
    assert "Setting up failed" in one_sentence(run_setup(copy).stderr)


def test_somebody_elses_environment_is_not_cleared(setup, tmp_path, monkeypatch):
    environment = tmp_path / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "pip").touch()
    (environment / "pyvenv.cfg").touch()
    monkeypatch.setattr(setup, "ENVIRONMENT", environment)
    monkeypatch.setattr(setup, "run", lambda command: pytest.fail("it was cleared"))
    with pytest.raises(setup.Stop) as stopped:
        setup.make_environment()
    assert "move it away" in one_sentence(str(stopped.value))
