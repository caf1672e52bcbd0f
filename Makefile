# Everything runs in .venv, made on first use and kept until pyproject.toml or the lock changes.

PYTHON  ?= python3
WORKERS ?= 2

# Of the campaign: how long, from which seed, and whether the complexes, the zoo or both.
MINUTES ?= 10
SEED    ?= 0
PART    ?= both
# Of the fuzzer: how many files. Of mutations: how many.
FILES   ?= 1000
MUTANTS ?= 30

BIN  := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
VENV := .venv
RUN  := $(VENV)/$(BIN)/python
PIP  := -m pip install --quiet --disable-pip-version-check

# The tools of the tests are exactly the ones the tests passed with; users get ranges. A list of
# constraints, not of packages: each platform and Python takes from it what it needs.
LOCK   := requirements/dev.lock
# pip older than 25.3 reads the first for the build of the package, too; newer ones the second.
LOCKED := PIP_CONSTRAINT=$(LOCK) PIP_BUILD_CONSTRAINT=$(LOCK)

# The stamps carry checksums of the contents, not dates, so a fresh checkout of the same content
# does not ask the network again.
KEY    := $(shell cksum < pyproject.toml | cut -d' ' -f1)
CORE   := $(VENV)/.core-$(KEY)
DOCS   := $(VENV)/.docs-$(KEY)-$(shell cksum < $(LOCK) | cut -d' ' -f1)
DEV    := $(VENV)/.dev-$(KEY)-$(shell cksum < $(LOCK) | cut -d' ' -f1)
FRESH  := build/lock
OLDEST := build/oldest

# What a developer runs while working has an environment of its own, without the large libraries.
QUICK  := .venv-check
RELEASE := build/release/.made-$(KEY)
CHECK  := $(QUICK)/.check-$(KEY)-$(shell cksum < $(LOCK) | cut -d' ' -f1)

# One thread of BLAS each: the test workers share the cores, and benchmarks stay comparable.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1

# Whatever the machine says: tests start many processes, which are to find the package compiled.
unexport PYTHONDONTWRITEBYTECODE

# Each process takes one half of the tests, so what a file of tests shares is made once, and whoever
# is done first takes from the other.
PYTEST = -m pytest -n $(WORKERS) --dist worksteal

# Of the tests, those of contracts, theorems and small cases by hand that need no more than a second.
CHECKED := \
	project/layout project/lock \
	public/vocabulary public/errors public/pickle \
	core/by_hand core/theorems core/small core/onto core/recipe core/solvers core/inverse \
	core/factors core/operator_contract core/operator_products core/sigma core/zero_operators core/mixed_meshes \
	core/weights \
	tasks/theory tasks/batch tasks/clustering tasks/cuts tasks/resistance \
	tasks/influence tasks/choices tasks/embedding \
	complexes/order_of_vertices complexes/generators complexes/lifts complexes/lifts_cycles

SEEDS ?= $(shell seq 1 20)

