"""Values that the explorer shows of a state: functions of a frozen state.

Means and standard deviations are computed at a few list lengths (`NODES`), to about 1e-5 and 1e-3 of their
value, and `Smooth` joins them. While a slider moves, they are computed at fewer lengths first (`FIRST`), and
the curves of the last complete answer are moved there. Intermediate results are cached by the functions of
`theory`. What is said about the order on one list is what `plan` says, first from an eighth of its draws
(`LITTLE`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import log_ndtr, ndtri, ndtri_exp

from ndcg_asymptotics.analysis.orders.one_list import WrongOrder, draw_orders, drawable, wrong_order
from ndcg_asymptotics.analysis.orders.right_order import ahead, better_first
from ndcg_asymptotics.analysis.planning import sentences
from ndcg_asymptotics.analysis.planning.curves import Experiment, by_cutoff, by_exponent
from ndcg_asymptotics.analysis.planning.findings import FamilyMember, PlanRow, strongest
from ndcg_asymptotics.analysis.planning.requirements import Requirements
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.text import count_text
from ndcg_asymptotics.explorer.state import LARGEST, Shape, State, with_mean
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Curve, Relevance, Scorer
from ndcg_asymptotics.populations.families import PiecewiseLinear
from ndcg_asymptotics.populations.roc import Roc
from ndcg_asymptotics.theory.fluctuations.effort import MeanAndDeviation
from ndcg_asymptotics.theory.fluctuations.enumeration import enumerable
from ndcg_asymptotics.theory.fluctuations.laws import regime, standard_cdfs
from ndcg_asymptotics.theory.fluctuations.variance import quick_moments
from ndcg_asymptotics.theory.limits import Limit, limit
from ndcg_asymptotics.theory.rare import error_exponent
from ndcg_asymptotics.theory.scaled_limits import lasting_order

NODES = (10, 30, 100, 1000, 10**4, 10**6, 10**9, 10**12, 10**18)
"""The list lengths at which means and standard deviations are computed."""
FIRST = (10, 100, 10**4, 10**9, 10**18)
"""Those of them at which a complete answer is moved, while a slider moves."""
LENGTHS = np.geomspace(10, 1e18, 145)
"""The list lengths at which they are drawn, beside those."""
EXPONENTS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.2, 1.6, 2.0)
"""The b of the discounts r^-b that are compared."""
LITTLE = 0.125
"""The share of the draws of `plan` from which the first answers come while a slider moves."""
NAMES = ("A", "B")
"""The rankers."""

_CUTOFFS = 8  # compared, from 1 to n
_FINER = (0.5, 0.25)  # of their distance, at which cutoffs around the best one are tried
_SMALL = 5e-4  # smaller numbers are written with an exponent
_EFFECTS = np.linspace(-8, 8, 33)  # effect sizes at which a law that is not normal is tabulated
_CHART_EFFORT, _CHART_ENOUGH = 0.05, 50  # the share of draws for the chart, and wrong orders that are enough
_CURVE_POINTS = 201  # of a drawn relevance curve
_SHALLOWEST = 1e-3  # depth at which a drawn ROC curve begins
_LAST_RATE = 7.0  # quantile beyond which a rate has rounded to 1
_SMALLEST_SD = 1e-300  # whose logarithm is drawn for 0
_HANDLES = (0.0, 0.25, 0.5, 0.75, 1.0)  # depths at which a curve begins to be dragged
_TURNS = (0.6, 0.8, 1.0, 1.2, 1.6)  # list lengths times share over cutoff, around which NDCG turns
_SIDES = (-2.0, 2.0)  # standard deviations of the number of relevant items around the cutoff
_FULL = (0.4, 0.7, 1.0, 1.1, 1.4)  # list lengths over cutoff, around which lists are as long as the cutoff
_FLAT = (100, 10**4)  # first lengths that are left out with a fixed cutoff
_APART = 0.01  # least distance of two of them
_OTHERS = ("nDCG", "nDCG@10")  # measures that the chosen one is compared with


@dataclass(frozen=True)
class Point:
    """The values at one list length.

    Attributes
    ----------
    n : int
    means, sds : (float, float)
        Of the NDCG of the two rankers.
    difference, sd : float
        Mean and standard deviation of NDCG(A) - NDCG(B) on one list.
    right : float or None
        The normal quantile of the probability that one list shows the order of long lists; None where too
        few drawn lists are wrong.
    """

    n: int
    means: tuple[float, float]
    sds: tuple[float, float]
    difference: float
    sd: float
    right: float | None

    @property
    def effect(self) -> float:
        """The mean difference in standard deviations."""
        return self.difference / max(self.sd, _SMALLEST_SD)


def curves(state: State) -> list[tuple[Floats, Floats]]:
    """Return abscissae and values of both curves: ybar(s) against s, or F(t) against t."""
    found = []
    for shape, scorer in zip((state.a, state.b), state.scorers, strict=True):
        curve = scorer.alone if isinstance(scorer, Relevance) else shape.curve(state.share)
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


def lengths_of(state: State, lengths: Sequence[int] = NODES) -> tuple[int, ...]:
    """Return the list lengths at which values are computed, in a state that has lists of such lengths."""
    found, cutoff = set(lengths), state.measured.cutoff
    if cutoff.regime == "fixed" and state.relevant is None:
        # NDCG turns where about as many items are relevant as there are ranks that count
        k = cutoff(LARGEST)
        turn = k / state.reported_share
        if lengths == FIRST:
            found = found - set(_FLAT) | {round(turn)}
        else:
            width = math.sqrt((1 - state.reported_share) / k)
            found |= {round(part * turn) for part in (*_TURNS, *(1 + side * width for side in _SIDES))}
            found |= {round(part * k) for part in _FULL}
    return tuple(sorted(n for n in found if max(state.relevant or 0, NODES[0]) <= n <= LARGEST))


def point(state: State, n: int) -> Point:
    """Return the values at a list length.

    Raises
    ------
    NotAvailableError
        If the measure has no exact mean or standard deviation.
    """
    of_a, of_b, both = moments(state, n)
    return Point(n, (of_a.mean, of_b.mean), (of_a.sd, of_b.sd), *both, _right(state, n))


def moments(state: State, n: int) -> list[MeanAndDeviation]:
    """Return the moments of NDCG_n of both rankers, and of the difference."""
    a, b = state.scorers
    return [quick_moments(who, state.measured, n) for who in ((a,), (b,), (a, b))]


def order_on_one_list(state: State, effort: float = 1.0) -> WrongOrder:
    """Return the probability that one list of n items shows the wrong order.

    Raises
    ------
    NotAvailableError
        For a judge's labels of long lists with a number of relevant items.
    """
    return wrong_order(*_in_order(state), state.measured, state.n, effort=effort)


def _in_order(state: State) -> tuple[Scorer, Scorer]:
    """Return the rankers, the one that is ahead on long lists first."""
    return better_first(state.scorers, ahead(*state.scorers, state.measured))


@dataclass(frozen=True)
class OrderLaw:
    """The law of long lists for the order of the rankers at n.

    Attributes
    ----------
    name : str
    sign : int
        1 if A is ahead on long lists, -1 if B is.
    quantile : callable
        Returns the normal quantile of P(that ranker is ahead at n) for arrays of its effect sizes at n.
    """

    name: str
    sign: int
    quantile: Callable[[Floats], Floats]

    @classmethod
    def of(cls, state: State) -> OrderLaw | None:
        """Return the law of a state; None where a few depths decide, whatever n is."""
        measure, pair = state.measured, _in_order(state)
        if not pair[0].iid:
            return None
        sign = 1 if pair == state.scorers else -1
        if regime(pair, measure) in ("normal", "certain") or measure.cutoff.regime == "fixed":
            return cls("the normal law", sign, lambda effect: effect)
        right = 1 - standard_cdfs(pair, measure, -_EFFECTS)
        table = PchipInterpolator(_EFFECTS, np.clip(ndtri(right), -_LAST_RATE, _LAST_RATE))
        return cls(
            "the law of the top",
            sign,
            lambda effect: np.asarray(table(np.clip(effect, _EFFECTS[0], _EFFECTS[-1]))),
        )

    def right(self, effect: Floats) -> Floats:
        """Return the normal quantile of P(right order) for effect sizes of the difference A - B."""
        return np.asarray(self.quantile(self.sign * effect))


def _right(state: State, n: int) -> float | None:
    """Return the normal quantile of P(right order at n) for the chart, None where it is not known.

    It comes from some hundred lists where as many as 50 of them are wrong, and from enumeration elsewhere;
    with a fixed number of relevant items it is that of `wrong_order`.
    """
    measure, pair = state.measured, _in_order(state)
    found, iid = None, pair[0].iid
    if iid and drawable(pair[0], measure, n):
        counts = draw_orders(*pair, [measure], n, _CHART_EFFORT)[0][0]
        found = WrongOrder.counted(*counts) if counts[0] >= _CHART_ENOUGH else None
    if found is None and (not iid or enumerable(pair[0], measure, n)):
        try:
            found = wrong_order(*pair, measure, n, effort=_CHART_EFFORT)
        except NotAvailableError:  # a judge's labels of long lists with few relevant items
            return None
    if found is None or found.log10 is None:
        return _LAST_RATE if found and found.high is None else None
    return min(max(-float(ndtri_exp(found.log10 * math.log(10))), -_LAST_RATE), _LAST_RATE)


@dataclass(frozen=True)
class Smooth:
    """Smooth curves through the values at some list lengths, at these and `LENGTHS` between them.

    Attributes
    ----------
    n : (N,)
    rows : mapping of str to (N,)
        What is joined: the means, the logarithms of the standard deviations, and of the effect size; its
        inverse hyperbolic sine where it changes its sign; and how far the normal quantile of P(right order)
        is from that of the law, or this quantile where there is no law.
    law : OrderLaw or None
    known : (float, float)
        The list lengths between which P(wrong order) is known.
    """

    n: Floats
    rows: Mapping[str, Floats]
    law: OrderLaw | None
    known: tuple[float, float] = (0.0, math.inf)

    @classmethod
    def through(
        cls,
        points: Sequence[Point],
        law: OrderLaw | None,
        moved: Smooth | None = None,
        *,
        confined: bool = False,
    ) -> Smooth:
        """Return the curves through at least two points, in any order.

        Parameters
        ----------
        points : sequence of Point
        law : OrderLaw or None
        moved : Smooth, optional
            The curves of a similar state: what is joined is the distance from these.
        confined : bool
            Whether P(wrong order) is known no further than at the points.
        """
        points = sorted(points, key=lambda p: p.n)
        at = np.array([float(p.n) for p in points])
        n = np.union1d(LENGTHS if moved is None else moved.n, at)
        n, rows = n[(n >= at[0]) & (n <= at[-1])], {}
        for name, values in _rows(points, law).items():
            base = None if moved is None else moved.rows.get(name)
            distance = np.array(values)
            if moved is not None and base is not None:
                distance = distance - np.interp(np.log(at), np.log(moved.n), base)
            # means tend to limits like 1/log n under the log discount; all others are like powers of n
            x = _inverse_log if name.startswith("mean") else np.log
            joined = PchipInterpolator(x(at), distance)(np.clip(x(n), *x(at[[0, -1]])))
            if moved is not None and base is not None:
                joined = joined + np.interp(np.log(n), np.log(moved.n), base)
            rows[name] = np.asarray(joined)
        if not confined:
            return cls(n, rows, law)
        known = [float(p.n) for p in points if p.right is not None]
        return cls(n, rows, law, (min(known, default=math.inf), max(known, default=0.0)))

    @property
    def means(self) -> Floats:
        """The means of both rankers, (2, N)."""
        return np.array([self.rows["mean A"], self.rows["mean B"]])

    @property
    def sds(self) -> Floats:
        """Their standard deviations, (2, N)."""
        return np.exp([self.rows["log sd A"], self.rows["log sd B"]])

    @property
    def log10_wrong(self) -> Floats:
        """log10 P(wrong order), (N,); nan where it is not known."""
        right = self.rows["beyond the law"]
        if self.law is not None:
            if "effect" in self.rows:
                effect = np.sinh(self.rows["effect"])
            elif "log A - B" in self.rows:
                effect = np.exp(self.rows["log A - B"])
            else:
                effect = -np.exp(self.rows["log B - A"])
            right = right + self.law.right(effect)
        known = (self.n >= self.known[0]) & (self.n <= self.known[1])
        return np.where(known, log_ndtr(-right) / math.log(10), math.nan)


def _rows(points: Sequence[Point], law: OrderLaw | None) -> dict[str, list[float]]:
    rows = {}
    for i, name in enumerate(NAMES):
        rows[f"mean {name}"] = [p.means[i] for p in points]
        rows[f"log sd {name}"] = [math.log(max(p.sds[i], _SMALLEST_SD)) for p in points]
    effects = np.array([p.effect for p in points])
    by_law = np.zeros(effects.size) if law is None else law.right(effects)
    at = np.log([p.n for p in points])
    known = np.array([p.right is not None for p in points])
    beyond = np.array([p.right or 0.0 for p in points]) - by_law
    if law is not None:
        beyond[~known] = 0.0
    elif known.any():
        beyond = np.interp(at, at[known], beyond[known])
    else:
        beyond[:] = _LAST_RATE
    rows["beyond the law"] = beyond.tolist()
    for name, signed in (("log A - B", effects), ("log B - A", -effects)):
        if signed.min() > 0:
            return rows | {name: np.log(signed).tolist()}
    return rows | {"effect": np.arcsinh(effects).tolist()}


def _inverse_log(n: Floats) -> Floats:
    return np.asarray(-1 / np.log(n))


def similar(state: State, other: State) -> bool:
    """Return whether the curves of one state, moved at a few lengths, are those of the other one."""
    one, two = state.measured, other.measured
    same = type(one.discount) is type(two.discount) and one.cutoff == two.cutoff
    return same and regime(state.scorers, one) == regime(other.scorers, two)


def numbers(state: State, effort: float = 1.0) -> list[str]:
    """Return what holds at the chosen n, and as n grows, in a line for each ranker and one for both.

    Of a judge who errs the first line says what is shown, the next ones have the values by the true labels as
    well, and the last one has the numbers of queries.

    >>> numbers(State())[0]
    'A: nDCG is 0.8390 ± 0.0170 at n = 1,000 and tends to 1 (Theorem 1)'
    >>> numbers(State(fpr=0.05, fnr=0.2))[1].partition("; ")[2]
    'by the true labels it is 0.8390 ± 0.0170 and tends to 1 (Theorem 1)'
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
    if not state.errs:
        return found
    *of_rankers, of_both = moments(state.truth, state.n)
    true = [
        f"it is {_mean(moments)} and {limit_text(to)}"
        for moments, to in zip(of_rankers, limits(state.truth), strict=True)
    ]
    beside = zip(found, [*true, _effect(of_both)], strict=True)
    return [
        _judge(state),
        *(f"{by_judge}; by the true labels {by_truth}" for by_judge, by_truth in beside),
        *_queries(state),
    ]


