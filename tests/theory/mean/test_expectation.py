"""The exact mean of NDCG against brute force, direct sums, reference values and itself."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from oracles import naive
from oracles.sums import SUMS
from scipy.stats import binom

from ndcg_asymptotics.core.caching import clear_caches
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.discounts import discount as own_discount
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.theory.mean import expectation, expected_ndcg, label_counts, rank_terms
from ndcg_asymptotics.theory.mean.label_counts import LabelMeans
from ndcg_asymptotics.theory.rules import mesh
from ndcg_asymptotics.theory.rules.ideal import discount_sums

BINARY = "polynomial(0.7, -0.6)"
GRADED = "graded(3=polynomial(0.3, -0.2), 1=polynomial(0.1, 0.4, -0.2))"
POLYNOMIALS = {  # the same curves in exact arithmetic
    BINARY: [[Fraction(7, 10), Fraction(-6, 10)]],
    GRADED: [[Fraction(3, 10), Fraction(-2, 10)], [Fraction(1, 10), Fraction(4, 10), Fraction(-2, 10)]],
}
CURVES = [
    "linear(0.1, 0.7)",
    "linear(0, 1)",
    "constant(1)",
    "constant(1e-6)",
    "power(0.05, 0.9, 0.1)",
    "power(0.05, 0.9, 200)",
    "cusp(0.1, 0.9, 0.1)",
    "cusp(0.9, 0, 0.3)",
    "step(0.1, 0.8, 0.7)",
    "step(0, 1, 0.5)",
    "logistic(0.05, -300)",
    "binormal(0.2, 1)",
    "polynomial(0.5, -1, 1.5, -0.6)",
    "graded(2=power(0, 0.3, 3), 1=linear(0.1, 0.3))",
]
DISCOUNTS = ["log", "power(0.5)", "zipf", "power(2)", "power(6)", "geometric(2)", "linear"]


def finer_means(texts, measures, sizes):
    """Means with narrower panels, more nodes and other exponentials: (texts, measures, sizes)."""
    finer = {
        mesh: {"_PANEL_WIDTH": 0.8},
        rank_terms: {"_AROUND_CUTOFF": 1.2, "TOLERANCE": 1e-11},
        label_counts: {"_NODES": 56, "_NODES_OF_ONE": 84, "TOLERANCE": 1e-11},
        expectation: {"TOLERANCE": 1e-11},
    }
    with pytest.MonkeyPatch.context() as patch:
        for module, constants in finer.items():
            for name, value in constants.items():
                patch.setattr(module, name, value)
        clear_caches()
        found = [[expected_ndcg(text, measure, sizes).value for measure in measures] for text in texts]
    clear_caches()
    return np.array(found)


def stairs(rank):
    return np.where(np.asarray(rank) < 10, 1.0, 0.5)


def label_vectors(text, n):
    law = naive.label_law(dict(zip(Relevance.parse(text).gains, POLYNOMIALS[text], strict=True)), n)
    return [(list(labels), float(p)) for labels, p in law]


def plain_ndcg(labels, measure):
    n = len(labels)
    return naive.ndcg(labels, lambda r: float(measure.discount(float(r), float(n))), measure.cutoff(n))


@pytest.mark.slow
@pytest.mark.parametrize(("text", "n"), [*((BINARY, n) for n in (1, 3, 8)), *((GRADED, n) for n in (2, 5))])
def test_brute_force(text, n):
    vectors = label_vectors(text, n)
    assert sum(p for _, p in vectors) == pytest.approx(1, abs=1e-13)
    for discount, cutoff in itertools.product([*DISCOUNTS, "power(2.5)", "constant"], ["", "@2", "@0.5n"]):
        if (discount, cutoff) == ("constant", ""):
            continue
        measure = Measure.parse(f"nDCG({discount}){cutoff}")
        truth = sum(p * plain_ndcg(labels, measure) for labels, p in vectors)
        mean = expected_ndcg(Relevance.parse(text), measure, [n])
        assert abs(mean.value[0] - truth) <= mean.error[0] < 1e-7
        # a rank too many in the discount is seen
        if n > 1 and discount != "linear" and cutoff == "":
            off = sum(p * plain_ndcg([0.0, *labels], measure) for labels, p in vectors)
            assert abs(off / truth - 1) > 1e-3


def direct_sum(n, k, discount):
    """m(t) = 0.7 - 0.6 t by the convolution of two binomials, for each number of positives."""
    t, w = ((leggauss(2 * n + 20)[i] + 1 - i) / 2 for i in (0, 1))
    below = (0.7 * t - 0.3 * t**2) / 0.4
    ranks = np.arange(n)
    d = discount(ranks + 1.0)
    total = 0.0
    for positives in range(1, n + 1):
        ours = binom.pmf(ranks[:, None], positives - 1, below)
        theirs = binom.pmf(ranks[:, None], n - positives, (t - 0.4 * below) / 0.6)
        mean = [d[:k] @ np.convolve(ours[:, i], theirs[:, i])[:k] for i in range(len(t))]
        gained = positives * (w @ ((0.7 - 0.6 * t) / 0.4 * mean))
        total += binom.pmf(positives, n, 0.4) * gained / d[: min(positives, k)].sum()
    return total


@pytest.mark.slow
@pytest.mark.parametrize("cutoff", ["", "@n^0.5", "@0.4n", "@0.45n", "@0.9n"])
@pytest.mark.parametrize("n", [12, 60])
def test_direct_sum(n, cutoff):
    measure = Measure.parse(f"nDCG(power(0.5)){cutoff}")
    mean = expected_ndcg(Relevance.parse("linear(0.1, 0.7)"), measure, [n])
    truth = direct_sum(n, measure.cutoff(n), measure.discount)
    assert abs(mean.value[0] - truth) <= mean.error[0] < 1e-7
    if 0 < measure.cutoff(n) < n:  # one rank more or fewer is seen
        assert abs(direct_sum(n, measure.cutoff(n) + 1, measure.discount) / truth - 1) > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("text", CURVES)
def test_finer_quadrature_agrees(text):
    """Narrower panels and other exponentials change means by less than is stated, from n = 2 to 1e18."""
    sizes = [2, 60, 10**4, 10**18]
    measures = [f"nDCG({discount})" for discount in ("log", "power(2)", "linear")]
    for measure, finer in zip(measures, finer_means([text], measures, sizes)[0], strict=True):
        mean = expected_ndcg(text, measure, sizes)
        assert np.all(np.isfinite(mean.value))
        assert np.all(np.abs(mean.value - finer) <= mean.error)
        assert np.all(mean.error < 1e-6 * mean.value + 2e-16)


@pytest.mark.parametrize("n", [300, 10**5, 10**9])
@pytest.mark.parametrize(
    ("discount", "cutoff"), [("log", "@10"), ("zipf", "@0.2n"), ("power(0.5)", "@n^0.5")]
)
def test_cutoffs_that_the_relevant_items_fill(discount, cutoff, n):
    """IDCG is F(k) and the labels at rank r have mean 0.7 - 0.6 r/(n + 1), whatever the counts are."""
    measure = Measure.parse(f"nDCG({discount}){cutoff}")
    mean, k = expected_ndcg("linear(0.1, 0.7)", measure, [n]), measure.cutoff(n)
    if k < 10**6:
        ranks = np.arange(1.0, k + 1)
        d = measure.discount(ranks)
        truth = float(d @ (0.7 - 0.6 * ranks / (n + 1)) / d.sum())
    else:  # sum of r/r
        truth = 0.7 - 0.6 * k / (n + 1) / float(SUMS["zipf"](k))
    assert abs(mean.value[0] - truth) <= mean.error[0] < 1e-7
    assert (
        abs(expected_ndcg("linear(0.1, 0.7)", measure, [n + 3]).value[0] - truth) > mean.error[0] or n > 300
    )


def test_graded_kinks_beyond_small_lists():
    """The kink of one grade, with other panels, nodes and exponentials."""
    mean = expected_ndcg(GRADED, "nDCG@0.2n", [300, 10_000])
    finer = finer_means([GRADED], ["nDCG@0.2n"], [300, 10_000])[0, 0]
    assert np.all(np.abs(mean.value - finer) <= mean.error)
    assert np.all(mean.error < 1e-7)


def test_refusals():
    curve = Relevance.parse("constant(0.5)")
    with pytest.raises(InputError, match="not a mixture of exponentials"):
        expected_ndcg(curve, Measure(own_discount(stairs, largest=1e5)), [100])
    for sizes in ([0], [10**19], [], [10.5], "ten"):
        with pytest.raises(InputError, match="list lengths"):
            expected_ndcg(curve, Measure(), sizes)
    with pytest.raises(InputError, match="other scorers"):
        expected_ndcg(Scorer.parse("random"), Measure(), [10])


def test_means_of_1e_minus_11_are_known_to_rounding_only():
    """What is left out is not relative to a mean of orders that are nearly all wrong."""
    for text, measure, n in (
        ("logistic(0.295876, -38.57)", "nDCG@7", 98),
        ("step(0.00802583, 0, 0.2268)", "nDCG@7", 57),
    ):
        mean, finer = expected_ndcg(text, measure, [n]), finer_means([text], [measure], [n])[0, 0, 0]
        assert abs(mean.value[0] - finer) <= mean.error[0] < 1e-15
        assert abs(mean.value[0] - finer) > 1e-9 * finer


@pytest.mark.slow
def test_other_measures_and_scorers_change_no_bit():
    """Measures with one cutoff share polynomials, and scorers of one population label laws."""
    sizes, measures = (10, 60, 250, 1000, 10**6), ("nDCG", "nDCG(zipf)", "nDCG@5", "nDCG@0.2n")
    alone = {}
    for measure in measures:
        clear_caches()
        alone[measure] = expected_ndcg("linear(0.1, 0.5)", measure, sizes).value.tolist()
    clear_caches()
    for curve in ("constant(0.3)", "power(0.05, 0.8, 2)"):  # of the same label law, which differs in rounding
        for other in measures:
            expected_ndcg(curve, other, sizes)
    for measure in measures:
        assert expected_ndcg("linear(0.1, 0.5)", measure, sizes).value.tolist() == alone[measure]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "graded(13=linear(3.8e-6,5.5e-6), 6=linear(0.0062,0.026))",
        "graded(31=linear(1.5e-6,3.4e-6), 23=linear(0.026,0.18), 15=linear(0.08,0.18), 6=linear(0.02,0.06))",
        "graded(2=linear(1e-9,2e-9), 1=linear(0.1,0.5))",
    ],
)
def test_rare_top_grades_in_long_lists(text):
    """A rare grade among many items: far from their mean, its count would be beyond all its nodes."""
    sizes = [10**6, 10**9, 10**12, 10**18]
    for measure in ("nDCG", "nDCG@0.2n"):
        mean = expected_ndcg(text, measure, sizes)
        finer = finer_means([text], [measure], sizes)[0, 0]
        assert np.all(np.abs(mean.value - finer) <= mean.error)
        assert mean.error.max() < 1e-7


def test_moments_of_a_count_that_a_cutoff_cuts():
    """The polynomials of the count by orthogonalisation over all numbers, 1/IDCG summed over its law.

    4e-11 of the lists have fewer relevant items than the cutoff. A rule of few nodes for those that have more
    gets the moment of degree 19 wrong by 2e-4.
    """
    others, p, k = 3161, 0.25, 632
    x = np.arange(500, 1100)
    root = np.sqrt(binom.pmf(x, others, p))
    u = (x - others * p) / np.sqrt(others * p * (1 - p))
    basis, triangle = np.linalg.qr(root[:, None] * np.polynomial.hermite_e.hermevander(u, 19))
    ideal = np.cumsum(1 / np.log(np.arange(2.0, k + 2)))
    exact = np.sign(np.diag(triangle)) * (basis.T @ (root / ideal[np.minimum(x, k - 1)]))
    sums = discount_sums(Measure.parse("nDCG").discount, others + 1)
    counts = LabelMeans(np.ones(1), np.array([p, 1 - p]), sums, k, others)
    assert counts.moments(19) == pytest.approx(exact, rel=0, abs=1e-11)
