"""What weighted draws show of one pair and one measure: the fields of `distinguish.Pair`, and its table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import xarray as xr

from ndcg_asymptotics.analysis.orders.rates import CONFIDENCE, Decay, Rate
from ndcg_asymptotics.analysis.orders.weighted import (
    LEAST_EFFECTIVE,
    FittedExponent,
    WeightedRate,
    fit_exponent,
    from_on,
    weighted_rate,
)
from ndcg_asymptotics.core.tables import Column, Line, ReportBlock, Table, fixed, general
from ndcg_asymptotics.engines.engine import UNDECIDED
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory.rare import tilt

_QUANTILES = (0.5, 0.9, 0.99)
_FLAT = 0.03  # an exponent whose interval reaches below this is not told from none


def weighted_fields(
    cell: xr.Dataset, study: Study, pair: tuple[str, str], measure: Measure
) -> dict[str, Any]:
    """The fields of `distinguish.Pair` from the draws of the rare engine."""
    order, log_weight, last = (
        cell[name].transpose("replicate", "n").to_numpy() for name in ("order", "log_weight", "last")
    )
    a, b = (study.scorers[name].model for name in pair)
    leader = tilt(a, b, measure, study.n[-1]).leader
    unknown = order == UNDECIDED
    wrong = (order != leader) & ~unknown
    points: list[Rate] = [
        weighted_rate(n, log_weight[:, k], wrong[:, k], unknown[:, k]) for k, n in enumerate(study.n)
    ]
    # sizes at which nothing is drawn cost too much to count
    drawn = ~unknown.all(axis=0)
    since = from_on(study.n, log_weight, (last == 1) & drawn, (last < 0) & drawn)
    open_ = float(unknown[:, drawn].mean()) if drawn.any() else 1.0
    found = fit_exponent(points, a, b, measure)
    right = pair[0] if leader > 0 else pair[1]
    return {
        "pair": pair, "measure": str(measure), "right": right, "right_from": "the mean DCGs",
        "replicates": len(order), "points": points, "from_n": list(since), "from_n_is_upper_bound": True,
        "ties": float(np.mean(order == 0)), "ties_at_n": [float(x) for x in np.mean(order == 0, axis=0)],
        "undecided": open_,
        "last_wrong": _quantiles(since, study.n), "changes": {"mean": None},
        "decay": Decay(verdict(found), range=found.range), "error_exponent": found,
        "text": words(right, points, found),
    }  # fmt: skip


def _quantiles(since: Sequence[Rate], sizes: Sequence[int]) -> dict[str, float]:
    """The grid size from which the order stays right with this chance; infinite if none does."""
    found = {}
    for q in _QUANTILES:
        settled = [p.n for p in since if p.reliable and p.rate >= q]
        before = [n for n in sizes if settled and n < settled[0]]
        found[f"{q:g}"] = float(before[-1] if before else 0) if settled else math.inf
    return found


def verdict(found: FittedExponent) -> str:
    """Return the fitted error exponent in words."""
    if found.exponent is None or found.interval is None:
        return "is visible at too few sizes to tell how fast it falls"
    low, high = found.interval
    if low < _FLAT and (found.predicted == 0 or found.exponent < _FLAT):
        return f"does not fall: -log P(wrong) grows like n^{found.exponent:.2f} [{low:.2f}, {high:.2f}]"
    return f"falls like exp(-n^{found.exponent:.2f}) [{low:.2f}, {high:.2f}]"


def words(right: str, points: Sequence[Rate], found: FittedExponent) -> str:
    """A paragraph on one pair and measure."""
    seen = [p for p in points if p.reliable]
    shown = f"{right} ought to win (the mean DCGs). "
    if seen:
        end = seen[-1]
        assert end.log10_wrong is not None
        shown += f"At n = {end.n:g} the order is wrong with probability {power_of_ten(end.log10_wrong)}. "
    here = (
        f"{found.predicted_here:.2f} predicted for these sizes, " if found.predicted_here is not None else ""
    )
    end_ = "no theorem for n to infinity" if found.predicted is None else f"{found.predicted:.3g} in the end"
    over = f" from n = {found.range[0]:g} to {found.range[1]:g}" if found.range else ""
    return f"{shown}The rate of the wrong order {verdict(found)}{over}; {here}{end_}: {found.reason}."


def power_of_ten(log10: float) -> str:
    """A number from its logarithm.

    >>> power_of_ten(-74.03), power_of_ten(-0.5)
    ('9.3e-75', '0.316')
    """
    if log10 > -3:
        return f"{10**log10:.3g}"
    whole = math.floor(log10)
    return f"{10 ** (log10 - whole):.1f}e{whole}"


def weighted_blocks(pair: Any) -> Iterator[ReportBlock]:
    """The table and paragraph of a pair from weighted draws."""
    a, b = pair.pair
    columns = (
        Column("n or N", general("g")), Column("log10 P(wrong at n)", str), Column("rel. se", fixed(3)),
        Column("worth", general(".0f")), Column("log10 P(wrong at a grid n >= N)", str),
    )  # fmt: skip
    rows = (
        (at.n, _log10(at), at.relative_se, at.effective, _log10(since))
        for at, since in zip(pair.points, pair.from_n, strict=True)
        if at.undecided < 1
    )
    yield Table(f"{a} against {b}, {pair.measure}", columns, tuple(rows))
    left = [at.n for at in pair.points if isinstance(at, WeightedRate) and at.undecided == 1]
    if left:
        yield Line(f"Not drawn from n = {left[0]:g} on: below 1e-130.")
    if pair.undecided:
        yield Line(f"Undecided comparisons, in the upper end of the interval: {pair.undecided:.2%}.")
    yield Line(pair.text + "\n")


def weighted_note() -> Line:
    """What the numbers of these tables are."""
    return Line(
        f"Estimates are means of weights; 'worth' is how many equal ones those of the wrong order make up. "
        f"Not reliable: worth fewer than {LEAST_EFFECTIVE:g}, or one weight dominates. Intervals in --json: "
        f"{CONFIDENCE:.0%}."
    )


def _log10(point: Rate) -> str:
    return f"{point.log10_wrong:.2f}" if point.log10_wrong is not None else "not reliable"
