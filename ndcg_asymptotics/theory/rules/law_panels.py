"""Panels of depth for lists with a fixed number of relevant items.

Depths of relevant items may have a law like t^0.1 near the top, so that in a list of 1e18 items depths far
below 1e-18 count. Between the depth at which the first irrelevant item may be and the middle, panels are
geometric in the share of irrelevant items above; above that depth they are geometric in the share of relevant
ones. A panel on which a density is not resolved is halved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.populations import FixedCounts
from ndcg_asymptotics.populations.roc import SHALLOWEST, DepthLaw
from ndcg_asymptotics.theory.rules.binomial import PROBABILITY_ROUNDING
from ndcg_asymptotics.theory.rules.counts import around_rank
from ndcg_asymptotics.theory.rules.mesh import TOP
from ndcg_asymptotics.theory.rules.quadrature import (
    PANEL_NODES,
    SPACING,
    UNRESOLVED,
    divided,
    on_graded_panels,
    rule,
    unresolved,
)

UNDERFLOW = 1e-250  #: share of relevant items, or depth, that may be left out whatever the discount
# of items on a panel, whose distribution functions then differ by digits
_KNOWN_SHARE = PROBABILITY_ROUNDING**0.5
# widths of panels in the logarithm of a share of items above and, around a cutoff, in standard deviations of
# the rank: with half of them 400 random means change by 2e-13 at most, and with 2 and 5 by 1e-9
_WIDTH, _PANEL = 4 / 3, 10 / 3


def above(model: FixedCounts, t: Floats) -> Floats:
    """Return the distribution functions of the depths, (J + 1, T); that of irrelevant items is the last."""
    share = np.array([law.cdf(t) for law in model.laws])
    return np.where(share > UNDERFLOW, share, 0.0)


def fixed_label_counts(model: FixedCounts, n: int) -> Floats:
    """Return the number of items of each grade, (J + 1,), the irrelevant ones last."""
    return np.array([*model.counts, n - model.least_n], np.float64)


@dataclass(frozen=True)
class Panels:
    """Quadrature nodes of depth, with the law of the depth of an item of each grade.

    Attributes
    ----------
    edges : (P + 1,)
    t, dt : (P, 16)
        Gauss-Legendre nodes and weights of each panel, increasing.
    density : (J, P, 16)
        ``P(Y = y_j | t) / P(Y = y_j)``, the density of the depth of an item of gain y_j.
    above : (J + 1, P, 16)
        Its distribution function; the last grade is the one without gain.
    """

    edges: Floats
    t: Floats
    dt: Floats
    density: Floats
    above: Floats


@dataclass(frozen=True)
class ItemsAbove(DepthLaw):
    """The share of all items above a depth, by their mean number: the law of the depth of any item."""

    model: FixedCounts
    n: int

    def cdf(self, t: Floats) -> Floats:
        return np.tensordot(fixed_label_counts(self.model, self.n) / self.n, above(self.model, t), 1)

    def density(self, t: Floats) -> Floats:
        densities = np.array([law.density(t) for law in self.model.laws])
        return np.tensordot(fixed_label_counts(self.model, self.n) / self.n, densities, 1)

    def deviation(self, t: Floats) -> Floats:
        """Return the standard deviation of the number of items above."""
        share = above(self.model, t)
        return np.asarray(np.sqrt(fixed_label_counts(self.model, self.n) @ (share * (1 - share))))


@shared
def law_panels(model: FixedCounts, n: int, k: int) -> Panels:
    """Return panels from the top down to where items are beyond the cutoff k."""
    return on_edges(model, _edges(model, n, k))


def on_edges(model: FixedCounts, edges: Floats) -> Panels:
    """Return the panels between given edges."""
    t, dt = _nodes(edges[:-1], edges[1:])
    density = np.array([law.density(t) for law in model.laws[:-1]])
    shares = above(model, t.ravel()).reshape(-1, *t.shape)
    # near 1 depths are rounded, and a density that is infinite there is not resolved on the last panel: the
    # share of items on each deep panel is that of the distribution function
    deep = edges[:-1] >= 0.5
    inside = (density * dt).sum(axis=-1)
    content = np.diff(above(model, edges)[:-1], axis=-1)
    scaled = deep & (inside > _KNOWN_SHARE)
    density *= np.where(scaled, content / np.where(scaled, inside, 1.0), 1.0)[:, :, None]
    return Panels(edges, t, dt, density, shares)


def _nodes(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Return nodes and weights, in the logarithm of the depth on panels above the middle."""
    x, w = rule(PANEL_NODES)
    half = (np.log1p((right - left) / left) / 2)[:, None]
    t = left[:, None] * np.exp(half * (x + 1))
    dt = t * half * w
    deep = left >= 0.5
    t[deep], dt[deep] = on_graded_panels(left[deep], right[deep])
    return np.minimum(t, 1 - SPACING), dt  # a density may be infinite at 1