def _mean(found: MeanAndDeviation) -> str:
    return f"{found.mean:.4f} ± {_deviation(found.sd)}"


def _effect(found: MeanAndDeviation) -> str:
    """Return mean and standard deviation of a difference, and their ratio."""
    difference = abs(found.mean)
    effect = f", Δ/σ = {difference / found.sd:.3g}" if found.sd > 0 else ""
    return f"Δ = {difference:.4f} ± {_deviation(found.sd)}{effect}"


def _judge(state: State) -> str:
    """Return whose labels are used, and how many items are relevant by them."""
    return (
        f"Everything shown is by the labels of a judge who calls {_percent(state.fpr)} of the irrelevant "
        f"items relevant and {_percent(state.fnr)} of the relevant items irrelevant: {_relevant(state)}."
    )


def _relevant(state: State) -> str:
    """Return how many items are relevant by the judge's labels, and how many in truth."""
    if state.relevant is None:
        shares = _percent(state.reported_share), _percent(state.share)
        return f"{shares[0]} of the items are relevant by its labels, {shares[1]} by the true labels"
    found = state.relevant * (1 - state.fnr) + (state.n - state.relevant) * state.fpr
    both = f"{found:.4g} are relevant by its labels on average, {state.relevant} by the true labels"
    return f"of {count_text(state.n)} items {both}"


