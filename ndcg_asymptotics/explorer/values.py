"""What the explorer shows of a state: curves, sentences, values against n, cutoffs, discounts and a table.

Everything is a function of a `State`. Intermediate results are cached by the functions of `theory`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import log_ndtr, ndtri_exp

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.text import count_text
from ndcg_asymptotics.explorer.state import LARGEST, NAMES, SMALLEST, State
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.list_moments import list_moments
from ndcg_asymptotics.orders.long_run import ahead, long_run
from ndcg_asymptotics.orders.probability import WrongOrder
from ndcg_asymptotics.orders.wrong_order import wrong_order
from ndcg_asymptotics.plans.required_length import required_length
from ndcg_asymptotics.plans.rows import RATE, Requirements
from ndcg_asymptotics.populations import Curve, Scorer
from ndcg_asymptotics.populations.roc import Roc
from ndcg_asymptotics.theory.deviation import effect_sizes, ndcg_std
from ndcg_asymptotics.theory.deviation.standard import mean_on_one_list
from ndcg_asymptotics.theory.limits import Limit, limit
from ndcg_asymptotics.theory.mean import expected_ndcg

EXPONENTS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.2, 1.6, 2.0)
"""The b of the discounts r^-b that are compared."""
LENGTHS = (10, 30, 100, 1000, 10**4, 10**6, 10**9, 10**12, 10**18)
"""The list lengths at which means are computed."""
ORDER_LENGTHS = (10, 30, 100, 300, 1000, 3000, 10**4, 10**5, 10**6, 10**9, 10**12, 10**18)
"""The list lengths at which the probability of the wrong order is computed."""

_EFFORT = 0.1  # the share of draws for the chart of wrong orders and for required lengths
_BETWEEN = np.geomspace(SMALLEST, float(LARGEST), 145)  # list lengths at which curves are drawn
_TURNS = (0.6, 0.8, 1.0, 1.2, 1.6)  # list lengths times share over cutoff, around which NDCG turns
_FULL = (0.4, 0.7, 1.0, 1.1, 1.4)  # list lengths over cutoff, around which lists are as long as the cutoff
_CUTOFFS = 12  # compared, from 1 to n
_CURVE_POINTS = 201
_SHALLOWEST = 1e-3  # depth at which a drawn ROC curve begins
_SMALL = 5e-4  # smaller numbers are written with an exponent
_LOWEST = -300.0  # log10 of a probability, below which it is not written
_OTHERS = ("nDCG", "nDCG@10")  # measures that the chosen one is compared with


def curves(state: State) -> list[tuple[Floats, Floats]]:
    """Return abscissae and values of both curves: ybar(s) against s, or F(t) against t."""
    points = []
    for shape in (state.a, state.b):
        curve = shape.curve(state.share)
        if isinstance(curve, Roc):
            t = np.append(0.0, np.geomspace(_SHALLOWEST, 1.0, _CURVE_POINTS))
            points.append((t, np.asarray(curve.cdf(t))))
        else:
            assert isinstance(curve, Curve)
            # both sides of a jump
            edges = [b + side for b in curve.breaks for side in (-1e-9, 1e-9)]
            s = 1 - np.union1d(np.linspace(0, 1, _CURVE_POINTS), edges)[::-1]
            points.append((s, curve.value(1 - s)))
    return points


class Means(NamedTuple):
    """Means and standard deviations of NDCG of both rankers at some list lengths, and smooth between them.

    Attributes
    ----------
    n : (L,)
    mean, sd : (2, L)
        Standard deviations are NaN where theory does not give them.
    between : (N,)
    mean_between, sd_between : (2, N)
    """

    n: Floats
    mean: Floats
    sd: Floats
    between: Floats
    mean_between: Floats
    sd_between: Floats


def means(state: State) -> Means:
    """Return means and standard deviations against n.

    Between the list lengths at which they are computed, means are joined as functions of 1/log n, because
    under the log discount they tend to their limits like 1/log n, and logarithms of standard deviations as
    functions of log n.

    Raises
    ------
    NotAvailableError
        If the measure has no exact mean.
    """
    lengths, cutoff = set(LENGTHS), state.measured.cutoff
    if cutoff.growth.bounded and state.relevant is None:
        # NDCG turns where about as many items are relevant as there are ranks that count
        k = cutoff(LARGEST)
        lengths |= {round(part * k / state.share) for part in _TURNS} | {round(part * k) for part in _FULL}
    shortest = max(SMALLEST, state.relevant or 0)
    n = np.array(sorted(x for x in lengths if shortest <= x <= LARGEST), np.float64)
    mean = np.array([expected_ndcg(scorer, state.measured, n.astype(int)).value for scorer in state.scorers])
    sd = np.array([[_sd(scorer, state.measured, int(x)) for x in n] for scorer in state.scorers])
    between = np.union1d(_BETWEEN[n[0] < _BETWEEN], n)
    joined = PchipInterpolator(-1 / np.log(n), mean, axis=1)(-1 / np.log(between))
    return Means(
        n, mean, sd, between, np.asarray(joined), np.array([_sd_between(n, of, between) for of in sd])
    )


def _sd(scorer: Scorer, measure: Measure, n: int) -> float:
    """Return the standard deviation, NaN where theory does not give it; of few relevant items it is drawn."""
    try:
        if not scorer.iid:
            return list_moments((scorer,), measure, n).sd
        return float(ndcg_std(scorer, measure, [n]).value[0])
    except NotAvailableError:
        return math.nan


def _sd_between(n: Floats, sd: Floats, between: Floats) -> Floats:
    """Return standard deviations at other lengths, NaN before the first and beyond the last that is known."""
    finite = np.isfinite(sd)
    if np.count_nonzero(finite) < 2:
        return np.full(between.shape, np.nan)
    log_sd = np.log(np.maximum(sd[finite], 1e-300))
    return np.exp(PchipInterpolator(np.log(n[finite]), log_sd, extrapolate=False)(np.log(between)))


class WrongOrders(NamedTuple):
    """log10 P(wrong order) of one list at some list lengths, and smooth between them."""

    n: Floats
    log10: Floats
    between: Floats
    log10_between: Floats


def wrong_orders(state: State) -> WrongOrders:
    """Return the probability of the wrong order against n.

    Between the list lengths at which it is computed, the inverse hyperbolic sine of its normal quantile is
    joined as a function of log n. The quantile grows like a power of n where the probability falls fastest.

    Raises
    ------
    NotAvailableError
        If it is known at no list length, or the rankers have the same curve.
    """
    n, log10 = [], []
    first = ahead(*state.scorers, state.measured)
    for length in ORDER_LENGTHS:
        if length >= max(SMALLEST, state.relevant or 0):
            chance = wrong_order(*state.scorers, state.measured, length, first, _EFFORT)
            if chance.log10 is not None:
                n.append(float(length))
                log10.append(chance.log10)
    if len(n) < 2:
        raise NotAvailableError("the probability of the wrong order is known at too few list lengths")
    quantile = -ndtri_exp(np.minimum(np.array(log10) * math.log(10), -1e-12))
    between = np.union1d(_BETWEEN[(n[0] < _BETWEEN) & (n[-1] > _BETWEEN)], n)
    joined = np.sinh(PchipInterpolator(np.log(n), np.arcsinh(quantile))(np.log(between)))
    return WrongOrders(np.array(n), np.array(log10), between, log_ndtr(-joined) / math.log(10))


def limits(state: State) -> tuple[Limit, Limit]:
    """Return the limits of the NDCG of both rankers, with their theorems."""
    a, b = state.scorers
    return limit(a, state.measured), limit(b, state.measured)


def limit_text(ndcg_limit: Limit) -> str:
    """Return a limit and its theorem in words.

    >>> limit_text(limit("linear(0.1, 0.7)", "nDCG(zipf)")), limit_text(limit("linear(0.1, 0.7)", "nDCG@10"))
    ('tends to 0.7 (Theorem 5)', 'has no limit (Theorem 6)')
    """
    if ndcg_limit.scaled is not None and ndcg_limit.scaled.value is not None:
        return f"falls like {ndcg_limit.scaled.scale.rate(ndcg_limit.scaled.value)} ({ndcg_limit.theorem})"
    if ndcg_limit.value is not None:
        return f"tends to {ndcg_limit.value:.4g} ({ndcg_limit.theorem})"
    if ndcg_limit.converges is False:
        return f"has no limit ({ndcg_limit.theorem})"
    return "has no known limit"


def numbers(state: State) -> list[str]:
    """Return what holds at the chosen n, and as n grows: a line for each ranker and one for both.

    >>> lines = numbers(State())
    >>> lines[0]
    'A: nDCG is 0.8390 ± 0.0170 at n = 1,000 and tends to 1 (Theorem 1)'
    >>> lines[2].partition(", P(")[0]
    'On one list: A - B = +0.0299 ± 0.0213, Δ/σ = +1.4'
    """
    a, b = state.scorers
    lines = []
    for name, scorer, ndcg_limit in zip(NAMES, state.scorers, limits(state), strict=True):
        mean, sd, _ = _moments((scorer,), state)
        at = f"at n = {count_text(state.n)}"
        lines.append(f"{name}: {state.measure} is {mean:.4f} ± {sd} {at} and {limit_text(ndcg_limit)}")
    mean, sd, effect = _moments((a, b), state)
    line = f"On one list: A - B = {mean:+.4f} ± {sd}{effect}"
    if a != b:
        try:
            chance = chance_text(wrong_order(a, b, state.measured, state.n, ahead(a, b, state.measured)))
        except NotAvailableError as error:
            chance = str(error)
        line += f", P(wrong order): {chance}"
    return [*lines, line]


def _moments(scorers: tuple[Scorer, ...], state: State) -> tuple[float, str, str]:
    """Return a mean and, in words, the standard deviation (a drawn one with its interval) and their ratio."""
    try:
        mean, sd, error, lists = list_moments(scorers, state.measured, state.n)
    except NotAvailableError as reason:
        return mean_on_one_list(scorers, state.measured, state.n), f"? ({reason})", ""
    effect = f", Δ/σ = {mean / sd:+.3g}" if sd > 0 else ""
    if not lists:
        return mean, _deviation(sd), effect
    low, high = _deviation(max(sd - error, 0.0)), _deviation(sd + error)
    return mean, f"{_deviation(sd)} ({low} to {high} on {lists:,} drawn lists)", effect


def _deviation(sd: float) -> str:
    return f"{sd:.4f}" if sd >= _SMALL or sd == 0 else f"{sd:.1e}"


def chance_text(chance: WrongOrder) -> str:
    """Return a probability as it is printed; one below 1e-300 is not written out.

    >>> chance_text(WrongOrder.normal(40.0)), chance_text(WrongOrder.counted(300, 10_000))
    ('below 1e-300', '0.030 ± 0.004')
    """
    most = chance.log10 if chance.high is None else chance.high
    return "below 1e-300" if most is None or most < _LOWEST else str(chance)


def answer(state: State) -> list[str]:
    """Return a sentence for the chosen measure: who comes first, and when.

    >>> answer(State())
    ['By nDCG one list puts A first with probability 0.95 from about 1,400 items on.']
    """
    if state.scorers[0] == state.scorers[1]:
        return ["The two rankers have the same curve: no measure tells them apart."]
    return [_sentence(state, state.measured)]


def other_answers(state: State) -> list[str]:
    """Return a sentence for each measure that the chosen one is compared with, if the rankers differ."""
    alike = state.scorers[0] == state.scorers[1]
    measures = [] if alike else [m for m in map(Measure.of, _OTHERS) if m != state.measured]
    return [_sentence(state, measure) for measure in measures]


def _sentence(state: State, measure: Measure) -> str:
    return _of_lists(*state.scorers, measure) if state.relevant is None else _of_queries(state, measure)


def _of_lists(a: Scorer, b: Scorer, measure: Measure) -> str:
    """Return from which list length on a measure shows the order of long lists often enough."""
    run, length = long_run(a, b, measure), required_length(a, b, measure, RATE, _EFFORT)
    first = f"{NAMES[run.ahead]} first with probability"
    if length.n is not None:
        items = f"about {_rounded(length.n)}"
        upwards = (
            "items on"
            if length.last is None
            else f"to about {_rounded(length.last)} items, but no longer one"
        )
        return f"By {measure} one list puts {first} {RATE:g} from {items} {upwards}."
    if run.rate is not None and run.rate < RATE:
        return f"By {measure} one list puts {first} {run.rate:.2f}, however long it is."
    return f"By {measure} no list is known to be long enough to put {first} {RATE:g}."


def _rounded(n: int) -> str:
    """Return a list length to two digits."""
    return count_text(int(float(f"{n:.1e}")))


def _of_queries(state: State, measure: Measure) -> str:
    """Return how many queries show by a measure which ranker is better, with lists of n items."""
    try:
        mean, sd, *_ = list_moments(state.scorers, measure, state.n)
    except NotAvailableError as reason:
        return f"By {measure} the number of queries is not known: {reason}."
    count, items = Requirements().queries_needed(mean, sd), count_text(state.n)
    if count is None:
        return f"By {measure} no number of queries shows an order on lists of {items} items."
    first = NAMES[int(mean < 0)]
    queries = f"{count:,} queries with lists of {items} items"
    return f"By {measure} it takes {queries} to show that {first} is better."


class EffectSize(NamedTuple):
    """The effect size of a measure on one list; ``at`` is its cutoff k or its exponent b."""

    measure: str
    at: float
    effect: float


def by_cutoff(state: State) -> list[EffectSize]:
    """Return the effect sizes of the chosen discount with cutoffs from 1 to n."""
    cutoffs = sorted({round(k) for k in np.geomspace(1, state.n, _CUTOFFS)})
    return _effect_sizes(state, {k: Measure(state.measured.discount, k) for k in cutoffs})


def by_exponent(state: State) -> list[EffectSize]:
    """Return the effect sizes of the chosen cutoff with the discounts r^-b."""
    return _effect_sizes(state, {b: Measure(f"power({b:g})", state.measured.cutoff) for b in EXPONENTS})


def _effect_sizes(state: State, measures: dict[float, Measure]) -> list[EffectSize]:
    effects = effect_sizes(*state.scorers, state.n, measures.values()).tolist()
    sizes = zip(map(str, measures.values()), measures, effects, strict=True)
    return [EffectSize(*size) for size in sizes if math.isfinite(size[-1])]


OTHERS = (other_answers, numbers, wrong_orders, by_cutoff, by_exponent)
"""What is computed last, in order."""


def strongest(sizes: Sequence[EffectSize]) -> EffectSize | None:
    """Return the largest effect size, if the rankers differ by any."""
    return max((size for size in sizes if size.effect), key=lambda size: abs(size.effect), default=None)


def table(
    state: State, against_n: Means | None, orders: WrongOrders | None, sizes: Sequence[EffectSize]
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of what is seen, as texts: chart, ranker or measure, abscissa, value, deviation."""
    yield ("chart", "of", "at", "value", "sd")
    yield ("state", state.query, "", "", "")
    for name, (x, y) in zip(NAMES, curves(state), strict=True):
        for at, value in zip(x.tolist(), y.tolist(), strict=True):
            yield ("curve", name, f"{at:.6g}", f"{value:.8g}", "")
    if against_n:
        for name, means_of, sds in zip(NAMES, against_n.mean, against_n.sd, strict=True):
            for n, mean, sd in zip(against_n.n, means_of, sds, strict=True):
                yield ("NDCG", name, f"{int(n)}", f"{mean:.8g}", f"{sd:.6g}" if math.isfinite(sd) else "")
    if orders:
        for n, log10 in zip(orders.n, orders.log10, strict=True):
            yield ("log10 P(wrong order)", state.measure, f"{int(n)}", f"{log10:.3g}", "")
    for size in sizes:
        yield ("effect size", size.measure, f"{size.at:g}", f"{size.effect:.6g}", "")
