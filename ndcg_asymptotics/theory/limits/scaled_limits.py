"""Limits and rates of NDCG with a fixed number R of relevant items (docs/few.md, section 3).

T_i is the depth of the i-th relevant item among the irrelevant ones, with distribution function F_j if its
gain is y_j, c_j items have that gain, and ``F_j(t) ~ a_j t^kappa_j`` as t -> 0. With the smallest kappa among
the grades, ``A = sum of y_j c_j a_j`` over the grades that have it, and ``c_r = kappa Gamma(r - 1 + kappa) /
Gamma(r)``, so that ``n^kappa P(rank = r) -> a c_r``. C is the constant of the discount, the limit of
``D(r) log r``, of ``r^b D(r)``, or of D itself, which is 1 for log and r^-b and log b for ``clipped_log(b)``:

========== ============================ ====================================================================
Theorem F1 log, whole list or k = cn    (log n) E[NDCG_n] -> C sum_j y_j c_j F_j(c) / IDCG, c = 1: whole list
Theorem F2 log, order of two scorers    P(A ahead) -> P(sum y log T_A < sum y log T_B)
Theorem F3 r^-b, b < kappa; k = cn      n^b E[NDCG_n] -> C sum_j y_j c_j E[T^-b; T < c] / IDCG
Theorem F4 r^-b, b > kappa; any finite  n^kappa E[NDCG_n] -> A sum_r D(r) c_r / IDCG
           ``sum_r D(r) r^(kappa-1)``
Theorem F5 r^-b, b = kappa              n^kappa E[NDCG_n] / log n -> C A kappa / IDCG
Theorem F6 k fixed                      n^kappa E[NDCG_n] -> A sum_(r <= k) D(r) c_r / IDCG
Theorem F7 k -> infinity, k = o(n)      as F5 and F6 with k(n) ranks, see `_vanishing`
Theorem F8 linear; constant with k = cn E[NDCG_n] -> C sum_j y_j c_j E[phi(T); T < c] / IDCG
========== ============================ ====================================================================

In F1, F3 and F8 NDCG itself converges, too: scaled by log n in probability to the constant, scaled by n^b, or
unscaled, in law to the same sum over the random depths T_i. In all other cases NDCG_n -> 0 in probability.
Under the linear discount DCG and IDCG are in units of n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln

from ndcg_asymptotics.core.arrays import ENDLESS, LARGEST_LOG, Floats
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.measures.asymptotics import ConstantDecay, LinearDecay, LogDecay
from ndcg_asymptotics.populations import FixedCounts
from ndcg_asymptotics.populations.roc import Roc, Top
from ndcg_asymptotics.theory.rules.law_panels import UNDERFLOW, law_panels, on_edges
from ndcg_asymptotics.theory.rules.quadrature import on_panels
from ndcg_asymptotics.theory.rules.ranks import ONE_BY_ONE

_EQUAL = 1e-12  # difference of b and kappa that is rounding
_GAMMA = 1e5  # rank from which two terms of Stirling's series are enough
_STEEP = 2.0  # width in log depth of a panel where T^-b counts
_NEARER, _NEAR = 1e-30, 1e-24  # shares of irrelevant items at which an unknown exponent is measured


@dataclass(frozen=True)
class Scale:
    """The factor ``n^exponent (log n)^logs`` by which E[NDCG_n] is multiplied.

    >>> str(Scale(0.4, -1)), str(Scale(0.0, 1)), str(Scale(0.5, 0)), str(Scale(0.0, 0)), str(Scale(0.0, 1.3))
    ('n^0.4/log n', 'log n', 'n^0.5', '1', '(log n)^1.3')
    """

    exponent: float
    logs: float

    def at(self, n: Floats) -> Floats:
        """Return the factor at list lengths."""
        return np.asarray(n**self.exponent * np.log(n) ** self.logs)

    def rate(self, value: float) -> str:
        """Return the leading term of the mean, ``value`` divided by the factor.

        >>> Scale(0.4, 0).rate(1.5), Scale(0.4, -1).rate(1.5), Scale(0.2, 1).rate(1.5)
        ('1.5/n^0.4', '1.5 log n/n^0.4', '1.5/(n^0.2 log n)')
        """
        if self.logs < 0:
            return f"{value:.4g} {_power_of_log(-self.logs)}/n^{self.exponent:.6g}"
        whole = str(self)
        return f"{value:.4g}/({whole})" if self.logs and self.exponent else f"{value:.4g}/{whole}"

    def __str__(self) -> str:
        power = f"n^{self.exponent:.6g}" if self.exponent else ""
        if self.logs < 0:
            return f"{power or '1'}/{_power_of_log(-self.logs)}"
        logs = _power_of_log(self.logs) if self.logs else ""
        return " ".join(part for part in (power, logs) if part) or "1"


def _power_of_log(exponent: float) -> str:
    return "log n" if exponent == 1 else f"(log n)^{exponent:.6g}"


@dataclass(frozen=True)
class ScaledLimit:
    """The limit of ``scale(n) E[NDCG_n]``.

    Attributes
    ----------
    value : float or None
        None where it is not known, for the ``reason`` that is then given.
    scale : Scale
    theorem : str
    assumption : str
        What the theorem assumes of the depths; it holds here.
    mode : str
        How NDCG_n itself, times the scale, converges: "in probability", "in law", or empty where only its
        mean does.
    reason : str
    """

    value: float | None
    scale: Scale
    theorem: str
    assumption: str
    mode: str = ""
    reason: str = ""


def scaled_limit(model: FixedCounts, measure: Measure) -> ScaledLimit:
    """Return the limit of the scaled mean of NDCG_n by its theorem.

    >>> scaled = scaled_limit(FixedCounts.parse("relevant(1, roc_power(0.3))"), Measure.of("nDCG(zipf)"))
    >>> scaled.theorem, str(scaled.scale), round(scaled.value, 4)
    ('Theorem F4', 'n^0.3', 1.2821)
    >>> scaled = scaled_limit(FixedCounts.parse("relevant(3, roc_power(0.3))"), Measure.of("nDCG"))
    >>> scaled.theorem, str(scaled.scale), round(scaled.value, 4), scaled.mode
    ('Theorem F1', 'log n', 0.9758, 'in probability')
    >>> scaled = scaled_limit(FixedCounts.parse("relevant(1, random)"), Measure.of("nDCG(clipped_log(2))"))
    >>> round(scaled.value, 4)  # log 2
    0.6931
    """
    try:
        return _by_theorem(model, measure)
    except NotAvailableError as error:  # a user's discount that is not known so far out
        return _not_known("none", "", str(error))


def _by_theorem(model: FixedCounts, measure: Measure) -> ScaledLimit:
    asymptotics, growth = measure.discount.asymptotics, measure.cutoff.growth
    if growth.bounded:
        return _first_ranks(model, measure, "Theorem F6", measure.cutoff(ENDLESS))
    if not growth.known:
        return _not_known("none", "", f"how the cutoff {measure.cutoff} grows is not known")
    if not asymptotics.known:
        return _not_known("none", "", f"nothing is known of how the discount {measure.discount} falls")
    if isinstance(asymptotics, LinearDecay | ConstantDecay | LogDecay):
        if growth.vanishing:
            return _vanishing(model, measure, 0.0)
        return _share(model, measure, 0.0)
    top = _leading(model)
    b = asymptotics.exponent
    if top.kappa is None:
        return _unknown_top("Theorem F4")
    if b < top.kappa - _EQUAL:
        return _vanishing(model, measure, b) if growth.vanishing else _share(model, measure, b)
    if b > top.kappa + _EQUAL:
        return _first_ranks(model, measure, "Theorem F4", None)
    if growth.vanishing:
        return _vanishing(model, measure, b)
    scale = Scale(top.kappa, -1)
    if top.sum is None:
        return _unknown_top("Theorem F5")
    value = top.sum * top.kappa / _ideal(model, measure)
    return _times_constant(measure.discount, ScaledLimit(value, scale, "Theorem F5", top.text))


def _times_constant(discount: Discount, scaled: ScaledLimit) -> ScaledLimit:
    """Return a limit that is stated for C = 1 for the discount's own C."""
    if discount.constant is None:
        reason = f"the limit of the ratio of {discount} to what it is like is not known"
        return replace(scaled, value=None, reason=reason)
    return scaled if scaled.value is None else replace(scaled, value=discount.constant * scaled.value)


