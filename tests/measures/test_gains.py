"""Gains of labels: formulas, tables, and files with tables."""

from __future__ import annotations

import numpy as np
import pytest

from ndcg_asymptotics.core.errors import InputError, InputWarning
from ndcg_asymptotics.measures.gains import gain_text, label_gains, negative_labels_in, read_gain

LABELS = np.array([[0.0, 2.0], [np.nan, 1.0]])


@pytest.mark.parametrize(
    ("gain", "expected"),
    [
        ("linear", [[0, 2], [np.nan, 1]]),
        ("exp2", [[0, 3], [np.nan, 1]]),
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
    with pytest.raises(InputError, match=f"^{message}"):
        label_gains(LABELS, gain)


def test_a_table_has_one_text():
    assert gain_text({2.0: 3, 1: 1, -1: 0}) == gain_text("2=3, 1 = 1.0,-1=0") == "-1=0, 0=0, 1=1, 2=3"
    assert negative_labels_in("-1=0, 1=1") == (-1.0,)
    assert negative_labels_in("exp2") == ()


def test_a_table_in_a_file(tmp_path):
    file = tmp_path / "gains.txt"
    file.write_text("1=1\n\n2 = 3, 3=7\n")
    assert read_gain(str(file)) == "0=0, 1=1, 2=3, 3=7"
    assert read_gain("exp2") == "exp2"
    assert read_gain("2=3") == "0=0, 2=3"
    file.write_text("label gain\n1 1\n")
    with pytest.raises(InputError, match=r"gains\.txt: gain: must be one of"):
        read_gain(str(file))
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not a text file"):
        read_gain(str(file))
    with pytest.raises(InputError, match="or a file with such a table; exp3: No such file"):
        read_gain("exp3")


def test_exponential_gains_of_large_labels_are_warned_of():
    with pytest.warns(InputWarning, match="of the label 32 outweighs"):
        label_gains(np.array([31.0, 32.0]), "exp2")