def _percent(rate: float) -> str:
    return f"{100 * rate:.3g}%"


def _queries(state: State) -> Iterator[str]:
    """Yield the numbers of queries that a paired test needs by the judge's labels and by the true ones."""
    measure = state.measured
    experiments = [experiment(of) for of in (state, state.truth)]
    by_judge, by_truth = (of.rows([measure], lengths=False)[0].queries for of in experiments)
    if by_judge and by_truth:
        design = experiments[0].design
        yield (
            f"By {measure} a paired t test at level {design.alpha:g} has {design.power:.0%} power with "
            f"{by_judge} queries by the judge's labels, with {by_truth} by the true labels."
        )


def _deviation(sd: float) -> str:
    return f"{sd:.4f}" if sd >= _SMALL or sd == 0 else f"{sd:.1e}"


def experiment(state: State, effort: float = 1.0) -> Experiment:
    """Return the experiment that is planned for."""
    return Experiment(*state.scorers, state.n, Requirements(queries=state.queries), NAMES, effort)


def rows(state: State, effort: float = 1.0) -> list[PlanRow]:
    """Return what the chosen measure, and those that it is compared with, need to tell the rankers apart."""
    measures = [Measure.of(text) for text in dict.fromkeys([str(state.measured), *_OTHERS])]
    return experiment(state, effort).rows(measures, lengths=state.relevant is None)


