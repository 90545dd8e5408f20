"""Chromium: the one without windows where there is one, which needs a fifth less time."""

import shutil

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PATIENCE = 30_000  # milliseconds: a machine with more to do is slow, and no page is at fault
