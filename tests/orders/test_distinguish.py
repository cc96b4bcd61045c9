"""Rates of right order from made-up orders whose law is known."""

import itertools
from typing import Any

import numpy as np
import pytest
from cases import refused, results, simulated, study
from scipy import stats

from ndcg_asymptotics.core.tables import Line
from ndcg_asymptotics.engines.engine import UNDECIDED
from ndcg_asymptotics.measures import discount
from ndcg_asymptotics.orders.distinguishing import distinguish, orders_of
from ndcg_asymptotics.orders.pair import Pair, exponent_verdict, settled_sentence
from ndcg_asymptotics.orders.weighted import FittedExponent
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.stats.rates import Rate, rate_of
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.sweep import run

SIZES = tuple(round(10 ** (k / 4)) for k in range(4, 21))
SCORERS = {"good": "linear(0.1, 0.7)", "random": "random", "same": "linear(0.1, 0.7)"}


def of_pair(*pairs: tuple[str, str]) -> Study:
    return study(SCORERS, SIZES, pairs=pairs)


def given(of: Study, order: np.ndarray, **more: np.ndarray) -> Results:
    """Results in which all pairs have the orders of ``order`` (replicate, n)."""
    per_pair = {name: values[:, None, None] for name, values in more.items()}
    return results(of, order=order[:, None, None, :].astype(np.int8), **per_pair)


def only_pair(order: np.ndarray, names: tuple[str, str] = ("good", "random"), **more: np.ndarray) -> Pair:
    """The only pair of a study that has these orders."""
    (pair,) = distinguish(given(of_pair(names), order, **more)).pairs
    return pair


def text_of(pair: Pair) -> str:
    """The lines about a pair."""
    return "\n".join(block.text for block in pair.blocks() if isinstance(block, Line))


def draws(wrong: np.ndarray, replicates: int = 4000, seed: int = 3) -> np.ndarray:
    """Orders that are wrong with these probabilities, independently."""
    return np.where(np.random.default_rng(seed).random((replicates, len(wrong))) < wrong, -1, 1)


@pytest.mark.parametrize("names", [("good", "random"), ("random", "good")])
def test_the_rate_that_theory_knows_for_long_lists(names: tuple[str, str]) -> None:
    """The order under a fixed cutoff is that of the top labels, enumerated here; a tie is wrong."""
    measures = ["nDCG@5", "nDCG", "nDCG(power(0.7))"]
    few, whole, steep = distinguish(
        run(study(SCORERS, [10, 100], measures=measures, replicates=20, pairs=[names]), jobs=1)
    ).pairs
    discounts = 1 / np.log(2 + np.arange(5))
    labels = np.array(list(itertools.product([0, 1], repeat=5)))
    sums, ones = labels @ discounts, labels.sum(axis=1)
    good, random = (p**ones * (1 - p) ** (5 - ones) for p in (0.7, 0.4))
    right = good @ (sums[:, None] > sums + 1e-9) @ random
    # five standard errors of 20,000 drawn tops
    assert few.long_run == pytest.approx(right, abs=0.014)
    assert few.long_run != pytest.approx(good @ (sums[:, None] >= sums - 1e-9) @ random, abs=0.014)
    assert f"the rate of the wrong order tends to {round(1 - few.long_run, 2):g}." in few.text
    assert whole.long_run == steep.long_run == 1


def test_from_n_on_a_grid_is_an_upper_bound() -> None:
    order = np.ones((100, len(SIZES)))
    order[:30, 5] = -1  # 30 streams are wrong at the sixth size and never again
    pair = only_pair(order)
    assert pair.from_n_is_upper_bound
    assert [p.rate for p in pair.from_n] == [0.7] * 6 + [1.0] * (len(SIZES) - 6)


def test_from_n_includes_lengths_between_grid_points() -> None:
    last = np.where(np.arange(100) < 40, SIZES[8] + 1, 0)
    lasts = {"last_not_greater": last, "last_not_less": np.full(100, SIZES[-1])}
    pair = only_pair(np.ones((100, len(SIZES))), **lasts, changes=np.full(100, 7))
    assert not pair.from_n_is_upper_bound
    assert [p.rate for p in pair.from_n] == [0.6] * 9 + [1.0] * (len(SIZES) - 9)
    assert [p.rate for p in pair.points] == [1.0] * len(SIZES)
    assert pair.last_wrong["0.9"] == SIZES[8] + 1
    assert f"last n with a wrong order: 50% 0, 90% {SIZES[8] + 1}, 99% {SIZES[8] + 1}." in text_of(pair)
    assert pair.changes["mean"] == 7


def test_a_wrong_order_at_the_largest_n_is_not_known_to_be_the_last_one() -> None:
    order = np.ones((100, len(SIZES)))
    order[:20, -1] = -1
    pair = only_pair(order)
    assert "last n with a wrong order: 50% 0, 90% 100000 or more, 99% 100000 or more." in text_of(pair)


