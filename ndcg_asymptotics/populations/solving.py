"""Curves with a given mean: the parameter that ``prevalence=`` stands in place of is solved for.

Of a family it is assumed only that the mean is a continuous and monotone function of each parameter, in the
range that the field of the parameter states (`specs.ranges`). The mean of the curve that was found is
compared with the one that was wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import Field
from typing import TYPE_CHECKING, Any, TypeVar

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.specs.ranges import Range

if TYPE_CHECKING:
    from ndcg_asymptotics.populations.scorer import Curve

_C = TypeVar("_C", bound="Curve")

_PROBABILITY = Range(0, 1)
_ABSOLUTE, _RELATIVE = 1e-12, 1e-6  # largest errors of a mean, both of which must hold
_ROUNDING = 1e-13  # of a mean, relative
_LEAST, _MOST_STEPS = 1e-300, 10_000  # so that a solution is exact to rounding, however small

_any_range: ContextVar[bool] = ContextVar("_any_range", default=False)


def interval(parameter: Field[Any]) -> tuple[float, float]:
    """Return the least and the greatest value of a parameter; without a stated range it is a probability."""
    value_range: Range = parameter.metadata.get("within", _PROBABILITY)
    return value_range.ends


def solved(
    make: Callable[[float], _C], ends: tuple[float, float], prevalence: float, name: str, settings: str = ""
) -> _C:
    """Return the curve with a given mean.

    Parameters
    ----------
    make : callable
        The curve as a function of the parameter that is solved for.
    ends : (low, high)
        The interval of this parameter.
    prevalence : float
        The mean.
    name, settings : str
        The name of the parameter and the values of the others, for messages.

    Raises
    ------
    InputError
        If no curve of the family has this mean, which says what means they have.
    """

    def excess(x: float) -> float:
        return make(x).unclipped_mean() - prevalence

    with any_range():
        (low, first), (high, last) = sorted((make(x).unclipped_mean(), x) for x in ends)
        low, high = max(low, 0.0), min(high, 1.0)
        keyword, condition = make(first).keyword, f" where {settings}" if settings else ""
        require(
            low - _ROUNDING * low <= prevalence <= high + _ROUNDING * high,
            f"{keyword}: prevalence must be {low:.12g} to {high:.12g}{condition}, got {prevalence:.12g}",
        )
        changes = low < high or ends[0] == ends[1]
        require(changes, f"{keyword}: {name} does not change the prevalence{condition}")
        if excess(first) >= 0:
            solution = first
        elif excess(last) <= 0:
            solution = last
        else:
            from scipy.optimize import brentq  # here: to load it takes longer than to solve

            solution = brentq(excess, *ends, xtol=_LEAST, rtol=4 * 2.0**-52, maxiter=_MOST_STEPS)
        # 0.7, not 0.7000000000000001
        rounded = (float(f"{solution:.{digits}g}") for digits in (14, 15, 16))
        root = next((x for x in rounded if abs(excess(x)) <= _ROUNDING * prevalence), solution)
    return checked(make(root), prevalence)


def checked(curve: _C, prevalence: float) -> _C:
    """Return a curve whose mean is the prevalence, and refuse any other."""
    mean = curve.unclipped_mean()
    require(
        abs(mean - prevalence) <= min(_ABSOLUTE, _RELATIVE * prevalence),
        f"{curve}: its mean is {mean:.17g}, which is not the prevalence {prevalence:.17g}",
    )
    return curve


@contextmanager
def any_range() -> Iterator[None]:
    """Allow curves that leave [0, 1], which are made for the sake of their mean only."""
    token = _any_range.set(True)
    try:
        yield
    finally:
        _any_range.reset(token)


def range_is_checked() -> bool:
    """Return whether a curve must stay within [0, 1]."""
    return not _any_range.get()
