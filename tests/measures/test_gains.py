"""Gains of labels: formulas and tables."""

from __future__ import annotations

import numpy as np
import pytest
from cases import refused

from ndcg_asymptotics.core.errors import InputWarning
from ndcg_asymptotics.measures.gains import gain_text, label_gains, negative_labels_in

LABELS = np.array([[0.0, 2.0], [np.nan, 1.0]])


@pytest.mark.parametrize(
    ("gain", "expected"),
    [
        ("linear", [[0, 2], [np.nan, 1]]),
        ("exp2", [[0, 3], [np.nan, 1]]),
        ("binary", [[0, 1], [np.nan, 1]]),
        ("1=0.5, 2=7, -1=0", [[0, 7], [np.nan, 0.5]]),
        ({2: 1, 1: 0}, [[0, 1], [np.nan, 0]]),
    ],
)
def test_gains_of_labels(gain, expected):
    np.testing.assert_array_equal(label_gains(LABELS, gain), expected)


@pytest.mark.parametrize(
    ("gain", "message"),
    [
        ("log", r"gain: must be one of linear, binary, exp2, or a table such as '0=0, 1=1, 2=3', got 'log'"),
        ("1=2, 2", "gain: must be one of .*, got '2'"),
        ("1=x", "gain: must be one of .*, got '1=x'"),
        ("1=1, 1.0=2", "gain: the label 1 is given twice"),
        ("1=-1", "gain: the gain of 1 must be finite and >= 0, got -1"),
        ("nan=1", "gain: a label must be finite"),
        ("-2=1", "gain: a negative label has the gain 0, got -2=1"),
        ("0=1", "gain: the label 0 has the gain 0, .* got 1"),
        ({}, "gain: 1 to 10000 labels are allowed, got 0"),
        (3, "gain: must be one of linear"),
        ("1=1", "gain: has none for the label 2, only for 0, 1"),
    ],
)
def test_what_is_no_gain(gain, message):
    refused(f"^{message}", label_gains, LABELS, gain)


def test_a_table_has_one_text():
    assert gain_text({2.0: 3, 1: 1, -1: 0}) == gain_text("2=3, 1 = 1.0,-1=0") == "-1=0, 0=0, 1=1, 2=3"
    assert negative_labels_in("-1=0, 1=1") == (-1.0,)
    assert negative_labels_in("exp2") == ()


def test_exponential_gains_of_large_labels_are_warned_of():
    with pytest.warns(InputWarning, match="of the label 32 outweighs"):
        label_gains(np.array([31.0, 32.0]), "exp2")
