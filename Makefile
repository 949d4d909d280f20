# Works from a clean clone with Python 3.11 or newer, pip and a package registry.
PYTHON ?= python3
VENV := .venv
SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := $(VENV)/$(SCRIPTS)
# Python writes the bytecode of a module when it is first imported; most modules never are.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
C_FILES := $(wildcard src/misword/native/*.[ch])
WHEELS_VENV := build/wheels-venv

# The tests of the modules that call compiled kernels, without those that need a large model.
KERNEL_TESTS := $(addprefix tests/, contract/test_metrics.py $(addprefix unit/, \
  alignment $(addprefix asr/, choosing forgiving line_shifts metrics tuning test_alternatives.py \
  test_combine.py test_hypothesis_alternatives.py test_mbr.py test_oracle.py test_readings.py test_row_order.py \
  test_measuring_in_parts.py test_single_rates.py test_tune.py) \
  bli/retrievers bli/search embed/vectors io/vectors native noise text/test_text.py \
  $(addprefix stat/, test_coefficients.py test_correlation.py test_forgiven.py test_intervals.py \
  test_mapsswe.py test_nbest_scores.py test_scores.py test_stat_kernels.py)))

.PHONY: demo test test-oldest test-cluster check style types all-tests quick baseline sanitize fuzz coverage lint bench bench-check bench-ab docs studies wheels release-check clean

demo: $(VENV)/installed $(VENV)/native
	@$(BIN)/misword demo

test: style
	@$(MAKE) --no-print-directory --jobs 2 types all-tests
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

all-tests: $(VENV)/developed $(VENV)/native
	$(BIN)/pytest -n 2

quick: $(VENV)/developed $(VENV)/native
	$(BIN)/pytest -n 2 -m "not slow"

# A Ray cluster of two nodes on this machine, which loses a node, agents and drivers.
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
	@$(WHEELS_VENV)/$(SCRIPTS)/python -m pip install --quiet --no-deps --require-hashes --requirement requirements/wheels.txt
	@$(WHEELS_VENV)/$(SCRIPTS)/python tools/build_wheels.py

# What is in dist, installed in clean environments (docs/releasing.md): make release-check REQUIRE=3.11,3.12
release-check: wheels
	@$(WHEELS_VENV)/$(SCRIPTS)/python tools/release_check.py $(if $(REQUIRE),--require $(REQUIRE)) $(if $(TAG),--tag $(TAG))

# All benchmarks, or BENCH="spine startup"; one that fails does not stop the others.
bench: $(VENV)/benched $(VENV)/native
	$(BIN)/python bench/run.py $(BENCH)

# Whether the ratios that README and docs quote are still true: the short benchmarks once more.
bench-check: $(VENV)/benched $(VENV)/native
	$(BIN)/python bench/check.py

# This working copy beside another version: make bench-ab BASE=main
BASE ?= HEAD
bench-ab: $(VENV)/benched $(VENV)/native
	$(BIN)/python bench/ab.py $(BASE)

# The documentation as a site in build/site; open build/site/index.html.
docs: $(VENV)/documented $(VENV)/native
	@$(BIN)/python tools/make_site.py

# The pages in docs/studies; PAPERS=le2016 writes one of them.
studies: $(VENV)/developed $(VENV)/native
	@tools/install_debian.sh irstlm
	OMP_NUM_THREADS=1 $(BIN)/python -m studies $(PAPERS)

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "misword needs Python 3.11 or newer: make PYTHON=python3.x")'
	@$(PYTHON) -m venv $(VENV)

# Versions and digests of packages are those of requirements/*.txt (tools/lock.py). A machine without
# a compiler takes Zig's. PyTorch is its build without CUDA, which PyPI does not have; the lock file
# has its digest for Linux on x86-64 with Python 3.11, other systems install it without one.
LOCKED := $(PIP) --no-deps --require-hashes --requirement requirements
EDITABLE := $(PIP) --no-deps --no-build-isolation --editable .
TORCH := --index-url https://download.pytorch.org/whl/cpu --retries 1
INSTALL_TORCH = $(PIP) --no-deps $(TORCH) --require-hashes --requirement requirements/torch.txt \
  || $(PIP) --no-deps $(TORCH) torch==2.13.0
LOCKS := pyproject.toml $(wildcard requirements/*.txt)

$(VENV)/installed: $(VENV)/pyvenv.cfg $(LOCKS)
	@$(LOCKED)/core.txt
	@command -v cc gcc clang >/dev/null || $(LOCKED)/compiler.txt
	@$(EDITABLE)
	@touch $@ $(VENV)/native

# An editable install compiles the kernels: repeat it after a change of their sources.
$(VENV)/native: $(VENV)/pyvenv.cfg $(C_FILES) tools/build_native.py hatch_build.py
	@$(EDITABLE)
	@touch $@

DEBIAN := libvoikko1 voikko-fi default-jre-headless chromium fonts-dejavu-core gcc libc6-dev sctk \
  dict-freedict-eng-fra dict-freedict-eng-ces
$(VENV)/developed: $(VENV)/pyvenv.cfg $(LOCKS)
	@tools/install_debian.sh $(DEBIAN) & $(LOCKED)/dev.txt && $(LOCKED)/alone.txt && { $(INSTALL_TORCH); } && wait
	@$(EDITABLE)
	@touch $@ $(VENV)/installed $(VENV)/native

$(VENV)/documented: $(VENV)/pyvenv.cfg $(LOCKS)
	@$(LOCKED)/docs.txt
	@$(EDITABLE)
	@touch $@ $(VENV)/installed $(VENV)/native

$(VENV)/benched: $(VENV)/pyvenv.cfg $(LOCKS)
	@$(LOCKED)/bench.txt && $(LOCKED)/alone.txt && { $(INSTALL_TORCH); }
	@$(EDITABLE)
	@touch $@ $(VENV)/installed $(VENV)/native

# The lowest versions that pyproject.toml allows, and a fast selection of the tests.
OLDEST := build/oldest-venv/$(SCRIPTS)/python
OLDEST_TESTS := $(addprefix tests/unit/, alignment asr/metrics core embed io text)
test-oldest:
	@$(PYTHON) -m venv build/oldest-venv
	@$(OLDEST) -m pip install --quiet --no-deps --require-hashes --requirement requirements/oldest.txt
	@$(OLDEST) -m pip install --quiet --retries 1 --extra-index-url https://download.pytorch.org/whl/cpu torch==2.4.0
	@$(OLDEST) -m pip install --quiet --no-deps .
	$(OLDEST) -m pytest -m "not slow" $(OLDEST_TESTS)

clean:
	rm -rf $(VENV) build dist src/misword/native/_kernels*
