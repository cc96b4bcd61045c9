"""Random lists of 1 to 200 items with curves, measures and the true mean and standard deviation of NDCG.

The curves are constant, or steps that lie within the first ranks, within the last or between, with
prevalences from 1e-5 to 0.999 and one to four grades. Short lists have smooth curves too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from oracles import first_labels
from oracles.deviations import Law, Pieces, moments
from oracles.discounts import DISCOUNTS
from random_curves import random_curve

Discount = tuple[str, Callable[[Any, int], Any]]

_LONGEST = {1: 200, 2: 150, 3: 40, 4: 22}  # of constant curves, by the number of grades
_LONGEST_STEPS = {1: 200, 2: 30, 3: 13, 4: 8}
_ENUMERATED = 9

_MORE: dict[str, Callable[[Any, int], Any]] = {
    "clipped_log(10)": lambda r, n: math.log(10) / np.log(np.maximum(r, 10.0)),
    "power(0.4)": lambda r, n: r**-0.4,
    "power(1.7)": lambda r, n: r**-1.7,
    "power(4.313)": lambda r, n: r**-4.313,
    "geometric(1.056)": lambda r, n: 1.056**-r,
    'custom("own_discount:five_logs", 10000)': lambda r, n: 5 / np.log(3 + r),
    'custom("own_discount:two_powers", 10000)': lambda r, n: 2 * (r + 0.7) ** -0.4,
}
_USUAL = ("log", "clipped_log(2.161)", "zipf", "geometric(2)", "rbp(0.8)", "linear", "constant")
FIXED: list[Discount] = [*((text, DISCOUNTS[text]) for text in _USUAL), *_MORE.items()]


@dataclass(frozen=True)
class Case:
    """One or two scorers, a measure and a length, with the true mean and standard deviation.

    Of two scorers they are those of the difference.
    """

    scorers: tuple[str, ...]
    measure: str
    n: int
    mean: float
    deviation: float
    largest: float
    """The largest value, to which rounding in the oracle is relative."""


def random_case(rng: np.random.Generator, *, fixed: bool = True) -> Case:
    """Draw a case; ``fixed`` draws the discount from a list, otherwise its parameter is random too."""
    grades = int(rng.choice([1, 2, 3, 4], p=[0.7, 0.18, 0.07, 0.05]))
    gains = (
        np.cumsum(rng.choice([1.0, 2.0, 5.0, 0.3], grades))[::-1].round(12).tolist() if grades > 1 else [1.0]
    )
    smooth, pair = rng.random() < 0.2, rng.random() < 0.3
    if smooth:
        longest = _ENUMERATED if grades == 1 else {2: 6, 3: 5, 4: 4}[grades]
    else:
        steps = bool(rng.random() < 0.65)
        longest = (_LONGEST_STEPS if steps else _LONGEST)[grades]
    n = int(rng.integers(1, longest + 1)) if rng.random() < 0.5 else int(longest ** rng.random())
    discount, values = FIXED[rng.integers(len(FIXED))] if fixed else _discount(rng)
    cutoff, k = _cutoff(rng, n, needed=discount == "constant")
    normalised = bool(rng.random() < 0.9)
    measure = f"{'nDCG' if normalised else 'DCG'}({discount}){cutoff}"
    ranks = np.arange(1.0, n + 1)
    d = np.where(ranks <= k, values(ranks, n), 0.0)
    scorers: list[Pieces] | list[Law]
    if smooth:
        texts, scorers = _smooth(rng, gains, n, pair)
    else:
        texts, scorers = _flat(rng, gains, n, steps, pair)
    mean, deviation = moments(scorers, gains, d, normalised=normalised)
    largest = 1.0 if normalised else float(gains[0] * d.sum())
    return Case(texts, measure, n, mean, deviation, largest)


def long_case(rng: np.random.Generator) -> Case:
    """Draw a case with 129 to 320 items and no cutoff below rank 129, of one grade or two."""
    gains = [1.0] if rng.random() < 0.85 else [3.0, 1.0]
    steps, pair = bool(rng.random() < 0.65) and len(gains) == 1, rng.random() < 0.25
    n = int(rng.integers(129, 321 if len(gains) == 1 else 181))
    discount, values = FIXED[rng.integers(len(FIXED))]
    k = n if rng.random() < 0.6 and discount != "constant" else int(rng.integers(129, n + 1))
    ranks = np.arange(1.0, n + 1)
    d = np.where(ranks <= k, values(ranks, n), 0.0)
    texts, curves = _flat(rng, gains, n, steps, pair)
    mean, deviation = moments(curves, gains, d)
    return Case(
        texts,
        f"nDCG({discount})" + (f"@{k}" if k < n or discount == "constant" else ""),
        n,
        mean,
        deviation,
        1.0,
    )


def _discount(rng: np.random.Generator) -> Discount:
    kind = rng.choice(["clipped_log", "power", "steep", "geometric", "rbp", "listed"])
    match kind:
        case "clipped_log":
            b = float(np.round(1 + 10 ** rng.uniform(-1, 1.5), 4))
            return f"clipped_log({b!r})", lambda r, n: math.log(b) / np.log(np.maximum(r, b))
        case "power" | "steep":
            b = float(np.round(rng.uniform(0.05, 1.5) if kind == "power" else rng.uniform(1.5, 20), 3))
            return f"power({b!r})", lambda r, n: r**-b
        case "geometric":
            b = float(np.round(1 + 10 ** rng.uniform(-3, 0.5), 6))
            return f"geometric({b!r})", lambda r, n: b**-r
        case "rbp":
            p = float(np.round(rng.uniform(0.02, 0.995), 4))
            return f"rbp({p!r})", lambda r, n: (1 - p) * p ** (r - 1)
        case _:
            return FIXED[rng.integers(len(FIXED))]


def _cutoff(rng: np.random.Generator, n: int, *, needed: bool) -> tuple[str, int]:
    """Return the text of a cutoff, and k at n."""
    kind = rng.choice(
        ["whole", "rank", "beyond", "share", "power", "log"], p=[0.3, 0.25, 0.1, 0.15, 0.1, 0.1]
    )
    if kind == "whole" and needed:
        kind = "rank"
    match kind:
        case "whole":
            return "", n
        case "rank":
            k = max(1, int(n ** rng.random()))
            return f"@{k}", k
        case "beyond":
            k = int(n + rng.integers(0, 30))
            return f"@{k}", min(k, n)
        case "share":
            thousandths = int(rng.integers(10, 1001))
            return f"@{thousandths / 1000!r}n", max(1, -(-thousandths * n // 1000))
        case "power":
            a = float(np.round(rng.uniform(0.1, 0.98), 4))
            return f"@n^{a!r}", _rounded_up(n**a, n)
        case _:
            c = float(np.round(rng.uniform(0.2, 20), 3))
            return f"@{c!r}log(n)", _rounded_up(c * math.log(n), n)


def _rounded_up(x: float, n: int) -> int:
    # whole numbers that rounding has moved: n^a at n = 1, log(1)
    return min(max(round(x) if abs(x - round(x)) < 1e-11 * x else math.ceil(x), 1), n)


def _probability(rng: np.random.Generator) -> float:
    kind = rng.random()
    if kind < 0.35:
        return float(f"{10 ** rng.uniform(-5, 0):.4g}")
    if kind < 0.75:
        return float(f"{rng.uniform(0.01, 0.99):.4f}")
    return float(f"{1 - 10 ** rng.uniform(-3, 0):.6f}")


def _level(rng: np.random.Generator) -> float:
    return float(rng.choice([0.0, 1.0])) if rng.random() < 0.25 else _probability(rng)


def _place(rng: np.random.Generator, n: int) -> float:
    """Return where a step is, in canonical scores: among the first ranks, among the last or between."""
    items = min(10 ** rng.uniform(-0.7, 1.0), 0.9 * n) / n
    where = (1 - items, items, rng.uniform(0.02, 0.98))[rng.choice(3, p=[0.5, 0.15, 0.35])]
    return float(f"{where:.5g}") if 1e-4 < where < 0.9999 else 0.5


def _flat(
    rng: np.random.Generator, gains: list[float], n: int, steps: bool, pair: bool
) -> tuple[tuple[str, ...], list[Pieces]]:
    """Return texts of one scorer or two, and their curves."""
    shares = rng.dirichlet(np.ones(len(gains))).round(6).tolist() if len(gains) > 1 else [1.0]
    if not steps:
        laws = [share * _probability(rng) for share in shares]
        curves = [Pieces((1.0,), (tuple(laws),))]
        texts = [_scorer(gains, [f"constant({p!r})" for p in laws])]
    else:
        at = _place(rng, n)
        low, high = (tuple(share * _level(rng) for share in shares) for _ in range(2))
        while not any(low + high):  # curves that are 0 everywhere are refused
            low = tuple(share * _level(rng) for share in shares)
        curves = [Pieces((1 - at, 1.0), (high, low))]
        texts = [_scorer(gains, [f"step({a!r}, {b!r}, {at!r})" for a, b in zip(low, high, strict=True)])]
    if pair:
        first = curves[0]
        widths = np.diff(first.ends, prepend=0.0)
        masses = [
            math.fsum(w * law[j] for w, law in zip(widths, first.laws, strict=True))
            for j in range(len(gains))
        ]
        curves.append(Pieces((1.0,), (tuple(masses),)))
        texts.append(_scorer(gains, [f"constant({p!r})" for p in masses]))
    return tuple(texts), curves


def _scorer(gains: list[float], curves: list[str]) -> str:
    if gains == [1.0]:
        return curves[0]
    return f"graded({', '.join(f'{y!r}={curve}' for y, curve in zip(gains, curves, strict=True))})"


def _smooth(
    rng: np.random.Generator, gains: list[float], n: int, pair: bool
) -> tuple[tuple[str, ...], list[Law]]:
    """Return texts of one scorer or two, and the probabilities of all label sequences."""
    breaks: tuple[float, ...] = ()
    curves: list[Callable[[Any], Any]]
    if len(gains) == 1:
        text, curve, breaks = random_curve(rng)
        curves = [curve]
    else:
        shares = rng.dirichlet(np.ones(len(gains))).round(3).tolist()
        ends = [(round(share * _level(rng), 6), round(share * _level(rng), 6)) for share in shares]
        text = _scorer(gains, [f"linear({bottom!r}, {top!r})" for bottom, top in ends])
        curves = [np.polynomial.Polynomial([top, bottom - top]) for bottom, top in ends]
    masses = first_labels.sequences(curves, 1, breaks)[1][:-1].tolist()
    if not any(masses):  # curves that are 0 everywhere are refused
        return _smooth(rng, gains, n, pair)
    first = first_labels.sequences(curves, n, breaks)
    if not pair:
        return (text,), [first]
    flat = first_labels.sequences([np.polynomial.Polynomial([p]) for p in masses], n)
    return (text, _scorer(gains, [f"constant({p!r})" for p in masses])), [first, flat]
