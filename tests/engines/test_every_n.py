"""Every prefix of a list: its methods, unretrieved documents, extremes, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines import every_n
from ndcg_asymptotics.engines.every_n.paths import method_of
from ndcg_asymptotics.measures import Measure

DISCOUNTS = "log", "power(40)", "geometric(1.001)", "linear", 'custom("own_discount:steps", 10000)'
MEASURES = tuple(Measure.parse(f"nDCG({d}){c}") for d in DISCOUNTS for c in ("", "@10", "@0.2n", "@n^0.9"))


def test_all_methods_are_used() -> None:
    taken = {method_of(measure, 1024).kind for measure in MEASURES}
    assert taken == {"heads", "moments", "exponentials"}


def test_unretrieved_documents_come_last_in_order_of_arrival() -> None:
    scores = np.array([1.0, -np.inf, 3.0, -np.inf, 2.0])
    far = np.array([1.0, -10.0, 3.0, -10.0, 2.0])
    labels = [0, 1, 1, 2, 0]
    found, expected = (every_n.evaluate_every_n(s, labels, "nDCG") for s in (scores, far))
    np.testing.assert_array_equal(found, expected)


def test_ideal_order_gives_one_and_no_relevant_item_zero() -> None:
    labels = np.concatenate([np.full(20, 2.0), np.ones(30), np.zeros(50)])
    found = every_n.evaluate_every_n(-np.arange(100.0), labels, MEASURES)
    linear = [str(m.discount) == "linear" for m in MEASURES]
    assert np.abs(found[:, 1:] - 1).max() <= 1e-11
    np.testing.assert_array_equal(found[linear, 0], 0.0)  # D_1(1) = 0
    assert not every_n.evaluate_every_n(-np.arange(100.0), np.zeros(100), MEASURES).any()


@pytest.mark.parametrize(
    ("scores", "labels", "what"),
    [
        ([1.0, math.nan], [0, 1], "scores must be finite"),
        ([1.0, math.inf], [0, 1], "scores must be finite"),
        ([1.0, 2.0], [0, -1], "labels must be finite and >= 0"),
        ([1.0, 2.0], [0], "one length"),
        ([1.0, 2.0], [10**400, 0], "labels: must be numbers"),
        (np.arange(300.0), np.arange(300.0), "at most 255 different"),
    ],
)
def test_bad_lists_are_refused(scores: list[float], labels: list[float], what: str) -> None:
    with pytest.raises(InputError, match=what):
        every_n.evaluate_every_n(scores, labels, MEASURES[:1])
