"""Minimise the mean loss of a linear scorer plus a penalty on its weights.

The features are standardised and then turned, so that the minimisation is in coordinates u in which the
Hessian is close to the identity. With X = Q S Vᵀ the standardised features (of the lists that have a loss,
less what the loss does not see: the mean of each list, or of all, which the intercept makes up for), and κ
the curvature of the loss per document, the Hessian for the weights is about κ/Q V S² Vᵀ + penalty, so

    weights = V diag(κ/Q S² + penalty)^-1/2 u.

For a quadratic loss this Hessian *is* the identity, and the minimum is minus the gradient at 0: ridge
regression in closed form. Other convex losses with second derivatives are minimised by Newton's method with
a trust region (scipy's ``trust-ncg``), whose conjugate gradients take exact products with the Hessian; the
hinge, which has none, and `approx_ndcg`, which is not convex, by L-BFGS.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.learning.losses import LambdaField, Loss, Surrogate
from ndcg_asymptotics.learning.queries import Queries
from ndcg_asymptotics.learning.utilities import Utility

_MAX_ITERATIONS = 1000
_MAX_RANKINGS = 8  # of LambdaRank; on thousands of documents some keep changing their ranks
_CONSTANT = 1e-12  # a feature counts as constant if its standard deviation is below this share of its mean
_MOST_TURNED = 1500  # features, or documents, up to which a singular value decomposition takes seconds
_LEAST_SINGULAR = 1e-12  # directions whose singular value is below this share of the largest are rounding
# the gradient is that in u of an objective scaled to 1, which is then within 1e-14 of its minimum
_NEWTON: dict[str, float] = {"maxiter": _MAX_ITERATIONS, "gtol": 1e-7, "max_trust_radius": 1e6}
_QUASI_NEWTON: dict[str, float] = {
    "maxiter": _MAX_ITERATIONS,
    "maxfun": 3 * _MAX_ITERATIONS,
    "ftol": 1e-6,
    "gtol": 1e-7,
}


class Minimum(NamedTuple):
    """The outcome of a minimisation.

    Attributes
    ----------
    weights : (d + 1,)
        Of the standardised features, then the intercept.
    iterations : int
        0 for a quadratic loss.
    converged : bool
    """

    weights: Floats
    iterations: int
    converged: bool


class LinearScorer:
    """The mean loss of linear scorers of some queries.

    Parameters
    ----------
    queries : Queries
    loss : Loss
    utility : Utility

    Raises
    ------
    InputError
        If every feature is constant, or the loss is 0 for every query.
    """

    def __init__(self, queries: Queries, loss: Loss, utility: Utility) -> None:
        x = queries.features
        self._mean, deviation = x.mean(axis=0), x.std(axis=0)
        varies = deviation > _CONSTANT * np.abs(self._mean)
        require(bool(varies.any()), "every feature is constant, there is nothing to learn from", "features")
        self._scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies)
        self._loss = loss
        self._surrogate = loss.on(queries.batch, utility)
        contributing = self._surrogate.contributing
        self._count = int(contributing.sum())
        require(
            self._count > 0,
            f"no query has anything to learn from: {loss} is 0 for every label vector",
            "labels",
        )
        # the intercept is free, or 0 where no loss sees it, or fixed at 1 for a scale-invariant loss
        self._fixed = 1.0 if loss.scale_invariant else 0.0
        self._free = not (loss.scale_invariant or loss.shift_invariant)
        x = (x - self._mean) * self._scale
        rows = np.repeat(contributing, queries.sizes)
        self._shift = x[rows].mean(axis=0) if self._free else np.zeros(x.shape[1])
        x -= self._shift
        visible = x
        if loss.shift_invariant:
            means = np.add.reduceat(x, queries.batch.starts, axis=0) / queries.sizes[:, None]
            visible = x - np.repeat(means, queries.sizes, axis=0)
        self._axes, self._spread = _principal_axes(visible[rows])
        self._x = np.ascontiguousarray(visible @ self._axes)
        self._curvature = self._typical_curvature()

    def minimise(self, penalty: float, start: Floats | None, step: Callable[[], None]) -> Minimum:
        """Return the weights that minimise the mean loss plus ``penalty/2 |weights|²``.

        Parameters
        ----------
        penalty : float
        start : (d + 1,), optional
            Weights to start from, by default 0.
        step : function
            Called after each iteration.
        """
        diagonal = self._curvature / self._count * self._spread**2 + penalty
        size = np.where(self._spread > 0, 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
        free = 1 / np.sqrt(self._curvature / self._count * len(self._x)) * self._free
        size = np.append(size, free)

        def solution(u: Floats) -> Floats:
            turned = size * u
            weights = self._axes @ turned[:-1]
            return np.append(weights, self._fixed + turned[-1] - self._shift @ weights)

        u = np.zeros(size.size)
        if start is not None:
            turned = np.append(self._axes.T @ start[:-1], start[-1] - self._fixed + self._shift @ start[:-1])
            u = np.divide(turned, size, out=u, where=size > 0)

        def objective(surrogate: Surrogate) -> _Objective:
            return _Objective(self._x, surrogate, self._count, penalty, size, self._fixed)

        if self._loss.curvature is not None:
            return Minimum(solution(-objective(self._surrogate)(np.zeros_like(u))[1]), 0, True)
        if not isinstance(self._surrogate, LambdaField):
            result = _minimised(objective(self._surrogate), u, step)
            return Minimum(solution(np.asarray(result.x)), int(result.nit), bool(result.success))
        iterations = 0
        for _ in range(_MAX_RANKINGS):
            scores = objective(self._surrogate).scores(u)
            result = _minimised(objective(self._surrogate.frozen(scores)), u, step)
            u, iterations = np.asarray(result.x), iterations + int(result.nit)
            after = objective(self._surrogate).scores(u)
            if np.array_equal(self._surrogate.ranks(scores), self._surrogate.ranks(after)):
                return Minimum(solution(u), iterations, bool(result.success))
        return Minimum(solution(u), iterations, False)

    def scores(self, queries: Queries, w: Floats) -> Floats:
        """Return the scores of the documents of other queries."""
        weights, intercept = self.unscaled(w)
        return np.asarray(queries.features @ weights + intercept)

    def unscaled(self, w: Floats) -> tuple[Floats, float]:
        """Return the weights and the intercept for features that are not standardised."""
        weights = w[:-1] * self._scale
        return weights, float(w[-1] - self._mean @ weights)

    def _typical_curvature(self) -> float:
        """Return the mean curvature of the loss per document, at random scores of size 1."""
        if self._loss.curvature is not None:
            return self._loss.curvature
        if not self._surrogate.curved:
            return 1.0
        scores, v = np.random.default_rng(0).normal(size=(2, len(self._x)))
        curvature = float(v @ self._surrogate.hessian(scores)(v)) / float(v @ v)
        return curvature if curvature > 0 else 1.0  # a loss that is not convex


def _principal_axes(x: Floats) -> tuple[Floats, Floats]:
    """Return orthonormal axes (d, r) of the rows of x, and the length of x along each; 0 for rounding.

    Without the singular value decomposition, where it would take too long, the axes are the features.
    """
    if min(x.shape) > _MOST_TURNED:
        return np.eye(x.shape[1]), np.sqrt((x**2).sum(axis=0))
    triangle = np.linalg.qr(x, mode="r") if len(x) > x.shape[1] else x
    _, singular, axes = np.linalg.svd(triangle, full_matrices=False)
    return axes.T, np.where(singular > _LEAST_SINGULAR * singular[0], singular, 0.0)


class _Objective:
    """The mean loss plus penalty as a function of u, with its gradient and products with its Hessian."""

    def __init__(
        self, x: Floats, surrogate: Surrogate, count: int, penalty: float, size: Floats, fixed: float
    ) -> None:
        self._x, self._surrogate, self._count = x, surrogate, count
        self._size, self._fixed = size, fixed
        self._penalty = np.append(np.full(size.size - 1, penalty), 0.0)
        self._at: Floats | None = None
        self.curved = surrogate.curved

    def __call__(self, u: Floats) -> tuple[float, Floats]:
        w = self._size * u
        values, by_score = self._surrogate(self.scores(u))
        value = float(values.sum()) / self._count + float(self._penalty @ w**2) / 2
        return value, self._size * (self._back(by_score) + self._penalty * w)

    def product(self, u: Floats, v: Floats) -> Floats:
        """Return the Hessian at u times v."""
        if self._at is None or not np.array_equal(u, self._at):
            self._at = u.copy()
            self._hessian = self._surrogate.hessian(self.scores(u))
        w = self._size * v
        return self._size * (self._back(self._hessian(self._scores(w))) + self._penalty * w)

    def scores(self, u: Floats) -> Floats:
        """Return the scores of the documents, up to what the loss does not see."""
        return self._scores(self._size * u) + self._fixed

    def _scores(self, w: Floats) -> Floats:
        # not by BLAS, whose threads wait for each other longer than such a product takes
        return np.asarray(np.einsum("ij,j->i", self._x, w[:-1]) + w[-1])

    def _back(self, by_score: Floats) -> Floats:
        return np.asarray(np.append(np.einsum("i,ij->j", by_score, self._x), by_score.sum()) / self._count)


def _minimised(objective: _Objective, start: Floats, step: Callable[[], None]) -> OptimizeResult:
    value, gradient = objective(np.zeros_like(start))
    # where the Hessian is the identity the objective falls by |gradient|²/2
    unit = max(abs(value), float(gradient @ gradient) / 2, float(np.finfo(float).tiny))

    def scaled(u: Floats) -> tuple[float, Floats]:
        value, gradient = objective(u)
        return value / unit, gradient / unit

    solve: Callable[..., OptimizeResult] = (
        minimize  # whose overloads do not know a function that returns a gradient too
    )
    if objective.curved:
        return solve(
            scaled,
            start,
            jac=True,
            hessp=lambda u, v: objective.product(u, v) / unit,
            method="trust-ncg",
            callback=lambda _: step(),
            options=_NEWTON,
        )
    return solve(scaled, start, jac=True, method="L-BFGS-B", callback=lambda _: step(), options=_QUASI_NEWTON)
