"""What the sums over ranks in `given_counts` are made of: nodes, weights, labels and their slopes.

The first ranks are nodes, and others lie on panels that are geometric in r and in n + 1 - r, so their number
does not depend on n but for its logarithm. The depth of rank r has the law Beta(r, n + 1 - r), with three
nodes. Where one of the three passes a break of a curve, a panel ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation.items import ItemsGivenCounts, Jumps, functions_of, pair_places
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.rules.quadrature import rule

TOP = 64
"""The ranks that are summed one by one; the variance is compared with the exact one there."""
_NODES = 10  # of a panel
_SCORES, _CHANCES = np.sqrt(3.0) * np.arange(-1, 2), np.array([1.0, 4.0, 1.0]) / 6  # of a depth
_AROUND = np.sqrt(3.0) * np.arange(-3, 4)  # edges around a break, in standard deviations of its rank


@shared
def _panel() -> tuple[Floats, Floats, Floats]:
    """Return nodes and weights on [-1, 1], and the matrix from values there to integrals to the end."""
    x, dx = rule(_NODES)
    series = legendre.legint(np.linalg.inv(legendre.legvander(x, _NODES - 1)))
    return x, dx, np.asarray(legendre.legval(np.ones(_NODES), series) - legendre.legval(x, series)).copy()


class Jump(NamedTuple):
    """A jump of the curves, with the law of the number N of items above it.

    Attributes
    ----------
    below, slope : (C, R)
        P(N < r), by which the labels of a rank jump on average, and (n + 1) times its derivative.
    law : (C, gaps)
        P(N = j) for the gaps.
    """

    below: Floats
    slope: Floats
    law: Floats


class RankSums:
    """The ranks of a list with their weights and labels, for C label counts at a time.

    Rows are the cutoffs, with the weights D(r) up to the cutoff, and then the grades, with the weight 1.

    Attributes
    ----------
    n : float
    rows : slice
        The rows of the cutoffs.
    gains : (A, J)
        What a label adds to each row: its gain, or 1 for its own grade.
    first : int
        The ranks that are summed one by one; beyond are panels.
    ranks, measure : (C, R)
        The ranks, and how many each stands for: 1 for a single rank.
    gaps : (C, gaps)
        How many gaps between ranks each stands for: 0, …, ``first`` and those at the nodes of the panels.
    weights : (A, C, R)
    labels : (J, C, R)
        E f_j(U_(r)).
    slope, curvature : (A, C, R)
        E phi'(U_(r)) and E phi''(U_(r)) of the gains of a row; jumps have no second derivative, as the law of
        N has all terms.
    covariance : (A, A, C, R)
        E Cov(y, y' | U_(r)) of the gains of two rows.
    half : (C, P, 1)
        Halves of the widths of panels, in ranks.
    jumps : list of Jump
        One for each of the ``steps`` of ``breaks``.
    """

    def __init__(
        self, scorer: Relevance, discount: Discount, n: int, cutoffs: tuple[int, ...], counts: Floats
    ) -> None:
        self.n, self.discount, self.cutoffs = float(n), discount, cutoffs
        self.rows = slice(len(cutoffs))
        self.lists, self.grades = counts.shape
        self.gains = np.concatenate([np.tile(scorer.gains, (len(cutoffs), 1)), np.eye(self.grades)])
        self.items = ItemsGivenCounts.of(scorer, n, counts)
        self.breaks = Jumps.of(self.items, np.array([b for b in scorer.breakpoints if 0 < b < 1]))
        self.first = min(n, TOP)
        self._evaluate()

    def _evaluate(self) -> None:
        items = self.n * self.breaks.u
        sd = np.sqrt(items * (1 - self.breaks.u))
        nodes, dx, _ = _panel()
        edges = _panel_edges(self.n, self.first, float(self.cutoffs[0]), items + 0.5, sd)
        self.half = np.diff(edges, axis=1)[:, :, None] / 2
        x = (edges[:, :-1, None] + self.half * (1 + nodes)).reshape(self.lists, -1)
        beyond = (self.half * dx).reshape(self.lists, -1)
        gap, each = np.tile(np.arange(self.first + 1.0), (self.lists, 1)), np.ones((self.lists, self.first))
        self.ranks, gap = np.concatenate([gap[:, 1:], x], axis=1), np.concatenate([gap, x - 0.5], axis=1)
        self.measure = np.concatenate([each, beyond], axis=1)
        last = each[:, :1] / (2 if self.first < self.n else 1)  # half of it is in the integral beyond
        self.gaps = np.concatenate([each, last, beyond], axis=1)
        depths = _rank_depths(self.n, self.ranks)
        u = depths.reshape(self.lists, -1)
        values = functions_of(self.items.labels_at(u))
        for i in self.breaks.steps:  # a jump comes back with the law of N
            values = values - (u > self.breaks.u[:, i : i + 1]) * self.breaks.size[:, :, i : i + 1]
        means, slope, curvature = self._of_depths(depths, values.reshape(len(values), *depths.shape))
        self.jumps = [self._jump(self.breaks.u[:, i : i + 1], gap) for i in self.breaks.steps]
        for i, jump in zip(self.breaks.steps, self.jumps, strict=True):
            size = self.breaks.size[:, :, i : i + 1]
            means = means + size * jump.below
            slope = slope + size[: self.grades] * jump.slope
        self.labels = means[: self.grades]
        self.slope, self.curvature = self.of_rows(slope), self.of_rows(curvature)
        self.covariance = self.of_pairs(means)
        values = self.discount(np.maximum(self.ranks, 1.0), self.n)
        cut = [values * (self.ranks < k + 0.5) for k in self.cutoffs]
        self.weights = np.stack([*cut, *[np.ones(self.ranks.shape)] * self.grades])

    def of_rows(self, labels: Floats) -> Floats:
        """Return sums over the labels (J, …) with the gains of each row."""
        return np.asarray(np.tensordot(self.gains, labels, 1))

    def of_pairs(self, values: Floats) -> Floats:
        """Return Cov(y, y') of the gains of two rows, from the functions of `functions_of`."""
        pairs = values[pair_places(self.grades)]
        return np.asarray(np.einsum("ai,bj,ij...->ab...", self.gains, self.gains, pairs))

    def after(self, rates: Floats) -> Floats:
        """Return sums over the ranks after each gap: (A, C, R) to (A, C, gaps)."""
        on_panels = rates[..., self.first :].reshape(*rates.shape[:2], *self.half.shape[1:2], _NODES)
        _, dx, to_the_end = _panel()
        tails = _downwards((on_panels * self.half * dx).sum(axis=3), np.zeros((*rates.shape[:2], 1)))
        inside = (tails[:, :, 1:, None] + (on_panels @ to_the_end) * self.half).reshape(*rates.shape[:2], -1)
        return np.concatenate([_downwards(rates[..., : self.first], tails[..., :1]), inside], axis=2)

    def _of_depths(self, depths: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
        """Return means of the functions, (Q, C, R), and two derivatives of the labels.

        They are those of the parabola through the values at three depths of each rank.
        """
        gap = np.maximum(np.diff(depths, axis=-1), 1e-300)
        rise = np.diff(values[: self.grades], axis=-1) / gap
        bend = (rise[..., 1] - rise[..., 0]) / gap.sum(axis=-1)
        slope = rise[..., 0] + bend * (2 * self.ranks / (self.n + 1) - depths[..., 0] - depths[..., 1])
        return values @ _CHANCES, slope, 2 * bend

    def _jump(self, u: Floats, gap: Floats) -> Jump:
        """Return the jump at depths u (C, 1), from the law of N."""
        law = np.exp(log_binomial(gap, self.n, u)) * self.gaps
        before = np.exp(log_binomial(self.ranks - 1, self.n, u))  # N is one less than the rank
        least = self.after(before[None])[0] + u**self.n
        below = 1 - least[:, 1:] / least[:, :1]
        below[:, self.first :] += before[:, self.first :] / 2
        slope = self.n * np.exp(log_binomial(np.minimum(self.ranks, self.n) - 1, self.n - 1, u))
        return Jump(below, slope, law / law.sum(axis=1, keepdims=True))


def _downwards(values: Floats, start: Floats) -> Floats:
    """Return sums over the later ones: (A, C, r) to (A, C, r + 1), the last one ``start`` (A, C, 1)."""
    return np.asarray(np.cumsum(np.concatenate([values, start], axis=2)[:, :, ::-1], axis=2)[:, :, ::-1])


def _rank_depths(n: float, rank: Floats) -> Floats:
    """Return nodes (..., 3) of the law Beta(r, n + 1 - r), by Wilson and Hilferty's score of a gamma law."""
    r, s = rank[..., None], np.maximum(n + 1 - rank[..., None], 0.5)

    def gamma(shape: Floats, score: Floats) -> Floats:
        root = np.maximum(1 - 1 / (9 * shape) + score / (3 * np.sqrt(shape)), 1e-3)
        return np.asarray(shape * root**3)

    x, y = gamma(r, _SCORES * np.sqrt(s / (n + 1))), gamma(s, -_SCORES * np.sqrt(r / (n + 1)))
    return np.asarray(x / (x + y))


def _panel_edges(n: float, first: int, k: float, breaks: Floats, sd: Floats) -> Floats:
    """Return edges (C, P + 1) of panels from ``first`` + 1/2 to n + 1/2, geometric in r and in n + 1 - r.

    The cutoff is an edge, and so are ranks around breaks (C, S), whose ranks have standard deviations.
    """
    low, high, edges = first + 0.5, n + 0.5, []
    above, below = low, min((n + 1) / 2, high - first)
    while above < 0.35 * (n + 1):
        edges.append(above)
        above *= 3 if above < 1e-3 * n else 1.4
    while above < high and below > max(2e-4 * n, 2):
        edges.append(n + 1 - below)
        below /= 1.8
    rows = np.tile([low, *edges, k + 0.5, high], (len(breaks), 1))
    around = (breaks[:, :, None] + sd[:, :, None] * _AROUND).reshape(len(breaks), -1)
    rows = np.sort(np.clip(np.concatenate([rows, around], axis=1), low, high), axis=1)
    return rows[:, np.append(True, (np.diff(rows, axis=1) > 0).any(axis=0))]
