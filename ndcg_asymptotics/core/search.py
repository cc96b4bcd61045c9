"""Search for the number from which on a condition holds."""

from __future__ import annotations

import math
from collections.abc import Callable


def first_true(condition: Callable[[int], bool], low: int, high: int, *, guess: float | None = None) -> int:
    """Return the first number after ``low`` at which a condition holds, ``high`` if it holds at none before.

    The condition holds from that number on. The search halves the logarithm of the range. From a guess it
    goes in steps that double, until the number lies between two of them.

    >>> first_true(lambda n: n * n > 1000, 0, 10**12)
    32
    >>> asked = []
    >>> first_true(lambda n: asked.append(n) or n * n > 1000, 0, 10**12, guess=30), asked
    (32, [30, 31, 33, 32])
    """
    below, above, step = low, high, 1
    n = round(min(max(guess, low + 1.0), high - 1.0)) if guess is not None else 0
    while above - below > 1:
        if guess is None or (below > low and above < high):
            n = min(max(round(math.sqrt(max(below, 1) * above)), below + 1), above - 1)
        below, above = (below, n) if condition(n) else (n, above)
        n = max(above - step, below + 1) if below == low else min(below + step, above - 1)
        step *= 2
    return above
