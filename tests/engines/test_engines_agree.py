"""The items and the cells engine draw NDCG from the same law, from n = 1e2 to 1e5."""

import numpy as np
import pytest
from cases import design
from scipy import stats

from ndcg_asymptotics.engines import cells, items
from ndcg_asymptotics.studies import Design

SIZES = (100, 10_000, 100_000)
MEASURES = ("nDCG", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG(geometric(2))", "nDCG@0.2n", "nDCG@n^0.5")
REPLICATES = 300
ALPHA = 1e-4  # the chance that one of all tests below rejects though the engines agree (Bonferroni)


def study(seed: int, curve: str = "linear(0.1, 0.7)") -> Design:
    return design(curve, SIZES, MEASURES, seed=seed, bracket=1e-3)


@pytest.fixture(scope="module")
def by_items() -> np.ndarray:
    return items.simulate_block(study(1), range(REPLICATES))["ndcg"][:, 0]


def smallest_p_values(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The smallest p-value of Welch's t, Levene's and the Kolmogorov-Smirnov test, by measure."""
    tests = [
        stats.ttest_ind(a, b, axis=0, equal_var=False).pvalue,
        stats.levene(a, b, axis=0).pvalue,
        stats.ks_2samp(a, b, axis=0).pvalue,
    ]
    return np.min(tests, axis=(0, 2))


def by_cells(seed: int, curve: str = "linear(0.1, 0.7)") -> np.ndarray:
    drawn = study(seed, curve)
    return np.array([cells.simulate(drawn, r)["ndcg"][0] for r in range(REPLICATES)])


@pytest.mark.slow
@pytest.mark.long
def test_engines_agree(by_items: np.ndarray) -> None:
    level = ALPHA / (3 * len(MEASURES) * len(SIZES))
    assert (smallest_p_values(by_items, by_cells(2)) > level).all()


@pytest.mark.slow
@pytest.mark.long
def test_another_curve_is_rejected(by_items: np.ndarray) -> None:
    """0.12 + 0.56 s has the same prevalence, and another law of NDCG."""
    level = ALPHA / (3 * len(MEASURES) * len(SIZES))
    rejected = smallest_p_values(by_items, by_cells(2, "linear(0.12, 0.68)")) < level
    assert rejected[MEASURES.index("nDCG")]
    assert rejected[MEASURES.index("nDCG(power(0.5))")]
    assert rejected[MEASURES.index("nDCG@0.2n")]