def test_ties_and_undecided_count_as_wrong() -> None:
    order = np.ones((100, len(SIZES)))
    order[:10], order[10:15] = 0, UNDECIDED
    pair = only_pair(order)
    assert (pair.right, pair.right_from) == ("good", "the exact means")
    assert pair.points[3].rate == 0.85
    assert pair.points[3].low < 0.85 < pair.points[3].high
    assert pair.ties == 0.1
    assert pair.undecided == 0.05


def test_identical_scorers() -> None:
    order = draws(np.full(len(SIZES), 0.5))
    order[:, 0] = 0
    pair = only_pair(order, ("good", "same"))
    assert pair.right is None
    assert all(np.isnan(p.rate) for p in (*pair.points, *pair.from_n))
    assert pair.settled_from is None
    assert "same relevance curve" in pair.text
    assert "tie" in pair.text


@pytest.mark.parametrize(
    ("good", "same", "measure"),
    [
        ("linear(0.1, 0.5)", "piecewise(0=0.5, 1=0.1)", "nDCG"),
        ("linear(0.1, 0.5)", "power(0.1, 0.5, 1)", "nDCG@10"),
        ("constant(0.3)", "linear(0.3, 0.3)", "nDCG(zipf)"),
    ],
)
def test_no_order_of_scorers_with_equal_laws_is_right(good: str, same: str, measure: str) -> None:
    of = study({"good": good, "same": same}, SIZES, measure, pairs=[("good", "same")])
    order = draws(np.full(len(SIZES), 0.41))
    order[: len(order) // 2] *= -1  # the two halves have different majorities
    found = distinguish(given(of, order))
    (pair,) = found.pairs
    assert pair.right is None
    assert pair.decay.verdict.startswith("is not defined")
    sentence = f"No order of good and same counts as right by {measure}: their exact means at n = 100000 are"
    assert sentence in str(found)
    assert "41" not in str(found)
    other = study({"good": good, "same": "constant(0.3)"}, SIZES, measure, pairs=[("good", "same")])
    if good != "constant(0.3)":
        assert distinguish(given(other, order)).pairs[0].right == "good"


def test_without_an_exact_mean_one_half_chooses_and_the_other_counts() -> None:
    shelf = discount(lambda r: np.where(r < 5.5, 1.0, 0.25), name="shelf", largest=1e7)
    of = study(SCORERS, SIZES, [shelf], pairs=[("good", "random")])
    order = np.ones((100, len(SIZES)))
    order[50:75] = -1  # only the second half is counted, and half of it is wrong
    (pair,) = distinguish(given(of, order)).pairs
    assert pair.right == "good"
    assert pair.replicates == 50
    assert pair.points[0].rate == 0.5
    assert "first half" in pair.right_from
    order[:18] = -1  # of the first half, so that 32 of 50 are ahead: p-value 0.065
    (pair,) = distinguish(given(of, order)).pairs
    assert pair.right is None
    assert pair.right_from == "the first half of the replicates does not tell which one is ahead more often"


def wrong_at(sizes: tuple[int, ...], wrong: dict[int, int], replicates: int) -> Results:
    """Results whose first replicates are wrong at these list lengths, as many as ``wrong`` says."""
    of = study(SCORERS, sizes, pairs=[("good", "random")])
    order = np.ones((replicates, len(sizes)))
    for n, count in wrong.items():
        order[:count, sizes.index(n)] = -1
    return given(of, order)


def test_an_order_settles_by_the_end_of_its_interval_and_a_decade_beyond() -> None:
    sizes = (10, 100, 630, 1000, 6300, 10_000)
    last_three = dict.fromkeys(sizes[-3:], 1)
    for wrong, replicates, settled in (
        (last_three, 100, None),  # 99 of 100 at each length: the interval goes down to 0.946
        ({}, 380, None),
        ({}, 381, 10),
        ({630: 10}, 1000, 1000),  # the longest list that has a decade beyond it
        ({1000: 10}, 1000, None),  # settled at 6300 only, which the study hardly goes beyond
        (last_three, 1000, 10),
        (dict.fromkeys(sizes[-3:], 8), 1000, None),  # 0.992, and an interval down to 0.984
    ):
        found = distinguish(wrong_at(sizes, wrong, replicates))
        (pair,) = found.pairs
        assert pair.settled_from == settled, (wrong, replicates)
        assert (settled_sentence(found.pairs).startswith("No order is shown")) == (settled is None)


N = np.array(SIZES, dtype=float)


@pytest.mark.parametrize(
    ("wrong", "verdict"),
    [
        (0.5 * np.exp(-((N / 3e3) ** 0.7)), "falls faster than a power"),
        (np.exp(-0.03 * np.log(N) ** 2), "falls faster than a power"),
        (0.5 * (N / 10) ** -0.3, "cannot be told from a power"),
        (0.4 * np.maximum((N / 10) ** -0.6, 0.5 * (N / 10) ** -0.15), "falls more slowly than a power"),
        (np.full(len(N), 0.4), "does not fall"),
        (0.4 * (N / N[-1]) ** 0.2, "does not fall"),
        # what comes before the commonest wrong order is not a fall
        (0.4 * np.minimum((N / 300) ** 0.4, (N / 300) ** -0.3), "cannot be told from a power"),
        (np.full(len(N), 1e-4), "is too low"),
    ],
)
def test_how_fast_the_wrong_order_falls(wrong: np.ndarray, verdict: str) -> None:
    of = of_pair(("good", "random"))
    found = distinguish(given(of, draws(wrong, 10_000)))
    (pair,) = found.pairs
    assert pair.decay.verdict.startswith(verdict)
    assert verdict in pair.text
    assert "cannot detect" in pair.text
    assert "…" not in str(found)  # no table shortens the verdict


@pytest.mark.parametrize(
    ("exponent", "interval", "start"),
    [
        (
            0.01,
            (-0.37, 0.39),
            "cannot be told from one that does not fall: -log P(wrong) grows like n^0.01 [",
        ),
        (0.5, (-0.1, 1.1), "cannot be told from one that does not fall: "),
        (0.01, (0.0, 0.02), "does not fall: -log P(wrong) grows like n^0.01 [0.00, 0.02]"),
        (0.5, (0.4, 0.6), "falls like exp(-n^0.50) [0.40, 0.60]"),
    ],
)
def test_a_fitted_exponent_is_0_only_if_its_interval_is(
    exponent: float, interval: tuple[float, float], start: str
) -> None:
    for predicted in (0.0, None, 0.5):
        found = FittedExponent(exponent, interval, predicted, (10, 1000), "")
        assert exponent_verdict(found).startswith(start)


def test_a_rate_whose_ends_lie_apart_is_not_said_to_be_constant() -> None:
    """Three lengths leave the exponent open, whose interval holds the scatter about a power law."""

    def verdict(*log10_wrong: float) -> str:
        rates = [Rate(10**k, 1.0, 1.0, 1.0, log10, 0.1, True) for k, log10 in enumerate(log10_wrong, 4)]
        return exponent_verdict(FittedExponent(0.84, (-0.21, 1.9), 1.0, (10**4, 10**6), ""), rates)

    assert verdict(-0.73, -3.63, -35.2).startswith("falls, but it cannot be told how fast: -log P(wrong)")
    assert verdict(-0.31, -3.63, -0.38).startswith("cannot be told from one that does not fall")
    # beyond the range of the fit
    assert verdict(-0.31, -0.32, -0.33, -9.0).startswith("cannot be told from one that does not fall")


@pytest.mark.parametrize("pair", [["a"], [], 1, "ab", ["a", 10**400], [["a"], ["b"]], ["a", "b", "c"]])
def test_refused_pairs(pair: Any) -> None:
    refused(r"^pair: must be the names of two scorers, got ", distinguish, simulated(study(), 2), pair=pair)


def test_no_pairs() -> None:
    of = of_pair()
    refused("names no pairs", distinguish, given(of, np.ones((3, len(SIZES)))))


def test_a_pair_that_the_study_does_not_name_is_read_from_the_kept_ndcg() -> None:
    scorers = {"good": "linear(0.1, 0.7)", "better": "linear(0.05, 0.75)", "random": "random"}
    kept = {"measures": ["nDCG", "nDCG@3"], "n": [5, 20, 100], "replicates": 40, "seed": 4}
    named = run(Study(scorers=scorers, pairs=[("good", "random")], **kept), jobs=1)
    other = run(Study(scorers=scorers, pairs=[("better", "random")], **kept), jobs=1)
    for measure in named.study.measures:
        drawn, read = (orders_of(study, ("good", "random"), measure)["order"] for study in (named, other))
        assert 0 in drawn
        np.testing.assert_array_equal(drawn, read)
    assert distinguish(named, pair=("better", "random")).pairs[0].points == distinguish(other).pairs[0].points
    for pair, said in (("good", "best"), "is no scorer"), (("good", "good"), "twice"):
        refused(said, distinguish, named, pair=pair)


def test_brackets_that_overlap_leave_a_pair_undecided() -> None:
    cells = {"engine": "cells", "bracket": 1e-2, "pairs": [("good", "random")]}
    results = simulated(study(SCORERS, [1000, 10**9], "nDCG", **cells), 10)
    drawn, found = (
        orders_of(results, ("good", name), results.study.measures[0])["order"] for name in ("random", "same")
    )
    assert np.isin(drawn, (-1, 1)).all()
    assert UNDECIDED in found
    low, high = results.data["low"].isel(measure=0), results.data["high"].isel(measure=0)
    apart = low.sel(scorer="good") > high.sel(scorer="same")
    assert ((found == 1) == apart.transpose("replicate", "n").to_numpy()).all()


@pytest.mark.parametrize("trials", [1, 2, 10, 1000, 10**6])
def test_intervals_are_wilsons(trials: int) -> None:
    for successes in {0, 1, trials // 3, trials - 1, trials}:
        found = rate_of(10, np.arange(trials) < successes)
        expected = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-14)
