"""Curves can be told apart in grey print and by colour-blind readers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.font_manager import fontManager

from ndcg_asymptotics.core.looks import COLORS, look_of
from ndcg_asymptotics.measures.looks import measure_look, measure_looks
from ndcg_asymptotics.plots.style import add_fonts

FAMILIES = [
    ["nDCG(power(0.3))", "nDCG(power(0.5))", "nDCG(power(0.7))"],
    ["nDCG@1", "nDCG@5", "nDCG@10", "nDCG@100"],
    ["nDCG@0.1n", "nDCG@0.2n", "nDCG@0.5n"],
    ["RBP(0.5)", "RBP(0.8)", "RBP(0.95)"],
    [
        "nDCG",
        "nDCG@10",
        "nDCG(zipf)",
        "nDCG(zipf)@10",
        "DCG@10",
        "nDCG(geometric(2))",
        "nDCG(power(0.5))@0.2n",
    ],
]
GREY = 0.2126, 0.7152, 0.0722  # the weights of linear red, green and blue
# What dichromats see of linear red, green and blue: Machado, Oliveira and Fernandes (2009), severity 1.0
SEEN = {
    "without red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "without green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "without blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


@pytest.mark.parametrize("family", FAMILIES)
def test_measures_of_a_figure_never_share_marker_and_dashes(family: list[str]) -> None:
    looks = measure_looks(family).values()
    assert len({(look.marker, look.dashes) for look in looks}) == len(family)


def test_a_measure_by_itself_has_the_first_look_of_its_family() -> None:
    for family in FAMILIES:
        first, *others = measure_looks(family).items()
        assert first[1] == measure_look(first[0])
        assert all(look.color == measure_look(text).color for text, look in others)


def test_curves_never_share_marker_and_dashes() -> None:
    looks = [look_of(place) for place in range(32)]
    assert len({(look.marker, look.dashes) for look in looks}) == 32
    assert len({look.color for look in looks[:8]}) == 8


def rgb(color: str) -> np.ndarray:
    return np.array(to_rgb(color))


def linear(color: str) -> np.ndarray:
    """Linear red, green and blue."""
    return np.where(rgb(color) <= 0.04045, rgb(color) / 12.92, ((rgb(color) + 0.055) / 1.055) ** 2.4)


def contrast(color: str, other: str) -> float:
    """The contrast ratio of the Web Content Accessibility Guidelines 2.2, from 1 to 21."""
    low, high = sorted(float(linear(one) @ GREY) + 0.05 for one in (color, other))
    return high / low


def test_curves_without_markers_that_share_dashes_differ_in_grey() -> None:
    for first, second in itertools.combinations(map(look_of, range(8)), 2):
        if first.dashes == second.dashes:
            assert contrast(first.color, second.color) > 1.6


def seen(color: str, kind: str) -> np.ndarray:
    found = np.clip(np.array(SEEN[kind]) @ linear(color), 0, 1)
    return np.where(found <= 0.0031308, 12.92 * found, 1.055 * found ** (1 / 2.4) - 0.055)


@pytest.mark.parametrize("kind", SEEN)
def test_colours_differ_for_the_colour_blind(kind: str) -> None:
    shown = [seen(color, kind) for color in COLORS]
    apart = [float(np.abs(a - b).max()) for a, b in itertools.combinations(shown, 2)]
    assert min(apart) > 0.1


def test_without_green_red_and_green_of_one_lightness_look_alike() -> None:
    """The simulation of colour blindness is one: it hides what dichromats do not see."""
    a, b = (seen(color, "without green") for color in ("#c05030", "#7f7f2b"))
    assert np.abs(a - b).max() < 0.1 < np.abs(rgb("#c05030") - rgb("#7f7f2b")).max()


def test_the_fonts_of_figures_are_added_to_the_font_list_of_another_installation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    others = [font for font in fontManager.ttflist if not font.name.startswith("STIX")]
    monkeypatch.setattr(fontManager, "ttflist", others)
    add_fonts()
    assert "STIXGeneral" in {font.name for font in fontManager.ttflist}
