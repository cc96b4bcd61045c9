"""The law of the depths of relevant documents: the urn, the exponent, and lists in larger corpora."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import integrate, stats

from ndcg_asymptotics.analysis.runs.corpus import grown_means
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import depths as module
from ndcg_asymptotics.lists.depths import DepthModel, RelevantDepths, fit_depths
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.sampled import RankedItems

ITEMS = 10**6


def urn(kappa: float, above: tuple[int, ...], n: int) -> float:
    """The probability of a list, read upwards: the next document is relevant with odds i kappa to n."""
    found, left = 1.0, n
    for i in range(len(above), 0, -1):
        for m in range(left, above[i - 1], -1):
            found *= m / (m + i * kappa)
        found *= i * kappa / (above[i - 1] + i * kappa)
        left = above[i - 1]
    return found


def one_list(above: tuple[int, ...], n: int) -> RelevantDepths:
    ranks = [a + i for i, a in enumerate(above, 1)]
    return RelevantDepths(RankedItems.of(["q"] * len(ranks), ranks, ITEMS), np.array([n]))


def drawn(
    queries: int, relevant: int, kappa: float, irrelevant: float, depth: int, seed: int
) -> RelevantDepths:
    """Lists of the model: relevant documents at u^(1/kappa), cut off after ``depth`` irrelevant ones."""
    rng = np.random.default_rng(seed)
    user: list[int] = []
    ranks: list[int] = []
    retrieved = []
    for query in range(queries):
        others = np.sort(rng.random(rng.poisson(irrelevant)))
        above = np.sort(np.searchsorted(others, rng.random(relevant) ** (1 / kappa)))
        found = above[above <= depth]
        ranks += (found + np.arange(1, found.size + 1)).tolist()
        user += [query] * found.size
        retrieved.append(min(depth, others.size))
    ideal = np.repeat(np.arange(queries), relevant)
    names, at = tuple(f"{query:05}" for query in range(queries)), (np.array(user), np.array(ranks))
    ranked = RankedItems(names, ITEMS, *at, np.ones(len(ranks)), ideal, np.ones(ideal.size))
    return RelevantDepths(ranked, np.array(retrieved))


@pytest.mark.parametrize("kappa", [0.3, 1.0, 2.5])
def test_the_likelihood_is_that_of_the_urn(kappa: float) -> None:
    n, relevant, total = 5, 3, 0.0
    for above in combinations(range(n + relevant), relevant):
        places = tuple(a - i for i, a in enumerate(above))
        total += urn(kappa, places, n)
        log = module._log_likelihood(one_list(places, n), np.array([np.log(kappa), -30.0, 0.0, 0.0]))
        middle = log.shape[1] // 2
        assert np.exp(log[0, middle]) == pytest.approx(urn(kappa, places, n), rel=1e-12)
        assert np.exp(log[0, middle]) != pytest.approx(urn(1.01 * kappa, places, n), rel=1e-6)
    assert total == pytest.approx(1.0, rel=1e-12)


def test_pieces_of_a_long_list_make_up_its_likelihood() -> None:
    above, n = (0, 7, 7, 350), 1000
    log = module._log_likelihood(one_list(above, n), np.array([np.log(0.4), -30.0, 0.0, 0.0]))
    assert log[0, log.shape[1] // 2] == pytest.approx(np.log(urn(0.4, above, n)), rel=1e-12)


@pytest.mark.parametrize("kappa", [0.5, 1.0])
def test_a_fit_finds_the_exponent_whatever_is_censored(kappa: float) -> None:
    # 150 queries with 4 relevant documents, of which a few are in the first 60; at 4 standard errors a
    # false alarm has probability 6e-5
    for depth in (60, 400):
        model = fit_depths(drawn(150, 4, kappa, 600.0, depth, 1))
        error = np.linalg.norm(model.factor[0])
        assert abs(model.parameters[0] - np.log(kappa)) < 4 * error
        assert abs(model.parameters[0] - np.log(kappa / 4)) > 4 * error
        low, high = model.kappa_interval(0.9)
        assert low < model.kappa < high


@pytest.mark.parametrize("kappa", [1.0, 0.6])
def test_larger_corpora_have_the_exact_mean(kappa: float, monkeypatch: pytest.MonkeyPatch) -> None:
    # R = 1: E[DCG] is the mean of D(1 + Poisson(N t)) over t = u^(1/kappa), in a corpus of N
    monkeypatch.setattr(module, "_UNRESOLVED", 0.0)
    queries, size, factor, measure = 4000, 60.0, 8.0, Measure.parse("nDCG@5")
    depths = drawn(queries, 1, kappa, size, 10**6, 7)
    parameters = np.array([np.log(kappa), -30.0, 0.0, 0.0])
    means = grown_means(DepthModel(depths, parameters, np.zeros((4, 4))), [measure], [factor], 24, 0, "a")[
        0, 0
    ]

    def exact(k: float) -> float:
        r = np.arange(1, 6)

        def at(u: float) -> float:
            return float(stats.poisson.pmf(r - 1, factor * size * u ** (1 / k)) @ (1 / np.log2(1 + r)))

        return integrate.quad(at, 0, 1, limit=400, points=[1e-3, 1e-2, 1e-1])[0]

    # lists and arrivals vary: the standard error of a mean over queries is below 0.5/sqrt(queries) * spread
    error = np.sqrt(exact(kappa) / queries)
    assert abs(means.mean() - exact(kappa)) < 4 * error
    assert abs(means.mean() - exact(0.8 * kappa)) > 4 * error


def test_an_unresolved_top_lowers_the_prediction(monkeypatch: pytest.MonkeyPatch) -> None:
    depths = drawn(300, 3, 0.4, 600.0, 100, 3)
    model = DepthModel(depths, np.array([np.log(0.4), -30.0, 0.0, 0.0]), np.zeros((4, 4)))
    measure = [Measure.parse("nDCG@10")]
    with_it = grown_means(model, measure, [10.0], 24, 0, "a")
    monkeypatch.setattr(module, "_UNRESOLVED", 0.0)
    without = grown_means(model, measure, [10.0], 24, 0, "a")
    assert with_it.mean() < without.mean()
    assert with_it.std() > without.std()


def test_growing_in_steps_keeps_the_order_and_lowers_ranks() -> None:
    depths = drawn(50, 4, 0.5, 400.0, 100, 5)
    model = DepthModel(depths, np.array([np.log(0.5), np.log(0.5), 0.3, 1.0]), 0.1 * np.eye(4))
    for which, ranks in model.grown([1.0, 3.0, 1e12], 50, 20, 1, "a"):
        assert (ranks[0] == depths.ranked.rank[which][:, None]).all()
        assert (np.diff(ranks, axis=0) >= 0).all()
        same = np.diff(depths.ranked.user[which]) == 0
        assert (np.diff(ranks, axis=1)[:, same] >= 1).all()


def test_a_thinned_corpus_has_a_share_of_the_irrelevant_documents() -> None:
    depths = drawn(400, 2, 0.7, 300.0, 200, 6)
    thinned = depths.thinned(0.25, np.random.default_rng(1))
    count = depths.irrelevant.sum()
    assert abs(thinned.irrelevant.sum() - 0.25 * count) < 4 * np.sqrt(count * 0.25 * 0.75)
    assert (thinned.ranked.above <= depths.ranked.above).all()
    assert (depths.thinned(1.0, np.random.default_rng(1)).ranked.rank == depths.ranked.rank).all()


def test_too_few_documents_are_refused() -> None:
    with pytest.raises(InputError, match="too few to fit the depths of relevant documents: at least 30"):
        fit_depths(one_list((0, 3), 20))