def _edges(model: FixedCounts, n: int, k: int) -> Floats:
    irrelevant, irrelevant_count = model.laws[-1], max(n - model.least_n, 1)
    log_first = math.log(TOP / irrelevant_count)
    steps = math.ceil((math.log(0.5) - log_first) / _WIDTH)
    depths = irrelevant.quantile(np.exp(np.linspace(log_first, math.log(0.5), steps + 1)))
    top = float(depths[0])
    parts = [depths, np.linspace(0.5, 1.0, 4), np.array(model.breaks)]
    steps = math.ceil(-math.log(PROBABILITY_ROUNDING) / _WIDTH)
    for count, law in zip(model.counts, model.laws, strict=False):
        share = float(law.cdf(np.array(top)))
        if count and share > UNDERFLOW:
            parts.append(
                law.quantile(share * np.exp(np.linspace(math.log(PROBABILITY_ROUNDING), 0.0, steps + 1)))
            )
    edges = np.unique(np.concatenate([*parts, [1.0]]))
    edges = edges[(edges > SHALLOWEST) & (edges <= 1.0)]
    edges = edges[np.append(np.diff(edges) > 1e-13 * edges[:-1], True)]
    if k < n:
        edges = _around_cutoff(ItemsAbove(model, n), edges, k, n)
    return divided(edges, partial(_rough, model))


def _around_cutoff(items: ItemsAbove, edges: Floats, k: int, n: int) -> Floats:
    """Return edges down to the cutoff, close to one another around it."""
    low, high = (min(max(x, 0.0), float(n)) for x in around_rank(float(k), float(n)))
    start, middle, stop = items.quantile(np.array([low, k, high]) / n)
    width = _PANEL * max(float(items.deviation(np.array(middle))), 2.0)
    close = items.quantile(np.linspace(low, high, math.ceil((high - low) / width) + 1) / n)
    inner = close[(close > max(start, edges[0])) & (close < stop)]
    stop = 1.0 if high >= n else float(stop)
    return np.unique(np.concatenate([edges[edges < stop], inner, [stop]]))


def _rough(model: FixedCounts, left: Floats, right: Floats) -> Bools:
    """Return whether a density is not resolved on each panel."""
    t, dt = _nodes(left, right)
    rough = np.zeros(left.size, bool)
    # a density near 1 is that at a rounded depth, so halving a panel there ends at the rounding of 1 - t
    rounded = np.where(left >= 0.5, PROBABILITY_ROUNDING / (1 - left), 0.0)
    for count, law in zip(model.counts, model.laws, strict=False):
        if count:
            share, content = law.cdf(right), law.density(t) * dt
            left_over = unresolved(content)
            rough |= (
                (left_over > UNRESOLVED * share)
                & (left_over > rounded * content.sum(axis=-1))
                & (share > UNDERFLOW)
            )
    return rough & (right - left > 1e-12 * np.minimum(right, np.maximum(1 - left, PROBABILITY_ROUNDING)))
