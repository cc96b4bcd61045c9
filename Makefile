# Two commands are enough on a fresh machine with Python >= 3.11: make demo, make test. While you work: make quick.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(BIN)/ndcg-asymptotics
JOBS   ?= 2
# The tests of a file run in one process and share what they set up: a browser, the site, simulated lists.
# tests/conftest.py has put the files in order.
WORKERS = -n $(JOBS) --dist loadfile --no-loadscope-reorder

# Without this each process of the tests would compile all kernels.
COMPILE = $(BIN)/python tests/engines/test_plain_python.py

# Tests start hundreds of commands, each of which would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

# One process per core computes; threads of the linear algebra library would only slow them down.
export OPENBLAS_NUM_THREADS = 1

NEWEST := .venv-newest

# The versions that passed the tests; a user's install does not need them.
CONSTRAINTS := --constraint constraints.txt

.PHONY: demo quick test coverage elsewhere oldest newest-python constraints bench soak studies losses gallery real docs clean

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]' $(CONSTRAINTS)
	touch $@

demo: $(VENV)/installed  ## the standard study at a tenth of its size: run, check, draw
	$(RUN) run experiments/wang2013.toml --out results/demo --replicates 100 --jobs $(JOBS)
	$(RUN) check results/demo
	$(RUN) figures results/demo --out results/demo/figures

quick: $(VENV)/installed  ## while you work: the layout, and the tests that are quick
	$(BIN)/ruff check .
	$(BIN)/pytest $(WORKERS) -m "not slow"

# While kernels are compiled there is time for mypy; what it finds is printed, and counts at the end.
test: $(VENV)/installed  ## all checks that a change must pass
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	{ $(BIN)/lint-imports && $(BIN)/mypy; } & checks=$$!; $(COMPILE) items every > /dev/null & \
	  $(COMPILE) cells rare orders > /dev/null && wait $$! && $(BIN)/pytest $(WORKERS); \
	  ended=$$?; wait $$checks && exit $$ended

# vector units by their names in numpy 2.4, as numpy.show_runtime() lists them
AVX512 := X86_V4 AVX512_ICL AVX512_SPR

elsewhere: $(VENV)/installed  ## the tests with fewer vector units, other BLAS kernels, four threads and in random order
	NPY_DISABLE_CPU_FEATURES="$(AVX512)" OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1 \
	  $(BIN)/pytest $(WORKERS) --random-order-seed=1
	NPY_DISABLE_CPU_FEATURES="$(AVX512) X86_V3" OPENBLAS_CORETYPE=Nehalem OPENBLAS_NUM_THREADS=1 NUMBA_CPU_NAME=generic \
	  $(BIN)/pytest $(WORKERS) --random-order-seed=2
	OPENBLAS_NUM_THREADS=4 $(BIN)/pytest $(WORKERS) --random-order-seed=3

coverage: $(VENV)/installed  ## lines and branches that the tests reach, kernels as plain Python
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest $(WORKERS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

oldest:  ## the tests with the oldest versions that pyproject.toml allows (their deprecations are not ours)
	rm -rf .venv-oldest && $(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/pip install --quiet --disable-pip-version-check uv
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest/bin/python --resolution lowest-direct \
	  --index-strategy unsafe-best-match -e '.[dev]'
	.venv-oldest/bin/pytest $(WORKERS) -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning

newest-python:  ## the checks and tests under the newest supported Python
	$(MAKE) test PYTHON=python3.13 VENV=.venv-3.13

# Resolved for the oldest supported Python, so that later ones can install the same versions.
constraints: $(VENV)/installed  ## update constraints.txt to the newest versions of all dependencies, if they pass the tests
	rm -rf $(NEWEST) && mkdir $(NEWEST)
	$(BIN)/pip install --quiet --dry-run --ignore-installed --only-binary :all: --python-version 3.11.0 \
	  --target $(NEWEST) --report $(NEWEST)/report.json '.[dev]'
	$(BIN)/python scripts/constraints.py $(NEWEST)/report.json > $(NEWEST)/constraints.txt
	$(MAKE) test VENV=$(NEWEST) CONSTRAINTS="--constraint $(NEWEST)/constraints.txt"
	mv $(NEWEST)/constraints.txt constraints.txt
	rm -rf $(NEWEST)

bench: $(VENV)/installed  ## all benchmarks, into results/benchmarks.json and figures/gallery
	$(BIN)/python -m benchmarks
	$(BIN)/python figures/speed.py
	for name in inspection plan; do $(BIN)/python -m benchmarks.$$name || exit 1; done

soak: $(VENV)/installed  ## the long tests: kills, signals, damage, odd input, repeated experiments, and searches up to 200 times as long
	for name in signals damage fuzz wrong_types false_alarms mutations counterexamples wrong_orders; do \
	  PYTHONPATH=tests $(BIN)/python -m robustness.$$name || exit 1; done
	$(BIN)/pytest $(WORKERS) -m long
	NDCG_ASYMPTOTICS_SCAN=500 $(BIN)/pytest tests/theory/limits/test_limit_scan.py
	$(BIN)/pytest tests/test_frozen_record.py --effort 3
	$(BIN)/pytest -n $(JOBS) tests/theory/mean/test_searches.py --effort 200
	$(BIN)/pytest -n $(JOBS) tests/theory/deviation/test_random_lists.py --effort 20
	$(BIN)/pytest tests/theory/test_fixed_counts.py -k one_to_twelve --effort 64
	$(BIN)/pytest tests/theory/test_fixed_counts.py -k random_m --effort 16
	$(BIN)/pytest tests/checks/test_limit_tests.py -k certain_at_the_top --effort 20
	$(MAKE) oldest
	$(MAKE) newest-python

studies: $(VENV)/installed  ## every study of experiments/ at full size, into results/
	for study in experiments/*.toml; do \
	  $(RUN) run $$study --out results/$$(basename $$study .toml) --jobs $(JOBS) || exit 1; done
	$(BIN)/python experiments/shared_top.py

losses: $(VENV)/installed  ## the experiments about losses, into results/learning; some need NDCG_ASYMPTOTICS_DATA
	for name in decided discounts excess_risk growing long_lists margins movielens movielens_pairs mq2008 norms training_queries; do \
	  $(BIN)/python experiments/learning/$$name.py || exit 1; done

gallery: $(VENV)/installed  ## figures/gallery from results/
	$(BIN)/python figures/make_all.py results figures/gallery

real: $(VENV)/installed  ## both studies of real lists, from the data in the folder DATA, and their figures
	for study in robust03 movielens; do $(BIN)/python experiments/real/$$study.py $(DATA) results/real || exit 1; done
	$(BIN)/python figures/real_lists.py $(DATA) figures/gallery
	cd $(DATA)/robust03 && $(CURDIR)/$(RUN) compare THUIRr0301.run.gz aplrob03a.run.gz --qrels qrels.txt.gz \
	  --measure nDCG --measure nDCG@1 --measure nDCG@10 --measure "nDCG(power(0.5))" --measure "nDCG(geometric(2))" \
	  --figures $(CURDIR)/figures/gallery
	$(BIN)/python experiments/real/recommenders.py $(DATA) results/real/ranks
	$(BIN)/python figures/sampled_negatives.py results/real/ranks figures/gallery

docs: $(VENV)/installed  ## build the documentation site, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf ndcg_asymptotics/engines/__pycache__ $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
