"""What the figures of scripts compute and leave out: limits, bars, quantiles, required lengths, optima."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from loss_axes import bound_quantiles, dot_rows, error_curves, value_table
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from theory_axes import gap_curves, length_within, signal_to_noise

from ndcg_asymptotics import plots


@pytest.fixture
def ax() -> Axes:
    return Figure().add_subplot()


def test_curves_have_their_bars_and_limits_and_logarithmic_axes_leave_out_zeros(ax: Any) -> None:
    curves = {"a": ([0.1, 0.01, 0.0], [0.01, 0.02, 0.0]), "b": ([0.2, 0.2, 0.2], [0, 0, 0])}
    error_curves(ax, [10, 100, 1000], curves, limits={"b": 0.2}, labels=False)
    first, second = ax.containers
    # neither 0 nor a mean that cannot be told from 0 is on a logarithmic axis
    np.testing.assert_array_equal(first.lines[0].get_xdata(), [10])
    np.testing.assert_array_equal(second.lines[0].get_ydata(), [0.2, 0.2, 0.2])
    (bar,) = first.lines[2][0].get_segments()
    np.testing.assert_allclose(bar[:, 1], [0.1 - 0.0196, 0.1 + 0.0196])
    assert [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == ":"] == [0.2]
    linear: Any = Figure().add_subplot()
    error_curves(linear, [1, 2], {"a": ([-0.1, 0.1], [0.1, 0.1])}, log="x", ylim=(-1, 1))
    np.testing.assert_array_equal(linear.containers[0].lines[0].get_ydata(), [-0.1, 0.1])
    with plots.style():
        gap_curves(ax, [10, 100, 1000], {"a": [0.1, 0.0, -0.001]}, rates={"n^-1/3": 1 / 3})
    gaps, rates = ax.lines[-2:]
    np.testing.assert_allclose(gaps.get_ydata(), [0.1, 0.001])
    np.testing.assert_allclose(rates.get_ydata(), [0.1, 0.1 * 10 ** (-1 / 3), 0.1 * 100 ** (-1 / 3)])


def test_numbers_of_tables_and_rows(ax: Any) -> None:
    values = np.array([[0.0, 0.52], [3.2e-5, 0.012]])
    value_table(ax, ["r", "s"], ["c", "d"], values, least=1e-5)
    assert [text.get_text() for text in ax.texts] == ["0", ".52", "3e-5", ".01"]
    rows: Any = Figure().add_subplot()
    dot_rows(rows, ["a", "b"], [3, 4], [0.1, 0.2])
    _, _, (bars,) = rows.containers[0]
    np.testing.assert_allclose([bar[1, 0] for bar in bars.get_segments()], [3.196, 4.392])
    assert rows.get_ylim()[0] > rows.get_ylim()[1]  # the first row is at the top


def test_points_lie_under_the_bound(ax: Any) -> None:
    bound = np.repeat([0.01, 0.1, 1.0], [20, 4, 20])  # in the middle there are too few
    bound_quantiles(ax, bound, bound * np.tile([0.0, 0.1, 0.3, 0.4], 11), plots.line_styles(1)[0])
    largest, middle, diagonal = ax.lines
    np.testing.assert_allclose(largest.get_ydata(), [0.004, 0.4])
    np.testing.assert_allclose(middle.get_ydata(), [0.003, 0.3])
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())


def test_required_lengths() -> None:
    sizes, gap = [10, 100, 1000, 10000], np.array([0.5, 0.001, 0.1, 0.001])
    assert length_within(sizes, gap, 0.01) == pytest.approx(1000 * 10**0.5)  # the last crossing
    assert (length_within(sizes, gap, 1.0), length_within(sizes, gap, 1e-4)) == (10, np.inf)


def test_the_best_parameter_is_the_first_of_those_that_are_as_good(ax: Any) -> None:
    ratios = [np.array([2.0, 1.9, 1.0]), np.array([1.0, 2.9999, 3.0])]
    assert signal_to_noise(ax, [0.01, 0.1, 1.0], ratios, "exponent b", "b") == ["$b$ → 0", "$b$ = 0.1"]
    marked = [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if len(line.get_xdata()) == 1]
    assert marked == [(0.01, 2.0), (0.1, 2.9999)]
