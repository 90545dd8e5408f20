# Files of other names beside the notebook, some of which would be run or read elsewhere.
#
# /// expect
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    save(notebook, path)
    for name in ("torch.py", "sitecustomize.py", "conftest.py", "nbgrader_config.py", ".env"):
        (path.parent / name).write_text("raise SystemExit('imported')")
    (path.parent / "gradebook.db").write_bytes(b"SQLite format 3")
