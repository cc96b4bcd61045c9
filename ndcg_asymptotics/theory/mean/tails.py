"""A binomial law from a number on, or in pieces, as rules of few nodes."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.special import betainc, gammaln

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.theory.quadrature import on_panels

_TAIL = 1e-16  # probability, relative to the largest, below which a count is left out
_POINTS = 20_000  # of a lattice
_NODES = 24  # of a rule, at most
_ACCURACY = 1e-14
_PIECE = 12  # nodes of a piece
_EXHAUSTED = 1e-7  # the norm of the next polynomial of a law that holds no more points
_ENTROPY = [(-1) ** m / ((m + 1) * (m + 2)) for m in range(14)]


def binomial_beyond(size: int, probability: float, least: int) -> tuple[Floats, Floats]:
    """Nodes and weights for ``E[f(X); X >= least]``, X ~ Binomial(size, probability), f smooth from there on.

    The Gauss rule of what the law is from ``least`` on. Where more than 20,000 numbers matter their lattice
    is thinned, which for an f that is 0 at ``least`` (a kink) leaves ``f' spacing^2 / 12`` of the law there.
    """
    x, weights = _lattice(size, probability, least)
    count = nodes_for(size * probability * (1 - probability) / max(least, 1) ** 2)
    if x.size <= count:
        return x, weights
    whole = float(weights.sum())
    return _lanczos(x, weights / whole, count, whole)


def binomial_pieces(size: int, probability: float, kink: int, width: float) -> tuple[Floats, Floats]:
    """Nodes and weights for ``E[f(X)]``, X ~ Binomial(size, probability).

    For an f that a polynomial follows on pieces ``width`` standard deviations wide (0: for any f), up to
    ``kink`` and from there on. Up to 20,000 numbers the rule is one of the law itself, beyond that of its
    density, which leaves a twelfth of what f' jumps by at the kink.
    """
    mean, deviation = size * probability, math.sqrt(size * probability * (1 - probability))
    low, high = (
        max(0.0, math.floor(mean - 9 * deviation - 16)),
        min(float(size), math.ceil(mean + 9 * deviation + 16)),
    )
    grid = mean + deviation * np.arange(-9, 9 + width, width) if width else np.arange(low, high)
    inner = np.append(grid, kink - 0.5)
    edges = np.concatenate([[low - 0.5], np.unique(inner[(inner > low) & (inner < high)]), [high + 0.5]])
    if high - low > _POINTS:
        x, dx = (a.ravel() for a in on_panels(edges[:-1], edges[1:], _PIECE))
        weights = dx * np.exp(log_binomial(x, float(size), probability))
        return x, weights / weights.sum()  # the logarithm of a density of 1e18 numbers has lost some digits
    x = np.arange(low, high + 1)
    law = np.exp(log_binomial(x, float(size), probability))
    rules = []
    for piece in np.split(np.arange(x.size), np.searchsorted(x, edges[1:-1])):
        whole = float(law[piece].sum())
        if piece.size <= _PIECE or whole == 0:
            rules.append((x[piece], law[piece]))
        else:
            rules.append(_lanczos(x[piece], law[piece] / whole, _PIECE, whole))
    nodes, weights = np.concatenate([rule[0] for rule in rules]), np.concatenate([rule[1] for rule in rules])
    kept = weights > _TAIL * weights.max()
    return nodes[kept], weights[kept]


def binomial_below(size: int, probability: Floats, least: int) -> Floats:
    """P(Binomial(size, probability) < least), 0 < least <= size.

    >>> binomial_below(2, np.array([0.5]), 1)
    array([0.25])
    """
    return np.asarray(betainc(size - least + 1, least, 1 - probability))


def nodes_for(spread: float, accuracy: float = _ACCURACY) -> int:
    """Nodes K of a Gauss rule for a function whose square varies by ``spread``: ``K! spread^K`` is small."""
    count, left = 1, spread
    while left > accuracy and count < _NODES:
        count += 1
        left *= count * spread
    return count + 1


def _lattice(size: int, probability: float, least: int) -> tuple[Floats, Floats]:
    """Numbers from ``least`` on, and their probabilities (times the spacing)."""
    deviation = math.sqrt(size * probability * (1 - probability))
    last = min(size, max(math.ceil(size * probability + 9 * deviation + 16), least + 64))
    if last < least:
        return np.empty(0), np.empty(0)
    spacing = max(1, math.ceil((last - least) / _POINTS))
    x = np.arange(least, last + 1, spacing, dtype=np.float64)
    weights = spacing * np.exp(log_binomial(x, float(size), probability))
    kept = weights > _TAIL * weights.max()
    return x[kept], weights[kept]


def log_binomial(x: Floats, size: Floats | float, probability: Floats | float) -> Floats:
    """Return log P(Binomial(size, probability) = x), in a form in which nothing cancels (Loader 2000).

    Between whole numbers it is the continuation by the gamma function.

    >>> log_binomial(np.array([0.0, 2.0]), 4.0, 0.5).round(12) == np.log([1 / 16, 6 / 16]).round(12)
    array([ True,  True])
    """
    size, p = np.asarray(size, float), np.asarray(probability, float)
    rest = size - x
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = (
            _stirling(size) - _stirling(x) - _stirling(rest)
            - _deviance(x, size * p) - _deviance(rest, size * (1 - p))
            + 0.5 * np.log(size / (2 * math.pi * x * rest))
        )  # fmt: skip
        none = np.where(size > 0, size * np.log1p(-p), 0.0)
        every = np.where(size > 0, size * np.log(p), 0.0)
    law = np.where(x == 0, none, np.where(rest == 0, every, inside))
    certain = np.where(x == np.where(p >= 1, size, 0.0), 0.0, -math.inf)
    return np.where((p > 0) & (p < 1), law, certain)


def log_choose(size: int, m: Integers) -> Floats:
    """log binom(size, m) for m far below a large size."""
    factors = np.log(np.maximum(size - np.arange(m.size - 1.0), 1.0))
    return np.concatenate([[0.0], np.cumsum(factors)]) - gammaln(m + 1.0)


def _stirling(x: Floats) -> Floats:
    """log x! less Stirling's formula."""
    y = 1 / np.maximum(x, 16.0) ** 2
    far = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) * np.sqrt(y)
    near = np.minimum(x, 16.0)
    exact = gammaln(near + 1) - (near + 0.5) * np.log(near) + near - 0.5 * math.log(2 * math.pi)
    return np.where(x < 16, exact, far)


