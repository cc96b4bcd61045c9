"""A function of one variable as polynomials on panels, which are halved until the polynomials follow it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.core.errors import require

DEGREE = 15  # of the polynomial on a panel
NODES = chebyshev.chebpts1(DEGREE + 1)
FIT = np.linalg.inv(chebyshev.chebvander(NODES, DEGREE)).T  # from values at the nodes to coefficients
RESOLVED = 1e-13  # of a panel's last two coefficients, relative to the size of the function
EPSILON = 2.0**-52
_MOST_PANELS = 4000
_SINGLE = 24  # binary digits of a coefficient that go into the digest of results


def fit_panels(
    edges: Floats,
    series_on: Callable[[Floats, Floats], tuple[Floats, Bools]],
    refusal: Callable[[float], str],
) -> tuple[Floats, Floats]:
    """Return the edges of panels and the Chebyshev series on each, in its own [-1, 1].

    Parameters
    ----------
    edges : array
        Edges of the first panels, increasing.
    series_on : callable
        Takes the left and right ends of panels. Returns the series on each, shape (panels, DEGREE + 1), and
        whether it is good; other panels are halved.
    refusal : callable
        The message if more than 4000 panels are needed, given the left end of one that is not good.

    Raises
    ------
    InputError
        If more than 4000 panels are needed.
    """
    left, right = edges[:-1], edges[1:]
    done: list[tuple[Floats, Floats]] = []
    while left.size:
        series, good = series_on(left, right)
        done.append((left[good], series[good]))
        left, right = left[~good], right[~good]
        panels = 2 * left.size + sum(len(start) for start, _ in done)
        require(not left.size or panels <= _MOST_PANELS, refusal(float(left[0])) if left.size else "")
        middle = (left + right) / 2
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    starts, series = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.argsort(starts)
    return np.append(starts[order], edges[-1]), series[order]


def locate(edges: Floats, x: Floats) -> tuple[Integers, Floats, Floats]:
    """Return the panel of each x, the place of x in it, where its ends are -1 and 1, and its width."""
    panel = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, len(edges) - 2)
    return panel, *place(edges, panel, x)


def place(edges: Floats, panel: Integers, x: Floats) -> tuple[Floats, Floats]:
    """Return the place of each x in its panel, where the ends are -1 and 1, and the width of the panel."""
    width = edges[panel + 1] - edges[panel]
    return 2 * (x - edges[panel]) / width - 1, width


def series_values(series: Floats, x: Floats) -> Floats:
    """Return the values of Chebyshev series (…, degrees), each at one x in [-1, 1]."""
    basis = chebyshev.chebvander(x, series.shape[-1] - 1).reshape(series.shape)
    return np.asarray((basis * series).sum(axis=-1))


def digests(edges: Floats, series: Floats, known: bytes) -> tuple[str, str]:
    """Return a digest of panels to the last bit, and one of `known` and the panels in single precision."""
    exact = edges.tobytes() + series.tobytes()
    # coefficients that rounding alone makes differ from 0 are the same whole number
    single = np.rint(series * 2.0**_SINGLE).astype(np.int64).tobytes()
    whole = known + edges.tobytes() + single
    return tuple(hashlib.blake2b(text, digest_size=16).hexdigest() for text in (exact, whole))  # type: ignore[return-value]
