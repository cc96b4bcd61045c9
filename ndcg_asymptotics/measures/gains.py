"""Gains of labels: the label itself, 1 if it is above 0, 2^y - 1, or a table such as "0=0, 1=1, 2=3".

A gain is a text, so that it means the same on the command line, in a study file and in stored settings. In
Python a table may also be a mapping.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import InputError, InputWarning, require
from ndcg_asymptotics.specs.scanner import number_text, numbers_text

Gain = str | Mapping[float, float]
"""``linear`` (y), ``binary`` (1 if y > 0), ``exp2`` (2^y - 1), or the gain of every label."""

NAMED = ("linear", "binary", "exp2")

_LARGEST_GRADE = 31  # above, 2^y - 1 is no gain of a grade
_MOST_LABELS = 10_000  # of a table


def gain_steps(gains: Floats) -> Floats:
    """Return by how much each gain exceeds the next smaller one, which after the last is 0.

    The ideal list of label counts c_1, c_2, … has the DCG ``sum_j (y_j - y_(j+1)) S(c_1 + … + c_j)`` with
    S(k) the sum of the first k discounts.

    >>> gain_steps(np.array([3.0, 1.0]))
    array([2., 1.])
    """
    return -np.diff(gains, append=0.0)


def label_gains(labels: Floats, gain: Gain) -> Floats:
    """Return the gains of labels; NaN stays NaN.

    Parameters
    ----------
    labels : array
    gain : {"linear", "binary", "exp2"}, text or mapping
        The gain of a label y: y, 1 if y > 0, 2^y - 1, or that of a table. In a table the label 0 and
        negative labels have the gain 0; the label 0 may be left out.

    >>> labels = np.array([0.0, 1.0, 4.0])
    >>> label_gains(labels, "exp2"), label_gains(labels, "1=1, 4=10")
    (array([ 0.,  1., 15.]), array([ 0.,  1., 10.]))

    Raises
    ------
    InputError
        For any other ``gain``, a label that is not in the table, and a label whose gain is too large for a
        double.
    """
    table = _table(gain)
    if table is not None:
        return _looked_up(labels, table)
    if gain == "linear":
        return labels
    if gain == "binary":
        return np.where(np.isnan(labels), labels, labels > 0)
    with np.errstate(over="ignore"):
        values = np.exp2(labels) - 1.0
    if np.isposinf(values).any():
        raise InputError(f"2^y - 1 is too large for the label {np.nanmax(labels):g}", "gain")
    if gain == "exp2" and np.any(labels > _LARGEST_GRADE):
        message = (
            f"2^y - 1 of the label {np.nanmax(labels):g} outweighs all lower ones; "
            f"XGBoost refuses labels above {_LARGEST_GRADE}"
        )
        warnings.warn(message, InputWarning, stacklevel=2)
    return values


def gain_text(gain: Gain) -> str:
    """Return the canonical text of a gain.

    >>> gain_text({2: 3.0, 1: 1}), gain_text("2 = 3, 1=1"), gain_text("exp2")
    ('0=0, 1=1, 2=3', '0=0, 1=1, 2=3', 'exp2')

    Raises
    ------
    InputError
        If it is none.
    """
    table = _table(gain)
    if table is None:
        return str(gain)
    return ", ".join(f"{number_text(label)}={number_text(value)}" for label, value in sorted(table.items()))


def negative_labels_in(gain: Gain) -> tuple[float, ...]:
    """Return the negative labels that a table names; it says of them that their gain is 0."""
    return tuple(label for label in _table(gain) or () if label < 0)


_EXPECTED = "must be one of linear, binary, exp2, or a table such as '0=0, 1=1, 2=3'"


def _table(gain: Gain) -> Mapping[float, float] | None:
    """Return the gains by label; None for a formula."""
    if isinstance(gain, str) and gain in NAMED:
        return None
    pairs: list[list[str]] | list[tuple[float, float]]
    if isinstance(gain, str) and "=" in gain:
        pairs = [part.split("=") for part in gain.split(",")]
    elif isinstance(gain, Mapping):
        pairs = [*gain.items()]
    else:
        raise InputError(f"{_EXPECTED}, got {brief(gain)}", "gain")
    require(
        0 < len(pairs) <= _MOST_LABELS, f"1 to {_MOST_LABELS} labels are allowed, got {len(pairs)}", "gain"
    )
    table: dict[float, float] = {}
    for pair in pairs:
        try:
            label, value = (float(number) for number in pair)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{_EXPECTED}, got {brief('='.join(map(str, pair)).strip())}", "gain") from None
        require(math.isfinite(label), f"a label must be finite, got {label:g}", "gain")
        require(
            0 <= value < math.inf, f"the gain of {label:g} must be finite and >= 0, got {value:g}", "gain"
        )
        require(label >= 0 or value == 0, f"a negative label has the gain 0, got {label:g}={value:g}", "gain")
        require(label not in table, f"the label {label:g} is given twice", "gain")
        table[label] = value
    zero = table.setdefault(0.0, 0.0)
    unjudged = "the label 0 has the gain 0, as documents without a judgement have it"
    require(zero == 0, f"{unjudged}; got {zero:g}", "gain")
    return table


def _looked_up(labels: Floats, table: Mapping[float, float]) -> Floats:
    grades = np.array(sorted(table))
    gains = np.array([table[grade] for grade in grades.tolist()])
    place = np.minimum(np.searchsorted(grades, labels), grades.size - 1)
    missing = np.isnan(labels)
    strange = np.asarray((grades[place] != labels) & ~missing)
    if strange.any():
        label = float(np.asarray(labels)[strange].flat[0])
        raise InputError(
            f"has none for the label {number_text(label)}, only for {numbers_text(grades)}", "gain"
        )
    return np.where(missing, labels, gains[place])