@dataclass(frozen=True)
class _Leading:
    """The smallest exponent kappa of the grades, and the A of the module's description; None if not known."""

    kappa: float | None
    sum: float | None

    @property
    def text(self) -> str:
        return f"F(t) ~ a t^{self.kappa:.6g}"


def tops(model: FixedCounts) -> list[Top | None]:
    """Return the law of the depth of each grade near the top, on the scale of irrelevant items above.

    For relevance curves it is found from the shares above at two depths; None where there is no power.
    """
    powers: list[Top | None] = []
    for law in model.laws[:-1]:
        if isinstance(law, Roc):
            powers.append(law.top)
            continue
        v = np.array([_NEARER, _NEAR])
        share = law.cdf(model.laws[-1].quantile(v))
        if not (share > 0).all():
            powers.append(None)
            continue
        exponent = float(np.diff(np.log(share))[0] / np.diff(np.log(v))[0])
        nearest = round(exponent, 6)
        scales = share / v**nearest
        constant = nearest > 0 and abs(scales[0] / scales[1] - 1) < 1e-6
        powers.append(Top(nearest, float(scales[0])) if constant else None)
    return powers


def _leading(model: FixedCounts) -> _Leading:
    of_grades = [
        (top, y * count)
        for top, y, count in zip(tops(model), model.gains, model.counts, strict=True)
        if count
    ]
    if any(top is None for top, _ in of_grades):
        return _Leading(None, None)
    weighted = [(top, weight) for top, weight in of_grades if top is not None]
    kappa = min(top.exponent for top, _ in weighted)
    leading = [(top.scale, weight) for top, weight in weighted if top.exponent <= kappa + _EQUAL]
    if any(scale is None for scale, _ in leading):
        return _Leading(kappa, None)
    return _Leading(kappa, sum(scale * weight for scale, weight in leading if scale is not None))


