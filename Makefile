# `make demo` and `make test` need Python 3.11 or newer and nothing else: they make .venv themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PARALLEL := --maxprocesses 4 --dist worksteal -n
SOURCES := protocol referee bots arena tests

.PHONY: help demo test slow builds attacks soak long landing aarch64 cgroup pythons container release docs lint format
.PHONY: bench ratios mutants clean
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:  # tests that measure time want the machine to themselves
# uv trusts what the machine trusts, as pip does: a proxy's certificates too
export UV_NATIVE_TLS := 1
unexport PYTHONDONTWRITEBYTECODE  # tests start thousands of programs, and each would be compiled anew

help:  ## Print this list.
	@awk -F ':.*##  *' '/^[a-z0-9]+:.*## / { printf "make %-10s%s\n", $$1, $$2 }' Makefile

# As root, bots are run as a user without rights, who cannot enter root's own home: where the only
# Python is in there, they stay root, which is said here and does not lift the rest of the sandbox.
SANDBOX_UID := $(shell [ "$$(id -u)" != 0 ] || [ -x /usr/bin/python3 ] || echo --sandbox-uid 0)

demo: $(VENV)/.arena  ## Play two small leagues of bundled bots, and print their tables.
	$(BIN)/arena demo $(SANDBOX_UID)

test: $(VENV)/.dev  ## Run the tests, except for the longer ones of the next lines.
	$(BIN)/python -m pytest -q -m "not soak and not slow" $(PARALLEL) auto $(MORE)

slow: $(VENV)/.dev  ## Run the tests marked slow: more cases of what `make test` tests.
	$(BIN)/python -m pytest -q -m "slow and not soak" $(PARALLEL) logical --ignore tests/referee/turn
	$(BIN)/python -m pytest -q -m "slow and not soak" tests/referee/turn

builds: $(VENV)/.dev  ## Try every hostile build, one after another.
	$(BIN)/python -m pytest -q -m soak tests/attacks/builds

attacks: $(VENV)/.dev  ## Try every attack on the sandboxes, one after another.
	$(BIN)/python -m pytest -q -m soak tests/attacks --ignore tests/attacks/builds

soak: $(VENV)/.dev  ## Run the other hard tests: kills, full disks, struck clusters.
	$(BIN)/python -m pytest -q -m soak $(PARALLEL) auto --ignore tests/attacks

long: $(VENV)/.dev  ## As root, run everything, and record the commit that it proved.
	$(BIN)/python -m tests.ci long

landing: $(VENV)/.dev  ## Raise the number of the landing, as the last commit before it.
	$(BIN)/python -m tests.ci landing $(ON)

aarch64: $(VENV)/.dev  ## Try the sandbox and the games on an emulated aarch64 machine.
	$(BIN)/python -m tests.machines.aarch64 $(AARCH64)

cgroup: $(VENV)/.dev  ## Try bots in cgroups of version 2, on an emulated machine.
	$(BIN)/python -m tests.machines.cgroup

# Each landing tries one of these; `make pythons PYTHONS=` all that pyproject.toml names, both ways.
PYTHONS ?= 3.11:lowest 3.12:newest 3.13:newest

pythons: $(VENV)/.dev  ## Try other Pythons, and the lowest dependencies allowed.
	$(BIN)/python -m tests.pythons $(PYTHONS)

container: $(VENV)/.dev  ## As root, do the steps of the Containerfile in a fresh Debian.
	$(BIN)/python -m tests.machines.containerfile

release: $(VENV)/.dev  ## Make the files of a release, and try them; publish nothing.
	$(BIN)/python -m tests.release

docs: $(VENV)/.dev  ## Build the documentation as a site with search, in build/site.
	$(BIN)/python -m tests.docs.site build/site

lint: $(VENV)/.dev  ## Check style and formatting with ruff, and types with mypy.
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/python -m tests.ci check

format: $(VENV)/.dev  ## Have ruff format the code, and mend what it can.
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

ratios: $(VENV)/.dev  ## Fail if a decision costs more than it may, against floors.
	$(BIN)/python -m tests.benchmarks.ratios

bench: $(VENV)/.arena  ## Measure matches and decisions a second in a league.
	$(BIN)/python -m tests.benchmarks.league

mutants: $(VENV)/.dev  ## Name small changes of the code that no test notices.
	$(BIN)/python -m tests.mutants

clean:  ## Remove .venv, caches and built packages.
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
