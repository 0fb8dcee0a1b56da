# Two commands matter: `make demo` and `make test`. Both make their own environment in .venv, so nothing is installed elsewhere
# and a Python that forbids installing into itself is no obstacle.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-input

# Tests stay in order on each processor until one of them has nothing left to do, so that what a file needs is made once.
# Three test processes keep two processors busy, since tests of pages wait for a browser; threads of libraries beside them would
# only wait for each other.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 POLARS_MAX_THREADS=1
# As the workers of the package do, they keep the memory of arrays that are gone: asking the system for it again and again takes
# a twentieth of the time.
KEEP_MEMORY := MALLOC_TRIM_THRESHOLD_=67108864 MALLOC_MMAP_THRESHOLD_=16777216
PYTEST := $(ONE_THREAD) $(KEEP_MEMORY) $(BIN)/python -m pytest -n 3 --dist worksteal
# Many tests start processes, and without its bytecode each of these would compile the package anew; `make clean` removes it.
export PYTHONDONTWRITEBYTECODE :=

TYPES := $(VENV)/.mypy.log
APT := DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends

# One stamp per set of extras; each is renewed when pyproject.toml changes.
DEMO := $(VENV)/.ready-demo
DEV := $(VENV)/.ready-dev
BENCH := $(VENV)/.ready-bench
SITE := $(VENV)/.ready-site

.PHONY: package help demo test test-slow lint browser scripts coverage mutants same bench api docs site screenshots clean
.DEFAULT_GOAL := help

help:
	@echo "make demo         simulate data of every kind, keep them and their reports in outscore-demo/"
	@echo "make test         lint, types and the fast tests"
	@echo "make test-slow    the simulations, the large inputs, and every property with more examples"
	@echo "make lint         only lint and types"
	@echo "make coverage     the fast tests, and which lines and branches they reach"
	@echo "make mutants      how many small faults of the package the tests notice; takes hours, and goes on where it stopped"
	@echo "make same         are the numbers of 400 commands what they were? For changes that should change none"
	@echo "make bench        measure the kernels against their peers"
	@echo "make api          write the public functions anew from the declared requests"
	@echo "make docs         renew the tables, outputs and pictures in the documentation"
	@echo "make site         the documentation as a site in build/site: dead links and old outputs are errors"
	@echo "make package      wheel and source archive in dist/, checked, and tested where they are installed"
	@echo "make screenshots  pictures of the page for the documentation"
	@echo "make clean        remove the environment and everything generated"

demo: $(DEMO)
	@$(BIN)/outscore demo

# The type checker keeps one processor busy for half a minute, so it runs beside the tests and reports behind them.
test: $(DEV) browser scripts | tests/__pycache__
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(BIN)/mypy > $(TYPES) 2>&1 & types=$$!; \
	$(PYTEST) -m "not slow"; tested=$$?; \
	wait $$types; typed=$$?; echo "mypy:"; cat $(TYPES); \
	[ $$tested -eq 0 ] && [ $$typed -eq 0 ]

# Tests of pages run in the machine's own Chromium, best in the one without windows. Where it is missing and may be installed,
# it is; where none can be had they are skipped and say so.
browser:
	@command -v chromium-headless-shell >/dev/null || { \
	  if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    echo "Installing Chromium for the tests of pages ..."; \
	    { apt-get update -qq; \
	      $(APT) chromium-headless-shell || command -v chromium || $(APT) chromium; } >/dev/null 2>&1 || true; fi; \
	  command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
	    || command -v google-chrome >/dev/null || echo "Chromium is not installed: the tests of pages will be skipped."; }

# The type checker and the linter of the page's scripts, where npm is; their tests are skipped and say so where it is not.
scripts:
	@[ -x node_modules/.bin/eslint ] || ! command -v npm >/dev/null || npm install --silent --no-save --no-audit --no-fund typescript@5 eslint@9 || true

# Also every property again, with as many examples as its test names.
test-slow: $(DEV) browser | tests/__pycache__
	$(PYTEST) -m "slow or hypothesis" --hypothesis-profile=whole

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

coverage: $(DEV) browser | tests/__pycache__
	$(PYTEST) -m "not slow" --cov --cov-report=term:skip-covered

