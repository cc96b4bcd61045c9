"""Statements that random input may contradict: the frame of `counterexamples`, and what several use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Curve, Relevance, Scorer
from ndcg_asymptotics.theory.deviation import difference_std, moments
from ndcg_asymptotics.theory.mean import expected_ndcg

Rng = np.random.Generator
Pair = tuple[str, str]

DISCOUNTS = ["log", "zipf", "power(0.2)", "power(0.4)", "power(0.7)", "linear", "constant"]


class Try(NamedTuple):
    """One try of a statement.

    Attributes
    ----------
    agrees : callable
        Whether what was computed agrees with the statement, changed by a number: 0 leaves it as it is,
        another one makes it say what is not so. None where the statement says nothing.
    of : object
        The input and what was computed.
    """

    agrees: Callable[[float], object]
    of: object

    def contradicts(self, wrong: float = 0.0) -> bool:
        """Whether the try contradicts the statement that is changed by ``wrong``."""
        agrees = self.agrees(wrong)
        return agrees is not None and not agrees


def untested(reason: str) -> Try:
    """Return a try of which the statement says nothing."""
    return Try(lambda _: None, reason)


class Statement(NamedTuple):
    """A statement, and what makes it a wrong one.

    Attributes
    ----------
    draw : callable
        Makes a try.
    wrong : float
        What the statement is changed by to say what is not so.
    share : float
        The least share of the tries that then contradict it.
    tries : int
        How many the tests make; the program makes hundreds.
    """

    draw: Callable[[Rng], Try]
    wrong: float
    share: float
    tries: int

    def search(self, tries: int, seed: int = 38) -> Iterator[Try]:
        """Yield tries; the statement says nothing where the package refuses its input."""
        for i in range(tries):
            try:
                yield self.draw(np.random.default_rng((seed, i)))
            except InputError as error:
                yield untested(str(error))


STATEMENTS: dict[str, Statement] = {}
"""All statements by name; importing a module adds those that it has."""


def statement(
    wrong: float, share: float, tries: int = 2
) -> Callable[[Callable[[Rng], Try]], Callable[[Rng], Try]]:
    """Return a decorator that adds a statement."""

    def add(draw: Callable[[Rng], Try]) -> Callable[[Rng], Try]:
        STATEMENTS[draw.__name__.replace("_", " ")] = Statement(draw, wrong, share, tries)
        return draw

    return add


def nearer(values: Any, stated: float, room: float, share: float = 1.0, step: float = 0.0) -> bool:
    """Whether the later of two values is near to what is stated, or nearer than the earlier one."""
    first, last = np.abs(np.asarray(values) - stated)
    return bool(last < room or last < share * first - step)


def pair(rng: Rng, grades: int = 1) -> Pair:
    """Return two curves with the same label law.

    They are straight between random depths or have steps, and start at a certain label, at none or at a
    random one.
    """
    drawn = [_level_curves(rng, 1 / grades) for _ in range(grades)]
    if grades == 1:
        return drawn[0]
    first, second = (f"graded(2={high}, 1={low})" for high, low in zip(*drawn, strict=True))
    return first, second


def _level_curves(rng: Rng, most: float) -> Pair:
    """Return two curves of the same mean with values up to ``most``."""
    steps, inner = rng.random() < 0.4, float(rng.uniform(0.15, 0.6))
    # shares of the three values in the mean
    share = np.array([inner, 0.0, 1 - inner] if steps else [inner / 2, 0.5, (1 - inner) / 2])
    level = rng.random() < 0.25
    while True:
        a, b = (_values(rng, most) for _ in range(2))
        if level:
            b[0] = a[0]
        b[2] += float(share @ (a - b)) / share[2]
        if 0 <= b[2] <= most and np.abs(a - b).max() > 0.05 * most:
            return _text(a, inner, steps), _text(b, inner, steps)


def _text(v: np.ndarray, inner: float, steps: bool) -> str:
    if steps:
        return f"step({v[2]:.17g}, {v[0]:.17g}, {1 - inner:.17g})"
    return f"piecewise(0={v[0]:.17g}, {inner:.17g}={v[1]:.17g}, 1={v[2]:.17g})"


def _values(rng: Rng, most: float) -> np.ndarray:
    values = most * rng.uniform(0.1, 0.9, 3)
    if rng.random() < 0.3:  # a certain label at the top, or none
        values[0] = most * rng.integers(2)
    return values


def higher_top_first(texts: Pair) -> tuple[Relevance, Relevance]:
    """Return the curves, that with the larger mean gain at the top first."""
    a, b = map(Relevance.parse, texts)
    return (b, a) if a.mean_gain_at_top < b.mean_gain_at_top else (a, b)


def ratios_of(texts: Pair, measure: str, sizes: list[int]) -> np.ndarray:
    """Return the difference of the means over its standard deviation, which is good to four digits."""
    scorers, of = (Scorer.of(texts[0]), Scorer.of(texts[1])), Measure.parse(measure)
    first, second = (expected_ndcg(scorer, of, sizes).value for scorer in scorers)
    # a quick value is 0 where covariances cancel nearly all of the variance
    sds = [moments(scorers, of, n).sd or difference_std(*scorers, of, [n]).value[0] for n in sizes]
    return np.asarray(np.abs(first - second) / sds)


def ranked_labels(rng: Rng, curve: Curve, labels: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the labels from the top down, a row per list; u are the places of depths given labels."""
    edges = np.unique(np.concatenate((np.linspace(0, 1, 2001), curve.breakpoints)))
    relevant = np.append(0.0, np.cumsum(np.diff(edges) * curve.mean(edges[:-1], edges[1:])))
    depths = np.empty(u.shape)
    for of_class, below in ((labels, relevant), (~labels, edges - relevant)):
        depths[of_class] = np.interp(u[of_class], below / below[-1], edges)
    order = np.argsort(depths + 1e-12 * rng.random(depths.shape), axis=1)
    return np.asarray(np.take_along_axis(labels, order, axis=1), dtype=float)
