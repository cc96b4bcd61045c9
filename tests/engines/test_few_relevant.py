"""Lists with a fixed number of relevant items: what the engines draw, and that they draw the same."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from cases import design
from engines_cases import z_scores
from oracles import label_orders
from oracles.discounts import formula

from ndcg_asymptotics.engines import cells, every_n, items
from ndcg_asymptotics.engines.engine import draw_block

SIZES = (100, 3000)
DISCOUNTS = ("log", "power(0.5)", "zipf", "geometric(2)")
MEASURES = tuple(f"nDCG({discount})" for discount in DISCOUNTS)
ENGINES = {"cells": (cells, 1000), "items": (items, 400), "every-n": (every_n, 300)}

GRADED = "relevant(3=1, 1=2, graded(3=roc_power(0.3), 1=roc_binormal(1)))"
CURVE = "relevant(2, linear(0.1, 0.7))"
# the densities of depth of each kind of item, irrelevant ones last, and the gains of the items
SHORT = {
    "relevant(3=1, 1=2, graded(3=roc_power(0.3), 1=roc_beta(0.5, 2)))": (
        [
            label_orders.power(Fraction(3, 10)),
            label_orders.beta(Fraction(1, 2), 2),
            {Fraction(0): Fraction(1)},
        ],
        [3.0, 1.0, 1.0],
    ),
    CURVE: (
        label_orders.given_label([{Fraction(0): Fraction(7, 10), Fraction(1): Fraction(-6, 10)}]),
        [1.0, 1.0],
    ),
}


def draws(name, scorers, replicates=None, seed=1, sizes=SIZES, measures=MEASURES, **options):
    engine, usual = ENGINES[name]
    what = design(scorers, sizes, measures, seed=seed, **options)
    engine.check(what)
    return draw_block(engine, what, range(replicates or usual))["ndcg"][:, 0]


# |z| < 5: eight skewed means in each test, a false alarm with probability below 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("scorer", SHORT)
def test_engines_draw_the_law_of_all_label_sequences(scorer):
    n, (densities, relevant) = 6, SHORT[scorer]
    kinds = list(dict.fromkeys([*relevant, 0.0]))
    counts = [[*relevant, *[0.0] * (n - len(relevant))].count(gain) for gain in kinds]
    sequences, chances = zip(*label_orders.sequence_law(densities, counts), strict=True)
    assert sum(chances) == pytest.approx(1)
    measures, ranks = (*MEASURES, "nDCG@4", "nDCG(zipf)@3"), np.arange(1.0, n + 1)
    formulas = [formula(text, n) for text in measures]
    weights = np.array([discount(ranks) * (ranks <= k) for discount, k in formulas]).T
    labels = np.array(kinds)[np.array(sequences)]
    ndcg = labels @ weights / (np.sort(labels[0])[::-1] @ weights)
    for name in ENGINES:
        values = draws(name, scorer, 2000 if name == "cells" else 400, sizes=(n,), measures=measures)[..., 0]
        for power in (1, 2):  # first and second moments
            assert np.abs(z_scores(values**power, np.array(chances) @ ndcg**power)).max() < 5, name
        turned = labels[:, ::-1] @ weights / (np.sort(labels[0])[::-1] @ weights)
        assert np.abs(z_scores(values, np.array(chances) @ turned)).max() > 5


@pytest.mark.slow
def test_streams_are_nested():
    """The joint law over n: the mean of NDCG_100 NDCG_3000, and ranks that never fall."""
    by_cells = draws("cells", GRADED, 1200, 5)
    products = by_cells.prod(axis=2)
    for name in ("items", "every-n"):
        assert np.abs(z_scores(draws(name, GRADED, None, 5).prod(axis=2), products)).max() < 5
    separate = by_cells[:, :, 0] * draws("cells", GRADED, 1200, 6)[:, :, 1]
    assert np.abs(z_scores(separate, products)).max() > 5
    what = design("relevant(4, roc_power(0.5))", (4, 5, 50, 10**6, 10**18), ("nDCG", "nDCG(linear)"))
    path = np.array([cells.simulate(what, r)["ndcg"][0, 0] for r in range(50)])
    assert (path[:, 0] == 1).all()
    assert (np.diff(path, axis=1) <= 0).all()


def test_linear_ndcg_is_one_minus_the_mean_depth():
    values = draws("cells", "relevant(1, roc_beta(2, 3))", sizes=(10**18,), measures=("nDCG(linear)",))
    assert np.abs(z_scores(values, 1 - 2 / 5)).max() < 5
    assert np.abs(z_scores(values, 1 - 2 / 6)).max() > 5


def test_bracket_is_rounding_and_orders_are_decided():
    scorers = {"a": GRADED, "b": GRADED.replace("0.3", "0.4"), "random": "random"}
    measures = ("nDCG", "nDCG(linear)", "nDCG@10", "nDCG(zipf)@n^0.5")
    pairs = (("a", "b"), ("b", "random"))
    what = design(scorers, (3, 100, 10**9, 10**18), measures, pairs=pairs)
    for replicate in range(30):
        drawn = cells.simulate(what, replicate)
        assert (drawn["low"] <= drawn["ndcg"]).all()
        assert (drawn["ndcg"] <= drawn["high"]).all()
        assert (drawn["high"] - drawn["low"]).max() < 1e-12
        for p, (a, b) in enumerate(what.pair_indices()):
            gap = drawn["ndcg"][a] - drawn["ndcg"][b]
            assert np.array_equal(drawn["order"][p], np.sign(np.where(np.abs(gap) < 1e-15, 0, gap)))


def test_every_n_starts_where_all_relevant_items_are_there():
    what = design(
        {"a": GRADED, "b": GRADED.replace("0.3", "0.9")}, (3, 10, 200), ("nDCG",), pairs=(("a", "b"),)
    )
    for replicate in range(20):
        drawn = every_n.simulate(what, replicate)
        assert np.array_equal(drawn["minimum"][..., 0], drawn["ndcg"][..., 0])
        assert np.array_equal(drawn["maximum"][..., 0], drawn["ndcg"][..., 0])
        last = np.maximum(drawn["last_not_greater"], drawn["last_not_less"])
        assert (last == 200).all()
        assert ((drawn["last_not_less"] == 0) | (drawn["last_not_less"] >= 3)).all()
        assert (drawn["changes"] <= 197).all()
