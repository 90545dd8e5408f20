#!/usr/bin/env bash
# Runs once, as root, when Gradescope builds the assignment's image.
set -euo pipefail
cd "${AUTOGRADER:-/autograder}/source"

apt-get install -y -q python3 python3-venv
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Python 3.11 or newer is needed: choose a newer Ubuntu as the base image."
    exit 1
}
python3 -m venv /opt/grader
# The second index has PyTorch's builds without CUDA, a tenth of the size.
/opt/grader/bin/pip install --quiet --extra-index-url https://download.pytorch.org/whl/cpu \
    --constraint constraints.txt --requirement requirements.txt

# A submission runs as another user, which has no business here.
chmod -R go-rwx .