# A benchmark is a file that can be run; the others are helpers. That of cellapse.scale needs
# libraries of the system, so it runs only when asked for.
BENCH ?= $(filter-out scale_out,$(basename $(notdir $(shell grep -ls __main__ benchmarks/*.py))))

.DEFAULT_GOAL := help
.PHONY: help demo docs browser check test test-users test-slow test-seeds test-oldest scale test-scale campaign fuzz \
	mutate lock lint format bench dist smoke release clean check-reproduction

help:
	@echo "make demo         what it is good for: a network with false edges, a report in out/"
	@echo "make docs         the site, with its gallery, into build/docs"
	@echo "make check        lint and the quick tests, in an environment made within a minute"
	@echo "make test         lint, then the tests"
	@echo "make test-users   the slow tests of what users meet: commands, formats, arguments"
	@echo "make test-slow    all tests, the slow ones too"
	@echo "make test-seeds   the tests that draw examples, with twenty other seeds or SEEDS=7"
	@echo "make test-oldest  the tests with the lowest versions of the dependencies"
	@echo "make scale        PETSc, SLEPc, MPI and Dask for cellapse.scale; Debian or Ubuntu, as root"
	@echo "make test-scale   the tests of cellapse.scale on 1, 2 and 4 ranks"
	@echo "make check-reproduction  cellapse reproduce --quick, against the published figures"
	@echo "make campaign     every number against an oracle: MINUTES=10 SEED=0 PART=complexes|zoo|both,"
	@echo "                  APPEND=1 adds to the figures of earlier runs"
	@echo "                  AGAIN=1 runs again only what was wrong in them"
	@echo "make fuzz         read FILES=1000 odd files of every format, SEED=0"
	@echo "make mutate       do the tests notice mistakes? MODULE=tasks/resistance MUTANTS=30"
	@echo "make lock         lock the tools of the tests to the newest that fit"
	@echo "make lint         ruff and mypy"
	@echo "make format       let ruff rewrite the code"
	@echo "make bench        all benchmarks, or BENCH=lifts for one"
	@echo "make dist         a wheel and a source archive in dist/"
	@echo "make smoke        both, installed in an empty environment, and tried"
	@echo "make release      everything before an upload, on each Python there is; VERSION=0.1.0"
	@echo "make clean        remove .venv, .venv-check and everything made here"
	@echo "PYTHON=python3.12 chooses the interpreter, WORKERS=4 the test processes."

demo: $(CORE)
	$(VENV)/$(BIN)/cellapse demo -o out

# No warning, no broken link, nothing that a page would load from elsewhere.
docs: $(DOCS)
	$(RUN) -m sphinx -b html -q -W --keep-going docs build/docs
	$(RUN) tools/check_site.py build/docs
	@echo "open build/docs/index.html"

# The tests of pages open them in Chromium; without it they are skipped, and say so.
browser:
	@for name in chromium chromium-browser google-chrome; do \
		command -v $$name >/dev/null 2>&1 && exit 0; \
	done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium && exit 0; \
	fi; \
	echo "no Chromium, so the tests of pages will be skipped; install the package chromium" >&2

check: $(CHECK)
	$(QUICK)/$(BIN)/python -m ruff check
	$(QUICK)/$(BIN)/python -m ruff format --check
	$(QUICK)/$(BIN)/python -m mypy
	CELLAPSE_CHECK=1 $(QUICK)/$(BIN)/python $(PYTEST) -q $(foreach part,$(CHECKED),tests/$(dir $(part))test_$(notdir $(part)).py)

test: lint browser
	$(RUN) $(PYTEST)

# Of the slow tests, those of what users meet first: every documented command, every format and wrong
# argument, types of their scripts, networkx's own tests with our backend.
test-users: $(DEV)
	$(RUN) $(PYTEST) -m slow tests/first_hour tests/cli tests/interop tests/public tests/io \
		tests/core/test_memory.py tests/project/test_other_systems.py

test-slow: $(DEV) browser
	$(RUN) $(PYTEST) -m "" --durations=10

lint: $(DEV)
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy

format: $(DEV)
	$(RUN) -m ruff check --fix --exit-zero
	$(RUN) -m ruff format

# Odd files of every format, read in processes of their own.
fuzz: $(DEV)
	$(RUN) -m tests.fuzz --files $(FILES) --seed $(SEED)

# One small mistake at a time in one module; the tests must notice.
mutate: $(DEV)
	@test -n "$(MODULE)" || { echo "which module? make mutate MODULE=tasks/resistance" >&2; exit 1; }
	$(RUN) tools/mutate.py $(MODULE) --count $(MUTANTS) --seed $(SEED) $(if $(TESTS),--tests $(TESTS))
scale: $(DEV)
	$(LOCKED) sh tools/install_scale.sh $(VENV)

# As root, on fewer cores than ranks, which then share them politely.
MPI := OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
	OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

test-scale: scale
	CELLAPSE_SCALE=1 $(MPI) $(RUN) -m pytest tests/scale -q -s

# All tables of the paper, anew, and whether their figures are the published ones.
check-reproduction: $(DEV)
	rm -rf build/reproduce
	$(RUN) -m cellapse reproduce --quick --quiet -o build/reproduce
	$(RUN) tools/check_reproduction.py build/reproduce

campaign: $(DEV)
	$(RUN) -m tests.campaign --minutes $(MINUTES) --seed $(SEED) --part $(PART) \
		--workers $(WORKERS) $(if $(APPEND),--append) $(if $(AGAIN),--again)

bench: $(DEV) $(if $(filter scale_out,$(BENCH)),scale)
	@for name in $(BENCH); do echo "== $$name" && $(MPI) $(RUN) -m benchmarks.$$name || exit 1; done

# The time of the last commit, so that whoever builds it gets the same files.
MADE = $(shell git log -1 --format=%ct 2>/dev/null || echo 0)

# What goes to a package index: a wheel, and an archive of the sources that the tests come with.
dist: $(DEV)
	rm -rf dist
	SOURCE_DATE_EPOCH=$(MADE) $(RUN) -m hatchling build -d dist

# The tools of the tests may hide that something is missing: an environment of their own has none.
smoke: dist
	sh tools/smoke.sh $(PYTHON)

# All but the upload. The Pythons are those that can be found here; what cannot is said.
VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' src/cellapse/_version.py)
PYTHONS ?= $(PYTHON) $(foreach minor,11 12 13,$(shell for found in python3.$(minor) \
	$$HOME/.pyenv/versions/3.$(minor).*/bin/python; do \
	$$found -c 'import sys; sys.exit(sys.version_info[1] != $(minor))' 2>/dev/null && \
	! $(PYTHON) -c 'import sys; sys.exit(sys.version_info[1] != $(minor))' && echo $$found && break; done))

release: $(RELEASE) dist
	PATH="$(CURDIR)/$(dir $(RELEASE))$(BIN):$$PATH" SOURCE_DATE_EPOCH=$(MADE) \
		$(dir $(RELEASE))$(BIN)/python tools/release.py $(VERSION) $(PYTHONS)

# Other examples than those of every day: one run for each seed.
test-seeds: $(DEV)
	@for seed in $(SEEDS); do echo "== seed $$seed"; \
		$(RUN) $(PYTEST) -q -m "hypothesis and not slow" \
			--hypothesis-profile=seeded --hypothesis-seed=$$seed || exit 1; done

test-oldest: $(OLDEST)/.made-$(KEY)
	$(OLDEST)/$(BIN)/python $(PYTEST)

# What a fresh environment takes today, with what builds the package. Whether torch comes with CUDA
# is the choice of each machine, and so is the suffix of its version.
lock:
	$(CHECK_PYTHON)
	$(PYTHON) -m venv --clear $(FRESH)
	$(FRESH)/$(BIN)/python $(PIP) hatchling editables -e ".[dev,docs]"
	@mkdir -p $(dir $(LOCK))
	{ echo "# Made by make lock; do not edit."; \
	  $(FRESH)/$(BIN)/python -m pip freeze --all --exclude pip --exclude-editable | sed 's/+cpu$$//; s/+cu[0-9]*$$//' | \
	  grep -Ev '^(cuda|nvidia|triton)'; } > $(LOCK)

clean:
	rm -rf docs/api docs/gallery $(VENV) $(QUICK) build dist out .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

define CHECK_PYTHON
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	found=`$(PYTHON) --version 2>/dev/null || echo missing`; \
	echo "cellapse needs Python 3.11 or newer, and $(PYTHON) is $$found;" \
	"name another: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; \
	exit 1; }
@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	echo "$(PYTHON) cannot make virtual environments;" \
	"on Debian or Ubuntu: apt install python3-venv" >&2; \
	exit 1; }
endef

$(VENV)/.made:
	$(CHECK_PYTHON)
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(CORE): | $(VENV)/.made
	$(RUN) $(PIP) -e .
	@rm -f $(VENV)/.core-* $(VENV)/.dev-*
	@touch $@

$(DEV): | $(VENV)/.made
	$(LOCKED) $(RUN) $(PIP) -e ".[dev]"
	@rm -f $(VENV)/.core-* $(VENV)/.dev-*
	@touch $(CORE) $@

$(CHECK):
	$(CHECK_PYTHON)
	$(PYTHON) -m venv --clear $(QUICK)
	$(LOCKED) $(QUICK)/$(BIN)/python $(PIP) -e ".[check]"
	@touch $@

$(RELEASE):
	$(CHECK_PYTHON)
	$(PYTHON) -m venv --clear $(@D)
	$(LOCKED) $(@D)/$(BIN)/python $(PIP) hatchling hatch-fancy-pypi-readme -e ".[release]"
	@touch $@

$(DOCS): $(DEV)
	$(LOCKED) $(RUN) $(PIP) -e ".[dev,docs]"
	@rm -f $(VENV)/.docs-*
	@touch $@

# "numpy>=1.26" is installed as "numpy==1.26", and so on; the linters have no part in it.
define LOWEST
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
for wanted in project["dependencies"] + project["optional-dependencies"]["dev"]:
    if not wanted.startswith(("hypernetx", "mypy", "ruff")):  # hypernetx needs a newer networkx
        print(wanted.replace(">=", "=="))
endef
export LOWEST

$(OLDEST)/.made-$(KEY):
	$(CHECK_PYTHON)
	$(PYTHON) -m venv --clear $(OLDEST)
	@$(OLDEST)/$(BIN)/python -c "$$LOWEST" > $(OLDEST)/lowest.txt
	$(OLDEST)/$(BIN)/python $(PIP) -r $(OLDEST)/lowest.txt
	$(OLDEST)/$(BIN)/python $(PIP) --no-deps -e .
	@touch $@
