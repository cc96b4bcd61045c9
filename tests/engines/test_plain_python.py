"""The kernels are ordinary Python: with NUMBA_DISABLE_JIT=1 every engine gives the same numbers."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from ndcg_asymptotics.engines import cells, every_n, items, rare
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population
from ndcg_asymptotics.studies import Design

ENGINES = {"items": items, "every_n": every_n, "cells": cells, "rare": rare}
MEASURES = ("nDCG", "nDCG(power(0.5))", "nDCG(geometric(2))", "nDCG(linear)", "nDCG@3", "nDCG(zipf)@0.4n")
SCORERS = {"good": "graded(2=power(0, 0.3, 3), 1=linear(0.1, 0.3))", "random": "random"}


def draws(name: str) -> dict[str, list[object]]:
    """One replicate of a small study, as plain data."""
    coupling = "gaussian(0.5)" if name == "items" else "independent"
    population = Population.of(SCORERS, coupling)
    measures = tuple(map(Measure.parse, MEASURES))
    design = Design(population, measures, (5, 40, 200), 1, (("good", "random"),), bracket=0.05)
    return {variable: values.tolist() for variable, values in ENGINES[name].simulate(design, 0).items()}


@pytest.mark.parametrize("name", list(ENGINES))
def test_plain_python_gives_the_same_numbers(name: str) -> None:
    plain = subprocess.run(
        [sys.executable, __file__, name],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    expected, compiled = json.loads(plain.stdout), draws(name)
    assert expected.keys() == compiled.keys()
    for variable, values in compiled.items():
        np.testing.assert_allclose(values, expected[variable], rtol=0, atol=1e-13, err_msg=variable)


if __name__ == "__main__":
    print(json.dumps(draws(sys.argv[1])))