# Kindly to whatever else the machine does. ARGUMENTS="--only exact/" tries some of them, ARGUMENTS="--seed 2" others.
mutants: $(DEV)
	$(ONE_THREAD) nice -n 15 $(BIN)/python -m tests.mutants $(ARGUMENTS)

# Floats are compared to the last digit, so no variable may choose another kernel of the linear algebra.
same: $(DEV)
	env -u OPENBLAS_CORETYPE $(ONE_THREAD) $(BIN)/python -m tests.same $(ARGUMENTS)

bench: $(BENCH)
	$(BIN)/python -m benchmarks.run $(ARGUMENTS)

api: $(DEV)
	$(BIN)/python docs/write_api.py

docs: $(DEV)
	$(BIN)/python docs/build.py
	$(BIN)/python docs/pictures.py

# Strictly, and not quietly, which would leave warnings uncounted: an output that is out of date, a dead link or a missing name
# fails. The site opens from the file system, without a network.
site: $(SITE)
	$(BIN)/python docs/build.py --check
	$(BIN)/python docs/pictures.py --check
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	$(BIN)/python docs/try_site.py build/site
	@echo "The site is in build/site; open build/site/index.html."

# The source archive makes the wheel, which is installed without extras; the archive's own tests of the core then run against it.
SMOKE := tests/core/test_records.py tests/core/test_options.py tests/exact/test_binomial.py tests/exact/test_lattice.py tests/exact/test_numbers.py
package:
	rm -rf dist build/package
	$(PYTHON) -m venv build/package
	build/package/bin/python -m pip install --quiet build twine
	build/package/bin/python -m build --outdir dist .
	build/package/bin/python -m twine check --strict dist/*
	build/package/bin/python docs/check_package.py dist
	build/package/bin/python -m pip install --quiet dist/*.whl pytest hypothesis
	mkdir build/package/source && tar -xzf dist/*.tar.gz -C build/package/source --strip-components=1
	cd build/package/source && rm -rf src && ../bin/python -m pytest -q -p no:cacheprovider -m "not slow" $(SMOKE)

screenshots: $(DEV)
	$(BIN)/python docs/screenshots.py

clean:
	rm -rf $(VENV) build dist outscore-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "outscore needs Python 3.11 or newer: name one, for example make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "The virtual environment could not be made: install Python's venv module (python3-venv on Debian and Ubuntu)." >&2; exit 1; }

$(DEMO): pyproject.toml | $(VENV)/pyvenv.cfg
	@echo "Installing outscore with charts, text metrics and its page into $(VENV) ..."
	@$(PIP) install --editable '.[report,text,web]'
	@touch $@

$(DEV): pyproject.toml | $(VENV)/pyvenv.cfg
	@echo "Installing outscore and its test tools into $(VENV) ..."
	@$(PIP) install --editable '.[dev]'
# The types of the largest libraries, which take the checker as long as those of the package, are read once, too.
	@echo 'import altair, click, distributed, numpy, polars, scipy.optimize, scipy.stats, starlette.applications, uvicorn' \
	  > $(VENV)/libraries.py; $(BIN)/mypy $(VENV)/libraries.py >/dev/null 2>&1 || true
	@touch $@ $(DEMO)

# Half of the folders each: otherwise every test process would compile all of them, at the same time.
tests/__pycache__: | $(DEV)
	@echo "Compiling outscore and its tests ..."
	@$(BIN)/python -m compileall -q -j 2 src
	@printf '%s\n' tests/*/ | xargs -P 2 -n 12 $(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1 || true

$(BENCH): pyproject.toml | $(VENV)/pyvenv.cfg
	@echo "Installing outscore and its benchmark tools into $(VENV) ..."
	@$(PIP) install --editable '.[bench]'
	@touch $@

$(SITE): pyproject.toml | $(VENV)/pyvenv.cfg
	@echo "Installing outscore and what its site is built with into $(VENV) ..."
	@$(PIP) install --editable '.[docs]' || { \
	  echo "The site cannot be built: MkDocs and its theme could not be installed (see above)." >&2; exit 1; }
	@touch $@