def _deviance(x: Floats, mean: Floats) -> Floats:
    """x log(x / mean) + mean - x."""
    u = (x - mean) / mean
    small = np.where(np.abs(u) < 0.05, u, 0.0)
    series = small**2 * np.polynomial.polynomial.polyval(small, _ENTROPY)
    return np.asarray(mean * np.where(np.abs(u) < 0.05, series, (1 + u) * np.log1p(u) - u))


def _lanczos(x: Floats, weights: Floats, count: int, whole: float) -> tuple[Floats, Floats]:
    """The Gauss rule of a law on a lattice, from its orthonormal polynomials."""
    centre = float(weights @ x)
    unit = math.sqrt(float(weights @ (x - centre) ** 2))
    u = (x - centre) / unit
    rows = np.sqrt(weights)[None]  # polynomials times the root of the law
    diagonal, beside = [], []
    for _ in range(count):
        following = u * rows[-1]
        diagonal.append(float(rows[-1] @ following))
        for _twice in range(2):  # orthogonal to rounding
            following -= rows.T @ (rows @ following)
        beside.append(float(np.linalg.norm(following)))
        if beside[-1] < _EXHAUSTED:
            break
        rows = np.vstack([rows, following / beside[-1]])
    nodes, vectors = eigh_tridiagonal(diagonal, beside[: len(diagonal) - 1])
    return np.asarray(centre + unit * nodes), np.asarray(whole * vectors[0] ** 2)
