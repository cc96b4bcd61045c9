"""What the sums over ranks in `given_counts` are made of: weights, labels and their slopes."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, gammainc

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation.items import ItemsGivenCounts, Jumps, functions_of, pair_places
from ndcg_asymptotics.theory.deviation.rank_nodes import (
    AT_ENDS,
    DERIVATIVE,
    DX,
    NORMAL_WEIGHTS,
    X,
    panel_edges,
    rank_depths,
    ranks_one_by_one,
)

_POISSON = 1e9  # n from which the number of items above a depth at the top has a Poisson law


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
        The ranks that are summed one by one; beyond are panels where ``long``.
    ranks, measure : (C, R)
        The ranks, and how many each stands for: 1 for a single rank.
    weights : (A, C, R)
    labels : (J, C, R)
        E f_j(U_(r)).
    slope, curvature : (A, C, R)
        E phi'(U_(r)) and E phi''(U_(r)) of the gains of a row.
    covariance : (A, A, C, R)
        E Cov(y, y' | U_(r)) of the gains of two rows.
    edges, half, x : (C, P + 1), (C, P, 1), (C, P, nodes)
        Edges of panels, halves of their widths, and their nodes, in ranks; where ``long``.
    kinks : (Q, C, P - 1) or None
        By how much the derivatives of the functions jump at the edges between panels; None without panels.
    """

    def __init__(
        self, scorer: Relevance, discount: Discount, n: int, cutoffs: tuple[int, ...], counts: Floats
    ) -> None:
        self.n, self.discount, self.cutoffs = float(n), discount, cutoffs
        self.rows = slice(len(cutoffs))
        self.lists, self.grades = counts.shape
        self.gains = np.concatenate([np.tile(scorer.gains, (len(cutoffs), 1)), np.eye(self.grades)])
        self.items = ItemsGivenCounts.of(scorer, n, counts)
        self.jumps = Jumps.of(self.items, np.array([b for b in scorer.breakpoints if 0 < b < 1]))
        self.jump_ranks = (self.n + 1) * self.jumps.u
        self.first = ranks_one_by_one(n, self.jump_ranks.max(axis=0))
        self.long = self.first < n
        self.kinks: Floats | None = None
        self.near = self.jump_ranks <= self.first + 0.5  # jumps among the ranks one by one
        self._evaluate()

    def _evaluate(self) -> None:
        rank = np.arange(1.0, self.first + 1 + self.long)
        nodes = rank_depths(self.n, rank)
        u = np.tile(nodes.ravel(), (self.lists, 1))
        if self.long:
            self.edges = panel_edges(self.n, self.first, float(self.cutoffs[0]), self.jump_ranks)
            self.half = np.diff(self.edges, axis=1)[:, :, None] / 2
            self.x = self.edges[:, :-1, None] + self.half * (1 + X)
            u = np.concatenate([u, self.x.reshape(self.lists, -1) / (self.n + 1)], axis=1)
        values = functions_of(self.items.labels_at(u))
        means, slope, curvature = self._of_first_ranks(rank, u[:, : nodes.size], values[..., : nodes.size])
        self.ranks = np.tile(rank[: self.first], (self.lists, 1))
        self.measure = np.ones(self.ranks.shape)
        if self.long:
            self.ranks = np.concatenate([self.ranks, self.x.reshape(self.lists, -1)], axis=1)
            self.measure = np.concatenate([self.measure, (self.half * DX).reshape(self.lists, -1)], axis=1)
            further = self._of_panels(values[..., nodes.size :].reshape(-1, *self.x.shape))
            means, slope, curvature = (
                np.concatenate([near, far.reshape(*far.shape[:2], -1)], axis=2)
                for near, far in zip((means, slope, curvature), further, strict=True)
            )
        self.labels = means[: self.grades]
        self.slope, self.curvature = self.of_rows(slope), self.of_rows(curvature)
        self.covariance = self.of_pairs(means)
        self.weights = self.weights_at(self.ranks)

    def of_rows(self, labels: Floats) -> Floats:
        """Return sums over the labels (J, …) with the gains of each row."""
        return np.asarray(np.tensordot(self.gains, labels, 1))

    def of_pairs(self, values: Floats) -> Floats:
        """Return Cov(y, y') of the gains of two rows, from the functions of `functions_of`."""
        pairs = values[pair_places(self.grades)]
        return np.asarray(np.einsum("ai,bj,ij...->ab...", self.gains, self.gains, pairs))

    def weights_at(self, ranks: Floats) -> Floats:
        """Return the weights of the rows at ranks (C, R), without a shift."""
        values = self.discount(np.maximum(ranks, 1.0), self.n)
        cut = [values * (ranks < k + 0.5) for k in self.cutoffs]
        return np.stack([*cut, *[np.ones(ranks.shape)] * self.grades])

    def shifted(self, shift: Floats) -> None:
        """Take a constant (A,) from the weights of each row."""
        self.shift = shift[:, None]
        self.weights = self.weights - shift[:, None, None]

    @property
    def ends(self) -> tuple[float, float]:
        """Depths of both ends of a list, with hardly an item beyond."""
        return 0.01 / self.n, 1 - 0.01 / self.n

    def _of_first_ranks(self, rank: Floats, u: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
        """Return means over U_(r) of the functions, (Q, C, first), and of two derivatives of the labels.

        Jumps are taken out of the functions, and come back with P(N >= r), N the items above the jump. They
        have no second derivative, as the variance by the law of N (`jumps`) has all terms.
        """
        grades = self.grades
        top, bottom = (functions_of(self.items.labels(np.full((self.lists, 1), t))[0]) for t in self.ends)
        self.above: dict[int, Floats] = {}  # P(N >= r) of each jump
        back, slope_back = (
            np.zeros((*values.shape[:2], rank.size)),
            np.zeros((grades, self.lists, self.first)),
        )
        for i in self.jumps.steps:
            at, size = self.jumps.u[:, i : i + 1], self.jumps.size[:, :, i : i + 1]
            rare = self.n >= _POISSON
            above = gammainc(rank, self.n * at) if rare else betainc(rank, self.n + 1 - rank, at)
            self.above[i] = np.asarray(above, np.float64)
            values = values - (u > at) * size
            top, bottom = top - (self.ends[0] > at) * size, bottom - (self.ends[1] > at) * size
            back += (1 - self.above[i]) * size
            slope_back += (
                self.rise(1 - self.above[i], *(np.asarray(end > at, np.float64) for end in self.ends))
                * size[:grades]
            )
        smooth = values.reshape(*back.shape, -1) @ NORMAL_WEIGHTS
        slope = self.rise(smooth[:grades], top[:grades], bottom[:grades])
        curvature = self._rise(slope, slope[..., :1], slope[..., -1:])
        return (smooth + back)[..., : self.first], slope + slope_back, curvature

    def rise(self, means: Floats, top: Floats, bottom: Floats) -> Floats:
        """Return E f'(U_(r)) of the ranks one by one from f_r = E f(U_(r)) and f at both ends of the list.

        ``E f'(U_(r)) = (n - r + 1)(f_r - f_(r-1)) + r (f_(r+1) - f_r)``, exactly, by parts. Where the list is
        longer ``means`` holds the rank that follows too.
        """
        return self._rise(means[..., : self.first], top, means[..., self.first :] if self.long else bottom)

    def _rise(self, means: Floats, before: Floats, after: Floats) -> Floats:
        r = np.arange(1.0, self.first + 1)
        steps = np.diff(np.concatenate([before, means, after], axis=-1), axis=-1)
        return np.asarray((self.n - r + 1) * steps[..., :-1] + r * steps[..., 1:])

    def _of_panels(self, values: Floats) -> tuple[Floats, Floats, Floats]:
        """Return means of the functions on panels (Q, C, P, nodes), and the derivatives of the labels.

        ``E f(U_(r)) = f + f'' u (1 - u)/(2n)`` at u = r/(n + 1); kinks at edges of panels are kept.
        """
        wide = self.half[:, :, 0] > 1e-3 * np.minimum(self.edges[:, 1:], self.n + 1 - self.edges[:, :-1])
        ends = (values @ AT_ENDS.T) / np.maximum(self.half, 1e-9)
        self.kinks = (ends[:, :, 1:, 0] - ends[:, :, :-1, 1]) * (wide[:, 1:] & wide[:, :-1])
        second = self._derivative(self._derivative(values))
        values = values + second * wide[:, :, None] * self.half_variance(self.x)
        slope = (self.n + 1) * self._derivative(values[: self.grades])
        return values, slope, (self.n + 1) * self._derivative(slope)

    def _derivative(self, values: Floats) -> Floats:
        return np.asarray((values @ DERIVATIVE.T) / np.maximum(self.half, 1e-9))

    def half_variance(self, rank: Floats) -> Floats:
        """Return half the variance of the rank of an item at the depth r/(n + 1)."""
        return np.asarray(rank * (self.n + 1 - rank) / (2 * self.n))
