# Two commands are enough on a fresh machine with Python >= 3.11: make demo, make test.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(BIN)/ndcg-asymptotics
JOBS   ?= 2

# a process per core computes; threads of the linear algebra library would only get in their way
export OPENBLAS_NUM_THREADS = 1

.PHONY: demo test bench soak studies gallery clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(VENV)/installed  ## the standard study at a tenth of its size: run, check, draw
	$(RUN) run experiments/wang2013.toml --out results/demo --replicates 100 --jobs $(JOBS)
	$(RUN) check results/demo --summary
	$(RUN) figures results/demo --out results/demo/figures

test: $(VENV)/installed  ## everything a change must pass
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n $(JOBS)

bench: $(VENV)/installed  ## ratios within one run
	for name in items expectation every_n cells rare sweep startup; do $(BIN)/python -m benchmarks.$$name || exit 1; done

soak: $(VENV)/installed  ## fifty killed and resumed runs, random searches fifty times as long, weighted draws against plain ones
	$(BIN)/python -m benchmarks.soak
	$(BIN)/pytest -n $(JOBS) tests/theory/mean/test_searches.py --effort 50
	$(BIN)/python -m benchmarks.rare_agreement

studies: $(VENV)/installed  ## every study of experiments/ at full size, into results/
	for study in experiments/*.toml; do \
	  $(RUN) run $$study --out results/$$(basename $$study .toml) --jobs $(JOBS) || exit 1; done

gallery: $(VENV)/installed  ## figures/gallery from results/
	$(BIN)/python figures/make_all.py results figures/gallery

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
