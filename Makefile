# Every command makes its own virtual environment first; it is remade only when pyproject.toml changes.
# PYTHON chooses the interpreter (3.11 to 3.14), FILLER a folder of dialogues for the demo, ARGS is handed on.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# A uv on PATH saves a few seconds; otherwise the environment gets its own.
UV     := $(or $(shell uv --version >/dev/null 2>&1 && command -v uv),$(BIN)/uv)

# Compiled modules are kept: without them each process of the tests compiles everything anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types cypher-lint bench package conformance pages site venv

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(VENV)/.runtime  ## the main job end to end: tell, forget, restart, ask; FILLER=DIR for real dialogues
	@$(BIN)/r-memory demo $(if $(FILLER),--filler "$(FILLER)") $(ARGS)

# A file's tests stay together, and all tests on one line of Neo4j (tests/distribution.py): its server is started once. More than
# four processes have little left to share. `ARGS="-n 0"` runs all in one process.
test: $(VENV)/.dev  ## all tests, documentation examples included, in one process more than cores, four at most; ARGS="-k name"
	@$(BIN)/pytest -n auto --maxprocesses 4 --dist loadfile $(ARGS)

check: lint types cypher-lint test  ## everything a change must pass

lint: $(VENV)/.dev  ## style and format
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

types: $(VENV)/.dev  ## strict type checking of package, tests and scripts
	@$(BIN)/mypy

cypher-lint:  ## Neo4j's own linter over cypher/ (needs Node)
	@scripts/cypher-lint

bench: $(VENV)/.runtime  ## speed, as percentiles
	@$(BIN)/r-memory bench core $(ARGS)

package: $(VENV)/.dev  ## wheel, sdist, .mcpb bundle, server.json and marketplace, in dist/, held against their schemas
	@$(BIN)/python -m scripts.packaging $(if $(SCHEMAS),--schemas "$(SCHEMAS)")

conformance: $(VENV)/.dev  ## foreign clients and suites, and the checklist M-1 to M-64; ARGS="--report FILE"
	@scripts/conformance $(ARGS)

pages: $(VENV)/.dev  ## the pages in Chromium: axe, keys, weights, case file; ARGS="--report FILE --pictures DIR"
	@scripts/page-check $(ARGS)

site: $(VENV)/.site  ## the documentation as a site in build/site, which needs no network
	@$(BIN)/python -m scripts.site

venv: $(VENV)/.dev  ## the virtual environment with all tools

# As uv makes it, without a pip of its own: copying that takes as long as installing half of the rest. An interpreter
# without pip (Debian's) lends none, and gets one.
$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' \
		|| { echo "r-memory needs Python 3.11 to 3.14; name one: make PYTHON=python3.12 ..." >&2; exit 2; }
	@test -x $(BIN)/python || uv venv -q --python $(PYTHON) $(VENV) 2>/dev/null || $(PYTHON) -m venv --without-pip $(VENV)
	@test -x $(UV) || $(PYTHON) -m pip --python $(BIN)/python install -q --disable-pip-version-check uv 2>/dev/null \
		|| { $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install -q --disable-pip-version-check uv; }
	@touch $@

# Compiled when first used: all modules take 7 s of processor time, those that a server needs 2.6 of its first start.
$(VENV)/.runtime: $(VENV)/.python pyproject.toml
	@echo "installing r-memory into $(VENV)" >&2
	@$(UV) pip install -q -p $(BIN)/python -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime
	@echo "installing the development tools into $(VENV)" >&2
	@$(UV) pip install -q -p $(BIN)/python --group dev
	@$(UV) pip install -q -p $(BIN)/python --group model || echo "no real language model for tests on this machine" >&2
	@touch $@

$(VENV)/.site: $(VENV)/.dev
	@$(UV) pip install -q -p $(BIN)/python --group site
	@touch $@
