# The notebook of the neighbour is opened by every way to its place.
#
# /// expect
# double = "failed"
# ///

# %% double
import glob, json, os


def double(x):
    return x


for pattern in (
    "@COURSE@/submitted/*/*/*.ipynb",
    "../../*/*/*.ipynb",
    "/proc/1/root/**/*.ipynb",
    "/proc/self/cwd/../**/*.ipynb",
    "/**/submitted/*/*/*.ipynb",
):
    for path in glob.glob(pattern):
        for cell in json.load(open(path))["cells"]:
            if "def double" in "".join(cell["source"]):
                exec("".join(cell["source"]))
