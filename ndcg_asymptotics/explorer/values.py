"""What the explorer shows and says of a state, but for values against n (`against_n`): functions of a state.

Intermediate results are cached by the functions of `theory`. What is said about the order on one list is what
`plan` says, first from an eighth of its draws (`LITTLE`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

from ndcg_asymptotics.analysis.planning.curves import Experiment
from ndcg_asymptotics.analysis.planning.requirements import Requirements
from ndcg_asymptotics.analysis.planning.rows import PlanRow
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.text import count_text
from ndcg_asymptotics.explorer.against_n import OrderLaw, Point, moments, order_on_one_list
from ndcg_asymptotics.explorer.state import NAMES, Shape, State, with_mean
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Curve
from ndcg_asymptotics.populations.families import PiecewiseLinear
from ndcg_asymptotics.populations.roc import Roc
from ndcg_asymptotics.theory.fluctuations import effect_sizes
from ndcg_asymptotics.theory.fluctuations.effort import MeanAndDeviation
from ndcg_asymptotics.theory.limits import Limit, limit

EXPONENTS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.2, 1.6, 2.0)
"""The b of the discounts r^-b that are compared."""
LITTLE = 0.125
"""The share of the draws of `plan` from which the first answers come while a slider moves."""

_CUTOFFS = 8  # compared, from 1 to n
_FINER = (0.5, 0.25)  # of their distance, at which cutoffs around the best one are tried
_SMALL = 5e-4  # smaller numbers are written with an exponent
_CURVE_POINTS = 201  # of a drawn relevance curve
_SHALLOWEST = 1e-3  # depth at which a drawn ROC curve begins
_HANDLES = (0.0, 0.25, 0.5, 0.75, 1.0)  # depths at which a curve begins to be dragged
_APART = 0.01  # least distance of two of them
_OTHERS = ("nDCG", "nDCG@10")  # measures that the chosen one is compared with


def curves(state: State) -> list[tuple[Floats, Floats]]:
    """Return abscissae and values of both curves: ybar(s) against s, or F(t) against t."""
    found = []
    for shape in (state.a, state.b):
        curve = shape.curve(state.share)
        if isinstance(curve, Roc):
            t = np.append(0.0, np.geomspace(_SHALLOWEST, 1.0, _CURVE_POINTS))
            found.append((t, np.asarray(curve.cdf(t))))
        else:
            assert isinstance(curve, Curve)
            # both sides of a jump
            edges = [b + side for b in curve.breaks for side in (-1e-9, 1e-9)]
            s = 1 - np.union1d(np.linspace(0, 1, _CURVE_POINTS), edges)[::-1]
            found.append((s, curve.value(1 - s)))
    return found


def limits(state: State) -> tuple[Limit, Limit]:
    """Return the limits of the NDCG of both rankers, with their theorems."""
    a, b = state.scorers
    return limit(a, state.measured), limit(b, state.measured)


def limit_text(found: Limit) -> str:
    """Return a limit and its theorem in words.

    >>> limit_text(limit("linear(0.1, 0.7)", "nDCG(zipf)")), limit_text(limit("linear(0.1, 0.7)", "nDCG@10"))
    ('tends to 0.7 (Theorem 5)', 'has no limit (Theorem 6)')
    """
    if found.scaled is not None and found.scaled.value is not None:
        return f"falls like {found.scaled.scale.rate(found.scaled.value)} ({found.theorem})"
    if found.value is not None:
        return f"tends to {found.value:.4g} ({found.theorem})"
    if found.converges is False:
        return f"has no limit ({found.theorem})"
    return "has no known limit"


def numbers(state: State, effort: float = 1.0) -> list[str]:
    """Return what holds at the chosen n, and as n grows, in a line for each ranker and one for both.

    >>> numbers(State())[0]
    'A: nDCG is 0.8390 ± 0.0170 at n = 1,000 and tends to 1 (Theorem 1)'
    """
    *of_rankers, of_both = moments(state, state.n)
    found = [
        f"{name}: {state.measure} is {_mean(moments)} at n = {count_text(state.n)} and {limit_text(to)}"
        for name, moments, to in zip(NAMES, of_rankers, limits(state), strict=True)
    ]
    wrong = ""
    if len(set(state.scorers)) > 1:
        try:
            of_order = str(order_on_one_list(state, effort))
        except NotAvailableError as error:
            of_order = str(error)
        wrong = f", P(wrong order): {of_order}"
    found.append(f"On one list: {_effect(of_both)}{wrong}")
    return found


def _mean(found: MeanAndDeviation) -> str:
    return f"{found.mean:.4f} ± {_deviation(found.sd)}"


def _effect(found: MeanAndDeviation) -> str:
    """Return mean and standard deviation of a difference, and their ratio."""
    difference = abs(found.mean)
    effect = f", Δ/σ = {difference / found.sd:.3g}" if found.sd > 0 else ""
    return f"Δ = {difference:.4f} ± {_deviation(found.sd)}{effect}"


def _deviation(sd: float) -> str:
    return f"{sd:.4f}" if sd >= _SMALL or sd == 0 else f"{sd:.1e}"


def experiment(state: State, effort: float = 1.0) -> Experiment:
    """Return the experiment that is planned for."""
    return Experiment(*state.scorers, state.n, Requirements(queries=state.queries), NAMES, effort)


def rows(state: State, effort: float = 1.0) -> list[PlanRow]:
    """Return what the chosen measure, and those that it is compared with, need to tell the rankers apart."""
    measures = [Measure.of(text) for text in dict.fromkeys([str(state.measured), *_OTHERS])]
    return experiment(state, effort).rows(measures, lengths=state.relevant is None)


class EffectSize(NamedTuple):
    """The effect size of a measure on one list, and the queries that a paired t test needs.

    ``at`` is the exponent b or the cutoff k of the measure.
    """

    measure: str
    at: float
    effect: float
    queries: int | None


def cutoff_sweep(state: State, *, finer: bool = True) -> list[EffectSize]:
    """Return the chosen discount with cutoffs from 1 to n, and if ``finer`` with some around the best."""
    n, ks = state.n, np.geomspace(1, state.n, _CUTOFFS)
    found = by_cutoff(state, {round(k) for k in ks})
    for part in _FINER if finer else ():
        top = strongest(found)
        if top is None:
            break
        near = {round(top.at * factor) for factor in (ks[1] ** part, ks[1] ** -part)}
        found += by_cutoff(state, {k for k in near if 1 <= k <= n} - {round(size.at) for size in found})
    return found


def by_cutoff(state: State, cutoffs: set[int]) -> list[EffectSize]:
    """Return the chosen discount with these cutoffs."""
    return _effect_sizes(state, {Measure(state.measured.discount, k): float(k) for k in sorted(cutoffs)})


def discount_sweep(state: State) -> list[EffectSize]:
    """Return the chosen cutoff with the discounts r^-b."""
    return _effect_sizes(state, {Measure(f"power({b:g})", state.measured.cutoff): b for b in EXPONENTS})


def strongest(sizes: Sequence[EffectSize]) -> EffectSize | None:
    """Return the largest effect size, if the rankers differ by any."""
    return max((size for size in sizes if size.queries), key=lambda size: abs(size.effect), default=None)


def _effect_sizes(state: State, measures: Mapping[Measure, float]) -> list[EffectSize]:
    """Return the effect sizes that are known, of measures with their exponents or cutoffs."""
    a, b = state.scorers
    design = experiment(state).design
    effects = effect_sizes(a, b, state.n, measures).tolist()
    return [
        EffectSize(str(measure), at, effect, design.lists(effect, 1.0))
        for (measure, at), effect in zip(measures.items(), effects, strict=True)
        if math.isfinite(effect)
    ]


def verdict(rows: Sequence[PlanRow]) -> str:
    """Return in one sentence from which list length on each measure tells the rankers apart.

    Without required lengths it is how many queries that takes at the length of the rows; the text is empty
    where neither is known.
    """
    if all(row.order.long_run is None for row in rows):
        needs = [f"{row.queries.required:,} queries by {row.measure}" for row in rows if row.queries.required]
        if not needs:
            return ""
        n = count_text(rows[0].n or 0)
        return f"With lists of {n} items it takes {', '.join(needs)} to tell them apart."
    known = sorted((row for row in rows if row.order.required_n), key=lambda row: row.order.required_n or 0)
    never = [row.measure for row in rows if row.order.required_n is None and row.order.long_run is not None]
    if not known:
        return f"{' and '.join(never)} never {'tells' if len(never) == 1 else 'tell'} them apart."
    tells = (" tells them apart", *("" for _ in known[1:]))
    said = [f"{row.measure}{word} from n = {_length(row)} on" for row, word in zip(known, tells, strict=True)]
    does = f"; {' and '.join(never)} never {'does' if len(never) == 1 else 'do'}" if never else ""
    return f"{', '.join(said)}{does}."


def _length(row: PlanRow) -> str:
    low, high = row.order.required_n_low, row.order.required_n_high
    between = f" [{count_text(low)}, {count_text(high)}]" if low is not None and high is not None else ""
    return f"{count_text(row.order.required_n or 0)}{between}"


def conclusion(state: State, found: Sequence[PlanRow]) -> str:
    """Return in one sentence what it takes to tell the rankers apart.

    >>> state = State()
    >>> conclusion(state, rows(state))
    'nDCG tells them apart from n = 1,382 [1,260, 1,517] on; nDCG@10 never does.'
    """
    a, b = state.scorers
    if a == b:
        return "The two rankers have the same curve: no measure tells them apart."
    return verdict(found)


def table(state: State, points: Sequence[Point], sweeps: Sequence[EffectSize]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of what is seen, as texts: chart, ranker or measure, abscissa, values."""
    yield ("chart", "of", "at", "value", "sd")
    yield ("state", state.query, "", "", "")
    for name, (x, y) in zip(NAMES, curves(state), strict=True):
        for at, value in zip(x.tolist(), y.tolist(), strict=True):
            yield ("curve", name, f"{at:.6g}", f"{value:.8g}", "")
    law = OrderLaw.of(state)
    for p in sorted(points, key=lambda p: p.n):
        for name, mean, sd in zip(NAMES, p.means, p.sds, strict=True):
            yield ("NDCG", name, str(p.n), f"{mean:.8g}", f"{sd:.6g}")
        yield ("difference", "A - B", str(p.n), f"{p.difference:.8g}", f"{p.sd:.6g}")
        right = float(law.right(np.array(p.effect))) if law and p.right is None else p.right
        if right is not None:
            log10 = f"{log_ndtr(-right) / math.log(10):.3g}"
            yield ("log10 P(wrong order)", state.measure, str(p.n), log10, "")
    for c in sweeps:
        yield ("effect size", c.measure, f"{c.at:g}", f"{c.effect:.6g}", "")