def _unknown_top(theorem: str) -> ScaledLimit:
    reason = "F(t)/t^kappa has no positive limit as t -> 0, so E[NDCG_n] falls like no power of n"
    return _not_known(theorem, "F(t) ~ a t^kappa", reason)


def _not_known(theorem: str, assumption: str, reason: str) -> ScaledLimit:
    return ScaledLimit(None, Scale(0.0, 0), theorem, assumption, reason=reason)


def _ideal(model: FixedCounts, measure: Measure) -> float:
    """Return the ideal DCG of long lists; under the linear discount in units of n."""
    return float(measure.ideal(np.array(model.counts), model.gains, ENDLESS)) / _unit(measure.discount)


def _unit(discount: Discount) -> float:
    """Return what discounts of lists of 1e18 items are divided by: n under the linear discount."""
    return float(ENDLESS) if discount.depends_on_n else 1.0


def _first_ranks(model: FixedCounts, measure: Measure, theorem: str, k: int | None) -> ScaledLimit:
    top = _leading(model)
    if top.kappa is None or top.sum is None:
        return _unknown_top(theorem)
    total = rank_sum(measure.discount, top.kappa, k)
    return ScaledLimit(top.sum * total / _ideal(model, measure), Scale(top.kappa, 0), theorem, top.text)


def rank_sum(discount: Discount, kappa: float, k: int | None) -> float:
    """Return ``sum_(r <= k) D(r) kappa Gamma(r - 1 + kappa)/Gamma(r)``; over all ranks if k is None.

    Under the linear discount D is the limit of ``(n - r)/n``.

    >>> round(rank_sum(Discount.parse("zipf"), 0.3, None), 9)  # Gamma(1.3)/0.7
    1.282100995
    """
    last = ONE_BY_ONE if k is None else min(k, ONE_BY_ONE)
    r = np.arange(1.0, last + 1)
    total = float(_discounts(discount, r) @ np.exp(_log_chance(r, kappa)))
    if k is not None and k <= ONE_BY_ONE:
        return total
    # sum_(r > m) f(r) = int_(m + 1/2)^inf f - f'(m + 1/2)/24 …, which is below 1e-9 of it
    end = LARGEST_LOG if k is None else math.log(k + 0.5)
    start = math.log(last + 0.5)
    edges = np.linspace(start, end, math.ceil(end - start) + 1)
    x, dx = (part.ravel() for part in on_panels(edges[:-1], edges[1:]))
    ranks = np.exp(x)
    with np.errstate(divide="ignore"):
        far = np.log(_discounts(discount, ranks)) + _log_chance(ranks, kappa) + x
    return total + float(dx @ np.exp(far))


