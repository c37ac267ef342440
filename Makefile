# Every target sets up what it needs. On a fresh machine: Python 3.11 or newer, make and git, nothing else.
SHELL := /bin/sh
BIN := .venv/bin
STAMP := .venv/.synced
WORKERS ?= auto
PORT ?= 8400
# The environment of the benchmark has the libraries that it compares with; what is built has not. Its Python is that of the operating system, if
# that is new enough: those are built with profiles, as what people run is, and one of pyenv is not. All that is compared runs on the same.
PEERS := .cache/bench-venv/.synced
BENCH ?=
# A test that hangs is stopped after ten minutes, with the stacks of its threads, and fails by its name.
HANGS := -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true
# What is covered to the last branch; the rest of the suite is simulation, and runs without the burden of measuring.
EXACT := src/perdure/model/*,src/perdure/core/*,src/perdure/expressions/*

.PHONY: help setup dev test check bench bench-postgres soak promises clean

help:            ## the commands
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 16

setup: $(STAMP)  ## the environment: .venv/ with .venv/bin/perdure

$(STAMP): pyproject.toml uv.lock scripts/bootstrap.sh
	@scripts/bootstrap.sh
	@touch $(STAMP)
	@echo "ready: $(BIN)/perdure; make dev runs a server, make test all tests"

dev: $(STAMP)    ## a server and a worker with the examples in it, on http://127.0.0.1:8400 (PORT=8500: on another port)
	@mkdir -p .cache && $(BIN)/perdure dev --port $(PORT) --db sqlite:///.cache/dev.db

check: $(STAMP)  ## format, lint, types, layers: under a minute
	@$(BIN)/ruff format --check --quiet . || { echo "run: .venv/bin/ruff format ."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@mkdir -p .cache && $(BIN)/lint-imports --cache-dir .cache/import-linter >.cache/imports.txt || { cat .cache/imports.txt; exit 1; }
	@$(BIN)/mypy
	@echo "format, lint, layers, types: ok"

test: check      ## everything: check, then the whole suite with coverage
	@scripts/browser.sh
	@rm -f .coverage .coverage.*
	@$(BIN)/coverage run -m pytest -n $(WORKERS) --dist worksteal $(HANGS) -m exact
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report --include '$(EXACT)' --fail-under 100 --skip-covered
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal $(HANGS) -m "not exact and not flat"
	@$(BIN)/pytest -q -s -m flat

soak: $(STAMP)   ## more of the same: ten times the worlds and the random workflows
	@PERDURE_WORLDS=10 $(BIN)/pytest -n $(WORKERS) -m simulation

promises: $(STAMP)  ## what is promised, at the size at which it is: kills, zombies, races, zones, canaries: about an hour
	@PERDURE_PATIENCE=1 $(BIN)/pytest -s $$(grep -rl --include='test_*.py' PERDURE_PATIENCE tests) tests/on_restate

bench: $(STAMP) $(PEERS)  ## how fast it is here, beside the disk and other libraries: under four minutes
	@.cache/bench-venv/bin/perdure bench --db-dir .cache --out .cache/bench.json $(BENCH)
	@$(BIN)/python bench/steps.py
	@$(BIN)/python bench/language.py

bench-postgres: $(PEERS)  ## the same on Postgres, beside DBOS on the same server: about two minutes
	@.cache/bench-venv/bin/python bench/on_postgres.py

$(PEERS): pyproject.toml uv.lock scripts/bootstrap.sh
	@echo "installing the libraries to compare with into .cache/bench-venv/, which takes half a minute once"
	@PYTHON=$${PYTHON:-/usr/bin/python3} scripts/bootstrap.sh .cache/bench-venv --no-dev --group bench
	@touch $(PEERS)

clean:           ## remove what the other targets made
	rm -rf .venv .tools .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.*
