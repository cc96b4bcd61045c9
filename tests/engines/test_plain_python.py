"""The kernels are ordinary Python: with NUMBA_DISABLE_JIT=1 every engine gives the same numbers."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from ndcg_asymptotics.engines import cells, every_n, items, rare
from ndcg_asymptotics.engines.cells.ranks import count_orders_of_ranks
from ndcg_asymptotics.engines.rare.leaves import decide_order, whole_cells
from ndcg_asymptotics.engines.rare.plan import make
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population, Relevance, Scorer
from ndcg_asymptotics.studies import Design

ENGINES = {"items": items, "every_n": every_n, "cells": cells, "rare": rare}
MEASURES = ("nDCG", "nDCG(power(0.5))", "nDCG(geometric(2))", "nDCG(linear)", "nDCG@3", "nDCG(zipf)@0.4n")
TWO = ("nDCG", "nDCG(zipf)@0.4n")
LONGER = ("nDCG", "nDCG(linear)", "nDCG@0.8n")
SCORERS = {"good": "graded(2=power(0, 0.3, 3), 1=linear(0.1, 0.3))", "random": "random"}
FEW = {"good": "relevant(3, roc_power(0.4))", "random": "random"}

CASES = {
    "items": ("items", SCORERS, "independent", MEASURES, (5, 40, 200)),
    "items, with a coupling": ("items", SCORERS, "gaussian(0.5)", MEASURES, (5, 40, 200)),
    "every n": ("every_n", SCORERS, "independent", MEASURES, (5, 40, 200)),
    "every n, as sums of exponentials": ("every_n", SCORERS, "independent", LONGER, (5, 900)),
    "cells": ("cells", SCORERS, "independent", MEASURES, (5, 40, 200)),
    "cells of long lists": ("cells", SCORERS, "independent", TWO, (10**4, 10**6, 10**18)),
    "cells, few relevant items": ("cells", FEW, "independent", TWO, (10, 10**3, 10**12)),
    "rare": ("rare", SCORERS, "independent", MEASURES, (5, 40, 200)),
    "rare, long lists": ("rare", SCORERS, "independent", ("nDCG",), (10**5,)),
}


def draws(case: str) -> dict[str, list[object]]:
    """One replicate of a small study, as plain data."""
    name, scorers, coupling, texts, sizes = CASES[case]
    population = Population.of(scorers, coupling)
    design = Design(
        population, tuple(map(Measure.parse, texts)), sizes, 1, (("good", "random"),), bracket=0.05
    )
    return {variable: values.tolist() for variable, values in ENGINES[name].simulate(design, 0).items()}


def orders() -> dict[str, list[object]]:
    """Orders that are drawn outside of studies: of separate lists, and item by item."""
    a, b = Scorer.of("relevant(3, roc_power(0.4))"), Scorer.of("relevant(3, roc_power(0.6))")
    separate = count_orders_of_ranks(a, b, Measure("log"), n=10**6, lists=40, seed=1)
    good, bad = Relevance.parse("linear(0.1, 0.5)"), Relevance.parse("linear(0.2, 0.4)")
    plan = make(good, bad, Measure("log"), 400)
    rng = np.random.Generator(np.random.SFC64(1))
    shape = (len(plan.tilt.sides[0].true.T), 2)
    counts = rng.integers(0, 9, shape)
    sides = [whole_cells(counts, side.true.T.copy()) for side in plan.tilt.sides]
    found = [
        decide_order(plan.table, plan.most, sides[0], sides[1], *plan.halves, rng, 2, 10**7)[0]
        for _ in range(20)
    ]
    return {"separate": list(separate), "item by item": [int(sign) for sign in found]}


def found(case: str) -> dict[str, list[object]]:
    return draws(case) if case in CASES else orders()


@pytest.fixture(scope="module")
def plain() -> dict[str, dict[str, list[object]]]:
    """All cases as plain Python, from one process."""
    done = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("case", [*CASES, "orders"])
def test_plain_python_gives_the_same_numbers(plain: dict[str, dict[str, list[object]]], case: str) -> None:
    expected, compiled = plain[case], found(case)
    assert expected.keys() == compiled.keys()
    for variable, values in compiled.items():
        np.testing.assert_allclose(values, expected[variable], rtol=0, atol=1e-13, err_msg=variable)


if __name__ == "__main__":  # with words: the cases that begin with one of them
    begin = tuple(sys.argv[1:]) or ""
    print(json.dumps({case: found(case) for case in [*CASES, "orders"] if case.startswith(begin)}))