def _discounts(discount: Discount, r: Floats) -> Floats:
    return np.asarray(discount(r, float(ENDLESS)) / _unit(discount))


def _log_chance(r: Floats, kappa: float) -> Floats:
    """Return the logarithm of ``kappa Gamma(r - 1 + kappa)/Gamma(r)``."""
    near = np.minimum(r, _GAMMA)
    exact = gammaln(near - 1 + kappa) - gammaln(near)
    far = (kappa - 1) * np.log(r) + (kappa - 1) * (kappa - 2) / (2 * r)
    return np.asarray(math.log(kappa) + np.where(r < _GAMMA, exact, far))


def _share(model: FixedCounts, measure: Measure, b: float) -> ScaledLimit:
    """Return the limit where the depths of all relevant items count: Theorems F1, F3 and F8."""
    asymptotics, c = measure.discount.asymptotics, measure.cutoff.growth.share
    stop = float(model.laws[-1].quantile(np.array(c))) if c < 1 else 1.0
    edges = law_panels(model, ENDLESS, ENDLESS).edges
    edges = np.append(edges[edges < stop], stop)
    if b:  # T^-b is large where few items are
        # where irrelevant items are rare at the top, their share underflows before the depth does
        first = max(UNDERFLOW, float(model.laws[-1].quantile(np.array(UNDERFLOW))))
        edges = edges[edges > first]
        steps = math.ceil(math.log(edges[0] / first) / _STEEP)
        edges = np.append(np.geomspace(first, edges[0], steps, endpoint=False), edges)
    panels = on_edges(model, edges)
    depth = panels.above[-1]  # on the scale of irrelevant items
    sums = (panels.density * panels.dt * asymptotics.profile(depth)).sum(axis=(1, 2))
    if b:  # what is above all panels, where F follows its power
        *shares, highest = (float(law.cdf(edges[0])) for law in model.laws)
        for j, top in enumerate(tops(model)):
            if model.counts[j] and top is not None:
                sums[j] += shares[j] * highest**-b * top.exponent / (top.exponent - b)
    value = float(np.array(model.gains) * model.counts @ sums) / _ideal(model, measure)
    if isinstance(asymptotics, LogDecay):
        mode = "in probability" if c == 1 else "in law"
        scaled = ScaledLimit(value, Scale(0.0, 1), "Theorem F1", "E|log T| < infinity", mode)
    elif b:
        scaled = ScaledLimit(value, Scale(b, 0), "Theorem F3", f"E[T^-{b:.6g}] < infinity", "in law")
    else:
        scaled = ScaledLimit(value, Scale(0.0, 0), "Theorem F8", "F continuous", "in law")
    return _times_constant(measure.discount, scaled)


def _vanishing(model: FixedCounts, measure: Measure, b: float) -> ScaledLimit:
    """Return the limit for k -> infinity, k = o(n), and a discount with b <= kappa.

    ``E[DCG] ~ A kappa int_(1/n)^(k/n) D(nt) t^(kappa - 1) dt``, which is C times: for r^-b with b < kappa
    ``A kappa/(kappa - b) n^-b (k/n)^(kappa - b)``, for b = kappa ``A kappa n^-kappa log k``, for
    1/log r ``A (k/n)^kappa / log k``, and for a constant and n - r without the logarithm.
    """
    top, growth = _leading(model), measure.cutoff.growth
    if top.kappa is None or top.sum is None:
        return _unknown_top("Theorem F7")
    kappa, left, ideal = top.kappa, 1 - growth.power, _ideal(model, measure)
    logs, equal = isinstance(measure.discount.asymptotics, LogDecay), abs(b - kappa) <= _EQUAL
    if (logs or equal) and not growth.power:
        reason = f"log k of the cutoff {measure.cutoff} grows more slowly than log n"
        return _not_known("Theorem F7", "log k ~ a log n", reason)
    if logs:
        value = top.sum * growth.factor**kappa / growth.power / ideal
        scale = Scale(kappa * left, 1 - kappa * growth.logs)
    elif equal:
        value, scale = top.sum * kappa * growth.power / ideal, Scale(kappa, -1)
    else:
        value = top.sum * kappa / (kappa - b) * growth.factor ** (kappa - b) / ideal
        scale = Scale(b + left * (kappa - b), -growth.logs * (kappa - b))
    return _times_constant(measure.discount, ScaledLimit(value, scale, "Theorem F7", top.text))
