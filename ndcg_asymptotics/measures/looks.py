"""The colour, dashes and marker of a measure, the same in every figure and on every page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.looks import MARKERS, Look, mixed
from ndcg_asymptotics.measures.discounts import Discount
from ndcg_asymptotics.measures.growth import Kind
from ndcg_asymptotics.measures.measure import Measure

# The dashes of each kind of cutoff, and how much it darkens (or, below 0, lightens) the colour of a discount
_OF_GROWTH: dict[Kind, tuple[str, float]] = {
    "whole": ("solid", 0.0),
    "fixed": ("dashed", -0.3),
    "fraction": ("dashdot", 0.35),
    "vanishing": ("dotted", -0.2),
    "unknown": ("dotted", 0.0),
}
_MOST_SHADE = 0.5  # half of the way to black or white


def measure_look(measure: Measure | str) -> Look:
    """Return the look of a measure.

    The discount decides the colour and the marker (`Discount.color`), and the cutoff the dashes. A parameter
    darkens the colour as it grows: b of the discount r^-b, the base of a geometric one, k, and the c and a of
    the cutoffs cn and n^a.

    >>> measure_look("nDCG").color, measure_look("nDCG@10").color, measure_look("nDCG(zipf)").marker
    ('#0072b2', '#882255', '^')
    >>> measure_look("nDCG(power(0.3))").color == measure_look("nDCG(power(0.7))").color
    False
    """
    try:
        measure = Measure.of(measure)
    except InputError:  # a measure of another program, or the module of a custom discount is not here
        return Look(Discount.color, "solid", Discount.marker)
    discount, kind = measure.discount, measure.cutoff.growth.kind
    dashes, shade_of_kind = _OF_GROWTH[kind]
    shade = discount.shade + measure.cutoff.shade
    if kind in discount.cut_colors:
        color = discount.cut_colors[kind]  # tells the kind of cutoff without a shade
    else:
        color, shade = discount.color, shade + shade_of_kind
    black_or_white = "#000000" if shade > 0 else "#ffffff"
    return Look(mixed(color, black_or_white, min(abs(shade), _MOST_SHADE)), dashes, discount.marker)


def measure_looks(measures: Iterable[Measure | str]) -> dict[str, Look]:
    """Return the looks of the measures of one figure or chart, by their texts.

    They are those of `measure_look`, except that of measures which share marker and dashes all but the first
    have other markers, because shades of one colour look alike in grey.

    >>> [look.marker for look in measure_looks(["nDCG@1", "nDCG@10", "nDCG"]).values()]
    ['o', 's', 'o']
    """
    looks: dict[str, Look] = {}
    for measure in measures:
        look = measure_look(measure)
        used_markers = {earlier.marker for earlier in looks.values() if earlier.dashes == look.dashes}
        free = [marker for marker in (look.marker, *MARKERS) if marker not in used_markers]
        looks.setdefault(str(measure), replace(look, marker=free[0] if free else look.marker))
    return looks
