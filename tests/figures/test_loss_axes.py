"""Figures about losses show the given values."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from loss_axes import (
    bound_quantiles,
    dot_rows,
    error_curves,
    line_style_handles,
    value_table,
)
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import line_styles

mpl.use("Agg")


@pytest.fixture
def ax():
    return Figure().add_subplot()


def test_curves_have_their_points_bars_and_limits(ax):
    curves = {"a": ([0.1, 0.01, 0.0], [0.01, 0.02, 0.0]), "b": ([0.2, 0.2, 0.2], [0, 0, 0])}
    error_curves(ax, [10, 100, 1000], curves, limits={"b": 0.2}, labels=False)
    first, second = ax.containers
    # neither 0 nor a mean that cannot be told from 0 is on a logarithmic axis
    np.testing.assert_array_equal(first.lines[0].get_xdata(), [10])
    np.testing.assert_array_equal(second.lines[0].get_ydata(), [0.2, 0.2, 0.2])
    bars = np.array([bar[:, 1] for bar in first.lines[2][0].get_segments()])
    np.testing.assert_allclose(bars[0], [0.1 - 0.0196, 0.1 + 0.0196])
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    dotted = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert [line.get_ydata()[0] for line in dotted] == [0.2]


def test_curves_on_a_linear_axis_keep_negative_values(ax):
    error_curves(ax, [1, 2], {"a": ([-0.1, 0.1], [0.1, 0.1])}, log="x", ylim=(-1, 1))
    np.testing.assert_array_equal(ax.containers[0].lines[0].get_ydata(), [-0.1, 0.1])
    assert ax.get_yscale() == "linear"
    assert [text.get_text() for text in ax.texts] == ["a"]


def test_a_table_has_its_numbers(ax):
    values = np.array([[0.0, 0.52], [3.2e-5, 0.012]])
    value_table(ax, ["r", "s"], ["c", "d"], values, least=1e-5)
    assert [text.get_text() for text in ax.texts] == ["0", ".52", "3e-5", ".01"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["r", "s"]
    assert ax.texts[1].get_color() == "white"
    assert ax.texts[2].get_color() == "black"


def test_points_lie_under_the_bound(ax):
    bound = np.repeat([0.01, 0.1, 1.0], [20, 4, 20])  # in the middle there are too few
    regret = bound * np.tile([0.0, 0.1, 0.3, 0.4], 11)
    bound_quantiles(ax, bound, regret, line_styles(1)[0])
    largest, middle, diagonal = ax.lines
    np.testing.assert_allclose(largest.get_ydata(), [0.004, 0.4])
    np.testing.assert_allclose(middle.get_ydata(), [0.003, 0.3])
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())


def test_rows_of_dots(ax):
    dot_rows(ax, ["a", "b"], [3, 4], [0.1, 0.2])
    points, _, (bars,) = ax.containers[0]
    np.testing.assert_array_equal(points.get_xdata(), [3, 4])
    np.testing.assert_allclose([bar[1, 0] for bar in bars.get_segments()], [3.196, 4.392])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first row is at the top


def test_legend_handles_name_the_curves():
    styles = dict(zip(["a", "b"], line_styles(2), strict=True))
    assert [handle.get_label() for handle in line_style_handles(styles)] == ["a", "b"]
