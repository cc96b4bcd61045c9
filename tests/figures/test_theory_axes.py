"""Figures about theory show the given values."""

from __future__ import annotations

import numpy as np
import pytest
from drawn import texts
from matplotlib.collections import LineCollection
from theory_axes import (
    gap_curves,
    length_handles,
    length_within,
    lengths_needed,
    signal_to_noise,
    std_exponents,
)

from ndcg_asymptotics import plots


def test_gaps_leave_out_zeros() -> None:
    with plots.style():
        _, (ax,) = plots.panels(1)
        gap_curves(ax, [10, 100, 1000], {"a, $n^2$": [0.1, 0.0, -0.001]}, rates={"n^-1/3": 1 / 3})
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [0.1, 0.001])
    np.testing.assert_allclose(ax.lines[1].get_ydata(), [0.1, 0.1 * 10 ** (-1 / 3), 0.1 * 100 ** (-1 / 3)])
    assert {"a, $n^2$", "n^-1/3"} <= set(texts(ax))  # a formula is not changed


def test_lengths_needed() -> None:
    sizes, gap = [10, 100, 1000, 10000], np.array([0.5, 0.001, 0.1, 0.001])
    assert length_within(sizes, gap, 0.01) == pytest.approx(1000 * 10**0.5)  # the last crossing
    assert length_within(sizes, gap, 1.0) == 10
    assert length_within(sizes, gap, 1e-4) == np.inf
    with plots.style():
        _, (ax,) = plots.panels(1)
        lengths_needed(ax, {"nDCG": {"a": 1e3, "b": np.inf}, "nDCG(zipf)": {"a": 1e4, "b": 1e5}}, 1e6)
    assert [label.get_text() for label in ax.get_yticklabels()] == [r"$1/\log(1+r)$", "$1/r$"]

    handles = length_handles(["a", "b"], 1e6)
    assert [handle.get_label() for handle in handles] == ["a", "b", "with arrow: beyond $10^{6}$"]


def test_slopes_of_standard_deviations() -> None:
    b, predicted, exact = np.array([[0.0, 0.5, 0.9], [-0.5, -0.5, -0.1], [-0.5, -0.45, -0.12]])
    simulated = np.array([[0.0, 0.9], [-0.48, -0.13], [0.02, 0.01]])
    with plots.style():
        _, (ax,) = plots.panels(1)
        handles = std_exponents(ax, (b, predicted, exact), tuple(simulated))
    for line, values in zip(ax.lines, (predicted, exact, simulated[1]), strict=False):
        np.testing.assert_array_equal(line.get_xdata(), b if len(values) > 2 else simulated[0])
        np.testing.assert_array_equal(line.get_ydata(), values)
    (bars,) = (found for found in ax.collections if isinstance(found, LineCollection))
    np.testing.assert_allclose(bars.get_segments()[0][:, 1], [-0.48 - 0.06, -0.48 + 0.06])
    assert [one.get_label() for one in handles][1:] == ["exact", "simulated, ±3 standard errors"]


def test_the_best_parameter_is_the_first_of_those_that_are_as_good() -> None:
    ratios = [np.array([2.0, 1.9, 1.0]), np.array([1.0, 2.9999, 3.0])]
    with plots.style():
        _, (ax,) = plots.panels(1)
        optima = signal_to_noise(ax, [0.01, 0.1, 1.0], ratios, "exponent b", "b")
    assert optima == ["$b$ → 0", "$b$ = 0.1"]
    marked = [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if len(line.get_xdata()) == 1]
    assert marked == [(0.01, 2.0), (0.1, 2.9999)]
