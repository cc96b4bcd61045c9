"""NDCG against sampled negatives: enumeration, scipy's laws, brute-force sampling; corrected estimates."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from oracles.discounts import formula
from oracles.naive import ndcg
from scipy import stats

from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.sampled import (
    RankedItems,
    bias_variance_estimate,
    corrected_moments,
    full_ndcg,
    moments,
    rank_estimate,
    sampled_ndcg,
)

MEASURES = [
    *("nDCG", "nDCG(geometric(2))", "nDCG(linear)", "nDCG(zipf)@0.5n", "nDCG(power(0.5))@n^0.5"),
    *("nDCG@2", "nDCG(constant)@2", 'nDCG(custom("numpy:reciprocal", 10000))@3'),
]

TOY = {
    "A": ([100, 100, 100, 100, 100], 0.1502, 0.7290, 0.0978),
    "B": ([40, 40, 8437, 9266, 4482], 0.1217, 0.4473, 0.0528),
    "C": ([212, 2, 743, 5342, 1548], 0.2080, 0.4600, 0.0395),
}


@pytest.mark.parametrize("system", TOY)
def test_five_users_against_99_of_10000(system: str) -> None:
    ranks, full, mean, sd = TOY[system]
    ranked = RankedItems.of(list("abcde"), ranks, 10_000)
    found, variance = sampled_ndcg(ranked, Measure(), [99], replacement=True)
    assert full_ndcg(ranked, Measure()).mean() == pytest.approx(full, abs=5e-5)
    assert found.mean() == pytest.approx(mean, abs=5e-5)
    assert np.sqrt(variance.sum()) / 5 == pytest.approx(sd, abs=5e-5)


def one_user(ranks: list[int], gains: list[float], lost: list[float], items: int) -> RankedItems:
    """A user with ranked relevant items, and others that the system did not retrieve."""
    zeros = np.zeros(len(ranks), np.int64)
    ideal = np.sort([*gains, *lost])[::-1]
    of_ideal = np.zeros(ideal.size, np.int64), ideal
    return RankedItems(("u",), items, zeros, np.array(ranks, np.int64), np.array(gains, float), *of_ideal)


def enumerated(ranked: RankedItems, measure: str, m: int, replacement: bool) -> tuple[float, float]:
    """The mean and variance of NDCG over every choice of negatives, each list as its definition reads."""
    relevant = dict(zip(ranked.rank.tolist(), ranked.gain.tolist(), strict=True))
    lost = ranked.ideal_gain.size - ranked.rank.size
    # what is not retrieved has no place in the list, so the last ranks are empty
    others = [rank for rank in range(1, ranked.items - lost + 1) if rank not in relevant]
    choose = itertools.product(others, repeat=m) if replacement else itertools.combinations(others, m)
    n = ranked.ideal_gain.size + m
    discount, k = formula(measure, n)
    values = []
    for negatives in choose:
        if replacement or len(set(negatives)) == m:
            ranks = sorted([*relevant, *negatives])
            gains = [relevant.get(rank, 0.0) for rank in ranks]
            values.append(ndcg(gains, discount, k, ranked.ideal_gain.tolist()))
    return float(np.mean(values)), float(np.var(values))


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("replacement", [False, True])
def test_small_catalogues_agree_with_enumeration(measure: str, replacement: bool) -> None:
    rng = np.random.default_rng(5)
    for _ in range(12):
        items, relevant, lost = int(rng.integers(6, 10)), int(rng.integers(1, 4)), int(rng.integers(0, 2))
        ranks = np.sort(rng.choice(items - lost, relevant, replace=False) + 1).tolist()
        gains = rng.integers(1, 4, relevant).astype(float).tolist()
        ranked = one_user(ranks, gains, [2.0] * lost, items)
        m = int(rng.integers(1, 5 if replacement else items - relevant - lost + 1))
        want = enumerated(ranked, measure, m, replacement)
        mean, variance = sampled_ndcg(ranked, Measure.parse(measure), [m], replacement=replacement)
        assert (mean.item(), variance.item()) == pytest.approx(want, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["nDCG", "nDCG(zipf)@10", "nDCG@0.2n", "nDCG(linear)"])
@pytest.mark.parametrize("replacement", [False, True])
def test_wide_windows_agree_with_whole_lattices(measure: str, replacement: bool) -> None:
    """The lattice is thinned by up to 100 there."""
    items = 200_001
    ranks = [1, 2, 30, 4000, 40_001, 40_500, 199_000, 200_001]
    ranked = RankedItems.of(list("abcdefgh"), ranks, items)
    for m in (7, 900, 50_000, 199_000):
        mean, variance = sampled_ndcg(ranked, Measure.parse(measure), [m], replacement=replacement)
        discount, k = formula(measure, m + 1)
        x = np.arange(m + 1)
        value = np.where(x < k, discount(x + 1.0), 0.0) / discount(1.0)
        for user, rank in enumerate(ranks):
            law = (
                stats.binom.pmf(x, m, (rank - 1) / (items - 1))
                if replacement
                else stats.hypergeom.pmf(x, items - 1, rank - 1, m)
            )
            law = law / law.sum()  # scipy's hypergeometric has lost 9 digits
            want = law @ value
            assert mean[0, user] == pytest.approx(want, abs=1e-9)
            assert variance[0, user] == pytest.approx(law @ (value - want) ** 2, abs=1e-9)


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("measure", ["nDCG", "nDCG@10", "nDCG@0.2n"])
def test_many_ranks_are_interpolated_within_the_error(measure: str, replacement: bool) -> None:
    rng = np.random.default_rng(6)
    items, users = 100_000, 2000
    ranks = 1 + (rng.random(users) ** 3 * items).astype(np.int64)
    names = [f"{user:04}" for user in range(users)]
    negatives = [1, 10, 1000, 30_000, items - 1]
    options = {"replacement": replacement}
    many = sampled_ndcg(RankedItems.of(names, ranks, items), Measure.parse(measure), negatives, **options)
    some = slice(0, users, 40)  # few enough to be computed one by one
    few = RankedItems.of(names[some], ranks[some], items)
    for all_of_them, alone in zip(
        many, sampled_ndcg(few, Measure.parse(measure), negatives, **options), strict=True
    ):
        np.testing.assert_allclose(all_of_them[:, some], alone, rtol=0, atol=1e-10)


@functools.cache
def drawn_places(
    ranks: tuple[int, ...], items: int, m: int, draws: int, replacement: bool, seed: int
) -> np.ndarray:
    """The places of relevant items beside m negatives that are drawn, (draws, ranks)."""
    rng = np.random.default_rng(seed)
    others = np.setdiff1d(np.arange(1, items + 1), ranks)
    at = (
        rng.integers(0, others.size, (draws, m))
        if replacement
        else rng.random((draws, others.size)).argpartition(m, axis=1)[:, :m]
    )
    drawn = others[at]
    return np.column_stack([i + (drawn < rank).sum(axis=1) for i, rank in enumerate(ranks, 1)])


@pytest.mark.slow
@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("measure", ["nDCG", "nDCG@20", "nDCG@0.2n"])
def test_brute_force_sampling_agrees(measure: str, replacement: bool) -> None:
    items, m, draws = 500, 150, 40_000
    ranks, gains = (3, 40, 41, 120), np.array([1.0, 3.0, 1.0, 2.0])
    ranked = one_user(list(ranks), gains.tolist(), [], items)
    place = drawn_places(ranks, items, m, draws, replacement, seed=7)
    discount, k = formula(str(Measure.parse(measure)), 4 + m)
    best = (np.sort(gains)[::-1] * discount(np.arange(1, 5))).sum()
    values = (gains * np.where(place <= k, discount(place), 0.0)).sum(axis=1) / best
    found = sampled_ndcg(ranked, Measure.parse(measure), [m], replacement=replacement)
    mean, variance = (value.item() for value in found)
    # 12 comparisons at 4.5 standard errors: false-alarm probability 1e-4
    error = values.std() / draws**0.5
    assert abs(values.mean() - mean) < 4.5 * error
    fourth = ((values - values.mean()) ** 4).mean()
    error_of_variance = ((fourth - values.var() ** 2) / draws) ** 0.5
    assert abs(values.var() - variance) < 4.5 * error_of_variance
    # the law of the other way of sampling has another variance, and m - 10 another mean
    wrong = sampled_ndcg(ranked, Measure.parse(measure), [m], replacement=not replacement)[1].item()
    assert abs(values.var() - wrong) > 4.5 * error_of_variance
    wrong = sampled_ndcg(ranked, Measure.parse(measure), [m - 10], replacement=replacement)[0].item()
    assert abs(values.mean() - wrong) > 4.5 * error


def test_variances_are_those_of_any_number_of_items_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    ranks = [rng.choice(60, size, replace=False) + 1 for size in (1, 4, 4, 7, 7, 7)]
    users = [f"user {i}" for i, of_user in enumerate(ranks) for _ in of_user]
    ranked = RankedItems.of(users, np.concatenate(ranks).tolist(), 60)
    measure, negatives = Measure.parse("nDCG@9"), [3, 20]
    whole = sampled_ndcg(ranked, measure, negatives)[1]
    monkeypatch.setattr(moments, "_HELD", 1)
    np.testing.assert_allclose(sampled_ndcg(ranked, measure, negatives)[1], whole, rtol=0, atol=1e-14)
    assert (whole > 1e-4).all()


@functools.cache
def numbers_of_negatives(ranks: tuple[int, int], items: int, m: int, replacement: bool) -> np.ndarray:
    """The law of the numbers above the first of two relevant items, and between them."""
    above, total = np.array(ranks) - [1, 2], items - 2
    x, y = np.meshgrid(np.arange(m + 1), np.arange(m + 1), indexing="ij")
    between, rest = above[1] - above[0], total - above[0]
    if replacement:
        law = stats.binom.pmf(x, m, above[0] / total) * stats.binom.pmf(y, m - x, between / rest)
    else:
        law = stats.hypergeom.pmf(x, total, above[0], m) * stats.hypergeom.pmf(y, rest, between, m - x)
    law = np.nan_to_num(law)
    return law / law.sum()


@pytest.mark.slow
@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("measure", ["nDCG", "nDCG(zipf)", "nDCG@0.2n", "nDCG(linear)"])
@pytest.mark.parametrize("ranks", [(2, 4), (30, 31), (100, 1500), (380, 420)])
def test_two_relevant_items_agree_with_a_double_sum(
    ranks: tuple[int, int], measure: str, replacement: bool
) -> None:
    """Over both numbers of negatives: those between the two items, given those above the first."""
    items, m = 2000, 300
    law = numbers_of_negatives(ranks, items, m, replacement)
    x, y = np.indices(law.shape)
    discount, k = formula(measure, m + 2)
    places = 1 + x, 2 + x + y
    gain = sum(np.where((place <= k) & (law > 0), discount(1.0 * place), 0.0) for place in places)
    value = gain / (discount(1.0) + discount(2.0))
    want = (law * value).sum()
    ranked = one_user(list(ranks), [1.0, 1.0], [], items)
    mean, variance = sampled_ndcg(ranked, Measure.parse(measure), [m], replacement=replacement)
    assert mean.item() == pytest.approx(want, abs=1e-10)
    assert variance.item() == pytest.approx((law * (value - want) ** 2).sum(), abs=1e-10)


def test_all_negatives_give_the_full_metric() -> None:
    ranked = RankedItems.of(["u", "u", "v", "v"], [3, 800, 1, 999], 1000)
    for measure in ("nDCG", "nDCG@10", "nDCG(zipf)@0.2n", "nDCG(linear)"):
        mean, variance = sampled_ndcg(ranked, Measure.parse(measure), [998])
        np.testing.assert_allclose(mean[0], full_ndcg(ranked, Measure.parse(measure)), atol=1e-13)
        np.testing.assert_allclose(variance, 0, atol=1e-13)


def law_of_sampled_ranks(items: int, m: int) -> np.ndarray:
    return np.array([stats.binom.pmf(np.arange(m + 1), m, i / (items - 1)) for i in range(items)])


@pytest.mark.parametrize("gamma", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("measure", ["nDCG", "nDCG@10", "nDCG(linear)", MEASURES[-1]])
def test_the_bias_variance_estimate_minimises_what_it_says(measure: str, gamma: float) -> None:
    items, m = 400, 12
    law = law_of_sampled_ranks(items, m)
    discount, k = formula(str(Measure.parse(measure)), items)
    rank = np.arange(1, items + 1)
    f = np.where(rank <= k, discount(rank), 0.0) / discount(1.0)

    def loss(g: np.ndarray) -> float:
        mean = law @ g
        return float(((mean - f) ** 2 + gamma * (law @ g**2 - mean**2)).mean())

    found = bias_variance_estimate(Measure.parse(measure), items, m, gamma)
    least = loss(found)
    for r in range(m + 1):
        for step in (-1e-3, 1e-3):
            assert loss(found + step * (np.arange(m + 1) == r)) > least
    # least squares on rows of bias and of deviation from the mean: the same problem, solved by QR
    deviation = np.array([np.sqrt(p)[:, None] * (np.eye(m + 1) - p) for p in law]).reshape(-1, m + 1)
    rows = np.concatenate((law, np.sqrt(gamma) * deviation))
    want = np.linalg.lstsq(rows, np.concatenate((f, np.zeros(len(deviation)))), rcond=None)[0]
    np.testing.assert_allclose(found, want, atol=1e-8)


def test_moments_of_estimates_agree_with_the_law_of_sampled_ranks() -> None:
    items, m = 400, 12
    law, measure = law_of_sampled_ranks(items, m), Measure.parse("nDCG@10")
    ranked = RankedItems.of(["a", "b", "c"], [1, 37, 400], items)
    for estimate in (rank_estimate(measure, items, m), bias_variance_estimate(measure, items, m, 0.1)):
        mean, variance = corrected_moments(estimate, ranked, replacement=True)
        want = law[ranked.rank - 1] @ estimate
        np.testing.assert_allclose(mean, want, atol=1e-12)
        np.testing.assert_allclose(variance, law[ranked.rank - 1] @ estimate**2 - want**2, atol=1e-12)


def test_the_sum_over_a_million_ranks_is_exact() -> None:
    """Of f(rho) P(r|rho) over blocks of ranks, in the limit gamma = 1 where it is the estimate itself."""
    items, m = 300_000, 60
    found = bias_variance_estimate(Measure(), items, m, 1.0)
    rank = np.arange(1, items + 1)
    for r in (0, 1, 30, m):
        law = stats.binom.pmf(r, m, (rank - 1) / (items - 1))
        assert found[r] == pytest.approx(law @ (np.log(2) / np.log1p(rank)) / law.sum(), rel=1e-10)


@pytest.mark.parametrize(
    ("ranks", "items", "words"),
    [
        ([0, 5], 10, "ranks must be from 1 to 10 items, user u has one at 0"),
        ([5, 11], 10, "ranks must be from 1 to 10 items, user v has one at 11"),
        ([1, 2], 1, "items: must be a whole number from 2 on, got 1"),
    ],
)
def test_impossible_ranks_are_refused(ranks: list[int], items: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        RankedItems.of(["u", "v"], ranks, items)


def test_impossible_lists_are_refused() -> None:
    with pytest.raises(InputError, match="different ranks, user u has one at 3 twice"):
        RankedItems.of(["u", "u"], [3, 3], 10)
    with pytest.raises(InputError, match="3 items leave no negative: user u has 3 relevant ones"):
        RankedItems.of(["u", "u", "u"], [1, 2, 3], 3)
    with pytest.raises(InputError, match="not retrieved are below all others, user u has one at 10 of 10"):
        one_user([10], [1.0], [1.0], 10)
    with pytest.raises(InputError, match="gamma: must be above 0"):
        bias_variance_estimate(Measure(), 100, 10, 0.0)
    with pytest.raises(NotAvailableError, match="at most 2000 negatives, got 5000"):
        bias_variance_estimate(Measure(), 10_000, 5000, 0.1)
    with pytest.raises(NotAvailableError, match="one relevant item for every user"):
        corrected_moments(np.ones(3), RankedItems.of(["u", "u"], [3, 4], 10))


def test_the_rank_estimate_takes_the_share_of_negatives_above_for_that_of_all_items() -> None:
    """r - 1 of m negatives are above: rank 1 + (N - 1)(r - 1)/m, which is r where all items are negatives."""
    measure = Measure.parse("nDCG(zipf)")
    assert rank_estimate(measure, 11, 10) == pytest.approx(1 / np.arange(1.0, 12))
    assert rank_estimate(measure, 11, 5) == pytest.approx([1, 1 / 3, 1 / 5, 1 / 7, 1 / 9, 1 / 11])
    assert rank_estimate(Measure.parse("nDCG(zipf)@5"), 11, 5) == pytest.approx([1, 1 / 3, 1 / 5, 0, 0, 0])
