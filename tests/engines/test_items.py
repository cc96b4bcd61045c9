"""The items engine: sums against the plain oracle, what results depend on, and its limits."""

from __future__ import annotations

import dataclasses
import os

import numpy as np
import pytest
from cases import LINEAR, TWO_GRADES, design
from engines_cases import sequences
from oracles import naive
from oracles.discounts import CUTOFFS, DISCOUNTS

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines import items
from ndcg_asymptotics.engines.items import engine, kernels

MEASURES = {
    f"nDCG({d}){c}": (DISCOUNTS[d], CUTOFFS[c])
    for d in ("log", "power(0.5)", "zipf", "geometric(2)", "linear", "constant")
    for c in ("", "@10", "@0.2n", "@n^0.5")
    if (d, c) != ("constant", "")
}

CURVES = [
    "constant(0.4)",
    LINEAR,
    TWO_GRADES,
    "step(0, 1, 0.7)",
    "step(0.1, 0.9, 0.35)",
    "cusp(0.05, 0.95, 0.2)",
    "binormal(0.2, 1.5)",
    "constant(0)",
    "constant(1)",
]


# --- sums: every size, discount and cutoff, exactly -------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.5)"])
@pytest.mark.parametrize("curve", CURVES)
def test_agrees_with_the_plain_oracle_at_every_size(
    curve: str, coupling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # sizes around the width of a summation lane and of a chunk, which is made short here, and several chunks
    monkeypatch.setattr(kernels, "CHUNK", 512)
    sizes = [1, 2, 3, 15, 16, 17, 100, 511, 512, 513, 1000, 6000]
    a_design = design(curve, sizes, list(MEASURES), coupling)
    drawn = items.simulate(a_design, 0)["ndcg"]
    assert drawn.shape == (1, len(MEASURES), len(sizes))
    for j, (n, gains) in enumerate(zip(sizes, sequences(a_design, 0)[0], strict=True)):
        assert len(gains) == n
        for i, (discount, cutoff) in enumerate(MEASURES.values()):
            expected = naive.ndcg(gains, lambda r, D=discount, n=n: D(r, n), cutoff(n))
            assert drawn[0, i, j] == pytest.approx(expected, rel=0, abs=1e-12)


# --- what results depend on -------------------------------------------------------------------


@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.5)"])
def test_other_measures_scorers_and_replicates_change_no_bit(coupling: str) -> None:
    sizes = [5, 700, 40_000]
    scorers = {"a": LINEAR, "b": "cusp(prevalence=0.4, top=0.9, alpha=0.5)", "c": "constant(0.4)"}
    names = ["nDCG(zipf)@0.2n", "nDCG", "nDCG(linear)", "nDCG@10", "nDCG(geometric(2))"]
    whole = items.simulate(design(scorers, sizes, names, coupling), 4)["ndcg"]
    for s, (name, curve) in enumerate(scorers.items()):
        for m, measure in enumerate(names):
            alone = items.simulate(design({name: curve}, sizes, [measure], coupling), 4)["ndcg"]
            np.testing.assert_array_equal(alone[0, 0], whole[s, m])
    other = items.simulate(design(scorers, sizes, names, coupling), 5)["ndcg"]
    # of ten items, all may be relevant in both
    assert (other != whole).any(axis=-1).all()


def test_order_is_the_sign_and_equal_lists_tie_exactly() -> None:
    # two perfect scorers rank the same labels the same way, each from its own draw
    both = {"a": "step(0, 1, 0.6)", "b": "step(0, 1, 0.6)", "c": "random"}
    names = ["nDCG", "nDCG(power(0.3))@0.2n"]
    a_design = design(both, [3, 100, 30_000], names, pairs=[("a", "b"), ("a", "c"), ("c", "a")])
    draw = items.simulate(a_design, 0)
    order = draw["order"]
    assert order.dtype == np.int8
    assert np.all(order[0] == 0)
    np.testing.assert_array_equal(order[1], np.sign(draw["ndcg"][0] - draw["ndcg"][2]))
    np.testing.assert_array_equal(order[1], -order[2])
    assert np.all(order[1, :, -1] == 1)


# --- limits of the engine ---------------------------------------------------------------------


def test_check_refuses_designs_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    items.check(design(LINEAR, [10**6]))
    with pytest.raises(InputError, match=r"n = 3e\+09 is beyond 2e\+09; the cells engine can do it"):
        items.check(design(LINEAR, [3 * 10**9]))
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}.__getitem__)
    with pytest.raises(InputError, match=r"takes 8.* bytes, here are 4.1e\+06; the cells engine can do it"):
        items.check(design(LINEAR, [10**6]))
    items.check(design(LINEAR, [10**6], ["nDCG@10"]))  # a table of ten ranks


def test_memory_of_the_largest_study() -> None:
    five = ["nDCG", "nDCG(power(0.25))", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG(linear)"]
    for coupling in ("independent", "gaussian(0.5)"):
        a_design = design({"a": LINEAR, "b": "random"}, [10**3, 10**7], five, coupling)
        assert engine.memory(a_design) <= 7e8


def test_warm_does_not_change_results() -> None:
    a_design = design(LINEAR, [10, 1000], ["nDCG", "nDCG(linear)@0.2n"])
    before = items.simulate(a_design, 0)["ndcg"]
    items.warm(dataclasses.replace(a_design, sizes=(5, 77)))
    np.testing.assert_array_equal(items.simulate(a_design, 0)["ndcg"], before)