def points_of(shape: Shape, share: float) -> Shape:
    """Return a curve to drag that goes through points of another one."""
    curve = shape.curve(share)
    assert isinstance(curve, Curve)
    return dragged([(t, float(curve.value(t))) for t in _HANDLES], share)


def dragged(points: Sequence[tuple[float, float]], share: float, held: int | None = None) -> Shape:
    """Return the curve through points that were dragged, moved until its mean is the share.

    All points move together, or all but ``held``, which the other ones make room for. The first point is put
    at depth 0 and the last one at depth 1, and none leaves [0, 1].

    >>> dragged([(0.1, 0.5), (1.2, -0.3)], 0.25).points
    ((0.0, 0.5), (1.0, 0.0))
    """
    require(len(points) >= 2, "a curve goes through two points at least")
    clipped = [(min(max(t, 0.0), 1.0), min(max(m, 0.0), 1.0)) for t, m in points]
    fixed = None if held is None else clipped[held]
    (_, first), *middle, (_, last) = inside = sorted(clipped)
    kept = [(0.0, first)]
    for t, m in middle:
        if t >= kept[-1][0] + _APART and t <= 1 - _APART:
            kept.append((round(t, 3), m))
    # a held point that is too near another one is dropped, and then there is none
    at = inside.index(fixed) if fixed is not None and len(kept) + 1 == len(inside) else None
    depths, given = zip(*[*kept, (1.0, last)], strict=True)
    moved = with_mean(PiecewiseLinear(depths, given), share, at)
    return Shape("piecewise", (), tuple((t, round(m, 4)) for t, m in zip(depths, moved.values, strict=True)))
