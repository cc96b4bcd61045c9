"""The exact mean of NDCG against brute force, direct sums, reference values and itself."""

from __future__ import annotations

import numpy as np
import pytest
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

GRADED = "graded(3=polynomial(0.3, -0.2), 1=polynomial(0.1, 0.4, -0.2))"
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


FOUR = "graded(31=linear(1.5e-6,3.4e-6), 23=linear(0.026,0.18), 15=linear(0.08,0.18), 6=linear(0.02,0.06))"
LONG = (10**6, 10**9, 10**12, 10**18)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "measures", "sizes", "most"),
    [
        # the kink of one grade
        (GRADED, ("nDCG@0.2n",), (300, 10_000), 1e-7),
        # what is left out is not relative to a mean of orders that are nearly all wrong, here 1e-11
        ("logistic(0.295876, -38.57)", ("nDCG@7",), (98,), 1e-15),
        ("step(0.00802583, 0, 0.2268)", ("nDCG@7",), (57,), 1e-15),
        # far from their mean the count of a rare grade would be beyond all its nodes
        ("graded(13=linear(3.8e-6,5.5e-6), 6=linear(0.0062,0.026))", ("nDCG", "nDCG@0.2n"), LONG, 1e-7),
        (FOUR, ("nDCG", "nDCG@0.2n"), LONG, 1e-7),
        ("graded(2=linear(1e-9,2e-9), 1=linear(0.1,0.5))", ("nDCG", "nDCG@0.2n"), LONG, 1e-7),
    ],
)
def test_finer_quadrature_agrees_where_it_is_hard(text, measures, sizes, most):
    for measure, finer in zip(measures, finer_means([text], measures, sizes)[0], strict=True):
        mean = expected_ndcg(text, measure, sizes)
        assert np.all(np.abs(mean.value - finer) <= mean.error)
        assert mean.error.max() < most


def test_refusals():
    curve = Relevance.parse("constant(0.5)")
    with pytest.raises(InputError, match="not a mixture of exponentials"):
        expected_ndcg(curve, Measure(own_discount(stairs, largest=1e5)), [100])
    for sizes in ([0], [10**19], [], [10.5], "ten"):
        with pytest.raises(InputError, match=r"^sizes: must be"):
            expected_ndcg(curve, Measure(), sizes)
    with pytest.raises(InputError, match="other scorers"):
        expected_ndcg(Scorer.parse("random"), Measure(), [10])


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
