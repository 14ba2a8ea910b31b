# Two commands for everybody: `make demo` and `make test`. The others are habits of the house.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DEMO   := fixtures/soft/011-deepspeed-config-path-missing-on-node2.log

.PHONY: bench bench-quick demo test lint rules check schema golden picture accuracy signatures clean

demo: $(VENV)/installed
	@$(BIN)/slurm-doctor --exit-zero $(DEMO)

test: $(VENV)/installed-dev lint rules
	$(BIN)/pytest -n auto

lint: $(VENV)/installed-dev
	$(BIN)/ruff check diagnose tests docs bench
	$(BIN)/ruff format --check diagnose tests docs bench
	$(BIN)/mypy

rules: $(VENV)/installed
	$(BIN)/slurm-doctor rules test

check: $(VENV)/installed
	$(BIN)/slurm-doctor check fixtures

# Derived from the types and from real runs; tests hold schemas, golden answers and pages current.
schema golden picture accuracy signatures: $(VENV)/installed
	$(BIN)/python docs/generate.py $@

$(VENV)/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Python 3.10 or newer is needed; set PYTHON=python3.x" >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "This Python has no venv. On Debian and Ubuntu: sudo apt install python3-venv" >&2; exit 1; }
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# Against ripgrep, grep and cat, as installed from a wheel; bench-quick is what CI runs.
bench bench-quick: $(VENV)/installed
	@test -x bench/.venv/bin/pip || $(PYTHON) -m venv bench/.venv
	@bench/.venv/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps .
	@bench/.venv/bin/pip install --quiet --disable-pip-version-check '.[bench,fast]'
	bench/.venv/bin/python bench/run.py $(if $(filter bench-quick,$@),--quick,--large 20)

clean:
	rm -rf $(VENV) bench/.venv bench/.corpora build dist .mypy_cache .ruff_cache .pytest_cache