def cutoff_sweep(state: State, *, finer: bool = True) -> list[FamilyMember]:
    """Return the chosen discount with cutoffs from 1 to n, and if ``finer`` with some around the best."""
    planned, discount, n = experiment(state), state.measured.discount, state.n
    ks = np.geomspace(1, n, _CUTOFFS)
    found = list(planned.sweep(by_cutoff(sorted({round(k) for k in ks}), discount), judged=True))
    for part in _FINER if finer else ():
        top = strongest(found)
        if top is None:
            break
        near = {round(top.at * factor) for factor in (ks[1] ** part, ks[1] ** -part)}
        new = {k for k in near if 1 <= k <= n} - {round(choice.at) for choice in found}
        found += planned.sweep(by_cutoff(sorted(new), discount), judged=True)
    return found


def discount_sweep(state: State) -> list[FamilyMember]:
    """Return the chosen cutoff with the discounts r^-b."""
    return list(experiment(state).sweep(by_exponent(EXPONENTS, state.measured.cutoff)))


def conclusion(state: State, found: Sequence[PlanRow]) -> str:
    """Return in one sentence what it takes to tell the rankers apart, and whether one query ever does.

    >>> state = State()
    >>> conclusion(state, rows(state))
    'nDCG tells them apart from n = 1,382 [1,260, 1,517] on; nDCG@10 never does.'
    """
    a, b = state.scorers
    if a == b:
        return "The two rankers have the same curve: no measure tells them apart."
    said, whole = sentences.verdict(found), Measure.of(_OTHERS[0])
    if said and state.errs:
        return f"By the judge's labels: {said}"
    chance = None if state.relevant is None else lasting_order(a, b, whole)
    if chance is None or error_exponent(a, b, whole).settles is not False:
        return said
    order = (
        f"one query never settles it: by nDCG {NAMES[int(chance < 0.5)]} comes first on "
        f"{100 * max(chance, 1 - chance):.0f}% of the lists, however long they are (Theorem F2)"
    )
    return f"{said[:-1]}; {order}." if said else f"{order[0].upper()}{order[1:]}."


def table(state: State, points: Sequence[Point], sweeps: Sequence[FamilyMember]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of what is seen, as texts: chart, ranker or measure, abscissa, values."""
    yield ("chart", "of", "at", "value", "sd")
    yield ("state", state.query, "", "", "")
    yield from _curve_rows("curve", state)
    if state.errs:
        yield ("judge", "false positive rate", "", f"{state.fpr:g}", "")
        yield ("judge", "false negative rate", "", f"{state.fnr:g}", "")
        yield from _curve_rows("true curve", state.truth)
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


def _curve_rows(chart: str, state: State) -> Iterator[tuple[str, ...]]:
    for name, (x, y) in zip(NAMES, curves(state), strict=True):
        for at, value in zip(x.tolist(), y.tolist(), strict=True):
            yield (chart, name, f"{at:.6g}", f"{value:.8g}", "")


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
