"""Joint laws: correlations of scorers and of list lengths against oracles, what changes no value, refusals.

Seeds are fixed. A statistic within 4.5 standard errors of its expected value passes: 7e-6 false alarms per
comparison. Beside each stands the value under a wrong joint law, which the same draws reject.
"""

from __future__ import annotations

import math
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from cases import LINEAR, design, refused
from engines_cases import z_scores
from oracles import naive

from ndcg_asymptotics.engines import cells, every_n, items, rare
from ndcg_asymptotics.engines.engine import Draw, draw_block

LIMIT = 4.5


def draws(engine: ModuleType, of, replicates: int) -> np.ndarray:
    """NDCG of the only measure: (replicate, scorer, n)."""
    return draw_block(engine, of, range(replicates))["ndcg"][:, :, 0]


@pytest.mark.slow
@pytest.mark.parametrize("engine", [items, cells, every_n], ids=["items", "cells", "every-n"])
def test_independent_scorers_share_their_labels_and_nothing_else(engine: ModuleType) -> None:
    """P(NDCG_2(a) != NDCG_2(b)) for two uninformative scorers, and P(Y = 1) = 1/2.

    The labels differ with probability 1/2; then the orders agree with probability 1/2 + arcsin(rho)/pi, as
    the differences of the scorers' normals have correlation rho (Sheppard).
    """
    both = design({"a": "constant(0.5)", "b": "constant(0.5)"}, [2], pairs=[("a", "b")], seed=5)
    found = draws(engine, both, 2000)[..., 0]
    differ = (found[:, 0] != found[:, 1]).astype(float)
    assert abs(z_scores(differ, 0.25)) <= LIMIT
    apart = 1 - (0.25**2 + 0.5**2 + 0.25**2)  # of the values 0, 1 and log 2/log 3, if labels were drawn apart
    coupled = 0.5 * (0.5 - math.asin(0.3) / math.pi)
    for wrong in (apart, coupled):
        assert abs(z_scores(differ, wrong)) > LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("engine", [items, cells, every_n], ids=["items", "cells", "every-n"])
def test_list_lengths_are_prefixes_of_one_stream(engine: ModuleType) -> None:
    """E[NDCG_3 NDCG_6] by enumeration; lists that are drawn afresh would give the product of the means."""
    found = draws(engine, design(LINEAR, [3, 6], pairs=[]), 2400)[:, 0]
    product, curve = found[:, 0] * found[:, 1], {1.0: [Fraction("0.7"), Fraction("-0.6")]}

    def log(r: int) -> float:
        return 1 / math.log(1 + r)

    assert abs(z_scores(product, naive.expected_product(curve, log, 3, 6))) <= LIMIT
    apart = math.prod(naive.expected_ndcg(curve, log, n) for n in (3, 6))
    assert abs(z_scores(product, apart)) > LIMIT


@pytest.mark.parametrize("engine", [items, every_n], ids=["items", "every-n"])
def test_equal_scorers_with_full_correlation_have_one_ranking(engine: ModuleType) -> None:
    texts, pairs = ["nDCG", "nDCG(linear)", "nDCG@0.2n"], [("a", "b"), ("a", "a")]
    drawn = engine.simulate(
        design({"a": LINEAR, "b": LINEAR}, [10, 3000], texts, "gaussian(1)", pairs=pairs), 0
    )
    np.testing.assert_array_equal(drawn["ndcg"][0], drawn["ndcg"][1])
    assert not drawn["order"].any()
    if engine is every_n:
        assert not drawn["changes"].any()
        assert (drawn["last_not_greater"] == 3000).all()
        assert (drawn["last_not_less"] == 3000).all()


@pytest.mark.parametrize(
    ("engine", "longest", "coupling"),
    [
        (items, 40_000, "independent"),
        (items, 40_000, "gaussian(0.5)"),
        (cells, 10**12, "independent"),
        (every_n, 20_000, "independent"),
    ],
    ids=["items", "items, with a coupling", "cells", "every-n"],
)
def test_nothing_depends_on_what_else_a_study_holds(engine: ModuleType, longest: int, coupling: str) -> None:
    scorers = {"a": LINEAR, "b": "cusp(prevalence=0.4, top=0.9, alpha=0.5)", "c": "constant(0.4)"}
    texts = ["nDCG(zipf)@0.2n", "nDCG", "nDCG(linear)", "nDCG@10", "nDCG(geometric(2))", "nDCG(power(3))"]

    def drawn(names: str, measures: list[str], replicate: int = 4) -> Draw:
        some, pairs = {name: scorers[name] for name in names}, [("b", "a")] if "b" in names else []
        sizes = [5, 700, longest]
        return engine.simulate(design(some, sizes, measures, coupling, pairs=pairs, bracket=1e-3), replicate)

    whole = drawn("abc", texts)
    for m, text in enumerate(texts):
        for s, name in enumerate("abc"):
            if name != "b":
                for variable, values in drawn(name, [text]).items():
                    np.testing.assert_array_equal(values[0, 0], whole[variable][s, m])
        for variable, values in drawn("ab", [text]).items():
            np.testing.assert_array_equal(values[:, 0], whole[variable][: len(values), m])
    other = drawn("abc", texts, 5)["ndcg"]
    # of ten items, all may be relevant in both
    assert (other != whole["ndcg"]).any(axis=-1).all()


STREAM = {"measures": ('nDCG(custom("own_discount:steps"))',), "sizes": (1_000_000,)}
KNOWN = {"measures": ('nDCG(custom("numpy:reciprocal", 1000))',), "sizes": (10, 10**18)}
PAIRS = {"pairs": [("a", "b")]}
COUPLED = {"a": LINEAR, "b": "random"}
FEW = {"a": "relevant(2, random)", "b": "relevant(2, roc_power(0.5))"}


@pytest.mark.parametrize(
    ("engine", "what", "words"),
    [
        (items, {"sizes": [3 * 10**9]}, r"n = 3e\+09 is beyond 2e\+09; the cells engine can do it"),
        (every_n, {"sizes": [2 * 10**9]}, r"every-n engine: n = 2e\+09 takes .* GB, .* are available"),
        (every_n, {"sizes": [10**12]}, "beyond 2"),
        (every_n, STREAM, "item by item"),
        (cells, {"sizes": [10, 9_100_000_000_000_000_000]}, "9e18"),
        (cells, KNOWN, "known up to 1000"),
        (cells, {"bracket": 0.0}, "positive"),
        (cells, {"bracket": 1e-12, "sizes": [10, 10**18]}, "wider bracket"),
        (rare, {}, "draws orders of pairs"),
        (
            rare,
            {"scorers": {"a": LINEAR, "b": "random"}, "coupling": "gaussian(0.5)", **PAIRS},
            "independent given the label",
        ),
        (rare, {"scorers": dict.fromkeys("ab", LINEAR), **PAIRS}, "the same relevance curve"),
        (rare, {"scorers": FEW, **PAIRS}, "not rare: use items or cells"),
    ],
)
def test_designs_that_do_not_fit_an_engine_are_refused(
    engine: ModuleType, what: dict[str, Any], words: str
) -> None:
    refused(words, engine.check, design(**what))
