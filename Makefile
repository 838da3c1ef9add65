# Everything runs in a virtual environment of the checkout. Paths here are relative, so that a checkout may lie anywhere.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help
.PHONY: help setup setup-dev test chaos bench demo play shown-start shown-table shown-conversation

help:  ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-20s %s\n", $$1, $$2}' Makefile

setup: $(VENV)/.installed  ## Make .venv with the sayso command in it
setup-dev: $(VENV)/.installed-dev

$(VENV)/.installed: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Sayso needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

test: setup-dev  ## Lint, types, import contracts and every test, on the embedded servers
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports
	env -u DATABASE_URL -u REDIS_URL -u SAYSO_DATA $(BIN)/python -m pytest -n 2

chaos: setup  ## Kill everything, again and again, while orders come in; ROUNDS=20, SEED=any
	$(BIN)/python -m tests.chaos --rounds $(or $(ROUNDS),20) $(if $(SEED),--seed $(SEED)) $(if $(OUT),--out $(OUT))

$(VENV)/.installed-bench: requirements-bench.txt $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.txt
	@touch $@

bench: $(VENV)/.installed-bench  ## Ours beside hand-written SQL and other queues; writes bench/results/
	$(BIN)/python -m bench

demo: setup  ## Start with made-up data, write as the tenant and answer as the manager in this terminal
	@$(BIN)/sayso demo

play: setup  ## Send twenty made-up requests at a human pace to the demo that runs
	@$(BIN)/python -m demo.play

shown-start: setup  ## Start, kill -9, start, stop; as root and not; with seconds
	@$(BIN)/python -m tests.shown.start

shown-table: setup  ## The attacks on the table in plain SQL, each refusal printed
	@$(BIN)/python -m tests.shown.table

shown-conversation: setup  ## One conversation from a sparking outlet to an undone dispatch
	@$(BIN)/python -m tests.shown.conversation
