# `make demo` and `make test` need Python 3.11 or newer and nothing else: they make .venv themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PARALLEL := -n auto --maxprocesses 4 --dist worksteal
SOURCES := protocol referee bots arena tests

.PHONY: demo test lint format soak bench clean
.DELETE_ON_ERROR:

# As root, bots are run as a user without rights, who cannot enter root's own home: where the only
# Python is in there, they stay root, which is said here and does not lift the other walls.
SANDBOX_UID := $(shell [ "$$(id -u)" != 0 ] || [ -x /usr/bin/python3 ] || echo --sandbox-uid 0)

demo: $(VENV)/.arena
	$(BIN)/arena demo $(SANDBOX_UID)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -q -m "not soak and not slow" $(PARALLEL)

soak: $(VENV)/.dev
	$(BIN)/python -m pytest -q -m "slow and not soak" $(PARALLEL)
	$(BIN)/python -m pytest -q -m soak --ignore tests/faults/test_clusters.py
	$(BIN)/python -m pytest -q -m soak -n 2 tests/faults/test_clusters.py

lint: $(VENV)/.dev
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

bench: $(VENV)/.arena
	$(BIN)/python -m tests.benchmarks.league

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo \
		"no virtual environment could be made; on Debian: apt-get install python3-venv"; exit 1; }

$(VENV)/.arena: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.arena
