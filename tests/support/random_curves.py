"""Random relevance curves as specs and as functions of depth, and random measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ndcg_asymptotics.measures import Measure


def random_measure(rng: np.random.Generator, discounts: list[str], cutoffs: list[str]) -> Measure:
    discount, cutoff = rng.choice(discounts), rng.choice(cutoffs)
    whole = discount == "constant" and not cutoff  # no measure
    return Measure.parse(f"nDCG({discount}){'@0.5n' if whole else cutoff}")


def random_curve(rng: np.random.Generator) -> tuple[str, Callable[[Any], Any], tuple[float, ...]]:
    """A spec, the same curve as a function of depth, and its breaks."""
    a, b = np.sort(rng.random(2))
    if rng.random() < 0.3:
        a, b = a * 10.0 ** -rng.uniform(0, 6), b * 10.0 ** -rng.uniform(0, 3)
    if rng.random() < 0.2:
        a = 0.0
    a, b = float(a), float(b)
    kind = rng.choice(["rising", "falling", "constant", "power", "cusp", "step", "piecewise"])
    if kind == "power":
        e = float(np.exp(rng.uniform(-2, 4)))
        return f"power({a!r}, {b!r}, {e!r})", lambda t: a + (b - a) * np.exp(e * np.log1p(-t)), ()
    if kind == "cusp":
        e = float(np.exp(rng.uniform(-3, 1.5)))
        return f"cusp({a!r}, {b!r}, {e!r})", lambda t: b - (b - a) * t**e, ()
    if kind == "step":
        s = float(rng.uniform(0.02, 0.98))
        return f"step({a!r}, {b!r}, {s!r})", lambda t: np.where(t <= 1 - s, b, a), (1 - s,)
    if kind == "piecewise":
        d, v = [0.0, *np.sort(rng.random(2)).tolist(), 1.0], (rng.random(4) * b).tolist()
        knots = ", ".join(f"{x!r}={y!r}" for x, y in zip(d, v, strict=True))
        return f"piecewise({knots})", lambda t: np.interp(t, d, v), tuple(d[1:3])
    if kind == "falling":
        a, b = b, a
    if kind == "constant":
        a = b
    return f"linear({a!r}, {b!r})", lambda t: b + (a - b) * t, ()
