"""Curves of groups of queries by their share of relevant documents."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import ndcg_asymptotics as na
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import RankedList, fit_curves
from ndcg_asymptotics.lists.fitting import fit_groups
from ndcg_asymptotics.populations import Relevance


def queries(shares: list[float], n: int = 60, seed: int = 1) -> list[RankedList]:
    """Return a list for each share of relevant items, ranked a little better than at random."""
    rng = np.random.default_rng(seed)
    lists = []
    for query, share in enumerate(shares):
        labels = (rng.random(n) < share).astype(float)
        lists.append(RankedList(str(query), labels + rng.normal(0, 1, n), labels))
    return lists


def test_groups_have_similar_shares_and_sizes():
    lists = {
        "a": queries([0.5, 0.05, 0.3, 0.1, 0.4, 0.2, 0.6]),
        "b": queries([0.5, 0.05, 0.3, 0.1, 0.4, 0.2, 0.6]),
    }
    share = np.sort([ranked.labels.mean() for ranked in lists["a"]])
    for count in (1, 2, 3, 7):
        groups = fit_groups(lists, count)
        sizes = [round(7 * group.weight) for group in groups]
        assert (len(sizes), sum(sizes), max(sizes) - min(sizes) <= 1) == (count, 7, True)
        ends = [0, *itertools.accumulate(sizes)]
        for group, (first, last) in zip(groups, itertools.pairwise(ends), strict=True):
            for curve in group.curves.values():
                assert curve.relevance.masses == pytest.approx((share[first:last].mean(),), abs=1e-12)
    for bad in (0, 8, 2.5, "2", True):
        with pytest.raises(InputError, match=r"^groups: must be a number of groups from 1 to 7"):
            fit_groups(lists, bad)


def test_each_group_has_the_curve_of_its_queries():
    lists = {"a": queries([0.5, 0.05, 0.3, 0.1])}
    few, many = fit_groups(lists, 2)
    for group, members in ((few, (1, 3)), (many, (0, 2))):
        alone = fit_curves({"a": [lists["a"][i] for i in members]})["a"]
        assert np.array_equal(group.curves["a"].probability, alone.probability)
        assert group.weight == 0.5
    assert not np.array_equal(few.curves["a"].probability, many.curves["a"].probability)


def test_the_curve_of_queries_without_relevant_items_is_0():
    none, *others = fit_groups({"a": queries([0.3, 0.0, 0.2])}, 3)
    assert none.curves["a"].relevance.masses == (0.0,)
    assert na.theory.expected_ndcg(none.curves["a"].relevance, "nDCG", 50).value[0] == 0
    assert all(group.curves["a"].relevance.masses[0] > 0.1 for group in others)


def test_the_error_for_differing_label_laws_names_the_remedy(tmp_path):
    for name, share in (("a", [0.3, 0.2]), ("b", [0.5, 0.1])):
        curve = fit_curves({name: queries(share)})[name]
        (tmp_path / f"{name}.csv").write_bytes(curve.encode())
    scorers = {name: Relevance.parse(f'empirical("{name}.csv")', tmp_path) for name in "ab"}
    with pytest.raises(
        InputError, match=r"these differ: a: .* \(one `fit` of all their runs makes them agree: ndcg-"
    ):
        na.Study(scorers=scorers, measures="nDCG", n=[10], replicates=2)
