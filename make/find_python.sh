#!/bin/sh
# Prints the Python to make the environment with, or says in one sentence why there is none.
# POSIX shell, because the first thing that may be missing is Python.

too_old=
incomplete=

# Sets `found` if $1 is a Python that will do.
try() {
    path=$(command -v "$1" 2>/dev/null) || return 1
    # Not every python on the PATH runs: pyenv's shims, for one, stand for versions that are not active.
    version=$("$path" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || return 1
    if ! "$path" -c 'import sys; sys.exit(sys.version_info[:2] < (3, 11))'; then
        too_old=${too_old:-$version}
        return 1
    fi
    if ! "$path" -c 'import ensurepip, venv' 2>/dev/null; then
        incomplete=${incomplete:-$version}
        return 1
    fi
    found=$path
}

stop() {
    echo "$1" >&2
    exit 1
}

if [ -n "${PYTHON:-}" ]; then
    try "$PYTHON" && echo "$found" && exit 0
    where="PYTHON=$PYTHON"
else
    # The Python that the user has made their own comes first, then the versions that are tested.
    for name in python3 python python3.11 python3.12 python3.13 python3.14; do
        try "$name" && echo "$found" && exit 0
    done
    where="the one found here"
fi

[ -z "$incomplete" ] || stop "Python $incomplete is here without what makes a virtual environment: on Debian and Ubuntu run 'apt install python$incomplete-venv', then try again."
[ -z "$too_old" ] || stop "Python 3.11 or newer is needed, and $where is $too_old: install a newer one (from python.org, your system or conda), then try again."
[ -z "${PYTHON:-}" ] || stop "PYTHON=$PYTHON is not a Python that runs: give the path of a Python 3.11 or newer."
stop "Python 3.11 or newer is needed, and there is none here: install it (from python.org, your system or conda), then try again."
