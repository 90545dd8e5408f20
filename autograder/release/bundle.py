"""The student bundle: notebooks, `lab`, a README, and a wheel that carries the checks.

The wheel is made from a copy of the repository in which the chapters have their checks alone;
recordings stand in for the references.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from string import Template

from autograder.errors import ReleaseError
from autograder.files import files_in, parsed, paths_within, sha256, write_zip
from autograder.release.book import Book
from autograder.release.own_files import OwnFiles
from autograder.release.recordings import STAMPS
from autograder.release.released import BUNDLE
from autograder.source.content import CHECK, content
from autograder.source.syntax import imported

NAME = "attention-course"
README = Path(__file__).with_name("bundle_readme.md")
# Of PyTorch's small build. Among the requirements it would be asked for every package, and where it
# cannot be reached, five times for each.
INDEX = "https://download.pytorch.org/whl/cpu"
REQUIREMENTS = """\
jupyterlab
./{wheel}
"""
BOOK = "The book, with every figure and one way to write each exercise: <{site}/>\n\n"
PROJECT_FILES = ("pyproject.toml", "LICENSE", "LICENSE-text")
# Folders of autograder that its wheel is made without; the recordings are put in anew.
FOR_TEACHERS = {"grading", "release", "sandbox", "recordings", "page"}
STAMP = "student.sha256"
INIT = "__init__.py"
FOLDER = "student"  # in the course's folder

Tree = dict[str, Path]  # path in the copy -> the file


def make_bundle(
    notebooks: list[Path], recordings: Path, root: Path, state: Path, files: OwnFiles, book: Book
) -> bool:
    """Make `student/` and its zip in the course's folder; return whether anything was made."""
    tree = wheel_tree(recordings, root)
    loose = {path.name: path for path in notebooks} | lab_tree(root)
    contents: list[str | bytes] = []
    for name, path in sorted([*tree.items(), *loose.items()]):
        contents += [name, path.read_bytes()]
    key = sha256(book.site, book.title, README.read_bytes(), Path(__file__).read_bytes(), *contents)
    stamp = state / STAMP
    complete = files.has_all(FOLDER) and files.has_all(BUNDLE) and stamp.exists()
    if complete and stamp.read_text() == key:
        return False

    stamp.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=state) as staged:
        folder, archive = Path(staged) / FOLDER, Path(staged) / BUNDLE
        for name, path in loose.items():
            _copy(path, folder / name)
        readme = Template(README.read_text(encoding="utf-8"))
        wheel = _build_wheel(tree, Path(staged) / "wheel", folder)
        requirements = REQUIREMENTS.format(wheel=wheel)
        (folder / "requirements.txt").write_text(requirements, encoding="utf-8")
        first = notebooks[0].name
        where = BOOK.format(site=book.site) if book.site else ""
        text = readme.substitute(
            first=first, wheel=wheel, book=where, title=book.title, index=INDEX
        )
        (folder / "README.md").write_text(text, encoding="utf-8")
        write_zip(archive, folder, inside=NAME)
        files.beside(FOLDER, paths_within(folder))
        files.instead(BUNDLE, {"": archive})
    stamp.write_text(key)
    return True


def wheel_tree(recordings: Path, root: Path) -> Tree:
    """What the students' wheel is made from."""
    tree = {name: root / name for name in PROJECT_FILES if (root / name).exists()}
    for path in files_in(root / "autograder"):
        if path.relative_to(root / "autograder").parts[0] in FOR_TEACHERS:
            continue
        tree[path.relative_to(root).as_posix()] = path
    tree |= _checks(root)
    tree |= {f"book/{name}": path for name, path in lab_tree(root).items()}
    for path in files_in(recordings):
        if path.name != STAMPS:
            tree[f"autograder/recordings/{path.name}"] = path
    return tree


def lab_tree(root: Path) -> Tree:
    """What chapters share: `lab/`."""
    return paths_within(root / "book" / "lab", inside="lab/")


def _checks(root: Path) -> Tree:
    """Of each chapter its check, without what makes its references known by their names."""
    folder = root / content().folder
    tree = {}
    for path in files_in(folder):
        if path.name == f"{CHECK}.py":
            _reject_solutions(path, root)
            tree[path.relative_to(root).as_posix()] = path
            tree[path.with_name(INIT).relative_to(root).as_posix()] = folder / INIT
    return tree | {(content().folder / INIT).as_posix(): folder / INIT}


def _reject_solutions(path: Path, root: Path) -> None:
    """The checks are imported where there are no references."""
    for module in sorted(imported(parsed(path))):
        place = content().place(module)
        if place and place[1] != CHECK:
            raise ReleaseError(
                f"{path.relative_to(root)} imports {module}, which the students' bundle does not "
                "have; a check gets the reference as an argument."
            )


def _build_wheel(tree: Tree, staged: Path, folder: Path) -> str:
    """Build the wheel into `folder`; return its name."""
    for name, path in tree.items():
        _copy(path, staged / name)
    (staged / "README.md").write_text(f"# {NAME}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(folder)]
    result = subprocess.run([*command, str(staged)], text=True, capture_output=True)
    wheels = [path.name for path in folder.glob("*.whl")]
    if result.returncode or len(wheels) != 1:
        lines = (result.stderr or result.stdout).strip().split("\n")
        raise ReleaseError(f"The students' wheel could not be built: {' '.join(lines[-3:])}")
    return wheels[0]


def _copy(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, to)
