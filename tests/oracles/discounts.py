"""Discounts and cutoffs as their formulas read: one table for all tests, none of it the package's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

#: D(r) in a list of n items, for a rank or an array of them, by the discount's text.
DISCOUNTS: dict[str, Callable[[Any, float], Any]] = {
    "constant": lambda r, n: np.ones_like(1.0 * r),
    "log": lambda r, n: 1 / np.log(1.0 + r),
    "clipped_log(2.161)": lambda r, n: math.log(2.161) / np.log(np.maximum(r, 2.161)),
    "clipped_log(2.2)": lambda r, n: 1 / np.maximum(1.0, np.log(r) / np.log(2.2)),
    "power(0.3)": lambda r, n: 1.0 / np.power(r, 0.3),
    "power(0.5)": lambda r, n: 1 / np.sqrt(r),
    "power(0.7)": lambda r, n: 1.0 / np.power(r, 0.7),
    "power(2)": lambda r, n: 1.0 / np.power(r, 2.0),
    "power(40)": lambda r, n: 1.0 / np.power(r, 40.0),
    "zipf": lambda r, n: 1.0 / r,
    "geometric(2)": lambda r, n: np.power(0.5, r),
    "geometric(1.001)": lambda r, n: 1.001 ** (-1.0 * r),
    "rbp(0.8)": lambda r, n: 0.2 * 0.8 ** (r - 1.0),
    "linear": lambda r, n: 1.0 * (n - r),
    'custom("numpy:reciprocal", 10000)': lambda r, n: 1.0 / r,
    'custom("numpy:ones_like", 2000)': lambda r, n: np.ones_like(r),
}

#: k(n), by the cutoff's text with its @.
CUTOFFS: dict[str, Callable[[int], int]] = {
    "": lambda n: n,
    "@10": lambda n: min(n, 10),
    "@0.2n": lambda n: -(-n // 5),
    "@0.5n": lambda n: -(-n // 2),
    "@n^0.5": lambda n: math.isqrt(n - 1) + 1,
    "@n^0.9": lambda n: math.ceil(n**0.9),
    "@n/log(n)": lambda n: min(n, math.ceil(n / math.log(n))) if n > 1 else 1,
    "@20log(n)": lambda n: min(n, max(1, math.ceil(20 * math.log(n)))),
}


def formula(measure: str, n: int) -> tuple[Callable[[Any], Any], int]:
    """D and k(n) of a measure's text, in which a log discount has no name."""
    head, cut, cutoff = measure.removeprefix("n").removeprefix("DCG").rpartition("@")
    discount, cutoff = (head, cut + cutoff) if cut else (cutoff, "")
    discount = discount.removeprefix("(").removesuffix(")") or "log"
    k = CUTOFFS[cutoff](n) if cutoff in CUTOFFS else min(n, int(cutoff[1:]))
    return lambda r: DISCOUNTS[discount](r, n), k
